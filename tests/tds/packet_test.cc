#include "tds/packet.h"

#include <boost/test/unit_test.hpp>

#include "tests/tds/hex.h"

namespace dragoman::tds {
using testing::hex;
using testing::shown;

BOOST_AUTO_TEST_SUITE(packet)

// Two packets of one SQLBatch, then an attention.
constexpr std::string_view stream =
    "01 00 00 0B 00 00 01 00  41 42 43"
    "01 01 00 0A 00 00 02 00  44 45"
    "06 01 00 08 00 00 00 00";

BOOST_AUTO_TEST_CASE(joins_packets_however_the_bytes_arrive) {
  const auto bytes = hex(stream);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    message_assembler in;
    std::vector<std::string> seen;
    for (byte_span part : {byte_span(bytes).first(cut), byte_span(bytes).subspan(cut)}) {
      while (!part.empty()) {
        part = part.subspan(in.feed(part));
        if (!in.complete()) continue;
        const request_message m = in.take();
        seen.push_back(std::to_string(static_cast<int>(m.type)) + ":" + shown(m.payload.view()));
      }
    }
    BOOST_TEST(seen == (std::vector<std::string>{"1:41 42 43 44 45", "6:"}), boost::test_tools::per_element());
    BOOST_TEST(!in.partial());
  }
}

BOOST_AUTO_TEST_CASE(one_byte_at_a_time) {
  const auto bytes = hex(stream);
  message_assembler in;
  unsigned messages = 0;
  for (const std::uint8_t& b : bytes) {
    BOOST_TEST(in.feed({&b, 1}) == 1u);
    if (in.complete()) {
      in.take();
      ++messages;
    }
  }
  BOOST_TEST(messages == 2u);
}

BOOST_AUTO_TEST_CASE(status_bits) {
  struct row {
    const char* name;
    const char* bytes;
    bool ignored, reset, keep;
  };
  for (const row& r :
       {row{"plain", "01 01 00 08 0000 01 00", false, false, false},
        row{"reset", "01 09 00 08 0000 01 00", false, true, false},
        row{"reset keeping the transaction", "01 11 00 08 0000 01 00", false, true, true},
        row{"reset on the first packet only", "01 08 00 08 0000 01 00 01 01 00 08 0000 02 00", false, true, false},
        row{"ignore", "01 03 00 08 0000 01 00", true, false, false},
        row{"ignore without end", "01 02 00 08 0000 01 00", true, false, false}}) {
    BOOST_TEST_CONTEXT(r.name) {
      message_assembler in;
      const auto bytes = hex(r.bytes);
      BOOST_TEST(in.feed(bytes) == bytes.size());
      BOOST_REQUIRE(in.complete());
      const request_message m = in.take();
      BOOST_TEST(m.ignored == r.ignored);
      BOOST_TEST(m.reset == r.reset);
      BOOST_TEST(m.reset_keep_transaction == r.keep);
    }
  }
}

BOOST_AUTO_TEST_CASE(attention_inside_a_message_withdraws_it) {
  message_assembler in;
  const auto bytes = hex("01 00 00 0A 0000 01 00 41 42  06 01 00 08 0000 00 00");
  in.feed(bytes);
  BOOST_REQUIRE(in.complete());
  const request_message m = in.take();
  BOOST_TEST((m.type == packet_type::attention));
  BOOST_TEST(m.payload.empty());
}

BOOST_AUTO_TEST_CASE(broken_streams) {
  struct row {
    const char* name;
    const char* bytes;
  };
  for (const row& r :
       {row{"length below the header", "01 01 00 07 0000 01 00"}, row{"length beyond 32768", "01 01 80 01 0000 01 00"},
        row{"another type inside a message", "01 00 00 08 0000 01 00 03 01 00 08 0000 01 00"},
        row{"longer than the limit", "01 00 00 12 0000 01 00 00112233445566778899 01 00 00 12 0000 01 00 00"}}) {
    BOOST_TEST_CONTEXT(r.name) {
      message_assembler in;
      in.set_limit(16);
      in.feed(hex(r.bytes));
      BOOST_TEST(in.failed());
      BOOST_TEST(!in.complete());
      BOOST_TEST(in.feed(hex("00")) == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(bulk_data_needs_no_room) {
  message_assembler in;
  in.set_limit(4);
  in.feed(hex("07 00 00 10 0000 01 00 0011223344556677 07 01 00 09 0000 02 00 FF"));
  BOOST_REQUIRE(in.complete());
  BOOST_TEST(in.take().payload.empty());
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds
