// What may stand in FROM (T-SQL reference: "FROM clause plus JOIN, APPLY, PIVOT", "Table hints").
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "guard/tsql/ast_expression.h"

namespace dragoman::tsql {

struct table_source;

struct table_alias {
  identifier name;                  // empty: no alias
  std::vector<identifier> columns;  // AS t (a, b)
  friend bool operator==(const table_alias&, const table_alias&) = default;
};

// NOLOCK, INDEX(ix, 1), FORCESEEK(ix (a, b)), SPATIAL_WINDOW_MAX_CELLS = 512. The name is in upper case.
struct table_hint {
  std::string name;
  std::vector<identifier> indexes;  // INDEX(…) and the index of FORCESEEK; a number is kept as its digits
  std::vector<identifier> columns;  // of FORCESEEK
  box<expression> value;            // of name = value
  source_position pos;
  friend bool operator==(const table_hint&, const table_hint&) = default;
};

enum class sample_unit { none, percent, rows };

struct tablesample {
  bool system = false;
  box<expression> amount;
  sample_unit unit = sample_unit::none;
  box<expression> repeatable;
  friend bool operator==(const tablesample&, const tablesample&) = default;
};

enum class temporal_kind { as_of, from_to, between_and, contained_in, all };

struct temporal_clause {  // FOR SYSTEM_TIME …
  temporal_kind kind = temporal_kind::all;
  box<expression> start;
  box<expression> end;
  friend bool operator==(const temporal_clause&, const temporal_clause&) = default;
};

struct named_table {
  object_name name;
  table_alias alias;
  std::vector<table_hint> hints;
  box<tablesample> sample;
  box<temporal_clause> system_time;
  bool for_path = false;  // graph: person FOR PATH
  friend bool operator==(const named_table&, const named_table&) = default;
};

struct variable_table {  // @t
  std::string name;
  table_alias alias;
  friend bool operator==(const variable_table&, const variable_table&) = default;
};

struct derived_table {
  box<query_expression> query;
  table_alias alias;      // always named
  bool for_path = false;  // graph: (SELECT …) FOR PATH AS p
  friend bool operator==(const derived_table&, const derived_table&) = default;
};

struct value_row {
  std::vector<expression> values;
  friend bool operator==(const value_row&, const value_row&) = default;
};

struct values_table {  // (VALUES (1, 'a'), (2, 'b')) AS t (x, y)
  std::vector<value_row> rows;
  table_alias alias;
  friend bool operator==(const values_table&, const values_table&) = default;
};

// A column of WITH (…) behind OPENJSON, OPENXML, OPENROWSET or PREDICT.
struct schema_column {
  identifier name;
  data_type type;
  identifier collation;
  box<expression> path;  // '$.a.b' of OPENJSON and OPENXML, the ordinal of OPENROWSET
  bool as_json = false;  // OPENJSON
  bool not_null = false;
  friend bool operator==(const schema_column&, const schema_column&) = default;
};

// A function in FROM: built in (STRING_SPLIT, OPENJSON, GENERATE_SERIES), user-defined, or a method (x.nodes('/a')).
// `call` holds a function_call or a method_call.
struct function_table {
  box<expression> call;
  std::vector<schema_column> schema;
  table_alias alias;
  friend bool operator==(const function_table&, const function_table&) = default;
};

enum class rowset_kind {
  openrowset,
  openrowset_internal,  // OPENROWSET(name, 1, 2), as SQL Server's own views use it
  openrowset_bulk,
  openquery,
  opendatasource,
  openxml,
  changetable_changes,
  changetable_version,
  predict,
  vector_search
};

// The function's name as it is written: OPENROWSET for each of its forms.
std::string_view function_of(rowset_kind) noexcept;

struct rowset_option {  // FORMAT = 'CSV', SINGLE_CLOB, MODEL = @m, DATA = t AS d, COLUMN = c
  identifier name;
  box<expression> value;  // empty for a bare word; a bare name is a column_ref
  object_name object;     // a table given as value
  identifier object_alias;
  std::vector<order_item> order;  // of ORDER (a, b DESC) [UNIQUE]
  bool unique = false;
  friend bool operator==(const rowset_option&, const rowset_option&) = default;
};

// Rowset functions with a syntax of their own. All of them reach outside the allowlist: the guard refuses them.
struct rowset_function {
  rowset_kind kind = rowset_kind::openrowset;
  std::vector<expression> arguments;
  std::vector<rowset_option> options;
  object_name object;  // the object behind OPENDATASOURCE(…), the server of OPENQUERY, the table of CHANGETABLE
  std::vector<identifier> key_columns;  // of CHANGETABLE(VERSION …)
  std::vector<schema_column> schema;
  object_name schema_table;  // OPENXML … WITH table
  std::vector<table_hint> hints;
  table_alias alias;
  friend bool operator==(const rowset_function&, const rowset_function&) = default;
};

enum class fulltext_table_kind {
  contains,
  freetext,
  semantic_keyphrase,
  semantic_similarity,
  semantic_similarity_details
};

struct fulltext_table {  // CONTAINSTABLE, FREETEXTTABLE, SEMANTIC…TABLE
  fulltext_table_kind kind = fulltext_table_kind::contains;
  object_name table;
  std::vector<expression> columns;  // column_ref each
  bool star = false;
  box<expression> property;           // PROPERTY(column, 'name')
  std::vector<expression> arguments;  // search condition; keys (and matched column) of the semantic functions
  box<expression> language;
  box<expression> top;
  table_alias alias;
  friend bool operator==(const fulltext_table&, const fulltext_table&) = default;
};

enum class join_kind { inner, left, right, full, cross, cross_apply, outer_apply };
enum class join_hint { none, loop, hash, merge, remote, reduce, replicate, redistribute };

// Comma lists are not joins: query_specification::from has one entry per comma.
struct joined_table {
  join_kind kind = join_kind::inner;
  join_hint hint = join_hint::none;
  box<table_source> left;
  box<table_source> right;
  box<expression> on;  // empty for cross joins and APPLY
  friend bool operator==(const joined_table&, const joined_table&) = default;
};

struct pivoted_table {
  box<table_source> source;
  object_name aggregate;
  std::vector<expression> arguments;  // column_ref each
  expression pivot_column;            // column_ref
  std::vector<identifier> values;     // IN ([1], [2]): names of the columns that come out
  table_alias alias;
  friend bool operator==(const pivoted_table&, const pivoted_table&) = default;
};

struct unpivoted_table {
  box<table_source> source;
  identifier value_column;
  identifier name_column;
  std::vector<expression> columns;  // column_ref each
  table_alias alias;
  friend bool operator==(const unpivoted_table&, const unpivoted_table&) = default;
};

using table_node = std::variant<named_table, variable_table, derived_table, values_table, function_table,
                                rowset_function, fulltext_table, joined_table, pivoted_table, unpivoted_table>;

struct table_source {
  table_node node;
  source_position pos;

  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() noexcept {
    return std::get_if<T>(&node);
  }
  friend bool operator==(const table_source&, const table_source&) = default;
};

}  // namespace dragoman::tsql
