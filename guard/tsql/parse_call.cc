// Function calls and conversions (T-SQL reference: "Functions", "CAST and CONVERT", "PARSE", "TRIM", "IIF").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// CAST(value AS type), CONVERT(type, value [, style]), PARSE(value AS type [USING culture]) and their TRY_ forms.
expression parser::parse_conversion() {
  nesting inside(*this);
  const token& start = cur();
  conversion node;
  switch (start.word) {
    case keyword::try_cast_: node.kind = conversion_kind::try_cast; break;
    case keyword::convert_: node.kind = conversion_kind::convert; break;
    case keyword::try_convert_: node.kind = conversion_kind::try_convert; break;
    case keyword::parse_: node.kind = conversion_kind::parse; break;
    case keyword::try_parse_: node.kind = conversion_kind::try_parse; break;
    default: node.kind = conversion_kind::cast;
  }
  advance();
  expect(symbol::left_paren);
  if (node.kind == conversion_kind::convert || node.kind == conversion_kind::try_convert) {
    node.type = parse_data_type();
    expect(symbol::comma);
    node.value = parse_value();
    if (accept(symbol::comma)) node.style = parse_value();
  } else {
    node.value = parse_value();
    expect(keyword::as_);
    node.type = parse_data_type();
    const bool culture = node.kind == conversion_kind::parse || node.kind == conversion_kind::try_parse;
    if (culture && accept(keyword::using_)) node.style = parse_value();
  }
  expect(symbol::right_paren);
  return make(std::move(node), start);
}

expression parser::parse_iif() {
  nesting inside(*this);
  const token& start = cur();
  function_call call;
  call.name.name.value = value_of(start);
  call.name.pos = pos(start);
  advance();
  expect(symbol::left_paren);
  call.arguments.push_back(parse_condition());
  expect(symbol::comma);
  call.arguments.push_back(parse_value());
  expect(symbol::comma);
  call.arguments.push_back(parse_value());
  expect(symbol::right_paren);
  return make(std::move(call), start);
}

std::vector<expression> parser::parse_value_list() {
  std::vector<expression> values;
  do {
    values.push_back(parse_value());
  } while (accept(symbol::comma));
  return values;
}

expression parser::parse_argument(bool defaults) {
  if (!defaults || !at(keyword::default_)) return parse_value();
  const token& t = cur();
  advance();
  return make(literal{literal_kind::default_value, {}}, t);
}

std::vector<expression> parser::parse_arguments(bool defaults) {
  nesting inside(*this);
  std::vector<expression> arguments;
  expect(symbol::left_paren);
  if (!at(symbol::right_paren)) {
    do {
      arguments.push_back(parse_argument(defaults));
    } while (accept(symbol::comma));
  }
  expect(symbol::right_paren);
  return arguments;
}

// TRIM([LEADING|TRAILING|BOTH] [characters FROM] string)
void parser::parse_trim(function_call& call) {
  call_options options;
  if (!at(symbol::comma) && !next_is(1, symbol::right_paren) && !next_is(1, symbol::comma) &&
      !next_is(1, symbol::dot)) {
    if (at(keyword::leading_)) options.trim = trim_side::leading;
    if (at(keyword::trailing_)) options.trim = trim_side::trailing;
    if (at(keyword::both_)) options.trim = trim_side::both;
    // A column of that name may begin an expression: LEADING + 'x'.
    if (options.trim != trim_side::none && peek(1).kind == token_kind::symbol && !next_is(1, symbol::left_paren)) {
      options.trim = trim_side::none;
    }
    if (options.trim != trim_side::none) advance();
  }
  call.arguments.push_back(parse_value());
  if (accept(keyword::from_)) {
    options.trim_from = true;
    call.arguments.push_back(parse_value());
  } else if (options.trim != trim_side::none) {
    return fail_here();
  }
  if (options.trim_from) call.options = std::move(options);
}

