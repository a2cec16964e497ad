// What lies between the SELECTs of a batch: variables, conditions, PRINT and SET. The walk over the statements is the
// caller's, since it also sends rows; everything here runs at once and returns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/tsql/ast.h"
#include "proxy/sandbox/engine.h"

namespace dragoman::sandbox {

// Options of the session that change what an answer looks like. All others are accepted and forgotten.
struct session_options {
  bool no_count = false;
  bool format_only = false;  // FMTONLY: columns, no rows
  bool no_exec = false;
  bool implicit_transactions = false;
  bool quoted_identifier = true;
  std::int64_t row_count = 0;  // SET ROWCOUNT n; 0 = all rows
};

// What RAISERROR and THROW raise; a severity of 10 and less is a message, not an error.
struct raised_error {
  std::uint8_t severity = 16;
  failure error;
};

class batch_state {
 public:
  // The engine and the options must outlive it.
  batch_state(engine& home, session_options& options) : home_(home), options_(options) {}

  result<void> declare(const tsql::declare_statement& statement);
  result<void> assign(std::string_view variable, tsql::assignment_operator op, const tsql::expression& value);
  // SELECT @a = …, @b = …: the last row counts, no row leaves the variables as they are. The number of rows.
  result<std::int64_t> assign_from(const tsql::select_statement& statement);
  result<bool> test(const tsql::expression& condition);     // UNKNOWN is false
  result<std::string> text(const tsql::expression& value);  // of PRINT
  result<void> set_option(const tsql::set_option_statement& statement);
  // RAISERROR(message, severity, state, arguments…) and THROW
  result<raised_error> raise(const tsql::raiserror_statement& statement);
  result<raised_error> raise(const tsql::throw_statement& statement);

  parameters& variables() noexcept { return variables_; }
  parameter* find(std::string_view name) noexcept;

 private:
  engine& home_;
  session_options& options_;
  parameters variables_;
};

bool assigns_variables(const tsql::select_statement& statement);

}  // namespace dragoman::sandbox
