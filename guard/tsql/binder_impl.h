// Inside of the binder: scopes and the one class whose methods are spread over binder*.cc by subject.
//
//   binder.cc             statement, CTEs, set operations, outputs of derived tables
//   binder_select.cc      one SELECT: its clauses in the order in which SQL Server evaluates them
//   binder_from.cc        table sources, joins, APPLY, PIVOT
//   binder_names.cc       from a column reference to its source
//   binder_expression.cc  expressions and conditions
//   binder_call.cc        functions, windows, methods
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "guard/catalog/names.h"
#include "guard/tsql/binder.h"
#include "guard/tsql/type_infer.h"

namespace dragoman::tsql::detail {

using catalog::same_name;

struct value_type {
  sql_type type;
  bool nullable = true;
};

// Expressions to find again, however their columns are qualified. Kept as text with every column replaced by what it
// stands for; a text is made only for what has the kind and size of a member, so that looking is cheap.
struct expression_set {
  std::unordered_set<std::string> texts;
  std::unordered_set<std::size_t> forms;  // kind and number of nodes
  std::size_t largest = 0;                // number of nodes
  bool empty() const noexcept { return texts.empty(); }
};

// What the columns of one SELECT's FROM are visible to. Lives on the stack while that SELECT is bound.
struct scope {
  scope* parent = nullptr;  // the enclosing query, for correlation
  std::uint32_t specification = nothing;
  std::vector<std::uint32_t> sources;
  // The part of `sources` that may be named now: all, the two sides of a join in its ON, or the left of an APPLY.
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  bool lateral = false;  // inside the right side of an APPLY, which sees [lateral_low, lateral_high)
  std::uint32_t lateral_low = 0;
  std::uint32_t lateral_high = 0;

  clause in = clause::other;
  int aggregate_depth = 0;  // inside the arguments of an aggregate
  int key_depth = 0;        // inside an expression that GROUP BY names
  bool grouped = false;
  bool has_aggregate = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;  // columns of GROUP BY
  expression_set key_expressions;                             // its other expressions
  const std::vector<named_window>* windows = nullptr;
  std::optional<failure> bare;  // the first column outside of any aggregate

  std::vector<std::uint64_t> connected;  // one mask of positions per predicate that ties sources together
};

enum class query_role : std::uint8_t { statement, branch, derived, cte, subquery, exists };

struct cte_entry {
  const common_table_expression* node;
  std::vector<bound_column> columns;
  bool open = false;   // being bound: a reference is recursion
  bool ready = false;  // columns known
  int recursive_references = 0;
  double rows = 1000;
};

struct found_column {
  enum class outcome : std::uint8_t { none, one, many, no_such_column } what = outcome::none;
  std::uint32_t source = nothing;
  std::uint32_t column = nothing;
  scope* where = nullptr;
};

class binder {
 public:
  binder(const table_resolver& tables, const bind_options& options) : tables_(tables), options_(options) {}

  result<bound_statement> run(select_statement&);
  result<bound_statement> run_over_table(expression&, const table_binding&);

 private:
  // ---- errors: the first one stays, the rest of the walk is harmless
  void fail(errc code, std::string message, source_position at, std::int32_t number = 0);
  bool failed() const noexcept { return failure_.has_value(); }

  // ---- binder.cc
  void bind_cte(common_table_expression&);
  std::vector<bound_column> bind_cte_members(common_table_expression&, set_operation&, std::size_t index);
  std::vector<bound_column> bind_query(query_expression&, scope* outer, query_role);
  std::vector<bound_column> bind_set(query_expression&, set_operation&, scope* outer, query_role);
  void bind_set_order(query_expression&, const std::vector<bound_column>& outputs);
  void bind_offset(query_expression&);
  void name_columns(std::vector<bound_column>&, std::string_view table, const std::vector<identifier>& names,
                    source_position at);
  std::vector<bound_column> bind_subquery(query_expression&, scope&, query_role, source_position at);

