#include "base/utf16.h"

namespace dragoman {
namespace {

struct decoded {
  char32_t code;
  std::size_t bytes;
  bool valid;
};

constexpr char32_t replacement = 0xFFFD;

// Reads one scalar value at the front of text (which is not empty). A malformed sequence yields U+FFFD and one byte.
decoded decode_front(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t length = 0;
  char32_t code = 0;
  char32_t least = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, code = lead & 0x1F, least = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, code = lead & 0x0F, least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, code = lead & 0x07, least = 0x10000;
  } else {
    return {replacement, 1, false};
  }
  if (text.size() < length) return {replacement, 1, false};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {replacement, 1, false};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {replacement, 1, false};
  return {code, length, true};
}

void append_utf8(std::string& out, char32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (code >> 6)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (code >> 12)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (code >> 18)));
    out.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

std::uint8_t* put_unit(std::uint8_t* out, char32_t unit) noexcept {
  *out++ = static_cast<std::uint8_t>(unit);
  *out++ = static_cast<std::uint8_t>(unit >> 8);
  return out;
}

}  // namespace

std::optional<std::string> utf8_from_utf16le(std::span<const std::uint8_t> bytes) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(bytes.size() / 2 + bytes.size() / 4);
  const auto unit = [&](std::size_t i) -> char32_t { return bytes[i] | (char32_t{bytes[i + 1]} << 8); };
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const char32_t first = unit(i);
    if (first < 0xD800 || first > 0xDFFF) {
      append_utf8(out, first);
    } else if (first <= 0xDBFF && i + 2 < bytes.size() && unit(i + 2) >= 0xDC00 && unit(i + 2) <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((first - 0xD800) << 10) + (unit(i + 2) - 0xDC00));
      i += 2;
    } else {
      append_utf8(out, replacement);
    }
  }
  return out;
}

std::size_t write_utf16le(std::uint8_t* out, std::string_view text) noexcept {
  std::uint8_t* const begin = out;
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      *out++ = static_cast<std::uint8_t>(text.front());
      *out++ = 0;
      text.remove_prefix(1);
      continue;
    }
    const decoded next = decode_front(text);
    if (next.code < 0x10000) {
      out = put_unit(out, next.code);
    } else {
      out = put_unit(out, 0xD800 + ((next.code - 0x10000) >> 10));
      out = put_unit(out, 0xDC00 + ((next.code - 0x10000) & 0x3FF));
    }
    text.remove_prefix(next.bytes);
  }
  return static_cast<std::size_t>(out - begin);
}

void append_utf16le(std::vector<std::uint8_t>& out, std::string_view text) {
  const std::size_t before = out.size();
  out.resize(before + 2 * text.size());
  out.resize(before + write_utf16le(out.data() + before, text));
}

std::size_t utf16_length(std::string_view text) noexcept {
  std::size_t units = 0;
  while (!text.empty()) {
    const decoded next = decode_front(text);
    units += next.code < 0x10000 ? 1 : 2;
    text.remove_prefix(next.bytes);
  }
  return units;
}

std::string_view utf16_prefix(std::string_view text, std::size_t units) noexcept {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const decoded next = decode_front(text.substr(at));
    used += next.code < 0x10000 ? 1 : 2;
    if (used > units) break;
    at += next.bytes;
  }
  return text.substr(0, at);
}

bool is_valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const decoded next = decode_front(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

}  // namespace dragoman
