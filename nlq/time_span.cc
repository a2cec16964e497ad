// Words of time: spans from one point to another, grains, "the year before", "so far".

#include "nlq/time_reader.h"

#include <array>
#include <string>

namespace dragoman::nlq {

std::optional<time_match> time_reader::range(std::size_t i) const {
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
        maybe m = months_in_year(b->next, first, count, false);
        m->when.calendar = a->when.calendar;
        out.when = m->when;
        return finish(m->next);
      }
      if (!a->bare_month() && !b->bare_month() && a->when.first && b->when.last && *a->when.first <= *b->when.last) {
        out.from = a->when;
        out.to = b->when;
        out.when = a->when;
        out.when.last = b->when.last;
        out.when.fiscal_year = out.when.fiscal_quarter = 0;
        out.when.fiscal = a->when.fiscal || b->when.fiscal;
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

std::optional<time_match> time_reader::grain_word(std::size_t i) const {
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

std::optional<time_match> time_reader::previous_word(std::size_t i) const {
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

std::optional<time_match> time_reader::to_date_word(std::size_t i) const {
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

std::optional<time_match> time_reader::match(std::size_t i) {
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
  offer(fiscal_grain(i));
  offer(fiscal_unknown(i));
  if (best) {
    std::string text;
    for (std::size_t k = i; k < i + best->length; ++k) text += (text.empty() ? "" : " ") + words_[k].raw;
    best->when.words = std::move(text);
  }
  return best;
}

}  // namespace dragoman::nlq
