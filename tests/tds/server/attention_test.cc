// Attentions and resets at every moment: one acknowledgement each, and a session that goes on as if nothing had been.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

#include "tests/tds/server/echo_handler.h"
#include "tests/tds/server/raw_client.h"
#include "tests/tds/server/running_server.h"

namespace dragoman::tds::server {
using namespace testing;
using tds::testing::hex;
using tds::testing::shown_hex;

namespace {

constexpr const char* acknowledged = "FD 2000 0000 0000000000000000";
constexpr const char* set_done = "FD 0000 BE00 0000000000000000";

std::string call_of(const std::string& sql) {
  char size[5];
  std::snprintf(size, sizeof size, "%02X00", static_cast<unsigned>(sql.size() * 2) & 255u);
  return "FFFF 0A00 0000 00 00 E7 4000 0904D00034 " + std::string(size) + "'" + sql + "'";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attentions)

// Before the first byte of the answer, between packets, behind the last row: the moment decides how much of the answer
// is seen, never how many acknowledgements.
BOOST_AUTO_TEST_CASE(the_moment_is_swept) {
  running s;
  raw_client c(s.it->port());
  c.login();
  int ended_by_itself = 0, cut = 0;
  const std::string whole_end = "FD 1000 C100 B80B000000000000";  // 3000 rows, all sent
  for (const bool rpc : {false, true})
    for (const char* sql : {"rows 3000", "relay 3000"})
      for (int delay = 0; delay < 4000; delay += delay < 600 ? 20 : 170) {
        if (rpc) {
          auto body = raw_client::headers();
          const auto call = hex(call_of(sql));
          body.insert(body.end(), call.begin(), call.end());
          c.send_packet(3, 1, body);
        } else {
          c.send_batch(sql);
        }
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(delay);
        while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
        c.attention();
        const answer first = c.receive_message();
        if (text(first) != shown_hex(acknowledged)) {
          const bool whole = ends_with(first, whole_end) || ends_with(first, "FE 0000 E000 0000000000000000");
          ++(whole ? ended_by_itself : cut);
          if (!whole) BOOST_REQUIRE(ends_with(first, "FD 0000 0000 0000000000000000"));
          BOOST_REQUIRE(text(c.receive_message()) == shown_hex(acknowledged));
        }
        BOOST_REQUIRE(text(c.batch("set x")) == shown_hex(set_done));
      }
  BOOST_TEST_MESSAGE("cut: " << cut << ", ended before the attention came: " << ended_by_itself);
  BOOST_TEST(cut > 0);
  BOOST_TEST(ended_by_itself > 0);
  BOOST_TEST(s.it->stats().running == 0u);
}

// Two attentions for one request, and one for none: each is acknowledged by itself.
BOOST_AUTO_TEST_CASE(more_attentions_than_requests) {
  running s;
  raw_client c(s.it->port());
  c.login();
  for (int i = 0; i < 20; ++i) {
    c.send_batch("set x");
    BOOST_TEST(text(c.receive_message()) == shown_hex(set_done));
    c.attention();
    BOOST_TEST(text(c.receive_message()) == shown_hex(acknowledged));
  }
  BOOST_TEST(text(c.batch("set x")) == shown_hex(set_done));
}

BOOST_AUTO_TEST_CASE(of_a_cursor_that_is_being_opened) {
  running s;
  raw_client c(s.it->port());
  c.login();
  const std::string open =
      "FFFF 0200 0000 00 01 26 04 00 00 00 E7 4000 0904D00034 1C00 'relay 10000000' 00 01 26 04 04 08000000 00 01 26 "
      "04 04 "
      "01000000 00 01 26 04 00";
  for (const int wait : {0, 1, 20}) {
    auto body = raw_client::headers();
    const auto call = hex(open);
    body.insert(body.end(), call.begin(), call.end());
    c.send_packet(3, 1, body);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    c.attention();
    BOOST_TEST(ends_with(c.receive_message(), "FD 0000 0000 0000000000000000"));
    BOOST_TEST(text(c.receive_message()) == shown_hex(acknowledged));
    BOOST_TEST(text(c.batch("set x")) == shown_hex(set_done));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(resets)

// RESETCONNECTION ends a transaction and says so; RESETCONNECTIONSKIPTRAN keeps it. Both forget handles.
BOOST_AUTO_TEST_CASE(in_an_open_transaction) {
  running s;
  const auto begun = [](raw_client& c) {
    c.login();
    auto body = raw_client::headers();
    const auto rest = hex("0500 00 00");
    body.insert(body.end(), rest.begin(), rest.end());
    c.send_packet(0x0E, 1, body);
    BOOST_TEST(has(c.receive_message(), "E3 0B00 08 08 0100000000000000 00"));
    BOOST_TEST(has(c.rpc("FFFF 0B00 0000 00 01 26 04 00 00 00 E7 4000 0904D00034 FFFF 00 00 E7 4000 0904D00034 0600 "
                         "'set' 00 00 26 04 04 01000000"),
                   "06 'handle'"));
  };
  const std::string reset = "E3 0300 12 00 00 ";
  {
    raw_client c(s.it->port());
    begun(c);
    c.send_batch("set x", 0x09);
    BOOST_TEST(text(c.receive_message()) == shown_hex(reset + "E3 0B00 0A 00 08 0100000000000000 " + set_done));
    BOOST_TEST(has(c.rpc("FFFF 0C00 0000 00 00 26 04 04 01000000"), "F31F0000"));
    BOOST_TEST(text(c.batch("set x")) == shown_hex(set_done));  // told once
  }
  {
    raw_client c(s.it->port());
    begun(c);
    c.send_batch("set x", 0x11);
    BOOST_TEST(text(c.receive_message()) == shown_hex(reset + "FD 0400 BE00 0000000000000000"));
    BOOST_TEST(has(c.rpc("FFFF 0C00 0000 00 00 26 04 04 01000000"), "F31F0000"));
  }
  {
    // The procedure that python-tds calls does what the bit does.
    raw_client c(s.it->port());
    begun(c);
    BOOST_TEST(text(c.rpc("1300 'sp_reset_connection' 0000")) ==
               shown_hex("E3 0B00 0A 00 08 0100000000000000 79 00000000 FE 0000 E000 0000000000000000"));
  }
  {
    // On every packet of a message, as tedious and go-mssqldb set it: it acts once.
    raw_client c(s.it->port());
    begun(c);
    const auto body = raw_client::batch_body("set x");
    c.send_packet(1, 0x08, byte_span(body).first(20));
    c.send_packet(1, 0x09, byte_span(body).subspan(20));
    BOOST_TEST(text(c.receive_message()) == shown_hex(reset + "E3 0B00 0A 00 08 0100000000000000 " + set_done));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace dragoman::tds::server
