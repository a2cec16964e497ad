// Leaves, operators, CASE, conversions; where parentheses are needed.
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {

precedence level_of(const expression& e) {
  if (const auto* n = e.as<binary>()) return info(n->op).level;
  if (const auto* n = e.as<logical>()) {
    return n->op == logical_operator::and_ ? precedence::and_ : precedence::or_;
  }
  if (e.as<negation>()) return precedence::not_;
  if (e.as<unary>()) return precedence::unary;
  if (e.as<exists>() || e.as<fulltext_predicate>() || e.as<match_predicate>() || e.as<function_call>()) {
    return precedence::primary;
  }
  return is_predicate(e) ? precedence::predicate : precedence::primary;
}

void printer::print(const expression& e) {
  std::visit([this](const auto& n) { node(n); }, e.node);
}

void printer::operand(const expression& e, precedence lowest) {
  const bool parentheses = level_of(e) < lowest;
  if (parentheses) text("(");
  print(e);
  if (parentheses) text(")");
}

void printer::subquery(const query_expression& query) {
  text("(");
  indent();
  if (pretty_) line();
  print(query);
  outdent();
  if (pretty_) line();
  text(")");
}

void printer::node(const literal& n) {
  switch (n.kind) {
    case literal_kind::null: return text("NULL");
    case literal_kind::default_value: return text("DEFAULT");
    case literal_kind::string: return string(n.text, false);
    case literal_kind::unicode_string: return string(n.text, true);
    case literal_kind::integer:
    case literal_kind::decimal:
    case literal_kind::real:
    case literal_kind::money:
    case literal_kind::binary: return text(n.text);
  }
}

void printer::node(const variable& n) {
  text(n.name);
}

void printer::node(const column_ref& n) {
  static constexpr std::string_view pseudo[] = {"",         "$IDENTITY", "$ROWGUID", "$ACTION", "$CUID",
                                                "$NODE_ID", "$EDGE_ID",  "$FROM_ID", "$TO_ID",  "$PARTITION"};
  if (!n.table.empty() || !n.table.schema.empty() || !n.table.database.empty() || !n.table.server.empty()) {
    print(n.table);
    text(".");
  }
  if (n.pseudo != pseudo_column::none) return text(pseudo[static_cast<std::size_t>(n.pseudo)]);
  print(n.name);
}

void printer::node(const niladic_function& n) {
  static constexpr std::string_view names[] = {
      "CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER", "CURRENT_DATE", "CURRENT_TIME"};
  text(names[static_cast<std::size_t>(n.kind)]);
}

void printer::node(const odbc_literal& n) {
  static constexpr std::string_view names[] = {"d", "t", "ts", "guid"};
  text("{");
  text(names[static_cast<std::size_t>(n.kind)]);
  text(" ");
  string(n.text, n.unicode);
  text("}");
}

// Two signs in a row would make a comment: - -x.
void printer::node(const unary& n) {
  text(dragoman::tsql::text(n.op));
  const auto* inner = n.operand->as<unary>();
  if (inner != nullptr && n.op == unary_operator::minus && inner->op == unary_operator::minus) text(" ");
  operand(*n.operand, precedence::unary);
}

// All binary operators associate to the left.
void printer::node(const binary& n) {
  const auto& entry = info(n.op);
  operand(*n.left, entry.level);
  text(" ");
  text(entry.text);
  text(" ");
  operand(*n.right, next(entry.level));
}

void printer::node(const collate& n) {
  operand(*n.operand, precedence::primary);
  text(" COLLATE ");
  print(n.collation);
}

void printer::node(const at_time_zone& n) {
  operand(*n.operand, precedence::primary);
  text(" AT TIME ZONE ");
  const bool parentheses = n.zone->as<at_time_zone>() || level_of(*n.zone) < precedence::primary;
  if (parentheses) text("(");
  print(*n.zone);
  if (parentheses) text(")");
}

void printer::node(const case_expression& n) {
  text("CASE");
  if (n.operand) {
    text(" ");
    print(*n.operand);
  }
  for (const case_branch& branch : n.branches) {
    text(" WHEN ");
    print(*branch.when);
    text(" THEN ");
    print(*branch.then);
  }
  if (n.otherwise) {
    text(" ELSE ");
    print(*n.otherwise);
  }
  text(" END");
}

void printer::print(const data_type& type) {
  print(type.name);
  if (!type.xml_schema.empty()) {
    text(type.xml_document ? "(DOCUMENT " : type.xml_content ? "(CONTENT " : "(");
    print(type.xml_schema);
    text(")");
  } else if (!type.parameters.empty()) {
    text("(");
    list(type.parameters, [this](const std::string& p) { text(p); });
    text(")");
  }
}

void printer::node(const conversion& n) {
  static constexpr std::string_view names[] = {"CAST(",        "TRY_CAST(", "CONVERT(",
                                               "TRY_CONVERT(", "PARSE(",    "TRY_PARSE("};
  text(names[static_cast<std::size_t>(n.kind)]);
  if (n.kind == conversion_kind::convert || n.kind == conversion_kind::try_convert) {
    print(*n.type);
    text(", ");
    print(*n.value);
    if (n.style) {
      text(", ");
      print(*n.style);
    }
  } else {
    print(*n.value);
    text(" AS ");
    print(*n.type);
    if (n.style) {
      text(" USING ");
      print(*n.style);
    }
  }
  text(")");
}

void printer::node(const scalar_subquery& n) {
  subquery(*n.query);
}

}  // namespace dragoman::tsql
