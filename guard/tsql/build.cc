#include "guard/tsql/build.h"

namespace dragoman::tsql {

object_name make_name(std::string_view schema, std::string_view name) {
  return make_name({}, schema, name);
}

object_name make_name(std::string_view database, std::string_view schema, std::string_view name) {
  object_name n;
  n.database.value = database;
  n.schema.value = schema;
  n.name.value = name;
  return n;
}

expression make_column(std::string_view column) {
  return make_column({}, column);
}

expression make_column(std::string_view table, std::string_view column) {
  column_ref c;
  c.table.name.value = table;
  c.name.value = column;
  return make(std::move(c));
}

expression make_int(std::int64_t value) {
  if (value >= 0) return make(literal{literal_kind::integer, std::to_string(value)});
  // The sign is an operator in T-SQL; the magnitude is printed from the unsigned value so that the least one fits.
  const auto magnitude = ~static_cast<std::uint64_t>(value) + 1;
  return make(unary{unary_operator::minus, make(literal{literal_kind::integer, std::to_string(magnitude)})});
}

expression make_decimal(std::string_view digits) {
  const bool negative = !digits.empty() && digits[0] == '-';
  if (negative) digits.remove_prefix(1);
  const auto kind = digits.find('.') == std::string_view::npos ? literal_kind::integer : literal_kind::decimal;
  expression e = make(literal{kind, std::string(digits)});
  return negative ? make(unary{unary_operator::minus, std::move(e)}) : e;
}

expression make_string(std::string_view utf8) {
  return make(literal{literal_kind::unicode_string, std::string(utf8)});
}

expression make_null() {
  return make(literal{});
}

expression make_variable(std::string_view name) {
  return make(variable{std::string(name)});
}

expression make_call(std::string_view name, std::vector<expression> arguments) {
  function_call call;
  call.name.name.value = name;
  call.arguments = std::move(arguments);
  return make(std::move(call));
}

expression make_count_star() {
  function_call call;
  call.name.name.value = "COUNT";
  call.star = true;
  return make(std::move(call));
}

data_type make_type(std::string_view name, std::vector<std::string> parameters) {
  data_type type;
  type.name.name.value = name;
  type.parameters = std::move(parameters);
  return type;
}

expression make_cast(expression value, data_type type) {
  return make(conversion{conversion_kind::cast, std::move(value), std::move(type), {}});
}

expression make_binary(binary_operator op, expression left, expression right) {
  return make(binary{op, std::move(left), std::move(right)});
}

expression make_comparison(comparison_operator op, expression left, expression right) {
  return make(comparison{op, std::move(left), std::move(right)});
}

expression make_equal(expression left, expression right) {
  return make_comparison(comparison_operator::equal, std::move(left), std::move(right));
}

expression make_not(expression condition) {
  return make(negation{std::move(condition)});
}

expression make_is_null(expression operand, bool negated) {
  return make(is_null{std::move(operand), negated});
}

expression make_between(expression operand, expression low, expression high) {
  return make(between{std::move(operand), std::move(low), std::move(high), false});
}

expression make_in(expression operand, std::vector<expression> list) {
  return make(in_list{std::move(operand), std::move(list), false});
}

expression make_like(expression operand, expression pattern) {
  return make(like{std::move(operand), std::move(pattern), {}, false});
}

expression make_exists(query_expression query) {
  return make(exists{std::move(query)});
}

expression make_scalar_subquery(query_expression query) {
  return make(scalar_subquery{std::move(query)});
}

expression make_case(std::vector<std::pair<expression, expression>> branches, box<expression> otherwise) {
  case_expression node;
  for (auto& [when, then] : branches) node.branches.push_back({std::move(when), std::move(then)});
  node.otherwise = std::move(otherwise);
  return make(std::move(node));
}

namespace {

box<expression> join_conditions(logical_operator op, std::vector<expression> conditions) {
  if (conditions.empty()) return {};
  if (conditions.size() == 1) return std::move(conditions.front());
  return make(logical{op, std::move(conditions)});
}

}  // namespace

box<expression> make_and(std::vector<expression> conditions) {
  return join_conditions(logical_operator::and_, std::move(conditions));
}

box<expression> make_or(std::vector<expression> conditions) {
  return join_conditions(logical_operator::or_, std::move(conditions));
}

select_item make_item(expression value, std::string_view alias) {
  return select_item{select_expression{std::move(value), {std::string(alias)}}, {}};
}

select_item make_star(std::string_view table) {
  select_star star;
  star.table.name.value = table;
  return select_item{std::move(star), {}};
}

order_item make_order(expression value, bool descending) {
  return order_item{std::move(value), descending};
}

grouping_element make_grouping(expression value) {
  grouping_element element;
  element.expressions.push_back(std::move(value));
  return element;
}

table_source make_table(object_name name, std::string_view alias) {
  named_table t;
  t.name = std::move(name);
  t.alias.name.value = alias;
  return table_source{std::move(t), {}};
}

table_source make_derived(query_expression query, std::string_view alias) {
  derived_table t;
  t.query = std::move(query);
  t.alias.name.value = alias;
  return table_source{std::move(t), {}};
}

table_source make_join(join_kind kind, table_source left, table_source right, box<expression> on) {
  return table_source{joined_table{kind, join_hint::none, std::move(left), std::move(right), std::move(on)}, {}};
}

query_expression make_select(std::vector<select_item> items, std::vector<table_source> from) {
  query_specification spec;
  spec.items = std::move(items);
  spec.from = std::move(from);
  query_expression query;
  query.body = std::move(spec);
  return query;
}

query_expression make_set_operation(set_operator op, query_expression left, query_expression right) {
  query_expression query;
  query.body = set_operation{op, std::move(left), std::move(right)};
  return query;
}

common_table_expression make_cte(std::string_view name, query_expression query) {
  common_table_expression cte;
  cte.name.value = name;
  cte.query = std::move(query);
  return cte;
}

top_clause make_top(std::int64_t rows) {
  return top_clause{make_int(rows), false, false, false};
}

}  // namespace dragoman::tsql
