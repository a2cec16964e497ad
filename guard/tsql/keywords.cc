#include "guard/tsql/keywords.h"

#include <array>
#include <cstddef>

namespace dragoman::tsql {
namespace {

struct entry {
  std::string_view text;  // lower case, no trailing underscore
  keyword word;
};

constexpr std::string_view without_underscore(std::string_view name) {
  return name.substr(0, name.size() - 1);
}

constexpr entry entries[] = {
#define X(word) {without_underscore(#word), keyword::word},
    DRAGOMAN_RESERVED_KEYWORDS(X) DRAGOMAN_QUOTED_KEYWORDS(X) DRAGOMAN_CONTEXT_KEYWORDS(X)
#undef X
};

constexpr std::size_t longest = 30;  // semanticsimilaritydetailstable
constexpr std::size_t slots = 1024;  // power of two, a quarter full

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

constexpr std::uint32_t hash(std::string_view word) {
  std::uint32_t h = 2166136261u;
  for (char c : word) h = (h ^ static_cast<unsigned char>(lower(c))) * 16777619u;
  return h ^ (h >> 15);
}

constexpr auto make_table() {
  std::array<std::uint16_t, slots> table{};  // index + 1 into entries, 0 when free
  std::uint16_t index = 0;
  for (const entry& e : entries) {
    std::size_t slot = hash(e.text) % slots;
    while (table[slot] != 0) slot = (slot + 1) % slots;
    table[slot] = ++index;
  }
  return table;
}

constexpr auto table = make_table();

bool same(std::string_view word, std::string_view lower_case) noexcept {
  if (word.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(word[i]) != lower_case[i]) return false;
  }
  return true;
}

}  // namespace

keyword find_keyword(std::string_view word) noexcept {
  if (word.empty() || word.size() > longest) return keyword::none;
  for (std::size_t slot = hash(word) % slots; table[slot] != 0; slot = (slot + 1) % slots) {
    const entry& e = entries[table[slot] - 1];
    if (same(word, e.text)) return e.word;
  }
  return keyword::none;
}

std::string_view spelling(keyword word) noexcept {
  static constexpr std::string_view upper[] = {"",
#define X(word) without_underscore(#word),
                                               DRAGOMAN_RESERVED_KEYWORDS(X) "", DRAGOMAN_QUOTED_KEYWORDS(X) "",
                                               DRAGOMAN_CONTEXT_KEYWORDS(X)
#undef X
  };
  // Upper-case copies are made once; the table above stays the only list of words.
  static const auto texts = [] {
    std::array<char, 8192> buffer{};
    std::array<std::string_view, std::size(upper)> views{};
    static std::array<char, 8192> storage;
    std::size_t used = 0;
    for (std::size_t i = 0; i < std::size(upper); ++i) {
      const std::size_t start = used;
      for (char c : upper[i]) buffer[used++] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      views[i] = std::string_view(storage.data() + start, used - start);
    }
    storage = buffer;
    return views;
  }();
  return texts[static_cast<std::size_t>(word)];
}

}  // namespace dragoman::tsql
