// What all compiled shapes share: roles to joins, columns, conditions. Internal to the compiler.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guard/tsql/build.h"
#include "nlq/compile.h"

namespace dragoman::nlq {

// Ends a compilation inside the compiler only.
struct cannot_compile {
  std::string message;    // what the question cannot be combined with …
  bool sentence = false;  // … or the whole reason, in the language of the question
};

using condition = std::pair<std::string, tsql::expression>;  // its text, for comparison, and itself

// One SELECT over one base role.
class select_builder {
 public:
  select_builder(const semantic_layer& layer, std::string base, std::string suffix = {})
      : layer_(layer), base_(std::move(base)), suffix_(std::move(suffix)) {}

  const std::string& base() const noexcept { return base_; }
  // Registers the joins that lead to a role; false when none do.
  bool reach(const std::string& role);
  bool reachable(const std::string& role) const { return layer_.path(base_, role).has_value(); }
  void outer_optional() { outer_optional_ = true; }

  // role.Column → alias.Column everywhere, with the joins it takes.
  tsql::expression resolve(tsql::expression e);
  tsql::expression column(const std::string& role, const std::string& name);
  // An expression over columns of a date table, as calendars write it.
  tsql::expression over_date(const std::string& text, const std::string& role);

  std::string role_of(const dimension&, const std::string& wanted) const;
  std::string time_role() const;
  tsql::expression where_value(const value_filter&);
  tsql::expression where_period(const period&, const std::string& date_role);
  tsql::expression where_any(const std::vector<period>&, const std::string& date_role);
  condition keyed(tsql::expression e) const;

  std::vector<tsql::table_source> from();

 private:
  std::string alias_of(const role&) const;

  const semantic_layer& layer_;
  std::string base_;
  std::string suffix_;  // of aliases in nested selects
  std::vector<const role_join*> joins_;
  bool outer_optional_ = false;
};

struct shown_column {
  tsql::expression value;
  std::string alias;
};

// The columns that a group shows, and those it groups by beside them.
struct group_columns {
  std::vector<shown_column> shown;
  std::vector<tsql::expression> keys;
  std::vector<tsql::expression> order;  // how its members are ordered
  bool time = false;
};

group_columns columns_of(const group&, const query_intent&, const semantic_layer&, select_builder&, bool with_year);

// Aggregates of `formula` over the rows that satisfy `when` only. `zero`: nothing counts as 0 in sums.
tsql::expression under(tsql::expression formula, const tsql::expression& when, bool zero);

tsql::expression number_literal(const std::string& digits);
tsql::expression compare_numbers(comparison op, tsql::expression left, const std::string& low, const std::string& high);
tsql::comparison_operator operator_of(comparison op);
// All periods lie in one year of the calendar.
bool within_one_year(const std::vector<period>&, calendar_kind);
tsql::expression date_literal(day_number);

}  // namespace dragoman::nlq
