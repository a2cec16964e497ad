// Date and time functions on ticks of 100 ns since 0001-01-01 (a time of day: since midnight).
#include <fmt/format.h>

#include <array>
#include <chrono>

#include "base/sql_type.h"
#include "guard/catalog/names.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/facts.h"
#include "proxy/sandbox/functions.h"

namespace dragoman::sandbox {
namespace {

constexpr std::array<const char*, 12> month_names{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<const char*, 7> day_names{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                               "Friday", "Saturday", "Sunday"};

const session_facts& facts_of(call& c) {
  static const session_facts none;
  const auto* facts = static_cast<const session_facts*>(c.owner());
  return facts == nullptr ? none : *facts;
}

int day_of_year(civil_date d) {
  return to_day_number(d) - to_day_number({d.year, 1, 1}) + 1;
}

int iso_week(day_number day) {
  const day_number thursday = day - iso_weekday(day) + 4;
  const civil_date d = to_civil(thursday);
  return (thursday - to_day_number({d.year, 1, 1})) / 7 + 1;
}

// 1 = the first day of the week, which SET DATEFIRST says (7 = Sunday).
int weekday_of(day_number day, int date_first) {
  return (iso_weekday(day) - date_first + 7) % 7 + 1;
}

std::int64_t part_value(date_part part, std::int64_t ticks, int date_first) {
  const civil_time t = civil_of(ticks);
  const civil_date d = to_civil(t.day);
  const std::int64_t seconds = t.ticks / ticks_per_second;
  const std::int64_t fraction = t.ticks % ticks_per_second;
  switch (part) {
    case date_part::year: return d.year;
    case date_part::quarter: return (d.month + 2) / 3;
    case date_part::month: return d.month;
    case date_part::day_of_year: return day_of_year(d);
    case date_part::day: return d.day;
    case date_part::week: {
      const int first = weekday_of(to_day_number({d.year, 1, 1}), date_first);
      return (day_of_year(d) + first - 2) / 7 + 1;
    }
    case date_part::iso_week: return iso_week(t.day);
    case date_part::weekday: return weekday_of(t.day, date_first);
    case date_part::hour: return seconds / 3600;
    case date_part::minute: return seconds / 60 % 60;
    case date_part::second: return seconds % 60;
    case date_part::millisecond: return fraction / 10'000;
    case date_part::microsecond: return fraction / 10;
    case date_part::nanosecond: return fraction * 100;
    case date_part::offset_minutes:
    case date_part::none: return 0;
  }
  return 0;
}

void part(call& c) {  // (part, ticks)
  if (c[1].is_null()) return;
  c.integer(part_value(static_cast<date_part>(c[0].integer()), c[1].integer(), facts_of(c).date_first));
}

void name(call& c) {
  if (c[1].is_null()) return;
  const auto what = static_cast<date_part>(c[0].integer());
  const civil_time t = civil_of(c[1].integer());
  if (what == date_part::month) return c.text(month_names[static_cast<std::size_t>(to_civil(t.day).month - 1)]);
  if (what == date_part::weekday) return c.text(day_names[static_cast<std::size_t>(iso_weekday(t.day) - 1)]);
  c.text(std::to_string(part_value(what, c[1].integer(), facts_of(c).date_first)));
}

std::int64_t months_of(civil_date d) {
  return static_cast<std::int64_t>(d.year) * 12 + d.month - 1;
}

// nullopt: outside of 0001 .. 9999
std::optional<std::int64_t> added(date_part part, std::int64_t count, std::int64_t ticks) {
  std::int64_t months = 0;
  std::int64_t unit = 0;
  switch (part) {
    case date_part::year: months = 12; break;
    case date_part::quarter: months = 3; break;
    case date_part::month: months = 1; break;
    case date_part::day_of_year:
    case date_part::day:
    case date_part::weekday: unit = ticks_per_day; break;
    case date_part::week:
    case date_part::iso_week: unit = 7 * ticks_per_day; break;
    case date_part::hour: unit = 3600 * ticks_per_second; break;
    case date_part::minute: unit = 60 * ticks_per_second; break;
    case date_part::second: unit = ticks_per_second; break;
    case date_part::millisecond: unit = 10'000; break;
    case date_part::microsecond: unit = 10; break;
    case date_part::nanosecond: return ticks + count / 100;
    default: return std::nullopt;
  }
  if (months != 0) {
    const civil_time t = civil_of(ticks);
    civil_date d = to_civil(t.day);
    if (count > 200'000 || count < -200'000) return std::nullopt;
    const std::int64_t total = months_of(d) + count * months;
    d.year = static_cast<std::int32_t>(total / 12);
    d.month = static_cast<std::int32_t>(total % 12) + 1;
    if (total < 12 || d.year > 9999) return std::nullopt;
    d.day = std::min(d.day, days_in_month(d.year, d.month));
    return to_day_number(d) * ticks_per_day + t.ticks;
  }
  std::int64_t moved = 0;
  if (__builtin_mul_overflow(count, unit, &moved) || __builtin_add_overflow(ticks, moved, &moved)) return std::nullopt;
  if (moved < 0 || moved >= (static_cast<std::int64_t>(day_max) + 1) * ticks_per_day) return std::nullopt;
  return moved;
}

// t_dateadd(part, number, value, type): the value is in the encoding of the type.
void date_add(call& c) {
  if (c[1].is_null() || c[2].is_null()) return;
  const sql_type type = unpack(c[3].integer());
  const auto what = static_cast<date_part>(c[0].integer());
  const bool is_date = type.id == sql_type_id::date;
  const std::int64_t ticks = is_date ? c[2].integer() * ticks_per_day : c[2].integer();
  if (type.id == sql_type_id::time) {
    const auto moved = added(what, c[1].integer() % 10'000'000'000, ticks + 365 * 400 * ticks_per_day);
    if (!moved) return c.fail(sql_error(517, "Adding a value to a 'time' column caused an overflow."));
    return c.integer(*moved % ticks_per_day);
  }
  const auto moved = added(what, c[1].integer(), ticks);
  if (!moved || (type.id == sql_type_id::datetime && to_civil(civil_of(*moved).day).year < 1753))
    return c.fail(
        sql_error(517, fmt::format("Adding a value to a '{}' column caused an overflow.", type_name(type.id))));
  c.integer(is_date ? *moved / ticks_per_day : round_ticks(*moved, type));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Boundaries crossed between two points.
std::int64_t difference(date_part part, std::int64_t a, std::int64_t b) {
  const civil_time ta = civil_of(a);
  const civil_time tb = civil_of(b);
  const civil_date da = to_civil(ta.day);
  const civil_date db = to_civil(tb.day);
  const auto by = [&](std::int64_t unit) { return floor_divide(b, unit) - floor_divide(a, unit); };
  switch (part) {
    case date_part::year: return db.year - da.year;
    case date_part::quarter: return months_of(db) / 3 - months_of(da) / 3;
    case date_part::month: return months_of(db) - months_of(da);
    case date_part::day_of_year:
    case date_part::day:
    case date_part::weekday: return tb.day - ta.day;
    // Weeks of DATEDIFF begin on Sunday whatever DATEFIRST says; 0001-01-01 was a Monday.
    case date_part::week: return (tb.day + 1) / 7 - (ta.day + 1) / 7;
    case date_part::iso_week: return (tb.day + 1) / 7 - (ta.day + 1) / 7;
    case date_part::hour: return by(3600 * ticks_per_second);
    case date_part::minute: return by(60 * ticks_per_second);
    case date_part::second: return by(ticks_per_second);
    case date_part::millisecond: return by(10'000);
    case date_part::microsecond: return by(10);
    case date_part::nanosecond: return (b - a) * 100;
    default: return 0;
  }
}

void date_diff(call& c) {  // (part, from, to); tag 1 = DATEDIFF_BIG
  if (c[1].is_null() || c[2].is_null()) return;
  const std::int64_t n = difference(static_cast<date_part>(c[0].integer()), c[1].integer(), c[2].integer());
  if (c.tag() == 0 && (n > INT32_MAX || n < INT32_MIN))
    return c.fail(sql_error(535,
                            "The datediff function resulted in an overflow. The number of dateparts separating two "
                            "date/time instances is too large. Try to use datediff with a less precise datepart."));
  c.integer(n);
}

void date_trunc(call& c) {  // (part, ticks, date_first comes from the session)
  if (c[1].is_null()) return;
  const civil_time t = civil_of(c[1].integer());
  civil_date d = to_civil(t.day);
  const auto cut = [&](std::int64_t unit) { c.integer(c[1].integer() / unit * unit); };
  switch (static_cast<date_part>(c[0].integer())) {
    case date_part::year: return c.integer(to_day_number({d.year, 1, 1}) * ticks_per_day);
    case date_part::quarter: return c.integer(to_day_number({d.year, (d.month - 1) / 3 * 3 + 1, 1}) * ticks_per_day);
    case date_part::month: return c.integer(to_day_number({d.year, d.month, 1}) * ticks_per_day);
    case date_part::week: return c.integer((t.day - weekday_of(t.day, facts_of(c).date_first) + 1) * ticks_per_day);
    case date_part::iso_week: return c.integer((t.day - iso_weekday(t.day) + 1) * ticks_per_day);
    case date_part::day:
    case date_part::day_of_year: return cut(ticks_per_day);
    case date_part::hour: return cut(3600 * ticks_per_second);
    case date_part::minute: return cut(60 * ticks_per_second);
    case date_part::second: return cut(ticks_per_second);
    case date_part::millisecond: return cut(10'000);
    default: return cut(10);
  }
}

void end_of_month(call& c) {  // (days [, months])
  if (c[0].is_null()) return;
  const std::int64_t months = c.size() > 1 && !c[1].is_null() ? c[1].integer() : 0;
  const auto moved = added(date_part::month, months, c[0].integer() * ticks_per_day);
  if (!moved) return c.fail(sql_error(517, "Adding a value to a 'date' column caused an overflow."));
  civil_date d = to_civil(civil_of(*moved).day);
  d.day = days_in_month(d.year, d.month);
  c.integer(to_day_number(d));
}

failure cannot_construct(const char* type) {
  return sql_error(
      289, fmt::format("Cannot construct data type {}, some of the arguments have values which are not valid.", type));
}

void date_from_parts(call& c) {
  if (c.any_null()) return;
  const civil_date d{static_cast<std::int32_t>(c[0].integer()), static_cast<std::int32_t>(c[1].integer()),
                     static_cast<std::int32_t>(c[2].integer())};
  if (d.year < 1 || d.year > 9999 || !exists(d)) return c.fail(cannot_construct("date"));
  c.integer(to_day_number(d));
}

// (year, month, day, hour, minute, second, fraction in ticks); tag 1: the time alone
void time_from_parts(call& c) {
  if (c.any_null()) return;
  const civil_date d{static_cast<std::int32_t>(c[0].integer()), static_cast<std::int32_t>(c[1].integer()),
                     static_cast<std::int32_t>(c[2].integer())};
  const std::int64_t h = c[3].integer();
  const std::int64_t m = c[4].integer();
  const std::int64_t s = c[5].integer();
  const std::int64_t f = c[6].integer();
  if (d.year < 1 || d.year > 9999 || !exists(d) || h < 0 || h > 23 || m < 0 || m > 59 || s < 0 || s > 59 || f < 0 ||
      f >= ticks_per_second)
    return c.fail(cannot_construct(c.tag() != 0 ? "time" : "datetime2"));
  const std::int64_t ticks = (h * 3600 + m * 60 + s) * ticks_per_second + f;
  c.integer(c.tag() != 0 ? ticks : to_day_number(d) * ticks_per_day + ticks);
}

void now(call& c) {  // tag 0: local, 1: UTC
  const session_facts& facts = facts_of(c);
  std::int64_t ticks = 0;
  if (facts.fixed_now) {
    ticks = ticks_of(*facts.fixed_now) - (c.tag() != 0 ? facts.utc_offset * 60 * ticks_per_second : 0);
  } else {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count() / 100 + 719162 * ticks_per_day;
    if (c.tag() == 0) ticks += facts.utc_offset * 60 * ticks_per_second;
  }
  c.integer(ticks);
}

void now_offset(call& c) {
  const session_facts& facts = facts_of(c);
  std::int64_t ticks = 0;
  if (facts.fixed_now) {
    ticks = ticks_of(*facts.fixed_now) - facts.utc_offset * 60 * ticks_per_second;
  } else {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count() / 100 + 719162 * ticks_per_day;
  }
  c.blob(offset_blob(ticks, facts.utc_offset));
}

void offset_minutes(call& c) {
  if (!c[0].is_null()) c.integer(offset_of(c[0].blob()).offset);
}

void offset_to_ticks(call& c) {  // tag 0: local, 1: UTC
  if (c[0].is_null()) return;
  const auto parts = offset_of(c[0].blob());
  c.integer(parts.utc_ticks + (c.tag() != 0 ? 0 : parts.offset * 60 * ticks_per_second));
}

}  // namespace

date_part date_part_of(std::string_view text) noexcept {
  static constexpr struct {
    std::string_view name;
    date_part part;
  } names[] = {{"year", date_part::year},
               {"yyyy", date_part::year},
               {"yy", date_part::year},
               {"quarter", date_part::quarter},
               {"qq", date_part::quarter},
               {"q", date_part::quarter},
               {"month", date_part::month},
               {"mm", date_part::month},
               {"m", date_part::month},
               {"dayofyear", date_part::day_of_year},
               {"dy", date_part::day_of_year},
               {"y", date_part::day_of_year},
               {"day", date_part::day},
               {"dd", date_part::day},
               {"d", date_part::day},
               {"week", date_part::week},
               {"wk", date_part::week},
               {"ww", date_part::week},
               {"iso_week", date_part::iso_week},
               {"isowk", date_part::iso_week},
               {"isoww", date_part::iso_week},
               {"weekday", date_part::weekday},
               {"dw", date_part::weekday},
               {"w", date_part::weekday},
               {"hour", date_part::hour},
               {"hh", date_part::hour},
               {"minute", date_part::minute},
               {"mi", date_part::minute},
               {"n", date_part::minute},
               {"second", date_part::second},
               {"ss", date_part::second},
               {"s", date_part::second},
               {"millisecond", date_part::millisecond},
               {"ms", date_part::millisecond},
               {"microsecond", date_part::microsecond},
               {"mcs", date_part::microsecond},
               {"nanosecond", date_part::nanosecond},
               {"ns", date_part::nanosecond},
               {"tzoffset", date_part::offset_minutes},
               {"tz", date_part::offset_minutes}};
  for (const auto& n : names) {
    if (catalog::same_name(n.name, text)) return n.part;
  }
  return date_part::none;
}

void register_time_functions(connection& db) {
  db.add_function("t_part", 2, part);
  db.add_function("t_partname", 2, name);
  db.add_function("t_dateadd", 4, date_add);
  db.add_function("t_datediff", 3, date_diff, 0);
  db.add_function("t_datediff_big", 3, date_diff, 1);
  db.add_function("t_datetrunc", 2, date_trunc);
  db.add_function("t_eomonth", -1, end_of_month);
  db.add_function("t_datefromparts", 3, date_from_parts);
  db.add_function("t_datetimefromparts", 7, time_from_parts, 0);
  db.add_function("t_timefromparts", 7, time_from_parts, 1);
  // Of one statement all calls agree, which "deterministic" does not promise but the translator binds once.
  db.add_function("t_now", 0, now, 0, false);
  db.add_function("t_utcnow", 0, now, 1, false);
  db.add_function("t_nowoffset", 0, now_offset, 0, false);
  db.add_function("t_offsetminutes", 1, offset_minutes);
  db.add_function("t_offsetlocal", 1, offset_to_ticks, 0);
  db.add_function("t_offsetutc", 1, offset_to_ticks, 1);
}

}  // namespace dragoman::sandbox
