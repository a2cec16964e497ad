// One table of FROM: named, variable, derived, VALUES, function (T-SQL reference: "FROM clause", "Table value
// constructor", "FROM with FOR SYSTEM_TIME", "TABLESAMPLE").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

bool parser::at_table_alias() const {
  return at(keyword::as_) || (at_name() && !at_window_clause());
}

// [AS] name [(columns)]
table_alias parser::parse_table_alias(bool required, bool columns) {
  table_alias alias;
  if (!required && !at_table_alias()) return alias;
  accept(keyword::as_);
  alias.name = parse_identifier();
  if (columns && at(symbol::left_paren)) alias.columns = parse_identifier_list();
  return alias;
}

// A literal, perhaps with a sign, or a variable.
expression parser::parse_constant() {
  const token& start = cur();
  if (at(token_kind::variable)) return parse_primary();
  if (at(symbol::minus) || at(symbol::plus)) {
    const unary_operator op = at(symbol::minus) ? unary_operator::minus : unary_operator::plus;
    advance();
    return make(unary{op, parse_literal()}, start);
  }
  return parse_literal();
}

std::vector<value_row> parser::parse_value_rows(bool defaults) {
  std::vector<value_row> rows;
  do {
    value_row row;
    expect(symbol::left_paren);
    do {
      row.values.push_back(parse_argument(defaults));
    } while (accept(symbol::comma));
    expect(symbol::right_paren);
    rows.push_back(std::move(row));
  } while (accept(symbol::comma));
  return rows;
}

// VALUES (…), (…)) AS t (a, b): the opening parenthesis is already read.
table_source parser::parse_values_table() {
  const token& start = cur();
  advance();
  values_table node;
  node.rows = parse_value_rows(false);
  expect(symbol::right_paren);
  node.alias = parse_table_alias(true, true);
  return table(std::move(node), start);
}

// What a parenthesis in FROM holds shows only inside: a query (the caller gives it its alias), or joined tables.
std::variant<query_expression, table_source> parser::parse_table_parentheses() {
  nesting inside(*this);
  expect(symbol::left_paren);
  if (at(keyword::select_)) {
    query_expression query = parse_query_expression(query_place::nested);
    expect(symbol::right_paren);
    return query;
  }
  if (at(keyword::values_)) return parse_values_table();
  table_source left;
  if (at(symbol::left_paren)) {
    const token& start = cur();
    auto inner = parse_table_parentheses();
    if (auto* query = std::get_if<query_expression>(&inner)) {
      if (at_set_operator() || at(symbol::right_paren) || at(keyword::order_) || at(keyword::for_)) {
        query_expression whole = parse_query_tail(std::move(*query), query_place::nested);
        expect(symbol::right_paren);
        return whole;
      }
      left = table(derived_table{std::move(*query), parse_table_alias(true, true), false}, start);
    } else {
      left = std::move(std::get<table_source>(inner));
    }
    left = continue_joins(std::move(left));
  } else {
    left = parse_joined_table();
  }
  if (!left.as<joined_table>() && !left.as<pivoted_table>() && !left.as<unpivoted_table>()) fail_here();
  expect(symbol::right_paren);
  return left;
}

table_source parser::parse_table_primary() {
  const token& start = cur();
  if (at(symbol::left_paren)) {
    auto inner = parse_table_parentheses();
    if (auto* joined = std::get_if<table_source>(&inner)) return std::move(*joined);
    derived_table node;
    node.query = std::move(std::get<query_expression>(inner));
    if (at(keyword::for_) && next_is(1, keyword::path_)) {
      advance();
      advance();
      node.for_path = true;
    }
    node.alias = parse_table_alias(true, true);
    return table(std::move(node), start);
  }
  if (at(token_kind::variable)) return parse_variable_table();
  const bool call = next_is(1, symbol::left_paren);
  switch (start.word) {
    case keyword::openrowset_: return parse_openrowset();
    case keyword::openquery_: return parse_openquery();
    case keyword::opendatasource_: return parse_opendatasource();
    case keyword::openxml_: return parse_openxml();
    case keyword::containstable_:
    case keyword::freetexttable_:
    case keyword::semantickeyphrasetable_:
    case keyword::semanticsimilaritytable_:
    case keyword::semanticsimilaritydetailstable_: return parse_fulltext_table();
    case keyword::changetable_:
      if (call) return parse_changetable();
      break;
    case keyword::predict_:
      if (call) return parse_predict();
      break;
    case keyword::vector_search_:
      if (call) return parse_vector_search();
      break;
    case keyword::ai_generate_chunks_:
      if (call) return parse_ai_chunks();
      break;
    default: break;
  }
  return parse_named_table();
}