// AI_GENERATE_EMBEDDINGS(value USE MODEL name [PARAMETERS json])
void parser::parse_model_arguments(function_call& call) {
  call.arguments.push_back(parse_value());
  if (accept(keyword::use_)) {
    call_options options;
    if (!at(token_kind::word) || upper(cur()) != "MODEL") return fail_here();
    advance();
    options.model = parse_object_name(2);
    if (accept(keyword::parameters_)) options.model_parameters = parse_value();
    call.options = std::move(options);
  } else {
    while (accept(symbol::comma)) call.arguments.push_back(parse_value());
  }
}

// Reads the arguments of the functions that have words of their own between the parentheses.
bool parser::parse_special_arguments(function_call& call, keyword word) {
  switch (word) {
    case keyword::trim_: parse_trim(call); return true;
    case keyword::json_object_:
    case keyword::json_objectagg_:
    case keyword::json_array_:
    case keyword::json_arrayagg_:
    case keyword::json_query_:
    case keyword::json_value_: parse_json_arguments(call, word); return true;
    case keyword::ai_generate_embeddings_: parse_model_arguments(call); return true;
    default: return false;
  }
}

void parser::parse_call_arguments(function_call& call, keyword word, bool defaults) {
  if (at(symbol::right_paren) && word != keyword::trim_) return;
  if (at(symbol::star) && call.name.one_part()) {
    advance();
    call.star = true;
    return;
  }
  if (at(keyword::distinct_) || at(keyword::all_)) {
    call.quantifier = at(keyword::distinct_) ? set_quantifier::distinct : set_quantifier::all;
    advance();
    call.arguments.push_back(parse_value());
    // Only an aggregate of an assembly takes more than one value.
    while (!call.name.one_part() && accept(symbol::comma)) call.arguments.push_back(parse_value());
    return;
  }
  if (parse_special_arguments(call, word)) return;
  do {
    call.arguments.push_back(parse_argument(defaults));
  } while (accept(symbol::comma));
}

// [IGNORE NULLS | RESPECT NULLS] [WITHIN GROUP (…)] [OVER …]
void parser::parse_call_tail(function_call& call, keyword word) {
  const bool positional =
      word == keyword::first_value_ || word == keyword::last_value_ || word == keyword::lag_ || word == keyword::lead_;
  if (positional && (at(keyword::ignore_) || at(keyword::respect_)) && next_is(1, keyword::nulls_)) {
    if (!call.options) call.options = call_options{};
    call.options->nulls = at(keyword::ignore_) ? null_treatment::ignore_nulls : null_treatment::respect_nulls;
    advance();
    advance();
  }
  if (at(keyword::within_) && next_is(1, keyword::group_) && call.name.one_part()) {
    advance();
    advance();
    if (!call.options) call.options = call_options{};
    expect(symbol::left_paren);
    if (at(keyword::graph_) && next_is(1, keyword::path_)) {
      advance();
      advance();
      call.options->within_graph_path = true;
    } else {
      call.options->within_group = parse_order_by();
    }
    expect(symbol::right_paren);
  }
  if (at(keyword::over_)) call.over = parse_over();
}

// The name is read, the cursor is at the opening parenthesis. `word` is the keyword that an undelimited one-part
// name is, so that [TRIM](x) is a function like any other. DEFAULT is an argument of user-defined functions only.
expression parser::parse_call(object_name name, keyword word, bool defaults, const token& start) {
  nesting inside(*this);
  function_call call;
  call.name = std::move(name);
  expect(symbol::left_paren);
  parse_call_arguments(call, word, defaults);
  expect(symbol::right_paren);
  const std::size_t count = call.arguments.size();
  if ((word == keyword::coalesce_ && count < 2) || (word == keyword::nullif_ && count != 2) ||
      ((word == keyword::left_ || word == keyword::right_) && (call.star || count == 0))) {
    return fail_at(at_[-1]), expression{};
  }
  if (!is_reserved(word)) parse_call_tail(call, word);
  return make(std::move(call), start);
}

}  // namespace dragoman::tsql
