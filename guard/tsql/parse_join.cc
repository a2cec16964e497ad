// FROM: comma lists, joins, APPLY, PIVOT and UNPIVOT (T-SQL reference: "FROM clause plus JOIN, APPLY, PIVOT").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

std::vector<table_source> parser::parse_from() {
  std::vector<table_source> tables;
  do {
    tables.push_back(parse_joined_table());
  } while (accept(symbol::comma));
  return tables;
}

table_source parser::parse_joined_table() {
  if (at(symbol::left_brace) && next_is(1, keyword::oj_)) {  // {oj a LEFT OUTER JOIN b ON …}
    nesting inside(*this);
    advance();
    advance();
    table_source joined = parse_joined_table();
    expect(symbol::right_brace);
    return joined;
  }
  return continue_joins(parse_table_primary());
}

// [INNER | LEFT | RIGHT | FULL [OUTER]] [hint] JOIN, CROSS JOIN, CROSS APPLY, OUTER APPLY. True when one was taken.
bool parser::parse_join_start(joined_table& join) {
  if (accept(keyword::join_)) return true;
  if (at(keyword::cross_)) {
    advance();
    join.kind = at(keyword::apply_) ? join_kind::cross_apply : join_kind::cross;
    return join.kind == join_kind::cross_apply ? accept(keyword::apply_) : expect(keyword::join_);
  }
  if (at(keyword::outer_)) {
    advance();
    join.kind = join_kind::outer_apply;
    return expect(keyword::apply_);
  }
  switch (cur().word) {
    case keyword::inner_: join.kind = join_kind::inner; break;
    case keyword::left_: join.kind = join_kind::left; break;
    case keyword::right_: join.kind = join_kind::right; break;
    case keyword::full_: join.kind = join_kind::full; break;
    default: return false;
  }
  const bool outer = !at(keyword::inner_);
  advance();
  if (outer) accept(keyword::outer_);
  if (at(keyword::local_) && !next_is(1, keyword::join_)) advance();  // says what is the default
  switch (cur().word) {
    case keyword::loop_: join.hint = join_hint::loop; break;
    case keyword::hash_: join.hint = join_hint::hash; break;
    case keyword::merge_: join.hint = join_hint::merge; break;
    case keyword::remote_: join.hint = join_hint::remote; break;
    case keyword::reduce_: join.hint = join_hint::reduce; break;
    case keyword::replicate_: join.hint = join_hint::replicate; break;
    case keyword::redistribute_: join.hint = join_hint::redistribute; break;
    default: break;
  }
  if (join.hint != join_hint::none) advance();
  return expect(keyword::join_);
}

// What follows a table applies to everything read so far. The right side of a JOIN … ON takes in the joins before
// its ON (a JOIN b JOIN c ON … ON …); that of CROSS JOIN and APPLY is one table.
table_source parser::continue_joins(table_source left) {
  chain links(*this);
  while (ok()) {
    const token& start = cur();
    if (at(keyword::pivot_)) {
      left = parse_pivot(std::move(left));
    } else if (at(keyword::unpivot_)) {
      left = parse_unpivot(std::move(left));
    } else {
      joined_table join;
      if (!parse_join_start(join)) break;
      join.left = std::move(left);
      if (join.kind == join_kind::cross || join.kind == join_kind::cross_apply || join.kind == join_kind::outer_apply) {
        join.right = parse_table_primary();
      } else {
        nesting inside(*this);
        join.right = parse_joined_table();
        expect(keyword::on_);
        join.on = parse_condition();
      }
      left = table(std::move(join), start);
    }
    links.link();
  }
  return left;
}

// A column without calls or expressions around it.
expression parser::parse_fixed_column() {
  const token& start = cur();
  if (!at_name_or_dot() && !at(keyword::identitycol_) && !at(keyword::rowguidcol_) && !at(token_kind::dollar_word)) {
    return fail_here(), expression{};
  }
  if (at(keyword::identitycol_) || at(keyword::rowguidcol_) || at(token_kind::dollar_word))
    return parse_special_column();
  if (is_name(cur()) && next_is(1, symbol::dot) &&
      (peek(2).kind == token_kind::dollar_word || next_is(2, keyword::identitycol_) ||
       next_is(2, keyword::rowguidcol_))) {
    return parse_name_or_call();
  }
  const object_name name = parse_object_name(4);
  column_ref column;
  column.name = name.name;
  column.table.name = name.schema;
  column.table.schema = name.database;
  column.table.database = name.server;
  column.table.pos = pos(start);
  require_table(column.table, start);
  return make(std::move(column), start);
}

// PIVOT (aggregate(column) FOR column IN ([a], [b])) AS alias
table_source parser::parse_pivot(table_source source) {
  nesting inside(*this);
  const token& start = cur();
  pivoted_table node;
  node.source = std::move(source);
  advance();
  expect(symbol::left_paren);
  node.aggregate = parse_object_name(4);
  expect(symbol::left_paren);
  do {
    node.arguments.push_back(parse_fixed_column());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  expect(keyword::for_);
  node.pivot_column = parse_fixed_column();
  expect(keyword::in_);
  node.values = parse_identifier_list();
  expect(symbol::right_paren);
  node.alias = parse_table_alias(true, false);
  return table(std::move(node), start);
}

// UNPIVOT (value FOR name IN (a, b)) AS alias
table_source parser::parse_unpivot(table_source source) {
  nesting inside(*this);
  const token& start = cur();
  unpivoted_table node;
  node.source = std::move(source);
  advance();
  expect(symbol::left_paren);
  node.value_column = parse_identifier();
  expect(keyword::for_);
  node.name_column = parse_identifier();
  expect(keyword::in_);
  expect(symbol::left_paren);
  do {
    node.columns.push_back(parse_fixed_column());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  expect(symbol::right_paren);
  node.alias = parse_table_alias(true, false);
  return table(std::move(node), start);
}

}  // namespace dragoman::tsql
