// Words about time: "last 30 days", "سه‌ماهه اول ۱۴۰۳", "from Farvardin to Shahrivar 1402", "since
// Nowruz", "monthly".
//
// A year below 1500 is Persian in either language; a Persian month name makes its year Persian; without any cue the
// language of the question decides. Matching starts at a given token and takes the longest expression.
#pragma once

#include <optional>

#include "nlq/text_tokens.h"
#include "nlq/time_period.h"

namespace dragoman::nlq {

enum class time_kind {
  period,     // resolved, or a month of any year
  grain,      // "month", "ماهانه"
  to_date,    // "so far", "تا امروز": closes the period beside it at the clock
  previous,   // "the year before", "سال قبلش": relative to the other period of the question
  same_time,  // "the same period"
  fiscal,     // a fiscal year that the semantic layer does not declare, or not in this calendar
};

struct time_match {
  std::size_t length = 0;
  time_kind kind = time_kind::period;
  period when;                     // of kind period
  std::optional<period> from, to;  // the named ends of a range
  bool relative_year = false;      // "last year": beside a named month it means that month one year earlier
  bool since = false;
  bool is_point = false;    // "Nowruz": a day that starts something rather than a span
  bool weak = false;        // a word that may well be something else ("may", "mehr")
  grain unit = grain::day;  // of kind grain and previous
  bool adjective = false;   // "monthly" asks for a series, "month" may only name one
  bool fiscal = false;      // a grain of fiscal years
};

struct time_context {
  language lang = language::english;
  day_number today = 0;
  const fiscal_year* fiscal = nullptr;  // null: the layer declares none
};

std::optional<time_match> match_time(const tokens&, std::size_t at, const time_context&);

}  // namespace dragoman::nlq
