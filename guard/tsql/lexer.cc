#include "guard/tsql/lexer.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "base/limits.h"
#include "guard/tsql/characters.h"

namespace dragoman::tsql {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class lexer {
 public:
  lexer(std::string_view text, const lexer_options& options) : text_(text), options_(options) {}

  result<token_list> run() {
    if (text_.size() > limits::statement_bytes_max) {
      return failure(errc::too_complex, "The statement is longer than this server accepts.", 1, 1);
    }
    out_.tokens.reserve(text_.size() / 4 + 8);
    while (skip_blanks()) {
      if (out_.tokens.size() >= limits::tokens_max) {
        return failure(errc::too_complex, "The statement has more words than this server accepts.", line_, column());
      }
      next();
      if (failed_) break;
    }
    if (failed_) return std::move(*failed_);
    begin_token(token_kind::end);
    return std::move(out_);
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  // Columns count code points; they are worked out from the start of the line, which moves only forward.
  std::uint32_t column() {
    for (; column_offset_ < pos_; ++column_offset_) {
      if ((static_cast<unsigned char>(text_[column_offset_]) & 0xC0) != 0x80) ++column_;
    }
    return column_;
  }

  void new_line(std::size_t start_of_line) {
    ++line_;
    column_ = 1;
    column_offset_ = start_of_line;
  }

  // Steps over one line break of any flavour at pos_.
  void take_line_break() {
    pos_ += text_[pos_] == '\r' && at(pos_ + 1) == '\n' ? 2 : 1;
    new_line(pos_);
  }

  void fail(std::string message, std::int32_t number = 0) {
    failure f(errc::syntax, std::move(message), line_, column());
    f.number = number;
    failed_ = std::move(f);
  }

  token& begin_token(token_kind kind) {
    token& t = out_.tokens.emplace_back();
    t.kind = kind;
    t.offset = static_cast<std::uint32_t>(pos_);
    t.line = line_;
    t.column = column();
    return t;
  }

  void end_token(token& t, std::size_t end) {
    t.length = static_cast<std::uint32_t>(end - t.offset);
    pos_ = end;
  }

  // True when a token follows. White space and comments of both kinds go by; block comments nest.
  bool skip_blanks() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '\n' || c == '\r') {
        take_line_break();
      } else if (static_cast<unsigned char>(c) <= ' ') {
        ++pos_;
      } else if (c == '-' && at(pos_ + 1) == '-' && at(pos_ + 2) == '(' && at(pos_ + 3) == '*') {
        // The old spelling of an ODBC escape, --(*vendor(…) … *)--: a comment for some readers and code for others.
        fail("Incorrect syntax near '--(*'.");
        return false;
      } else if (c == '-' && at(pos_ + 1) == '-') {
        out_.has_comment = true;
        while (pos_ < text_.size() && text_[pos_] != '\n' && text_[pos_] != '\r') ++pos_;
      } else if (c == '/' && at(pos_ + 1) == '*') {
        out_.has_comment = true;
        if (!skip_block_comment()) return false;
      } else if (static_cast<unsigned char>(c) >= 0x80) {
        const code_point p = decode(text_, pos_);
        if (!is_blank(p.value)) return true;
        pos_ += p.length;
      } else {
        return true;
      }
    }
    return false;
  }

  bool skip_block_comment() {
    pos_ += 2;
    for (std::size_t depth = 1; pos_ < text_.size();) {
      const char c = text_[pos_];
      if (c == '*' && at(pos_ + 1) == '/') {
        pos_ += 2;
        if (--depth == 0) return true;
      } else if (c == '/' && at(pos_ + 1) == '*') {
        pos_ += 2;
        ++depth;
      } else if (c == '\n' || c == '\r') {
        take_line_break();
      } else {
        ++pos_;
      }
    }
    fail("Missing end comment mark '*/'.", 113);
    return false;
  }

  void next() {
    const char c = text_[pos_];
    switch (c) {
      case '\'': return delimited(token_kind::string, pos_ + 1, '\'');
      case '"':
        return delimited(options_.quoted_identifier ? token_kind::quoted_name : token_kind::string, pos_ + 1, '"');
      case '[': return delimited(token_kind::quoted_name, pos_ + 1, ']');
      case '@': return variable();
      case '$': return dollar();
      case '.': return is_digit(at(pos_ + 1)) ? number() : one_symbol(symbol::dot, 1);
      default: break;
    }
    if (is_digit(c)) return number();
    if ((c == 'N' || c == 'n') && at(pos_ + 1) == '\'') return delimited(token_kind::unicode_string, pos_ + 2, '\'');
    if (static_cast<unsigned char>(c) < 0x80 ? is_identifier_start(static_cast<unsigned char>(c)) : true) return word();
    punctuation();
  }

  // A literal or name up to its closing delimiter; a doubled delimiter stands for one.
  void delimited(token_kind kind, std::size_t from, char close) {
    token& t = begin_token(kind);
    std::size_t i = from;
    while (true) {
      if (i >= text_.size()) {
        std::string shown(text_.substr(from, utf8_prefix(text_.substr(from), 64)));
        return fail("Unclosed quotation mark after the character string '" + shown + "'.", 105);
      }
      const char c = text_[i];
      if (c == close) {
        if (at(i + 1) != close) break;
        i += 2;
      } else if (c == '\n' || c == '\r') {
        i += c == '\r' && at(i + 1) == '\n' ? 2 : 1;
        new_line(i);
      } else {
        ++i;
      }
    }
    if (kind == token_kind::quoted_name && i == from) {
      return fail("An object or column name is missing or empty.", 1038);
    }
    if (!is_valid_utf8(text_.substr(from, i - from))) return fail("The text is not valid UTF-8.");
    end_token(t, i + 1);
  }

  std::size_t identifier_end(std::size_t i) {
    while (i < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c < 0x80) {
        if (!is_identifier_part(c)) break;
        ++i;
      } else {
        const code_point p = decode(text_, i);
        if (!is_identifier_part(p.value)) break;
        i += p.length;
      }
    }
    return i;
  }

  void word() {
    const code_point first = decode(text_, pos_);
    if (money_sign(first.value)) return money(first.length);
    if (!is_identifier_start(first.value)) return unknown_character(first);
    token& t = begin_token(token_kind::word);
    end_token(t, identifier_end(pos_ + first.length));
    t.word = find_keyword(text_.substr(t.offset, t.length));
  }

  void variable() {
    std::size_t from = pos_ + 1;
    if (at(from) == '@') ++from;
    const std::size_t end = identifier_end(from);
    if (end == from && from == pos_ + 2) return fail("Must declare the scalar variable \"@@\".", 137);
    token& t = begin_token(token_kind::variable);
    end_token(t, end);
  }

  void dollar() {
    const char c = at(pos_ + 1);
    if (c == '@' || is_identifier_start(static_cast<unsigned char>(c) < 0x80 ? static_cast<unsigned char>(c) : 0)) {
      token& t = begin_token(token_kind::dollar_word);
      return end_token(t, identifier_end(pos_ + 1));
    }
    money(1);
  }

  // A currency sign, blanks, an optional sign, digits with an optional fraction. The dollar alone is zero.
  void money(std::size_t sign_length) {
    std::size_t i = pos_ + sign_length;
    while (at(i) == ' ') ++i;
    if (at(i) == '-' || at(i) == '+') ++i;
    const std::size_t digits = i;
    while (is_digit(at(i))) ++i;
    if (at(i) == '.') {
      ++i;
      while (is_digit(at(i))) ++i;
    }
    if (i == digits || (i == digits + 1 && at(digits) == '.')) {
      if (text_[pos_] != '$') return unknown_character(decode(text_, pos_));
      token& zero = begin_token(token_kind::money);
      return end_token(zero, pos_ + 1);
    }
    if (at(i) == 'e' || at(i) == 'E') i = exponent_end(i);
    token& t = begin_token(token_kind::money);
    end_token(t, i);
  }

  std::size_t exponent_end(std::size_t i) {
    ++i;
    if (at(i) == '+' || at(i) == '-') ++i;
    while (is_digit(at(i))) ++i;
    return i;
  }

  void number() {
    if (text_[pos_] == '0' && (at(pos_ + 1) == 'x' || at(pos_ + 1) == 'X')) return binary();
    token& t = begin_token(token_kind::integer);
    std::size_t i = pos_;
    while (is_digit(at(i))) ++i;
    if (at(i) == '.') {
      t.kind = token_kind::decimal;
      ++i;
      while (is_digit(at(i))) ++i;
    }
    if (at(i) == 'e' || at(i) == 'E') {
      t.kind = token_kind::real;
      i = exponent_end(i);
    }
    end_token(t, i);
  }

  // 0x and hex digits; a backslash at the end of a line continues them on the next.
  void binary() {
    token& t = begin_token(token_kind::binary);
    std::size_t i = pos_ + 2;
    while (true) {
      if (is_hex(at(i))) {
        ++i;
      } else if (at(i) == '\\' && (at(i + 1) == '\n' || at(i + 1) == '\r')) {
        i += at(i + 1) == '\r' && at(i + 2) == '\n' ? 3 : 2;
        new_line(i);
      } else {
        break;
      }
    }
    end_token(t, i);
  }

  void one_symbol(symbol s, std::size_t length) {
    token& t = begin_token(token_kind::symbol);
    t.sym = s;
    end_token(t, pos_ + length);
  }

  void unknown_character(const code_point& p) {
    if (p.value < 0) return fail("The text is not valid UTF-8.");
    fail("Incorrect syntax near '" + std::string(text_.substr(pos_, p.length)) + "'.");
  }

  void with_equal(symbol plain, symbol assigning) {
    at(pos_ + 1) == '=' ? one_symbol(assigning, 2) : one_symbol(plain, 1);
  }

  void punctuation() {
    const char following = at(pos_ + 1);
    switch (text_[pos_]) {
      case '(': return one_symbol(symbol::left_paren, 1);
      case ')': return one_symbol(symbol::right_paren, 1);
      case ',': return one_symbol(symbol::comma, 1);
      case ';': return one_symbol(symbol::semicolon, 1);
      case ':': return following == ':' ? one_symbol(symbol::double_colon, 2) : one_symbol(symbol::colon, 1);
      case '{': return one_symbol(symbol::left_brace, 1);
      case '}': return one_symbol(symbol::right_brace, 1);
      case '~': return one_symbol(symbol::tilde, 1);
      case '=': return one_symbol(symbol::equal, 1);
      case '!': return one_symbol(symbol::exclamation, 1);
      case '<': return following == '<' ? one_symbol(symbol::shift_left, 2) : one_symbol(symbol::less, 1);
      case '>': return following == '>' ? one_symbol(symbol::shift_right, 2) : one_symbol(symbol::greater, 1);
      case '+': return with_equal(symbol::plus, symbol::plus_equal);
      case '-': return with_equal(symbol::minus, symbol::minus_equal);
      case '*': return with_equal(symbol::star, symbol::star_equal);
      case '/': return with_equal(symbol::slash, symbol::slash_equal);
      case '%': return with_equal(symbol::percent, symbol::percent_equal);
      case '&': return with_equal(symbol::ampersand, symbol::ampersand_equal);
      case '^': return with_equal(symbol::caret, symbol::caret_equal);
      case '|':
        if (following != '|') return with_equal(symbol::pipe, symbol::pipe_equal);
        return at(pos_ + 2) == '=' ? one_symbol(symbol::concat_equal, 3) : one_symbol(symbol::concat, 2);
      default: unknown_character(decode(text_, pos_));
    }
  }

  std::string_view text_;
  lexer_options options_;
  token_list out_;
  std::optional<failure> failed_;
  std::size_t pos_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  std::size_t column_offset_ = 0;
};

// The text between delimiters, each doubled delimiter made one.
std::string undouble(std::string_view inner, char close) {
  std::string out;
  out.reserve(inner.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    out.push_back(inner[i]);
    if (inner[i] == close) ++i;
  }
  return out;
}

}  // namespace

result<token_list> tokenize(std::string_view text, const lexer_options& options) {
  return lexer(text, options).run();
}

std::string token_value(std::string_view text, const token& t) {
  const std::string_view raw = text.substr(t.offset, t.length);
  switch (t.kind) {
    case token_kind::quoted_name:
    case token_kind::string: return undouble(raw.substr(1, raw.size() - 2), raw.back());
    case token_kind::unicode_string: return undouble(raw.substr(2, raw.size() - 3), '\'');
    case token_kind::binary:
    case token_kind::money: {
      std::string out;
      for (char c : raw) {
        if (c != '\\' && c != '\n' && c != '\r' && c != ' ') out.push_back(c);
      }
      if (out == "$") out.push_back('0');
      return out;
    }
    default: return std::string(raw);
  }
}

bool contains_comment(std::string_view text, const lexer_options& options) {
  auto tokens = tokenize(text, options);
  return tokens.has_value() && tokens->has_comment;
}

}  // namespace dragoman::tsql
