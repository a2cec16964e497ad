#include "guard/catalog/catalog.h"

#include <fmt/format.h>

namespace dragoman::catalog {
namespace {

failure dangling(const table& t, std::string_view what, std::string_view name) {
  return failure(errc::configuration, fmt::format("{}: {} names no column: {}", t.full_name(), what, name));
}

// FNV-1a over parts that are each closed by a byte no name contains.
class fingerprint_hash {
 public:
  void add(std::string_view part) noexcept {
    for (char c : part) mix(static_cast<unsigned char>(fold(c)));
    mix(0);
  }
  std::uint64_t value() const noexcept { return h_; }

 private:
  void mix(unsigned char c) noexcept { h_ = (h_ ^ c) * 1099511628211ull; }
  std::uint64_t h_ = 1469598103934665603ull;
};

}  // namespace

const column* table::find_column(std::string_view column_name) const noexcept {
  const auto i = column_index(column_name);
  return i ? &columns[*i] : nullptr;
}

std::optional<std::size_t> table::column_index(std::string_view column_name) const noexcept {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (same_name(columns[i].name, column_name)) return i;
  }
  return std::nullopt;
}

result<void> database::index() {
  by_name_.clear();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const table& t = tables[i];
    auto& same = by_name_[t.name];
    for (std::size_t other : same) {
      if (same_name(tables[other].schema, t.schema)) {
        return failure(errc::configuration, fmt::format("{}: described twice", t.full_name()));
      }
    }
    same.push_back(i);
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      if (*t.column_index(t.columns[c].name) != c) {
        return failure(errc::configuration, fmt::format("{}: two columns named {}", t.full_name(), t.columns[c].name));
      }
    }
    for (const auto& key : t.primary_key) {
      if (!t.find_column(key)) return dangling(t, "primary_key", key);
    }
  }
  for (const table& t : tables) {
    for (const foreign_key& fk : t.foreign_keys) {
      if (fk.columns.empty() || fk.columns.size() != fk.referenced_columns.size()) {
        return failure(errc::configuration, fmt::format("{}: foreign key without matching columns", t.full_name()));
      }
      for (const auto& c : fk.columns) {
        if (!t.find_column(c)) return dangling(t, "foreign_keys", c);
      }
      // A key may lead to a table that was not introspected; where the table is known, so must its columns be.
      if (const table* target = find_table(fk.schema, fk.table)) {
        for (const auto& c : fk.referenced_columns) {
          if (!target->find_column(c)) return dangling(*target, "a foreign key of " + t.full_name(), c);
        }
      }
    }
  }
  return {};
}

std::optional<std::size_t> database::table_index(std::string_view schema, std::string_view table_name) const {
  const auto it = by_name_.find(table_name);
  if (it == by_name_.end()) return std::nullopt;
  for (std::size_t i : it->second) {
    if (same_name(tables[i].schema, schema)) return i;
  }
  return std::nullopt;
}

const table* database::find_table(std::string_view schema, std::string_view table_name) const {
  const auto i = table_index(schema, table_name);
  return i ? &tables[*i] : nullptr;
}

std::vector<std::size_t> database::tables_named(std::string_view table_name) const {
  const auto it = by_name_.find(table_name);
  return it == by_name_.end() ? std::vector<std::size_t>{} : it->second;
}

bool database::has_schema(std::string_view schema) const {
  for (const table& t : tables) {
    if (same_name(t.schema, schema)) return true;
  }
  return false;
}

bool database::case_sensitive() const noexcept {
  return collation.find("_CS") != std::string::npos || collation.find("_BIN") != std::string::npos;
}

std::string database::fingerprint() const {
  fingerprint_hash h;
  h.add(name);
  for (const table& t : tables) {
    h.add("table");
    h.add(t.schema);
    h.add(t.name);
    for (const column& c : t.columns) {
      h.add(c.name);
      h.add(to_string(c.type));
      h.add(c.nullable ? "null" : "not null");
    }
    h.add("primary key");
    for (const auto& c : t.primary_key) h.add(c);
    for (const foreign_key& fk : t.foreign_keys) {
      h.add("foreign key");
      for (const auto& c : fk.columns) h.add(c);
      h.add(fk.schema);
      h.add(fk.table);
      for (const auto& c : fk.referenced_columns) h.add(c);
    }
  }
  return fmt::format("{:016x}", h.value());
}

}  // namespace dragoman::catalog
