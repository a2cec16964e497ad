// TOP, OFFSET and FETCH are counts that the row cap can be compared with: a whole number, a
// parameter, or arithmetic on those. A subquery there would let the number of rows tell a value.
#include <cstdlib>

#include "guard/context.h"
#include "guard/rules/rules.h"
#include "guard/tsql/walk.h"

namespace dragoman::guard {
namespace {

struct subqueries {
  bool found = false;
  bool enter(const tsql::query_expression&) {
    found = true;
    return false;
  }
};

std::optional<failure> check_count(const tsql::expression& e, bool percent) {
  subqueries visitor;
  tsql::walk(e, visitor);
  if (visitor.found) {
    return refuse_at(errc::unsupported_construct, "A number of rows cannot be a subquery.", e.pos);
  }
  const auto* sign = e.as<tsql::unary>();
  if (sign != nullptr && sign->op == tsql::unary_operator::minus && sign->operand->as<tsql::literal>() != nullptr) {
    return refuse_at(errc::syntax, "A TOP N or FETCH rowcount value may not be negative.", e.pos, 1014);
  }
  const auto* number = e.as<tsql::literal>();
  if (number != nullptr && percent && std::strtod(number->text.c_str(), nullptr) > 100) {
    return refuse_at(errc::syntax, "Percent values must be between 0 and 100.", e.pos, 1031);
  }
  if (number != nullptr && !percent && number->kind != tsql::literal_kind::integer) {
    return refuse_at(errc::syntax,
                     "The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.",
                     e.pos, 1060);
  }
  return std::nullopt;
}

}  // namespace

std::optional<failure> check_row_count(check_context& c) {
  for (const auto& count : c.bound.counts) {
    if (auto refused = check_count(*count.value, count.percent)) return refused;
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
