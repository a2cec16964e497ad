#include "base/secret.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <sstream>

namespace dragoman {
namespace {

BOOST_AUTO_TEST_SUITE(secrets)

BOOST_AUTO_TEST_CASE(prints_as_stars_everywhere) {
  const secret password("Dragoman1!");
  std::ostringstream out;
  out << password;
  BOOST_TEST(out.str() == "***");
  BOOST_TEST(fmt::format("password={}", password) == "password=***");
}

BOOST_AUTO_TEST_CASE(equals_only_the_same_text) {
  const secret password("Dragoman1!");
  BOOST_TEST(password.equals("Dragoman1!"));
  BOOST_TEST(!password.equals("Dragoman1?"));
  BOOST_TEST(!password.equals("Dragoman1!Dragoman1!"));
  BOOST_TEST(!password.equals(""));
  BOOST_TEST(secret().equals(""));
}

BOOST_AUTO_TEST_CASE(a_moved_from_secret_is_empty) {
  secret from("short");
  const secret to = std::move(from);
  BOOST_TEST(from.empty());
  BOOST_TEST(to.reveal() == "short");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace dragoman
