// Periods of time as questions name them, resolved against a clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/civil_time.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

// A span of days, both ends inclusive; an absent end is open. `unit` is the natural size of what was named (a year, a
// month, …) and `calendar` the one it was named in; both matter for comparison, for wording and for readable SQL.
struct period {
  std::optional<day_number> first;
  std::optional<day_number> last;
  calendar_kind calendar = calendar_kind::gregorian;
  grain unit = grain::day;
  bool calendar_aligned = false;         // whole years or whole months of `calendar`
  bool rolling = false;                  // "last 30 days"
  std::optional<int> month_of_any_year;  // a month (or first of a run of months) without a year …
  int month_count = 1;                   // … and how many
  std::string words;                     // as the question wrote it
  bool fiscal = false;                   // a fiscal year or a part of one …
  int fiscal_year = 0;                   // … and its number, and its quarter; 0: not known by name
  int fiscal_quarter = 0;
  bool operator==(const period& other) const {
    return first == other.first && last == other.last && calendar == other.calendar &&
           month_of_any_year == other.month_of_any_year && month_count == other.month_count;
  }
};

period year_period(calendar_kind, int year);
// `months` months of a fiscal year from its `first_month`-th on (1: from its beginning).
period fiscal_period(const fiscal_year&, int year, int first_month, int months);
int fiscal_year_of(const fiscal_year&, day_number);
period months_period(calendar_kind, int year, int first_month, int last_month);
civil_date date_in(calendar_kind, day_number);
day_number day_in(calendar_kind, civil_date);
int month_days(calendar_kind, int year, int month);
day_number add_months(calendar_kind, day_number, int months);  // same day of the month, or its last day

// The same span one unit earlier: a year back for years and for anything inside a year, a month back for months.
period previous(const period&, grain step);

// "1402 (2023-03-21 to 2024-03-19)", "Bahman 1403 (…)" in the words of a language.
std::string period_text(const period&, language);
std::string_view month_name(calendar_kind, int month, language);

}  // namespace dragoman::nlq
