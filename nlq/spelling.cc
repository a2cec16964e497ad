#include "nlq/spelling.h"

#include <array>
#include <cstdlib>
#include <string>

namespace dragoman::nlq {
namespace {

std::u32string points(std::string_view utf8) {
  std::u32string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t c = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < utf8.size(); ++k) c = (c << 6) | (utf8[i + k] & 0x3F);
    out += c;
    i += length;
  }
  return out;
}

// Rows of keys; each row is set half a key to the right of the one above it.
constexpr std::array<std::u32string_view, 6> keyboard{U"qwertyuiop",   U"asdfghjkl",   U"zxcvbnm",
                                                      U"ضصثقفغعهخحجچ", U"شسیبلاتنمکگ", U"ظطزرذدپو"};

bool neighbours(char32_t a, char32_t b) {
  for (std::size_t block = 0; block < keyboard.size(); block += 3) {
    int row_a = -1, row_b = -1, at_a = 0, at_b = 0;
    for (int r = 0; r < 3; ++r) {
      const std::u32string_view row = keyboard[block + static_cast<std::size_t>(r)];
      if (auto at = row.find(a); at != row.npos) row_a = r, at_a = static_cast<int>(at);
      if (auto at = row.find(b); at != row.npos) row_b = r, at_b = static_cast<int>(at);
    }
    if (row_a < 0 || row_b < 0) continue;
    // In half keys.
    const int across = std::abs((2 * at_a + row_a) - (2 * at_b + row_b));
    return std::abs(row_a - row_b) <= 1 && across <= 2;
  }
  return false;
}

bool sound_alike(char32_t a, char32_t b) {
  constexpr std::array<std::u32string_view, 11> groups{U"aeiou", U"زذضظ", U"سصث", U"تط", U"حهخ",
                                                       U"غق",    U"عا",   U"کگ",  U"پب", U"جچ"};
  for (const std::u32string_view g : groups) {
    if (g.find(a) != g.npos && g.find(b) != g.npos) return true;
  }
  return false;
}

}  // namespace

bool is_slip(std::string_view written8, std::string_view known8) {
  const std::u32string written = points(written8), known = points(known8);
  if (written == known) return true;
  std::size_t i = 0;
  while (i < written.size() && i < known.size() && written[i] == known[i]) ++i;
  auto rest_equal = [&](std::size_t w, std::size_t k) {
    return std::u32string_view(written).substr(w) == std::u32string_view(known).substr(k);
  };
  if (written.size() == known.size()) {
    const bool swapped =
        i + 1 < written.size() && written[i] == known[i + 1] && written[i + 1] == known[i] && rest_equal(i + 2, i + 2);
    if (swapped) return true;
    // Short words have too many neighbours.
    if (written.size() < 5 || !rest_equal(i + 1, i + 1)) return false;
    return sound_alike(written[i], known[i]) || (i > 0 && neighbours(written[i], known[i]));
  }
  if (written.size() < 5) return false;
  if (written.size() + 1 == known.size()) {  // one left out, neither at the start nor at the end
    return i > 0 && i + 1 < known.size() && rest_equal(i, i + 1);
  }
  if (written.size() == known.size() + 1) {  // one too many
    if (i == 0 || !rest_equal(i + 1, i)) return false;
    const char32_t extra = written[i];
    const char32_t before = written[i - 1], after = i + 1 < written.size() ? written[i + 1] : before;
    return extra == before || extra == after || neighbours(extra, before) || neighbours(extra, after);
  }
  return false;
}

}  // namespace dragoman::nlq
