// Every built-in function that Dragoman knows, with its arity, what it reads and what it returns.
//
// The table states facts; which of them a principal may call is a rule of the guard (guard/rules/functions.cc). A name
// that is not here is no built-in function. To add one: one line in function_table.cc.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::tsql {

enum class function_kind : std::uint8_t {
  scalar,
  aggregate,  // may stand with OVER too
  window,     // only with OVER: ROW_NUMBER, LAG …
  ordered,    // aggregate or window with WITHIN GROUP: PERCENTILE_CONT …
  rowset,     // only in FROM
};

// What a call can learn or do beyond its arguments.
enum class function_access : std::uint8_t {
  none,
  clock,      // time of day
  random,     // NEWID, RAND
  session,    // login, connection, settings, last error: only the sandbox may answer
  metadata,   // objects, types, databases, server properties: only the sandbox may answer
  external,   // sends data out (AI functions)
  forbidden,  // files, keys, passwords, change of state
};

enum class return_rule : std::uint8_t {
  unknown,
  first,        // as the first argument
  common,       // the type all arguments convert to (COALESCE, GREATEST)
  common_tail,  // the same without the first argument (IIF, CHOOSE)
  second,       // as the second argument (NULLIF is `first`; PERCENTILE_DISC is `first` of its ORDER BY)
  third,        // as the third (DATEADD, DATE_BUCKET: `third`)
  text,         // character type of the first argument, variable length, same size
  text_max,     // nvarchar(max) or varchar(max) following the arguments
  text_8000,    // nvarchar(4000) or varchar(8000) following the arguments
  sum,
  average,
  numeric_first,  // ABS, ROUND: as the first argument, character types become float
  bit,
  tinyint,
  int_,
  bigint,
  float_,
  decimal_38_0,
  money,
  date,
  time_7,
  datetime,
  datetime2_7,
  datetimeoffset_7,
  smalldatetime,
  nvarchar_128,
  nvarchar_4000,
  nvarchar_max,
  varchar_8000,
  varbinary_8000,
  uniqueidentifier,
  variant,
  xml,
  json,
  vector,
};

struct function_info {
  std::string_view name;  // upper case
  function_kind kind = function_kind::scalar;
  function_access access = function_access::none;
  std::uint8_t min_arguments = 0;
  std::uint8_t max_arguments = 0;  // `any` for no upper limit
  return_rule returns = return_rule::unknown;
  bool datepart_first = false;  // the first argument is a datepart, not a column

  static constexpr std::uint8_t any = 255;
};

// By name without regard to case; nullptr when unknown.
const function_info* find_function(std::string_view name) noexcept;
// The scalar function behind {fn name(…)}, nullptr when ODBC has none of that name.
const function_info* find_odbc_function(std::string_view name) noexcept;
// What a global variable (@@NAME, with its at-signs) reads: all are `session` or `metadata`; nullptr when unknown.
const function_info* find_global_variable(std::string_view name) noexcept;
// year, yy, quarter … iso_week; and SQL_TSI_… of ODBC.
bool is_datepart(std::string_view word) noexcept;

}  // namespace dragoman::tsql