// @t AS x, @x.nodes('/a') AS t (c)
table_source parser::parse_variable_table() {
  const token& start = cur();
  if (next_is(1, symbol::dot)) return parse_function_table(parse_primary(), start);
  variable_table node;
  node.name = value_of(start);
  advance();
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

// [WITH (schema)] [AS] alias [(columns)] behind a call.
table_source parser::parse_function_table(expression call, const token& start) {
  function_table node;
  const auto* function = call.as<function_call>();
  const auto* method = call.as<method_call>();
  if (function == nullptr && (method == nullptr || method->is_property)) return fail_at(start), table_source{};
  const bool json = function != nullptr && start.word == keyword::openjson_ && function->name.one_part();
  node.call = std::move(call);
  if (json && accept(keyword::with_)) node.schema = parse_schema_columns();
  node.alias = parse_table_alias(false, true);
  return table(std::move(node), start);
}

// FOR SYSTEM_TIME AS OF x | FROM x TO y | BETWEEN x AND y | CONTAINED IN (x, y) | ALL
box<temporal_clause> parser::parse_system_time() {
  temporal_clause node;
  advance();
  advance();
  if (accept(keyword::all_)) return node;
  if (accept(keyword::as_)) {
    expect(keyword::of_);
    node.kind = temporal_kind::as_of;
    node.start = parse_constant();
    return node;
  }
  if (accept(keyword::contained_)) {
    node.kind = temporal_kind::contained_in;
    expect(keyword::in_);
    expect(symbol::left_paren);
    node.start = parse_constant();
    expect(symbol::comma);
    node.end = parse_constant();
    expect(symbol::right_paren);
    return node;
  }
  const bool between = accept(keyword::between_);
  if (!between) expect(keyword::from_);
  node.kind = between ? temporal_kind::between_and : temporal_kind::from_to;
  node.start = parse_constant();
  expect(between ? keyword::and_ : keyword::to_);
  node.end = parse_constant();
  return node;
}

// TABLESAMPLE [SYSTEM] (n [PERCENT | ROWS]) [REPEATABLE (seed)]
box<tablesample> parser::parse_tablesample() {
  tablesample node;
  advance();
  node.system = accept(keyword::system_);
  expect(symbol::left_paren);
  node.amount = parse_value();
  if (accept(keyword::percent_)) {
    node.unit = sample_unit::percent;
  } else if (accept(keyword::rows_)) {
    node.unit = sample_unit::rows;
  }
  expect(symbol::right_paren);
  if (accept(keyword::repeatable_)) {
    expect(symbol::left_paren);
    node.repeatable = parse_value();
    expect(symbol::right_paren);
  }
  return node;
}

// A table or view by name, or a function when its arguments follow. `::f()` is a function of schema sys.
table_source parser::parse_named_table() {
  const token& start = cur();
  const bool system = accept(symbol::double_colon);
  object_name name = parse_object_name(5);
  if (!ok()) return {};
  if (at(symbol::left_paren) && (system || !at_old_style_hint())) {
    nesting inside(*this);
    function_call call;
    if (system) name.schema.value = "sys";
    call.name = std::move(name);
    call.arguments = parse_arguments(true);
    expression e = make(std::move(call), start);
    if (at(symbol::dot)) e = parse_postfix(std::move(e), start);
    return parse_function_table(std::move(e), start);
  }
  if (system) return fail_here(), table_source{};
  named_table node;
  node.name = std::move(name);
  if (at(keyword::for_) && next_is(1, keyword::system_time_)) node.system_time = parse_system_time();
  if (at(keyword::for_) && next_is(1, keyword::path_)) {
    advance();
    advance();
    node.for_path = true;
  }
  if (at(symbol::left_paren)) {  // t (NOLOCK) AS x
    parse_table_hints(node.hints);
    node.alias = parse_table_alias(false, false);
    return table(std::move(node), start);
  }
  if (at(keyword::tablesample_)) node.sample = parse_tablesample();
  const bool aliased = at_table_alias();
  if (aliased) node.alias = parse_table_alias(true, false);
  if (aliased && at(keyword::tablesample_)) {
    if (node.sample) return fail_here(), table_source{};
    node.sample = parse_tablesample();
  }
  if (accept(keyword::holdlock_)) node.hints.push_back(table_hint{"HOLDLOCK"});
  if (at(keyword::with_)) {
    advance();
    parse_table_hints(node.hints);
  } else if (at(symbol::left_paren) && (aliased || !node.hints.empty())) {
    parse_table_hints(node.hints);
  }
  return table(std::move(node), start);
}

}  // namespace dragoman::tsql
