// English grammar of questions about entities: phrases and what they do. Internal to nlq/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nlq/entity_words.h"

namespace dragoman::nlq {

struct grammar_word {
  word_kind kind = word_kind::none;
  std::string text;
  std::vector<std::string> heads;
};

// By folded words with single spaces between them; nullptr when there is none.
const grammar_word* find_grammar(std::string_view phrase);

// "french" → "france": the stored place that an adjective of origin speaks of; empty when it is none.
std::string_view place_of_adjective(std::string_view word);

}  // namespace dragoman::nlq
