// SELECT statements and query expressions (T-SQL reference: "SELECT", "WITH common_table_expression", "UNION",
// "EXCEPT and INTERSECT", "WITH XMLNAMESPACES").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

void parser::parse_xml_namespaces(select_statement& statement) {
  advance();
  expect(symbol::left_paren);
  do {
    xml_namespace item;
    count_node();
    const bool is_default = accept(keyword::default_);
    if (!is_string(cur())) return fail_here();
    item.uri = value_of(cur());
    advance();
    if (!is_default) {
      expect(keyword::as_);
      item.prefix = parse_identifier();
    }
    statement.xml_namespaces.push_back(std::move(item));
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
}

// WITH [XMLNAMESPACES (…),] name [(columns)] AS (query), …
void parser::parse_with(select_statement& statement) {
  advance();
  if (at_call(keyword::xmlnamespaces_)) {
    parse_xml_namespaces(statement);
    if (!accept(symbol::comma)) return;
  }
  do {
    common_table_expression cte;
    count_node();
    cte.pos = pos(cur());
    cte.name = parse_identifier();
    if (at(symbol::left_paren)) cte.columns = parse_identifier_list();
    expect(keyword::as_);
    cte.query = parse_subquery();
    statement.ctes.push_back(std::move(cte));
  } while (accept(symbol::comma));
}

select_statement parser::parse_select_statement() {
  select_statement statement;
  statement.pos = pos(cur());
  if (at(keyword::with_)) parse_with(statement);
  if (!at(keyword::select_) && !at(symbol::left_paren)) {
    if (!statement.ctes.empty() &&
        (at(keyword::insert_) || at(keyword::update_) || at(keyword::delete_) || at(keyword::merge_))) {
      fail_at(cur(), errc::not_read_only, "Only a SELECT may follow WITH here, not " + upper(cur()) + ".");
    }
    fail_here();
    return statement;
  }
  statement.query = parse_query_expression(query_place::statement);
  if (at(keyword::option_)) statement.hints = parse_option_clause();
  return statement;
}

query_expression parser::parse_subquery() {
  expect(symbol::left_paren);
  query_expression query = parse_query_expression(query_place::nested);
  expect(symbol::right_paren);
  return query;
}

query_expression parser::parse_query_expression(query_place place) {
  nesting inside(*this);
  return parse_query_tail(parse_query_unit(place), place);
}

// Set operators behind the first operand, then ORDER BY, OFFSET and FOR of the whole.
query_expression parser::parse_query_tail(query_expression query, query_place place) {
  query = parse_set_operations(std::move(query), false, place);
  const bool has_tail = !query.order_by.empty() || query.for_;
  if (at(keyword::order_)) {
    if (has_tail) return fail_here(), query;
    query.order_by = parse_order_by();
    if (at(keyword::offset_) || at_fetch()) query.offset = parse_offset();
  }
  if (at(keyword::for_)) {
    if (query.for_) return fail_here(), query;
    query.for_ = parse_for();
  }
  return query;
}

// INTERSECT binds closer than UNION and EXCEPT; all of them associate to the left.
query_expression parser::parse_set_operations(query_expression left, bool intersect_only, query_place place) {
  chain links(*this);
  while (ok() && at_set_operator()) {
    if (intersect_only && !at(keyword::intersect_)) break;
    set_operation node;
    const keyword word = cur().word;
    advance();
    node.op = word == keyword::except_      ? set_operator::except
              : word == keyword::intersect_ ? set_operator::intersect
                                            : set_operator::union_distinct;
    if (at(keyword::all_)) {
      if (node.op != set_operator::union_distinct) {
        fail_at(cur(), errc::syntax,
                "The 'ALL' version of the " + std::string(spelling(word)) + " operator is not supported.", 324);
        break;
      }
      advance();
      node.op = set_operator::union_all;
    }
    query_expression right = parse_query_unit(place);
    if (word != keyword::intersect_ && at(keyword::intersect_)) {
      right = parse_set_operations(std::move(right), true, place);
    }
    const source_position start = left.pos;
    node.left = std::move(left);
    node.right = std::move(right);
    left = query_expression{};
    left.body = std::move(node);
    left.pos = start;
    links.link();
  }
  return left;
}

// SELECT … or a query in parentheses.
query_expression parser::parse_query_unit(query_place place) {
  query_expression query;
  query.pos = pos(cur());
  if (!at(symbol::left_paren)) {
    query.body = parse_specification(place);
    return query;
  }
  nesting inside(*this);
  advance();
  query = parse_query_unit(place);
  // SQL Server allows ORDER BY and FOR inside these parentheses only within a subquery.
  query = place == query_place::nested ? parse_query_tail(std::move(query), place)
                                       : parse_set_operations(std::move(query), false, place);
  expect(symbol::right_paren);
  return query;
}

}  // namespace dragoman::tsql
