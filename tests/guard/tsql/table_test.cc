#include "tests/guard/tsql/round_trip.h"

namespace {

using namespace dragoman::tsql;
using namespace dragoman::tsql::testing;

// Each example is what stands behind FROM.
void check_tables(std::initializer_list<example> examples) {
  for (const example& e : examples) {
    const std::string expected(e.expected.empty() ? e.input : e.expected);
    BOOST_TEST(round_trip("SELECT 1 FROM " + std::string(e.input)) == "SELECT 1 FROM " + expected);
  }
}

BOOST_AUTO_TEST_SUITE(tsql_tables)

BOOST_AUTO_TEST_CASE(names_aliases_hints) {
  check_tables({
      {"t"},
      {"s.t AS x"},
      {"s.t x", "s.t AS x"},
      {"srv.db.s.t"},
      {"srv...t"},
      {"db..t, u AS y"},
      {"#t"},
      {"@t AS x"},
      {"[a b].[select]"},
      {"t WITH (NOLOCK)"},
      {"t (nolock)", "t WITH (NOLOCK)"},
      {"t (nolock) x", "t AS x WITH (NOLOCK)"},
      {"t AS x WITH (INDEX(i, 2), FORCESEEK(i (a, b)))", "t AS x WITH (INDEX(i, 2), FORCESEEK(i(a, b)))"},
      {"t x (tablock)", "t AS x WITH (TABLOCK)"},
      {"t WITH (NOLOCK READPAST)", "t WITH (NOLOCK, READPAST)"},
      {"t WITH (INDEX = i)", "t WITH (INDEX(i))"},
      {"t WITH (1)", "t WITH (INDEX(1))"},
      {"t WITH (INDEX = (i))", "t WITH (INDEX(i))"},
      {"t HOLDLOCK", "t WITH (HOLDLOCK)"},
      {"t WITH (SPATIAL_WINDOW_MAX_CELLS = 512)"},
      {"t FOR SYSTEM_TIME AS OF '2024-01-01' AS x"},
      {"t FOR SYSTEM_TIME BETWEEN @a AND @b"},
      {"t FOR SYSTEM_TIME FROM @a TO @b"},
      {"t FOR SYSTEM_TIME CONTAINED IN (@a, @b)"},
      {"t FOR SYSTEM_TIME ALL AS x WITH (NOLOCK)"},
      {"t TABLESAMPLE SYSTEM (10 PERCENT) REPEATABLE (5)"},
      {"t TABLESAMPLE (100 ROWS) x", "t AS x TABLESAMPLE (100 ROWS)"},
      {"t FOR PATH AS x"},
  });
}

BOOST_AUTO_TEST_CASE(joins) {
  check_tables({
      {"a JOIN b ON a.i = b.i", "a INNER JOIN b ON a.i = b.i"},
      {"a LEFT OUTER JOIN b ON 1 = 1", "a LEFT JOIN b ON 1 = 1"},
      {"a FULL JOIN b ON 1 = 1 RIGHT JOIN c ON 2 = 2"},
      {"a INNER HASH JOIN b ON 1 = 1"},
      {"a INNER LOOP JOIN b ON 1 = 1"},
      {"a CROSS JOIN b CROSS APPLY f(a.i) AS g OUTER APPLY (SELECT 1 AS x) AS h"},
      {"a JOIN b JOIN c ON 1 = 1 ON 2 = 2", "a INNER JOIN (b INNER JOIN c ON 1 = 1) ON 2 = 2"},
      {"a LEFT JOIN (b INNER JOIN c ON 1 = 1) ON 2 = 2"},
      {"(a INNER JOIN b ON 1 = 1) INNER JOIN c ON 2 = 2", "a INNER JOIN b ON 1 = 1 INNER JOIN c ON 2 = 2"},
      {"((a CROSS JOIN b))", "a CROSS JOIN b"},
      {"a CROSS JOIN (b CROSS JOIN c)"},
      {"{oj a LEFT OUTER JOIN b ON 1 = 1}", "a LEFT JOIN b ON 1 = 1"},
      {"a, b INNER JOIN c ON 1 = 1, d"},
      {"a LEFT JOIN b CROSS JOIN c ON 1 = 1", "a LEFT JOIN (b CROSS JOIN c) ON 1 = 1"},
  });
}

BOOST_AUTO_TEST_CASE(derived_tables) {
  check_tables({
      {"(SELECT 1 AS a) x", "(SELECT 1 AS a) AS x"},
      {"(SELECT 1) AS x (a)"},
      {"((SELECT 1 AS a)) AS x", "(SELECT 1 AS a) AS x"},
      {"(VALUES (1, 'a'), (2, NULL)) AS v (x, y)"},
      {"((SELECT 1 AS a) UNION (SELECT 2)) AS x", "(SELECT 1 AS a UNION SELECT 2) AS x"},
      {"((SELECT 1 AS a) AS x CROSS JOIN t)", "(SELECT 1 AS a) AS x CROSS JOIN t"},
      {"(((SELECT 1 AS a) UNION SELECT 2) AS x INNER JOIN t ON 1 = 1)",
       "(SELECT 1 AS a UNION SELECT 2) AS x INNER JOIN t ON 1 = 1"},
      {"(SELECT a FROM t ORDER BY a OFFSET 1 ROWS) AS x"},
  });
}

BOOST_AUTO_TEST_CASE(pivots) {
  check_tables({
      {"t PIVOT (SUM(a) FOR b IN ([1], [2])) AS p"},
      {"t UNPIVOT (v FOR n IN (a, t.b)) AS u"},
      {"a INNER JOIN b ON 1 = 1 PIVOT (dbo.g(x, y) FOR b.z IN (c)) AS p"},
      {"a CROSS JOIN (b PIVOT (SUM(x) FOR y IN (c)) AS p)"},
      {"a INNER JOIN (b UNPIVOT (v FOR n IN (c)) AS u) ON 1 = 1"},
  });
}

BOOST_AUTO_TEST_CASE(functions) {
  check_tables({
      {"STRING_SPLIT('a,b', ',', 1) AS s"},
      {"GENERATE_SERIES(1, 10)"},
      {"dbo.f(1, DEFAULT) AS x (a, b)"},
      {"@x.nodes('/a') AS t (c)"},
      {"t CROSS APPLY t.c.nodes('/a') AS n (x)"},
      {"OPENJSON(@j, '$.a') WITH (id int '$.id', d nvarchar(max) AS JSON, n int) AS j"},
      {"OPENJSON(@j)"},
      {"::fn_helpcollations()", "sys.fn_helpcollations()"},
      {"s.f([nolock]) AS x"},
      {"::f(tablock)", "sys.f([tablock])"},
      {"OPENXML(@h, '/a', 1) WITH (i int '@i') AS x"},
      {"OPENXML(@h, '/a') WITH s.t"},
      {"OPENQUERY(srv, 'SELECT 1') AS q"},
      {"OPENDATASOURCE('p', 'c').d.s.t AS o"},
      {"OPENROWSET('p', 's';'u';'w', d.s.t) AS r"},
      {"OPENROWSET('p', 'c', 'SELECT 1') AS r"},
      {"OPENROWSET(sysx, $1, -2)"},
      {"OPENROWSET(BULK 'f', SINGLE_CLOB) AS r"},
      {"OPENROWSET(BULK 'f', ORDER (a, b DESC) UNIQUE) AS r"},
      {"OPENROWSET(BULK 'f', FORMAT = 'CSV') WITH (a int 1) AS r (x)"},
      {"CONTAINSTABLE(t, (a, b), 'x', LANGUAGE 1033, 5) AS c"},
      {"FREETEXTTABLE(t, *, @q)"},
      {"SEMANTICKEYPHRASETABLE(t, (a), @k)"},
      {"CHANGETABLE(CHANGES t, @v) AS c"},
      {"CHANGETABLE(VERSION t, (i), (1)) AS c"},
      {"PREDICT(MODEL = @m, DATA = t AS d) WITH (s float) AS p"},
      {"VECTOR_SEARCH(TABLE = t AS a, COLUMN = e, SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 10) AS s"},
      {"AI_GENERATE_CHUNKS(SOURCE = a, CHUNK_TYPE = FIXED, CHUNK_SIZE = 100) AS c"},
      {"[predict](1) AS x"},
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
