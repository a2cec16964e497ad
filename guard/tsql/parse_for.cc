// FOR BROWSE, FOR XML, FOR JSON (T-SQL reference: "FOR clause").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

std::string parser::parse_parenthesised_string() {
  std::string value;
  expect(symbol::left_paren);
  if (is_string(cur())) {
    value = value_of(cur());
    advance();
  } else {
    fail_here();
  }
  expect(symbol::right_paren);
  return value;
}

for_clause parser::parse_for() {
  advance();
  if (accept(keyword::browse_)) return for_browse{};
  if (accept(keyword::xml_)) return parse_for_xml();
  if (accept(keyword::json_)) return parse_for_json();
  fail_here();
  return for_browse{};
}

// FOR XML RAW|AUTO|EXPLICIT|PATH [('element')] [, BINARY BASE64] [, TYPE] [, ROOT[('x')]] [, ELEMENTS [XSINIL]] …
for_xml parser::parse_for_xml() {
  for_xml node;
  switch (cur().word) {
    case keyword::raw_: node.mode = for_xml_mode::raw; break;
    case keyword::auto_: node.mode = for_xml_mode::auto_; break;
    case keyword::explicit_: node.mode = for_xml_mode::explicit_; break;
    case keyword::path_: node.mode = for_xml_mode::path; break;
    default: return fail_here(), node;
  }
  advance();
  if (at(symbol::left_paren)) {
    if (node.mode == for_xml_mode::auto_ || node.mode == for_xml_mode::explicit_) return fail_here(), node;
    node.element = parse_parenthesised_string();
  }
  while (accept(symbol::comma)) {
    if (accept(keyword::binary_)) {
      expect(keyword::base64_);
      node.binary_base64 = true;
    } else if (accept(keyword::type_)) {
      node.type = true;
    } else if (accept(keyword::xmldata_)) {
      node.xmldata = true;
    } else if (accept(keyword::xmlschema_)) {
      node.xmlschema = true;
      if (at(symbol::left_paren)) node.xmlschema_uri = parse_parenthesised_string();
    } else if (accept(keyword::root_)) {
      node.root = true;
      if (at(symbol::left_paren)) node.root_name = parse_parenthesised_string();
    } else {
      expect(keyword::elements_);
      node.elements = accept(keyword::xsinil_)   ? xml_elements::xsinil
                      : accept(keyword::absent_) ? xml_elements::absent
                                                 : xml_elements::plain;
    }
  }
  return node;
}

// FOR JSON AUTO|PATH [, ROOT[('x')]] [, INCLUDE_NULL_VALUES] [, WITHOUT_ARRAY_WRAPPER]
for_json parser::parse_for_json() {
  for_json node;
  if (accept(keyword::auto_)) {
    node.mode = for_json_mode::auto_;
  } else {
    expect(keyword::path_);
  }
  while (accept(symbol::comma)) {
    if (accept(keyword::root_)) {
      node.root = true;
      if (at(symbol::left_paren)) node.root_name = parse_parenthesised_string();
    } else if (accept(keyword::include_null_values_)) {
      node.include_null_values = true;
    } else {
      expect(keyword::without_array_wrapper_);
      node.without_array_wrapper = true;
    }
  }
  return node;
}

}  // namespace dragoman::tsql
