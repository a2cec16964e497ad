// Statements of a batch.
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {
namespace {

// Only in this text's own quotes is a value of SET safe to print again.
bool is_plain_word(std::string_view value) {
  if (value.empty()) return false;
  if (value[0] == '@') return true;
  const std::size_t sign = value[0] == '-' ? 1 : 0;
  for (char c : value.substr(sign)) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ' ' || c == '.' || c == 'x';
    if (!plain) return false;
  }
  return true;
}

}  // namespace

void printer::print(const statement& s) {
  std::visit([this](const auto& n) { stmt(n); }, s.node);
}

// Statements of this grammar may all be followed by a semicolon.
void printer::print(const std::vector<statement>& statements) {
  bool first = true;
  for (const statement& s : statements) {
    if (!first) {
      text(";");
      line();
    }
    first = false;
    print(s);
  }
}

void printer::stmt(const declare_statement& s) {
  text("DECLARE ");
  list(s.variables, [this](const variable_declaration& v) {
    text(v.name);
    text(" ");
    if (v.table) {
      text("TABLE ");
      return definition(*v.table);
    }
    print(v.type);
    if (!v.value) return;
    text(" = ");
    print(*v.value);
  });
}

void printer::stmt(const set_variable_statement& s) {
  text("SET ");
  text(s.variable);
  text(" ");
  text(dragoman::tsql::text(s.op));
  text(" ");
  print(*s.value);
}

void printer::stmt(const set_option_statement& s) {
  text("SET ");
  bool statistics = false;
  list(s.options, [&](const std::string& name) {
    constexpr std::string_view prefix = "STATISTICS ";
    const bool again = statistics && name.starts_with(prefix);
    text(again ? std::string_view(name).substr(prefix.size()) : std::string_view(name));
    statistics = name.starts_with(prefix);
  });
  const bool table_first = s.values.size() == 2;
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    text(" ");
    const std::string& value = s.values[i];
    (table_first && i == 0) || is_plain_word(value) ? text(value) : string(value, true);
  }
}

void printer::stmt(const if_statement& s) {
  text("IF ");
  print(*s.condition);
  line();
  print(*s.then);
  if (!s.otherwise) return;
  line();
  text("ELSE ");
  print(*s.otherwise);
}

void printer::stmt(const while_statement& s) {
  text("WHILE ");
  print(*s.condition);
  line();
  print(*s.body);
}

void printer::stmt(const block_statement& s) {
  text("BEGIN");
  indent();
  line();
  print(s.statements);
  outdent();
  line();
  text("END");
}

void printer::stmt(const try_catch_statement& s) {
  text("BEGIN TRY");
  indent();
  line();
  print(s.body);
  outdent();
  line();
  text("END TRY");
  line();
  text("BEGIN CATCH");
  indent();
  line();
  print(s.handler);
  outdent();
  line();
  text("END CATCH");
}

void printer::stmt(const flow_statement& s) {
  text(s.kind == flow_kind::break_ ? "BREAK" : s.kind == flow_kind::continue_ ? "CONTINUE" : "RETURN");
  if (!s.value) return;
  text(" ");
  print(*s.value);
}

void printer::stmt(const transaction_statement& s) {
  static constexpr std::string_view names[] = {"BEGIN TRANSACTION", "COMMIT TRANSACTION", "ROLLBACK TRANSACTION",
                                               "SAVE TRANSACTION"};
  text(names[static_cast<std::size_t>(s.kind)]);
  if (s.name.empty()) return;
  text(" ");
  s.name[0] == '@' ? text(s.name) : print(identifier{s.name});
}

void printer::stmt(const print_statement& s) {
  text("PRINT ");
  print(*s.value);
}

void printer::stmt(const raiserror_statement& s) {
  text("RAISERROR(");
  values(s.arguments);
  text(")");
  if (s.options.empty()) return;
  text(" WITH ");
  list(s.options, [this](const std::string& o) { text(o); });
}

void printer::stmt(const throw_statement& s) {
  text("THROW");
  if (s.arguments.empty()) return;
  text(" ");
  values(s.arguments);
}

void printer::stmt(const use_statement& s) {
  text("USE ");
  print(s.database);
}

void printer::stmt(const execute_statement& s) {
  if (!s.implicit) text("EXEC ");
  if (!s.strings.empty()) {
    text("(");
    values(s.strings);
    return text(")");
  }
  if (!s.status_variable.empty()) {
    text(s.status_variable);
    text(" = ");
  }
  s.procedure_variable.empty() ? print(s.procedure) : text(s.procedure_variable);
  if (!s.arguments.empty()) text(" ");
  list(s.arguments, [this](const execute_argument& a) {
    if (!a.parameter.empty()) {
      text(a.parameter);
      text(" = ");
    }
    print(*a.value);
    if (a.output) text(" OUTPUT");
  });
}

void printer::column(const column_definition& c) {
  print(c.name);
  if (c.computed) {
    text(" AS ");
    return print(*c.computed);
  }
  text(" ");
  print(c.type);
  if (!c.collation.empty()) {
    text(" COLLATE ");
    print(c.collation);
  }
  if (c.identity) {
    text(" IDENTITY");
    if (!c.identity_seed.empty()) {
      text("(");
      text(c.identity_seed);
      text(", ");
      text(c.identity_increment);
      text(")");
    }
  }
  if (c.nullable) text(*c.nullable ? " NULL" : " NOT NULL");
  if (c.primary_key) text(" PRIMARY KEY");
  if (c.unique) text(" UNIQUE");
  if (c.default_value) {
    text(" DEFAULT ");
    print(*c.default_value);
  }
  if (c.check) {
    text(" CHECK (");
    print(*c.check);
    text(")");
  }
}

void printer::definition(const table_definition& d) {
  text("(");
  list(d.columns, [this](const column_definition& c) { column(c); });
  for (const table_constraint& c : d.constraints) {
    text(", ");
    if (c.kind == table_constraint_kind::check) {
      text("CHECK (");
      print(*c.check);
      text(")");
      continue;
    }
    text(c.kind == table_constraint_kind::primary_key ? "PRIMARY KEY (" : "UNIQUE (");
    list(c.columns, [this](const order_item& i) {
      print(*i.value);
      if (i.descending) text(" DESC");
    });
    text(")");
  }
  text(")");
}

void printer::stmt(const create_table_statement& s) {
  text("CREATE TABLE ");
  print(s.table);
  text(" ");
  definition(s.definition);
}

void printer::stmt(const drop_table_statement& s) {
  text(s.if_exists ? "DROP TABLE IF EXISTS " : "DROP TABLE ");
  list(s.tables, [this](const object_name& n) { print(n); });
}

void printer::stmt(const insert_statement& s) {
  text("INSERT INTO ");
  s.table_variable.empty() ? print(s.table) : text(s.table_variable);
  if (!s.columns.empty()) {
    text(" ");
    parenthesised_names(s.columns);
  }
  line();
  if (s.default_values) return text("DEFAULT VALUES");
  if (!s.rows.empty()) return rows(s.rows);
  if (s.execute) return stmt(*s.execute);
  print(*s.query);
}

// Its text is not kept, and it runs nowhere: only its kind can be shown.
void printer::stmt(const other_statement& s) {
  text(s.kind);
}

}  // namespace dragoman::tsql
