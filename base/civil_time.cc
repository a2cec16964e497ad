#include "base/civil_time.h"

#include <fmt/format.h>
#include <unicode/calendar.h>
#include <unicode/gregocal.h>

#include <memory>
#include <stdexcept>

namespace dragoman {
namespace {

// ICU counts Julian days; 0001-01-01 (proleptic Gregorian) is Julian day 1721426.
constexpr std::int32_t julian_of_day_zero = 1721426;

icu::Calendar& persian_calendar() {
  thread_local const std::unique_ptr<icu::Calendar> calendar = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::Calendar> made(
        icu::Calendar::createInstance(*icu::TimeZone::getGMT(), icu::Locale("fa_IR@calendar=persian"), status));
    if (U_FAILURE(status)) throw std::runtime_error("ICU has no Persian calendar");
    return made;
  }();
  return *calendar;
}

}  // namespace

day_number to_day_number(civil_date date) noexcept {
  // Howard Hinnant's civil-from-days arithmetic, shifted to years that begin in March.
  const std::int32_t y = date.year - (date.month <= 2 ? 1 : 0);
  const std::int32_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int32_t year_of_era = y - era * 400;
  const std::int32_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  const std::int32_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 306;
}

civil_date to_civil(day_number day) noexcept {
  const std::int32_t z = day + 306;
  const std::int32_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int32_t doe = z - era * 146097;
  const std::int32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int32_t mp = (5 * doy + 2) / 153;
  const std::int32_t month = mp + (mp < 10 ? 3 : -9);
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - (153 * mp + 2) / 5 + 1};
}

int days_in_month(int year, int month) noexcept {
  static constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : lengths[month - 1];
}

bool exists(civil_date date) noexcept {
  return date.year >= 1 && date.year <= 9999 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_in_month(date.year, date.month);
}

int iso_weekday(day_number day) noexcept {
  return day % 7 + 1;
}  // 0001-01-01 was a Monday

civil_date to_persian(day_number day) {
  icu::Calendar& calendar = persian_calendar();
  UErrorCode status = U_ZERO_ERROR;
  calendar.clear();
  calendar.set(UCAL_JULIAN_DAY, day + julian_of_day_zero);
  const civil_date date{calendar.get(UCAL_EXTENDED_YEAR, status), calendar.get(UCAL_MONTH, status) + 1,
                        calendar.get(UCAL_DAY_OF_MONTH, status)};
  if (U_FAILURE(status)) throw std::runtime_error("ICU could not convert a date");
  return date;
}

day_number from_persian(civil_date date) {
  icu::Calendar& calendar = persian_calendar();
  UErrorCode status = U_ZERO_ERROR;
  calendar.clear();
  calendar.set(UCAL_EXTENDED_YEAR, date.year);
  calendar.set(UCAL_MONTH, date.month - 1);
  calendar.set(UCAL_DAY_OF_MONTH, date.day);
  const std::int32_t julian = calendar.get(UCAL_JULIAN_DAY, status);
  if (U_FAILURE(status)) throw std::runtime_error("ICU could not convert a date");
  return julian - julian_of_day_zero;
}

bool is_persian_leap(int year) {
  return from_persian({year + 1, 1, 1}) - from_persian({year, 1, 1}) == 366;
}

int days_in_persian_month(int year, int month) {
  if (month <= 6) return 31;
  if (month <= 11) return 30;
  return is_persian_leap(year) ? 30 : 29;
}

std::string date_text(day_number day) {
  const civil_date date = to_civil(day);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string time_text(std::int64_t ticks, int scale) {
  const std::int64_t seconds = ticks / ticks_per_second;
  std::string text = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (scale > 0) {
    std::string fraction = fmt::format("{:07}", ticks % ticks_per_second);
    text += '.';
    text += fraction.substr(0, static_cast<std::size_t>(scale));
  }
  return text;
}

}  // namespace dragoman
