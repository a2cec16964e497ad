// The T-SQL functions that SQLite does not have, under names that begin with t_; one file for each kind. The translator
// (function_list.cc) decides which call becomes which of them and knows the types.
#pragma once

#include <cstdint>

#include <string>
#include <string_view>

#include "base/civil_time.h"
#include "base/decimal.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::sandbox {

void register_number_functions(connection& db);
void register_text_functions(connection& db);
void register_time_functions(connection& db);
void register_format_functions(connection& db);
void register_checks(connection& db);  // t_level, t_single, t_foreign
void register_aggregates(connection& db);
void register_row_sources(connection& db);
void register_everything(connection& db);

// Two decimal types in one integer argument: of t_dadd and its like.
constexpr std::int64_t pack_pair(decimal_type a, decimal_type b) noexcept {
  return static_cast<std::int64_t>(a.precision) << 24 | static_cast<std::int64_t>(a.scale) << 16 |
         static_cast<std::int64_t>(b.precision) << 8 | b.scale;
}

// Parts of dates, as DATEPART and its like name them.
enum class date_part : std::uint8_t {
  year,
  quarter,
  month,
  day_of_year,
  day,
  week,
  iso_week,
  weekday,
  hour,
  minute,
  second,
  millisecond,
  microsecond,
  nanosecond,
  offset_minutes,
  none
};
date_part date_part_of(std::string_view name) noexcept;

// FORMAT(value, format): .NET's standard and custom formats for numbers and dates.
std::string format_number(double value, const decimal* exact, std::string_view format);
std::string format_time(const civil_time& value, std::string_view format);

}  // namespace dragoman::sandbox
