// Rowset functions with a syntax of their own (T-SQL reference: "OPENROWSET", "OPENQUERY", "OPENDATASOURCE",
// "OPENXML", "CHANGETABLE", "PREDICT", "VECTOR_SEARCH", "AI_GENERATE_CHUNKS").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

// ( name type [COLLATE c] ['path' | ordinal] [AS JSON], … )
std::vector<schema_column> parser::parse_schema_columns() {
  std::vector<schema_column> columns;
  expect(symbol::left_paren);
  do {
    schema_column column;
    count_node();
    column.name = parse_identifier();
    column.type = parse_data_type();
    if (accept(keyword::collate_)) column.collation = parse_identifier();
    if (at(keyword::not_)) {
      advance();
      expect(keyword::null_);
      column.not_null = true;
    } else {
      accept(keyword::null_);
    }
    if (is_string(cur()) || at(token_kind::integer) || at(token_kind::variable)) column.path = parse_constant();
    if (accept(keyword::as_)) {
      expect(keyword::json_);
      column.as_json = true;
    }
    columns.push_back(std::move(column));
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  return columns;
}

// NAME, NAME = value, NAME = table [AS alias], ORDER (a, b) [UNIQUE]
rowset_option parser::parse_rowset_option() {
  rowset_option option;
  if (!at(token_kind::word)) return fail_here(), option;
  option.name.value = upper(cur());
  const bool takes_table = at(keyword::table_) || option.name.value == "DATA";
  const bool order = at(keyword::order_);
  advance();
  if (order) {
    expect(symbol::left_paren);
    do {
      order_item item{parse_fixed_column(), false};
      if (!accept(keyword::asc_)) item.descending = accept(keyword::desc_);
      option.order.push_back(std::move(item));
    } while (accept(symbol::comma));
    expect(symbol::right_paren);
    option.unique = accept(keyword::unique_);
    return option;
  }
  if (!accept(symbol::equal)) return option;
  if (takes_table && at_name_or_dot()) {
    option.object = parse_object_name(4);
    if (at_table_alias()) option.object_alias = parse_table_alias(true, false).name;
  } else {
    option.value = parse_value();
  }
  return option;
}

table_source parser::parse_openrowset() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  advance();
  expect(symbol::left_paren);
  if (accept(keyword::bulk_)) {
    node.kind = rowset_kind::openrowset_bulk;
    if (accept(symbol::left_paren)) {
      do {
        if (!is_string(cur())) return fail_here(), table_source{};
        node.arguments.push_back(parse_literal());
      } while (accept(symbol::comma) && !at(symbol::right_paren));
      expect(symbol::right_paren);
    } else if (is_string(cur())) {
      node.arguments.push_back(parse_literal());
    } else {
      fail_here();
    }
    while (accept(symbol::comma)) node.options.push_back(parse_rowset_option());
  } else if (at(token_kind::word) && next_is(1, symbol::equal)) {  // PROVIDER = 'CosmosDB', CONNECTION = '…'
    do {
      node.options.push_back(parse_rowset_option());
    } while (accept(symbol::comma));
  } else if (at_name()) {  // OPENROWSET(TABLE_NAME, 1, 2)
    node.kind = rowset_kind::openrowset_internal;
    node.object.name = parse_identifier();
    while (accept(symbol::comma)) node.arguments.push_back(parse_constant());
  } else {
    // 'provider', 'connection' or 'source';'user';'password', then a table or 'query'.
    do {
      if (!is_string(cur())) {
        if (!accept(symbol::semicolon)) fail_here();  // a missing user or password
        node.arguments.push_back(make(literal{literal_kind::null, {}}, cur()));
        continue;
      }
      node.arguments.push_back(parse_literal());
    } while (accept(symbol::semicolon) || (node.arguments.size() == 1 && accept(symbol::comma)));
    expect(symbol::comma);
    if (is_string(cur())) {
      rowset_option query;
      query.value = parse_literal();
      node.options.push_back(std::move(query));
    } else {
      node.object = parse_object_name(3);
    }
  }
  expect(symbol::right_paren);
  if (accept(keyword::with_)) node.schema = parse_schema_columns();
  node.alias = parse_table_alias(false, true);
  return table(std::move(node), start);
}

// OPENQUERY(server, 'query')
table_source parser::parse_openquery() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  node.kind = rowset_kind::openquery;
  advance();
  expect(symbol::left_paren);
  node.object.name = parse_identifier();
  expect(symbol::comma);
  if (!is_string(cur())) return fail_here(), table_source{};
  node.arguments.push_back(parse_literal());
  expect(symbol::right_paren);
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

