#include "nlq/clean_scan.h"

#include "guard/catalog/names.h"

namespace dragoman::nlq {
namespace {

bool word_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '@' ||
         c == '#' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Behind the closing mark; a doubled one is part of the text. The end of the text closes too.
std::size_t behind(std::string_view text, std::size_t at, char close) noexcept {
  while (at < text.size()) {
    if (text[at++] != close) continue;
    if (at >= text.size() || text[at] != close) return at;
    ++at;
  }
  return text.size();
}

std::size_t end_of(std::string_view text, std::size_t at, rough_kind& kind) noexcept {
  const char c = text[at];
  const char after = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == '\'' || ((c == 'N' || c == 'n') && after == '\'')) {
    kind = rough_kind::string;
    return behind(text, at + (c == '\'' ? 1 : 2), '\'');
  }
  if (c == '"' || c == '[') {
    kind = rough_kind::quoted_name;
    return behind(text, at + 1, c == '[' ? ']' : '"');
  }
  if (c == '`') {
    kind = rough_kind::backticked;
    return behind(text, at + 1, '`');
  }
  if (c == '-' && after == '-') {
    kind = rough_kind::comment;
    const std::size_t line = text.find('\n', at);
    return line == std::string_view::npos ? text.size() : line;
  }
  if (c == '/' && after == '*') {
    kind = rough_kind::comment;
    const std::size_t close = text.find("*/", at + 2);
    return close == std::string_view::npos ? text.size() : close + 2;
  }
  if (word_character(c)) {
    kind = digit(c) ? rough_kind::number : rough_kind::word;
    std::size_t end = at + 1;
    while (end < text.size() && (word_character(text[end]) || (kind == rough_kind::number && text[end] == '.'))) ++end;
    return end;
  }
  kind = rough_kind::punctuation;
  return at + 1;
}

}  // namespace

std::vector<rough_token> rough_scan(std::string_view text) {
  std::vector<rough_token> out;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at;
      continue;
    }
    rough_token t;
    t.begin = at;
    t.end = end_of(text, at, t.kind);
    if (c == ')' && depth > 0) --depth;
    t.depth = depth;
    if (c == '(') ++depth;
    out.push_back(t);
    at = t.end;
  }
  return out;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  return catalog::same_name(a, b);
}

}  // namespace dragoman::nlq
