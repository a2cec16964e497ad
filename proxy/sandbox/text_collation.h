// T-SQL string comparison as the default collation (…_CI_AS) does it: case does not count, accents do, trailing blanks
// do not; letters order by alphabet, Persian ones in their own order. One table of weights per code point, made from
// ICU's root collation at first use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::sandbox {

int compare_text(std::string_view a, std::string_view b) noexcept;

// One character of a text as the collation sees it; 0 = ignored (zero-width non-joiner and the like).
using weight = std::uint32_t;
weight weight_of(char32_t c) noexcept;
// Reads one code point at `at`, which moves behind it; a byte that is no UTF-8 stands for itself.
char32_t next_code_point(std::string_view text, std::size_t& at) noexcept;

// A LIKE pattern: % _ [a-f] [^x] and ESCAPE.
class like_pattern {
 public:
  // nullopt when the escape is not one character.
  static std::optional<like_pattern> compile(std::string_view pattern, std::string_view escape);
  bool matches(std::string_view text) const;
  // The 1-based position of the first match, as PATINDEX; 0 = none. The pattern then need not begin with %.
  std::int64_t find(std::string_view text) const;

 private:
  enum class kind : std::uint8_t { literal, any_one, any_run, set };
  struct range {
    weight low, high;
  };
  struct element {
    kind what = kind::literal;
    weight value = 0;
    bool negated = false;
    std::vector<range> ranges;
  };
  bool accepts(const element& e, weight w) const noexcept;
  bool match(const std::vector<weight>& text, std::size_t from, std::size_t first_element) const;
  std::vector<element> elements_;
};

std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);
std::size_t length_of(std::string_view text) noexcept;  // UTF-16 code units
// UTF-16 code unit positions, as LEFT and SUBSTRING count; a surrogate pair is never torn.
std::string_view slice(std::string_view text, std::int64_t from, std::int64_t count) noexcept;

}  // namespace dragoman::sandbox
