#include "nlq/time_period.h"

#include <algorithm>
#include <array>

namespace dragoman::nlq {
namespace {

constexpr std::array<std::string_view, 12> gregorian_en{"January",   "February", "March",    "April",
                                                        "May",       "June",     "July",     "August",
                                                        "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 12> gregorian_fa{"ژانویه", "فوریه", "مارس",    "آوریل", "مه",     "ژوئن",
                                                        "ژوئیه",  "اوت",   "سپتامبر", "اکتبر", "نوامبر", "دسامبر"};
constexpr std::array<std::string_view, 12> persian_en{"Farvardin", "Ordibehesht", "Khordad", "Tir",
                                                      "Mordad",    "Shahrivar",   "Mehr",    "Aban",
                                                      "Azar",      "Dey",         "Bahman",  "Esfand"};
constexpr std::array<std::string_view, 12> persian_fa{"فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور",
                                                      "مهر",     "آبان",     "آذر",   "دی",  "بهمن",  "اسفند"};

std::string iso(calendar_kind calendar, day_number day) {
  civil_date d = date_in(calendar, day);
  auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const char* separator = calendar == calendar_kind::persian ? "/" : "-";
  return std::to_string(d.year) + separator + two(d.month) + separator + two(d.day);
}

}  // namespace

civil_date date_in(calendar_kind calendar, day_number day) {
  return calendar == calendar_kind::persian ? to_persian(day) : to_civil(day);
}

day_number day_in(calendar_kind calendar, civil_date date) {
  return calendar == calendar_kind::persian ? from_persian(date) : to_day_number(date);
}

int month_days(calendar_kind calendar, int year, int month) {
  return calendar == calendar_kind::persian ? days_in_persian_month(year, month) : days_in_month(year, month);
}

period months_period(calendar_kind calendar, int year, int first_month, int last_month) {
  period p;
  p.calendar = calendar;
  p.first = day_in(calendar, {year, first_month, 1});
  p.last = day_in(calendar, {year, last_month, month_days(calendar, year, last_month)});
  p.calendar_aligned = true;
  const int count = last_month - first_month + 1;
  p.unit = count == 12 ? grain::year : count == 3 && first_month % 3 == 1 ? grain::quarter : grain::month;
  return p;
}

period year_period(calendar_kind calendar, int year) {
  return months_period(calendar, year, 1, 12);
}

day_number add_months(calendar_kind calendar, day_number day, int months) {
  civil_date d = date_in(calendar, day);
  int index = d.year * 12 + (d.month - 1) + months;
  d.year = index / 12;
  d.month = index % 12 + 1;
  d.day = std::min(d.day, month_days(calendar, d.year, d.month));
  return day_in(calendar, d);
}

period previous(const period& p, grain step) {
  period out = p;
  out.words.clear();
  out.fiscal_year = step == grain::year && p.fiscal_year > 0 ? p.fiscal_year - 1 : 0;
  if (!p.first || !p.last) return out;
  if (step == grain::day || step == grain::week) {
    const day_number length = *p.last - *p.first + 1;
    out.first = *p.first - length;
    out.last = *p.first - 1;
    return out;
  }
  const int months = step == grain::year ? 12 : step == grain::quarter ? 3 : 1;
  out.first = add_months(p.calendar, *p.first, -months);
  if (p.calendar_aligned) {
    // The day after the last is the first of a month; stepping that one keeps ends of months at their ends.
    out.last = add_months(p.calendar, *p.last + 1, -months) - 1;
  } else {
    out.last = add_months(p.calendar, *p.last, -months);
  }
  return out;
}

std::string_view month_name(calendar_kind calendar, int month, language lang) {
  const std::size_t i = static_cast<std::size_t>(month - 1) % 12;
  if (calendar == calendar_kind::persian) return lang == language::persian ? persian_fa[i] : persian_en[i];
  return lang == language::persian ? gregorian_fa[i] : gregorian_en[i];
}

std::string period_text(const period& p, language lang) {
  const bool fa = lang == language::persian;
  if (p.month_of_any_year) {
    std::string text(month_name(p.calendar, *p.month_of_any_year, lang));
    if (p.month_count > 1) {
      text += fa ? " تا " : " to ";
      text += month_name(p.calendar, *p.month_of_any_year + p.month_count - 1, lang);
    }
    return text + (fa ? " هر سال" : " of every year");
  }
  if (!p.first && !p.last) return fa ? "همه زمان‌ها" : "all time";
  const calendar_kind other = p.calendar == calendar_kind::persian ? calendar_kind::gregorian : calendar_kind::persian;
  if (!p.first) return (fa ? "تا " : "until ") + iso(p.calendar, *p.last) + " (" + iso(other, *p.last) + ")";
  if (!p.last) return (fa ? "از " : "from ") + iso(p.calendar, *p.first) + " (" + iso(other, *p.first) + ")";
  std::string name;
  if (p.calendar_aligned) {
    civil_date a = date_in(p.calendar, *p.first), b = date_in(p.calendar, *p.last);
    if (a.month == 1 && b.month == 12 && a.year == b.year) {
      name = std::to_string(a.year);
    } else if (a.year == b.year && a.month == b.month) {
      name = std::string(month_name(p.calendar, a.month, lang)) + " " + std::to_string(a.year);
    }
  }
  if (p.fiscal && p.fiscal_year > 0) {
    const std::string number = std::to_string(p.fiscal_year), part = std::to_string(p.fiscal_quarter);
    name = (fa ? "سال مالی " : "fiscal year ") + number;
    if (p.fiscal_quarter > 0) name = fa ? "فصل " + part + " " + name : "Q" + part + " of " + name;
    if (p.fiscal_quarter == 0 && p.unit != grain::year) name.clear();
  }
  const std::string to = fa ? " تا " : " to ";
  std::string own =
      *p.first == *p.last ? iso(p.calendar, *p.first) : iso(p.calendar, *p.first) + to + iso(p.calendar, *p.last);
  std::string others = *p.first == *p.last ? iso(other, *p.first) : iso(other, *p.first) + to + iso(other, *p.last);
  if (!name.empty()) return name + " (" + own + (fa ? "، " : ", ") + others + ")";
  return own + " (" + others + ")";
}

}  // namespace dragoman::nlq
