// Whether what a model says about a result may be shown: every number in it must be found in the result.
//
// The model is not trusted: it makes mistakes, and the rows it has read may hold sentences that were written for it. So
// the text passes only as at most two plain sentences in the question's language, and each number in it (digits of any
// script, words, percentages, ratios, abbreviations; nlq/insight_figures.h) must equal, at the precision it is written
// with, one of
//   - a cell, the number of rows, a number or period of the question or of its interpretation,
//   - a column's minimum, maximum or average, and its sum where sums mean something,
//   - the difference, ratio, share or change of two cells: of rows that the text names, and of the first, the last and
//     the extreme ones (of any rows where there are few: of many, some two always fit),
//   - a cell's share of its column's sum.
// Names in quotes, and capitalised ones, must stand in the result or the question. A cell told of a named row must be
// that row's, and the row said to be highest must be. Addresses, markup and words of orders are refused. What cannot be
// seen here: whether a sentence without numbers is true, and which way a difference goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nlq/action.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

struct insight_facts {
  const result_head& head;
  std::string_view question;
  std::string_view interpretation;  // the product's own words: resolved dates among them
  language lang = language::english;
  bool sums_hold = true;  // values of a column may be added up
};

inline constexpr std::size_t insight_characters_max = 400;

// Why the text is not to be shown, for the log; nullopt: it may be.
std::optional<std::string> insight_objection(std::string_view text, const insight_facts&);

}  // namespace dragoman::nlq
