// Arguments of the JSON functions (T-SQL reference: "JSON_OBJECT", "JSON_ARRAY", "JSON_OBJECTAGG", "JSON_ARRAYAGG",
// "JSON_VALUE", "JSON_QUERY").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// 'key': value
expression parser::parse_key_value() {
  const token& start = cur();
  json_key_value node;
  node.key = parse_value();
  expect(symbol::colon);
  node.value = parse_value();
  return make(std::move(node), start);
}

// NULL ON NULL, ABSENT ON NULL, RETURNING type
bool parser::at_json_tail() const {
  return ((at(keyword::null_) || at(keyword::absent_)) && next_is(1, keyword::on_)) ||
         (at(keyword::returning_) && peek(1).kind != token_kind::symbol);
}

void parser::parse_json_tail(call_options& options) {
  if ((at(keyword::null_) || at(keyword::absent_)) && next_is(1, keyword::on_)) {
    options.json_nulls = at(keyword::null_) ? json_null_clause::null_on_null : json_null_clause::absent_on_null;
    advance();
    advance();
    expect(keyword::null_);
  }
  if (at(keyword::returning_)) {
    advance();
    options.returning = parse_data_type();
  }
}

void parser::parse_json_arguments(function_call& call, keyword word) {
  call_options options;
  const bool object = word == keyword::json_object_ || word == keyword::json_objectagg_;
  const bool one = word == keyword::json_objectagg_ || word == keyword::json_arrayagg_;
  if (!at_json_tail()) {
    do {
      call.arguments.push_back(object ? parse_key_value() : parse_value());
    } while (!one && accept(symbol::comma));
  }
  if (word == keyword::json_arrayagg_ && at(keyword::order_)) options.order_by = parse_order_by();
  if (word == keyword::json_query_ && accept(keyword::with_)) {
    options.wrapper =
        accept(keyword::conditional_) ? json_wrapper::conditional_array_wrapper : json_wrapper::array_wrapper;
    expect(keyword::array_);
    expect(keyword::wrapper_);
  } else if (word != keyword::json_query_ && at_json_tail()) {
    parse_json_tail(options);
  }
  if (options != call_options{}) call.options = std::move(options);
}

}  // namespace dragoman::tsql
