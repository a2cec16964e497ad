// Primary expressions: literals, variables, names, CASE, parentheses, ODBC braces, and what may follow them.
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

expression parser::parse_literal() {
  const token& t = cur();
  literal node;
  switch (t.kind) {
    case token_kind::string: node.kind = literal_kind::string; break;
    case token_kind::unicode_string: node.kind = literal_kind::unicode_string; break;
    case token_kind::integer: node.kind = literal_kind::integer; break;
    case token_kind::decimal: node.kind = literal_kind::decimal; break;
    case token_kind::real: node.kind = literal_kind::real; break;
    case token_kind::money: node.kind = literal_kind::money; break;
    case token_kind::binary: node.kind = literal_kind::binary; break;
    default:
      if (!at(keyword::null_)) return fail_here(), expression{};
      advance();
      return make(std::move(node), t);
  }
  node.text = value_of(t);
  advance();
  return make(std::move(node), t);
}

// ( value ), ( condition ), ( query ). After more than one parenthesis only the inside tells: a subquery that a set
// operator follows was the left operand of a query.
expression parser::parse_parenthesised() {
  nesting inside(*this);
  const token& start = cur();
  advance();
  if (at(keyword::select_)) {
    query_expression query = parse_query_expression(query_place::nested);
    expect(symbol::right_paren);
    return make(scalar_subquery{std::move(query)}, start);
  }
  expression e = parse_either();
  if (auto* sub = e.as<scalar_subquery>(); sub != nullptr && (at_set_operator() || at(keyword::order_))) {
    query_expression query = parse_query_tail(std::move(*sub->query), query_place::nested);
    e = make(scalar_subquery{std::move(query)}, start);
  }
  expect(symbol::right_paren);
  return e;
}

expression parser::parse_case() {
  nesting inside(*this);
  const token& start = cur();
  advance();
  case_expression node;
  if (!at(keyword::when_)) node.operand = parse_value();
  const bool simple = static_cast<bool>(node.operand);
  do {
    case_branch branch;
    expect(keyword::when_);
    branch.when = simple ? parse_value() : parse_condition();
    expect(keyword::then_);
    branch.then = parse_value();
    node.branches.push_back(std::move(branch));
  } while (at(keyword::when_));
  if (accept(keyword::else_)) node.otherwise = parse_value();
  expect(keyword::end_);
  return make(std::move(node), start);
}

// {d '…'}, {t '…'}, {ts '…'}, {guid '…'}, {fn f(…)}
expression parser::parse_brace() {
  nesting inside(*this);
  const token& start = cur();
  advance();
  const keyword w = cur().word;
  if (w != keyword::fn_) {
    odbc_literal node;
    if (w == keyword::t_)
      node.kind = odbc_literal_kind::time;
    else if (w == keyword::ts_)
      node.kind = odbc_literal_kind::timestamp;
    else if (w == keyword::guid_)
      node.kind = odbc_literal_kind::guid;
    else if (w != keyword::d_)
      return fail_here(), expression{};
    advance();
    if (!is_string(cur())) return fail_here(), expression{};
    node.unicode = at(token_kind::unicode_string);
    node.text = value_of(cur());
    advance();
    expect(symbol::right_brace);
    return make(std::move(node), start);
  }
  advance();
  odbc_function node;
  if (!at(token_kind::word)) return fail_here(), expression{};
  const keyword function = cur().word;
  node.name.value = value_of(cur());
  advance();
  if (accept(symbol::left_paren)) {
    if (function == keyword::extract_) {
      const token& part = cur();
      node.arguments.push_back(make(column_ref{{}, parse_identifier()}, part));
      expect(keyword::from_);
      node.arguments.push_back(parse_value());
    } else if (!at(symbol::right_paren)) {
      node.arguments = parse_value_list();
    }
    expect(symbol::right_paren);
  } else if (function != keyword::current_time_ && function != keyword::current_timestamp_ &&
             function != keyword::current_date_) {
    fail_here();
  }
  expect(symbol::right_brace);
  return make(std::move(node), start);
}

