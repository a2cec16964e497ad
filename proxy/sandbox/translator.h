// A T-SQL tree to SQLite text. One translator for one statement; the first thing that cannot be translated is kept as
// the failure and everything after it is dropped, so that the code reads straight on.
//
// Every value is a `typed`: SQLite text and the T-SQL type, in the encoding of codec.h. Conversions that T-SQL makes
// silently are written out, so that SQLite compares and computes only among equals. Result columns of every SELECT are
// named _c1, _c2 …; tables get aliases a1, a2 …, so that no name of the user's reaches SQLite except table and column
// names of the storage, quoted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "guard/tsql/ast.h"
#include "proxy/sandbox/engine.h"
#include "proxy/sandbox/types.h"

namespace dragoman::sandbox {

struct typed {
  std::string sql = "NULL";
  sql_type type;                      // unknown: a bare NULL
  std::optional<sql_value> constant;  // a literal, to be converted before it runs
  bool nullable = true;
};

struct relation_column {
  std::string name;
  sql_type type;
  bool nullable = true;
  bool identity = false;
  bool computed = true;
};

struct relation {
  std::string sql;  // a SELECT without parentheses, with columns _c1 …
  std::vector<relation_column> columns;
};

class translator {
 public:
  translator(const storage& tables, const session_facts& facts, const parameters& values);

  result<relation> translate(const tsql::select_statement& statement);
  // SELECT value AS _c1 (a condition becomes CASE WHEN … THEN 1 WHEN NOT … THEN 0 END).
  result<relation> translate(const tsql::expression& value);

 private:
  struct source_column {
    std::string name;
    std::string sql;
    sql_type type;
    bool nullable = true;
    bool identity = false;
    bool computed = false;
  };
  struct source {
    std::string alias;   // what the query calls it
    std::string schema;  // of a table without an alias
    std::vector<source_column> columns;
    std::size_t first = 0;
  };
  struct scope {
    scope* outer = nullptr;
    std::vector<source> sources;
    // Where outer columns become parameters of a nested statement (APPLY).
    std::vector<std::string>* captured = nullptr;
    // Grouping: which SQL texts may stand outside of aggregates.
    bool grouped = false;
    bool in_aggregate = false;
    std::set<std::string> groups;
    bool group_expressions = false;  // some group is more than a column
    std::set<std::string> nulled;    // groups that this grouping set leaves out
    const std::vector<tsql::named_window>* windows = nullptr;
  };
  struct cte {
    std::string name;
    std::string sql_name;
    std::vector<relation_column> columns;
    bool recursive = false;
    std::vector<std::string>* references = nullptr;  // aliases given to it while its recursive part is translated
  };

  // ---- queries (translate_query.cc, translate_set.cc) ----
  relation query(const tsql::query_expression& q, scope* outer);
  relation specification(const tsql::query_expression& q, const tsql::query_specification& s, scope* outer);
  relation grouping_sets(const tsql::query_expression& q, const tsql::query_specification& s, scope* outer);
  relation set_operation(const tsql::query_expression& q, const tsql::set_operation& s, scope* outer);
  relation converted(relation r, const std::vector<sql_type>& types);
  relation limited(relation r, const tsql::query_expression& q, scope& names);
  std::string with_clause(const std::vector<tsql::common_table_expression>& ctes);
  std::string recursive_cte(const tsql::common_table_expression& c, cte& entry);
  void add_items(const tsql::query_specification& s, scope& inner, std::vector<typed>& values,
                 std::vector<relation_column>& columns);
  void group_by(const tsql::query_specification& s, scope& inner, std::string& sql);
  std::string row_count(const tsql::expression& count, scope& s, const char* clause);
  std::string order_terms(const std::string& value, const sql_type& type, bool descending) const;
  std::string order_list(const std::vector<tsql::order_item>& items, scope& s);

