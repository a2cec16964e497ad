// LOGIN7 in all its legal shapes, and what the answer may and must not say.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <thread>

#include "tests/tds/server/login_message.h"
#include "tests/tds/server/running_server.h"

namespace dragoman::tds::server {
using namespace testing;
using namespace std::chrono_literals;
using tds::testing::hex;

namespace {

constexpr const char* login_done = "FD 0000 0000 0000000000000000";

using octets = std::vector<std::uint8_t>;

}  // namespace

BOOST_AUTO_TEST_SUITE(login)

BOOST_AUTO_TEST_CASE(any_layout) {
  running s;
  for (const bool backwards : {false, true})
    for (const bool nonsense : {false, true})
      for (const std::size_t padding : {std::size_t{0}, std::size_t{1}, std::size_t{5000}})
        for (const std::size_t packet : {std::size_t{9}, std::size_t{512}, std::size_t{4096}, std::size_t{32767}}) {
          login_message m;
          m.backwards = backwards;
          m.long_sspi_offsets = nonsense;
          m.padding = padding;
          m.database = "sales";
          if (packet == 9 && padding > 1) continue;
          raw_client c(s.port());
          BOOST_TEST(ends_with(log_in(c, m.bytes(), packet), login_done));
          BOOST_TEST(s.handler.last_login().database == "sales");
        }
}

BOOST_AUTO_TEST_CASE(any_size) {
  running s;
  login_message m;
  m.features = {{0x7E, octets(100'000, 'x')}};
  for (const std::size_t packet : {std::size_t{512}, std::size_t{4096}, std::size_t{32767}}) {
    raw_client c(s.port());
    BOOST_TEST(ends_with(log_in(c, m.bytes(), packet), login_done));
  }
  login_message most;
  most.features = {{0x7E, octets(limits::login7_max - 400, 'x')}};
  raw_client full(s.port());
  BOOST_TEST(ends_with(log_in(full, most.bytes()), login_done));
  login_message over;
  over.features = {{0x7E, octets(limits::login7_max, 'x')}};
  raw_client c(s.port());
  bool refused = false;
  try {
    log_in(c, over.bytes());
  } catch (const std::exception&) {
    refused = true;
  }
  BOOST_TEST(refused);
  BOOST_TEST(s.it->stats().violations == 1u);
}

BOOST_AUTO_TEST_CASE(features) {
  running s;
  struct row {
    const char* name;
    std::vector<std::pair<std::uint8_t, octets>> asked;
    bool extension;
    std::uint32_t version;
    const char* acknowledged;  // the whole token, "" = none
  };
  for (const row& r : {row{"none asked", {}, false, 0x74000004, ""}, row{"an empty list", {}, true, 0x74000004, ""},
                       row{"UTF-8 as FreeTDS and tedious ask", {{0x0A, {1}}}, true, 0x74000004, "AE 0A 01000000 01 FF"},
                       row{"UTF-8 as SqlClient asks", {{0x0A, {}}}, true, 0x74000004, "AE 0A 01000000 01 FF"},
                       row{"unknown ones", {{0x7E, {1, 2, 3}}, {0xFE, {}}}, true, 0x74000004, ""},
                       row{"all that drivers ask",
                           {{0x10, {1, 0}},
                            {0x01, {}},
                            {0x04, {3}},
                            {0x05, {}},
                            {0x09, {2}},
                            {0x0A, {}},
                            {0x0B, {}},
                            {0x0D, {1}},
                            {0x0E, {1}},
                            {0x0F, {}}},
                           true,
                           0x74000004,
                           "AE 0A 01000000 01 FF"},
                       row{"twice", {{0x0A, {1}}, {0x0A, {1}}}, true, 0x74000004, "AE 0A 01000000 01 FF"},
                       row{"before 7.4", {{0x0A, {1}}}, true, 0x730B0003, ""},
                       row{"TDS 8.0", {{0x0A, {1}}}, true, 0x08000000, "AE 0A 01000000 01 FF"}})
    BOOST_TEST_CONTEXT(r.name) {
      login_message m;
      m.features = r.asked;
      m.extension = r.extension;
      m.version = r.version;
      raw_client c(s.port());
      const answer a = log_in(c, m.bytes());
      BOOST_TEST(ends_with(a, login_done));
      // Behind LOGINACK, before the packet size.
      const std::string after_ack = std::string("10001045") + r.acknowledged + "E3 1300 04 04 '4096' 04 '4096'";
      BOOST_TEST(has(a, after_ack));
    }
}

BOOST_AUTO_TEST_CASE(what_the_program_is_told) {
  running s;
  login_message m;
  m.type_flags = 0x20;
  m.language = "Deutsch";
  m.database = "\xD9\x81\xD8\xB1\xD9\x88\xD8\xB4";  // فروش
  m.application = std::string(128, 'a');
  raw_client c(s.port());
  const answer a = log_in(c, m.bytes());
  BOOST_TEST(ends_with(a, login_done));
  const login_request told = s.handler.last_login();
  BOOST_TEST(told.read_only_intent);
  BOOST_TEST(told.language == "Deutsch");
  BOOST_TEST(told.database == m.database);
  BOOST_TEST(told.application.size() == 128u);
  BOOST_TEST(told.peer_address == "127.0.0.1");
  BOOST_TEST(told.peer_port == c.own_port());
  BOOST_TEST(told.spid == a.spid);
}

BOOST_AUTO_TEST_CASE(names_of_every_kind) {
  running s;
  for (const std::string& name :
       std::vector<std::string>{"sa", "SA", "app@sales", "DOMAIN\\user", "[sa]", "o'neil", "a.b", "with blank ",
                                "\xD9\x85\xD8\xB1\xDB\x8C\xD9\x85", "\xF0\x9F\x98\x80", std::string(128, 'n')})
    BOOST_TEST_CONTEXT(name) {
      login_message m;
      m.user = name;
      raw_client c(s.port());
      const answer a = log_in(c, m.bytes());
      // As it came, for the program to judge; and the one text for whatever was wrong.
      BOOST_TEST(s.handler.last_login().user == name);
      BOOST_TEST(has(a, "18480000 01 0E"));
      octets wide;
      append_utf16le(wide, "Login failed for user '" + name + "'.");
      BOOST_TEST((std::search(a.body.begin(), a.body.end(), wide.begin(), wide.end()) != a.body.end()));
      BOOST_TEST(ends_with(a, "FD 0200 0000 0000000000000000"));
    }
}

BOOST_AUTO_TEST_CASE(unknown_names_and_wrong_passwords_are_told_alike) {
  running s;
  const auto refused = [&](const char* user, const char* password) {
    login_message m;
    m.user = user;
    m.password = password;
    raw_client c(s.port());
    std::string body = text(log_in(c, m.bytes()));
    BOOST_TEST(c.closed_by_server());
    const std::string named = tds::testing::shown_hex("'" + m.user + "'");
    BOOST_TEST(body.find(named) != std::string::npos);
    return body.replace(body.find(named), named.size(), "name");
  };
  BOOST_TEST((refused("tester", "wrong0") == refused("nobody", "wrong0")));
  BOOST_TEST((refused("tester", "") == refused("nobody", "")));
}

BOOST_AUTO_TEST_CASE(packet_sizes_are_bounded) {
  running s;
  for (const auto& [asked, given] : {std::pair(0u, 4096),
                                     {1u, 512},
                                     {511u, 512},
                                     {512u, 512},
                                     {8000u, 8000},
                                     {32767u, 32767},
                                     {32768u, 32767},
                                     {0xFFFFFFFFu, 32767}})
    BOOST_TEST_CONTEXT(asked) {
      login_message m;
      m.packet_size = asked;
      raw_client c(s.port());
      const answer a = log_in(c, m.bytes());
      const std::string text = std::to_string(given);
      BOOST_TEST(has(a, (text.size() == 3   ? "04 03 '"
                         : text.size() == 4 ? "04 04 '"
                                            : "04 05 '") +
                            text + "' 04 '4096'"));
      const answer rows = c.batch("rows 3000");
      BOOST_TEST(rows.packets.front() == static_cast<std::size_t>(given));
    }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
