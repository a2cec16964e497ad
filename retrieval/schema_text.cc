#include "retrieval/schema_text.h"

#include <algorithm>

namespace dragoman::retrieval {
namespace {

std::string bracketed(std::string_view name) {
  std::string out = "[";
  for (char c : name) {
    out += c;
    if (c == ']') out += c;
  }
  return out + "]";
}

bool plain(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string written_name(std::string_view name) {
  return plain(name) ? std::string(name) : bracketed(name);
}

// A value as data: in double quotes, with those inside doubled.
std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (char c : value) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

std::string samples_of(const catalog::column& column, const schema_text_options& options) {
  std::string out;
  std::size_t count = 0;
  for (const std::string& sample : column.samples) {
    if (sample.size() > options.sample_bytes_max || one_line(sample, sample.size()) != sample) continue;
    if (count++ == options.samples_max) return out + ", …";
    out += (out.empty() ? "values: " : ", ") + quoted(sample);
  }
  return out;
}

// Where a column points to, when it alone is a key to a table that is seen.
std::string target_of(const catalog::database& db, const table_scope& scope, const catalog::table& table,
                      std::string_view column) {
  for (const catalog::foreign_key& key : table.foreign_keys) {
    if (key.columns.size() != 1 || key.referenced_columns.size() != 1 || !catalog::same_name(key.columns[0], column))
      continue;
    const auto to = db.table_index(key.schema, key.table);
    if (!to || !scope.sees(*to)) continue;
    const auto target = db.tables[*to].column_index(key.referenced_columns[0]);
    if (!target || !scope.sees(*to, *target)) continue;
    return bracketed(key.schema) + "." + bracketed(key.table) + "." +
           written_name(db.tables[*to].columns[*target].name);
  }
  return {};
}

void append_compound_keys(std::string& out, const catalog::database& db, const table_scope& scope, std::size_t t) {
  const catalog::table& table = db.tables[t];
  for (const catalog::foreign_key& key : table.foreign_keys) {
    if (key.columns.size() < 2 || key.referenced_columns.size() != key.columns.size()) continue;
    const auto to = db.table_index(key.schema, key.table);
    if (!to || !scope.sees(*to)) continue;
    std::string mine, theirs;
    bool seen = true;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      const auto a = table.column_index(key.columns[i]);
      const auto b = db.tables[*to].column_index(key.referenced_columns[i]);
      seen = seen && a && b && scope.sees(t, *a) && scope.sees(*to, *b);
      mine += (i == 0 ? "" : ", ") + written_name(key.columns[i]);
      theirs += (i == 0 ? "" : ", ") + written_name(key.referenced_columns[i]);
    }
    if (seen)
      out += "  (" + mine + ") -> " + bracketed(key.schema) + "." + bracketed(key.table) + " (" + theirs + ")\n";
  }
}

}  // namespace

std::string one_line(std::string_view text, std::size_t bytes_max) {
  std::string out;
  for (char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  if (out.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
    out.resize(end);
  }
  return out;
}

std::size_t estimated_tokens(std::string_view text) noexcept {
  std::size_t ascii = 0, leads = 0;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x80)
      ++ascii;
    else if (u >= 0xC0)
      ++leads;
  }
  return (ascii + 3) / 4 + (leads + 1) / 2;
}

std::vector<std::size_t> visible_tables(const catalog::database& db, const table_scope& scope) {
  std::vector<std::size_t> out;
  for (std::size_t t = 0; t < db.tables.size(); ++t)
    if (scope.sees(t)) out.push_back(t);
  std::sort(out.begin(), out.end(),
            [&](std::size_t a, std::size_t b) { return db.tables[a].full_name() < db.tables[b].full_name(); });
  return out;
}

std::string schema_text(const catalog::database& db, const table_scope& scope, const std::vector<std::size_t>& tables,
                        const schema_text_options& options) {
  std::string out;
  for (std::size_t t : tables) {
    if (!scope.sees(t)) continue;
    const catalog::table& table = db.tables[t];
    out += bracketed(table.schema) + "." + bracketed(table.name);
    if (!table.description.empty()) out += " -- " + one_line(table.description, options.description_bytes_max);
    out += "\n";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (!scope.sees(t, c)) continue;
      const catalog::column& column = table.columns[c];
      out += "  " + written_name(column.name) + " " + to_string(column.type);
      if (table.primary_key.size() == 1 && catalog::same_name(table.primary_key[0], column.name)) out += " primary key";
      if (const std::string target = target_of(db, scope, table, column.name); !target.empty()) out += " -> " + target;
      std::string notes;
      if (scope.right(t, c) == column_right::join_only) {
        out += " (join only)";
      } else {
        notes = one_line(column.description, options.description_bytes_max);
        const std::string samples = samples_of(column, options);
        if (!samples.empty()) notes += (notes.empty() ? "" : "; ") + samples;
      }
      if (!notes.empty()) out += " -- " + notes;
      out += "\n";
    }
    append_compound_keys(out, db, scope, t);
  }
  return out;
}

}  // namespace dragoman::retrieval
