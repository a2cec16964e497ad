// Passwords and the store of logins: nothing that was given can be read back.
#include <boost/test/unit_test.hpp>

#include "proxy/key_store.h"
#include "proxy/password.h"
#include "tests/proxy/scratch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::read_all;
using dragoman::proxy::test::scratch;

BOOST_AUTO_TEST_SUITE(logins)

BOOST_AUTO_TEST_CASE(a_digest_fits_its_password_only) {
  const auto digest = make_password_digest(secret("رمز Dragoman1!"));
  BOOST_REQUIRE(digest.has_value());
  BOOST_TEST(is_password_digest(*digest));
  BOOST_TEST(verify_password(secret("رمز Dragoman1!"), *digest));
  BOOST_TEST(!verify_password(secret("رمز Dragoman1"), *digest));
  BOOST_TEST(!verify_password(secret(""), *digest));
  BOOST_TEST(!verify_password(secret(std::string(100'000, 'x')), *digest));
}

BOOST_AUTO_TEST_CASE(two_digests_of_one_password_differ) {
  BOOST_TEST(*make_password_digest(secret("same")) != *make_password_digest(secret("same")));
}

BOOST_AUTO_TEST_CASE(what_is_no_digest_fits_nothing) {
  for (const char* text : {"", "Dragoman1!", "scrypt$14$8$1$$", "scrypt$40$8$1$00$00000000000000000000000000000000",
                           "scrypt$14$8$1$zz$00000000000000000000000000000000", "scrypt$14$8$1$00$0000"}) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(!is_password_digest(text));
      BOOST_TEST(!verify_password(secret("x"), text));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_checker_remembers_what_was_right_and_nothing_else) {
  const auto digest = make_password_digest(secret("right"));
  password_checker checker;
  BOOST_TEST(!checker.check(secret("wrong"), *digest));
  BOOST_TEST(!checker.known(secret("right"), *digest));
  BOOST_TEST(checker.check(secret("right"), *digest));
  BOOST_TEST(checker.known(secret("right"), *digest));
  BOOST_TEST(!checker.known(secret("wrong"), *digest));
  BOOST_TEST(!checker.known(secret("right"), *make_password_digest(secret("right"))));
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) BOOST_TEST(checker.check(secret("right"), *digest));
  BOOST_TEST((std::chrono::steady_clock::now() - before < std::chrono::milliseconds(500)));
  BOOST_TEST(!checker.check(secret("wrong"), *digest));
}

BOOST_AUTO_TEST_CASE(a_login_is_added_shown_once_and_revoked) {
  const scratch folder;
  const auto file = folder / "logins.tsv";
  const auto key = add_login(file, "reports", "analyst", secret());
  BOOST_REQUIRE(key.has_value());
  BOOST_TEST(key->reveal().size() >= 24u);
  BOOST_TEST(read_all(file).find(key->reveal()) == std::string::npos);
  const auto logins = read_logins(file);
  BOOST_REQUIRE(logins.has_value());
  BOOST_REQUIRE(logins->size() == 1u);
  BOOST_TEST(logins->at(0).principal == "analyst");
  BOOST_TEST(verify_password(*key, logins->at(0).digest));
  BOOST_TEST(!add_login(file, "reports", "analyst", secret()).has_value());
  BOOST_TEST(!add_login(file, "tab\there", "analyst", secret()).has_value());
  BOOST_TEST(revoke_login(file, "reports").has_value());
  BOOST_TEST(!revoke_login(file, "reports").has_value());
  BOOST_TEST(read_logins(file)->empty());
}

BOOST_AUTO_TEST_CASE(a_malformed_line_is_named) {
  const scratch folder;
  const auto file = folder.write("logins.tsv", "# comment\nreports\tanalyst\n");
  const auto logins = read_logins(file);
  BOOST_REQUIRE(!logins.has_value());
  BOOST_TEST(logins.error().message.starts_with(file.string() + ":2: "));
}

BOOST_AUTO_TEST_SUITE_END()
