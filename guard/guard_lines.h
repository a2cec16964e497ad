// `dragoman guard` and `EXEC nlq.why` as functions.
#pragma once

#include <string>
#include <string_view>

#include "guard/guard.h"

namespace dragoman::guard {

// One line `id<TAB>statement` (the statement with \n \r \t \\ escaped), without its line end, to one answer line:
//   id<TAB>accept<TAB>-<TAB>printed
//   id<TAB>refuse<TAB>reason_code<TAB>message
//   id<TAB>local<TAB>-<TAB>what the sandbox will do
// The last column is escaped the same way. Columns behind the statement are ignored.
std::string guard_line(std::string_view line, const policy&, const check_options& = {});

// Undoes \n \r \t \\; any other backslash stays.
std::string unescape_statement(std::string_view);
std::string escape_statement(std::string_view);

// What nlq.why shows of a statement.
struct explanation {
  std::string verdict;  // accept, refuse, local
  std::string reason;   // reason code, "-" when accepted
  std::string rule;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string words;      // what a person understands
  std::string rewritten;  // the SQL that runs, laid out; empty when nothing runs
};
explanation explain(std::string_view text, const policy&, const check_options& = {});

}  // namespace dragoman::guard
