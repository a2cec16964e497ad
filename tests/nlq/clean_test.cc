#include "nlq/clean.h"

#include <boost/test/unit_test.hpp>

using namespace dragoman::nlq;

BOOST_TEST_DONT_PRINT_LOG_VALUE(reply_kind)

BOOST_AUTO_TEST_SUITE(clean)

BOOST_AUTO_TEST_CASE(statements_are_found) {
  struct row {
    const char* name;
    const char* text;
    const char* sql;
  };
  const row rows[] = {
      {"plain", "SELECT a FROM t", "SELECT a FROM t"},
      {"semicolon", "SELECT a FROM t;\n", "SELECT a FROM t"},
      {"semicolons and GO", "SELECT a FROM t;;\nGO", "SELECT a FROM t"},
      {"fence", "```sql\nSELECT a FROM t\n```", "SELECT a FROM t"},
      {"fence without a language", "```\nSELECT a FROM t;\n```", "SELECT a FROM t"},
      {"fence on one line", "```SELECT a FROM t```", "SELECT a FROM t"},
      {"fence with tsql", "```tsql\nSELECT a FROM t```", "SELECT a FROM t"},
      {"open fence", "```sql\nSELECT a FROM t", "SELECT a FROM t"},
      {"second fence", "```text\nnothing\n```\nthen\n```sql\nSELECT a FROM t\n```", "SELECT a FROM t"},
      {"prose in front", "Here's the query you need:\n\nSELECT a FROM t", "SELECT a FROM t"},
      {"prose on the line", "The query is: SELECT a FROM t", "SELECT a FROM t"},
      {"prose with with", "I would start with the orders table.\nSELECT a FROM t", "SELECT a FROM t"},
      {"prose with select", "To answer, select the orders.\nSELECT a FROM t", "SELECT a FROM t"},
      {"prose with update", "Update: this one works.\nSELECT a FROM t", "SELECT a FROM t"},
      {"prose behind", "SELECT a FROM t\n\nThis lists all of a.", "SELECT a FROM t"},
      {"prose behind a semicolon", "SELECT a FROM t;\nThis lists all of a; nice.", "SELECT a FROM t"},
      {"markdown behind", "SELECT a FROM t\n\n**Note** that", "SELECT a FROM t"},
      {"blank line inside", "SELECT a\n\nFROM t\n\nWHERE b = 1", "SELECT a\n\nFROM t\n\nWHERE b = 1"},
      {"blank line in the list", "SELECT a,\n\nb FROM t", "SELECT a,\n\nb FROM t"},
      {"cte", "WITH x AS (SELECT a FROM t) SELECT a FROM x", "WITH x AS (SELECT a FROM t) SELECT a FROM x"},
      {"cte with columns", "Sure!\nWITH x (a) AS (SELECT 1) SELECT a FROM x",
       "WITH x (a) AS (SELECT 1) SELECT a FROM x"},
      {"in parentheses", "(SELECT a FROM t) UNION (SELECT b FROM u)", "(SELECT a FROM t) UNION (SELECT b FROM u)"},
      {"tags", "<sql>SELECT a FROM t</sql>", "SELECT a FROM t"},
      {"thinking", "<think>I should DELETE FROM it? SELECT b</think>\nSELECT a FROM t", "SELECT a FROM t"},
      {"thinking that was only closed", "SELECT b FROM u hmm</think>SELECT a FROM t", "SELECT a FROM t"},
      {"lower case", "select a from t", "select a from t"},
      {"byte order mark", "\xEF\xBB\xBFSELECT a FROM t", "SELECT a FROM t"},
      {"persian prose", "این پرس‌وجو است:\nSELECT N'فروش' FROM t", "SELECT N'فروش' FROM t"},
      // What the guard must see is not taken away.
      {"dml", "DELETE FROM t", "DELETE FROM t"},
      {"dml in a fence", "```sql\nDROP TABLE t;\n```", "DROP TABLE t"},
      {"two statements", "SELECT a FROM t; DROP TABLE t", "SELECT a FROM t; DROP TABLE t"},
      {"two statements on two lines", "SELECT a FROM t;\n\nDROP TABLE t;", "SELECT a FROM t;\n\nDROP TABLE t"},
      {"dml in front", "UPDATE t SET a = 1; SELECT a FROM t", "UPDATE t SET a = 1; SELECT a FROM t"},
      {"insert select", "INSERT INTO t\nSELECT a FROM u", "INSERT INTO t\nSELECT a FROM u"},
      {"exec", "EXEC xp_cmdshell 'dir'", "EXEC xp_cmdshell 'dir'"},
      {"declare", "DECLARE @a int = 1\nSELECT @a FROM t", "DECLARE @a int = 1\nSELECT @a FROM t"},
      {"comment inside", "SELECT a -- all\nFROM t", "SELECT a -- all\nFROM t"},
      {"the sentinel as a value", "SELECT a FROM t WHERE b = 'OUT_OF_SCOPE'",
       "SELECT a FROM t WHERE b = 'OUT_OF_SCOPE'"},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      const cleaned_reply got = clean_reply(r.text);
      BOOST_TEST((got.kind == reply_kind::sql));
      BOOST_TEST(got.sql == r.sql);
    }
  }
}

