// Expressions and search conditions (T-SQL reference: "Expressions", "Search condition", "Functions").
//
// One closed variant holds scalar expressions and predicates alike; the parser lets a predicate stand only where
// T-SQL has a search condition (WHERE, ON, HAVING, CASE WHEN, IIF). Parentheses are not in the tree: its shape says
// what binds first and the printer writes the parentheses that the shape needs.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "guard/tsql/ast_names.h"

namespace dragoman::tsql {

struct expression;
struct query_expression;

// ---- leaves -------------------------------------------------------------------------------------------------------

enum class literal_kind {
  integer,         // 42, of any length: beyond int it is a numeric to SQL Server
  decimal,         // 1.5
  real,            // 1e3
  money,           // $1.50 with any currency sign
  string,          // 'x'
  unicode_string,  // N'x'
  binary,          // 0x0A
  null,            // NULL
  default_value,   // DEFAULT as an argument of a user-defined function
};

// `text` is the exact spelling for numbers, money and binary (line continuations removed), and the value with quotes
// and doubled quotes undone for strings. It is empty for NULL and DEFAULT.
struct literal {
  literal_kind kind = literal_kind::null;
  std::string text;
  friend bool operator==(const literal&, const literal&) = default;
};

// @local or @@GLOBAL, the name with its at-signs.
struct variable {
  std::string name;
  bool is_global() const noexcept { return name.size() > 1 && name[1] == '@'; }
  friend bool operator==(const variable&, const variable&) = default;
};

// Columns named by what they are rather than by a name.
enum class pseudo_column { none, identity, rowguid, action, cuid, node_id, edge_id, from_id, to_id, partition };

// [database.[schema.]]table.column. `table` is empty for a bare column. For $IDENTITY, IDENTITYCOL, $ROWGUID,
// ROWGUIDCOL, $ACTION and the graph columns `pseudo` says which and `name` is empty.
// The first argument of DATEADD, DATEPART … (a datepart) is also a bare column_ref.
struct column_ref {
  object_name table;
  identifier name;
  pseudo_column pseudo = pseudo_column::none;
  friend bool operator==(const column_ref&, const column_ref&) = default;
};

enum class niladic_kind {
  current_timestamp,
  current_user,
  session_user,
  system_user,
  user,
  current_date,
  current_time
};

// A function written without parentheses.
struct niladic_function {
  niladic_kind kind = niladic_kind::current_timestamp;
  friend bool operator==(const niladic_function&, const niladic_function&) = default;
};

enum class odbc_literal_kind { date, time, timestamp, guid };

// {d '2024-01-31'}, {t '…'}, {ts '…'}, {guid '…'}
struct odbc_literal {
  odbc_literal_kind kind = odbc_literal_kind::date;
  bool unicode = false;
  std::string text;
  friend bool operator==(const odbc_literal&, const odbc_literal&) = default;
};

// ---- operators ----------------------------------------------------------------------------------------------------

enum class unary_operator { plus, minus, bit_not };

struct unary {
  unary_operator op = unary_operator::plus;
  box<expression> operand;
  friend bool operator==(const unary&, const unary&) = default;
};

enum class binary_operator {
  add,
  subtract,
  multiply,
  divide,
  modulo,
  bit_and,
  bit_or,
  bit_xor,
  concat,
  shift_left,
  shift_right
};

struct binary {
  binary_operator op = binary_operator::add;
  box<expression> left;
  box<expression> right;
  friend bool operator==(const binary&, const binary&) = default;
};

// != is kept as not_equal (<>), !< as greater_or_equal, !> as less_or_equal.
enum class comparison_operator { equal, not_equal, less, greater, less_or_equal, greater_or_equal };

struct comparison {
  comparison_operator op = comparison_operator::equal;
  box<expression> left;
  box<expression> right;
  friend bool operator==(const comparison&, const comparison&) = default;
};

enum class logical_operator { and_, or_ };

// Two or more operands: a AND b AND c is one node, (a AND b) AND c is two.
struct logical {
  logical_operator op = logical_operator::and_;
  std::vector<expression> operands;
  friend bool operator==(const logical&, const logical&) = default;
};

struct negation {  // NOT condition
  box<expression> operand;
  friend bool operator==(const negation&, const negation&) = default;
};

struct is_null {
  box<expression> operand;
  bool negated = false;
  friend bool operator==(const is_null&, const is_null&) = default;
};

struct is_distinct_from {
  box<expression> left;
  box<expression> right;
  bool negated = false;
  friend bool operator==(const is_distinct_from&, const is_distinct_from&) = default;
};

struct between {
  box<expression> operand;
  box<expression> low;
  box<expression> high;
  bool negated = false;
  friend bool operator==(const between&, const between&) = default;
};

struct in_list {
  box<expression> operand;
  std::vector<expression> list;
  bool negated = false;
  friend bool operator==(const in_list&, const in_list&) = default;
};

struct in_subquery {
  box<expression> operand;
  box<query_expression> query;
  bool negated = false;
  friend bool operator==(const in_subquery&, const in_subquery&) = default;
};

struct like {
  box<expression> operand;
  box<expression> pattern;
  box<expression> escape;  // empty when there is no ESCAPE
  bool negated = false;
  friend bool operator==(const like&, const like&) = default;
};

struct exists {
  box<query_expression> query;
  friend bool operator==(const exists&, const exists&) = default;
};

enum class quantifier { any, all };  // SOME is ANY
enum class distinctness { none, distinct, not_distinct };

// x = ANY (query); with `distinct` set, x IS [NOT] DISTINCT FROM ANY (query), and `op` says nothing.
struct quantified_comparison {
  comparison_operator op = comparison_operator::equal;
  box<expression> operand;
  quantifier quantity = quantifier::any;
  box<query_expression> query;
  distinctness distinct = distinctness::none;
  friend bool operator==(const quantified_comparison&, const quantified_comparison&) = default;
};

struct collate {
  box<expression> operand;
  identifier collation;
  friend bool operator==(const collate&, const collate&) = default;
};

struct at_time_zone {
  box<expression> operand;
  box<expression> zone;
  friend bool operator==(const at_time_zone&, const at_time_zone&) = default;
};

// ---- CASE ---------------------------------------------------------------------------------------------------------

struct case_branch {
  box<expression> when;  // a value of a simple CASE, a condition of a searched one
  box<expression> then;
  friend bool operator==(const case_branch&, const case_branch&) = default;
};

struct case_expression {
  box<expression> operand;  // empty: a searched CASE
  std::vector<case_branch> branches;
  box<expression> otherwise;  // empty: no ELSE
  friend bool operator==(const case_expression&, const case_expression&) = default;
};

// ---- types and conversions ----------------------------------------------------------------------------------------

// Synonyms of more than one word are kept under their one-word name (DOUBLE PRECISION as float, NATIONAL CHARACTER
// VARYING as nvarchar). Parameters are spelled as written: "10", "2", "max", "float16".
struct data_type {
  object_name name;
  std::vector<std::string> parameters;
  bool xml_document = false;  // xml(DOCUMENT collection)
  bool xml_content = false;   // xml(CONTENT collection)
  object_name xml_schema;     // xml([CONTENT|DOCUMENT] collection)
  friend bool operator==(const data_type&, const data_type&) = default;
};

enum class conversion_kind { cast, try_cast, convert, try_convert, parse, try_parse };

struct conversion {
  conversion_kind kind = conversion_kind::cast;
  box<expression> value;
  box<data_type> type;
  box<expression> style;  // style of CONVERT, culture of PARSE (USING); empty when not given
  friend bool operator==(const conversion&, const conversion&) = default;
};

// ---- windows ------------------------------------------------------------------------------------------------------

struct order_item {
  box<expression> value;
  bool descending = false;
  friend bool operator==(const order_item&, const order_item&) = default;
};

enum class frame_unit { rows, range };
enum class frame_bound_kind { unbounded_preceding, preceding, current_row, following, unbounded_following };

struct frame_bound {
  frame_bound_kind kind = frame_bound_kind::current_row;
  box<expression> offset;  // of PRECEDING and FOLLOWING
  friend bool operator==(const frame_bound&, const frame_bound&) = default;
};

struct window_frame {
  frame_unit unit = frame_unit::rows;
  frame_bound start;
  std::optional<frame_bound> end;  // given by BETWEEN … AND …
  friend bool operator==(const window_frame&, const window_frame&) = default;
};

struct window_definition {
  identifier base;  // OVER (w ORDER BY …); empty otherwise
  std::vector<expression> partition_by;
  std::vector<order_item> order_by;
  std::optional<window_frame> frame;
  friend bool operator==(const window_definition&, const window_definition&) = default;
};

struct over_clause {
  identifier window;  // OVER w; when set, the definition is empty
  window_definition definition;
  friend bool operator==(const over_clause&, const over_clause&) = default;
};

// ---- calls --------------------------------------------------------------------------------------------------------

enum class null_treatment { none, ignore_nulls, respect_nulls };
enum class json_null_clause { none, null_on_null, absent_on_null };
enum class json_wrapper { none, array_wrapper, conditional_array_wrapper, without_array_wrapper };
enum class trim_side { none, leading, trailing, both };

// What stands inside or behind the parentheses of some calls only; most calls have none of it.
struct call_options {
  std::vector<order_item> within_group;  // WITHIN GROUP (ORDER BY …)
  bool within_graph_path = false;        // WITHIN GROUP (GRAPH PATH)
  std::vector<order_item> order_by;      // JSON_ARRAYAGG(x ORDER BY …)
  null_treatment nulls = null_treatment::none;
  json_null_clause json_nulls = json_null_clause::none;
  json_wrapper wrapper = json_wrapper::none;
  std::optional<data_type> returning;  // RETURNING int, RETURNING json
  trim_side trim = trim_side::none;    // TRIM(LEADING x FROM y); arguments are x, y
  bool trim_from = false;              // TRIM(x FROM y)
  object_name model;                   // AI functions: USE MODEL name
  box<expression> model_parameters;    // AI functions: PARAMETERS json
  friend bool operator==(const call_options&, const call_options&) = default;
};

enum class set_quantifier { none, distinct, all };

// name(arguments). Built-in, user-defined, COALESCE/NULLIF/LEFT/RIGHT/IIF/CHOOSE alike. A name of more than one part
// may also be a method of a column (c.Doc.value('…', 'int')): only the binder can tell.
struct function_call {
  object_name name;
  set_quantifier quantifier = set_quantifier::none;  // COUNT(DISTINCT x)
  bool star = false;                                 // COUNT(*): arguments are empty
  std::vector<expression> arguments;                 // the first of IIF is a condition; JSON_OBJECT has json_key_value
  box<call_options> options;
  box<over_clause> over;
  friend bool operator==(const function_call&, const function_call&) = default;
};

struct json_key_value {  // 'key': value, inside JSON_OBJECT and JSON_OBJECTAGG only
  box<expression> key;
  box<expression> value;
  friend bool operator==(const json_key_value&, const json_key_value&) = default;
};

struct named_argument {  // NAME = value, inside AI_GENERATE_CHUNKS and the like
  identifier name;
  box<expression> value;
  friend bool operator==(const named_argument&, const named_argument&) = default;
};

// expression.method(arguments), or expression.property when is_property.
struct method_call {
  box<expression> target;
  identifier name;
  bool is_property = false;
  std::vector<expression> arguments;
  friend bool operator==(const method_call&, const method_call&) = default;
};

// type::method(arguments) or type::property, as in geography::Point(1, 2, 4326).
struct static_call {
  box<object_name> type;
  identifier name;
  bool is_property = false;
  std::vector<expression> arguments;
  friend bool operator==(const static_call&, const static_call&) = default;
};

// [database.]$PARTITION.function(arguments)
struct partition_function {
  identifier database;
  identifier name;
  std::vector<expression> arguments;
  friend bool operator==(const partition_function&, const partition_function&) = default;
};

// {fn name(arguments)}. In EXTRACT(part FROM value) the part is a bare column_ref; so is the type of CONVERT.
struct odbc_function {
  identifier name;
  std::vector<expression> arguments;
  friend bool operator==(const odbc_function&, const odbc_function&) = default;
};

struct next_value_for {
  object_name sequence;
  box<over_clause> over;
  friend bool operator==(const next_value_for&, const next_value_for&) = default;
};

struct scalar_subquery {
  box<query_expression> query;
  friend bool operator==(const scalar_subquery&, const scalar_subquery&) = default;
};

// ---- full-text and graph predicates -------------------------------------------------------------------------------

enum class fulltext_kind { contains, freetext };

// CONTAINS(columns, search [, LANGUAGE l]). `star` stands for *, `property` for PROPERTY(column, 'name').
struct fulltext_predicate {
  fulltext_kind kind = fulltext_kind::contains;
  std::vector<expression> columns;  // column_ref each
  bool star = false;
  box<object_name> star_table;  // t.*
  box<expression> property;
  box<expression> search;
  box<expression> language;
  friend bool operator==(const fulltext_predicate&, const fulltext_predicate&) = default;
};

struct graph_node {
  identifier name;
  bool last_node = false;  // LAST_NODE(name)
  friend bool operator==(const graph_node&, const graph_node&) = default;
};

enum class graph_direction { right, left };  // -(e)-> and <-(e)-

struct graph_step {
  identifier edge;
  graph_direction direction = graph_direction::right;
  graph_node node;          // where the step ends
  bool node_first = false;  // inside SHORTEST_PATH: the pattern is (node-(edge)->)+ rather than (-(edge)->node)+
  friend bool operator==(const graph_step&, const graph_step&) = default;
};

// n1-(e1)->n2-(e2)->n3, LAST_NODE(a) = LAST_NODE(b), or SHORTEST_PATH(n1(-(e)->n2){1,3}).
struct graph_pattern {
  graph_node start;
  std::vector<graph_step> steps;
  bool shortest_path = false;
  std::string quantifier;  // "+" or "{1,3}" of SHORTEST_PATH
  bool same_node = false;  // LAST_NODE(a) = LAST_NODE(b): one step, whose node is b
  friend bool operator==(const graph_pattern&, const graph_pattern&) = default;
};

struct match_predicate {  // MATCH(pattern AND pattern …)
  std::vector<graph_pattern> patterns;
  friend bool operator==(const match_predicate&, const match_predicate&) = default;
};

// ---- the node -----------------------------------------------------------------------------------------------------

using expression_node =
    std::variant<literal, variable, column_ref, niladic_function, odbc_literal, unary, binary, comparison, logical,
                 negation, is_null, is_distinct_from, between, in_list, in_subquery, like, exists,
                 quantified_comparison, collate, at_time_zone, case_expression, conversion, function_call,
                 json_key_value, named_argument, method_call, static_call, partition_function, odbc_function,
                 next_value_for, scalar_subquery, fulltext_predicate, match_predicate>;

struct expression {
  expression_node node;
  source_position pos;

  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() noexcept {
    return std::get_if<T>(&node);
  }
  friend bool operator==(const expression&, const expression&) = default;
};

// True for the kinds that are conditions (truth-valued), false for those that are values.
bool is_predicate(const expression&);

}  // namespace dragoman::tsql
