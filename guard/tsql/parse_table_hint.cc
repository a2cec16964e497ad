// Table hints (T-SQL reference: "Table hints").
#include "guard/tsql/parser_core.h"
#include "guard/tsql/table_hints.h"

namespace dragoman::tsql {
// t (NOLOCK), t (INDEX = 1), t (INDEX (ix)): a hint, not the arguments of a function.
bool parser::at_old_style_hint() const {
  if (!at(symbol::left_paren)) return false;
  if (next_is(1, keyword::index_)) return true;
  return peek(1).kind == token_kind::word && next_is(2, symbol::right_paren) && is_table_hint(upper(peek(1)));
}

table_hint parser::parse_table_hint() {
  table_hint hint;
  count_node();
  hint.pos = pos(cur());
  const auto index_name = [this] {
    identifier name;
    if (at(token_kind::integer) || at_name()) {
      name.value = value_of(cur());
      advance();
    } else {
      fail_here();
    }
    return name;
  };
  const token& start = cur();
  if (!at(token_kind::word)) return fail_here(), hint;
  hint.name = upper(start);
  advance();
  if (start.word == keyword::index_) {
    if (accept(symbol::equal) && !at(symbol::left_paren)) {
      hint.indexes.push_back(index_name());
      return hint;
    }
    expect(symbol::left_paren);
    do {
      hint.indexes.push_back(index_name());
    } while (accept(symbol::comma));
    expect(symbol::right_paren);
  } else if (start.word == keyword::forceseek_ && accept(symbol::left_paren)) {
    hint.indexes.push_back(index_name());
    hint.columns = parse_identifier_list();
    expect(symbol::right_paren);
  } else if (hint.name == "SPATIAL_WINDOW_MAX_CELLS") {
    expect(symbol::equal);
    if (!at(token_kind::integer)) return fail_here(), hint;
    hint.value = parse_literal();
  } else if (!is_table_hint(hint.name)) {
    fail_at(start);
  }
  return hint;
}

// ( hint [,] hint … ); a bare number is the index of the oldest style.
void parser::parse_table_hints(std::vector<table_hint>& hints) {
  expect(symbol::left_paren);
  if (at(token_kind::integer)) {
    table_hint hint;
    hint.name = "INDEX";
    hint.indexes.push_back({value_of(cur())});
    hint.pos = pos(cur());
    hints.push_back(std::move(hint));
    advance();
  } else {
    do {
      hints.push_back(parse_table_hint());
    } while (ok() && (accept(symbol::comma) || !at(symbol::right_paren)));
  }
  expect(symbol::right_paren);
}

}  // namespace dragoman::tsql
