// Data types (T-SQL reference: "Data types", "xml", "vector"). Synonyms of several words become their one-word name.
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// ( 10 [, 2] ), ( max ), ( 3, float16 ), or the schema collection of xml.
void parser::parse_type_parameters(data_type& type) {
  advance();
  if (type.name.one_part() && find_keyword(type.name.name.value) == keyword::xml_) {
    type.xml_document = accept(keyword::document_);
    if (!type.xml_document)
      type.xml_content = at(keyword::content_) && !next_is(1, symbol::right_paren) && accept(keyword::content_);
    type.xml_schema = parse_object_name(3);
  } else {
    do {
      if (type.parameters.size() == 2 || !(at(token_kind::integer) || at(keyword::max_) ||
                                           (!type.parameters.empty() && at(token_kind::word) && at_name()))) {
        return fail_here();
      }
      type.parameters.push_back(at(token_kind::integer) ? std::string(raw(cur())) : value_of(cur()));
      for (char& c : type.parameters.back()) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      advance();
    } while (accept(symbol::comma));
  }
  expect(symbol::right_paren);
}

data_type parser::parse_data_type() {
  data_type type;
  const token& start = cur();
  const bool national = accept(keyword::national_);
  if (accept(keyword::double_)) {
    expect(keyword::precision_);
    type.name.name.value = "float";
    type.name.pos = pos(start);
    return type;
  }
  type.name = parse_object_name(3);
  if (!ok()) return type;
  const keyword word = type.name.one_part() ? find_keyword(type.name.name.value) : keyword::none;
  const bool character = word == keyword::char_ || word == keyword::character_;
  if (national) {
    if (!character && word != keyword::varchar_ && word != keyword::text_) fail_at(start);
    type.name.name.value = character ? "nchar" : word == keyword::varchar_ ? "nvarchar" : "ntext";
  }
  if ((character || word == keyword::nchar_ || word == keyword::binary_) && accept(keyword::varying_)) {
    type.name.name.value = national || word == keyword::nchar_ ? "nvarchar" : character ? "varchar" : "varbinary";
  }
  if (at(symbol::left_paren)) parse_type_parameters(type);
  return type;
}

}  // namespace dragoman::tsql
