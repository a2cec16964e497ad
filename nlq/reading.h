// A question cut into marks: the cheapest way to cover its words with known phrases, numbers and times.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nlq/lexicon.h"
#include "nlq/text_tokens.h"
#include "nlq/time_expression.h"

namespace dragoman::nlq {

// A phrase with everything it may mean. Several senses stay open until the neighbours decide.
struct mark {
  std::size_t at = 0, length = 0;  // tokens
  std::string words;               // as written
  bool break_before = false;
  std::vector<gram> grams;
  int metric = -1, verb = -1, dimension = -1, attribute = -1, event = -1, negated_event = -1, detail = -1, unit = -1;
  int out_of_scope = -1, off_topic = -1, sensitive = -1;
  std::vector<sense> values;
  std::optional<time_match> time;
  std::string number;   // decimal digits; empty: none
  bool plural = false;  // written with a plural ending
  bool used = false;    // has had its effect
  int filter = -1;      // index of the filter that it became

  bool is(gram g) const;
  bool has_noun() const { return metric >= 0 || dimension >= 0 || attribute >= 0 || detail >= 0; }
  bool is_period() const { return time && time->kind == time_kind::period; }
  bool is_point_alone() const { return is_period() && time->is_point && filter < 0; }
  bool is_grain() const { return time && time->kind == time_kind::grain; }
  // Words that join others and mean nothing alone.
  bool is_filler() const;
};

struct reading {
  tokens words;
  std::vector<mark> marks;
  std::vector<std::string> unknown;                              // words that nothing covers
  std::vector<std::pair<std::string, std::string>> corrections;  // as written → read as
  std::vector<std::string> numbers_only;
};

reading read_question(std::string_view question, const lexicon&, const time_context&);

}  // namespace dragoman::nlq
