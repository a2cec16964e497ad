// Bytes of a test written as hex: "12 01 00 2F"; spaces and newlines mean nothing, 'text' in quotes is UTF-16LE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/utf16.h"

namespace dragoman::tds::testing {

inline std::vector<std::uint8_t> hex(std::string_view text) {
  std::vector<std::uint8_t> out;
  int high = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      const auto end = text.find('\'', i + 1);
      append_utf16le(out, text.substr(i + 1, end - i - 1));
      i = end;
      continue;
    }
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      out.push_back(static_cast<std::uint8_t>(high * 16 + digit));
      high = -1;
    }
  }
  out.shrink_to_fit();  // an exact heap block: a read behind it is caught by ASan
  return out;
}

inline std::string shown(byte_span bytes) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const std::uint8_t b : bytes) {
    if (!out.empty()) out.push_back(' ');
    out.push_back(digits[b >> 4]);
    out.push_back(digits[b & 15]);
  }
  return out;
}
inline std::string shown_hex(std::string_view text) {
  return shown(hex(text));
}

}  // namespace dragoman::tds::testing
