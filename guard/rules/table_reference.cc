// Generated SQL that reads no table answers no question.
#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {

std::optional<failure> check_table_reference(check_context& c) {
  if (!c.generated()) return std::nullopt;
  for (const auto& s : c.bound.sources) {
    if (s.kind == tsql::source_kind::table) return std::nullopt;
  }
  return refuse_at(errc::no_table_reference, "The statement reads no table.", c.statement.pos);
}

}  // namespace dragoman::guard
