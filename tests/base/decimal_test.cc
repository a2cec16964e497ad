#include "base/decimal.h"

#include <boost/test/unit_test.hpp>

using namespace dragoman;

namespace {

using operation = std::optional<decimal> (*)(const decimal&, const decimal&) noexcept;

decimal typed(const char* text, int precision, int scale) {
  return decimal::parse(text).value().rescale(precision, scale).value();
}

std::string shown(const std::optional<decimal>& d) {
  if (!d) return "overflow";
  return d->to_string() + " (" + std::to_string(d->precision) + "," + std::to_string(d->scale) + ")";
}

const char* const largest = "99999999999999999999999999999999999999";

}  // namespace

BOOST_AUTO_TEST_SUITE(decimals)

BOOST_AUTO_TEST_CASE(text) {
  const struct {
    const char* in;
    const char* out;
  } table[] = {
      {"0", "0 (1,0)"},         {"-0", "0 (1,0)"},          {"7.", "7 (1,0)"},
      {".5", "0.5 (1,1)"},      {"-12.50", "-12.50 (4,2)"}, {"  3.1 ", "3.1 (2,1)"},
      {"0.001", "0.001 (3,3)"}, {"007", "7 (1,0)"},         {largest, "99999999999999999999999999999999999999 (38,0)"},
  };
  for (const auto& row : table) BOOST_TEST(shown(decimal::parse(row.in)) == row.out);
  for (const char* bad : {"", ".", "-", "1e5", "1.2.3", "12a", "1 2", "999999999999999999999999999999999999999"})
    BOOST_TEST(!decimal::parse(bad).has_value());
}

BOOST_AUTO_TEST_CASE(arithmetic_follows_the_manual) {
  const struct {
    operation run;
    decimal a, b;
    const char* out;
  } table[] = {
      {add, typed("1.25", 5, 2), typed("2.5", 4, 1), "3.75 (6,2)"},
      {subtract, typed("1.25", 5, 2), typed("2.5", 4, 1), "-1.25 (6,2)"},
      {subtract, typed("2.50", 5, 2), typed("2.5", 4, 1), "0.00 (6,2)"},
      {multiply, typed("12.345", 18, 3), typed("100.25", 18, 2), "1237.58625 (37,5)"},
      {multiply, typed("1237.58625", 37, 5), typed("0.0500", 5, 4), "61.879313 (38,6)"},  // scale cut, rounded
      {multiply, typed("-1.5", 2, 1), typed("1.5", 2, 1), "-2.25 (5,2)"},
      {divide, typed("2.0", 2, 1), typed("3", 1, 0), "0.666666 (7,6)"},  // cut, not rounded
      {divide, typed("1", 10, 0), typed("3", 10, 0), "0.33333333333 (21,11)"},
      {divide, typed("10.0000", 38, 4), typed("4.000", 38, 3), "2.500000 (38,6)"},
      {divide, typed("-7", 1, 0), typed("2", 1, 0), "-3.500000 (7,6)"},
      {modulo, typed("7.5", 3, 1), typed("2", 1, 0), "1.5 (2,1)"},
      {modulo, typed("-7.5", 3, 1), typed("2", 1, 0), "-1.5 (2,1)"},
      {divide, typed("1", 1, 0), typed("0", 1, 0), "overflow"},
      {modulo, typed("1", 1, 0), typed("0", 1, 0), "overflow"},
      {add, decimal::parse(largest).value(), decimal::from_int(1), "overflow"},
      {multiply, decimal::parse(largest).value(), decimal::from_int(10), "overflow"},
      {multiply, decimal::parse("12345678901234567890").value(), decimal::parse("98765432109876543").value(),
       "1219326311370217949644871231852004270 (38,0)"},
  };
  for (const auto& row : table) BOOST_TEST(shown(row.run(row.a, row.b)) == row.out);
}

// 128-bit operands whose product needs 256 bits before its scale is cut.
BOOST_AUTO_TEST_CASE(wide_intermediates) {
  const decimal a = decimal::parse("1234567890.1234567890123456789012345678").value();
  const decimal b = decimal::parse("0.9999999999999999999999999999999999").value();
  BOOST_TEST(shown(multiply(a, b)) == "1234567890.123456789012345678901234444 (38,27)");
  const decimal tiny = decimal::parse("0.00000000000000000000000000000000000003").value();
  BOOST_TEST(multiply(tiny, tiny)->to_string().find_first_not_of("0.") == std::string::npos);
  const decimal one = typed("1", 38, 20);
  BOOST_TEST(divide(one, typed("3", 38, 20))->to_string() == "0.333333");
  BOOST_TEST(divide_to(typed("1", 38, 0), typed("7", 38, 0), {38, 37})->to_string() ==
             "0.1428571428571428571428571428571428571");
}

BOOST_AUTO_TEST_CASE(rescale_rounds_half_away_from_zero) {
  BOOST_TEST(shown(typed("2.5", 2, 1).rescale(1, 0)) == "3 (1,0)");
  BOOST_TEST(shown(typed("-2.5", 2, 1).rescale(1, 0)) == "-3 (1,0)");
  BOOST_TEST(shown(typed("2.4", 2, 1).rescale(1, 0)) == "2 (1,0)");
  BOOST_TEST(shown(typed("2.9", 2, 1).truncate(1, 0)) == "2 (1,0)");
  BOOST_TEST(shown(typed("9.9", 2, 1).rescale(1, 0)) == "overflow");
  BOOST_TEST(shown(typed("-0.4", 2, 1).rescale(1, 0)) == "0 (1,0)");
}

BOOST_AUTO_TEST_CASE(sums_are_exact) {
  decimal sum = typed("0", 38, 4);
  const decimal value = typed("99999999999999.9999", 19, 4);
  for (int i = 0; i < 100000; ++i) sum = accumulate(sum, value).value();
  BOOST_TEST(shown(sum) == "9999999999999999990.0000 (38,4)");
}

BOOST_AUTO_TEST_CASE(ordering_ignores_scale) {
  BOOST_TEST((compare(typed("1.50", 5, 2), typed("1.5", 2, 1)) == 0));
  BOOST_TEST((compare(typed("-2", 1, 0), typed("1.5", 2, 1)) < 0));
  BOOST_TEST((compare(decimal::parse(largest).value(), typed("0.1", 38, 37)) > 0));
  BOOST_TEST((compare(typed("-2", 1, 0), typed("-1.5", 2, 1)) < 0));
}

BOOST_AUTO_TEST_CASE(other_number_types) {
  BOOST_TEST(shown(decimal::from_double(0.1, 10, 3)) == "0.100 (10,3)");
  BOOST_TEST(shown(decimal::from_double(-1234.5678, 18, 2)) == "-1234.57 (18,2)");
  BOOST_TEST(shown(decimal::from_double(1e20, 38, 2)) == "100000000000000000000.00 (38,2)");
  BOOST_TEST(shown(decimal::from_double(1e20, 18, 2)) == "overflow");
  BOOST_TEST(shown(decimal::from_double(1e-300, 18, 2)) == "0.00 (18,2)");
  BOOST_TEST(typed("-1234.5", 10, 2).to_double() == -1234.5);
  BOOST_TEST(typed("-7.9", 10, 1).to_int().value() == -7);
  BOOST_TEST(!decimal::parse("9223372036854775808").value().to_int().has_value());
  BOOST_TEST(decimal::parse("-9223372036854775808").value().to_int().value() == INT64_MIN);
  BOOST_TEST(decimal::from_int(INT64_MIN).to_string() == "-9223372036854775808");
}

BOOST_AUTO_TEST_SUITE_END()
