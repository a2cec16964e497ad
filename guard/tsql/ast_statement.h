// Statements of a person's batch, as far as the sandbox needs their parts. Everything else is an other_statement:
// recognised by its first words and never looked into.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "guard/tsql/ast_query.h"

namespace dragoman::tsql {

struct statement;

// ---- variables ----------------------------------------------------------------------------------------------------

struct column_definition {  // of DECLARE @t TABLE (…) and CREATE TABLE #t (…)
  identifier name;
  data_type type;
  identifier collation;
  bool identity = false;
  std::string identity_seed;
  std::string identity_increment;
  std::optional<bool> nullable;  // NULL / NOT NULL when written
  bool primary_key = false;
  bool unique = false;
  box<expression> default_value;
  box<expression> computed;  // name AS expression; the type is empty
  box<expression> check;
  friend bool operator==(const column_definition&, const column_definition&) = default;
};

enum class table_constraint_kind { primary_key, unique, check };

struct table_constraint {
  table_constraint_kind kind = table_constraint_kind::primary_key;
  std::vector<order_item> columns;
  box<expression> check;
  friend bool operator==(const table_constraint&, const table_constraint&) = default;
};

struct table_definition {
  std::vector<column_definition> columns;
  std::vector<table_constraint> constraints;
  friend bool operator==(const table_definition&, const table_definition&) = default;
};

struct variable_declaration {
  std::string name;
  data_type type;               // empty name when table is set
  box<table_definition> table;  // @t TABLE (…)
  box<expression> value;        // = initial value
  friend bool operator==(const variable_declaration&, const variable_declaration&) = default;
};

struct declare_statement {
  std::vector<variable_declaration> variables;
  friend bool operator==(const declare_statement&, const declare_statement&) = default;
};

struct set_variable_statement {  // SET @v = value
  std::string variable;
  assignment_operator op = assignment_operator::assign;
  box<expression> value;
  friend bool operator==(const set_variable_statement&, const set_variable_statement&) = default;
};

// SET NOCOUNT ON: options {"NOCOUNT"}, values {"ON"}. SET ANSI_NULLS, ANSI_PADDING ON has two options.
// SET STATISTICS IO ON: "STATISTICS IO". SET IDENTITY_INSERT t ON: values {"t", "ON"}.
// SET TRANSACTION ISOLATION LEVEL READ COMMITTED: options {"TRANSACTION ISOLATION LEVEL"}, values {"READ COMMITTED"}.
// Names and keywords are in upper case; strings keep their text without quotes, variables their at-sign.
struct set_option_statement {
  std::vector<std::string> options;
  std::vector<std::string> values;
  friend bool operator==(const set_option_statement&, const set_option_statement&) = default;
};

// ---- control of flow ----------------------------------------------------------------------------------------------

struct if_statement {
  box<expression> condition;
  box<statement> then;
  box<statement> otherwise;
  friend bool operator==(const if_statement&, const if_statement&) = default;
};

struct while_statement {
  box<expression> condition;
  box<statement> body;
  friend bool operator==(const while_statement&, const while_statement&) = default;
};

struct block_statement {  // BEGIN … END
  std::vector<statement> statements;
  friend bool operator==(const block_statement&, const block_statement&) = default;
};

struct try_catch_statement {  // BEGIN TRY … END TRY BEGIN CATCH … END CATCH
  std::vector<statement> body;
  std::vector<statement> handler;
  friend bool operator==(const try_catch_statement&, const try_catch_statement&) = default;
};

enum class flow_kind { break_, continue_, return_ };

struct flow_statement {
  flow_kind kind = flow_kind::return_;
  box<expression> value;  // of RETURN
  friend bool operator==(const flow_statement&, const flow_statement&) = default;
};

enum class transaction_kind { begin, commit, rollback, save };

struct transaction_statement {
  transaction_kind kind = transaction_kind::begin;
  std::string name;  // of the transaction, the savepoint or the variable that holds it
  friend bool operator==(const transaction_statement&, const transaction_statement&) = default;
};

struct print_statement {
  box<expression> value;
  friend bool operator==(const print_statement&, const print_statement&) = default;
};

struct raiserror_statement {
  std::vector<expression> arguments;
  std::vector<std::string> options;  // NOWAIT, LOG, SETERROR
  friend bool operator==(const raiserror_statement&, const raiserror_statement&) = default;
};

struct throw_statement {
  std::vector<expression> arguments;  // none or three
  friend bool operator==(const throw_statement&, const throw_statement&) = default;
};

struct use_statement {
  identifier database;
  friend bool operator==(const use_statement&, const use_statement&) = default;
};

// ---- EXEC ---------------------------------------------------------------------------------------------------------

struct execute_argument {
  std::string parameter;  // @name = …; empty: by position
  box<expression> value;  // a bare word is a string literal, as SQL Server reads it; DEFAULT is a literal
  bool output = false;
  friend bool operator==(const execute_argument&, const execute_argument&) = default;
};

// EXEC [@status =] procedure arguments. `strings` is set instead of `procedure` for EXEC ('text' + @more).
struct execute_statement {
  std::string status_variable;
  object_name procedure;
  std::string procedure_variable;  // EXEC @name
  std::vector<execute_argument> arguments;
  std::vector<expression> strings;
  bool implicit = false;  // the first statement of a batch needs no EXEC
  friend bool operator==(const execute_statement&, const execute_statement&) = default;
};

// ---- temporary tables ---------------------------------------------------------------------------------------------

struct create_table_statement {
  object_name table;
  table_definition definition;
  friend bool operator==(const create_table_statement&, const create_table_statement&) = default;
};

struct drop_table_statement {
  bool if_exists = false;
  std::vector<object_name> tables;
  friend bool operator==(const drop_table_statement&, const drop_table_statement&) = default;
};

struct insert_statement {
  object_name table;           // or
  std::string table_variable;  // @t
  std::vector<identifier> columns;
  bool default_values = false;
  std::vector<value_row> rows;     // VALUES
  box<select_statement> query;     // SELECT, with its CTEs
  box<execute_statement> execute;  // EXEC
  friend bool operator==(const insert_statement&, const insert_statement&) = default;
};

// ---- the node -----------------------------------------------------------------------------------------------------

// A statement that no part of Dragoman executes. `kind` is its first word or words in upper case ("DELETE",
// "ALTER TABLE", "GRANT"), for messages and audit.
struct other_statement {
  std::string kind;
  friend bool operator==(const other_statement&, const other_statement&) = default;
};

using statement_node =
    std::variant<select_statement, declare_statement, set_variable_statement, set_option_statement, if_statement,
                 while_statement, block_statement, try_catch_statement, flow_statement, transaction_statement,
                 print_statement, raiserror_statement, throw_statement, use_statement, execute_statement,
                 create_table_statement, drop_table_statement, insert_statement, other_statement>;

struct statement {
  statement_node node;
  source_position pos;
  std::uint32_t end_offset = 0;  // one past the last byte of its text; not part of equality

  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() noexcept {
    return std::get_if<T>(&node);
  }
  friend bool operator==(const statement& a, const statement& b) { return a.node == b.node; }
};

struct batch {
  std::vector<statement> statements;
  friend bool operator==(const batch&, const batch&) = default;
};

// The kind of a statement in the words of its keyword, e.g. "SELECT", "SET", "DELETE".
std::string_view kind_name(const statement&);

}  // namespace dragoman::tsql
