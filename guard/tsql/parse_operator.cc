// Operators by precedence climbing over the table in operators.h. Values and conditions are read by the same method;
// what may stand where is checked as each operator takes its operands.
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

bool is_predicate(const expression& e) {
  return std::visit(overloaded{[](const comparison&) { return true; },
                               [](const logical&) { return true; },
                               [](const negation&) { return true; },
                               [](const is_null&) { return true; },
                               [](const is_distinct_from&) { return true; },
                               [](const between&) { return true; },
                               [](const in_list&) { return true; },
                               [](const in_subquery&) { return true; },
                               [](const like&) { return true; },
                               [](const exists&) { return true; },
                               [](const quantified_comparison&) { return true; },
                               [](const fulltext_predicate&) { return true; },
                               [](const match_predicate&) { return true; },
                               [](const function_call& call) {
                                 return call.name.one_part() &&
                                        find_keyword(call.name.name.value) == keyword::regexp_like_;
                               },
                               [](const literal&) { return false; },
                               [](const variable&) { return false; },
                               [](const column_ref&) { return false; },
                               [](const niladic_function&) { return false; },
                               [](const odbc_literal&) { return false; },
                               [](const unary&) { return false; },
                               [](const binary&) { return false; },
                               [](const collate&) { return false; },
                               [](const at_time_zone&) { return false; },
                               [](const case_expression&) { return false; },
                               [](const conversion&) { return false; },
                               [](const json_key_value&) { return false; },
                               [](const named_argument&) { return false; },
                               [](const method_call&) { return false; },
                               [](const static_call&) { return false; },
                               [](const partition_function&) { return false; },
                               [](const odbc_function&) { return false; },
                               [](const next_value_for&) { return false; },
                               [](const scalar_subquery&) { return false; }},
                    e.node);
}

void parser::require_value(const expression& e) {
  if (!ok() || !is_predicate(e)) return;
  fail_here();
}

void parser::require_condition(const expression& e) {
  if (!ok() || is_predicate(e)) return;
  const token& shown = done() && at_ != first_ ? at_[-1] : cur();
  fail_at(cur(), errc::syntax,
          "An expression of non-boolean type specified in a context where a condition is expected, near '" +
              std::string(raw(shown)) + "'.",
          4145);
}

expression parser::parse_value() {
  expression e = parse_operators(precedence::additive);
  require_value(e);
  return e;
}

expression parser::parse_condition() {
  expression e = parse_operators(precedence::or_);
  require_condition(e);
  return e;
}

expression parser::parse_either() {
  return parse_operators(precedence::or_);
}

expression parser::parse_value_operand(precedence lowest) {
  expression e = parse_operators(lowest);
  require_value(e);
  return e;
}

// NOT condition, a sign, or a primary expression.
expression parser::parse_prefix(precedence lowest) {
  const token& start = cur();
  if (at(keyword::not_) && lowest <= precedence::not_) {
    nesting inside(*this);
    advance();
    negation node{parse_operators(precedence::not_)};
    require_condition(*node.operand);
    return make(std::move(node), start);
  }
  std::optional<unary_operator> sign;
  if (at(symbol::minus)) sign = unary_operator::minus;
  if (at(symbol::plus)) sign = unary_operator::plus;
  if (at(symbol::tilde)) sign = unary_operator::bit_not;
  if (!sign) return parse_primary();
  nesting inside(*this);
  advance();
  unary node{*sign, parse_prefix(precedence::unary)};
  require_value(*node.operand);
  return make(std::move(node), start);
}

// One node for all operands of a run of ANDs or of ORs.
expression parser::parse_logical(expression left, logical_operator op) {
  const keyword word = op == logical_operator::and_ ? keyword::and_ : keyword::or_;
  const precedence operand = op == logical_operator::and_ ? precedence::not_ : precedence::and_;
  const token& start = cur();
  require_condition(left);
  logical node;
  node.op = op;
  node.operands.push_back(std::move(left));
  while (accept(word)) {
    node.operands.push_back(parse_operators(operand));
    require_condition(node.operands.back());
  }
  return make(std::move(node), start);
}

expression parser::parse_operators(precedence lowest) {
  chain links(*this);
  const token& start = cur();
  expression left = parse_prefix(lowest);
  while (ok()) {
    if (const auto* entry = find_binary_operator(cur().sym); entry != nullptr && at(token_kind::symbol)) {
      if (entry->level < lowest) break;
      require_value(left);
      advance();
      expression right = parse_value_operand(next(entry->level));
      left = make(binary{entry->op, std::move(left), std::move(right)}, start);
    } else if (lowest <= precedence::predicate && at_predicate()) {
      require_value(left);
      left = parse_predicate(std::move(left), start);
    } else if (lowest <= precedence::and_ && at(keyword::and_)) {
      left = parse_logical(std::move(left), logical_operator::and_);
    } else if (lowest <= precedence::or_ && at(keyword::or_)) {
      left = parse_logical(std::move(left), logical_operator::or_);
    } else {
      break;
    }
    links.link();
  }
  return left;
}

}  // namespace dragoman::tsql
