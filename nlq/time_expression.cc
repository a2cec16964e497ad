#include "nlq/time_expression.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

namespace dragoman::nlq {
namespace {

struct month_word {
  calendar_kind calendar;
  int month;
  bool weak;
};

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

class reader {
 public:
  reader(const tokens& words, const time_context& context) : words_(words), context_(context) {}

  std::optional<time_match> match(std::size_t at);

 private:
  struct part {  // a period and where it ends
    std::size_t next = 0;
    period when;
    bool relative_year = false;
    bool is_point = false;
    bool is_edge = false;
    bool weak = false;
    bool bare_month() const { return when.month_of_any_year.has_value(); }
  };
  using maybe = std::optional<part>;

  bool is(std::size_t i, std::initializer_list<std::string_view> any) const {
    if (i >= words_.size()) return false;
    return std::any_of(any.begin(), any.end(), [&](std::string_view w) { return words_[i].has_form(w); });
  }
  bool exactly(std::size_t i, std::initializer_list<std::string_view> any) const {
    if (i >= words_.size()) return false;
    return std::any_of(any.begin(), any.end(), [&](std::string_view w) { return words_[i].text == w; });
  }
  std::optional<long> number(std::size_t i) const { return i < words_.size() ? small_number(words_[i]) : std::nullopt; }
  calendar_kind own() const {
    return context_.lang == language::persian ? calendar_kind::persian : calendar_kind::gregorian;
  }
  int this_year(calendar_kind c) const { return date_in(c, context_.today).year; }

  static std::optional<calendar_kind> calendar_of_year(long year) {
    if (year >= 1300 && year < 1500) return calendar_kind::persian;
    if (year >= 1900 && year < 2100) return calendar_kind::gregorian;
    return std::nullopt;
  }

  std::size_t skip(std::size_t i, std::initializer_list<std::string_view> any) const {
    while (i < words_.size() && exactly(i, any)) ++i;
    return i;
  }

  std::optional<grain> grain_noun(std::size_t i) const {
    if (is(i, {"day", "روز"})) return grain::day;
    if (is(i, {"week", "هفته"})) return grain::week;
    if (is(i, {"month", "ماه"})) return grain::month;
    if (is(i, {"quarter", "فصل"})) return grain::quarter;
    if (is(i, {"year", "سال"})) return grain::year;
    return std::nullopt;
  }

  maybe whole(std::size_t next, period p) const {
    part out;
    out.next = next;
    out.when = std::move(p);
    return out;
  }

  period unit_around(grain unit, calendar_kind c, int offset) const;
  maybe year_of(std::size_t i) const;
  maybe numeric_date(std::size_t i) const;
  maybe written_date(std::size_t i) const;
  maybe month_of(std::size_t i) const;
  maybe part_of_year(std::size_t i) const;
  maybe rolling(std::size_t i) const;
  maybe relative(std::size_t i) const;
  maybe nowruz(std::size_t i) const;
  maybe edge(std::size_t i) const;
  maybe single(std::size_t i) const;
  maybe months_in_year(std::size_t i, int first, int count) const;
  std::optional<time_match> range(std::size_t i) const;
  std::optional<time_match> grain_word(std::size_t i) const;
  std::optional<time_match> previous_word(std::size_t i) const;
  std::optional<time_match> to_date_word(std::size_t i) const;

