// Query expressions and the SELECT statement (T-SQL reference: "SELECT", "WITH common_table_expression",
// "Set operators", "FOR clause", "OPTION clause").
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "guard/tsql/ast_table.h"

namespace dragoman::tsql {

// ---- SELECT list --------------------------------------------------------------------------------------------------

struct select_expression {
  expression value;
  identifier alias;  // empty: none. `alias = value` and `value 'alias'` are kept as `value AS alias`
  friend bool operator==(const select_expression&, const select_expression&) = default;
};

struct select_star {
  object_name table;  // t.*; empty for *
  friend bool operator==(const select_star&, const select_star&) = default;
};

enum class assignment_operator { assign, add, subtract, multiply, divide, modulo, bit_and, bit_or, bit_xor, concat };

struct select_assignment {  // @v = value: in a batch only, never in a query
  std::string variable;
  assignment_operator op = assignment_operator::assign;
  expression value;
  friend bool operator==(const select_assignment&, const select_assignment&) = default;
};

using select_item_node = std::variant<select_expression, select_star, select_assignment>;

struct select_item {
  select_item_node node;
  source_position pos;

  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() noexcept {
    return std::get_if<T>(&node);
  }
  friend bool operator==(const select_item&, const select_item&) = default;
};

struct top_clause {
  expression count;
  bool percent = false;
  bool with_ties = false;
  bool with_approximate = false;
  friend bool operator==(const top_clause&, const top_clause&) = default;
};

// ---- GROUP BY, WINDOW ---------------------------------------------------------------------------------------------

enum class grouping_kind { expression, composite, rollup, cube, grouping_sets, grand_total };

// expression: one entry of `expressions`; composite (a, b): several; rollup, cube, grouping_sets: `elements`;
// grand_total: ().
struct grouping_element {
  grouping_kind kind = grouping_kind::expression;
  std::vector<expression> expressions;
  std::vector<grouping_element> elements;
  friend bool operator==(const grouping_element&, const grouping_element&) = default;
};

enum class legacy_grouping { none, with_rollup, with_cube };

struct group_by_clause {
  bool all = false;
  std::vector<grouping_element> elements;
  legacy_grouping legacy = legacy_grouping::none;
  friend bool operator==(const group_by_clause&, const group_by_clause&) = default;
};

struct named_window {
  identifier name;
  window_definition definition;
  friend bool operator==(const named_window&, const named_window&) = default;
};

// ---- query expressions --------------------------------------------------------------------------------------------

struct query_specification {
  bool distinct = false;
  box<top_clause> top;
  std::vector<select_item> items;
  object_name into;  // SELECT … INTO: in a batch only, never in a query
  std::vector<table_source> from;
  box<expression> where;
  box<group_by_clause> group_by;
  box<expression> having;
  std::vector<named_window> windows;
  friend bool operator==(const query_specification&, const query_specification&) = default;
};

enum class set_operator { union_distinct, union_all, except, intersect };

struct set_operation {
  set_operator op = set_operator::union_distinct;
  box<query_expression> left;
  box<query_expression> right;
  friend bool operator==(const set_operation&, const set_operation&) = default;
};

// FETCH without OFFSET is kept as OFFSET 0 ROWS FETCH …; FETCH APPROXIMATE has no OFFSET in T-SQL, and 0 here.
struct offset_fetch {
  expression offset;
  box<expression> fetch;  // empty: no FETCH
  bool fetch_approximate = false;
  friend bool operator==(const offset_fetch&, const offset_fetch&) = default;
};

struct for_browse {
  friend bool operator==(const for_browse&, const for_browse&) = default;
};

enum class for_xml_mode { raw, auto_, explicit_, path };
enum class xml_elements { none, plain, xsinil, absent };

struct for_xml {
  for_xml_mode mode = for_xml_mode::raw;
  std::optional<std::string> element;  // RAW('row'), PATH('')
  bool binary_base64 = false;
  bool type = false;
  bool xmldata = false;
  bool xmlschema = false;
  std::optional<std::string> xmlschema_uri;
  bool root = false;
  std::optional<std::string> root_name;
  xml_elements elements = xml_elements::none;
  friend bool operator==(const for_xml&, const for_xml&) = default;
};

enum class for_json_mode { auto_, path };

struct for_json {
  for_json_mode mode = for_json_mode::path;
  bool root = false;
  std::optional<std::string> root_name;
  bool include_null_values = false;
  bool without_array_wrapper = false;
  friend bool operator==(const for_json&, const for_json&) = default;
};

using for_clause = std::variant<for_browse, for_xml, for_json>;
using query_body = std::variant<query_specification, set_operation>;

// ORDER BY, OFFSET and FOR belong to the whole expression, not to its last SELECT. Parentheses around a query are not
// in the tree.
struct query_expression {
  query_body body;
  std::vector<order_item> order_by;
  box<offset_fetch> offset;
  box<for_clause> for_;
  source_position pos;

  const query_specification* specification() const noexcept { return std::get_if<query_specification>(&body); }
  query_specification* specification() noexcept { return std::get_if<query_specification>(&body); }
  const set_operation* set() const noexcept { return std::get_if<set_operation>(&body); }
  set_operation* set() noexcept { return std::get_if<set_operation>(&body); }
  friend bool operator==(const query_expression&, const query_expression&) = default;
};

// ---- the statement ------------------------------------------------------------------------------------------------

struct xml_namespace {
  std::string uri;
  identifier prefix;  // empty: DEFAULT
  friend bool operator==(const xml_namespace&, const xml_namespace&) = default;
};

struct common_table_expression {
  identifier name;
  std::vector<identifier> columns;
  box<query_expression> query;
  source_position pos;
  friend bool operator==(const common_table_expression&, const common_table_expression&) = default;
};

struct optimize_for_item {
  std::string variable;
  box<expression> value;  // empty: UNKNOWN
  friend bool operator==(const optimize_for_item&, const optimize_for_item&) = default;
};

// One hint of OPTION (…). `name` is the words of the hint in upper case, e.g. "RECOMPILE", "HASH GROUP", "MAXDOP",
// "USE HINT", "OPTIMIZE FOR", "OPTIMIZE FOR UNKNOWN", "USE PLAN", "TABLE HINT", "LABEL".
struct query_hint {
  std::string name;
  box<expression> value;
  std::vector<optimize_for_item> optimize_for;
  std::vector<expression> list;  // strings of USE HINT
  object_name table;             // of TABLE HINT
  std::vector<table_hint> table_hints;
  source_position pos;
  friend bool operator==(const query_hint&, const query_hint&) = default;
};

struct select_statement {
  std::vector<xml_namespace> xml_namespaces;
  std::vector<common_table_expression> ctes;
  query_expression query;
  std::vector<query_hint> hints;
  source_position pos;
  friend bool operator==(const select_statement&, const select_statement&) = default;
};

}  // namespace dragoman::tsql
