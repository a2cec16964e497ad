// The printer: one class, its methods spread over one file per clause (print_*.cc), as the parser's are.
//
// `line()` is where the house layout breaks the line and the canonical form writes a blank; everything else is the
// same for both, so they cannot drift apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/tsql/ast.h"
#include "guard/tsql/operators.h"
#include "guard/tsql/printer.h"

namespace dragoman::tsql {

class printer {
 public:
  explicit printer(bool pretty) : pretty_(pretty) { out_.reserve(256); }
  std::string take() { return std::move(out_); }

  // ---- expressions (print_expression.cc, print_call.cc, print_predicate.cc) -----------------------------------------
  void print(const expression& e);
  void print(const data_type& type);
  void print(const object_name& name);
  void print(const identifier& name);

  // ---- tables (print_table.cc, print_rowset.cc) ---------------------------------------------------------------------
  void print(const table_source& source);

  // ---- queries (print_query.cc, print_for.cc) -----------------------------------------------------------------------
  void print(const query_expression& query);
  void print(const select_statement& statement);

  // ---- statements (print_statement.cc) ------------------------------------------------------------------------------
  void print(const statement& s);
  void print(const std::vector<statement>& statements);

 private:
  void text(std::string_view s) { out_.append(s); }
  void string(std::string_view value, bool unicode);
  void quoted_name(std::string_view name);
  void line();
  void indent() { ++indent_; }
  void outdent() { --indent_; }
  // Items with a comma between them; one a line in the house layout when `breaking`.
  template <class List, class Print>
  void list(const List& items, Print print_item, bool breaking = false) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) {
        out_.push_back(',');
        breaking ? line() : out_.push_back(' ');
      }
      first = false;
      print_item(item);
    }
  }
  void values(const std::vector<expression>& items) {
    list(items, [this](const expression& e) { print(e); });
  }
  void names(const std::vector<identifier>& items) {
    list(items, [this](const identifier& n) { print(n); });
  }
  void parenthesised_names(const std::vector<identifier>& items);
  void operand(const expression& e, precedence lowest);
  void subquery(const query_expression& query);

  // One method per kind of expression.
  void node(const literal& n);
  void node(const variable& n);
  void node(const column_ref& n);
  void node(const niladic_function& n);
  void node(const odbc_literal& n);
  void node(const unary& n);
  void node(const binary& n);
  void node(const comparison& n);
  void node(const logical& n);
  void node(const negation& n);
  void node(const is_null& n);
  void node(const is_distinct_from& n);
  void node(const between& n);
  void node(const in_list& n);
  void node(const in_subquery& n);
  void node(const like& n);
  void node(const exists& n);
  void node(const quantified_comparison& n);
  void node(const collate& n);
  void node(const at_time_zone& n);
  void node(const case_expression& n);
  void node(const conversion& n);
  void node(const function_call& n);
  void node(const json_key_value& n);
  void node(const named_argument& n);
  void node(const method_call& n);
  void node(const static_call& n);
  void node(const partition_function& n);
  void node(const odbc_function& n);
  void node(const next_value_for& n);
  void node(const scalar_subquery& n);
  void node(const fulltext_predicate& n);
  void node(const match_predicate& n);

  void call_name(const function_call& call);
  void call_arguments(const function_call& call);
  void json_tail(const call_options& options);
  void over(const over_clause& clause);
  void window(const window_definition& definition);
  void bound(const frame_bound& b);
  void order_by(const std::vector<order_item>& items);
  void fulltext_columns(const std::vector<expression>& columns, bool star, const object_name* star_table,
                        const box<expression>& property);
  void pattern(const graph_pattern& p);
  void graph(const graph_node& n);
  void step(const graph_step& s);

  // One method per kind of table.
  void node(const named_table& n);
  void node(const variable_table& n);
  void node(const derived_table& n);
  void node(const values_table& n);
  void node(const function_table& n);
  void node(const rowset_function& n);
  void node(const fulltext_table& n);
  void node(const joined_table& n);
  void node(const pivoted_table& n);
  void node(const unpivoted_table& n);

  void alias(const table_alias& a);
  void system_time(const temporal_clause& clause);
  void sample(const tablesample& s);
  void hint(const table_hint& h);
  void hint_like_argument(const function_call& call);
  void hints(const std::vector<table_hint>& list_of_hints);
  void schema(const std::vector<schema_column>& columns);
  void rows(const std::vector<value_row>& list_of_rows);
  void option(const rowset_option& o);
  void rowset_arguments(const rowset_function& n);

  void body(const query_expression& query);
  void specification(const query_specification& spec);
  void set(const set_operation& op);
  void set_operand(const query_expression& query, bool parenthesise);
  void item(const select_item& i);
  void group_by(const group_by_clause& group);
  void grouping(const grouping_element& element);
  void for_(const for_clause& clause);
  void clause(const for_browse& c);
  void clause(const for_xml& c);
  void clause(const for_json& c);
  void query_hints(const std::vector<query_hint>& list_of_hints);
  void query_hint_(const query_hint& h);

  void stmt(const select_statement& s) { print(s); }
  void stmt(const declare_statement& s);
  void stmt(const set_variable_statement& s);
  void stmt(const set_option_statement& s);
  void stmt(const if_statement& s);
  void stmt(const while_statement& s);
  void stmt(const block_statement& s);
  void stmt(const try_catch_statement& s);
  void stmt(const flow_statement& s);
  void stmt(const transaction_statement& s);
  void stmt(const print_statement& s);
  void stmt(const raiserror_statement& s);
  void stmt(const throw_statement& s);
  void stmt(const use_statement& s);
  void stmt(const execute_statement& s);
  void stmt(const create_table_statement& s);
  void stmt(const drop_table_statement& s);
  void stmt(const insert_statement& s);
  void stmt(const other_statement& s);
  void definition(const table_definition& d);
  void column(const column_definition& c);

  std::string out_;
  bool pretty_;
  std::size_t indent_ = 0;
};

}  // namespace dragoman::tsql
