// What every test of the parser asserts along with its own point: the print of a tree is a fixed point, and canonical
// form, house layout and both settings of QUOTED_IDENTIFIER give the same tree back.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::tsql::testing {

struct example {
  std::string_view input;
  std::string_view expected;  // canonical print; empty: the same as the input
};

// The canonical print of a query, or "error: …".
inline std::string round_trip(std::string_view sql, const parse_options& options = {}) {
  const auto tree = parse_query(sql, options);
  if (!tree) return "error: " + tree.error().message;
  const std::string printed = print(*tree);
  for (const bool quoted_identifier : {true, false}) {
    const auto again = parse_query(printed, {.quoted_identifier = quoted_identifier});
    BOOST_TEST_REQUIRE(again.has_value(), printed << ": " << (again ? "" : again.error().message));
    BOOST_TEST((*again == *tree), "another tree from " << printed);
    BOOST_TEST(print(*again) == printed);
  }
  const std::string pretty = print_pretty(*tree);
  const auto from_pretty = parse_query(pretty);
  BOOST_TEST_REQUIRE(from_pretty.has_value(), pretty);
  BOOST_TEST((*from_pretty == *tree), "another tree from " << pretty);
  return printed;
}

inline void check_examples(std::initializer_list<example> examples) {
  for (const example& e : examples) {
    BOOST_TEST(round_trip(e.input) == (e.expected.empty() ? e.input : e.expected));
  }
}

// Expressions are tried as the only item of a SELECT, conditions as its WHERE.
inline void check_values(std::initializer_list<example> examples) {
  for (const example& e : examples) {
    const std::string expected(e.expected.empty() ? e.input : e.expected);
    BOOST_TEST(round_trip("SELECT " + std::string(e.input)) == "SELECT " + expected);
  }
}

inline void check_conditions(std::initializer_list<example> examples) {
  for (const example& e : examples) {
    const std::string expected(e.expected.empty() ? e.input : e.expected);
    BOOST_TEST(round_trip("SELECT 1 FROM t WHERE " + std::string(e.input)) == "SELECT 1 FROM t WHERE " + expected);
  }
}

}  // namespace dragoman::tsql::testing
