// The numbers of a sentence, however they are written: digits of any script, grouped or not, with decimals; words of
// number of both languages; multipliers ("1.2M", "۳ میلیون"), per cents, ratios ("twice"), fractions ("یک سوم"),
// ranks ("second") and dates. Internal to nlq/: what insight_check.h traces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::nlq {

// A text letter by letter, so that the original, its small letters and what was taken out of it keep their places.
// Digits are ASCII, Arabic yeh and kaf Persian ones, kinds of blanks (ZWNJ among them) a blank, dashes '-'.
struct letters {
  std::u32string as_written;
  std::u32string small;
  explicit letters(std::string_view utf8);
  letters() = default;
};

// In place of what is a name and no longer read; neither letter, digit nor blank.
inline constexpr char32_t taken_out = 0xFFFC;

bool is_letter(char32_t) noexcept;
bool is_digit(char32_t) noexcept;  // ASCII, after `letters`
bool is_word_char(char32_t) noexcept;

enum class figure_kind : unsigned char {
  plain,
  percent,
  times,     // "twice", "1.5x", "سه برابر"
  fraction,  // "a third of"
  ordinal,
  date,  // year and month, perhaps a day
};
enum class figure_bound : unsigned char { none, over, under };  // "more than", "nearly"

struct figure {
  figure_kind kind = figure_kind::plain;
  figure_bound bound = figure_bound::none;
  long double value = 0;  // with its multiplier and sign
  long double unit = 1;   // of the last digit that was written: what rounding may hide half of
  bool signed_negative = false;
  bool bare = true;  // nothing but digits: it may be a year or a code
  int year = 0, month = 0, day = 0;
  std::size_t at = 0;  // in `letters`
};

struct figures_read {
  std::vector<figure> all;
  std::string trouble;  // a number that cannot be read for certain; empty: none
};

figures_read figures_of(const letters&);

}  // namespace dragoman::nlq
