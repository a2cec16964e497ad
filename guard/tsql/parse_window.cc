// OVER, the WINDOW clause, frames, ORDER BY (T-SQL reference: "OVER clause", "WINDOW", "ORDER BY clause").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

std::vector<order_item> parser::parse_order_by() {
  std::vector<order_item> items;
  expect(keyword::order_);
  expect(keyword::by_);
  do {
    order_item item{parse_value(), false};
    if (!accept(keyword::asc_)) item.descending = accept(keyword::desc_);
    items.push_back(std::move(item));
  } while (accept(symbol::comma));
  return items;
}

over_clause parser::parse_over() {
  nesting inside(*this);
  over_clause over;
  advance();
  if (at_name()) {
    over.window = parse_identifier();
    return over;
  }
  expect(symbol::left_paren);
  over.definition = parse_window_definition();
  expect(symbol::right_paren);
  return over;
}

// [base] [PARTITION BY …] [ORDER BY …] [ROWS … | RANGE …]
window_definition parser::parse_window_definition() {
  window_definition w;
  const auto at_partition = [this] { return at(keyword::partition_) && next_is(1, keyword::by_); };
  const auto at_frame = [this] {
    return (at(keyword::rows_) || at(keyword::range_)) && !next_is(1, symbol::right_paren) &&
           !next_is(1, keyword::order_) && !next_is(1, keyword::partition_);
  };
  if (at_name() && !at_partition() && !at_frame()) w.base = parse_identifier();
  if (at_partition()) {
    advance();
    advance();
    w.partition_by = parse_value_list();
  }
  if (at(keyword::order_)) w.order_by = parse_order_by();
  if (at_frame()) w.frame = parse_frame();
  return w;
}

window_frame parser::parse_frame() {
  window_frame frame;
  frame.unit = at(keyword::rows_) ? frame_unit::rows : frame_unit::range;
  advance();
  if (!accept(keyword::between_)) {
    frame.start = parse_frame_bound();
    return frame;
  }
  frame.start = parse_frame_bound();
  expect(keyword::and_);
  frame.end = parse_frame_bound();
  return frame;
}

// UNBOUNDED PRECEDING, 3 FOLLOWING, CURRENT ROW. The offset is an unsigned integer.
frame_bound parser::parse_frame_bound() {
  frame_bound bound;
  if (accept(keyword::current_)) {
    expect(keyword::row_);
    return bound;
  }
  const bool unbounded = accept(keyword::unbounded_);
  if (!unbounded) {
    if (!at(token_kind::integer)) return fail_here(), bound;
    bound.offset = parse_literal();
  }
  if (accept(keyword::preceding_)) {
    bound.kind = unbounded ? frame_bound_kind::unbounded_preceding : frame_bound_kind::preceding;
  } else {
    expect(keyword::following_);
    bound.kind = unbounded ? frame_bound_kind::unbounded_following : frame_bound_kind::following;
  }
  return bound;
}

bool parser::at_window_clause() const {
  return at(keyword::window_) && is_name(peek(1)) && next_is(2, keyword::as_) && next_is(3, symbol::left_paren);
}

void parser::parse_windows(query_specification& spec) {
  advance();
  do {
    named_window w;
    w.name = parse_identifier();
    expect(keyword::as_);
    expect(symbol::left_paren);
    w.definition = parse_window_definition();
    expect(symbol::right_paren);
    spec.windows.push_back(std::move(w));
  } while (accept(symbol::comma));
}

}  // namespace dragoman::tsql
