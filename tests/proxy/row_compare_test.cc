#include "proxy/row_compare.h"

#include <boost/test/unit_test.hpp>

using dragoman::decimal;
using dragoman::null_value;
using dragoman::sql_value;
using dragoman::proxy::same_rows;
using dragoman::proxy::value_rows;

namespace {
sql_value text(const char* t) {
  return std::string(t);
}
sql_value whole(std::int64_t n) {
  return n;
}
sql_value exact(const char* t) {
  return *decimal::parse(t);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(rows_compared)

BOOST_AUTO_TEST_CASE(table) {
  struct {
    const char* name;
    value_rows a;
    value_rows b;
    bool ordered;
    bool same;
  } const cases[] = {
      {"equal", {{whole(1), text("a")}}, {{whole(1), text("a")}}, true, true},
      {"columns swapped", {{whole(1), text("a")}}, {{text("a"), whole(1)}}, true, true},
      {"rows swapped", {{whole(1)}, {whole(2)}}, {{whole(2)}, {whole(1)}}, false, true},
      {"rows swapped where it matters", {{whole(1)}, {whole(2)}}, {{whole(2)}, {whole(1)}}, true, false},
      {"another value", {{whole(1)}}, {{whole(2)}}, false, false},
      {"a row more", {{whole(1)}}, {{whole(1)}, {whole(1)}}, false, false},
      {"a row twice", {{whole(1)}, {whole(1)}, {whole(2)}}, {{whole(1)}, {whole(2)}, {whole(2)}}, false, false},
      {"a column more", {{whole(1)}}, {{whole(1), whole(1)}}, false, false},
      {"scale aside", {{exact("12.5000")}}, {{exact("12.5")}}, false, true},
      {"whole and decimal", {{whole(12)}}, {{exact("12.0000")}}, false, true},
      {"large and exact", {{exact("123456789012345.6700")}}, {{exact("123456789012345.67")}}, false, true},
      {"large and different", {{whole(12345678901)}}, {{whole(12345678902)}}, false, false},
      {"rounded by another formula", {{exact("0.1234567")}}, {{0.12345674}}, false, true},
      {"null is not zero", {{null_value{}}}, {{whole(0)}}, false, false},
      {"null is not the text NULL", {{null_value{}}}, {{text("NULL")}}, false, false},
      {"two columns of the same values, crossed",
       {{whole(1), whole(2)}, {whole(2), whole(1)}},
       {{whole(2), whole(1)}, {whole(1), whole(2)}},
       false,
       true},
      {"same columns, other pairs",
       {{whole(1), text("a")}, {whole(2), text("b")}},
       {{whole(1), text("b")}, {whole(2), text("a")}},
       false,
       false},
      {"both empty", {}, {}, true, true},
  };
  for (const auto& c : cases) BOOST_TEST_CONTEXT(c.name) {
      BOOST_TEST(same_rows(c.a, c.b, c.ordered) == c.same);
    }
}

BOOST_AUTO_TEST_SUITE_END()
