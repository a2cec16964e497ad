// Predicates that begin with a value: comparison, IS, IN, BETWEEN, LIKE (T-SQL reference: "Search condition").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

bool parser::at_comparison() const {
  return at(symbol::equal) || at(symbol::less) || at(symbol::greater) ||
         (at(symbol::exclamation) &&
          (next_is(1, symbol::equal) || next_is(1, symbol::less) || next_is(1, symbol::greater)));
}

bool parser::at_predicate() const {
  if (at(token_kind::symbol)) return at_comparison();
  if (!at(token_kind::word)) return false;
  const keyword w = at(keyword::not_) ? peek(1).word : cur().word;
  return w == keyword::in_ || w == keyword::between_ || w == keyword::like_ || (w == keyword::is_ && at(keyword::is_));
}

// The characters of an operator are symbols of their own: white space may stand between them.
std::optional<comparison_operator> parser::accept_comparison() {
  if (accept(symbol::equal)) return comparison_operator::equal;
  if (accept(symbol::less)) {
    if (accept(symbol::equal)) return comparison_operator::less_or_equal;
    return accept(symbol::greater) ? comparison_operator::not_equal : comparison_operator::less;
  }
  if (accept(symbol::greater)) {
    return accept(symbol::equal) ? comparison_operator::greater_or_equal : comparison_operator::greater;
  }
  if (!at_comparison()) return std::nullopt;
  advance();
  if (accept(symbol::equal)) return comparison_operator::not_equal;
  return accept(symbol::less) ? comparison_operator::greater_or_equal : (advance(), comparison_operator::less_or_equal);
}

expression parser::parse_comparison(expression left, const token& start) {
  const auto op = accept_comparison();
  if (!op) return fail_here(), expression{};
  if (at_quantifier()) {
    const quantifier quantity = at(keyword::all_) ? quantifier::all : quantifier::any;
    advance();
    return make(quantified_comparison{*op, std::move(left), quantity, parse_subquery(), {}}, start);
  }
  expression right = parse_value_operand(precedence::additive);
  return make(comparison{*op, std::move(left), std::move(right)}, start);
}

// IS [NOT] NULL, IS [NOT] DISTINCT FROM value | ANY (query)
expression parser::parse_is(expression left, const token& start) {
  advance();
  const bool negated = accept(keyword::not_);
  if (accept(keyword::distinct_)) {
    expect(keyword::from_);
    if (at_quantifier()) {
      const quantifier quantity = at(keyword::all_) ? quantifier::all : quantifier::any;
      advance();
      const auto kind = negated ? distinctness::not_distinct : distinctness::distinct;
      return make(quantified_comparison{{}, std::move(left), quantity, parse_subquery(), kind}, start);
    }
    expression right = parse_value_operand(precedence::additive);
    return make(is_distinct_from{std::move(left), std::move(right), negated}, start);
  }
  expect(keyword::null_);
  return make(is_null{std::move(left), negated}, start);
}

// IN (query) or IN (values). What begins with more than one parenthesis may be either: it is read as a value, and a
// lone subquery turns out to be the query.
expression parser::parse_in(expression left, bool negated, const token& start) {
  nesting inside(*this);
  expect(symbol::left_paren);
  if (at(keyword::select_)) {
    query_expression query = parse_query_expression(query_place::nested);
    expect(symbol::right_paren);
    return make(in_subquery{std::move(left), std::move(query), negated}, start);
  }
  in_list node{std::move(left), {}, negated};
  do {
    node.list.push_back(parse_value());
    if (node.list.size() == 1 && !at(symbol::comma)) {
      if (auto* only = node.list.front().as<scalar_subquery>()) {
        query_expression query = parse_query_tail(std::move(*only->query), query_place::nested);
        expect(symbol::right_paren);
        return make(in_subquery{std::move(node.operand), std::move(query), negated}, start);
      }
    }
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  return make(std::move(node), start);
}

expression parser::parse_predicate(expression left, const token& start) {
  if (at(token_kind::symbol)) return parse_comparison(std::move(left), start);
  if (at(keyword::is_)) return parse_is(std::move(left), start);
  const bool negated = accept(keyword::not_);
  if (accept(keyword::in_)) return parse_in(std::move(left), negated, start);
  if (accept(keyword::between_)) {
    between node{std::move(left), {}, {}, negated};
    node.low = parse_value_operand(precedence::additive);
    expect(keyword::and_);
    node.high = parse_value_operand(precedence::additive);
    return make(std::move(node), start);
  }
  expect(keyword::like_);
  like node{std::move(left), {}, {}, negated};
  node.pattern = parse_value_operand(precedence::additive);
  if (accept(keyword::escape_)) {
    node.escape = parse_value_operand(precedence::additive);
  } else if (at(symbol::left_brace) && next_is(1, keyword::escape_)) {  // {escape '\'} of ODBC
    advance();
    advance();
    node.escape = parse_value_operand(precedence::additive);
    expect(symbol::right_brace);
  }
  return make(std::move(node), start);
}

}  // namespace dragoman::tsql
