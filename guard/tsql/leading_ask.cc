#include <string>

#include "guard/tsql/characters.h"
#include "guard/tsql/lexer.h"

namespace dragoman::tsql {
namespace {

// A cursor over a text by code points that knows T-SQL's white space.
struct cursor {
  std::string_view text;
  std::size_t pos = 0;

  bool skip_blanks(bool lines_too) {
    while (pos < text.size()) {
      if (!lines_too && (text[pos] == '\n' || text[pos] == '\r')) break;
      const code_point p = decode(text, pos);
      if (!is_blank(p.value) && p.value != 0xFEFF) break;
      pos += p.length;
    }
    return pos < text.size();
  }

  bool accept(std::string_view prefix) {
    if (text.substr(pos, prefix.size()) != prefix) return false;
    pos += prefix.size();
    return true;
  }

  // ASK, in any case, blanks, a colon.
  bool accept_marker(bool lines_too) {
    skip_blanks(lines_too);
    for (char letter : std::string_view("ASK")) {
      if (pos >= text.size() || (text[pos] & ~0x20) != letter) return false;
      ++pos;
    }
    skip_blanks(lines_too);
    return accept(":") || accept("\xEF\xBC\x9A");  // the full-width colon of an East Asian keyboard
  }

  std::string_view rest_of_line() {
    const std::size_t start = pos;
    while (pos < text.size() && text[pos] != '\n' && text[pos] != '\r') ++pos;
    return text.substr(start, pos - start);
  }
};

// Adds the words of a line to the question, white space folded to single spaces.
void add_line(std::string& question, std::string_view line) {
  bool gap = !question.empty();
  for (std::size_t i = 0; i < line.size();) {
    const code_point p = decode(line, i);
    if (is_blank(p.value)) {
      gap = !question.empty();
    } else {
      if (gap) question.push_back(' ');
      gap = false;
      question.append(line.substr(i, p.length));
    }
    i += p.length;
  }
}

}  // namespace

std::optional<leading_ask> find_leading_ask(std::string_view text) {
  cursor at{text};
  at.skip_blanks(true);
  leading_ask ask;
  if (at.accept("--")) {
    if (!at.accept_marker(false)) return std::nullopt;
    do {
      add_line(ask.question, at.rest_of_line());
      at.skip_blanks(true);
    } while (at.accept("--"));
  } else if (at.accept("/*")) {
    if (!at.accept_marker(true)) return std::nullopt;
    const std::size_t end = text.find("*/", at.pos);
    add_line(ask.question, text.substr(at.pos, end == std::string_view::npos ? end : end - at.pos));
    at.pos = end == std::string_view::npos ? text.size() : end + 2;
  } else {
    return std::nullopt;
  }
  ask.trailing_text = at.skip_blanks(true);
  return ask;
}

}  // namespace dragoman::tsql
