// CONTAINS and FREETEXT as predicates and as tables (T-SQL reference: "CONTAINS", "CONTAINSTABLE", "Semantic search").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// column | (column, …) | * | (*) | t.* | (t.*) | PROPERTY(column, 'name')
void parser::parse_fulltext_columns(std::vector<expression>& columns, bool& star, box<object_name>* star_table,
                                    box<expression>& property) {
  // The star of all columns, perhaps with its table before it.
  const auto accept_star = [&] {
    if (star_table != nullptr && at_name() && next_is(1, symbol::dot) && next_is(2, symbol::star)) {
      object_name table;
      table.pos = pos(cur());
      table.name = parse_identifier();
      advance();
      *star_table = std::move(table);
    }
    star = accept(symbol::star);
    return star;
  };
  if (accept_star()) return;
  if (at_call(keyword::property_)) {
    advance();
    advance();
    columns.push_back(parse_fixed_column());
    expect(symbol::comma);
    if (!is_string(cur())) return fail_here();
    property = parse_literal();
    expect(symbol::right_paren);
    return;
  }
  if (!accept(symbol::left_paren)) {
    columns.push_back(parse_fixed_column());
    return;
  }
  if (!accept_star()) {
    do {
      columns.push_back(parse_fixed_column());
    } while (accept(symbol::comma));
  }
  expect(symbol::right_paren);
}

expression parser::parse_fulltext_predicate() {
  nesting inside(*this);
  const token& start = cur();
  fulltext_predicate node;
  node.kind = at(keyword::contains_) ? fulltext_kind::contains : fulltext_kind::freetext;
  advance();
  expect(symbol::left_paren);
  parse_fulltext_columns(node.columns, node.star, &node.star_table, node.property);
  expect(symbol::comma);
  node.search = parse_constant();
  if (accept(symbol::comma)) {
    expect(keyword::language_);
    node.language = parse_constant();
  }
  expect(symbol::right_paren);
  return make(std::move(node), start);
}

table_source parser::parse_fulltext_table() {
  nesting inside(*this);
  const token& start = cur();
  fulltext_table node;
  switch (start.word) {
    case keyword::freetexttable_: node.kind = fulltext_table_kind::freetext; break;
    case keyword::semantickeyphrasetable_: node.kind = fulltext_table_kind::semantic_keyphrase; break;
    case keyword::semanticsimilaritytable_: node.kind = fulltext_table_kind::semantic_similarity; break;
    case keyword::semanticsimilaritydetailstable_: node.kind = fulltext_table_kind::semantic_similarity_details; break;
    default: node.kind = fulltext_table_kind::contains;
  }
  advance();
  expect(symbol::left_paren);
  node.table = parse_object_name(4);
  expect(symbol::comma);
  parse_fulltext_columns(node.columns, node.star, nullptr, node.property);
  if (node.kind == fulltext_table_kind::contains || node.kind == fulltext_table_kind::freetext) {
    expect(symbol::comma);
    node.arguments.push_back(parse_constant());
    for (int i = 0; i < 2 && accept(symbol::comma); ++i) {
      if (!node.language && accept(keyword::language_)) {
        node.language = parse_constant();
      } else {
        node.top = parse_constant();
      }
    }
  } else {
    while (accept(symbol::comma)) {
      node.arguments.push_back(at_name() ? parse_fixed_column() : parse_constant());
    }
  }
  expect(symbol::right_paren);
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

}  // namespace dragoman::tsql
