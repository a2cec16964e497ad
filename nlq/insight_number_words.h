// Words of number of both languages, as they stand in sentences about figures. Internal to nlq/.
#pragma once

#include <string_view>

namespace dragoman::nlq {

enum class word_sort : unsigned char {
  small,       // 0 to 90, and the hundreds that are one word
  hundred,     // times what stands before it
  multiplier,  // thousand and more
  many,        // "millions", "dozens": a number that nobody can trace
  percent,
  times,  // behind a number
  twice,  // a ratio by itself
  ordinal,
  half,
  denominator,  // "third", "چهارم": of a fraction where a numerator stands before it
};
struct number_word {
  word_sort sort;
  long double value;
};

// In small letters, as `letters` of insight_figures.h makes them; null: no word of number.
const number_word* find_number_word(std::u32string_view);

}  // namespace dragoman::nlq
