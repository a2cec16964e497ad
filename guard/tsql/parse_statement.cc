// Statements of a batch and control of flow (T-SQL reference: "Control-of-flow", "Transactions").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

std::string_view kind_name(const statement& s) {
  return std::visit(
      overloaded{
          [](const select_statement&) -> std::string_view { return "SELECT"; },
          [](const declare_statement&) -> std::string_view { return "DECLARE"; },
          [](const set_variable_statement&) -> std::string_view { return "SET"; },
          [](const set_option_statement&) -> std::string_view { return "SET"; },
          [](const if_statement&) -> std::string_view { return "IF"; },
          [](const while_statement&) -> std::string_view { return "WHILE"; },
          [](const block_statement&) -> std::string_view { return "BEGIN"; },
          [](const try_catch_statement&) -> std::string_view { return "BEGIN TRY"; },
          [](const flow_statement& f) -> std::string_view {
            return f.kind == flow_kind::break_ ? "BREAK" : f.kind == flow_kind::continue_ ? "CONTINUE" : "RETURN";
          },
          [](const transaction_statement& t) -> std::string_view {
            static constexpr std::string_view names[] = {"BEGIN TRANSACTION", "COMMIT", "ROLLBACK", "SAVE TRANSACTION"};
            return names[static_cast<std::size_t>(t.kind)];
          },
          [](const print_statement&) -> std::string_view { return "PRINT"; },
          [](const raiserror_statement&) -> std::string_view { return "RAISERROR"; },
          [](const throw_statement&) -> std::string_view { return "THROW"; },
          [](const use_statement&) -> std::string_view { return "USE"; },
          [](const execute_statement&) -> std::string_view { return "EXECUTE"; },
          [](const create_table_statement&) -> std::string_view { return "CREATE TABLE"; },
          [](const drop_table_statement&) -> std::string_view { return "DROP TABLE"; },
          [](const insert_statement&) -> std::string_view { return "INSERT"; },
          [](const other_statement& o) -> std::string_view { return o.kind; }},
      s.node);
}

batch parser::whole_batch() {
  in_batch_ = true;
  batch b;
  while (accept(symbol::semicolon)) {
  }
  while (ok() && !done()) b.statements.push_back(parse_statement());
  return b;
}

statement parser::parse_statement() {
  nesting inside(*this);
  statement s;
  const token* const start = at_;
  s.pos = pos(cur());
  count_node();
  s.node = parse_statement_node();
  if (ok() && at_ == start) fail_here();
  if (at_ != first_) s.end_offset = at_[-1].offset + at_[-1].length;
  while (accept(symbol::semicolon)) {
  }
  return s;
}

// Up to END, which stays unread.
std::vector<statement> parser::parse_statements_until_end() {
  std::vector<statement> statements;
  while (accept(symbol::semicolon)) {
  }
  while (ok() && !done() && !at(keyword::end_)) statements.push_back(parse_statement());
  if (statements.empty()) fail_here();  // BEGIN END holds at least one statement
  return statements;
}

// BEGIN … END, BEGIN TRY … END CATCH, BEGIN TRANSACTION
statement_node parser::parse_begin() {
  if (next_is(1, keyword::tran_) || next_is(1, keyword::transaction_)) {
    advance();
    return parse_transaction(transaction_kind::begin);
  }
  if (next_is(1, keyword::distributed_) ||
      (peek(1).kind == token_kind::word &&
       (upper(peek(1)) == "DIALOG" || upper(peek(1)) == "CONVERSATION" || upper(peek(1)) == "ATOMIC"))) {
    return parse_other();
  }
  advance();
  if (!accept(keyword::try_)) {
    block_statement block{parse_statements_until_end()};
    expect(keyword::end_);
    return block;
  }
  try_catch_statement node;
  node.body = parse_statements_until_end();
  expect(keyword::end_);
  expect(keyword::try_);
  while (accept(symbol::semicolon)) {
  }
  expect(keyword::begin_);
  expect(keyword::catch_);
  while (accept(symbol::semicolon)) {
  }
  if (!at(keyword::end_)) node.handler = parse_statements_until_end();
  expect(keyword::end_);
  expect(keyword::catch_);
  return node;
}

statement_node parser::parse_if() {
  advance();
  if_statement node;
  node.condition = parse_condition();
  node.then = parse_statement();
  if (accept(keyword::else_)) node.otherwise = parse_statement();
  return node;
}

statement_node parser::parse_while() {
  advance();
  while_statement node;
  node.condition = parse_condition();
  node.body = parse_statement();
  return node;
}

// The keyword before TRAN[SACTION] is read. [TRAN | TRANSACTION | WORK] [name | @variable] [WITH MARK ['text']]
statement_node parser::parse_transaction(transaction_kind kind) {
  transaction_statement node;
  node.kind = kind;
  bool named = accept(keyword::tran_) || accept(keyword::transaction_);
  if (!named && kind != transaction_kind::begin && kind != transaction_kind::save) accept(keyword::work_);
  if (named && (at_name() || at(token_kind::variable))) {
    node.name = value_of(cur());
    advance();
  }
  if (kind == transaction_kind::save && node.name.empty()) fail_here();
  if (kind == transaction_kind::begin && at(keyword::with_) && next_is(1, keyword::mark_)) {
    advance();
    advance();
    if (is_string(cur())) advance();
  }
  return node;
}

