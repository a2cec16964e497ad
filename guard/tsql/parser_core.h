// The recursive-descent parser: one class, its methods spread over one file per clause (parse_*.cc).
//
// Failure is sticky: the first one is kept and moves the cursor to the end token, where every method finds nothing to
// do, so no method checks for failure after each step. Three counters bound the work: nesting on the way down, tree
// height on the way up (operator chains nest without recursion), and the number of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "guard/tsql/ast.h"
#include "guard/tsql/lexer.h"
#include "guard/tsql/operators.h"
#include "guard/tsql/parser.h"

namespace dragoman::tsql {

class parser {
 public:
  parser(std::string_view text, const token_list& list)
      : text_(text), first_(list.tokens.data()), at_(first_), end_(first_ + list.tokens.size() - 1) {}

  // ---- what the entry points call (parser.cc) -----------------------------------------------------------------------
  select_statement whole_query();
  batch whole_batch();
  expression whole_expression();
  data_type whole_data_type();
  std::vector<variable_declaration> whole_parameters();
  object_name whole_object_name();
  const std::optional<failure>& error() const { return error_; }

 private:
  // ---- cursor (parser_core.cc) --------------------------------------------------------------------------------------
  bool ok() const { return !error_; }
  bool done() const { return at_ == end_; }
  const token& cur() const { return *at_; }
  const token& peek(std::size_t n) const { return at_ + n < end_ ? at_[n] : *end_; }
  void advance() {
    if (at_ != end_) ++at_;
  }
  bool at(keyword w) const { return at_->word == w; }
  bool at(symbol s) const { return at_->sym == s; }
  bool at(token_kind k) const { return at_->kind == k; }
  bool next_is(std::size_t n, keyword w) const { return peek(n).word == w; }
  bool next_is(std::size_t n, symbol s) const { return peek(n).sym == s; }
  bool at_call(keyword w) const { return at(w) && next_is(1, symbol::left_paren); }
  template <class What>
  bool accept(What what) {
    if (!at(what)) return false;
    advance();
    return true;
  }
  template <class What>
  bool expect(What what) {
    if (accept(what)) return true;
    fail_here();
    return false;
  }
  static bool is_name(const token& t) {
    return t.kind == token_kind::quoted_name || (t.kind == token_kind::word && !is_reserved(t.word));
  }
  static bool is_string(const token& t) { return t.kind == token_kind::string || t.kind == token_kind::unicode_string; }
  source_position pos(const token& t) const { return {t.line, t.column, t.offset}; }
  std::string value_of(const token& t) const { return token_value(text_, t); }
  std::string_view raw(const token& t) const { return text_.substr(t.offset, t.length); }
  std::string upper(const token& t) const;

  void fail(failure f);
  void fail_at(const token& t);  // Incorrect syntax near …
  void fail_here() { fail_at(*at_); }
  void fail_at(const token& t, errc code, std::string message, std::int32_t number = 0);
  void fail_unsupported(const token& t, std::string_view construct);
  void fail_too_complex(std::string_view what);

  // One level of nesting: parentheses, a call, a CASE, a subquery, a join in parentheses.
  class nesting {
   public:
    explicit nesting(parser& p) : p_(p), outer_(p.height_) {
      p.height_ = 0;
      if (++p.depth_ > limits::expression_depth_max) p.fail_too_complex("nested too deeply");
    }
    ~nesting() {
      --p_.depth_;
      p_.height_ = std::max(outer_, p_.height_ + 1);
    }
    nesting(const nesting&) = delete;
    nesting& operator=(const nesting&) = delete;

   private:
    parser& p_;
    std::size_t outer_;
  };

  // A chain of operators of one level, left-deep in the tree: each link() makes it one node higher.
  class chain {
   public:
    explicit chain(parser& p) : p_(p), outer_(p.height_) { p.height_ = 0; }
    ~chain() { p_.height_ = std::max(outer_, p_.height_); }
    chain(const chain&) = delete;
    chain& operator=(const chain&) = delete;
    void link() {
      if (++p_.height_ > limits::tree_height_max) p_.fail_too_complex("nested too deeply");
    }

   private:
    parser& p_;
    std::size_t outer_;
  };