// IDENTITYCOL, ROWGUIDCOL, $IDENTITY, $ROWGUID, $ACTION, $NODE_ID …
expression parser::parse_special_column() {
  struct name {
    std::string_view text;
    pseudo_column column;
  };
  static constexpr name names[] = {
      {"IDENTITYCOL", pseudo_column::identity}, {"ROWGUIDCOL", pseudo_column::rowguid},
      {"$IDENTITY", pseudo_column::identity},   {"$ROWGUID", pseudo_column::rowguid},
      {"$ACTION", pseudo_column::action},       {"$CUID", pseudo_column::cuid},
      {"$NODE_ID", pseudo_column::node_id},     {"$EDGE_ID", pseudo_column::edge_id},
      {"$FROM_ID", pseudo_column::from_id},     {"$TO_ID", pseudo_column::to_id},
  };
  const token& t = cur();
  const std::string spelled = upper(t);
  for (const name& n : names) {
    if (n.text != spelled) continue;
    advance();
    return make(column_ref{{}, {}, n.column}, t);
  }
  fail_here();
  return {};
}

// [database.]$PARTITION.function(arguments)
expression parser::parse_partition_function() {
  const token& start = cur();
  partition_function node;
  if (at_name()) {
    node.database = parse_identifier();
    expect(symbol::dot);
  }
  advance();
  expect(symbol::dot);
  node.name = parse_identifier();
  node.arguments = parse_arguments(false);
  return make(std::move(node), start);
}

expression parser::parse_next_value() {
  const token& start = cur();
  advance();
  advance();
  expect(keyword::for_);
  next_value_for node{parse_object_name(3), {}};
  if (at(keyword::over_)) node.over = parse_over();
  return make(std::move(node), start);
}

expression parser::parse_word() {
  const token& t = cur();
  const bool call = next_is(1, symbol::left_paren);
  const auto niladic = [&](niladic_kind kind) {
    advance();
    return make(niladic_function{kind}, t);
  };
  switch (t.word) {
    case keyword::none: return parse_name_or_call();
    case keyword::null_: return parse_literal();
    case keyword::case_: return parse_case();
    case keyword::current_timestamp_: return niladic(niladic_kind::current_timestamp);
    case keyword::current_date_: return niladic(niladic_kind::current_date);
    case keyword::current_time_: return niladic(niladic_kind::current_time);
    case keyword::current_user_: return niladic(niladic_kind::current_user);
    case keyword::session_user_: return niladic(niladic_kind::session_user);
    case keyword::system_user_: return niladic(niladic_kind::system_user);
    case keyword::user_: return niladic(niladic_kind::user);
    case keyword::identitycol_:
    case keyword::rowguidcol_: return parse_special_column();
    case keyword::exists_: {
      advance();
      return make(exists{parse_subquery()}, t);
    }
    case keyword::contains_:
    case keyword::freetext_: return parse_fulltext_predicate();
    case keyword::convert_:
    case keyword::try_convert_: return parse_conversion();
    case keyword::cast_:
    case keyword::try_cast_:
    case keyword::parse_:
    case keyword::try_parse_: return call ? parse_conversion() : parse_name_or_call();
    case keyword::iif_: return call ? parse_iif() : parse_name_or_call();
    case keyword::match_: return call ? parse_match() : parse_name_or_call();
    case keyword::next_:
      return next_is(1, keyword::value_) && next_is(2, keyword::for_) ? parse_next_value() : parse_name_or_call();
    case keyword::coalesce_:
    case keyword::nullif_:
    case keyword::left_:
    case keyword::right_: {
      if (!call) return fail_here(), expression{};
      object_name name;
      name.name.value = value_of(t);
      name.pos = pos(t);
      advance();
      return parse_call(std::move(name), t.word, false, t);
    }
    default:
      if (is_reserved(t.word)) return fail_here(), expression{};
      return parse_name_or_call();
  }
}

