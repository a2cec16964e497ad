// Where a number of a sentence comes from in a result. Internal to nlq/: the arithmetic behind insight_check.h.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "nlq/action.h"
#include "nlq/insight_figures.h"

namespace dragoman::nlq {

// What surrounds a number in its sentence.
struct trace_context {
  std::set<std::size_t> named;  // rows whose label stands in the sentence
  bool falls = false;           // "fell by 5" of -5
  bool differs = false;         // it speaks of a difference
  bool of_total = false;        // it speaks of a whole: a part is one of that, not of another cell
};

enum class found_in : unsigned char {
  nowhere,
  another_row,  // only in rows that the sentence does not speak of, while it names one
  question,     // a number or period that was asked for
  result,
};

class figure_trace {
 public:
  figure_trace(const result_head&, std::string_view question, std::string_view interpretation, bool sums_hold);

  // Of the whole text; they and the outer rows are those whose cells may be compared with each other.
  void name_rows(const std::set<std::size_t>&);
  found_in find(const figure&, const trace_context&) const;

  bool has_month(int month) const { return months_.contains(month); }
  std::optional<std::size_t> only_measure() const;  // among `columns`
  bool is_extreme(std::size_t row, std::size_t measure, bool highest) const;

 private:
  struct measure {
    std::vector<std::optional<long double>> cells;  // by row
    bool percent = false;                           // its values are per cents or shares
    long double scale = 1;                          // "sales (million)"
    std::optional<long double> lowest, highest, average, sum;
    bool negative = false;
  };
  struct day_of {
    int year, month, day;
    auto operator<=>(const day_of&) const = default;
  };

  void add_dates(std::string_view text);
  bool in_question(const figure&) const;
  bool pair_matches(const figure&, const trace_context&) const;

  std::size_t rows_ = 0;
  bool complete_ = false;
  bool sums_hold_;
  std::vector<measure> measures_;
  std::vector<figure> asked_;
  std::vector<figure> labels_;  // numbers that are whole labels: "1402", "5"
  std::set<day_of> dates_;
  std::set<int> years_, months_;
  std::set<std::size_t> compared_;
};

}  // namespace dragoman::nlq
