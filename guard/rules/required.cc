// Business rules: a table that demands a filter or a join gets it (narrow.cc adds the configured predicate) or the
// statement is refused.
#include <fmt/format.h>

#include "guard/required.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {

bool has_required_filter(const check_context& c, std::uint32_t source, const required_filter& f) {
  for (const auto& r : c.bound.references) {
    if (r.source == source && r.column == f.column && r.compared) return true;
  }
  return false;
}

bool has_required_join(const check_context& c, std::uint32_t source, const required_join& j) {
  const auto& self = c.bound.sources[source];
  const catalog::table* wanted = &self.binding.database->tables[j.table];
  for (const auto& r : c.bound.references) {
    // An outer join that keeps this table's rows, or a join inside of a subquery, leaves nothing out.
    if (r.source != source || r.partner == tsql::nothing || !r.compared) continue;
    const auto& other = c.bound.sources[c.bound.references[r.partner].source];
    if (other.kind == tsql::source_kind::table && other.binding.table == wanted) return true;
  }
  return false;
}

std::optional<failure> check_required(check_context& c) {
  for (std::uint32_t s = 0; s < c.bound.sources.size(); ++s) {
    const table_rights* rights = c.rights[s];
    if (rights == nullptr) continue;
    const catalog::table& table = *c.bound.sources[s].binding.table;
    for (const auto& f : rights->required_filters) {
      if (f.predicate || has_required_filter(c, s, f)) continue;
      return refuse_at(
          errc::required_rule,
          fmt::format("A statement that reads {} must filter by {}.", table.full_name(), table.columns[f.column].name),
          c.bound.sources[s].node->pos);
    }
    for (const auto& j : rights->required_joins) {
      if (j.on || has_required_join(c, s, j)) continue;
      const catalog::table& partner = c.bound.sources[s].binding.database->tables[j.table];
      return refuse_at(errc::required_rule,
                       fmt::format("A statement that reads {} must join {}.", table.full_name(), partner.full_name()),
                       c.bound.sources[s].node->pos);
    }
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
