// Words of questions and of names, in one normal form for both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::retrieval {

// Lower-case words of a text or a name: split at everything that is no letter or digit, at underscores and at humps
// ("OrderDateID" gives order, date, id). Persian: Arabic kaf and yeh become Persian, vowel signs and tatweel go, a
// zero-width non-joiner parts words, and the plural ending ها is dropped. Digits of any script become ASCII. English
// plurals lose their ending ("categories" gives category). Broken UTF-8 parts words.
std::vector<std::string> terms_of(std::string_view text);

// The words with the bigrams behind them: "unit price" gives unit, price, "unit price".
std::vector<std::string> with_bigrams(const std::vector<std::string>& terms);

// Words that stand in every question and in no name ("how", "show", "چند").
bool is_stop_word(std::string_view term);

}  // namespace dragoman::retrieval
