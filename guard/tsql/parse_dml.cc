// CREATE TABLE, DROP TABLE and INSERT, as far as batches on temporary tables use them.
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

statement_node parser::parse_create() {
  advance();
  expect(keyword::table_);
  create_table_statement node;
  node.table = parse_object_name(4);
  node.definition = parse_table_definition();
  // Storage clauses (ON filegroup, WITH (…), AS NODE) are for tables that the sandbox does not make.
  const bool storage = !at_statement_start(cur()) || (at(keyword::with_) && next_is(1, symbol::left_paren));
  if (storage && !done() && !at(symbol::semicolon) && !at(keyword::end_) && !at(keyword::else_)) fail_here();
  return node;
}

statement_node parser::parse_drop() {
  advance();
  expect(keyword::table_);
  drop_table_statement node;
  if (accept(keyword::if_)) {
    expect(keyword::exists_);
    node.if_exists = true;
  }
  do {
    node.tables.push_back(parse_object_name(4));
  } while (accept(symbol::comma));
  return node;
}

// INSERT [INTO] target [(columns)] VALUES … | SELECT … | EXEC … | DEFAULT VALUES
statement_node parser::parse_insert() {
  advance();
  accept(keyword::into_);
  insert_statement node;
  if (at(token_kind::variable)) {
    node.table_variable = value_of(cur());
    advance();
  } else {
    node.table = parse_object_name(4);
  }
  if (at(symbol::left_paren) && !next_is(1, keyword::select_) && !next_is(1, symbol::left_paren)) {
    node.columns = parse_identifier_list();
  }
  if (accept(keyword::default_)) {
    expect(keyword::values_);
    node.default_values = true;
  } else if (accept(keyword::values_)) {
    node.rows = parse_value_rows(true);
  } else if (at(keyword::exec_) || at(keyword::execute_)) {
    statement_node execute = parse_execute(false);
    node.execute = std::get<execute_statement>(std::move(execute));
  } else {
    in_batch_ = false;  // neither INTO nor assignments inside an INSERT
    node.query = parse_select_statement();
    in_batch_ = true;
  }
  return node;
}

}  // namespace dragoman::tsql
