// The entry points of parser.h.
#include "guard/tsql/parser.h"

#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

bool parser::at_statement_start(const token& t) const {
  switch (t.word) {
    case keyword::alter_:
    case keyword::backup_:
    case keyword::begin_:
    case keyword::break_:
    case keyword::bulk_:
    case keyword::checkpoint_:
    case keyword::close_:
    case keyword::commit_:
    case keyword::continue_:
    case keyword::create_:
    case keyword::dbcc_:
    case keyword::deallocate_:
    case keyword::declare_:
    case keyword::delete_:
    case keyword::deny_:
    case keyword::drop_:
    case keyword::exec_:
    case keyword::execute_:
    case keyword::fetch_:
    case keyword::goto_:
    case keyword::grant_:
    case keyword::if_:
    case keyword::insert_:
    case keyword::kill_:
    case keyword::lineno_:
    case keyword::merge_:
    case keyword::open_:
    case keyword::print_:
    case keyword::raiserror_:
    case keyword::readtext_:
    case keyword::reconfigure_:
    case keyword::restore_:
    case keyword::return_:
    case keyword::revert_:
    case keyword::revoke_:
    case keyword::rollback_:
    case keyword::save_:
    case keyword::select_:
    case keyword::set_:
    case keyword::setuser_:
    case keyword::shutdown_:
    case keyword::truncate_:
    case keyword::update_:
    case keyword::updatetext_:
    case keyword::use_:
    case keyword::waitfor_:
    case keyword::while_:
    case keyword::with_:
    case keyword::writetext_: return true;
    default: return false;
  }
}

select_statement parser::whole_query() {
  while (accept(symbol::semicolon)) {
  }
  if (done()) {
    fail_at(cur(), errc::syntax, "The statement is empty.");
    return {};
  }
  if (!at(keyword::select_) && !at(keyword::with_) && !at(symbol::left_paren)) {
    if (at(token_kind::word) || at(token_kind::quoted_name)) {
      const std::string shown(raw(cur()).substr(0, 64));
      fail_at(cur(), errc::not_read_only, "Only a SELECT may stand here, not '" + shown + "'.");
    } else {
      fail_here();
    }
    return {};
  }
  select_statement statement = parse_select_statement();
  const bool closed = at(symbol::semicolon);
  while (accept(symbol::semicolon)) {
  }
  if (ok() && !done()) {
    if (closed || at_statement_start(cur())) {
      fail_at(cur(), errc::multiple_statements, "Only one statement may stand here.");
    } else {
      fail_here();
    }
  }
  return statement;
}

expression parser::whole_expression() {
  expression e = parse_either();
  if (!done()) fail_here();
  return e;
}

data_type parser::whole_data_type() {
  data_type type = parse_data_type();
  if (!done()) fail_here();
  return type;
}

object_name parser::whole_object_name() {
  object_name name = parse_object_name(4);
  if (!done()) fail_here();
  return name;
}

std::vector<variable_declaration> parser::whole_parameters() {
  std::vector<variable_declaration> parameters;
  if (done()) return parameters;
  do {
    parameters.push_back(parse_variable_declaration());
    if (!accept(keyword::output_) && !accept(keyword::out_)) accept(keyword::readonly_);
  } while (accept(symbol::comma));
  if (!done()) fail_here();
  return parameters;
}

namespace {

template <class Read>
auto parse_whole(std::string_view text, const parse_options& options, Read read)
    -> result<decltype(read(std::declval<parser&>()))> {
  auto tokens = tokenize(text, {.quoted_identifier = options.quoted_identifier});
  if (!tokens) return tokens.error();
  parser p(text, *tokens);
  auto tree = read(p);
  if (p.error()) return *p.error();
  return tree;
}

}  // namespace

result<select_statement> parse_query(std::string_view text, const parse_options& options) {
  return parse_whole(text, options, [](parser& p) { return p.whole_query(); });
}

result<batch> parse_batch(std::string_view text, const parse_options& options) {
  return parse_whole(text, options, [](parser& p) { return p.whole_batch(); });
}

result<expression> parse_expression(std::string_view text, const parse_options& options) {
  return parse_whole(text, options, [](parser& p) { return p.whole_expression(); });
}

result<data_type> parse_data_type(std::string_view text) {
  return parse_whole(text, {}, [](parser& p) { return p.whole_data_type(); });
}

result<std::vector<variable_declaration>> parse_parameters(std::string_view text) {
  return parse_whole(text, {}, [](parser& p) { return p.whole_parameters(); });
}

result<object_name> parse_object_name(std::string_view text) {
  return parse_whole(text, {}, [](parser& p) { return p.whole_object_name(); });
}

}  // namespace dragoman::tsql
