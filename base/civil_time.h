// Civil dates and times without a time zone, in the units of the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

// Days since 0001-01-01 in the proleptic Gregorian calendar, as DATE has them on the wire (MS-TDS 2.2.5.5.1.8).
using day_number = std::int32_t;
inline constexpr day_number day_min = 0;                      // 0001-01-01
inline constexpr day_number day_max = 3652058;                // 9999-12-31
inline constexpr day_number days_to_1900 = 693595;            // 1900-01-01, the epoch of datetime
inline constexpr std::int64_t ticks_per_second = 10'000'000;  // 100 ns, the finest that SQL Server keeps
inline constexpr std::int64_t ticks_per_day = 86'400 * ticks_per_second;

struct civil_date {
  std::int32_t year = 1;
  std::int32_t month = 1;
  std::int32_t day = 1;
  bool operator==(const civil_date&) const = default;
};

day_number to_day_number(civil_date date) noexcept;  // the date must exist
civil_date to_civil(day_number day) noexcept;
bool exists(civil_date date) noexcept;
int days_in_month(int year, int month) noexcept;
int iso_weekday(day_number day) noexcept;  // 1 = Monday … 7 = Sunday

// The Persian (Solar Hijri) calendar as Iran keeps it, 1 Farvardin 1 = 622-03-22 Gregorian; through ICU.
civil_date to_persian(day_number day);
day_number from_persian(civil_date date);
int days_in_persian_month(int year, int month);
bool is_persian_leap(int year);

// A point of civil time: day and 100 ns ticks since its midnight; the offset of datetimeoffset in minutes.
struct civil_time {
  day_number day = 0;
  std::int64_t ticks = 0;   // 0 .. ticks_per_day - 1
  std::int16_t offset = 0;  // minutes east of UTC, datetimeoffset only; day and ticks are then LOCAL
  bool operator==(const civil_time&) const = default;
};

// ISO forms with SQL Server's digits: "2024-02-29", "12:34:56.123", "2024-02-29 12:34:56.1230000 +03:30".
std::string date_text(day_number day);
std::string time_text(std::int64_t ticks, int scale);

}  // namespace dragoman