  void count_node() {
    if (++nodes_ > limits::syntax_nodes_max) fail_too_complex("too long");
  }
  template <class Node>
  expression make(Node node, const token& t) {
    count_node();
    return expression{expression_node(std::in_place_type<Node>, std::move(node)), pos(t)};
  }

  // ---- names and types (parse_name.cc, parse_type.cc) ---------------------------------------------------------------
  identifier parse_identifier();
  // reserved_after_dot: `nlq.save` names a procedure although SAVE is reserved.
  object_name parse_object_name(std::size_t parts_max, bool reserved_after_dot = false);
  std::vector<identifier> parse_identifier_list();  // (a, b)
  bool at_name() const { return is_name(*at_); }
  bool at_name_or_dot() const {
    return at_name() || (at(symbol::dot) && (is_name(peek(1)) || next_is(1, symbol::dot)));
  }
  data_type parse_data_type();
  void parse_type_parameters(data_type& type);

  // ---- expressions (parse_operator.cc, parse_predicate.cc, parse_primary.cc) ----------------------------------------
  expression parse_value();      // a scalar expression
  expression parse_condition();  // a search condition
  expression parse_either();
  expression parse_operators(precedence lowest);
  expression parse_prefix(precedence lowest);
  expression parse_logical(expression left, logical_operator op);
  expression parse_value_operand(precedence lowest);
  void require_value(const expression& e);
  void require_condition(const expression& e);
  std::optional<comparison_operator> accept_comparison();
  bool at_comparison() const;
  bool at_quantifier() const { return at(keyword::any_) || at(keyword::some_) || at(keyword::all_); }
  bool at_predicate() const;
  expression parse_predicate(expression left, const token& start);
  expression parse_comparison(expression left, const token& start);
  expression parse_is(expression left, const token& start);
  expression parse_in(expression left, bool negated, const token& start);
  expression parse_fulltext_predicate();
  expression parse_match();
  graph_pattern parse_graph_pattern();
  graph_pattern parse_shortest_path();
  graph_node parse_graph_node();
  bool at_graph_step() const;
  graph_step parse_graph_step();
  expression parse_primary();
  expression parse_unpostfixed();
  expression parse_zone();
  expression parse_word();
  expression parse_postfix(expression e, const token& start);
  expression parse_parenthesised();
  expression parse_brace();
  expression parse_case();
  expression parse_name_or_call();
  expression parse_special_column();
  expression parse_literal();
  expression parse_partition_function();
  expression parse_next_value();
  expression finish_column(const std::vector<const token*>& parts, const token& start);
  void require_table(const object_name& prefix, const token& start);
  object_name name_of(const std::vector<const token*>& parts, std::size_t count, const token& start);

  // ---- calls (parse_call.cc, parse_json_call.cc, parse_window.cc) ---------------------------------------------------
  expression parse_conversion();
  expression parse_call(object_name name, keyword word, bool defaults, const token& start);
  void parse_call_arguments(function_call& call, keyword word, bool defaults);
  void parse_call_tail(function_call& call, keyword word);
  bool parse_special_arguments(function_call& call, keyword word);
  void parse_trim(function_call& call);
  void parse_json_arguments(function_call& call, keyword word);
  void parse_model_arguments(function_call& call);
  bool at_json_tail() const;
  void parse_json_tail(call_options& options);
  expression parse_key_value();
  std::vector<expression> parse_arguments(bool defaults);  // ( … )
  expression parse_argument(bool defaults);
  expression parse_iif();
  std::vector<expression> parse_value_list();
  over_clause parse_over();
  window_definition parse_window_definition();  // inside the parentheses
  window_frame parse_frame();
  frame_bound parse_frame_bound();
  std::vector<order_item> parse_order_by();  // ORDER BY …

