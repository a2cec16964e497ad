// EXECUTE (T-SQL reference: "EXECUTE").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// [@name =] value [OUTPUT]. A bare word is a string.
execute_argument parser::parse_execute_argument() {
  execute_argument argument;
  if (at(token_kind::variable) && next_is(1, symbol::equal)) {
    argument.parameter = value_of(cur());
    advance();
    advance();
  }
  const token& start = cur();
  if (accept(keyword::default_)) {
    argument.value = make(literal{literal_kind::default_value, {}}, start);
  } else if (at_name()) {
    argument.value = make(literal{literal_kind::unicode_string, value_of(start)}, start);
    advance();
  } else {
    argument.value = parse_constant();
  }
  if (at(token_kind::word) && (accept(keyword::output_) || accept(keyword::out_))) argument.output = true;
  return argument;
}

// EXEC [@status =] name [arguments] [WITH RECOMPILE], EXEC ('text' + @more)
statement_node parser::parse_execute(bool implicit) {
  execute_statement node;
  node.implicit = implicit;
  if (!implicit) advance();
  if (accept(symbol::left_paren)) {
    do {
      node.strings.push_back(parse_value());
    } while (accept(symbol::comma));
    expect(symbol::right_paren);
    if (at(keyword::at_) || at(keyword::as_) || (at(keyword::with_) && upper(peek(1)) == "RESULT")) fail_here();
    return node;
  }
  if (at(token_kind::variable) && next_is(1, symbol::equal)) {
    node.status_variable = value_of(cur());
    advance();
    advance();
  }
  if (at(token_kind::variable)) {
    node.procedure_variable = value_of(cur());
    advance();
  } else {
    node.procedure = parse_object_name(4, true);
  }
  if (at(symbol::semicolon) && peek(1).kind == token_kind::integer) {  // name;1
    advance();
    advance();
  }
  const bool more =
      !done() && !at(symbol::semicolon) && !at_statement_start(cur()) && !at(keyword::end_) && !at(keyword::else_);
  if (more) {
    do {
      node.arguments.push_back(parse_execute_argument());
    } while (accept(symbol::comma));
  }
  if (at(keyword::with_) && upper(peek(1)) == "RECOMPILE") {
    advance();
    advance();
  }
  if (at(keyword::with_) && upper(peek(1)) == "RESULT") fail_here();  // WITH RESULT SETS
  return node;
}

}  // namespace dragoman::tsql
