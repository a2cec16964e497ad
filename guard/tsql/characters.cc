#include "guard/tsql/characters.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

namespace dragoman::tsql {
namespace {

constexpr bool ascii_letter(std::int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr auto ascii_part = [] {
  std::array<bool, 128> table{};
  for (std::int32_t c = 0; c < 128; ++c) {
    table[static_cast<std::size_t>(c)] =
        ascii_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '#' || c == '@' || c == '$';
  }
  return table;
}();

}  // namespace

code_point decode(std::string_view text, std::size_t offset) noexcept {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto i = static_cast<std::int32_t>(offset);
  const auto start = i;
  UChar32 c = 0;
  U8_NEXT(bytes, i, static_cast<std::int32_t>(text.size()), c);
  return {c, static_cast<std::uint32_t>(i - start)};
}

bool is_valid_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const code_point p = decode(text, i);
    if (p.value < 0) return false;
    i += p.length;
  }
  return true;
}

std::size_t utf8_prefix(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text.size();
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return bytes;
}

// Space separators, line separators and the zero-width space; SQL Server's lexer has the same list.
bool is_blank(std::int32_t c) noexcept {
  return (c >= 0 && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200B) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Pictographs are read as letters: the printer delimits every name that is not plain ASCII.
bool is_identifier_start(std::int32_t c) noexcept {
  if (c < 0) return false;
  if (c < 0x80) return ascii_letter(c) || c == '_' || c == '#';
  return (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_NL_MASK | U_GC_SO_MASK)) != 0;
}

// Letters, digits and the marks that scripts write inside words; of the format characters only the joiners, which
// Persian and Indic words need.
bool is_identifier_part(std::int32_t c) noexcept {
  if (c < 0) return false;
  if (c < 0x80) return ascii_part[static_cast<std::size_t>(c)];
  return (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_NL_MASK | U_GC_ND_MASK | U_GC_MN_MASK | U_GC_MC_MASK | U_GC_PC_MASK |
                              U_GC_SO_MASK | U_GC_NO_MASK)) != 0 ||
         c == 0x200C || c == 0x200D;
}

bool money_sign(std::int32_t c) noexcept {
  static constexpr std::int32_t signs[] = {'$',    0xA2,   0xA3,   0xA4,   0xA5,   0x9F2,  0x9F3,  0xE3F,  0x17DB,
                                           0x20A0, 0x20A1, 0x20A2, 0x20A3, 0x20A4, 0x20A5, 0x20A6, 0x20A7, 0x20A8,
                                           0x20A9, 0x20AA, 0x20AB, 0x20AC, 0x20AD, 0x20AE, 0x20AF, 0x20B0, 0x20B1,
                                           0xFDFC, 0xFE69, 0xFF04, 0xFFE0, 0xFFE1, 0xFFE5, 0xFFE6};
  return std::find(std::begin(signs), std::end(signs), c) != std::end(signs);
}

}  // namespace dragoman::tsql
