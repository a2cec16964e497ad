// Words of time: fiscal years and their quarters. Where the year begins and whether it is named by its first or its
// last day's year stands in the semantic layer; without that nothing is taken for granted and the words are marked for
// a question back.

#include <string>

#include "nlq/time_reader.h"

namespace dragoman::nlq {

period fiscal_period(const fiscal_year& rule, int year, int first_month, int months) {
  const int begins = rule.named_by_end && rule.month > 1 ? year - 1 : year;
  const day_number start = day_in(rule.calendar, {begins, rule.month, 1});
  period p;
  p.calendar = rule.calendar;
  p.first = add_months(rule.calendar, start, first_month - 1);
  p.last = add_months(rule.calendar, *p.first, months) - 1;
  p.calendar_aligned = true;
  p.fiscal = true;
  p.fiscal_year = year;
  p.unit = months == 12 ? grain::year : months == 3 ? grain::quarter : grain::month;
  if (months == 3 && first_month % 3 == 1) p.fiscal_quarter = (first_month + 2) / 3;
  return p;
}

int fiscal_year_of(const fiscal_year& rule, day_number day) {
  const civil_date d = date_in(rule.calendar, day);
  return rule.month > 1 && (d.month >= rule.month) == rule.named_by_end ? d.year + (rule.named_by_end ? 1 : -1)
                                                                        : d.year;
}

// "fiscal year 2024", "FY24", "this fiscal year", "2024 fiscal year", "سال مالی ۱۴۰۲", "سال مالی جاری"
std::optional<time_reader::fiscal_words> time_reader::fiscal_year_words(std::size_t i) const {
  fiscal_words out;
  std::size_t k = skip(i, {"the"});
  auto year_number = [&](std::size_t at) -> bool {
    if (at >= words_.size() || !words_[at].is_number() || words_[at].text.size() != 4) return false;
    const std::optional<long> n = number(at);
    if (!n || !calendar_of_year(*n)) return false;
    out.year = static_cast<int>(*n);
    return true;
  };
  auto named = [&](std::size_t at) { return exactly(at, {"fiscal", "financial"}); };
  // FY2024, FY24, FY 2024
  if (k < words_.size() && words_[k].text.starts_with("fy")) {
    const std::string digits = words_[k].text.substr(2);
    if (digits.empty() && year_number(k + 1)) {
      out.next = k + 2;
      return out;
    }
    const bool all = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    if (all && (digits.size() == 4 || digits.size() == 2)) {
      out.year = std::atoi(digits.c_str());
      if (digits.size() == 2) {
        const bool persian = context_.fiscal != nullptr && context_.fiscal->calendar == calendar_kind::persian;
        out.year = *out.year + (!persian ? 2000 : *out.year >= 50 ? 1300 : 1400);
      }
      out.next = k + 1;
      return out;
    }
    if (digits == "td") {
      out.offset = 0;
      out.to_date = true;
      out.next = k + 1;
      return out;
    }
    return std::nullopt;
  }
  std::optional<int> offset;
  if (exactly(k, {"this", "current", "این"})) offset = 0;
  if (exactly(k, {"last", "previous", "prior"})) offset = -1;
  const std::size_t f = offset ? k + 1 : k;
  if (offset && exactly(f, {"fy"})) {
    out.offset = offset;
    out.next = f + 1;
    return out;
  }
  if (named(f)) {
    const bool with_year = exactly(f + 1, {"year"});
    const std::size_t after = f + (with_year ? 2 : 1);
    if (!offset && year_number(after)) {
      out.next = after + 1;
      return out;
    }
    if (with_year && exactly(after, {"to"}) && exactly(after + 1, {"date"})) {
      out.offset = 0;
      out.to_date = true;
      out.next = after + 2;
      return out;
    }
    if (with_year && offset) {
      out.offset = offset;
      out.next = after;
      return out;
    }
    return std::nullopt;
  }
  if (!offset && year_number(k) && named(k + 1)) {
    out.next = k + (exactly(k + 2, {"year"}) ? 3 : 2);
    return out;
  }
  const std::size_t s = exactly(k, {"این"}) ? k + 1 : k;
  if (exactly(s, {"سال"}) && exactly(s + 1, {"مالی"})) {
    if (s > k || exactly(s + 2, {"جاری", "کنونی"})) {
      out.offset = 0;
      out.next = s > k ? s + 2 : s + 3;
      return out;
    }
    if (exactly(s + 2, {"گذشته", "قبل", "پیش", "قبلی"})) {
      out.offset = -1;
      out.next = s + 3;
      return out;
    }
    if (year_number(s + 2)) {
      out.next = s + 3;
      return out;
    }
  }
  out = {};
  return std::nullopt;
}

time_reader::maybe time_reader::fiscal_year_at(std::size_t i) const {
  if (context_.fiscal == nullptr) return std::nullopt;
  const fiscal_year& rule = *context_.fiscal;
  const std::optional<fiscal_words> found = fiscal_year_words(i);
  if (!found) return std::nullopt;
  if (found->year && calendar_of_year(*found->year) != rule.calendar) return std::nullopt;
  const int year = found->year ? *found->year : nlq::fiscal_year_of(rule, context_.today) + found->offset.value_or(0);
  period p = fiscal_period(rule, year, 1, 12);
  if (found->to_date) {
    p.last = context_.today;
    p.calendar_aligned = p.fiscal = false;
  }
  return whole(found->next, std::move(p));
}

// "last fiscal quarter", "fiscal Q2 2024", "second fiscal quarter of 2024", "فصل مالی جاری"
time_reader::maybe time_reader::fiscal_quarter_at(std::size_t i) const {
  if (context_.fiscal == nullptr) return std::nullopt;
  const fiscal_year& rule = *context_.fiscal;
  const std::size_t k = skip(i, {"the"});
  auto named = [&](std::size_t at) { return exactly(at, {"fiscal", "financial"}); };
  std::optional<int> offset, quarter;
  std::size_t next = 0;
  if (exactly(k, {"this", "current", "last", "previous"}) && named(k + 1) && exactly(k + 2, {"quarter"})) {
    offset = exactly(k, {"this", "current"}) ? 0 : -1;
    next = k + 3;
  } else if (exactly(k, {"فصل", "سهماهه"}) && exactly(k + 1, {"مالی"}) &&
             exactly(k + 2, {"جاری", "کنونی", "گذشته", "قبل", "قبلی"})) {
    offset = exactly(k + 2, {"جاری", "کنونی"}) ? 0 : -1;
    next = k + 3;
  }
  if (offset) {
    const int year = nlq::fiscal_year_of(rule, context_.today);
    const civil_date d = date_in(rule.calendar, context_.today);
    const int index = year * 4 + (d.month - rule.month + 12) % 12 / 3 + *offset;
    return whole(next, fiscal_period(rule, index / 4, index % 4 * 3 + 1, 3));
  }
  if (named(k) && k + 1 < words_.size() && words_[k + 1].text.size() == 2 && words_[k + 1].text[0] == 'q') {
    quarter = words_[k + 1].text[1] - '0';
    next = k + 2;
  } else if (named(k) && exactly(k + 1, {"quarter"}) && number(k + 2) && *number(k + 2) <= 4) {
    quarter = static_cast<int>(*number(k + 2));
    next = k + 3;
  } else if (k < words_.size() && named(k + 1) && exactly(k + 2, {"quarter"})) {
    if (auto o = ordinals().find(words_[k].text); o != ordinals().end()) quarter = o->second;
    next = k + 3;
  }
  if (!quarter || *quarter < 1 || *quarter > 4) return std::nullopt;
  const std::size_t y = skip(next, {"of", "in", "for", "the"});
  std::optional<int> year;
  if (maybe fiscal = fiscal_year_at(y); fiscal && fiscal->when.fiscal) {
    year = fiscal->when.fiscal_year;
    next = fiscal->next;
  } else if (y < words_.size() && words_[y].is_number() && number(y) && calendar_of_year(*number(y)) == rule.calendar) {
    year = static_cast<int>(*number(y));
    next = y + 1;
  }
  if (!year) return std::nullopt;
  return whole(next, fiscal_period(rule, *year, *quarter * 3 - 2, 3));
}

// Words of a fiscal year that cannot be given dates: none is declared, or its years are of the other calendar.
std::optional<time_match> time_reader::fiscal_unknown(std::size_t i) const {
  time_match out;
  out.kind = time_kind::fiscal;
  const std::size_t k = skip(i, {"the", "this", "current", "last", "previous", "این"});
  if (const std::optional<fiscal_words> found = fiscal_year_words(i)) {
    if (context_.fiscal != nullptr && (!found->year || calendar_of_year(*found->year) == context_.fiscal->calendar))
      return std::nullopt;
    out.length = found->next - i;
    return out;
  }
  if (context_.fiscal != nullptr) return std::nullopt;
  const bool grain_behind = is(k + 1, {"year", "quarter", "month", "half"}) ||
                            (k + 1 < words_.size() && words_[k + 1].text.size() == 2 && words_[k + 1].text[0] == 'q');
  if ((exactly(k, {"fiscal"}) || (exactly(k, {"financial"}) && grain_behind))) {
    out.length = k + (grain_behind ? 2 : 1) - i;
    return out;
  }
  if (is(k, {"سال", "فصل", "سهماهه", "ماه"}) && exactly(k + 1, {"مالی"})) {
    out.length = k + 2 - i;
    return out;
  }
  return std::nullopt;
}

// "by fiscal year", "به تفکیک سال مالی"
std::optional<time_match> time_reader::fiscal_grain(std::size_t i) const {
  if (context_.fiscal == nullptr) return std::nullopt;
  const bool en = exactly(i, {"fiscal", "financial"}), fa = exactly(i + 1, {"مالی"});
  if (!en && !fa) return std::nullopt;
  const std::optional<grain> unit = exactly(i, {"سهماهه"}) ? std::optional(grain::quarter) : grain_noun(en ? i + 1 : i);
  if (unit != grain::year && unit != grain::quarter) return std::nullopt;
  time_match out;
  out.kind = time_kind::grain;
  out.unit = *unit;
  out.fiscal = true;
  out.length = 2;
  return out;
}

}  // namespace dragoman::nlq
