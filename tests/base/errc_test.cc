#include "base/errc.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "base/result.h"

namespace dragoman {
namespace {

constexpr auto first = errc::syntax;
constexpr auto last = errc::internal;

BOOST_AUTO_TEST_SUITE(errc_table)

BOOST_AUTO_TEST_CASE(every_code_has_a_name_and_a_relayable_severity) {
  std::set<std::string> names;
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    const reason r = reason_of(static_cast<errc>(i));
    BOOST_TEST(!r.code.empty());
    BOOST_TEST(r.number > 0);
    // 20 and above make a client drop its connection.
    BOOST_TEST((r.severity >= 11 && r.severity <= 19), r.code << " has severity " << int{r.severity});
    BOOST_TEST(names.insert(std::string(r.code)).second, r.code << " is named twice");
  }
}

BOOST_AUTO_TEST_CASE(numbers_are_those_of_the_documented_surface) {
  BOOST_TEST(reason_of(errc::unknown_table).number == 208);
  BOOST_TEST(reason_of(errc::denied_column).number == 230);
  BOOST_TEST(reason_of(errc::not_read_only).number == 50110);
  BOOST_TEST(reason_of(errc::upstream_unavailable).number == 50131);
  BOOST_TEST(reason_of(errc::upstream_unavailable).severity == 17);
  BOOST_TEST(reason_of(errc::no_model).number == 50143);
  BOOST_TEST(reason_of(errc::login_failed).number == 18456);
}

BOOST_AUTO_TEST_CASE(a_failure_keeps_the_upstreams_own_number) {
  failure f(errc::upstream_error, "Divide by zero error encountered.");
  BOOST_TEST(f.error_number() == 50135);
  f.number = 8134;
  BOOST_TEST(f.error_number() == 8134);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace dragoman
