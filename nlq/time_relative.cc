// Words of time: quarters, halves and seasons, and what is counted from today.

#include "nlq/time_reader.h"

#include <array>
#include <string>

namespace dragoman::nlq {

// Quarters, halves, seasons, "first 3 months".
time_reader::maybe time_reader::part_of_year(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  auto ordinal = [&](std::size_t at) -> std::optional<int> {
    if (at >= words_.size()) return std::nullopt;
    if (auto o = ordinals().find(words_[at].text); o != ordinals().end()) return o->second;
    return std::nullopt;
  };
  auto is_last = [&](std::size_t at) { return exactly(at, {"last", "final", "اخر", "پایانی"}); };
  auto with_calendar = [&](std::size_t next, calendar_kind c, int first, int count, bool counted = true) {
    maybe out = months_in_year(next, first, count, counted);
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
    maybe out = with_calendar(s + 1, own(), x.persian_first, 3, false);
    if (!out) return out;
    if (out->when.calendar == calendar_kind::persian) {
      return out;
    }
    if (x.gregorian_first == 0) return std::nullopt;
    return with_calendar(s + 1, calendar_kind::gregorian, x.gregorian_first, 3, false);
  }
  return std::nullopt;
}

// "last 30 days", "۳۰ روز گذشته", "past year"
time_reader::maybe time_reader::rolling(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  std::optional<long> n;
  std::optional<grain> unit;
  std::size_t next = 0;
  if (exactly(k, {"last", "past", "previous", "recent", "latest"}) && number(k + 1) && grain_noun(k + 2)) {
    n = number(k + 1);
    unit = grain_noun(k + 2);
    next = k + 3;
  } else if (number(k) && grain_noun(k + 1) && exactly(k + 2, {"گذشته", "اخیر", "قبل", "اخر"})) {
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
time_reader::maybe time_reader::relative(std::size_t i) const {
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
    if (exactly(k + 2, {"ago", "پیش"})) return whole(k + 3, unit_around(*grain_noun(k + 1), c, -static_cast<int>(*n)));
  }
  return std::nullopt;
}

time_reader::maybe time_reader::nowruz(std::size_t i) const {
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
  if (maybe named = year_of(y); named && !named->when.fiscal && named->when.calendar_aligned) {
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
time_reader::maybe time_reader::edge(std::size_t i) const {
  std::size_t k = skip(i, {"the"});
  bool start = exactly(k, {"start", "beginning", "ابتدا", "ابتدای", "اول", "اغاز", "شروع", "اوایل"});
  bool end = exactly(k, {"end", "پایان", "انتها", "انتهای", "اخر"});
  if (!start && !end) return std::nullopt;
  std::size_t next = skip(k + 1, {"of", "the"});
  maybe inner;
  for (auto f : {&time_reader::month_of, &time_reader::part_of_year, &time_reader::year_of, &time_reader::relative}) {
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

time_reader::maybe time_reader::single(std::size_t i) const {
  maybe best;
  for (auto f : {&time_reader::numeric_date, &time_reader::written_date, &time_reader::edge, &time_reader::month_of,
                 &time_reader::part_of_year, &time_reader::rolling, &time_reader::relative, &time_reader::nowruz,
                 &time_reader::fiscal_quarter_at, &time_reader::year_of}) {
    maybe candidate = (this->*f)(i);
    if (candidate && (!best || candidate->next > best->next)) best = candidate;
  }
  return best;
}

}  // namespace dragoman::nlq
