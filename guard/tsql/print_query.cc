// Query expressions and the SELECT statement, clause by clause.
#include "guard/tsql/keywords.h"
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {
namespace {

bool has_tail(const query_expression& query) {
  return !query.order_by.empty() || query.offset || query.for_;
}

}  // namespace

void printer::item(const select_item& i) {
  std::visit(overloaded{[this](const select_expression& e) {
                          print(e.value);
                          if (!e.alias.empty()) {
                            text(" AS ");
                            print(e.alias);
                          }
                        },
                        [this](const select_star& star) {
                          const object_name& t = star.table;
                          if (!t.empty() || !t.one_part()) {
                            print(t);
                            text(".");
                          }
                          text("*");
                        },
                        [this](const select_assignment& a) {
                          text(a.variable);
                          text(" ");
                          text(dragoman::tsql::text(a.op));
                          text(" ");
                          print(a.value);
                        }},
             i.node);
}

void printer::grouping(const grouping_element& element) {
  const auto elements = [this, &element](std::string_view name) {
    text(name);
    text("(");
    list(element.elements, [this](const grouping_element& e) { grouping(e); });
    text(")");
  };
  switch (element.kind) {
    case grouping_kind::expression: return print(element.expressions.front());
    case grouping_kind::composite:
      if (!element.elements.empty()) return elements("");
      text("(");
      values(element.expressions);
      return text(")");
    case grouping_kind::rollup: return elements("ROLLUP");
    case grouping_kind::cube: return elements("CUBE");
    case grouping_kind::grouping_sets: return elements("GROUPING SETS ");
    case grouping_kind::grand_total: return text("()");
  }
}

void printer::group_by(const group_by_clause& group) {
  text(group.all ? "GROUP BY ALL " : "GROUP BY ");
  list(group.elements, [this](const grouping_element& e) { grouping(e); });
  if (group.legacy == legacy_grouping::with_cube) text(" WITH CUBE");
  if (group.legacy == legacy_grouping::with_rollup) text(" WITH ROLLUP");
}

void printer::specification(const query_specification& spec) {
  text(spec.distinct ? "SELECT DISTINCT " : "SELECT ");
  if (spec.top) {
    text("TOP (");
    const auto* count = spec.top->count.as<scalar_subquery>();
    count != nullptr ? print(*count->query) : print(spec.top->count);
    text(")");
    if (spec.top->percent) text(" PERCENT");
    if (spec.top->with_ties) text(" WITH TIES");
    if (spec.top->with_approximate) text(" WITH APPROXIMATE");
    text(" ");
  }
  // A list that would not fit one line has an item a line.
  constexpr std::size_t items_on_a_line = 4;
  indent();
  list(
      spec.items, [this](const select_item& i) { item(i); }, spec.items.size() > items_on_a_line);
  outdent();
  if (!spec.into.empty()) {
    line();
    text("INTO ");
    print(spec.into);
  }
  if (!spec.from.empty()) {
    line();
    text("FROM ");
    list(spec.from, [this](const table_source& t) { print(t); });
  }
  if (spec.where) {
    line();
    text("WHERE ");
    print(*spec.where);
  }
  if (spec.group_by) {
    line();
    group_by(*spec.group_by);
  }
  if (spec.having) {
    line();
    text("HAVING ");
    print(*spec.having);
  }
  if (!spec.windows.empty()) {
    line();
    text("WINDOW ");
    list(spec.windows, [this](const named_window& w) {
      print(w.name);
      text(" AS (");
      window(w.definition);
      text(")");
    });
  }
}

void printer::set_operand(const query_expression& query, bool parenthesise) {
  parenthesise ? subquery(query) : print(query);
}

// Set operators associate to the left and INTERSECT binds closest.
void printer::set(const set_operation& op) {
  static constexpr std::string_view names[] = {"UNION", "UNION ALL", "EXCEPT", "INTERSECT"};
  const auto* left = op.left->set();
  const auto* right = op.right->set();
  const bool intersect = op.op == set_operator::intersect;
  set_operand(*op.left, has_tail(*op.left) || (left != nullptr && intersect && left->op != set_operator::intersect));
  line();
  text(names[static_cast<std::size_t>(op.op)]);
  line();
  set_operand(*op.right,
              has_tail(*op.right) || (right != nullptr && (intersect || right->op != set_operator::intersect)));
}

void printer::body(const query_expression& query) {
  std::visit(overloaded{[this](const query_specification& spec) { specification(spec); },
                        [this](const set_operation& op) { set(op); }},
             query.body);
}

void printer::print(const query_expression& query) {
  body(query);
  if (!query.order_by.empty()) {
    line();
    order_by(query.order_by);
  }
  if (query.offset) {
    line();
    if (!query.offset->fetch_approximate) {
      text("OFFSET ");
      print(query.offset->offset);
      text(" ROWS");
    }
    if (query.offset->fetch) {
      text(query.offset->fetch_approximate ? "FETCH APPROXIMATE NEXT " : " FETCH NEXT ");
      print(*query.offset->fetch);
      text(" ROWS ONLY");
    }
  }
  if (query.for_) {
    line();
    for_(*query.for_);
  }
}

void printer::query_hint_(const dragoman::tsql::query_hint& h) {
  text(h.name);
  if (!h.optimize_for.empty()) {
    text(" (");
    list(h.optimize_for, [this](const optimize_for_item& i) {
      text(i.variable);
      text(i.value ? " = " : " UNKNOWN");
      if (i.value) print(*i.value);
    });
    text(")");
  } else if (!h.list.empty()) {
    text(" (");
    values(h.list);
    text(")");
  } else if (!h.table.empty()) {
    text(" (");
    print(h.table);
    for (const table_hint& t : h.table_hints) {
      text(", ");
      hint(t);
    }
    text(")");
  } else if (h.value) {
    const bool equals = h.name == "LABEL" || h.name == "MAX_GRANT_PERCENT" || h.name == "MIN_GRANT_PERCENT";
    text(equals ? " = " : " ");
    print(*h.value);
  }
}

void printer::query_hints(const std::vector<dragoman::tsql::query_hint>& list_of_hints) {
  if (list_of_hints.empty()) return;
  line();
  text("OPTION (");
  list(list_of_hints, [this](const dragoman::tsql::query_hint& h) { query_hint_(h); });
  text(")");
}

void printer::print(const select_statement& statement) {
  if (!statement.xml_namespaces.empty() || !statement.ctes.empty()) text("WITH ");
  if (!statement.xml_namespaces.empty()) {
    text("XMLNAMESPACES (");
    list(statement.xml_namespaces, [this](const xml_namespace& n) {
      if (n.prefix.empty()) text("DEFAULT ");
      string(n.uri, false);
      if (n.prefix.empty()) return;
      text(" AS ");
      print(n.prefix);
    });
    text(")");
    if (!statement.ctes.empty()) {
      text(",");
      line();
    }
  }
  list(
      statement.ctes,
      [this](const common_table_expression& cte) {
        print(cte.name);
        if (!cte.columns.empty()) {
          text(" ");
          parenthesised_names(cte.columns);
        }
        text(" AS ");
        subquery(*cte.query);
      },
      true);
  if (!statement.xml_namespaces.empty() || !statement.ctes.empty()) line();
  print(statement.query);
  query_hints(statement.hints);
}

}  // namespace dragoman::tsql