// A column or a call; a name may have empty parts (db..t.c). `name ::` begins a static method of a type.
expression parser::parse_name_or_call() {
  if (next_is(1, symbol::dot) && peek(2).kind == token_kind::dollar_word && upper(peek(2)) == "$PARTITION") {
    return parse_partition_function();
  }
  const token& start = cur();
  // The common shapes first: no vector for one and two parts.
  if (at_name() && !next_is(1, symbol::dot) && !next_is(1, symbol::double_colon)) {
    advance();
    if (!at(symbol::left_paren)) return make(column_ref{{}, {value_of(start)}}, start);
    object_name name;
    name.name.value = value_of(start);
    name.pos = pos(start);
    return parse_call(std::move(name), start.word, start.kind == token_kind::quoted_name, start);
  }
  std::vector<const token*> parts;
  bool want_name = true;
  while (ok()) {
    if (want_name && at_name()) {
      parts.push_back(at_);
      advance();
      want_name = false;
    } else if (want_name && !parts.empty() &&
               (at(token_kind::dollar_word) || at(keyword::identitycol_) || at(keyword::rowguidcol_))) {
      expression column = parse_special_column();
      if (auto* c = column.as<column_ref>()) {
        c->table = name_of(parts, parts.size(), start);
        require_table(c->table, start);
      }
      return column;
    } else if (at(symbol::dot)) {
      if (want_name) parts.push_back(nullptr);
      advance();
      want_name = true;
    } else {
      break;
    }
  }
  if (want_name) return fail_here(), expression{};
  if (at(symbol::double_colon) && parts.size() <= 2) {
    advance();
    static_call node{name_of(parts, parts.size(), start), parse_identifier(), true, {}};
    if (at(symbol::left_paren)) {
      node.is_property = false;
      node.arguments = parse_arguments(true);
    }
    return make(std::move(node), start);
  }
  if (!at(symbol::left_paren)) return finish_column(parts, start);
  if (parts.size() > 4) {  // s.d.o.t.c.method(…)
    method_call node;
    node.name.value = parts.back() ? value_of(*parts.back()) : std::string();
    parts.pop_back();
    node.target = finish_column(parts, start);
    node.arguments = parse_arguments(true);
    return make(std::move(node), start);
  }
  return parse_call(name_of(parts, parts.size(), start), keyword::none, true, start);
}

expression parser::finish_column(const std::vector<const token*>& parts, const token& start) {
  if (parts.size() > 5) {
    fail_at(start, errc::syntax, "The column prefix has more than the maximum number of parts.", 4104);
    return {};
  }
  if (parts.back() == nullptr) return fail_at(start), expression{};  // s.d.o..method(): no column before the method
  column_ref node;
  node.table = name_of(parts, parts.size() - 1, start);
  require_table(node.table, start);
  node.name.value = value_of(*parts.back());
  return make(std::move(node), start);
}

// .method(…), .property, COLLATE c, AT TIME ZONE z
expression parser::parse_postfix(expression e, const token& start) {
  chain links(*this);
  require_value(e);
  while (ok()) {
    if (at(symbol::dot) && is_name(peek(1)) && !e.as<literal>()) {
      advance();
      method_call node{std::move(e), parse_identifier(), true, {}};
      if (at(symbol::left_paren)) {
        node.is_property = false;
        node.arguments = parse_arguments(true);
      }
      e = make(std::move(node), start);
    } else if (at(keyword::collate_)) {
      advance();
      e = make(collate{std::move(e), parse_identifier()}, start);
    } else if (at(keyword::at_) && next_is(1, keyword::time_) && next_is(2, keyword::zone_)) {
      advance();
      advance();
      advance();
      expression zone = parse_zone();
      e = make(at_time_zone{std::move(e), std::move(zone)}, start);
    } else {
      break;
    }
    links.link();
  }
  return e;
}

// The zone ends before a second AT TIME ZONE: x AT TIME ZONE 'a' AT TIME ZONE 'b' is read from the left.
expression parser::parse_zone() {
  expression zone = parse_unpostfixed();
  require_value(zone);
  if (!at(keyword::collate_)) return zone;
  const token& start = cur();
  advance();
  return make(collate{std::move(zone), parse_identifier()}, start);
}

expression parser::parse_primary() {
  const token& start = cur();
  expression e = parse_unpostfixed();
  if (at(symbol::dot) || at(keyword::collate_) || at(keyword::at_)) return parse_postfix(std::move(e), start);
  return e;
}

expression parser::parse_unpostfixed() {
  const token& start = cur();
  expression e;
  switch (start.kind) {
    case token_kind::word: e = parse_word(); break;
    case token_kind::quoted_name: e = parse_name_or_call(); break;
    case token_kind::variable:
      e = make(variable{value_of(start)}, start);
      advance();
      break;
    case token_kind::dollar_word:
      e = upper(start) == "$PARTITION" ? parse_partition_function() : parse_special_column();
      break;
    case token_kind::symbol:
      if (start.sym == symbol::left_paren) {
        e = parse_parenthesised();
      } else if (start.sym == symbol::left_brace) {
        e = parse_brace();
      } else if (start.sym == symbol::dot && at_name_or_dot()) {
        e = parse_name_or_call();
      } else {
        fail_here();
      }
      break;
    case token_kind::end: fail_here(); break;
    default: e = parse_literal();
  }
  return e;
}

}  // namespace dragoman::tsql
