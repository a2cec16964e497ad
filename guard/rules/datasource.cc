// One statement runs in one place: all of its tables belong to one datasource.
#include <fmt/format.h>

#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {

std::optional<failure> check_datasource(check_context& c) {
  const catalog::database* first = nullptr;
  for (const auto& s : c.bound.sources) {
    if (s.kind != tsql::source_kind::table) continue;
    const catalog::database* db = s.binding.database;
    if (first == nullptr) first = db;
    if (db->datasource == first->datasource) continue;
    return refuse_at(errc::cross_datasource,
                     fmt::format("One statement cannot read from both {} and {}.", first->datasource, db->datasource),
                     s.node->pos);
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
