// The compiler of measures by groups, in four files: what every shape needs (compile_aggregate.cc), totals of periods,
// members and shares (compile_aggregate_parts.cc), comparisons and series (compile_aggregate_series.cc), measures of
// several tables (compile_across.cc). Internal to nlq/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nlq/compile_builder.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {

struct measure {
  tsql::expression value;  // resolved, without conditions
  std::vector<condition> when;
  std::optional<tsql::expression> below;  // a ratio's denominator with its own conditions
  std::vector<condition> below_when;
  bool as_percent = false;
  bool has_ratio = false;
  std::string alias;
  bool additive = true;
  bool money = false;
};

// The head of a grouped SELECT: what its groups show and are grouped by. The measures follow.
struct selected_groups {
  std::vector<tsql::select_item> items;
  std::vector<tsql::expression> keys;
  std::vector<std::string> names;
  bool timed = false;
};

class aggregate_compiler {
 public:
  aggregate_compiler(const query_intent& q, const semantic_layer& layer) : q_(q), layer_(layer) {}

  compiled run();

 private:
  std::string base_of(const metric_use&) const;
  std::vector<std::string> base_roles() const;  // of all measures and denominators, each once
  void prepare(const std::string& base);        // measures_ and where_, over one table
  compiled across(const std::vector<std::string>& bases);
  std::vector<condition> conditions_of(const std::vector<std::string>& required,
                                       const std::vector<std::string>& defaults, const std::vector<value_filter>& own);
  measure measure_of(const metric_use&);
  void share_conditions(std::vector<measure>&);
  tsql::expression narrowed(const measure&, const tsql::expression* extra, bool zero) const;
  tsql::expression final_value(const measure& m, const metric_use& u, tsql::expression value) const;
  void add_where(tsql::expression e) { where_.push_back(std::move(e)); }
  // GROUP BY each of them once; none leaves one row.
  static void group_by_keys(tsql::query_specification& s, std::vector<tsql::expression> keys);
  tsql::query_expression grouped(std::vector<tsql::select_item> items, std::vector<tsql::expression> keys);

  compiled plain();
  compiled compared();
  compiled part_share();
  compiled top_share();
  compiled top_within();
  compiled windowed();
  compiled with_missing();
  compiled mean_over_periods();

  std::vector<group_columns> group_list(bool force_year = false);
  static selected_groups selected(const std::vector<group_columns>& groups);
  void place(compiled& out, tsql::query_expression e, std::vector<std::string> names, bool ordered);

  const query_intent& q_;
  const semantic_layer& layer_;
  std::optional<select_builder> b_;
  std::vector<measure> measures_;
  std::vector<tsql::expression> where_;
  std::vector<std::string> applied_;
};

inline tsql::expression divide(tsql::expression a, tsql::expression b) {
  return tsql::make_binary(tsql::binary_operator::divide, std::move(a), std::move(b));
}
inline tsql::expression multiply(tsql::expression a, tsql::expression b) {
  return tsql::make_binary(tsql::binary_operator::multiply, std::move(a), std::move(b));
}
inline tsql::expression nullif_zero(tsql::expression e) {
  return tsql::make_call("NULLIF", {std::move(e), tsql::make_int(0)});
}

inline tsql::expression windowed_call(tsql::expression call, std::vector<tsql::expression> partition,
                                      std::vector<tsql::order_item> order,
                                      std::optional<tsql::window_frame> frame = {}) {
  tsql::function_call* f = call.as<tsql::function_call>();
  tsql::over_clause over;
  over.definition.partition_by = std::move(partition);
  over.definition.order_by = std::move(order);
  over.definition.frame = std::move(frame);
  f->over = over;
  return call;
}

}  // namespace dragoman::nlq