BOOST_AUTO_TEST_CASE(other_answers) {
  for (const char* text :
       {"OUT_OF_SCOPE", "out_of_scope", " OUT_OF_SCOPE.\n", "`OUT_OF_SCOPE`", "```\nOUT_OF_SCOPE\n```",
        "OUT_OF_SCOPE: there is no weather in it", "<think>SELECT?</think>OUT_OF_SCOPE", "The answer is OUT_OF_SCOPE",
        "OUT_OF_SCOPE\nSELECT 1 FROM t"})
    BOOST_TEST((clean_reply(text).kind == reply_kind::out_of_scope), text);
  for (const char* text : {"", " \n", "I cannot do that.", "```\n```", "<think>SELECT a FROM t", "With pleasure, sir.",
                           "Please select the right table.", "```sql\n\n```", "{}", "'"})
    BOOST_TEST((clean_reply(text).kind == reply_kind::none), text);
}

BOOST_AUTO_TEST_CASE(dialects_are_repaired) {
  struct row {
    const char* text;
    const char* sql;
  };
  const row rows[] = {
      {"SELECT a FROM t LIMIT 5", "SELECT TOP (5) a FROM t"},
      {"select a from t limit 5", "select TOP (5) a from t"},
      {"SELECT DISTINCT a FROM t LIMIT 5", "SELECT DISTINCT TOP (5) a FROM t"},
      {"SELECT TOP 5 a FROM t ORDER BY a LIMIT 5", "SELECT TOP 5 a FROM t ORDER BY a"},
      {"SELECT a FROM t ORDER BY a DESC LIMIT 5", "SELECT TOP (5) a FROM t ORDER BY a DESC"},
      {"SELECT a FROM t ORDER BY a LIMIT 5 OFFSET 10",
       "SELECT a FROM t ORDER BY a OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY"},
      {"SELECT a FROM t ORDER BY a LIMIT 10, 5", "SELECT a FROM t ORDER BY a OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY"},
      {"SELECT a FROM t LIMIT 5 OFFSET 0", "SELECT TOP (5) a FROM t"},
      {"SELECT a FROM t LIMIT 5 OFFSET 3",
       "SELECT a FROM t ORDER BY (SELECT NULL) OFFSET 3 ROWS FETCH NEXT 5 ROWS ONLY"},
      {"WITH x AS (SELECT a FROM t) SELECT a FROM x LIMIT 3", "WITH x AS (SELECT a FROM t) SELECT TOP (3) a FROM x"},
      {"SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 2) AS q",
       "SELECT a FROM (SELECT TOP (2) a FROM t ORDER BY b) AS q"},
      {"SELECT a FROM (SELECT b FROM t LIMIT 2) q LIMIT 1", "SELECT TOP (1) a FROM (SELECT TOP (2) b FROM t) q"},
      {"SELECT a FROM t UNION SELECT b FROM u ORDER BY a LIMIT 4",
       "SELECT a FROM t UNION SELECT b FROM u ORDER BY a OFFSET 0 ROWS FETCH NEXT 4 ROWS ONLY"},
      {"SELECT a FROM t UNION SELECT b FROM u LIMIT 4", "SELECT a FROM t UNION SELECT b FROM u LIMIT 4"},
      {"SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY", "SELECT TOP (3) a FROM t ORDER BY a"},
      {"SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY",
       "SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY"},
      {"SELECT TOP 10 DISTINCT a FROM t", "SELECT DISTINCT TOP 10 a FROM t"},
      {"SELECT TOP (10) DISTINCT a FROM t", "SELECT DISTINCT TOP (10) a FROM t"},
      {"SELECT TOP (10) WITH TIES DISTINCT a FROM t", "SELECT DISTINCT TOP (10) WITH TIES a FROM t"},
      {"SELECT `a b`, t.`c` FROM `t`", "SELECT [a b], t.[c] FROM [t]"},
      {"SELECT IFNULL(a, LENGTH(b)), NOW() FROM t", "SELECT ISNULL(a, LEN(b)), GETDATE() FROM t"},
      {"SELECT SUBSTR(a, 1, 2), CEIL(b) FROM t", "SELECT SUBSTRING(a, 1, 2), CEILING(b) FROM t"},
      // Left alone.
      {"SELECT c.Limit, Length FROM t c WHERE c.[limit] = 5", "SELECT c.Limit, Length FROM t c WHERE c.[limit] = 5"},
      {"SELECT 'x LIMIT 5' FROM t", "SELECT 'x LIMIT 5' FROM t"},
      {"SELECT [a LIMIT 5] FROM t -- LIMIT 5", "SELECT [a LIMIT 5] FROM t -- LIMIT 5"},
      {"SELECT dbo.Length(a) FROM t", "SELECT dbo.Length(a) FROM t"},
      {"SELECT TOP 5 a FROM t", "SELECT TOP 5 a FROM t"},
      {"", ""},
      {"LIMIT 5", "LIMIT 5"},
      {"SELECT TOP (", "SELECT TOP ("},
      {"SELECT a FROM t LIMIT", "SELECT a FROM t LIMIT"},
      {"SELECT `", "SELECT []"},
  };
  for (const row& r : rows) BOOST_TEST(repair_dialect(r.text) == r.sql, r.text << " gave " << repair_dialect(r.text));
}

BOOST_AUTO_TEST_CASE(any_bytes_are_survived) {
  std::uint32_t seed = 12345;
  const char* pieces[] = {"SELECT ",
                          "LIMIT ",
                          "5",
                          "(",
                          ")",
                          "'",
                          "[",
                          "`",
                          "```",
                          "<think>",
                          "</think>",
                          "<sql>",
                          "--",
                          "/*",
                          "*/",
                          "\n",
                          ";",
                          "TOP ",
                          "DISTINCT ",
                          "WITH ",
                          "x ",
                          "AS ",
                          "\xFF",
                          "فروش",
                          ",",
                          "OFFSET ",
                          "UNION ",
                          "FETCH FIRST ",
                          "ROWS ",
                          "ONLY",
                          "OUT_OF_SCOPE",
                          "DELETE FROM "};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int n = 0; n < 12; ++n) {
      seed = seed * 1664525u + 1013904223u;
      text += pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)];
    }
    const cleaned_reply once = clean_reply(text);
    BOOST_TEST((once.sql.size() <= text.size() + 200));
    BOOST_TEST(((once.kind == reply_kind::sql) == !once.sql.empty()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
