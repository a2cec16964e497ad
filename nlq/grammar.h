// The words of question grammar, the same for every database: "top", "by", "at least", "به تفکیک", "سهم".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::nlq {

enum class gram : std::uint8_t {
  none,
  stop,         // politeness, articles, auxiliaries: may be left out
  preposition,  // in, of, for: joins neighbours, may be left out
  with,         // "with commodity and amount"
  by,           // introduces a grouping or a ranking measure
  breakdown,    // introduces groupings only
  drill,        // the next level of a hierarchy
  roll_up,      // the level above
  each,         // "each", "per", "هر"
  top,
  bottom,
  large,  // "large", "big": a superlative only beside a number
  last,
  first,
  how_many,
  how_much,
  which,
  list,  // show, give, list
  all,
  total,
  average,
  median,
  distinct,
  compare,  // "compare", "compared to", "vs"
  growth,
  grew,  // "increased", "grew": of groups, a condition
  fell,
  period_over_period,  // "month over month"; the grain is in the phrase
  share,
  percent,
  as_percent_of,
  ratio,
  more_than,
  less_than,
  at_least,
  at_most,
  between,
  equals,
  not_,
  without,
  except,
  running_total,
  moving_average,
  rank,
  trend,
  and_,
  or_,
  but,
  to,
  only,
  same,
  instead,
  also,
  what_about,
  pronoun,   // "it", "those", "their": points at what was asked before
  of_those,  // "of them", "which of those": asks only of what the last answer showed
  follow,    // "and for", "now": opens a follow-up
  that,      // relative: who, which, که
  more,      // comparative without "than": "bought more in A than in B"
  less,
  thousand,
  million,
  billion,
  trillion,
  unlimited,
  output_file,  // excel, csv
  located,
  schema_data,
  schema_tables,
  schema_columns,
  schema_define,
  schema_help,
  schema_metrics,
  schema_coverage,
  greeting,
  thanks,
  status_how,  // "how is X doing", "وضعیت … چطوره": asks for everything and nothing
  vague,       // "good", "interesting": cannot be measured
};

struct grammar_entry {
  gram what;
  std::string_view english;  // phrases separated by '|'
  std::string_view persian;
};

const std::vector<grammar_entry>& grammar();

}  // namespace dragoman::nlq
