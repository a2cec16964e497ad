// SET @variable and SET option (T-SQL reference: "SET @local_variable", "SET statements").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

statement_node parser::parse_set() {
  if (peek(1).kind != token_kind::variable) return parse_set_option();
  if (next_is(2, symbol::dot) || next_is(3, keyword::cursor_)) return parse_other();  // @xml.modify(…), a cursor
  advance();
  set_variable_statement node;
  node.variable = value_of(cur());
  advance();
  const auto op = accept_assignment();
  if (!op) return fail_here(), node;
  node.op = *op;
  node.value = parse_value();
  return node;
}

// SET option [, option …] value
statement_node parser::parse_set_option() {
  advance();
  set_option_statement node;
  if (!at(token_kind::word)) return fail_here(), node;
  if (accept(keyword::transaction_) || accept(keyword::tran_)) {
    expect(keyword::isolation_);
    expect(keyword::level_);
    node.options.push_back("TRANSACTION ISOLATION LEVEL");
    std::string level = upper(cur());
    const bool two = at(keyword::read_) || level == "REPEATABLE";
    expect(token_kind::word);
    if (two) {
      level += " " + upper(cur());
      expect(token_kind::word);
    }
    node.values.push_back(std::move(level));
    return node;
  }
  if (accept(keyword::identity_insert_)) {
    node.options.push_back("IDENTITY_INSERT");
    const token& start = cur();
    parse_object_name(4);
    node.values.push_back(
        std::string(text_.substr(start.offset, ok() ? at_[-1].offset + at_[-1].length - start.offset : 0)));
    node.values.push_back(upper(cur()));
    if (!accept(keyword::on_)) expect(keyword::off_);
    return node;
  }
  const std::string prefix = accept(keyword::statistics_) ? "STATISTICS " : "";
  do {
    node.options.push_back(prefix + upper(cur()));
    expect(token_kind::word);
  } while (accept(symbol::comma));
  std::string value = accept(symbol::minus) ? "-" : "";
  switch (cur().kind) {
    case token_kind::string:
    case token_kind::unicode_string:
    case token_kind::quoted_name:
    case token_kind::variable: value += value_of(cur()); break;
    case token_kind::word: value += upper(cur()); break;
    case token_kind::integer:
    case token_kind::decimal:
    case token_kind::binary: value += value_of(cur()); break;
    default: return fail_here(), node;
  }
  advance();
  node.values.push_back(std::move(value));
  return node;
}

}  // namespace dragoman::tsql
