#include <fmt/format.h>

#include "guard/catalog/catalog.h"

namespace dragoman::catalog {
namespace {

std::string key_text(const foreign_key& fk) {
  return fmt::format("({}) -> {}.{} ({})", fmt::join(fk.columns, ", "), fk.schema, fk.table,
                     fmt::join(fk.referenced_columns, ", "));
}

// Keys are compared by what they say; names that a server makes up differ from one copy to the next.
std::string keys_text(const table& t) {
  std::vector<std::string> keys;
  for (const auto& fk : t.foreign_keys) keys.push_back(key_text(fk));
  return keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, "; "));
}

void compare_columns(const table& before, const table& after, std::vector<change>& out) {
  const std::string name = after.full_name();
  for (const column& was : before.columns) {
    const column* is = after.find_column(was.name);
    if (is == nullptr) {
      out.push_back(
          {change_kind::column_removed, name, was.name, fmt::format("{}.{}: column is gone", name, was.name)});
      continue;
    }
    const std::string was_type = to_string(was.type), is_type = to_string(is->type);
    if (was_type != is_type) {
      out.push_back({change_kind::column_type, name, is->name,
                     fmt::format("{}.{}: type was {}, is {}", name, is->name, was_type, is_type)});
    }
    if (was.nullable != is->nullable) {
      out.push_back({change_kind::column_nullability, name, is->name,
                     fmt::format("{}.{}: {}", name, is->name, is->nullable ? "may be NULL now" : "is NOT NULL now")});
    }
  }
  for (const column& is : after.columns) {
    if (before.find_column(is.name) != nullptr) continue;
    out.push_back({change_kind::column_added, name, is.name,
                   fmt::format("{}.{}: new column of type {}", name, is.name, to_string(is.type))});
  }
}

}  // namespace

std::vector<change> drift(const database& before, const database& after) {
  std::vector<change> out;
  for (const table& was : before.tables) {
    const table* is = after.find_table(was.schema, was.name);
    if (is == nullptr) {
      out.push_back({change_kind::table_removed, was.full_name(), "", was.full_name() + ": table is gone"});
      continue;
    }
    compare_columns(was, *is, out);
    if (was.primary_key != is->primary_key) {
      out.push_back({change_kind::primary_key, is->full_name(), "",
                     fmt::format("{}: primary key was ({}), is ({})", is->full_name(), fmt::join(was.primary_key, ", "),
                                 fmt::join(is->primary_key, ", "))});
    }
    if (const auto a = keys_text(was), b = keys_text(*is); a != b) {
      out.push_back({change_kind::foreign_keys, is->full_name(), "",
                     fmt::format("{}: foreign keys were {}, are {}", is->full_name(), a, b)});
    }
  }
  for (const table& is : after.tables) {
    if (before.find_table(is.schema, is.name) != nullptr) continue;
    out.push_back({change_kind::table_added, is.full_name(), "", is.full_name() + ": new table"});
  }
  return out;
}

}  // namespace dragoman::catalog
