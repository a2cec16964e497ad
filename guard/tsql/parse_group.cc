// GROUP BY and OFFSET … FETCH (T-SQL reference: "GROUP BY", "ORDER BY clause").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// What an element may be depends on what it stands in: only GROUP BY itself and GROUPING SETS take ROLLUP, CUBE and
// (); ROLLUP and CUBE take expressions and (a, b).
grouping_element parser::parse_grouping_element(grouping_kind within) {
  nesting inside(*this);
  grouping_element element;
  const bool top = within == grouping_kind::expression;
  const bool sets = within == grouping_kind::grouping_sets;
  const auto list = [&](grouping_kind kind) {
    element.kind = kind;
    expect(symbol::left_paren);
    do {
      element.elements.push_back(parse_grouping_element(kind));
    } while (accept(symbol::comma));
    expect(symbol::right_paren);
  };
  if ((top || sets) && (at_call(keyword::rollup_) || at_call(keyword::cube_))) {
    const grouping_kind kind = at(keyword::rollup_) ? grouping_kind::rollup : grouping_kind::cube;
    advance();
    list(kind);
  } else if (top && at(keyword::grouping_) && next_is(1, keyword::sets_)) {
    advance();
    advance();
    list(grouping_kind::grouping_sets);
  } else if ((top || sets) && at(symbol::left_paren) && next_is(1, symbol::right_paren)) {
    advance();
    advance();
    element.kind = grouping_kind::grand_total;
  } else if (!top && at(symbol::left_paren) && !next_is(1, keyword::select_)) {
    // (a, b); a single expression in parentheses, (a + b) * 2 included, is an expression.
    const token* const open = at_;
    advance();
    if (sets && (at_call(keyword::rollup_) || at_call(keyword::cube_))) {
      at_ = open;
      advance();
      element.kind = grouping_kind::composite;
      do {
        element.elements.push_back(parse_grouping_element(grouping_kind::grouping_sets));
      } while (accept(symbol::comma));
      expect(symbol::right_paren);
      return element;
    }
    element.expressions = parse_value_list();
    expect(symbol::right_paren);
    if (!at(symbol::comma) && !at(symbol::right_paren) && ok() && element.expressions.size() == 1) {
      at_ = open;
      element.expressions.clear();
      element.expressions.push_back(parse_value());
    }
    if (element.expressions.size() > 1) element.kind = grouping_kind::composite;
  } else {
    element.expressions.push_back(parse_value());
  }
  return element;
}

group_by_clause parser::parse_group_by() {
  group_by_clause group;
  advance();
  expect(keyword::by_);
  group.all = accept(keyword::all_);
  do {
    group.elements.push_back(parse_grouping_element(grouping_kind::expression));
  } while (accept(symbol::comma));
  if (accept(keyword::with_)) {
    group.legacy = at(keyword::cube_) ? legacy_grouping::with_cube : legacy_grouping::with_rollup;
    if (!accept(keyword::cube_)) expect(keyword::rollup_);
  }
  return group;
}

// FETCH FIRST | NEXT of an ORDER BY; FETCH NEXT FROM begins a cursor statement.
bool parser::at_fetch() const {
  if (!at(keyword::fetch_)) return false;
  const std::size_t i = next_is(1, keyword::approximate_) || next_is(1, keyword::approx_) ? 2 : 1;
  return (next_is(i, keyword::first_) || next_is(i, keyword::next_)) && !next_is(i + 1, keyword::from_);
}

void parser::parse_fetch(offset_fetch& node) {
  advance();
  node.fetch_approximate = accept(keyword::approximate_) || accept(keyword::approx_);
  if (!accept(keyword::first_)) expect(keyword::next_);
  node.fetch = parse_value();
  if (!accept(keyword::row_)) expect(keyword::rows_);
  expect(keyword::only_);
}

// OFFSET n ROWS [FETCH NEXT m ROWS ONLY], FETCH [APPROXIMATE] NEXT m ROWS ONLY
box<offset_fetch> parser::parse_offset() {
  offset_fetch node;
  if (at(keyword::fetch_)) {
    node.offset = make(literal{literal_kind::integer, "0"}, cur());
    parse_fetch(node);
    return node;
  }
  advance();
  node.offset = parse_value();
  if (!accept(keyword::row_)) expect(keyword::rows_);
  if (!at_fetch()) return node;
  const token& fetch = cur();
  parse_fetch(node);
  if (node.fetch_approximate) fail_at(fetch);
  return node;
}

}  // namespace dragoman::tsql
