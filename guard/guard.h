// The guard's one question: may this statement run, and as what text?
//
//   parse -> bind -> rules -> rewrites -> print
//
// What comes out as `accept` is a statement of its own: every table qualified, every `*` spelled out, every restricted
// table narrowed to what the principal may see. Nothing else may be sent to a warehouse. Pure functions: no I/O, no
// clock, no shared state; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errc.h"
#include "base/result.h"
#include "base/sql_type.h"
#include "guard/policy.h"
#include "guard/tsql/ast.h"

namespace dragoman::guard {

// sql: what a person or a tool sends. generated: what a model or the question compiler wrote; exactly one SELECT over
// at least one table, no comment, no system object.
enum class profile : std::uint8_t { sql, generated };

struct parameter {
  std::string name;  // with its @
  sql_type type;
};

struct check_options {
  guard::profile profile = guard::profile::sql;
  std::vector<parameter> parameters;         // of sp_executesql, or variables that the sandbox holds
  std::vector<std::string> table_variables;  // @t of DECLARE @t TABLE, held by the sandbox
  std::optional<std::uint64_t> row_cap;      // instead of the policy's; 0: none
  bool nolock = false;                       // add NOLOCK to every table of the warehouse
  bool quoted_identifier = true;
  std::string database;        // what USE chose; empty: the policy's first database
  std::string default_schema;  // tried first for a one-part name; empty: the catalogue's
};

enum class verdict_kind : std::uint8_t {
  accept,  // send `printed` to the warehouse (or answer at home where !reads_tables)
  refuse,  // tell the client `code` and `message`
  local,   // never forwarded: the sandbox answers, `action` says how
};

struct output_column {
  std::string name;  // empty: no name
  sql_type type;     // unknown where it could not be inferred
  bool nullable = true;
};

struct verdict {
  verdict_kind kind = verdict_kind::refuse;

  // refuse
  errc code = errc::internal;
  std::int32_t number = 0;  // SQL Server's own number where it is narrower than the code's, otherwise 0
  std::string message;      // as SQL Server words it
  std::uint32_t line = 0;   // from 1; 0: unknown
  std::uint32_t column = 0;
  std::string rule;  // the rule that decided ("parse", "bind", "denied_columns", …)

  // accept
  std::string printed;
  std::vector<std::string> tables;  // "schema.table", each once
  std::string datasource;           // of the tables; empty when there are none
  std::string database;
  std::vector<output_column> columns;
  std::vector<std::string> notices;  // what was dropped or added and a person should know, one sentence each
  std::uint64_t row_cap = 0;         // the relay cuts here; 0: no cap
  bool reads_tables = false;
  bool has_row_filter = false;          // errors of the upstream could speak of filtered rows: replace their text
  std::vector<std::string> parameters;  // names of the parameters that `printed` uses, as given

  // local
  std::string action;  // what the sandbox will do, in words

  failure as_failure() const;
};

// One SELECT as a tree. The tree is taken by value and rewritten.
verdict check(tsql::select_statement, const policy&, const check_options& = {});

// One statement of a parsed batch.
verdict check(const tsql::statement&, const policy&, const check_options& = {});

// A text: one verdict for all of it. For profile sql a batch of SELECTs is accepted when each is (`printed` joins them
// with "; "); a batch with any session statement or system object is `local`; one refused statement refuses all.
verdict check(std::string_view text, const policy&, const check_options& = {});

// The same statement by statement, variables of DECLARE known to what follows. Empty only on a failure to parse, which
// is then the one element.
struct statement_verdict {
  tsql::statement statement;
  guard::verdict verdict;
};
std::vector<statement_verdict> check_batch(std::string_view text, const policy&, const check_options& = {});

}  // namespace dragoman::guard