// RAISERROR(message, severity, state [, argument …]) [WITH option, …]
statement_node parser::parse_raiserror() {
  advance();
  raiserror_statement node;
  expect(symbol::left_paren);
  do {
    node.arguments.push_back(parse_constant());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  if (accept(keyword::with_)) {
    do {
      node.options.push_back(upper(cur()));
      expect(token_kind::word);
    } while (accept(symbol::comma));
  }
  return node;
}

// A statement that is only named. Its text ends at a semicolon or where another statement begins; the definition of
// a module takes the rest of the batch.
statement_node parser::parse_other() {
  other_statement node;
  node.kind = upper(cur());
  const keyword first = cur().word;
  if ((first == keyword::create_ || first == keyword::alter_ || first == keyword::drop_ || first == keyword::begin_) &&
      peek(1).kind == token_kind::word) {
    node.kind += " " + upper(peek(1));
  }
  const keyword second = peek(1).word;
  const bool defines = first == keyword::create_ || first == keyword::alter_;
  const bool module = defines && (second == keyword::proc_ || second == keyword::procedure_ ||
                                  second == keyword::function_ || second == keyword::trigger_ ||
                                  second == keyword::view_ || second == keyword::or_ || second == keyword::schema_);
  // MERGE holds the keywords of other statements, and so does a WITH before DML.
  const bool whole = module || first == keyword::merge_ || first == keyword::with_;
  advance();
  std::size_t depth = 0;
  std::size_t cases = 0;  // an ELSE or END inside a CASE ends no statement
  while (!done()) {
    if (at(keyword::case_)) ++cases;
    if (at(keyword::end_) && cases > 0) {
      --cases;
      advance();
      continue;
    }
    if (at(symbol::left_paren)) ++depth;
    if (at(symbol::right_paren) && depth > 0) --depth;
    if (depth == 0 && at(symbol::semicolon) && !module) break;
    if (depth == 0 && !whole && cases == 0 && (at(keyword::end_) || at(keyword::else_))) break;
    const bool continues =
        at(keyword::set_) || at(keyword::with_) || first == keyword::grant_ || first == keyword::deny_ ||
        first == keyword::revoke_ || defines || (at(keyword::select_) && first == keyword::insert_) ||
        (at(keyword::if_) && first == keyword::drop_) || (at_[-1].word == keyword::for_ && at(keyword::select_));
    if (depth == 0 && !whole && !continues && at_statement_start(cur())) break;
    advance();
  }
  return node;
}

statement_node parser::parse_statement_node() {
  const token* const start = at_;
  // What the sandbox reads in full, or else names only.
  const auto or_other = [&](auto read) -> statement_node {
    statement_node node = read();
    if (ok() || error_->code == errc::too_complex) return node;
    error_.reset();
    at_ = start;
    return parse_other();
  };
  switch (cur().word) {
    case keyword::select_: return parse_select_statement();
    case keyword::with_: {
      if (upper(peek(1)) == "CHANGE_TRACKING_CONTEXT") return parse_other();
      statement_node node = parse_select_statement();
      if (ok() || error_->code != errc::not_read_only) return node;
      error_.reset();
      at_ = start;
      return parse_other();
    }
    case keyword::declare_: {
      statement_node node = parse_declare();
      if (ok() || error_->code != errc::unsupported_construct) return node;
      error_.reset();
      at_ = start;
      return parse_other();
    }
    case keyword::set_: return parse_set();
    case keyword::if_: return parse_if();
    case keyword::while_: return parse_while();
    case keyword::begin_: return parse_begin();
    case keyword::break_: advance(); return flow_statement{flow_kind::break_, {}};
    case keyword::continue_: advance(); return flow_statement{flow_kind::continue_, {}};
    case keyword::return_: {
      advance();
      flow_statement node;
      if (!done() && !at(symbol::semicolon) && !at_statement_start(cur()) && !at(keyword::end_) &&
          !at(keyword::else_)) {
        node.value = parse_value();
      }
      return node;
    }
    case keyword::commit_: advance(); return parse_transaction(transaction_kind::commit);
    case keyword::rollback_: advance(); return parse_transaction(transaction_kind::rollback);
    case keyword::save_: advance(); return parse_transaction(transaction_kind::save);
    case keyword::print_: advance(); return print_statement{parse_value()};
    case keyword::raiserror_: return or_other([this] { return parse_raiserror(); });
    case keyword::use_: advance(); return use_statement{parse_identifier()};
    case keyword::exec_:
    case keyword::execute_: return or_other([this] { return parse_execute(false); });
    case keyword::create_: return or_other([this] { return parse_create(); });
    case keyword::drop_: return or_other([this] { return parse_drop(); });
    case keyword::insert_: return or_other([this] { return parse_insert(); });
    case keyword::throw_:
      if (peek(1).kind == token_kind::end || next_is(1, symbol::semicolon) || is_reserved(peek(1).word) ||
          peek(1).kind == token_kind::integer || peek(1).kind == token_kind::variable) {
        advance();
        throw_statement node;
        if (at(token_kind::integer) || at(token_kind::variable)) {
          do {
            node.arguments.push_back(parse_constant());
          } while (accept(symbol::comma));
          if (node.arguments.size() != 3) fail_here();
        }
        return node;
      }
      break;
    default: break;
  }
  if (at(symbol::left_paren)) return parse_select_statement();
  if (at_statement_start(cur())) return parse_other();
  if (at_name() && next_is(1, symbol::colon)) {
    advance();
    advance();
    return other_statement{"LABEL"};
  }
  static constexpr keyword named[] = {keyword::enable_, keyword::disable_, keyword::receive_,
                                      keyword::send_,   keyword::get_,     keyword::move_};
  for (keyword word : named) {
    if (at(word) && peek(1).kind == token_kind::word && (start != first_ || is_reserved(peek(1).word))) {
      return parse_other();
    }
  }
  if (at_name_or_dot() && start == first_) return parse_execute(true);
  fail_here();
  return other_statement{};
}

}  // namespace dragoman::tsql
