// Conditions, full-text and graph predicates.
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {

void printer::node(const comparison& n) {
  operand(*n.left, precedence::additive);
  text(" ");
  text(dragoman::tsql::text(n.op));
  text(" ");
  operand(*n.right, precedence::additive);
}

// An operand of the same operator is a node of its own and keeps its parentheses.
void printer::node(const logical& n) {
  const bool conjunction = n.op == logical_operator::and_;
  const precedence lowest = conjunction ? precedence::not_ : precedence::and_;
  bool first = true;
  for (const expression& e : n.operands) {
    if (!first) {
      text(conjunction ? " AND " : " OR ");
    }
    first = false;
    operand(e, lowest);
  }
}

void printer::node(const negation& n) {
  text("NOT ");
  operand(*n.operand, precedence::not_);
}

void printer::node(const is_null& n) {
  operand(*n.operand, precedence::additive);
  text(n.negated ? " IS NOT NULL" : " IS NULL");
}

void printer::node(const is_distinct_from& n) {
  operand(*n.left, precedence::additive);
  text(n.negated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ");
  operand(*n.right, precedence::additive);
}

void printer::node(const between& n) {
  operand(*n.operand, precedence::additive);
  text(n.negated ? " NOT BETWEEN " : " BETWEEN ");
  operand(*n.low, precedence::additive);
  text(" AND ");
  operand(*n.high, precedence::additive);
}

void printer::node(const in_list& n) {
  operand(*n.operand, precedence::additive);
  text(n.negated ? " NOT IN (" : " IN (");
  values(n.list);
  text(")");
}

void printer::node(const in_subquery& n) {
  operand(*n.operand, precedence::additive);
  text(n.negated ? " NOT IN " : " IN ");
  subquery(*n.query);
}

void printer::node(const like& n) {
  operand(*n.operand, precedence::additive);
  text(n.negated ? " NOT LIKE " : " LIKE ");
  operand(*n.pattern, precedence::additive);
  if (n.escape) {
    text(" ESCAPE ");
    operand(*n.escape, precedence::additive);
  }
}

void printer::node(const exists& n) {
  text("EXISTS ");
  subquery(*n.query);
}

void printer::node(const quantified_comparison& n) {
  operand(*n.operand, precedence::additive);
  text(" ");
  if (n.distinct == distinctness::none) text(dragoman::tsql::text(n.op));
  if (n.distinct == distinctness::distinct) text("IS DISTINCT FROM");
  if (n.distinct == distinctness::not_distinct) text("IS NOT DISTINCT FROM");
  text(n.quantity == quantifier::any ? " ANY " : " ALL ");
  subquery(*n.query);
}

void printer::fulltext_columns(const std::vector<expression>& columns, bool star, const object_name* star_table,
                               const box<expression>& property) {
  if (star) {
    if (star_table != nullptr) {
      print(*star_table);
      text(".");
    }
    return text("*");
  }
  if (property) {
    text("PROPERTY(");
    values(columns);
    text(", ");
    print(*property);
    return text(")");
  }
  text("(");
  values(columns);
  text(")");
}

void printer::node(const fulltext_predicate& n) {
  text(n.kind == fulltext_kind::contains ? "CONTAINS(" : "FREETEXT(");
  fulltext_columns(n.columns, n.star, n.star_table.get(), n.property);
  text(", ");
  print(*n.search);
  if (n.language) {
    text(", LANGUAGE ");
    print(*n.language);
  }
  text(")");
}

void printer::graph(const graph_node& n) {
  if (n.last_node) text("LAST_NODE(");
  print(n.name);
  if (n.last_node) text(")");
}

void printer::step(const graph_step& s) {
  if (s.node_first) graph(s.node);
  text(s.direction == graph_direction::right ? "-(" : "<-(");
  print(s.edge);
  text(s.direction == graph_direction::right ? ")->" : ")-");
  if (!s.node_first) graph(s.node);
}

void printer::pattern(const graph_pattern& p) {
  if (p.same_node) {
    graph(p.start);
    text(" = ");
    return graph(p.steps.front().node);
  }
  if (!p.shortest_path) {
    graph(p.start);
    for (const graph_step& s : p.steps) step(s);
    return;
  }
  const bool node_first = !p.steps.empty() && p.steps.front().node_first;
  text("SHORTEST_PATH(");
  if (!node_first) graph(p.start);
  text("(");
  for (const graph_step& s : p.steps) step(s);
  text(")");
  text(p.quantifier);
  if (node_first) graph(p.start);
  text(")");
}

void printer::node(const match_predicate& n) {
  text("MATCH(");
  bool first = true;
  for (const graph_pattern& p : n.patterns) {
    if (!first) text(" AND ");
    first = false;
    pattern(p);
  }
  text(")");
}

}  // namespace dragoman::tsql
