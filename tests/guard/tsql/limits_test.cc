// No input of any size or depth crashes, hangs or takes much memory: the limits answer first.
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <string>

#include "base/limits.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"
#include "guard/tsql/walk.h"

namespace {

using namespace dragoman;
using namespace dragoman::tsql;

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  out.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

BOOST_AUTO_TEST_SUITE(tsql_limits)

BOOST_AUTO_TEST_CASE(deep_and_long_texts_are_too_complex) {
  constexpr std::size_t many = 65'000;
  const std::string cases[] = {
      "SELECT " + repeated("(", many),
      "SELECT " + repeated("-", 1) + repeated(" -", many) + "1",
      "SELECT " + repeated("~", many) + "1",
      "SELECT 1 WHERE " + repeated("NOT ", many) + "1 = 1",
      "SELECT " + repeated("CASE WHEN 1 = 1 THEN ", many),
      "SELECT " + repeated("f(", many),
      "SELECT 1" + repeated(" + 1", many),
      "SELECT a" + repeated(" COLLATE b", many),
      "SELECT a" + repeated(".b()", many),
      repeated("SELECT (", many),
      "SELECT * FROM " + repeated("(", many),
      "SELECT * FROM a" + repeated(" CROSS JOIN b", many),
      "SELECT * FROM " + repeated("a JOIN ", many),
      "SELECT 1" + repeated(" UNION SELECT 1", many),
      repeated("(", many) + "SELECT 1",
      "SELECT 1" + repeated(", 1", many),
      "SELECT 1 WHERE 1 IN (1" + repeated(", 1", many) + ")",
      "SELECT 1 WHERE 1 = 1" + repeated(" OR 1 = 1", many),
      "SELECT {fn " + repeated("f({fn ", many),
      "WITH a AS " + repeated("(", many),
  };
  for (const std::string& text : cases) {
    const std::clock_t start = std::clock();  // processor time: the machine may be busy
    const auto tree = parse_query(text);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    BOOST_TEST_REQUIRE(!tree.has_value(), text.substr(0, 40));
    BOOST_TEST(name_of(tree.error().code) == "too_complex", text.substr(0, 40));
    BOOST_TEST(seconds < 1.0, text.substr(0, 40));
  }
  const std::string batch = repeated("IF 1 = 1 ", many) + "SELECT 1";
  BOOST_TEST(!parse_batch(batch).has_value());
  BOOST_TEST(!parse_batch(repeated("BEGIN ", many)).has_value());
}

BOOST_AUTO_TEST_CASE(what_people_write_is_within_the_limits) {
  const std::string cases[] = {
      "SELECT " + repeated("(", 100) + "1" + repeated(")", 100), "SELECT 1" + repeated(" + 1", 900),
      "SELECT 1 WHERE 1 IN (1" + repeated(", 1", 4000) + ")",    "SELECT 1 WHERE 1 = 1" + repeated(" OR 1 = 1", 5000),
      "SELECT 1" + repeated(" UNION ALL SELECT 1", 900),
  };
  for (const std::string& text : cases) {
    const auto tree = parse_query(text);
    BOOST_TEST_REQUIRE(tree.has_value(), text.substr(0, 40) << (tree ? "" : tree.error().message));
    select_statement copy = *tree;
    BOOST_TEST((copy == *tree));
    const auto again = parse_query(print(*tree));
    BOOST_TEST_REQUIRE(again.has_value());
    BOOST_TEST((*again == *tree));
  }
}

struct counter {
  std::size_t columns = 0;
  std::size_t queries = 0;
  bool enter(const column_ref&) {
    ++columns;
    return true;
  }
  bool enter(const query_expression&) {
    ++queries;
    return true;
  }
};

struct renamer {
  bool enter(expression& e) {
    if (auto* column = e.as<column_ref>()) column->name.value = "z";
    return true;
  }
};

BOOST_AUTO_TEST_CASE(a_walker_meets_every_node) {
  auto tree = parse_query(
      "WITH c AS (SELECT a FROM t) SELECT b, SUM(d) OVER (PARTITION BY e ORDER BY f), CASE g WHEN h THEN i END FROM c "
      "JOIN u ON j = k "
      "WHERE l IN (SELECT m FROM v WHERE n = o) GROUP BY ROLLUP(p) HAVING q > 1 ORDER BY r OFFSET s ROWS");
  BOOST_REQUIRE(tree.has_value());
  counter counted;
  walk(std::as_const(*tree), counted);
  BOOST_TEST(counted.columns == 18u);
  BOOST_TEST(counted.queries == 3u);
  renamer rename;
  walk(*tree, rename);
  BOOST_TEST(print(*tree).find(" z") != std::string::npos);
  BOOST_TEST(print(*tree).find(" l ") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