  // ---- FROM (translate_from.cc) ----
  std::string from(const tsql::table_source& t, scope& s);
  std::string named(const tsql::named_table& t, const tsql::table_source& at, scope& s);
  std::string derived(const relation& r, const tsql::table_alias& alias, scope& s);
  std::string values(const tsql::values_table& t, scope& s);
  std::string joined(const tsql::joined_table& t, scope& s);
  std::string applied(const tsql::joined_table& t, scope& s);
  std::string function(const tsql::function_table& t, scope& s);
  std::string pivoted(const tsql::pivoted_table& t, scope& s);
  std::string unpivoted(const tsql::unpivoted_table& t, scope& s);
  relation values_relation(const tsql::values_table& t, scope* outer);
  void rename(std::vector<source_column>& columns, const tsql::table_alias& alias);

  // ---- expressions (translate_expression.cc, translate_condition.cc, translate_call.cc, translate_aggregate.cc) ----
  typed value(const tsql::expression& e, scope& s);
  typed value_node(const tsql::expression& e, scope& s);
  std::string condition(const tsql::expression& e, scope& s);
  typed literal(const tsql::literal& l);
  typed variable(const tsql::variable& v, scope& s);
  typed column(const tsql::column_ref& c, scope& s);
  typed niladic(tsql::niladic_kind kind);
  typed odbc(const tsql::odbc_literal& l);
  typed unary(const tsql::unary& u, scope& s);
  typed binary(const tsql::binary& b, scope& s);
  typed arithmetic(tsql::binary_operator op, typed left, typed right);
  typed concat(typed left, typed right);
  typed conversion(const tsql::conversion& c, scope& s);
  typed case_of(const tsql::case_expression& c, scope& s);
  typed call(const tsql::function_call& f, scope& s);
  typed odbc_call(const tsql::odbc_function& f, scope& s);
  std::optional<typed> scalar_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::optional<typed> text_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::optional<typed> time_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::optional<typed> number_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::optional<typed> session_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::optional<typed> aggregate_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::optional<typed> window_call(const std::string& name, const tsql::function_call& f, scope& s);
  std::string over(const tsql::function_call& f, scope& s);
  std::string window(const tsql::window_definition& w, scope& s);
  std::string comparison(tsql::comparison_operator op, typed left, typed right);
  std::string in_list(const tsql::in_list& i, scope& s);
  std::string in_subquery(const tsql::in_subquery& i, scope& s);
  std::string quantified(const tsql::quantified_comparison& q, scope& s);
  std::string like(const tsql::like& l, scope& s);

  // ---- conversions (translate_type.cc) ----
  typed coerce(typed v, const sql_type& to);                                 // as assignment and comparison do
  typed cast(typed v, const sql_type& to, const typed* style, bool is_try);  // as CAST does
  typed as_text(typed v);
  typed as_real(typed v);
  typed as_int(typed v);
  typed as_ticks(typed v);  // date and time types, and text that is read as datetime
  sql_type unify(const std::vector<typed>& all);
  std::string collated(const typed& v) const;

  // ---- failures ----
  void fail(failure why);
  void fail(std::int32_t number, errc code, std::string text, const tsql::source_position& at = {});
  typed refused(std::string_view construct, const tsql::source_position& at = {});
  bool failed() const noexcept { return failure_.has_value(); }

  bool has_aggregate(const tsql::query_expression& q, const tsql::query_specification& s) const;
  std::string next_alias() { return "a" + std::to_string(++aliases_); }
  const cte* find_cte(const tsql::object_name& name) const;

  const storage& tables_;
  const session_facts& facts_;
  const parameters& values_;
  std::optional<failure> failure_;
  std::vector<cte> ctes_;
  std::int64_t max_recursion_ = 100;
  std::size_t aliases_ = 0;
  int depth_ = 0;
  tsql::source_position here_;
};

bool is_aggregate_name(std::string_view upper_name) noexcept;

}  // namespace dragoman::sandbox
