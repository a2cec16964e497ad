#include "guard/policy.h"

namespace dragoman::guard {

const table_rights* policy::rights(const catalog::table& table) const noexcept {
  for (const auto& db : databases) {
    const auto& tables = db.database->tables;
    if (tables.empty() || &table < tables.data() || &table >= tables.data() + tables.size()) continue;
    const table_rights& r = db.tables[static_cast<std::size_t>(&table - tables.data())];
    return r.allowed ? &r : nullptr;
  }
  return nullptr;
}

bool policy::may_see(const catalog::table& table) const noexcept {
  return rights(table) != nullptr;
}

bool policy::may_see(const catalog::table& table, std::size_t column) const noexcept {
  const table_rights* r = rights(table);
  return r != nullptr && column < r->columns.size() && r->columns[column] == column_right::allowed;
}

catalog::database visible_catalog(const policy& principal, const database_policy& db) {
  catalog::database out;
  out.datasource = db.database->datasource;
  out.name = db.database->name;
  out.default_schema = db.database->default_schema;
  out.collation = db.database->collation;
  const auto all_visible = [&](const catalog::table& t, const std::vector<std::string>& names) {
    for (const auto& name : names) {
      const auto c = t.column_index(name);
      if (!c || !principal.may_see(t, *c)) return false;
    }
    return true;
  };
  for (const catalog::table& t : db.database->tables) {
    const table_rights* rights = principal.rights(t);
    if (rights == nullptr) continue;
    catalog::table shown = t;
    shown.columns.clear();
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      if (rights->columns[c] != column_right::allowed) continue;
      shown.columns.push_back(t.columns[c]);
      // Samples and counts of all rows would tell of the rows that a filter hides.
      if (rights->filter) shown.columns.back().samples.clear();
    }
    if (rights->filter) shown.row_count.reset();
    if (!all_visible(t, t.primary_key)) shown.primary_key.clear();
    std::erase_if(shown.foreign_keys, [&](const catalog::foreign_key& fk) {
      const catalog::table* target = db.database->find_table(fk.schema, fk.table);
      return target == nullptr || principal.rights(*target) == nullptr || !all_visible(t, fk.columns) ||
             !all_visible(*target, fk.referenced_columns);
    });
    out.tables.push_back(std::move(shown));
  }
  // A part of an indexed catalogue can be indexed again: names stay unique and keys name what is left.
  (void)out.index();
  return out;
}

}  // namespace dragoman::guard
