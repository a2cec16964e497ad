// Words of time: days, months and years in both calendars.

#include "nlq/time_reader.h"

#include <array>
#include <string>

namespace dragoman::nlq {

const std::unordered_map<std::string_view, month_word>& months() {
  using enum calendar_kind;
  static const std::unordered_map<std::string_view, month_word> table = [] {
    std::unordered_map<std::string_view, month_word> t;
    auto add = [&](calendar_kind c, int m, std::initializer_list<std::string_view> words, bool weak = false) {
      for (std::string_view w : words) t.emplace(w, month_word{c, m, weak});
    };
    add(gregorian, 1, {"january", "jan", "ژانویه"});
    add(gregorian, 2, {"february", "feb", "فوریه"});
    add(gregorian, 3, {"march", "mar", "مارس"});
    add(gregorian, 4, {"april", "apr", "اوریل"});
    add(gregorian, 5, {"may", "مه", "می"}, true);
    add(gregorian, 6, {"june", "jun", "ژوین", "ژوین"});
    add(gregorian, 7, {"july", "jul", "ژوییه", "جولای"});
    add(gregorian, 8, {"august", "aug", "اوت", "اگوست"});
    add(gregorian, 9, {"september", "sep", "sept", "سپتامبر"});
    add(gregorian, 10, {"october", "oct", "اکتبر"});
    add(gregorian, 11, {"november", "nov", "نوامبر"});
    add(gregorian, 12, {"december", "dec", "دسامبر"});
    add(persian, 1, {"farvardin", "فروردین"});
    add(persian, 2, {"ordibehesht", "اردیبهشت"});
    add(persian, 3, {"khordad", "خرداد"});
    add(persian, 4, {"tir", "تیر"});
    add(persian, 5, {"mordad", "مرداد", "امرداد"});
    add(persian, 6, {"shahrivar", "شهریور"});
    add(persian, 7, {"mehr", "مهر"}, true);
    add(persian, 8, {"aban", "ابان"}, true);
    add(persian, 9, {"azar", "اذر"}, true);
    add(persian, 10, {"dey", "دی"});
    add(persian, 11, {"bahman", "بهمن"});
    add(persian, 12, {"esfand", "اسفند"});
    return t;
  }();
  return table;
}

const std::unordered_map<std::string_view, int>& ordinals() {
  static const std::unordered_map<std::string_view, int> table{
      {"first", 1}, {"1st", 1}, {"second", 2}, {"2nd", 2}, {"third", 3}, {"3rd", 3}, {"fourth", 4},
      {"4th", 4},   {"اول", 1}, {"نخست", 1},   {"یکم", 1}, {"دوم", 2},   {"سوم", 3}, {"چهارم", 4}};
  return table;
}

// The whole week, month, quarter or year that lies `offset` units from the one around today.
period time_reader::unit_around(grain unit, calendar_kind c, int offset) const {
  civil_date d = date_in(c, context_.today);
  period p;
  p.calendar = c;
  p.unit = unit;
  switch (unit) {
    case grain::day: p.first = p.last = context_.today + offset; return p;
    case grain::week: {
      // Weeks begin on Saturday in Iran and on Monday elsewhere.
      int weekday = iso_weekday(context_.today);
      int into = c == calendar_kind::persian ? (weekday + 1) % 7 : weekday - 1;
      p.first = context_.today - into + 7 * offset;
      p.last = *p.first + 6;
      return p;
    }
    case grain::month: {
      int index = d.year * 12 + d.month - 1 + offset;
      return months_period(c, index / 12, index % 12 + 1, index % 12 + 1);
    }
    case grain::quarter: {
      int index = d.year * 4 + (d.month - 1) / 3 + offset;
      int first = index % 4 * 3 + 1;
      return months_period(c, index / 4, first, first + 2);
    }
    case grain::year: return year_period(c, d.year + offset);
  }
  return p;
}

time_reader::maybe time_reader::year_of(std::size_t i) const {
  if (maybe fiscal = fiscal_year_at(i)) return fiscal;
  const calendar_kind c = own();
  if (exactly(i, {"the"})) ++i;
  if (exactly(i, {"امسال"})) return whole(i + 1, year_period(c, this_year(c)));
  if (is(i, {"پارسال"})) {
    maybe out = whole(i + 1, year_period(c, this_year(c) - 1));
    out->relative_year = true;
    return out;
  }
  if (exactly(i, {"پیرارسال"})) return whole(i + 1, year_period(c, this_year(c) - 2));
  if (is(i, {"سال"}) && exactly(i + 1, {"جاری", "کنونی"})) return whole(i + 2, year_period(c, this_year(c)));
  if (is(i, {"سال"}) && exactly(i + 1, {"گذشته", "قبل", "پیش"})) {
    maybe out = whole(i + 2, year_period(c, this_year(c) - 1));
    out->relative_year = true;
    return out;
  }
  if (exactly(i, {"this", "current", "این"}) && exactly(i + 1, {"year", "سال"})) {
    return whole(i + 2, year_period(c, this_year(c)));
  }
  if (exactly(i, {"last", "previous"}) && exactly(i + 1, {"year"})) {
    maybe out = whole(i + 2, year_period(c, this_year(c) - 1));
    out->relative_year = true;
    return out;
  }
  bool named = false;
  std::optional<calendar_kind> forced;
  if (exactly(i, {"persian", "jalali", "shamsi", "iranian", "solar"})) {
    forced = calendar_kind::persian;
    ++i;
  } else if (exactly(i, {"gregorian"})) {
    forced = calendar_kind::gregorian;
    ++i;
  }
  if (is(i, {"year", "سال"})) {
    named = true;
    ++i;
  }
  if (i >= words_.size() || !words_[i].is_number()) return std::nullopt;
  std::optional<long> n = number(i);
  if (!n) return std::nullopt;
  if (named && words_[i].text.size() == 2 && context_.lang == language::persian) *n += *n >= 50 ? 1300 : 1400;
  std::optional<calendar_kind> calendar = calendar_of_year(*n);
  if (!calendar || (forced && *forced != *calendar)) return std::nullopt;
  ++i;
  if (exactly(i, {"شمسی", "خورشیدی", "میلادی"})) ++i;
  if (exactly(i, {"هجری"}) && exactly(i + 1, {"شمسی"})) i += 2;
  return whole(i, year_period(*calendar, static_cast<int>(*n)));
}

// 2024-01-31, 1402/1/15, 1402-01-15
time_reader::maybe time_reader::numeric_date(std::size_t i) const {
  if (exactly(i, {"تاریخ"})) ++i;
  if (i >= words_.size()) return std::nullopt;
  const std::string& text = words_[i].text;
  int parts[3] = {0, 0, 0}, count = 0, digits = 0;
  for (char ch : text) {
    if (ch >= '0' && ch <= '9') {
      if (++digits > 4) return std::nullopt;
      parts[count] = parts[count] * 10 + (ch - '0');
    } else if ((ch == '-' || ch == '/') && digits > 0 && count < 2) {
      ++count;
      digits = 0;
    } else {
      return std::nullopt;
    }
  }
  if (count != 2 || digits == 0) return std::nullopt;
  std::optional<calendar_kind> c = calendar_of_year(parts[0]);
  if (!c || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > month_days(*c, parts[0], parts[1])) {
    return std::nullopt;
  }
  period p;
  p.calendar = *c;
  p.first = p.last = day_in(*c, {parts[0], parts[1], parts[2]});
  return whole(i + 1, p);
}

// 1 January 2024, January 1st 2024, ۱۵ فروردین ۱۴۰۲
time_reader::maybe time_reader::written_date(std::size_t i) const {
  auto day_number_at = [&](std::size_t k) -> std::optional<long> {
    if (k >= words_.size()) return std::nullopt;
    std::string text = words_[k].text;
    for (std::string_view suffix : {"st", "nd", "rd", "th", "ام"}) {
      if (text.size() > suffix.size() && text.ends_with(suffix) && text[0] >= '0' && text[0] <= '9') {
        text.resize(text.size() - suffix.size());
        break;
      }
    }
    token bare;
    bare.text = text;
    if (!bare.is_number()) {
      if (auto o = ordinals().find(words_[k].text); o != ordinals().end()) return o->second;
      return std::nullopt;
    }
    std::optional<long> n = small_number(bare);
    return n && *n >= 1 && *n <= 31 ? n : std::nullopt;
  };
  auto month_at = [&](std::size_t k) { return k < words_.size() ? months().find(words_[k].text) : months().end(); };
  std::optional<long> day;
  const month_word* month = nullptr;
  std::size_t k = skip(i, {"the", "روز"});
  if ((day = day_number_at(k))) {
    k = skip(k + 1, {"of", "ام", "ماه"});
    auto found = month_at(k);
    if (found == months().end()) return std::nullopt;
    month = &found->second;
    ++k;
  } else if (auto found = month_at(k); found != months().end()) {
    month = &found->second;
    k = skip(k + 1, {"the"});
    if (!(day = day_number_at(k))) return std::nullopt;
    ++k;
  } else {
    return std::nullopt;
  }
  k = skip(k, {"of", "ماه", "سال"});
  maybe year = year_of(k);
  if (!year || year->when.calendar != month->calendar) return std::nullopt;
  int y = date_in(month->calendar, *year->when.first).year;
  if (*day > month_days(month->calendar, y, month->month)) return std::nullopt;
  period p;
  p.calendar = month->calendar;
  p.first = p.last = day_in(p.calendar, {y, month->month, static_cast<int>(*day)});
  return whole(year->next, p);
}

// `count` months from `first`, of the year that follows, or of any year.
time_reader::maybe time_reader::months_in_year(std::size_t i, int first, int count, bool counted) const {
  std::size_t k = skip(i, {"of", "in", "for", "the", "در", "از", "سال"});
  if (k > i && is(k - 1, {"سال"})) --k;
  if (maybe year = year_of(k); year && year->when.fiscal) {
    if (counted) return whole(year->next, fiscal_period(*context_.fiscal, year->when.fiscal_year, first, count));
  } else if (year && !year->when.calendar_aligned) {
    return std::nullopt;  // "the first quarter of the fiscal year to date"
  } else if (year) {
    civil_date d = date_in(year->when.calendar, *year->when.first);
    return whole(year->next, months_period(year->when.calendar, d.year, first, first + count - 1));
  }
  period p;
  p.calendar = own();
  p.unit = count == 3 ? grain::quarter : grain::month;
  p.month_of_any_year = first;
  p.month_count = count;
  return whole(i, p);
}

time_reader::maybe time_reader::month_of(std::size_t i) const {
  std::size_t k = i;
  if (exactly(k, {"ماه"})) ++k;
  if (k >= words_.size()) return std::nullopt;
  std::string word = words_[k].text;
  bool suffixed = false;
  constexpr std::string_view mah = "ماه";
  if (word.size() > mah.size() && word.ends_with(mah)) {
    word.resize(word.size() - mah.size());
    suffixed = true;
  }
  auto found = months().find(word);
  if (found == months().end()) return std::nullopt;
  const month_word m = found->second;
  bool named = k > i || suffixed;
  ++k;
  if (exactly(k, {"ماه", "month"})) {
    ++k;
    named = true;
  }
  std::size_t y = skip(k, {"of", "in", "در", "از"});
  if (maybe year = year_of(y);
      year && !year->when.fiscal && year->when.calendar_aligned && (y == k || exactly(k, {"of", "in", "در", "از"}))) {
    // A year of the other calendar does not belong to this month, but "last year" fits any.
    civil_date d = date_in(year->when.calendar, *year->when.first);
    int number = d.year;
    bool relative = !words_[year->next - 1].is_number() && !exactly(year->next - 1, {"شمسی", "خورشیدی", "میلادی"});
    if (relative) number = this_year(m.calendar) + (d.year - this_year(year->when.calendar));
    if (relative || year->when.calendar == m.calendar) {
      return whole(year->next, months_period(m.calendar, number, m.month, m.month));
    }
  }
  period p;
  p.calendar = m.calendar;
  p.unit = grain::month;
  p.month_of_any_year = m.month;
  maybe out = whole(k, p);
  out->weak = m.weak && !named;
  return out;
}

std::optional<time_match> match_time(const tokens& words, std::size_t at, const time_context& context) {
  return time_reader(words, context).match(at);
}

}  // namespace dragoman::nlq
