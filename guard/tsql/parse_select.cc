// SELECT list, TOP, and the clauses of one SELECT in their order (T-SQL reference: "SELECT clause", "TOP").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// TOP 10, TOP (expression) [PERCENT] [WITH TIES | WITH APPROXIMATE]
box<top_clause> parser::parse_top() {
  top_clause top;
  advance();
  if (at(token_kind::integer) || at(token_kind::decimal) || at(token_kind::real)) {
    top.count = parse_literal();
  } else if (at(symbol::left_paren)) {
    top.count = parse_parenthesised();
    require_value(top.count);
  } else {
    fail_here();
  }
  top.percent = accept(keyword::percent_);
  if (at(keyword::with_)) {
    advance();
    top.with_approximate = accept(keyword::approximate_) || accept(keyword::approx_);
    top.with_ties = !top.with_approximate;
    if (top.with_ties) expect(keyword::ties_);
  }
  return top;
}

// * or name.*, where the name may have empty parts.
bool parser::at_star_item() const {
  if (at(symbol::star)) return true;
  std::size_t i = 0;
  for (; is_name(peek(i)) || next_is(i, symbol::dot); ++i) {
    if (is_name(peek(i)) && is_name(peek(i + 1))) return false;
  }
  return i >= 2 && next_is(i, symbol::star) && next_is(i - 1, symbol::dot);
}

// [AS] name, [AS] 'name'
identifier parser::parse_column_alias() {
  const bool must = accept(keyword::as_);
  if (is_string(cur()) || (at_name() && (must || !at_window_clause()))) {
    identifier alias{value_of(cur())};
    advance();
    return alias;
  }
  if (must) fail_here();
  return {};
}

std::optional<assignment_operator> parser::accept_assignment() {
  for (const auto& entry : assignment_operators) {
    if (accept(entry.sym)) return entry.op;
  }
  return std::nullopt;
}

select_item parser::parse_select_item(query_place place) {
  const token& start = cur();
  select_item item;
  item.pos = pos(start);
  count_node();
  if (at(token_kind::variable) && peek(1).kind == token_kind::symbol) {
    const token& variable = cur();
    advance();
    if (const auto op = accept_assignment()) {
      if (place == query_place::nested || !in_batch_) {
        fail_at(variable, errc::not_read_only, "A SELECT that assigns values to variables may not stand here.", 141);
        return item;
      }
      item.node = select_assignment{value_of(variable), *op, parse_value()};
      return item;
    }
    at_ = &variable;
  }
  if (at(symbol::star) || ((at_name() || at(symbol::dot)) && at_star_item())) {
    select_star star;
    if (!at(symbol::star)) {
      std::vector<const token*> parts;
      bool want_name = true;
      while (!at(symbol::star)) {
        if (at(symbol::dot)) {
          if (want_name) parts.push_back(nullptr);
          want_name = true;
        } else {
          parts.push_back(at_);
          want_name = false;
        }
        advance();
      }
      if (parts.size() > 4) return fail_at(start), item;
      star.table = name_of(parts, parts.size(), start);
      require_table(star.table, start);
    }
    advance();
    item.node = std::move(star);
    return item;
  }
  select_expression node;
  if ((at_name() || is_string(cur())) && next_is(1, symbol::equal)) {  // alias = value
    node.alias.value = value_of(cur());
    advance();
    advance();
    node.value = parse_value();
  } else {
    node.value = parse_value();
    node.alias = parse_column_alias();
  }
  item.node = std::move(node);
  return item;
}

query_specification parser::parse_specification(query_place place) {
  query_specification spec;
  expect(keyword::select_);
  if (!accept(keyword::all_)) spec.distinct = accept(keyword::distinct_);
  if (at(keyword::top_)) spec.top = parse_top();
  do {
    spec.items.push_back(parse_select_item(place));
  } while (accept(symbol::comma));
  if (at(keyword::into_)) {
    if (place == query_place::nested || !in_batch_) {
      fail_at(cur(), errc::not_read_only, "SELECT INTO may not stand here: it makes a table.");
      return spec;
    }
    advance();
    spec.into = parse_object_name(4);
  }
  if (accept(keyword::from_)) spec.from = parse_from();
  if (accept(keyword::where_)) spec.where = parse_condition();
  if (at(keyword::group_)) spec.group_by = parse_group_by();
  if (accept(keyword::having_)) spec.having = parse_condition();
  if (at_window_clause()) parse_windows(spec);
  return spec;
}

}  // namespace dragoman::tsql
