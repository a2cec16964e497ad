// CAST and CONVERT of any value to any type (T-SQL reference: "CAST and CONVERT"), styles included.
//
// Failures carry SQL Server's numbers and words: 241, 242, 245, 248, 529, 8114, 8115, 8169.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sql_value.h"
#include "proxy/sandbox/facts.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::sandbox {

// style: as CONVERT's third argument; -1 when none was given.
result<sql_value> convert(const sql_value& value, const sql_type& from, const sql_type& to, int style = -1);

// The style for a conversion that names none: a text that becomes a date is read in the session's order of day, month
// and year (SET DATEFORMAT, SET LANGUAGE).
int reading_style(const sql_type& from, const sql_type& to, const session_facts& facts) noexcept;

// What CAST to varchar would show.
std::string text_of(const sql_value& value, const sql_type& type, int style = -1);

// A date and time in one of the forms that SQL Server reads. The style decides the order of day and month.
struct parsed_time {
  std::optional<day_number> day;
  std::optional<std::int64_t> ticks;
  std::optional<int> offset;
};
std::optional<parsed_time> parse_time(std::string_view text, int style = -1);

// A type in one integer, so that it can be an argument of a SQLite function, and back.
std::int64_t pack(const sql_type& type) noexcept;
sql_type unpack(std::int64_t packed) noexcept;

sql_value take(value_ref value, const sql_type& type);
void give(call& c, const sql_type& type, const sql_value& value);

failure overflow(std::string_view what, sql_type_id to);  // 8115; what: "expression", "numeric" …
failure division_by_zero();
failure sql_error(std::int32_t number, std::string text);  // errc::conversion with a number of SQL Server

std::int64_t round_ticks(std::int64_t ticks, const sql_type& type) noexcept;  // to the precision of the type
std::optional<double> parse_double(std::string_view text) noexcept;

void register_conversions(connection& db);  // t_cast, t_try, t_style

}  // namespace dragoman::sandbox
