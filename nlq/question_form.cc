#include <string>
#include <string_view>

#include "nlq/understanding.h"

namespace dragoman::nlq {
namespace {

bool is_blank(unsigned char c) noexcept {
  return c <= ' ' || c == 0x7F;
}

// A digit of the Arabic (D9 A0…A9) or Persian (DB B0…B9) script at this place of UTF-8 text; -1: none.
int foreign_digit(std::string_view text, std::size_t at) noexcept {
  if (at + 1 >= text.size()) return -1;
  const auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
  if (first == 0xD9 && second >= 0xA0 && second <= 0xA9) return second - 0xA0;
  if (first == 0xDB && second >= 0xB0 && second <= 0xB9) return second - 0xB0;
  return -1;
}

}  // namespace

// Whatever else is written may be part of a name or turn the meaning round ("≥" and "≤", accents, an apostrophe, where
// a comma stands), and two questions under one key would get one answer.
std::string question_form(std::string_view question, bool case_matters) {
  constexpr std::string_view persian_question_mark = "\xD8\x9F";
  std::string out;
  bool gap = false;
  for (std::size_t i = 0; i < question.size(); ++i) {
    const auto c = static_cast<unsigned char>(question[i]);
    if (is_blank(c)) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += ' ';
    gap = false;
    if (const int digit = foreign_digit(question, i); digit >= 0) {
      out += static_cast<char>('0' + digit);
      ++i;
    } else if (!case_matters && c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += static_cast<char>(c);
    }
  }
  while (!out.empty()) {
    if (out.ends_with(persian_question_mark))
      out.resize(out.size() - persian_question_mark.size());
    else if (std::string_view(".?! ").find(out.back()) != std::string_view::npos)
      out.pop_back();
    else
      break;
  }
  return out;
}

}  // namespace dragoman::nlq
