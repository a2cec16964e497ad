#include "guard/tsql/build.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "guard/tsql/parse_lines.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace {

using namespace dragoman::tsql;

BOOST_AUTO_TEST_SUITE(tsql_build)

BOOST_AUTO_TEST_CASE(a_built_query_prints_and_parses_to_itself) {
  std::vector<select_item> items;
  items.push_back(make_item(make_column("o", "Status"), "status"));
  std::vector<expression> price;
  price.push_back(make_column("o", "Price"));
  items.push_back(make_item(make_call("SUM", std::move(price)), "total price"));
  items.push_back(make_item(make_count_star()));
  std::vector<table_source> from;
  from.push_back(make_join(join_kind::left, make_table(make_name("sales", "Order"), "o"),
                           make_table(make_name("ref", "Ring"), "r"),
                           make_equal(make_column("o", "RingID"), make_column("r", "RingID"))));
  query_expression query = make_select(std::move(items), std::move(from));
  std::vector<expression> conditions;
  conditions.push_back(make_like(make_column("r", "Name"), make_string("it's %")));
  conditions.push_back(
      make_between(make_column("o", "Day"), make_int(-5), make_int(std::numeric_limits<std::int64_t>::min())));
  conditions.push_back(make_not(make_is_null(make_cast(make_decimal("-1.5"), make_type("decimal", {"9", "2"})))));
  query.specification()->where = make_and(std::move(conditions));
  query.specification()->top = make_top(10);
  group_by_clause group;
  group.elements.push_back(make_grouping(make_column("o", "Status")));
  query.specification()->group_by = std::move(group);
  query.order_by.push_back(make_order(make_column("total price"), true));
  select_statement statement;
  statement.query = std::move(query);
  const std::string printed = print(statement);
  BOOST_TEST(printed ==
             "SELECT TOP (10) o.Status AS status, SUM(o.Price) AS [total price], COUNT(*) FROM sales.[Order] AS o LEFT "
             "JOIN ref.Ring AS r ON "
             "o.RingID = r.RingID WHERE r.Name LIKE N'it''s %' AND o.Day BETWEEN -5 AND -9223372036854775808 AND NOT "
             "CAST(-1.5 AS decimal(9, "
             "2)) IS NULL GROUP BY o.Status ORDER BY [total price] DESC");
  const auto parsed = parse_query(printed);
  BOOST_REQUIRE(parsed.has_value());
  BOOST_TEST((*parsed == statement));
}

BOOST_AUTO_TEST_CASE(no_conditions_make_no_clause) {
  BOOST_TEST(!make_and({}));
  std::vector<expression> one;
  one.push_back(make_equal(make_int(1), make_null()));
  BOOST_TEST(print(*make_or(std::move(one))) == "1 = NULL");
}

BOOST_AUTO_TEST_CASE(quoting) {
  BOOST_TEST(quote_identifier("a") == "a");
  BOOST_TEST(quote_identifier("Order") == "[Order]");
  BOOST_TEST(quote_identifier("a]b") == "[a]]b]");
  BOOST_TEST(quote_identifier("") == "[]");
  BOOST_TEST(quote_string("it's", false) == "'it''s'");
}

BOOST_AUTO_TEST_CASE(lines_of_the_parse_command) {
  BOOST_TEST(parse_line("7\tselect\\n'\\\\ \\t'\tignored") == "7\tok\tSELECT '\\\\ \\t'");
  BOOST_TEST(parse_line("8\tselect a from") ==
             "8\terror\tIncorrect syntax near the keyword 'from'. (line 1, column 14)");
  BOOST_TEST(parse_line("9") == "9\terror\tThe statement is empty. (line 1, column 1)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
