// The words in which people speak of an answer that they have before them. Internal to nlq/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/action.h"

namespace dragoman::nlq {

enum class talk : std::uint8_t {
  filler,
  back,  // points at the rows: "these", "اینها"
  item,  // one of them: "one", "row"
  total,
  average,
  highest,
  lowest,
  which,
  only,
  ordinal,  // "second", "last"
  how_many,
  above,
  below,
  share,
  change,      // from the first to the second
  difference,  // of the first from the second
  between,
  and_,
  explain,
  why,
  scale,  // "million"
  number,
  label,   // a name in the rows
  column,  // the title of a label column
};

struct talk_word {
  talk kind = talk::filler;
  long ordinal = 0;               // 1 = first, -1 = last
  std::string number;             // decimal digits; of a scale: its factor
  std::vector<std::size_t> rows;  // label: where it stands
  std::string written;
};

// The question in these words, fillers left out; nothing when a word is none of them. `labels` are the columns of
// `rows` that name rows.
std::optional<std::vector<talk_word>> talk_words(std::string_view question, const result_head& rows,
                                                 const std::vector<std::size_t>& labels);

// Whether any word of the question is one that decides what is asked of an answer.
bool names_a_talk(std::string_view question);

}  // namespace dragoman::nlq
