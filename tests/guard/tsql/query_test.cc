#include "tests/guard/tsql/round_trip.h"

namespace {

using namespace dragoman;
using namespace dragoman::tsql;
using namespace dragoman::tsql::testing;

BOOST_AUTO_TEST_SUITE(tsql_queries)

BOOST_AUTO_TEST_CASE(select_list) {
  check_examples({
      {"select 1", "SELECT 1"},
      {";;select 1;;", "SELECT 1"},
      {"SELECT ALL a", "SELECT a"},
      {"SELECT DISTINCT a, b"},
      {"SELECT a b", "SELECT a AS b"},
      {"SELECT a 'b c'", "SELECT a AS [b c]"},
      {"SELECT x = a", "SELECT a AS x"},
      {"SELECT 'x' = a", "SELECT a AS x"},
      {"SELECT a AS N'x'", "SELECT a AS x"},
      {"SELECT *"},
      {"SELECT t.*, s.t.*, db..t.*"},
      {"SELECT 1a", "SELECT 1 AS a"},
      {"SELECT TOP 5 a", "SELECT TOP (5) a"},
      {"SELECT TOP (@n + 1) PERCENT WITH TIES a"},
      {"SELECT TOP (SELECT 1) a"},
      {"SELECT TOP ((SELECT 1) + 1) a"},
      {"SELECT TOP (5) WITH APPROX a", "SELECT TOP (5) WITH APPROXIMATE a"},
      {"SELECT DISTINCT TOP (1) a"},
      {"/* c */ SELECT -- d\n 1 /* e */", "SELECT 1"},
  });
}

BOOST_AUTO_TEST_CASE(clauses_in_order) {
  check_examples({
      {"SELECT a FROM t WHERE b = 1 GROUP BY a HAVING COUNT(*) > 1 ORDER BY a ASC, b DESC",
       "SELECT a FROM t WHERE b = 1 GROUP BY a HAVING COUNT(*) > 1 ORDER BY a, b DESC"},
      {"SELECT a FROM t GROUP BY ALL a, b + 1"},
      {"SELECT a FROM t GROUP BY a, b WITH ROLLUP"},
      {"SELECT a FROM t GROUP BY a WITH CUBE"},
      {"SELECT a FROM t GROUP BY ROLLUP(a, (b, c)), CUBE(d)"},
      {"SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, (), ROLLUP(c))"},
      {"SELECT a FROM t GROUP BY ()"},
      {"SELECT a FROM t GROUP BY GROUPING SETS ((a), ((b) + 1))", "SELECT a FROM t GROUP BY GROUPING SETS (a, b + 1)"},
      {"SELECT a FROM t GROUP BY [rollup](a)"},
      {"SELECT a, SUM(b) OVER w FROM t WINDOW w AS (PARTITION BY c), v AS (w ORDER BY d)"},
      {"SELECT a FROM t AS [window]"},
      {"SELECT a FROM t ORDER BY a OFFSET 5 ROWS"},
      {"SELECT a FROM t ORDER BY a OFFSET @o ROW FETCH FIRST 1 ROW ONLY",
       "SELECT a FROM t ORDER BY a OFFSET @o ROWS FETCH NEXT 1 ROWS ONLY"},
      {"SELECT a FROM t ORDER BY a FETCH NEXT 5 ROWS ONLY",
       "SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY"},
      {"SELECT a FROM t ORDER BY a FETCH APPROX FIRST 5 ROWS ONLY",
       "SELECT a FROM t ORDER BY a FETCH APPROXIMATE NEXT 5 ROWS ONLY"},
      {"SELECT a FROM t FOR BROWSE"},
      {"SELECT a FROM t FOR XML PATH('x'), TYPE, ROOT('r')", "SELECT a FROM t FOR XML PATH(N'x'), TYPE, ROOT(N'r')"},
      {"SELECT a FROM t FOR XML RAW, BINARY BASE64, ELEMENTS XSINIL"},
      {"SELECT a FROM t FOR XML AUTO, XMLSCHEMA"},
      {"SELECT a FROM t FOR JSON PATH, ROOT(N'r'), INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER"},
      {"SELECT (SELECT a FROM t FOR JSON AUTO)"},
      {"SELECT a FROM t OPTION (RECOMPILE, MAXDOP 2, HASH JOIN)"},
      {"SELECT a FROM t OPTION (OPTIMIZE FOR (@a = 1, @b UNKNOWN))"},
      {"SELECT a FROM t OPTION (OPTIMIZE FOR UNKNOWN)"},
      {"SELECT a FROM t OPTION (USE HINT ('x', N'y'), LABEL = 'z', MAX_GRANT_PERCENT = 10)"},
      {"SELECT a FROM t OPTION (TABLE HINT (t, NOLOCK, INDEX(i)))"},
      {"SELECT a FROM t OPTION (USE PLAN N'<x/>')"},
  });
}

BOOST_AUTO_TEST_CASE(set_operations) {
  check_examples({
      {"SELECT 1 UNION SELECT 2 UNION ALL SELECT 3 EXCEPT SELECT 4"},
      {"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3"},
      {"(SELECT 1 UNION SELECT 2) INTERSECT SELECT 3"},
      {"SELECT 1 UNION (SELECT 2 UNION SELECT 3)"},
      {"(SELECT 1) UNION (SELECT 2)", "SELECT 1 UNION SELECT 2"},
      {"((SELECT 1))", "SELECT 1"},
      {"SELECT 1 UNION SELECT 2 ORDER BY 1"},
      {"(SELECT 1 UNION SELECT 2) ORDER BY 1", "SELECT 1 UNION SELECT 2 ORDER BY 1"},
      {"SELECT a FROM ((SELECT TOP (1) a FROM t ORDER BY a) UNION ALL SELECT 2) AS x",
       "SELECT a FROM ((SELECT TOP (1) a FROM t ORDER BY a) UNION ALL SELECT 2) AS x"},
      {"SELECT 1 INTERSECT SELECT 2 UNION SELECT 3"},
      {"SELECT 1 EXCEPT (SELECT 2 EXCEPT SELECT 3)"},
  });
  BOOST_TEST(!parse_query("SELECT 1 EXCEPT ALL SELECT 2").has_value());
}

BOOST_AUTO_TEST_CASE(common_table_expressions) {
  check_examples({
      {"WITH a AS (SELECT 1 AS x), b (y) AS (SELECT x FROM a) SELECT y FROM b"},
      {"WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r OPTION (MAXRECURSION 10)"},
      {"WITH XMLNAMESPACES ('u' AS p, DEFAULT 'v') SELECT 1"},
      {"WITH XMLNAMESPACES ('u' AS p), a AS (SELECT 1 AS x) SELECT x FROM a"},
      {"WITH a AS ((SELECT 1 AS x)) SELECT x FROM a", "WITH a AS (SELECT 1 AS x) SELECT x FROM a"},
  });
}

BOOST_AUTO_TEST_CASE(house_layout) {
  const auto tree = parse_query("SELECT a, b FROM s.t AS t JOIN u ON u.i = t.i WHERE a = 1 GROUP BY a, b ORDER BY a");
  BOOST_REQUIRE(tree.has_value());
  BOOST_TEST(print_pretty(*tree) ==
             "SELECT a, b\nFROM s.t AS t\nINNER JOIN u ON u.i = t.i\nWHERE a = 1\nGROUP BY a, b\nORDER BY a");
}

BOOST_AUTO_TEST_CASE(quoted_identifier_off) {
  BOOST_TEST(round_trip("SELECT \"it's\" AS [a\"b]", {.quoted_identifier = false}) == "SELECT 'it''s' AS [a\"b]");
}

struct refusal {
  std::string_view sql;
  errc code;
  std::string_view message;
  std::uint32_t line;
  std::uint32_t column;
};

BOOST_AUTO_TEST_CASE(refusals_say_where_and_why) {
  const refusal cases[] = {
      {"", errc::syntax, "The statement is empty.", 1, 1},
      {"SELECT", errc::syntax, "Incorrect syntax near the keyword 'SELECT'.", 1, 7},
      {"SELECT a FROM", errc::syntax, "Incorrect syntax near the keyword 'FROM'.", 1, 14},
      {"SELECT a,\nFROM t", errc::syntax, "Incorrect syntax near the keyword 'FROM'.", 2, 1},
      {"SELECT a FROM t WHERE", errc::syntax, "Incorrect syntax near the keyword 'WHERE'.", 1, 22},
      {"SELECT a FROM t )", errc::syntax, "Incorrect syntax near ')'.", 1, 17},
      {"SELECT a LIMIT 5", errc::syntax, "Incorrect syntax near '5'.", 1, 16},
      {"SELECT 'a", errc::syntax, "Unclosed quotation mark after the character string 'a'.", 1, 8},
      {"SELECT 1 SELECT 2", errc::multiple_statements, "Only one statement may stand here.", 1, 10},
      {"SELECT 1; x", errc::multiple_statements, "Only one statement may stand here.", 1, 11},
      {"SELECT 1 delete from t", errc::multiple_statements, "Only one statement may stand here.", 1, 10},
      {"DELETE FROM t", errc::not_read_only, "Only a SELECT may stand here, not 'DELETE'.", 1, 1},
      {"p1 'x'", errc::not_read_only, "Only a SELECT may stand here, not 'p1'.", 1, 1},
      {"SELECT a INTO b FROM t", errc::not_read_only, "SELECT INTO may not stand here: it makes a table.", 1, 10},
      {"SELECT @a = 1", errc::not_read_only, "A SELECT that assigns values to variables may not stand here.", 1, 8},
      {"WITH c AS (SELECT 1 AS a) DELETE FROM c", errc::not_read_only,
       "Only a SELECT may follow WITH here, not DELETE.", 1, 27},
      {"SELECT 1 EXCEPT ALL SELECT 2", errc::syntax, "The 'ALL' version of the EXCEPT operator is not supported.", 1,
       17},
  };
  for (const refusal& c : cases) {
    const auto tree = parse_query(c.sql);
    BOOST_TEST_REQUIRE(!tree.has_value(), c.sql);
    BOOST_TEST(name_of(tree.error().code) == name_of(c.code), c.sql);
    BOOST_TEST(tree.error().message == c.message);
    BOOST_TEST(tree.error().line == c.line, c.sql);
    BOOST_TEST(tree.error().column == c.column, c.sql);
  }
}

BOOST_AUTO_TEST_CASE(what_sql_server_refuses) {
  for (std::string_view sql : {"SELECT order FROM t",
                               "SELECT a FROM Order",
                               "SELECT t.view FROM t",
                               "SELECT a FROM (SELECT 1 AS a)",
                               "SELECT * FROM (t)",
                               "SELECT * FROM (t) AS x",
                               "SELECT a FROM t WHERE a IN ()",
                               "SELECT a FROM t ORDER BY",
                               "SELECT a FROM t GROUP BY",
                               "SELECT a, FROM t",
                               "SELECT FROM t",
                               "SELECT a FROM t JOIN u",
                               "SELECT a FROM t CROSS JOIN u ON 1 = 1",
                               "SELECT a FROM t WITH NOLOCK",
                               "SELECT a FROM t WITH (NOLOCKS)",

                               "SELECT TOP @n a",
                               "SELECT TOP a",
                               "SELECT a FROM t LIMIT 1",
                               "SELECT a FROM t OFFSET 1 ROWS",
                               "SELECT a FROM t WHERE a =* b",
                               "SELECT a FROM t OPTION RECOMPILE",
                               "SELECT a FROM t OPTION (FASTER)",
                               "SELECT a FROM t OPTION (KEEPFIXED)",
                               "SELECT a FROM t FOR UPDATE",
                               "SELECT a FROM t FOR XML",
                               "SELECT a WHERE (a, b) IN (SELECT 1, 2)",
                               "SELECT CASE END",
                               "SELECT CAST(a)",
                               "SELECT CAST(a AS int, b)",
                               "SELECT CONVERT(a)",
                               "SELECT COALESCE(a)",
                               "SELECT f(a b)",
                               "SELECT a.b.",
                               "SELECT .5.a",
                               "SELECT SUM(a) OVER (ROWS BETWEEN 1 AND 2)",
                               "SELECT a FROM t PIVOT (SUM(a) FOR b IN (1)) AS p",
                               "SELECT a FROM t PIVOT (SUM(a) FOR b IN ([1]))",
                               "SELECT a FROM t PIVOT (SUM(1) FOR b IN ([1])) AS p",
                               "WITH a AS SELECT 1 SELECT 1",
                               "WITH a AS (SELECT 1)",
                               "SELECT * FROM t NATURAL JOIN u",
                               "SELECT * FROM t JOIN u USING (i)",
                               "SELECT DISTINCT (*) FROM t",
                               "SELECT a AS",
                               "SELECT a FROM VALUES (1) AS t",
                               "SELECT a FROM (VALUES (1))",
                               "SELECT a FROM t COMPUTE SUM(a)",
                               "SELECT IDENTITY(int, 1, 1) AS i FROM t",
                               "(SELECT 1 ORDER BY 1)",
                               "SELECT a ORDER BY a UNION SELECT b",
                               "SELECT a FROM t ORDER BY a FETCH NEXT FROM c"}) {
    const auto tree = parse_query(sql);
    BOOST_TEST(!tree.has_value(), sql);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
