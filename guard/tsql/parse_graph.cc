// MATCH over graph tables (T-SQL reference: "MATCH (SQL Graph)", "SHORTEST_PATH").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

expression parser::parse_match() {
  nesting inside(*this);
  const token& start = cur();
  advance();
  advance();
  match_predicate node;
  do {
    node.patterns.push_back(at_call(keyword::shortest_path_) ? parse_shortest_path() : parse_graph_pattern());
  } while (accept(keyword::and_));
  expect(symbol::right_paren);
  return make(std::move(node), start);
}

graph_node parser::parse_graph_node() {
  graph_node node;
  if (at_call(keyword::last_node_)) {
    advance();
    advance();
    node.last_node = true;
    node.name = parse_identifier();
    expect(symbol::right_paren);
  } else {
    node.name = parse_identifier();
  }
  return node;
}

bool parser::at_graph_step() const {
  return at(symbol::minus) || (at(symbol::less) && next_is(1, symbol::minus));
}

// -(edge)->node or <-(edge)-node, without the node.
graph_step parser::parse_graph_step() {
  graph_step step;
  step.direction = accept(symbol::less) ? graph_direction::left : graph_direction::right;
  expect(symbol::minus);
  expect(symbol::left_paren);
  step.edge = parse_identifier();
  expect(symbol::right_paren);
  expect(symbol::minus);
  if (step.direction == graph_direction::right) expect(symbol::greater);
  return step;
}

graph_pattern parser::parse_graph_pattern() {
  graph_pattern pattern;
  pattern.start = parse_graph_node();
  if (pattern.start.last_node && accept(symbol::equal)) {
    pattern.same_node = true;
    graph_step step;
    step.node = parse_graph_node();
    pattern.steps.push_back(std::move(step));
    return pattern;
  }
  do {
    graph_step step = parse_graph_step();
    step.node = parse_graph_node();
    pattern.steps.push_back(std::move(step));
  } while (at_graph_step());
  return pattern;
}

// SHORTEST_PATH(n1(-(e)->n2)+) or SHORTEST_PATH((n1-(e)->)+n2)
graph_pattern parser::parse_shortest_path() {
  graph_pattern pattern;
  pattern.shortest_path = true;
  advance();
  advance();
  const bool node_first = at(symbol::left_paren);
  if (!node_first) pattern.start = parse_graph_node();
  expect(symbol::left_paren);
  do {
    graph_step step;
    if (node_first) {
      graph_node node = parse_graph_node();
      step = parse_graph_step();
      step.node = std::move(node);
    } else {
      step = parse_graph_step();
      step.node = parse_graph_node();
    }
    step.node_first = node_first;
    pattern.steps.push_back(std::move(step));
  } while (ok() && !at(symbol::right_paren));
  expect(symbol::right_paren);
  if (accept(symbol::plus)) {
    pattern.quantifier = "+";
  } else {
    expect(symbol::left_brace);
    pattern.quantifier = "{" + std::string(raw(cur()));
    expect(token_kind::integer);
    expect(symbol::comma);
    pattern.quantifier += "," + std::string(raw(cur())) + "}";
    expect(token_kind::integer);
    expect(symbol::right_brace);
  }
  if (node_first) pattern.start = parse_graph_node();
  expect(symbol::right_paren);
  return pattern;
}

}  // namespace dragoman::tsql
