#include "guard/tsql/lexer.h"

#include <boost/test/unit_test.hpp>

#include "base/limits.h"

namespace {

using namespace dragoman;
using namespace dragoman::tsql;

// Kinds and values of all tokens, e.g. "word:a symbol:. word:b".
std::string kinds(std::string_view text, bool quoted_identifier = true) {
  static constexpr std::string_view names[] = {"end",     "word",    "name", "variable", "dollar", "string", "nstring",
                                               "integer", "decimal", "real", "money",    "binary", "symbol"};
  const auto list = tokenize(text, {.quoted_identifier = quoted_identifier});
  if (!list) return "error: " + list.error().message;
  std::string out;
  for (const token& t : list->tokens) {
    if (t.kind == token_kind::end) break;
    if (!out.empty()) out += ' ';
    out += std::string(names[static_cast<std::size_t>(t.kind)]) + ":" + token_value(text, t);
  }
  return out;
}

struct lexed {
  std::string_view text;
  std::string_view expected;
};

BOOST_AUTO_TEST_SUITE(tsql_lexer)

BOOST_AUTO_TEST_CASE(tokens_by_kind) {
  const lexed cases[] = {
      {"", ""},
      {" \t\r\n\f\v", ""},
      {"select a1$b#c@d _x #t ##g", "word:select word:a1$b#c@d word:_x word:#t word:##g"},
      {"[a b] [a]]b] \"a\"\"b\"", "name:a b name:a]b name:a\"b"},
      {"'it''s' N'x' n'y' ''", "string:it's nstring:x nstring:y string:"},
      {"@x @@rowcount @ @x#1", "variable:@x variable:@@rowcount variable:@ variable:@x#1"},
      {"$identity $PARTITION", "dollar:$identity dollar:$PARTITION"},
      {"1 1. .5 1.5 1e3 1.e-3 1e .5E+2",
       "integer:1 decimal:1. decimal:.5 decimal:1.5 real:1e3 real:1.e-3 real:1e real:.5E+2"},
      {"1a 1.a 0xFG", "integer:1 word:a decimal:1. word:a binary:0xF word:G"},
      {"0x 0xAb 0x12\\\n34", "binary:0x binary:0xAb binary:0x1234"},
      {"$1.5 $ -3 $+2. \xE2\x82\xAC"
       "7 \xC2\xA3.5",
       "money:$1.5 money:$-3 money:$+2. money:\xE2\x82\xAC"
       "7 money:\xC2\xA3.5"},
      {"$ $+$", "money:$0 money:$0 symbol:+ money:$0"},
      {"a.b..c", "word:a symbol:. word:b symbol:. symbol:. word:c"},
      {"<= <> != !< << >> || ::",
       "symbol:< symbol:= symbol:< symbol:> symbol:! symbol:= symbol:! symbol:< symbol:<< symbol:>> symbol:|| "
       "symbol:::"},
      {"+= -= *= /= %= &= ^= |= ||=",
       "symbol:+= symbol:-= symbol:*= symbol:/= symbol:%= symbol:&= symbol:^= symbol:|= symbol:||="},
      {"a--b\nc -- 'd", "word:a word:c"},
      {"a/*b/*c*/d*/e", "word:a word:e"},
      {"a/**/b", "word:a word:b"},
      {"'a--b' '/*' [--]", "string:a--b string:/* name:--"},
      // Unicode: a Persian name, a name with a zero-width non-joiner, blanks of other scripts.
      {"\xD9\x86\xD8\xA7\xD9\x85", "word:\xD9\x86\xD8\xA7\xD9\x85"},
      {"\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB1", "word:\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB1"},
      {"a\xC2\xA0"
       "b\xE3\x80\x80"
       "c\xE2\x80\xA8"
       "d",
       "word:a word:b word:c word:d"},
      {"\xCE\xB1\xCC\x81", "word:\xCE\xB1\xCC\x81"},
      // What is no T-SQL.
      {"a`b", "error: Incorrect syntax near '`'."},
      {"a \\ b", "error: Incorrect syntax near '\\'."},
      {"?", "error: Incorrect syntax near '?'."},
      {"\xC2\xA3", "error: Incorrect syntax near '\xC2\xA3'."},
      {"\xEF\xBC\x9B", "error: Incorrect syntax near '\xEF\xBC\x9B'."},
      {"\xE2\x80\x9Cx\xE2\x80\x9D", "error: Incorrect syntax near '\xE2\x80\x9C'."},
      {"a\xFF", "error: The text is not valid UTF-8."},
      {"'a\xFF'", "error: The text is not valid UTF-8."},
      {"'abc", "error: Unclosed quotation mark after the character string 'abc'."},
      {"[abc", "error: Unclosed quotation mark after the character string 'abc'."},
      {"a /* b /* c */", "error: Missing end comment mark '*/'."},
      {"[]", "error: An object or column name is missing or empty."},
      {"@@", "error: Must declare the scalar variable \"@@\"."},
  };
  for (const lexed& c : cases) BOOST_TEST(kinds(c.text) == c.expected);
}

BOOST_AUTO_TEST_CASE(double_quotes_are_strings_without_quoted_identifier) {
  BOOST_TEST(kinds("\"a\"\"b\" 'c'", false) == "string:a\"b string:c");
  BOOST_TEST(kinds("\"\"", false) == "string:");
}

BOOST_AUTO_TEST_CASE(positions_count_lines_and_code_points) {
  const std::string_view text = "a\r\n\xD9\x86 b\r'x\ny' c";
  const auto list = tokenize(text);
  BOOST_REQUIRE(list.has_value());
  const auto at = [&](std::size_t i) {
    return std::to_string(list->tokens[i].line) + ":" + std::to_string(list->tokens[i].column);
  };
  BOOST_TEST(at(0) == "1:1");
  BOOST_TEST(at(1) == "2:1");
  BOOST_TEST(at(2) == "2:3");
  BOOST_TEST(at(3) == "3:1");
  BOOST_TEST(at(4) == "4:4");
}

BOOST_AUTO_TEST_CASE(keywords_in_any_case) {
  BOOST_TEST((find_keyword("SeLeCt") == keyword::select_));
  BOOST_TEST((find_keyword("selects") == keyword::none));
  BOOST_TEST((find_keyword("") == keyword::none));
  BOOST_TEST(spelling(keyword::semanticsimilaritydetailstable_) == "SEMANTICSIMILARITYDETAILSTABLE");
  BOOST_TEST(is_reserved(keyword::from_));
  BOOST_TEST(!is_reserved(keyword::offset_));
  BOOST_TEST(needs_quotes(keyword::offset_));
  BOOST_TEST(!needs_quotes(keyword::value_));
}

BOOST_AUTO_TEST_CASE(comments_are_noticed) {
  BOOST_TEST(contains_comment("SELECT 1 -- x"));
  BOOST_TEST(contains_comment("SELECT /* x */ 1"));
  BOOST_TEST(!contains_comment("SELECT '--', [/* */]"));
}

struct asked {
  std::string_view text;
  std::string_view question;  // "-": not a question
  bool trailing;
};

BOOST_AUTO_TEST_CASE(leading_ask_marker) {
  const asked cases[] = {
      {"-- ASK: how many orders?", "how many orders?", false},
      {"--ask:how many", "how many", false},
      {"\n\t--  aSk  :  how\t many \n", "how many", false},
      {"-- ASK: how many\n-- orders\n  --in 1402?\n", "how many orders in 1402?", false},
      {"-- ASK: how many\nSELECT 1", "how many", true},
      {"-- ASK: how many\n\n-- orders\nGO", "how many orders", true},
      {"/* ASK: how many\n orders? */", "how many orders?", false},
      {"/*ask: x*/ SELECT 1", "x", true},
      {"/* ASK: open", "open", false},
      {"-- ASK:", "", false},
      {"-- ASK \xEF\xBC\x9A x", "x", false},
      {"\xEF\xBB\xBF-- ASK: x", "x", false},
      {"-- ASK: \xDA\x86\xD9\x86\xD8\xAF \xD8\xB3\xD9\x81\xD8\xA7\xD8\xB1\xD8\xB4",
       "\xDA\x86\xD9\x86\xD8\xAF \xD8\xB3\xD9\x81\xD8\xA7\xD8\xB1\xD8\xB4", false},
      {"SELECT 1 -- ASK: x", "-", false},
      {"-- TASK: x", "-", false},
      {"-- ASKED: x", "-", false},
      {"--\nASK: x", "-", false},
      {"'-- ASK: x'", "-", false},
      {"", "-", false},
  };
  for (const asked& c : cases) {
    const auto ask = find_leading_ask(c.text);
    BOOST_TEST((ask ? ask->question : "-") == c.question, c.text);
    BOOST_TEST((ask && ask->trailing_text) == c.trailing, c.text);
  }
}

BOOST_AUTO_TEST_CASE(too_long_texts_are_refused_at_once) {
  const auto list = tokenize(std::string(limits::statement_bytes_max + 1, ' '));
  BOOST_REQUIRE(!list.has_value());
  BOOST_TEST((list.error().code == errc::too_complex));
  const auto words = tokenize(std::string(limits::tokens_max + 10, ','));
  BOOST_REQUIRE(!words.has_value());
  BOOST_TEST((words.error().code == errc::too_complex));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