  // ---- queries (parse_query.cc, parse_select.cc, parse_group.cc, parse_for.cc, parse_option.cc) ---------------------
  select_statement parse_select_statement();
  void parse_with(select_statement& statement);
  void parse_xml_namespaces(select_statement& statement);
  enum class query_place { statement, nested };
  query_expression parse_query_expression(query_place place);
  query_expression parse_query_tail(query_expression query, query_place place);
  query_expression parse_set_operations(query_expression left, bool intersect_only, query_place place);
  query_expression parse_query_unit(query_place place);
  query_expression parse_subquery();  // ( query )
  bool at_set_operator() const { return at(keyword::union_) || at(keyword::except_) || at(keyword::intersect_); }
  query_specification parse_specification(query_place place);
  box<top_clause> parse_top();
  select_item parse_select_item(query_place place);
  bool at_star_item() const;
  identifier parse_column_alias();
  void parse_windows(query_specification& spec);
  bool at_window_clause() const;
  group_by_clause parse_group_by();
  grouping_element parse_grouping_element(grouping_kind within);
  bool at_fetch() const;
  box<offset_fetch> parse_offset();
  void parse_fetch(offset_fetch& node);
  for_clause parse_for();
  for_xml parse_for_xml();
  for_json parse_for_json();
  std::string parse_parenthesised_string();
  std::vector<query_hint> parse_option_clause();
  query_hint parse_query_hint();
  void parse_hint_words(query_hint& hint);
  void parse_optimize_for(query_hint& hint);

  // ---- tables (parse_join.cc, parse_table.cc, parse_rowset.cc, parse_table_hint.cc) ---------------------------------
  std::vector<table_source> parse_from();
  table_source parse_joined_table();
  table_source continue_joins(table_source left);
  bool parse_join_start(joined_table& join);
  table_source parse_pivot(table_source source);
  table_source parse_unpivot(table_source source);
  expression parse_fixed_column();
  table_source parse_table_primary();
  std::variant<query_expression, table_source> parse_table_parentheses();
  table_source parse_values_table();
  std::vector<value_row> parse_value_rows(bool defaults);
  table_source parse_named_table();
  table_source parse_function_table(expression call, const token& start);
  table_source parse_variable_table();
  template <class Node>
  table_source table(Node node, const token& t) {
    count_node();
    return table_source{table_node(std::in_place_type<Node>, std::move(node)), pos(t)};
  }
  table_alias parse_table_alias(bool required, bool columns);
  bool at_table_alias() const;
  box<temporal_clause> parse_system_time();
  box<tablesample> parse_tablesample();
  expression parse_constant();  // literal with an optional sign, or variable
  bool at_old_style_hint() const;
  void parse_table_hints(std::vector<table_hint>& hints);  // ( … )
  table_hint parse_table_hint();
  std::vector<schema_column> parse_schema_columns();  // ( … )
  table_source parse_openrowset();
  table_source parse_openquery();
  table_source parse_opendatasource();
  table_source parse_openxml();
  table_source parse_changetable();
  table_source parse_predict();
  table_source parse_vector_search();
  table_source parse_ai_chunks();
  table_source parse_fulltext_table();
  rowset_option parse_rowset_option();
  void parse_fulltext_columns(std::vector<expression>& columns, bool& star, box<object_name>* star_table,
                              box<expression>& property);

  // ---- statements of a batch (parse_statement.cc, parse_declare.cc, parse_set.cc, parse_execute.cc, parse_dml.cc) ---
  statement parse_statement();
  statement_node parse_statement_node();
  statement_node parse_begin();
  statement_node parse_if();
  statement_node parse_while();
  statement_node parse_declare();
  statement_node parse_set();
  statement_node parse_set_option();
  statement_node parse_execute(bool implicit);
  statement_node parse_raiserror();
  statement_node parse_transaction(transaction_kind kind);
  statement_node parse_create();
  statement_node parse_drop();
  statement_node parse_insert();
  statement_node parse_other();
  std::vector<statement> parse_statements_until_end();
  variable_declaration parse_variable_declaration();
  table_definition parse_table_definition();
  column_definition parse_column_definition();
  bool parse_column_constraint(column_definition& column);
  table_constraint parse_table_constraint();
  execute_argument parse_execute_argument();
  std::optional<assignment_operator> accept_assignment();
  bool at_statement_start(const token& t) const;
  bool in_batch_ = false;

  std::string_view text_;
  const token* first_;
  const token* at_;
  const token* end_;
  std::optional<failure> error_;
  std::size_t depth_ = 0;
  std::size_t height_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace dragoman::tsql
