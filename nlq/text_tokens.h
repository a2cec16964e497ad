// Question text as tokens: what folds together and where words begin and end.
//
// Folding brings together what people write for one thing: full-width and presentation forms (NFKD), upper and lower
// case, Arabic and Persian yeh and kaf, every kind of digit, hamza and vowel marks, tatweel. ZWNJ and space are the
// same. Questions and stored values go through the same folding, so they meet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::nlq {

struct token {
  std::string raw;                 // as written, after NFKC
  std::string text;                // folded
  std::vector<std::string> forms;  // `text` first, then without plural, possessive and other endings
  bool break_before = false;       // a comma or other punctuation separates it from the token before
  bool corrected = false;          // `text` was replaced by a known word one edit away

  bool is(std::string_view folded) const { return text == folded; }
  bool has_form(std::string_view folded) const;
  bool is_number() const;  // 12, 0.5, 1,000 (separators removed in text)
};

using tokens = std::vector<token>;

// Letters and digits folded, everything else but spaces dropped or made a space; spaces single.
std::string fold_text(std::string_view utf8);

// Words of a question or of a stored value. "60/70", "2024-01-31", "0.5" stay one token; "%" is a token; Persian
// endings written apart ("سفارش های") are joined to their word, "n't" becomes "not".
tokens tokenise(std::string_view utf8);

// The folded words without anything between them: the form in which phrases are compared.
std::string squash(const tokens&, std::size_t from, std::size_t count);
std::string squash(std::string_view utf8);

std::vector<std::string> word_forms(const std::string& folded);

bool has_persian_letters(std::string_view utf8);
std::size_t code_points(std::string_view utf8);

// Edit distance with transposition, at most `limit` + 1 is returned. Counts code points.
unsigned edit_distance(std::string_view a, std::string_view b, unsigned limit);

// Spelled-out small numbers of both languages: "ten", "ده", "سه". Digits too.
std::optional<long> small_number(const token&);

}  // namespace dragoman::nlq
