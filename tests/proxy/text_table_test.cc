#include "proxy/text_table.h"

#include <boost/test/unit_test.hpp>

using dragoman::proxy::display_width;
using dragoman::proxy::format_table;
using dragoman::proxy::text_table;

BOOST_AUTO_TEST_SUITE(grid)

BOOST_AUTO_TEST_CASE(width_is_what_a_terminal_shows) {
  BOOST_TEST(display_width("abc") == 3u);
  BOOST_TEST(display_width("تالار") == 5u);
  BOOST_TEST(display_width("سفارش\u200Cها") == 7u);  // the joiner takes nothing
  BOOST_TEST(display_width("مُهر") == 3u);            // a vowel sign sits on its letter
  BOOST_TEST(display_width("日本") == 4u);
}

BOOST_AUTO_TEST_CASE(columns_line_up) {
  text_table table{{"hall", "sales"}, {false, true}, {{"Steel", "12.50"}, {"Oil and Gas", "7.00"}}};
  BOOST_TEST(format_table(table, 10, 2) ==
             " hall        │ sales\n"
             "─────────────┼───────\n"
             " Steel       │ 12.50\n"
             " Oil and Gas │  7.00\n"
             " (2 rows)\n");
}

BOOST_AUTO_TEST_CASE(rows_beyond_the_maximum_are_counted) {
  text_table table{{"n"}, {true}, {{"1"}, {"2"}, {"3"}}};
  const std::string text = format_table(table, 2, 3);
  BOOST_TEST(text.find("(3 rows, the first 2 shown)") != std::string::npos);
  BOOST_TEST(text.find(" 3\n") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
