// Limits of base/limits.h on what one statement may ask of parser, planner and server.
#include <fmt/format.h>

#include "base/limits.h"
#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {
namespace {

failure too_much(std::string text, tsql::source_position at = {}) {
  return refuse_at(errc::too_complex, std::move(text), at);
}

// Sources that no predicate ties together multiply. Small ones may: a calendar beside a list of halls is fine.
std::optional<failure> check_products(check_context& c) {
  for (const auto& spec : c.bound.specifications) {
    if (spec.cross_rows > limits::cross_rows_max) {
      return too_much(
          "The tables of the FROM clause are not joined to each other: their product is too large. Add a join "
          "condition.",
          spec.pos);
    }
  }
  for (const auto& s : c.bound.sources) {
    if (s.kind == tsql::source_kind::function && s.rows > limits::series_rows_max) {
      return too_much(
          fmt::format("GENERATE_SERIES needs plain numbers and may give at most {:.0f} rows.", limits::series_rows_max),
          s.node->pos);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<failure> check_complexity(check_context& c) {
  const auto& b = c.bound;
  if (b.expressions > limits::expressions_max) {
    return too_much(fmt::format("The statement has more than {} expressions.", limits::expressions_max));
  }
  if (b.query_depth > limits::subquery_depth_max) {
    return too_much(fmt::format("Queries may be nested {} deep.", limits::subquery_depth_max));
  }
  if (b.longest_list > limits::in_list_max) {
    return too_much(fmt::format("A list may have at most {} values.", limits::in_list_max));
  }
  if (b.longest_condition > limits::condition_terms_max) {
    return too_much(fmt::format("A condition may have at most {} terms.", limits::condition_terms_max));
  }
  if (b.specifications.size() > limits::set_operations_max) {
    return too_much(fmt::format("A statement may have at most {} SELECTs.", limits::set_operations_max));
  }
  if (b.ctes.size() > limits::ctes_max) {
    return too_much(fmt::format("A statement may have at most {} common table expressions.", limits::ctes_max));
  }
  std::size_t tables = 0;
  for (const auto& s : b.sources) tables += s.kind == tsql::source_kind::table ? 1 : 0;
  if (tables > limits::joins_max) {
    return too_much(fmt::format("A statement may read at most {} tables.", limits::joins_max));
  }
  for (const auto& cte : b.ctes) {
    if (cte.recursive && !cte.bounded) {
      return too_much(fmt::format("The recursion of '{}' has no end: its recursive member needs a condition.",
                                  cte.node->name.value),
                      cte.node->pos);
    }
  }
  return check_products(c);
}

}  // namespace dragoman::guard