  const tokens& words_;
  const time_context& context_;
};

// The whole week, month, quarter or year that lies `offset` units from the one around today.
period reader::unit_around(grain unit, calendar_kind c, int offset) const {
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

reader::maybe reader::year_of(std::size_t i) const {
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
reader::maybe reader::numeric_date(std::size_t i) const {
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
reader::maybe reader::written_date(std::size_t i) const {
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
reader::maybe reader::months_in_year(std::size_t i, int first, int count) const {
  std::size_t k = skip(i, {"of", "in", "for", "the", "در", "از", "سال"});
  if (k > i && is(k - 1, {"سال"})) --k;
  if (maybe year = year_of(k)) {
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

reader::maybe reader::month_of(std::size_t i) const {
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
  if (maybe year = year_of(y); year && (y == k || exactly(k, {"of", "in", "در", "از"}))) {
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

// Quarters, halves, seasons, "first 3 months".
reader::maybe reader::part_of_year(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  auto ordinal = [&](std::size_t at) -> std::optional<int> {
    if (at >= words_.size()) return std::nullopt;
    if (auto o = ordinals().find(words_[at].text); o != ordinals().end()) return o->second;
    return std::nullopt;
  };
  auto is_last = [&](std::size_t at) { return exactly(at, {"last", "final", "اخر", "پایانی"}); };
  auto with_calendar = [&](std::size_t next, calendar_kind c, int first, int count) {
    maybe out = months_in_year(next, first, count);
    if (out && out->bare_month()) out->when.calendar = c;
    return out;
  };

  // "first 10 days of Mehr 1402", "last 5 days of 2024", "۱۰ روز اول مهر ۱۴۰۲"
  {
    std::size_t after_days = 0;
    std::optional<long> days;
    bool at_start = false;
    if (auto n = ordinal(k); (n == 1 || is_last(k)) && number(k + 1) && exactly(k + 2, {"days", "day"})) {
      days = number(k + 1);
      at_start = n == 1;
      after_days = skip(k + 3, {"of", "in", "the"});
      if (after_days == k + 3) days.reset();
    } else if (number(k) && exactly(k + 1, {"روز"}) && (ordinal(k + 2) == 1 || is_last(k + 2))) {
      days = number(k);
      at_start = ordinal(k + 2) == 1;
      after_days = k + 3;
    }
    if (days) {
      maybe whole_period = month_of(after_days);
      if (!whole_period || whole_period->bare_month()) whole_period = year_of(after_days);
      if (whole_period && !whole_period->bare_month() && *days >= 1 &&
          *days <= *whole_period->when.last - *whole_period->when.first + 1) {
        period p = whole_period->when;
        (at_start ? p.last : p.first) =
            at_start ? *p.first + static_cast<int>(*days) - 1 : *p.last - static_cast<int>(*days) + 1;
        p.unit = grain::day;
        p.calendar_aligned = false;
        return whole(whole_period->next, p);
      }
    }
  }
  if (k < words_.size() && words_[k].text.size() == 2 && (words_[k].text[0] == 'q' || words_[k].text[0] == 'h')) {
    int n = words_[k].text[1] - '0';
    if (words_[k].text[0] == 'q' && n >= 1 && n <= 4) return months_in_year(k + 1, n * 3 - 2, 3);
    if (words_[k].text[0] == 'h' && n >= 1 && n <= 2) return months_in_year(k + 1, n * 6 - 5, 6);
  }
  if (std::optional<int> n = ordinal(k); n || is_last(k)) {
    if (exactly(k + 1, {"quarter"}))
      return !n && !year_of(skip(k + 2, {"of", "the", "in"})) ? std::nullopt
                                                              : months_in_year(k + 2, (n ? *n : 4) * 3 - 2, 3);
    if (exactly(k + 1, {"half"}) && (!n || *n <= 2)) return months_in_year(k + 2, (n ? *n : 2) * 6 - 5, 6);
    // "first 3 months of 2024", "last 3 months of 1402": only with a year, otherwise it counts back from today.
    if (std::optional<long> count = number(k + 1);
        count && *count >= 1 && *count <= 12 && exactly(k + 2, {"month", "months"})) {
      std::size_t y = skip(k + 3, {"of", "in", "the"});
      if (year_of(y) && y > k + 3 && (n == 1 || is_last(k))) {
        int first = n ? 1 : 13 - static_cast<int>(*count);
        return months_in_year(k + 3, first, static_cast<int>(*count));
      }
    }
  }
  if (exactly(k, {"quarter"}) && number(k + 1) && *number(k + 1) >= 1 && *number(k + 1) <= 4) {
    return months_in_year(k + 2, static_cast<int>(*number(k + 1)) * 3 - 2, 3);
  }
  // سه‌ماهه اول، شش ماه نخست، نیمه دوم، نیم‌سال اول، فصل سوم
  std::optional<int> length;
  std::size_t after = k;
  if (std::optional<long> n = number(k); n && exactly(k + 1, {"ماهه", "ماه"})) {
    length = static_cast<int>(*n);
    after = k + 2;
  } else if (exactly(k, {"سهماهه"})) {
    length = 3, after = k + 1;
  } else if (exactly(k, {"ششماهه", "نیمسال", "نیمه"})) {
    length = 6, after = k + 1;
  } else if (exactly(k, {"نیم"}) && exactly(k + 1, {"سال"})) {
    length = 6, after = k + 2;
  } else if (exactly(k, {"فصل"})) {
    length = 3, after = k + 1;
  }
  if (length && *length >= 1 && *length <= 12) {
    if (std::optional<int> n = ordinal(after); n && *n * *length <= 12) {
      return with_calendar(after + 1, own(), (*n - 1) * *length + 1, *length);
    }
    if (is_last(after) && year_of(skip(after + 1, {"سال"}) > after + 1 ? after + 1 : after + 1)) {
      return with_calendar(after + 1, own(), 13 - *length, *length);
    }
  }
  std::size_t s = k;
  if (exactly(s, {"فصل"})) ++s;
  struct season {
    std::string_view word;
    int persian_first, gregorian_first;  // 0: it spans two years
  };
  static constexpr std::array seasons{season{"بهار", 1, 3},    season{"تابستان", 4, 6}, season{"پاییز", 7, 9},
                                      season{"زمستان", 10, 0}, season{"spring", 1, 3},  season{"summer", 4, 6},
                                      season{"autumn", 7, 9},  season{"fall", 7, 9},    season{"winter", 10, 0}};
  for (const season& x : seasons) {
    if (!exactly(s, {x.word})) continue;
    maybe out = with_calendar(s + 1, own(), x.persian_first, 3);
    if (!out) return out;
    if (out->when.calendar == calendar_kind::persian) {
      return out;
    }
    if (x.gregorian_first == 0) return std::nullopt;
    return with_calendar(s + 1, calendar_kind::gregorian, x.gregorian_first, 3);
  }
  return std::nullopt;
}

// "last 30 days", "۳۰ روز گذشته", "past year"
reader::maybe reader::rolling(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  std::optional<long> n;
  std::optional<grain> unit;
  std::size_t next = 0;
  if (exactly(k, {"last", "past", "previous", "recent", "latest"}) && number(k + 1) && grain_noun(k + 2)) {
    n = number(k + 1);
    unit = grain_noun(k + 2);
    next = k + 3;
  } else if (number(k) && grain_noun(k + 1) && exactly(k + 2, {"گذشته", "اخیر", "قبل", "پیش", "اخر"})) {
    n = number(k);
    unit = grain_noun(k + 1);
    next = k + 3;
    // "۳ ماه آخر ۱۴۰۲" belongs to its year.
    if (exactly(k + 2, {"اخر"}) && year_of(next)) return std::nullopt;
  } else if (exactly(k, {"past"}) && exactly(k + 1, {"year", "month", "week"})) {
    n = 1;
    unit = grain_noun(k + 1);
    next = k + 2;
  }
  if (!n || !unit || *n < 1 || *n > 1000) return std::nullopt;
  const calendar_kind c = own();
  period p;
  p.calendar = c;
  p.unit = *unit;
  p.rolling = true;
  p.last = context_.today;
  const int count = static_cast<int>(*n);
  switch (*unit) {
    case grain::day: p.first = context_.today - count + 1; break;
    case grain::week: p.first = context_.today - 7 * count + 1; break;
    case grain::month: p.first = add_months(c, context_.today, -count); break;
    case grain::quarter: p.first = add_months(c, context_.today, -3 * count); break;
    case grain::year: p.first = add_months(c, context_.today, -12 * count); break;
  }
  return whole(next, p);
}

// "last month", "this week", "ماه گذشته", "today", "two years ago"
reader::maybe reader::relative(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  const calendar_kind c = own();
  if (exactly(k, {"today", "امروز"})) return whole(k + 1, unit_around(grain::day, c, 0));
  if (exactly(k, {"yesterday", "دیروز"})) return whole(k + 1, unit_around(grain::day, c, -1));
  if (exactly(k, {"ytd"})) {
    period p = year_period(c, this_year(c));
    p.last = context_.today;
    p.calendar_aligned = false;
    return whole(k + 1, p);
  }
  if (exactly(k, {"year", "month", "quarter"}) && exactly(k + 1, {"to"}) && exactly(k + 2, {"date"})) {
    period p = unit_around(*grain_noun(k), c, 0);
    p.last = context_.today;
    p.calendar_aligned = false;
    return whole(k + 3, p);
  }
  auto unit_at = [&](std::size_t at, std::size_t* next) -> std::optional<grain> {
    if (exactly(at, {"سهماهه"})) {
      *next = at + 1;
      return grain::quarter;
    }
    if (exactly(at, {"سه"}) && exactly(at + 1, {"ماهه"})) {
      *next = at + 2;
      return grain::quarter;
    }
    *next = at + 1;
    if (exactly(at, {"day", "week", "month", "quarter", "year", "روز", "هفته", "ماه", "فصل", "سال"}))
      return grain_noun(at);
    return std::nullopt;
  };
  std::size_t next = 0;
  if (exactly(k, {"this", "current", "این"})) {
    if (auto unit = unit_at(k + 1, &next)) return whole(next, unit_around(*unit, c, 0));
  }
  if (exactly(k, {"last", "previous", "first"})) {
    // "the last day of 1402"; "the last week of 1402" has no one meaning and is no "last week" either.
    if (auto unit = unit_at(k + 1, &next)) {
      const std::size_t of = skip(next, {"of", "in", "the"});
      maybe inner;
      if (of > next && !(inner = month_of(of))) inner = year_of(of);
      if (inner && !inner->bare_month() && inner->when.first && inner->when.last) {
        if (*unit != grain::day || exactly(k, {"previous"})) return std::nullopt;
        period p = inner->when;
        (exactly(k, {"first"}) ? p.last : p.first) = exactly(k, {"first"}) ? p.first : p.last;
        p.unit = grain::day;
        p.calendar_aligned = false;
        return whole(inner->next, p);
      }
    }
  }
  if (exactly(k, {"last", "previous"})) {
    if (auto unit = unit_at(k + 1, &next)) {
      maybe out = whole(next, unit_around(*unit, c, -1));
      out->relative_year = *unit == grain::year;
      return out;
    }
  }
  if (auto unit = unit_at(k, &next)) {
    if (exactly(next, {"گذشته", "قبل", "پیش", "قبلی"})) {
      maybe out = whole(next + 1, unit_around(*unit, c, -1));
      out->relative_year = *unit == grain::year;
      return out;
    }
    if (exactly(next, {"جاری", "کنونی"})) return whole(next + 1, unit_around(*unit, c, 0));
  }
  if (std::optional<long> n = number(k); n && *n > 0 && *n < 100 && grain_noun(k + 1)) {
    if (exactly(k + 2, {"ago"})) return whole(k + 3, unit_around(*grain_noun(k + 1), c, -static_cast<int>(*n)));
  }
  return std::nullopt;
}

reader::maybe reader::nowruz(std::size_t i) const {
  std::size_t k = i;
  const int now = this_year(calendar_kind::persian);
  bool qualified = false;
  if (exactly(k, {"last", "this"})) {
    qualified = true;
    ++k;
  }
  if (!exactly(k, {"nowruz", "norouz", "noruz", "norooz", "nowrooz", "نوروز"})) return std::nullopt;
  ++k;
  int year = now;
  std::size_t y = skip(k, {"of", "سال"});
  if (y > k && is(y - 1, {"سال"})) --y;
  if (maybe named = year_of(y)) {
    civil_date d = date_in(named->when.calendar, *named->when.first);
    bool number_year = named->next > 0 && words_[named->next - 1].is_number();
    if (number_year) {
      year = named->when.calendar == calendar_kind::persian ? d.year : d.year - 621;
    } else {
      year = now + (d.year - this_year(named->when.calendar));
    }
    k = named->next;
    qualified = true;
  } else if (exactly(k, {"گذشته", "قبل"})) {
    ++k;
    qualified = true;
  }
  period p;
  p.calendar = calendar_kind::persian;
  p.first = p.last = day_in(calendar_kind::persian, {year, 1, 1});
  maybe out = whole(k, p);
  out->is_point = true;
  (void)qualified;
  return out;
}

// "the end of 1402", "ابتدای ۱۴۰۲"
reader::maybe reader::edge(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  bool start = exactly(k, {"start", "beginning", "ابتدا", "ابتدای", "اول", "اغاز", "شروع", "اوایل"});
  bool end = exactly(k, {"end", "پایان", "انتها", "انتهای", "اخر"});
  if (!start && !end) return std::nullopt;
  std::size_t next = skip(k + 1, {"of", "the"});
  maybe inner;
  for (auto f : {&reader::month_of, &reader::part_of_year, &reader::year_of, &reader::relative}) {
    if ((inner = (this->*f)(next)) && !inner->bare_month()) break;
    inner.reset();
  }
  // "the beginning of the year": of this one.
  if (!inner && exactly(next, {"year", "سال"}) && !number(next + 1))
    inner = whole(next + 1, year_period(own(), this_year(own())));
  if (!inner) return std::nullopt;
  period p = inner->when;
  if (start) {
    p.last = p.first;
  } else {
    p.first = p.last;
  }
  p.calendar_aligned = false;
  p.unit = grain::day;
  maybe out = whole(inner->next, p);
  out->is_point = out->is_edge = true;
  return out;
}

reader::maybe reader::single(std::size_t i) const {
  maybe best;
  for (auto f : {&reader::numeric_date, &reader::written_date, &reader::edge, &reader::month_of, &reader::part_of_year,
                 &reader::rolling, &reader::relative, &reader::nowruz, &reader::year_of}) {
    maybe candidate = (this->*f)(i);
    if (candidate && (!best || candidate->next > best->next)) best = candidate;
  }
  return best;
}

std::optional<time_match> reader::range(std::size_t i) const {
  time_match out;
  auto finish = [&](std::size_t next) {
    out.length = next - i;
    return out;
  };
  std::size_t k = i;
  // Open spans.
  bool after = (exactly(k, {"after"})) || (exactly(k, {"بعد", "پس"}) && exactly(k + 1, {"از"}));
  bool before = (exactly(k, {"before"})) || (exactly(k, {"قبل", "پیش"}) && exactly(k + 1, {"از"}));
  if (after || before) {
    std::size_t start = k + (words_[k].is("after") || words_[k].is("before") ? 1 : 2);
    maybe p = single(start);
    if (!p || p->bare_month()) return std::nullopt;
    out.when = p->when;
    out.when.first.reset();
    out.when.last.reset();
    if (after) out.when.first = *p->when.last + 1;
    if (before) out.when.last = *p->when.first - 1;
    return finish(p->next);
  }
  const bool since = exactly(k, {"since"});
  const bool from = since || exactly(k, {"from", "between", "starting", "از", "بین"});
  if (from) ++k;
  if (exactly(k, {"in"})) ++k;
  k = skip(k, {"years", "the", "months"});
  if (!from && exactly(i, {"until", "till", "تا"})) {
    std::size_t start = i + 1;
    maybe p = single(start);
    if (p && !p->bare_month() && *p->when.last != context_.today) {
      out.when = p->when;
      out.when.first.reset();
      out.when.calendar_aligned = false;
      return finish(p->next);
    }
    return std::nullopt;
  }
  maybe a = single(k);
  // "1 to 15 Mehr 1402": the first day borrows its month.
  if (!a) {
    std::optional<long> day = k < words_.size() && words_[k].is_number() ? number(k) : std::nullopt;
    if (day && exactly(k + 1, {"to", "تا", "until", "through"})) {
      if (maybe b = written_date(k + 2)) {
        civil_date d = date_in(b->when.calendar, *b->when.first);
        if (*day >= 1 && *day <= d.day) {
          out.when = b->when;
          out.when.first = day_in(b->when.calendar, {d.year, d.month, static_cast<int>(*day)});
          return finish(b->next);
        }
      }
    }
    // "15 Farvardin to 20 Khordad 1403": the first date borrows its year.
    if (day && *day >= 1 && *day <= 31 && k + 2 < words_.size()) {
      std::size_t at = skip(k + 1, {"of", "ماه"});
      auto month = at < words_.size() ? months().find(words_[at].text) : months().end();
      const bool between = from && exactly(i, {"between", "بین"}) && exactly(skip(at + 1, {"ماه"}), {"and", "و"});
      if (month != months().end() && (between || exactly(skip(at + 1, {"ماه"}), {"to", "تا", "until", "through"}))) {
        std::size_t second = skip(at + 1, {"ماه"}) + 1;
        maybe b = written_date(second);
        if (!b) b = month_of(second);
        if (b && !b->bare_month() && b->when.calendar == month->second.calendar) {
          civil_date d = date_in(b->when.calendar, *b->when.first);
          if (*day <= month_days(b->when.calendar, d.year, month->second.month)) {
            out.when = b->when;
            out.when.first = day_in(b->when.calendar, {d.year, month->second.month, static_cast<int>(*day)});
            out.when.calendar_aligned = false;
            out.when.unit = grain::day;
            return finish(b->next);
          }
        }
      }
    }
    // One token "2022-2024".
    if (k < words_.size() && words_[k].text.size() == 9 && (words_[k].text[4] == '-' || words_[k].text[4] == '/')) {
      int first = std::atoi(words_[k].text.substr(0, 4).c_str()), last = std::atoi(words_[k].text.substr(5).c_str());
      auto c = calendar_of_year(first);
      if (c && c == calendar_of_year(last) && first < last) {
        out.from = year_period(*c, first);
        out.to = year_period(*c, last);
        out.when = *out.from;
        out.when.last = out.to->last;
        out.when.unit = grain::year;
        return finish(k + 1);
      }
    }
    return std::nullopt;
  }
  std::size_t joint = a->next;
  bool joined = exactly(joint, {"to", "until", "till", "through", "تا"}) ||
                (from && exactly(i, {"between", "بین"}) && exactly(joint, {"and", "و"})) || exactly(joint, {"thru"});
  if (joined) {
    std::size_t second = joint + 1;
    bool now = exactly(second, {"now", "date", "الان", "اکنون", "کنون", "حالا"}) ||
               (exactly(second, {"به"}) && exactly(second + 1, {"امروز", "حال"}));
    maybe b;
    if (now) {
      period p;
      p.calendar = a->when.calendar;
      p.first = p.last = context_.today;
      b = whole(second + (exactly(second, {"به"}) ? 2 : 1), p);
    } else {
      b = single(second);
    }
    if (b) {
      if (a->bare_month() && b->when.calendar_aligned && !b->bare_month()) {
        civil_date d = date_in(b->when.calendar, *b->when.first);
        if (a->when.calendar == b->when.calendar)
          a->when = months_period(b->when.calendar, d.year, *a->when.month_of_any_year, *a->when.month_of_any_year);
      } else if (a->bare_month() && b->bare_month() && a->when.calendar == b->when.calendar &&
                 *b->when.month_of_any_year > *a->when.month_of_any_year) {
        int first = *a->when.month_of_any_year, count = *b->when.month_of_any_year - first + 1;
        maybe m = months_in_year(b->next, first, count);
        m->when.calendar = a->when.calendar;
        out.when = m->when;
        return finish(m->next);
      }
      if (!a->bare_month() && !b->bare_month() && a->when.first && b->when.last && *a->when.first <= *b->when.last) {
        out.from = a->when;
        out.to = b->when;
        out.when = a->when;
        out.when.last = b->when.last;
        out.when.calendar_aligned =
            a->when.calendar_aligned && b->when.calendar_aligned && a->when.calendar == b->when.calendar;
        out.when.rolling = false;
        if (a->when.unit != b->when.unit) out.when.unit = grain::day;
        return finish(b->next);
      }
    }
  }
  if (from && !a->bare_month()) {
    bool onward = exactly(a->next, {"on", "onward", "onwards"}) ||
                  (exactly(a->next, {"به"}) && exactly(a->next + 1, {"بعد", "این"}));
    if (onward) {
      out.when = a->when;
      out.when.last.reset();
      bool two = exactly(a->next, {"به"});
      std::size_t next = a->next + (two ? 2 : 1);
      if (two && exactly(a->next + 1, {"این"}) && exactly(next, {"طرف", "سو"})) ++next;
      return finish(next);
    }
    if (since || exactly(i, {"starting"}) || (a->is_point && exactly(i, {"از", "from"}))) {
      out.when = a->when;
      out.when.last = context_.today;
      out.when.calendar_aligned = false;
      out.since = true;
      return finish(a->next);
    }
  }
  return std::nullopt;
}

std::optional<time_match> reader::grain_word(std::size_t i) const {
  struct word {
    std::string_view text;
    grain unit;
    bool adjective;
  };
  static constexpr std::array table{word{"daily", grain::day, true},     word{"weekly", grain::week, true},
                                    word{"monthly", grain::month, true}, word{"quarterly", grain::quarter, true},
                                    word{"yearly", grain::year, true},   word{"annual", grain::year, true},
                                    word{"annually", grain::year, true}, word{"روزانه", grain::day, true},
                                    word{"هفتگی", grain::week, true},    word{"ماهانه", grain::month, true},
                                    word{"ماهیانه", grain::month, true}, word{"فصلی", grain::quarter, true},
                                    word{"سالانه", grain::year, true},   word{"سالیانه", grain::year, true},
                                    word{"day", grain::day, false},      word{"week", grain::week, false},
                                    word{"month", grain::month, false},  word{"quarter", grain::quarter, false},
                                    word{"year", grain::year, false},    word{"روز", grain::day, false},
                                    word{"هفته", grain::week, false},    word{"ماه", grain::month, false},
                                    word{"فصل", grain::quarter, false},  word{"سهماهه", grain::quarter, false},
                                    word{"سال", grain::year, false},     word{"date", grain::day, false},
                                    word{"تاریخ", grain::day, false},    word{"ماهه", grain::month, false},
                                    word{"روزه", grain::day, false},     word{"ساله", grain::year, false}};
  time_match out;
  out.kind = time_kind::grain;
  if (exactly(i, {"سه", "3"}) && exactly(i + 1, {"ماهه"})) {
    out.length = 2;
    out.unit = grain::quarter;
    return out;
  }
  if (exactly(i, {"calendar", "persian", "jalali", "gregorian"}) && grain_noun(i + 1)) {
    out.length = 2;
    out.unit = *grain_noun(i + 1);
    return out;
  }
  if (i >= words_.size()) return std::nullopt;
  // "month by month", "year by year"
  if (exactly(i + 1, {"by"}) && i + 2 < words_.size() && words_[i + 2].text == words_[i].text && grain_noun(i)) {
    out.length = 3;
    out.unit = *grain_noun(i);
    out.adjective = true;
    return out;
  }
  for (const word& w : table) {
    if (w.adjective ? words_[i].text == w.text : words_[i].has_form(w.text)) {
      out.length = 1;
      out.unit = w.unit;
      out.adjective = w.adjective;
      return out;
    }
  }
  return std::nullopt;
}

std::optional<time_match> reader::previous_word(std::size_t i) const {
  time_match out;
  out.kind = time_kind::previous;
  std::size_t k = skip(i, {"the", "its"});
  auto unit = [&](std::size_t at) -> std::optional<grain> {
    if (exactly(at, {"year", "month", "quarter", "week", "day", "سال", "ماه", "فصل", "هفته", "روز"}))
      return grain_noun(at);
    return std::nullopt;
  };
  if (auto u = unit(k); u && (exactly(k + 1, {"before", "earlier", "prior", "قبلش", "پیشش", "قبلشان", "قبلتر"}) ||
                              (exactly(k + 1, {"قبل"}) && exactly(k + 2, {"از"}) && exactly(k + 3, {"ان", "اون"})))) {
    out.unit = *u;
    out.length = k + (exactly(k + 1, {"قبل"}) ? 4 : 2) - i;
    return out;
  }
  if (exactly(k, {"previous", "prior", "preceding"})) {
    if (auto u = unit(k + 1)) {
      out.unit = *u;
      out.length = k + 2 - i;
      return out;
    }
    if (exactly(k + 1, {"period"})) {
      out.unit = grain::day;
      out.length = k + 2 - i;
      return out;
    }
  }
  if (auto u = unit(k); u && exactly(k + 1, {"قبل", "پیش"}) && !exactly(k + 2, {"از"})) {
    out.unit = *u;
    out.length = k + 2 - i;
    return out;
  }
  if (exactly(k, {"دوره", "مدت"}) && exactly(k + 1, {"مشابه"})) {
    std::size_t y = k + 2;
    maybe year = year_of(y);
    if (year && year->relative_year) {
      out.unit = grain::year;
      out.length = year->next - i;
      return out;
    }
  }
  if (exactly(k, {"same"}) && (exactly(k + 1, {"period", "time", "month", "quarter", "week"}))) {
    std::size_t y = skip(k + 2, {"of", "in", "the"});
    maybe year = year_of(y);
    if ((year && year->relative_year) || (exactly(y, {"year"}) && exactly(y + 1, {"before", "earlier"}))) {
      out.unit = grain::year;
      out.length = (year ? year->next : y + 2) - i;
      return out;
    }
  }
  return std::nullopt;
}

std::optional<time_match> reader::to_date_word(std::size_t i) const {
  time_match out;
  out.kind = time_kind::to_date;
  auto take = [&](std::size_t n) {
    out.length = n;
    return out;
  };
  if (exactly(i, {"so"}) && exactly(i + 1, {"far"})) return take(2);
  if (exactly(i, {"to", "until", "till", "up"})) {
    std::size_t k = skip(i + 1, {"to", "until"});
    if (exactly(k, {"date", "now", "today"})) return take(k + 1 - i);
  }
  if (exactly(i, {"تا"})) {
    std::size_t k = skip(i + 1, {"به"});
    if (exactly(k, {"امروز", "الان", "اکنون", "کنون", "حالا", "حال"})) return take(k + 1 - i);
  }
  if (exactly(i, {"تاکنون"})) return take(1);
  return std::nullopt;
}

std::optional<time_match> reader::match(std::size_t i) {
  std::optional<time_match> best;
  auto offer = [&](std::optional<time_match> candidate) {
    if (candidate && (!best || candidate->length > best->length)) best = std::move(candidate);
  };
  offer(to_date_word(i));
  offer(range(i));
  offer(previous_word(i));
  // An edge alone ("the end of 1402") only means something as the end of a span.
  if (maybe p = single(i); p && !p->is_edge) {
    time_match m;
    m.length = p->next - i;
    m.when = p->when;
    m.relative_year = p->relative_year;
    m.is_point = p->is_point;
    m.weak = p->weak;
    offer(m);
  }
  offer(grain_word(i));
  if (best) {
    std::string text;
    for (std::size_t k = i; k < i + best->length; ++k) text += (text.empty() ? "" : " ") + words_[k].raw;
    best->when.words = std::move(text);
  }
  return best;
}

}  // namespace

std::optional<time_match> match_time(const tokens& words, std::size_t at, const time_context& context) {
  return reader(words, context).match(at);
}

}  // namespace dragoman::nlq
