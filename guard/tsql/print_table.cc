// Tables and joins.
#include "guard/tsql/printer_core.h"
#include "guard/tsql/table_hints.h"

namespace dragoman::tsql {

void printer::parenthesised_names(const std::vector<identifier>& items) {
  text("(");
  names(items);
  text(")");
}

void printer::alias(const table_alias& a) {
  if (a.name.empty()) return;
  text(" AS ");
  print(a.name);
  if (a.columns.empty()) return;
  text(" ");
  parenthesised_names(a.columns);
}

void printer::system_time(const temporal_clause& clause) {
  text(" FOR SYSTEM_TIME ");
  switch (clause.kind) {
    case temporal_kind::all: return text("ALL");
    case temporal_kind::as_of: text("AS OF "); return print(*clause.start);
    case temporal_kind::from_to: text("FROM "); break;
    case temporal_kind::between_and: text("BETWEEN "); break;
    case temporal_kind::contained_in: text("CONTAINED IN ("); break;
  }
  print(*clause.start);
  text(clause.kind == temporal_kind::from_to ? " TO " : clause.kind == temporal_kind::between_and ? " AND " : ", ");
  print(*clause.end);
  if (clause.kind == temporal_kind::contained_in) text(")");
}

void printer::sample(const tablesample& s) {
  text(s.system ? " TABLESAMPLE SYSTEM (" : " TABLESAMPLE (");
  print(*s.amount);
  if (s.unit == sample_unit::percent) text(" PERCENT");
  if (s.unit == sample_unit::rows) text(" ROWS");
  text(")");
  if (!s.repeatable) return;
  text(" REPEATABLE (");
  print(*s.repeatable);
  text(")");
}

void printer::hint(const table_hint& h) {
  text(h.name);
  const auto index = [this](const identifier& name) {
    const bool number = !name.empty() && name.value.find_first_not_of("0123456789") == std::string::npos;
    number ? text(name.value) : print(name);
  };
  if (h.value) {
    text(" = ");
    print(*h.value);
  } else if (!h.indexes.empty()) {
    text("(");
    list(h.indexes, index);
    if (!h.columns.empty()) parenthesised_names(h.columns);
    text(")");
  }
}

void printer::hints(const std::vector<table_hint>& list_of_hints) {
  if (list_of_hints.empty()) return;
  text(" WITH (");
  list(list_of_hints, [this](const table_hint& h) { hint(h); });
  text(")");
}

void printer::print(const table_source& source) {
  std::visit([this](const auto& n) { node(n); }, source.node);
}

void printer::node(const named_table& n) {
  print(n.name);
  if (n.system_time) system_time(*n.system_time);
  if (n.for_path) text(" FOR PATH");
  alias(n.alias);
  if (n.sample) sample(*n.sample);
  hints(n.hints);
}

void printer::node(const variable_table& n) {
  text(n.name);
  alias(n.alias);
}

void printer::node(const derived_table& n) {
  subquery(*n.query);
  if (n.for_path) text(" FOR PATH");
  alias(n.alias);
}

void printer::rows(const std::vector<value_row>& list_of_rows) {
  text("VALUES ");
  list(list_of_rows, [this](const value_row& row) {
    text("(");
    values(row.values);
    text(")");
  });
}

void printer::node(const values_table& n) {
  text("(");
  rows(n.rows);
  text(")");
  alias(n.alias);
}

void printer::schema(const std::vector<schema_column>& columns) {
  if (columns.empty()) return;
  text(" WITH (");
  list(columns, [this](const schema_column& c) {
    print(c.name);
    text(" ");
    print(c.type);
    if (!c.collation.empty()) {
      text(" COLLATE ");
      print(c.collation);
    }
    if (c.not_null) text(" NOT NULL");
    if (c.path) {
      text(" ");
      print(*c.path);
    }
    if (c.as_json) text(" AS JSON");
  });
  text(")");
}

// f([NOLOCK]) is a function of a column, f(NOLOCK) a table with a hint.
void printer::hint_like_argument(const function_call& call) {
  print(call.name);
  text("(");
  quoted_name(call.arguments.front().as<column_ref>()->name.value);
  text(")");
}

void printer::node(const function_table& n) {
  const auto* call = n.call->as<function_call>();
  const auto* only = call && call->arguments.size() == 1 ? call->arguments.front().as<column_ref>() : nullptr;
  std::string word = only && only->table.empty() ? only->name.value : std::string();
  for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  is_table_hint(word) ? hint_like_argument(*call) : print(*n.call);
  schema(n.schema);
  alias(n.alias);
}

void printer::node(const fulltext_table& n) {
  static constexpr std::string_view functions[] = {"CONTAINSTABLE(", "FREETEXTTABLE(", "SEMANTICKEYPHRASETABLE(",
                                                   "SEMANTICSIMILARITYTABLE(", "SEMANTICSIMILARITYDETAILSTABLE("};
  text(functions[static_cast<std::size_t>(n.kind)]);
  print(n.table);
  text(", ");
  if (n.kind == fulltext_table_kind::semantic_similarity_details) {
    values(n.columns);
  } else {
    fulltext_columns(n.columns, n.star, nullptr, n.property);
  }
  for (const expression& e : n.arguments) {
    text(", ");
    print(e);
  }
  if (n.language) {
    text(", LANGUAGE ");
    print(*n.language);
  }
  if (n.top) {
    text(", ");
    print(*n.top);
  }
  text(")");
  alias(n.alias);
}

// The left side needs no parentheses: joins associate to the left. On the right of a JOIN … ON a joined table has
// them; PIVOT on the right of CROSS JOIN or APPLY would otherwise apply to the whole join.
void printer::node(const joined_table& n) {
  static constexpr std::string_view kinds[] = {"INNER",      "LEFT",        "RIGHT",      "FULL",
                                               "CROSS JOIN", "CROSS APPLY", "OUTER APPLY"};
  static constexpr std::string_view join_hints[] = {"",        " LOOP",   " HASH",      " MERGE",
                                                    " REMOTE", " REDUCE", " REPLICATE", " REDISTRIBUTE"};
  print(*n.left);
  line();
  text(kinds[static_cast<std::size_t>(n.kind)]);
  if (n.kind <= join_kind::full) {
    text(join_hints[static_cast<std::size_t>(n.hint)]);
    text(" JOIN");
  }
  text(" ");
  const bool parentheses =
      n.right->as<joined_table>() || n.right->as<pivoted_table>() || n.right->as<unpivoted_table>();
  if (parentheses) text("(");
  indent();
  print(*n.right);
  outdent();
  if (parentheses) text(")");
  if (n.on) {
    text(" ON ");
    print(*n.on);
  }
}

void printer::node(const pivoted_table& n) {
  print(*n.source);
  line();
  text("PIVOT (");
  print(n.aggregate);
  text("(");
  values(n.arguments);
  text(") FOR ");
  print(n.pivot_column);
  text(" IN ");
  parenthesised_names(n.values);
  text(")");
  alias(n.alias);
}

void printer::node(const unpivoted_table& n) {
  print(*n.source);
  line();
  text("UNPIVOT (");
  print(n.value_column);
  text(" FOR ");
  print(n.name_column);
  text(" IN (");
  values(n.columns);
  text("))");
  alias(n.alias);
}

}  // namespace dragoman::tsql
