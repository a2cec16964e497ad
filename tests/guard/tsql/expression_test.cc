#include "tests/guard/tsql/round_trip.h"

namespace {

using namespace dragoman;
using namespace dragoman::tsql;
using namespace dragoman::tsql::testing;

BOOST_AUTO_TEST_SUITE(tsql_expressions)

BOOST_AUTO_TEST_CASE(literals) {
  check_values({
      {"1"},
      {"007"},
      {"1."},
      {".5"},
      {"1e3"},
      {"1E+"},
      {"0x"},
      {"0xaBc"},
      {"NULL"},
      {"null", "NULL"},
      {"'it''s'"},
      {"n'x'", "N'x'"},
      {"$1.5"},
      {"$ -2", "$-2"},
      {"12345678901234567890123"},
      {"{d '2024-01-31'}"},
      {"{ t '10:00' }", "{t '10:00'}"},
      {"{ts N'2024-01-31 10:00:00'}"},
      {"{guid 'x'}"},
  });
}

BOOST_AUTO_TEST_CASE(names_are_quoted_when_they_must) {
  check_values({
      {"[a]", "a"},
      {"\"a\"", "a"},
      {"[a b]"},
      {"[select]"},
      {"[a]]b]"},
      {"[1a]"},
      {"[Offset]"},
      {"[date]", "date"},
      {"t.[Order]"},
      {"db..t.c"},
      {"..t.c", "t.c"},
      {"s.d.o.t.c"},
      {"[\xD9\x86]"},
      {"\xD9\x86", "[\xD9\x86]"},
      {"t.$identity", "t.$IDENTITY"},
      {"IDENTITYCOL", "$IDENTITY"},
      {"rowguidcol", "$ROWGUID"},
      {"[@x]"},
      {"[#x]", "#x"},
      {"@x"},
      {"@@ROWCOUNT"},
  });
}

BOOST_AUTO_TEST_CASE(operators_keep_their_tree) {
  check_values({
      {"1 + 2 * 3"},
      {"(1 + 2) * 3"},
      {"1 - (2 - 3)"},
      {"(1 - 2) - 3", "1 - 2 - 3"},
      {"1-2", "1 - 2"},
      {"- -1"},
      {"-(-1)", "- -1"},
      {"a - -b"},
      {"-(a + b)"},
      {"~a & b | c ^ d"},
      {"a & (b | c)"},
      {"+a"},
      {"a || b || 'c'"},
      {"a << 2 + b"},
      {"a << (2 + b)"},
      {"-a * b"},
      {"-(a * b)"},
      {"((a))", "a"},
      {"a % b / c"},
      {"a COLLATE Latin1_General_CI_AS"},
      {"(a + b) COLLATE Persian_100_CI_AI"},
      {"-a COLLATE x"},
      {"a AT TIME ZONE 'UTC' AT TIME ZONE @z"},
      {"(a + b) AT TIME ZONE 'UTC'"},
      {"a AT TIME ZONE (b AT TIME ZONE 'c')"},
  });
}

BOOST_AUTO_TEST_CASE(conditions) {
  check_conditions({
      {"a = 1"},
      {"a != 1", "a <> 1"},
      {"a !< 1", "a >= 1"},
      {"a !> 1", "a <= 1"},
      {"a < = 1", "a <= 1"},
      {"a < > 1", "a <> 1"},
      {"a = 1 AND b = 2 OR c = 3"},
      {"a = 1 AND (b = 2 OR c = 3)"},
      {"(a = 1 AND b = 2) OR c = 3", "a = 1 AND b = 2 OR c = 3"},
      {"(a = 1 AND b = 2) AND c = 3"},
      {"NOT a = 1"},
      {"NOT (a = 1 AND b = 2)"},
      {"NOT NOT a = 1"},
      {"(NOT a = 1) AND b = 2", "NOT a = 1 AND b = 2"},
      {"((a = 1))", "a = 1"},
      {"a IS NULL AND b IS NOT NULL"},
      {"a IS DISTINCT FROM b"},
      {"a IS NOT DISTINCT FROM NULL"},
      {"a BETWEEN 1 AND 2 AND b NOT BETWEEN c + 1 AND d"},
      {"a IN (1, 'x', NULL)"},
      {"a NOT IN (SELECT b FROM u)"},
      {"a IN ((SELECT b FROM u))", "a IN (SELECT b FROM u)"},
      {"a IN ((SELECT 1), 2)"},
      {"a IN ((1))", "a IN (1)"},
      {"a IN ((SELECT 1) UNION SELECT 2)", "a IN (SELECT 1 UNION SELECT 2)"},
      {"a IN ((SELECT 1) + 1)"},
      {"a LIKE 'x%'"},
      {"a NOT LIKE '50!%' ESCAPE '!'"},
      {"a LIKE 'x' {ESCAPE '\\'}", "a LIKE 'x' ESCAPE '\\'"},
      {"EXISTS (SELECT 1)"},
      {"NOT EXISTS ((SELECT 1))", "NOT EXISTS (SELECT 1)"},
      {"a > ALL (SELECT b FROM u)"},
      {"a = SOME (SELECT 1)", "a = ANY (SELECT 1)"},
      {"a IS NOT DISTINCT FROM ANY (SELECT 1)"},
      {"(a) = 1", "a = 1"},
      {"(a + 1) > (SELECT 1)", "a + 1 > (SELECT 1)"},
      {"(a = 1 OR b = 2) AND NOT (c = 3)", "(a = 1 OR b = 2) AND NOT c = 3"},
      {"REGEXP_LIKE(a, '^x') AND b = 1"},
      {"CONTAINS((a, b), 'x')"},
      {"CONTAINS(*, N'x', LANGUAGE 1033)"},
      {"FREETEXT(a, @q)", "FREETEXT((a), @q)"},
      {"CONTAINS(t.*, 'x')"},
      {"CONTAINS(PROPERTY(a, 'Title'), 'x')"},
      {"MATCH(p-(f)->q)"},
      {"MATCH(p<-(f)-q-(g)->r AND p-(h)->r)"},
      {"MATCH(SHORTEST_PATH(p(-(f)->q)+))"},
      {"MATCH(SHORTEST_PATH((q-(f)->){1,3}p) AND LAST_NODE(q) = LAST_NODE(r))"},
  });
}

BOOST_AUTO_TEST_CASE(case_and_conversions) {
  check_values({
      {"CASE a WHEN 1 THEN 'x' ELSE 'y' END"},
      {"CASE WHEN a = 1 OR b = 2 THEN 1 WHEN c IS NULL THEN 2 END"},
      {"CAST(a AS decimal(18, 4))"},
      {"TRY_CAST(a AS DATE)"},
      {"CONVERT(varchar(10), a, 120)"},
      {"TRY_CONVERT(int, a)"},
      {"PARSE('1' AS money USING 'fa-IR')"},
      {"TRY_PARSE('1' AS int)"},
      {"CAST(a AS nvarchar(MAX))", "CAST(a AS nvarchar(max))"},
      {"CAST(a AS double precision)", "CAST(a AS float)"},
      {"CAST(a AS national character varying(5))", "CAST(a AS nvarchar(5))"},
      {"CAST(a AS char varying(3))", "CAST(a AS varchar(3))"},
      {"CAST(a AS xml(CONTENT s.c))"},
      {"CAST(a AS xml(c))"},
      {"CAST(a AS dbo.t)"},
      {"CAST(a AS vector(3, float16))"},
      {"CAST(a AS [date])", "CAST(a AS date)"},
  });
}

BOOST_AUTO_TEST_CASE(calls) {
  check_values({
      {"f()"},
      {"dbo.f(1, DEFAULT)"},
      {"db..f(1)"},
      {"[f](DEFAULT)"},
      {"COUNT(*)"},
      {"count(DISTINCT a)"},
      {"SUM(ALL a)"},
      {"dbo.g(DISTINCT a, b)"},
      {"COALESCE(a, b)"},
      {"NULLIF(a, b)"},
      {"LEFT(a, 2)"},
      {"right(a, 2)"},
      {"IIF(a = 1 OR b = 2, 'x', 'y')"},
      {"CHOOSE(1, a, b)"},
      {"TRIM(a)"},
      {"TRIM(' x' FROM a)"},
      {"TRIM(LEADING 'x' FROM a)"},
      {"TRIM(BOTH leading FROM trailing)"},
      {"TRIM(leading)"},
      {"DATEADD(day, -1, a)"},
      {"DATEPART(weekday, GETDATE())"},
      {"CURRENT_TIMESTAMP"},
      {"user", "USER"},
      {"STRING_AGG(a, ',') WITHIN GROUP (ORDER BY b DESC, c)"},
      {"PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) OVER (PARTITION BY b)"},
      {"FIRST_VALUE(a) IGNORE NULLS OVER (ORDER BY b)"},
      {"LAG(a, 1, 0) RESPECT NULLS OVER (ORDER BY b)"},
      {"SUM(a) OVER ()"},
      {"SUM(a) OVER w"},
      {"SUM(a) OVER (w ORDER BY b)"},
      {"SUM(a) OVER (PARTITION BY b, c ORDER BY d DESC ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING)"},
      {"SUM(a) OVER (ORDER BY b RANGE UNBOUNDED PRECEDING)"},
      {"SUM(a) OVER (ORDER BY b ROWS CURRENT ROW)"},
      {"JSON_OBJECT('a': 1, b: c NULL ON NULL)"},
      {"JSON_OBJECT()"},
      {"JSON_ARRAY(1, NULL ABSENT ON NULL)"},
      {"JSON_ARRAY(NULL ON NULL)"},
      {"JSON_OBJECTAGG(a: b)"},
      {"JSON_ARRAYAGG(a ORDER BY b DESC)"},
      {"JSON_VALUE(a, '$.x' RETURNING int)"},
      {"JSON_QUERY(a, '$' WITH ARRAY WRAPPER)"},
      {"{fn UCASE(a)}"},
      {"{fn EXTRACT(HOUR FROM a)}"},
      {"{fn CURRENT_TIMESTAMP}"},
      {"{fn CONVERT(a, SQL_INTEGER)}"},
      {"a.b.value('(/x)[1]', 'int')"},
      {"@x.query('/a')"},
      {"(SELECT a).value('/x', 'int')"},
      {"f(a).g(b).c"},
      {"(a).b()"},
      {"(a + b).ToString()"},
      {"geography::Point(1, 2, 4326)"},
      {"geography::Point(1, 2, 4326).Lat"},
      {"s.t::x"},
      {"$PARTITION.f(a)"},
      {"db.$PARTITION.f(a, b)"},
      {"NEXT VALUE FOR s.q"},
      {"NEXT VALUE FOR q OVER (ORDER BY a)"},
      {"AI_GENERATE_EMBEDDINGS(a USE MODEL m)"},
      {"[cast](a)"},
      {"[IIF](a, b, c)"},
      {"[trim](a)", "trim(a)"},
      {"[count](a)", "count(a)"},
      {"next"},
      {"value"},
  });
}

BOOST_AUTO_TEST_CASE(a_condition_is_no_value_and_a_value_no_condition) {
  for (std::string_view sql :
       {"SELECT a = b + 1 > 2", "SELECT (a = 1)", "SELECT a IS NULL", "SELECT 1 WHERE a", "SELECT 1 WHERE (a)",
        "SELECT 1 WHERE a AND b = 1", "SELECT IIF(a, 1, 2)", "SELECT CASE WHEN a THEN 1 END", "SELECT 1 WHERE NOT a",
        "SELECT 1 WHERE a = b = c", "SELECT EXISTS (SELECT 1)", "SELECT f(a = 1)", "SELECT NOT 1",
        "SELECT 1 WHERE a = NOT b"}) {
    BOOST_TEST(!parse_query(sql).has_value(), sql);
  }
}

BOOST_AUTO_TEST_CASE(single_expressions_types_and_names) {
  const auto filter = parse_expression("LocationID IN (1, 2) AND BrokerID = @broker");
  BOOST_REQUIRE(filter.has_value());
  BOOST_TEST(is_predicate(*filter));
  BOOST_TEST(print(*filter) == "LocationID IN (1, 2) AND BrokerID = @broker");
  const auto formula = parse_expression("SUM(Price * Quantity)");
  BOOST_REQUIRE(formula.has_value());
  BOOST_TEST(!is_predicate(*formula));
  BOOST_TEST(!parse_expression("a b").has_value());
  BOOST_TEST(!parse_expression("").has_value());
  BOOST_TEST(print(parse_data_type("Decimal ( 18 , 4 )").value()) == "Decimal(18, 4)");
  BOOST_TEST(!parse_data_type("int; DROP TABLE t").has_value());
  BOOST_TEST(print(parse_object_name("SalesDb..[Order]").value()) == "SalesDb..[Order]");
  BOOST_TEST(!parse_object_name("a.b.c.d.e").has_value());
  const auto parameters = parse_parameters("@p int, @q nvarchar(40) = N'x' OUTPUT, @t dbo.tt READONLY");
  BOOST_REQUIRE(parameters.has_value());
  BOOST_TEST(parameters->size() == 3u);
  BOOST_TEST((*parameters)[1].name == "@q");
  BOOST_TEST(parse_parameters("").value().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
