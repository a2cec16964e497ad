// Every column that is named must be one that the principal may see; join-only columns have a rule of their own.
#include <fmt/format.h>

#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {

std::optional<failure> check_columns(check_context& c) {
  for (const auto& r : c.bound.references) {
    const table_rights* rights = c.rights[r.source];
    if (rights == nullptr) continue;
    const column_right right = rights->columns[r.column];
    if (right == column_right::allowed || right == column_right::join_only) continue;
    const auto& source = c.source_of(r);
    const catalog::table& table = *source.binding.table;
    const std::string& name = table.columns[r.column].name;
    if (right == column_right::hidden) {
      return refuse_at(errc::unknown_column, fmt::format("Invalid column name '{}'.", r.node->name.value), r.pos);
    }
    return refuse_at(
        errc::denied_column,
        fmt::format("The SELECT permission was denied on the column '{}' of the object '{}', database '{}', schema "
                    "'{}'.",
                    name, table.name, source.binding.database->name, table.schema),
        r.pos);
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
