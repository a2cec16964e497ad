// The reader behind match_time, in four files: days, months and years (time_expression.cc), parts of years and what is
// counted from today (time_relative.cc), spans and grains (time_span.cc), fiscal years (time_fiscal.cc). Internal to
// nlq/.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "nlq/time_expression.h"

namespace dragoman::nlq {

struct month_word {
  calendar_kind calendar;
  int month;
  bool weak;
};

// Words of months and of ordinals in both languages, folded.
const std::unordered_map<std::string_view, month_word>& months();
const std::unordered_map<std::string_view, int>& ordinals();

class time_reader {
 public:
  time_reader(const tokens& words, const time_context& context) : words_(words), context_(context) {}

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
  // `counted`: months from the year's beginning ("first quarter") rather than months by name; it matters for fiscal
  // years.
  maybe months_in_year(std::size_t i, int first, int count, bool counted = true) const;
  struct fiscal_words {
    std::size_t next = 0;
    std::optional<int> year, offset;  // as named, or from the current one
    bool to_date = false;
  };
  std::optional<fiscal_words> fiscal_year_words(std::size_t i) const;
  maybe fiscal_year_at(std::size_t i) const;
  maybe fiscal_quarter_at(std::size_t i) const;
  std::optional<time_match> fiscal_grain(std::size_t i) const;
  std::optional<time_match> fiscal_unknown(std::size_t i) const;
  std::optional<time_match> range(std::size_t i) const;
  std::optional<time_match> grain_word(std::size_t i) const;
  std::optional<time_match> previous_word(std::size_t i) const;
  std::optional<time_match> to_date_word(std::size_t i) const;

  const tokens& words_;
  const time_context& context_;
};

}  // namespace dragoman::nlq
