// Text to tokens (T-SQL reference: "Database identifiers", "Constants", "Comments").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/tsql/keywords.h"

namespace dragoman::tsql {

enum class token_kind : std::uint8_t {
  end,
  word,            // regular identifier or keyword; token::word says which keyword
  quoted_name,     // [x] or, with QUOTED_IDENTIFIER on, "x"
  variable,        // @x, @@x
  dollar_word,     // $IDENTITY, $PARTITION …
  string,          // 'x' and, with QUOTED_IDENTIFIER off, "x"
  unicode_string,  // N'x'
  integer,
  decimal,
  real,
  money,
  binary,
  symbol,  // token::symbol says which
};

// Comparison operators of two characters are two symbols: T-SQL allows white space between them.
enum class symbol : std::uint8_t {
  none,
  left_paren,
  right_paren,
  comma,
  dot,
  semicolon,
  colon,
  double_colon,
  left_brace,
  right_brace,
  plus,
  minus,
  star,
  slash,
  percent,
  ampersand,
  pipe,
  caret,
  tilde,
  concat,
  shift_left,
  shift_right,
  equal,
  less,
  greater,
  exclamation,
  plus_equal,
  minus_equal,
  star_equal,
  slash_equal,
  percent_equal,
  ampersand_equal,
  pipe_equal,
  caret_equal,
  concat_equal,
};

struct token {
  std::uint32_t offset = 0;  // bytes
  std::uint32_t length = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;      // code points
  keyword word = keyword::none;  // of a word, reserved or not
  token_kind kind = token_kind::end;
  symbol sym = symbol::none;
};

struct token_list {
  std::vector<token> tokens;  // the last is token_kind::end
  bool has_comment = false;
};

struct lexer_options {
  bool quoted_identifier = true;
};

// Fails with errc::syntax for an unclosed quote or comment, invalid UTF-8 or a character that T-SQL does not know, and
// with errc::too_complex for a text above the limits.
result<token_list> tokenize(std::string_view text, const lexer_options& = {});

// What a token stands for: delimiters and doubled delimiters undone, N and line continuations removed.
std::string token_value(std::string_view text, const token&);

// A batch that is a question: `-- ASK: question` (the following lines that begin with -- continue it) or
// `/* ASK: question */`, before anything else but white space. The one text marker of the product.
struct leading_ask {
  std::string question;        // trimmed, lines joined by one space
  bool trailing_text = false;  // something other than white space follows: the request is refused
};
std::optional<leading_ask> find_leading_ask(std::string_view text);

// Whether the text has a comment outside its strings and names. False for a text that cannot be tokenised.
bool contains_comment(std::string_view text, const lexer_options& = {});

}  // namespace dragoman::tsql