  // ---- binder_select.cc
  std::vector<bound_column> bind_specification(query_expression&, query_specification&, scope* outer, query_role);
  void bind_from(query_specification&, scope&);
  void bind_group_by(group_by_clause&, scope&);
  void bind_grouping(grouping_element&, scope&);
  std::vector<bound_column> bind_items(query_specification&, scope&, query_role);
  void bind_star(query_specification&, std::size_t item, select_star&, scope&, query_role,
                 std::vector<bound_column>& outputs, source_position at);
  void bind_order(query_expression&, query_specification&, scope&, const std::vector<bound_column>& outputs);
  bool matches_output(const column_ref&, query_specification&, const std::vector<bound_column>&, source_position,
                      scope&);
  bool distinct_items(query_specification&, scope&, expression_set&);
  void bind_top(top_clause&);
  void estimate(scope&, const query_specification&);
  void check_exposed_names(const scope&);

  // ---- binder_from.cc
  void bind_source(table_source&, scope&);
  void bind_named(table_source&, named_table&, scope&);
  void bind_derived(table_source&, derived_table&, scope&);
  void bind_values(table_source&, values_table&, scope&);
  void bind_function_table(table_source&, function_table&, scope&);
  void bind_join(joined_table&, scope&);
  void bind_pivot(table_source&, pivoted_table&, scope&);
  void bind_unpivot(table_source&, unpivoted_table&, scope&);
  bound_source& add_source(scope&, source_kind, table_source*, const table_alias&, source_position);
  std::vector<bound_column> take_columns(scope&, std::uint32_t from, source_position at);
  // Binds with what an entry of FROM may see of its own FROM: nothing, or the left side of an APPLY.
  template <class F>
  auto beside(scope&, F);

  // ---- binder_names.cc
  found_column find(scope*, const column_ref&) const;
  found_column find_here(scope&, const column_ref&) const;
  bool names_source(const bound_source&, const object_name&) const;
  value_type bind_column(column_ref&, source_position, scope&);
  void check_grouping(const found_column&, const column_ref&, source_position);
  bound_column column_of(std::uint32_t source, std::uint32_t column) const;
  std::string normalised(const expression&, scope&);
  void remember(expression_set&, const expression&, scope&);
  bool contains(const expression_set&, const expression&, scope&);
  bool too_many_columns(std::size_t of_one_select, source_position at);

  // ---- binder_expression.cc
  value_type bind_expression(expression&, scope&);
  value_type bind_node(expression&, scope&);
  void bind_condition(expression&, scope&);
  std::uint64_t bind_conjunct(expression&, scope&);
  void mark_compared(const expression&, std::size_t first_reference, bool in_on);
  std::uint64_t touched(std::size_t first_reference, const scope&) const;
  value_type bind_case(case_expression&, scope&);
  value_type bind_conversion(conversion&, scope&);
  value_type bind_variable(variable&, source_position, scope&);

  // ---- binder_call.cc
  value_type bind_call(expression&, function_call&, scope&);
  value_type bind_built_in(expression&, function_call&, const function_info&, scope&);
  value_type bind_method(expression&, method_call&, scope&);
  value_type bind_odbc(expression&, odbc_function&, scope&);
  void bind_options_of(call_options&, scope&);
  void bind_over(over_clause&, scope&, source_position, std::string_view function);
  void bind_window(window_definition&, scope&);
  void note_call(const function_info*, std::string name, const expression&, std::size_t arguments);
  bool is_column_method(function_call&, scope&) const;

  const table_resolver& tables_;
  const bind_options& options_;
  bound_statement out_;
  std::vector<cte_entry> ctes_;
  std::optional<failure> failure_;
  std::size_t depth_ = 0;    // of queries
  std::size_t nesting_ = 0;  // of expressions
  double query_rows_ = 1;    // of the query bound last
};

std::string as_written(const object_name&);
std::string as_written(const column_ref&);

}  // namespace dragoman::tsql::detail
