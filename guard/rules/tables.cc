// Tables by allowlist. A name means a table only when the principal's policy names that table; a table that exists and
// one that does not fail with the same words.
#include <fmt/format.h>

#include "guard/context.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;

failure unknown(const tsql::object_name& n) {
  return failure(errc::unknown_table, fmt::format("Invalid object name '{}'.", as_written(n)));
}

}  // namespace

std::string as_written(const tsql::object_name& n) {
  std::string out;
  if (!n.server.empty()) out += n.server.value + ".";
  if (!n.server.empty() || !n.database.empty()) out += n.database.value + ".";
  if (!n.server.empty() || !n.database.empty() || !n.schema.empty()) out += n.schema.value + ".";
  return out + n.name.value;
}

bool allowlist::same_database(std::string_view name, const catalog::database& db) const {
  return same_name(name, db.name);
}

result<tsql::table_binding> allowlist::resolve(const tsql::object_name& name) const {
  if (is_system_object(name)) {
    return failure(errc::system_object,
                   fmt::format("The system object '{}' cannot be read together with tables.", as_written(name)));
  }
  if (!name.server.empty() || is_temporary(name)) return unknown(name);
  const std::string_view wanted = !name.database.empty() ? std::string_view(name.database.value) : options_.database;
  const database_policy* db = nullptr;
  for (const auto& candidate : principal_.databases) {
    if (wanted.empty() || same_name(candidate.database->name, wanted)) {
      db = &candidate;
      break;
    }
  }
  if (db == nullptr) return unknown(name);
  // ..Ring asks for the default schema of the current database; the tree keeps no empty parts, the text does.
  const bool empty_parts = name.pos.offset < text_.size() && text_[name.pos.offset] == '.';
  if (empty_parts) return unknown(name);
  if (name.one_part()) return resolve_bare(name, *db);
  const std::string& default_schema =
      options_.default_schema.empty() ? db->database->default_schema : options_.default_schema;
  const std::string& schema = name.schema.empty() ? default_schema : name.schema.value;
  const auto index = db->database->table_index(schema, name.name.value);
  if (!index || !db->tables[*index].allowed) return unknown(name);
  return tsql::table_binding{db->database.get(), &db->database->tables[*index]};
}

// The default schema first, then the one table of that name on the allowlist.
result<tsql::table_binding> allowlist::resolve_bare(const tsql::object_name& name, const database_policy& db) const {
  const std::string& default_schema =
      options_.default_schema.empty() ? db.database->default_schema : options_.default_schema;
  std::optional<std::size_t> only;
  for (std::size_t index : db.database->tables_named(name.name.value)) {
    if (!db.tables[index].allowed) continue;
    const catalog::table& t = db.database->tables[index];
    if (same_name(t.schema, default_schema)) return tsql::table_binding{db.database.get(), &t};
    if (only) {
      return failure(errc::ambiguous_table,
                     fmt::format("The name '{}' could mean {} or {}: write the schema in front.", name.name.value,
                                 db.database->tables[*only].full_name(), t.full_name()));
    }
    only = index;
  }
  if (!only) return unknown(name);
  return tsql::table_binding{db.database.get(), &db.database->tables[*only]};
}

}  // namespace dragoman::guard
