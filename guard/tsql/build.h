// Trees made in code: short names for what the question compiler and the rewrites write often.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guard/tsql/ast.h"

namespace dragoman::tsql {

template <class Node>
expression make(Node node, source_position pos = {}) {
  return expression{expression_node(std::move(node)), pos};
}

object_name make_name(std::string_view schema, std::string_view name);
object_name make_name(std::string_view database, std::string_view schema, std::string_view name);

expression make_column(std::string_view column);
expression make_column(std::string_view table, std::string_view column);
expression make_int(std::int64_t value);
expression make_decimal(std::string_view digits);
expression make_string(std::string_view utf8);  // N'…'
expression make_null();
expression make_variable(std::string_view name);  // with its @
expression make_call(std::string_view name, std::vector<expression> arguments = {});
expression make_count_star();
expression make_cast(expression value, data_type type);
data_type make_type(std::string_view name, std::vector<std::string> parameters = {});

expression make_binary(binary_operator op, expression left, expression right);
expression make_comparison(comparison_operator op, expression left, expression right);
expression make_equal(expression left, expression right);
expression make_not(expression condition);
expression make_is_null(expression operand, bool negated = false);
expression make_between(expression operand, expression low, expression high);
expression make_in(expression operand, std::vector<expression> list);
expression make_like(expression operand, expression pattern);
expression make_exists(query_expression query);
expression make_scalar_subquery(query_expression query);
expression make_case(std::vector<std::pair<expression, expression>> branches, box<expression> otherwise);
// One operand is returned as it is; none gives an empty box.
box<expression> make_and(std::vector<expression> conditions);
box<expression> make_or(std::vector<expression> conditions);

select_item make_item(expression value, std::string_view alias = {});
select_item make_star(std::string_view table = {});
order_item make_order(expression value, bool descending = false);
grouping_element make_grouping(expression value);

table_source make_table(object_name name, std::string_view alias = {});
table_source make_derived(query_expression query, std::string_view alias);
table_source make_join(join_kind kind, table_source left, table_source right, box<expression> on);

// SELECT items FROM source; every other clause is set on query.specification().
query_expression make_select(std::vector<select_item> items, std::vector<table_source> from);
query_expression make_set_operation(set_operator op, query_expression left, query_expression right);
common_table_expression make_cte(std::string_view name, query_expression query);
top_clause make_top(std::int64_t rows);

}  // namespace dragoman::tsql
