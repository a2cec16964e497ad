// DECLARE and the definition of tables (T-SQL reference: "DECLARE @local_variable", "table", "CREATE TABLE").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

variable_declaration parser::parse_variable_declaration() {
  variable_declaration v;
  count_node();
  if (!at(token_kind::variable)) return fail_here(), v;
  v.name = value_of(cur());
  advance();
  accept(keyword::as_);
  if (accept(keyword::table_)) {
    v.table = parse_table_definition();
    return v;
  }
  if (at(keyword::cursor_)) {
    fail_unsupported(cur(), "A cursor variable");
    return v;
  }
  v.type = parse_data_type();
  if (accept(symbol::equal)) v.value = parse_value();
  return v;
}

statement_node parser::parse_declare() {
  if (peek(1).kind != token_kind::variable || next_is(2, keyword::cursor_)) return parse_other();
  advance();
  declare_statement node;
  do {
    node.variables.push_back(parse_variable_declaration());
  } while (accept(symbol::comma));
  return node;
}

// One of NULL, NOT NULL, IDENTITY, PRIMARY KEY, UNIQUE, DEFAULT, CHECK, COLLATE. False when none is there.
bool parser::parse_column_constraint(column_definition& column) {
  if (accept(keyword::constraint_)) parse_identifier();
  if (accept(keyword::null_)) {
    column.nullable = true;
  } else if (at(keyword::not_) && next_is(1, keyword::null_)) {
    advance();
    advance();
    column.nullable = false;
  } else if (accept(keyword::identity_)) {
    column.identity = true;
    if (accept(symbol::left_paren)) {
      const auto number = [this] {
        std::string value = accept(symbol::minus) ? "-" : "";
        value += raw(cur());
        expect(token_kind::integer);
        return value;
      };
      column.identity_seed = number();
      expect(symbol::comma);
      column.identity_increment = number();
      expect(symbol::right_paren);
    }
  } else if (at(keyword::primary_) || at(keyword::unique_)) {
    (at(keyword::primary_) ? column.primary_key : column.unique) = true;
    const bool key = at(keyword::primary_);
    advance();
    if (key) expect(keyword::key_);
    if (!accept(keyword::clustered_)) accept(keyword::nonclustered_);
  } else if (accept(keyword::default_)) {
    column.default_value = parse_value();
  } else if (accept(keyword::check_)) {
    expect(symbol::left_paren);
    column.check = parse_condition();
    expect(symbol::right_paren);
  } else if (accept(keyword::collate_)) {
    column.collation = parse_identifier();
  } else {
    return false;
  }
  return true;
}

column_definition parser::parse_column_definition() {
  column_definition column;
  count_node();
  column.name = parse_identifier();
  if (accept(keyword::as_)) {
    column.computed = parse_value();
    accept(keyword::persisted_);
    return column;
  }
  column.type = parse_data_type();
  while (ok() && parse_column_constraint(column)) {
  }
  return column;
}

table_constraint parser::parse_table_constraint() {
  table_constraint constraint;
  if (accept(keyword::constraint_)) parse_identifier();
  if (accept(keyword::check_)) {
    constraint.kind = table_constraint_kind::check;
    expect(symbol::left_paren);
    constraint.check = parse_condition();
    expect(symbol::right_paren);
    return constraint;
  }
  if (accept(keyword::primary_)) {
    expect(keyword::key_);
  } else {
    expect(keyword::unique_);
    constraint.kind = table_constraint_kind::unique;
  }
  if (!accept(keyword::clustered_)) accept(keyword::nonclustered_);
  expect(symbol::left_paren);
  do {
    order_item item{parse_fixed_column(), false};
    if (!accept(keyword::asc_)) item.descending = accept(keyword::desc_);
    constraint.columns.push_back(std::move(item));
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  return constraint;
}

table_definition parser::parse_table_definition() {
  nesting inside(*this);
  table_definition definition;
  expect(symbol::left_paren);
  do {
    if (at(symbol::right_paren) && !definition.columns.empty()) break;  // a comma before the end is allowed
    if (at(keyword::constraint_) || at(keyword::primary_) || at(keyword::unique_) || at(keyword::check_)) {
      definition.constraints.push_back(parse_table_constraint());
    } else {
      definition.columns.push_back(parse_column_definition());
    }
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  return definition;
}

}  // namespace dragoman::tsql
