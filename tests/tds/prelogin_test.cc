#include "tds/prelogin.h"

#include <boost/test/unit_test.hpp>

#include "tests/tds/hex.h"

namespace dragoman::tds {
using testing::hex;
using testing::shown;
using testing::shown_hex;

BOOST_AUTO_TEST_SUITE(prelogin)

std::string answer_to(std::string_view request, encryption_policy policy) {
  const auto parsed = parse_prelogin(hex(request));
  if (!parsed) return "failed";
  byte_writer out;
  write_prelogin_answer(out, *parsed, answer_encryption(*parsed, policy), 16, 0, 4165);
  return shown(out.view());
}

BOOST_AUTO_TEST_CASE(answers) {
  struct row {
    const char* name;
    const char* request;
    const char* answer;
  };
  for (const row& r :
       {row{"FreeTDS: all of the classic options, MARS last",
            "00 001A 0006  01 0020 0001  02 0021 000C  03 002D 0004  04 0031 0001  FF"
            "09 00 0000 0000  00  4D5353514C53657276657200  01020304  00",
            "00 001A 0006  01 0020 0001  02 0021 0001  03 0022 0000  04 0022 0001  FF  10 00 10 45 00 00  00  00  00"},
        row{"JDBC: TRACEID before FEDAUTHREQUIRED",
            "00 0015 0006  01 001B 0001  05 001C 0002  06 001E 0001  FF  0D0100000000  01  AABB  01",
            "00 0015 0006  01 001B 0001  05 001C 0000  06 001C 0001  FF  10 00 10 45 00 00  01  00"},
        row{"jTDS: THREADID last would be empty and is left out",
            "00 0015 0006  01 001B 0001  02 001C 0001  03 001D 0004  FF  080001550000  00  00  01020304",
            "00 0010 0006  01 0016 0001  02 0017 0001  FF  10 00 10 45 00 00  00  00"},
        row{"only VERSION and ENCRYPTION", "00 000B 0006 01 0011 0001 FF 000000000000 02",
            "00 000B 0006  01 0011 0001  FF  10 00 10 45 00 00  02"}})
    BOOST_TEST_CONTEXT(r.name) {
      BOOST_TEST(answer_to(r.request, encryption_policy::available) == shown_hex(r.answer));
    }
}

BOOST_AUTO_TEST_CASE(encryption_matrix) {
  struct row {
    int asked;
    int available, preferred, forced, none;
    tls_plan plan_available;
  };
  for (const row& r : {row{0, 0, 3, 3, 2, tls_plan::login_only}, row{1, 1, 1, 1, 2, tls_plan::full},
                       row{2, 2, 2, 3, 2, tls_plan::plain}, row{3, 1, 1, 1, 2, tls_plan::full},
                       row{0x80, 0, 3, 3, 2, tls_plan::login_only}, row{0x81, 1, 1, 1, 2, tls_plan::full}}) {
    BOOST_TEST_CONTEXT("asked " << r.asked) {
      prelogin_request request;
      request.encryption_byte = static_cast<std::uint8_t>(r.asked);
      BOOST_TEST(static_cast<int>(answer_encryption(request, encryption_policy::available)) == r.available);
      BOOST_TEST(static_cast<int>(answer_encryption(request, encryption_policy::preferred)) == r.preferred);
      BOOST_TEST(static_cast<int>(answer_encryption(request, encryption_policy::forced)) == r.forced);
      BOOST_TEST(static_cast<int>(answer_encryption(request, encryption_policy::none)) == r.none);
      BOOST_TEST((plan_of(request, answer_encryption(request, encryption_policy::available)) == r.plan_available));
      BOOST_TEST((plan_of(request, answer_encryption(request, encryption_policy::none)) == tls_plan::plain));
    }
  }
}

BOOST_AUTO_TEST_CASE(lying_tables) {
  struct row {
    const char* name;
    const char* bytes;
  };
  for (const row& r : {row{"empty", ""}, row{"no terminator", "00 0006 0000"}, row{"cut table", "00 00"},
                       row{"offset outside", "00 0100 0001 FF"}, row{"length outside", "00 0006 0002 FF 00"},
                       row{"empty ENCRYPTION", "01 0006 0000 FF"}})
    BOOST_TEST_CONTEXT(r.name) {
      BOOST_TEST(!parse_prelogin(hex(r.bytes)).has_value());
    }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds
