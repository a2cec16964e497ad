// Limits of what a model may add to a drafted semantic layer. The same rules as base/limits.h, and the same namespace.
#pragma once

#include <cstddef>

namespace dragoman::limits {

inline constexpr std::size_t described_bytes_max = 200;      // of a sentence about a table or column
inline constexpr std::size_t described_word_bytes_max = 40;  // of another word for one
inline constexpr std::size_t described_words_max = 4;
inline constexpr std::size_t described_values_max = 8;  // of a column that the model is shown

}  // namespace dragoman::limits