// OPENDATASOURCE('provider', 'connection').database.schema.name, or .'name'
table_source parser::parse_opendatasource() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  node.kind = rowset_kind::opendatasource;
  advance();
  expect(symbol::left_paren);
  for (int i = 0; i < 2; ++i) {
    if (!is_string(cur())) return fail_here(), table_source{};
    node.arguments.push_back(parse_literal());
    if (i == 0) expect(symbol::comma);
  }
  expect(symbol::right_paren);
  expect(symbol::dot);
  if (is_string(cur())) {
    node.object.name.value = value_of(cur());
    advance();
  } else {
    node.object = parse_object_name(3);
  }
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

// OPENXML(@document, 'pattern' [, flags]) [WITH (columns) | WITH table]
table_source parser::parse_openxml() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  node.kind = rowset_kind::openxml;
  advance();
  expect(symbol::left_paren);
  if (!at(token_kind::variable)) return fail_here(), table_source{};
  do {
    node.arguments.push_back(parse_constant());
  } while (node.arguments.size() < 3 && accept(symbol::comma));
  if (node.arguments.size() < 2) fail_here();
  expect(symbol::right_paren);
  if (accept(keyword::with_)) {
    if (at(symbol::left_paren)) {
      node.schema = parse_schema_columns();
    } else {
      node.schema_table = parse_object_name(3);
    }
  }
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

// CHANGETABLE(CHANGES t, @version), CHANGETABLE(VERSION t, (keys), (values))
table_source parser::parse_changetable() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  advance();
  advance();
  node.kind = at(keyword::version_) ? rowset_kind::changetable_version : rowset_kind::changetable_changes;
  if (!accept(keyword::version_)) expect(keyword::changes_);
  node.object = parse_object_name(4);
  expect(symbol::comma);
  if (node.kind == rowset_kind::changetable_version) {
    node.key_columns = parse_identifier_list();
    expect(symbol::comma);
    node.arguments = parse_arguments(false);
  } else {
    node.arguments.push_back(parse_constant());
  }
  if (accept(symbol::comma)) {
    table_hint hint;
    hint.name = upper(cur());
    if (hint.name != "FORCESEEK") fail_here();
    advance();
    node.hints.push_back(std::move(hint));
  }
  expect(symbol::right_paren);
  node.alias = parse_table_alias(true, true);
  return table(std::move(node), start);
}

// PREDICT(MODEL = @m, DATA = t AS d [, RUNTIME = ONNX]) WITH (columns)
table_source parser::parse_predict() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  node.kind = rowset_kind::predict;
  advance();
  advance();
  do {
    node.options.push_back(parse_rowset_option());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  if (accept(keyword::with_)) node.schema = parse_schema_columns();
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

// VECTOR_SEARCH(TABLE = t AS a, COLUMN = c, SIMILAR_TO = @v, METRIC = 'cosine', TOP_N = 10)
table_source parser::parse_vector_search() {
  nesting inside(*this);
  const token& start = cur();
  rowset_function node;
  node.kind = rowset_kind::vector_search;
  advance();
  advance();
  do {
    node.options.push_back(parse_rowset_option());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  if (at(keyword::with_)) {
    advance();
    expect(symbol::left_paren);
    table_hint hint;
    hint.name = upper(cur());
    if (hint.name != "FORCE_ANN_ONLY") fail_here();
    advance();
    node.hints.push_back(std::move(hint));
    expect(symbol::right_paren);
  }
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

// AI_GENERATE_CHUNKS(SOURCE = text, CHUNK_TYPE = FIXED, CHUNK_SIZE = 100, OVERLAP = 10, ENABLE_CHUNK_SET_ID = 1)
table_source parser::parse_ai_chunks() {
  nesting inside(*this);
  const token& start = cur();
  function_call call;
  call.name.name.value = value_of(start);
  call.name.pos = pos(start);
  advance();
  advance();
  do {
    const token& at_name = cur();
    named_argument argument;
    argument.name = parse_identifier();
    expect(symbol::equal);
    argument.value = parse_value();
    call.arguments.push_back(make(std::move(argument), at_name));
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  function_table node;
  node.call = make(std::move(call), start);
  node.alias = parse_table_alias(false, false);
  return table(std::move(node), start);
}

}  // namespace dragoman::tsql
