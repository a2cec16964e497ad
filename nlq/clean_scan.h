// A rough scanner for text that may or may not be SQL: enough to know words from strings, quoted names and comments,
// and at what depth of parentheses they stand. It never fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::nlq {

enum class rough_kind : std::uint8_t { word, number, string, quoted_name, backticked, comment, punctuation };

struct rough_token {
  rough_kind kind = rough_kind::word;
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
  int depth = 0;  // of the parentheses around it; "(" and ")" have the depth outside
};

std::vector<rough_token> rough_scan(std::string_view text);

// ASCII case does not count.
bool same_word(std::string_view a, std::string_view b) noexcept;

}  // namespace dragoman::nlq
