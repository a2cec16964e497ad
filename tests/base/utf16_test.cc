#include "base/utf16.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace dragoman {
namespace {

std::vector<std::uint8_t> wire(std::string_view text) {
  std::vector<std::uint8_t> out;
  append_utf16le(out, text);
  return out;
}

BOOST_AUTO_TEST_SUITE(utf16)

BOOST_AUTO_TEST_CASE(round_trips_text_of_every_width) {
  for (const std::string text : {"", "sales", "تالار پتروشیمی", "گران‌بها", "€", "𐍈 and 😀", "a\0b"}) {
    const auto bytes = wire(text);
    BOOST_TEST(bytes.size() == 2 * utf16_length(text));
    BOOST_TEST(utf8_from_utf16le(bytes).value() == text);
    BOOST_TEST(is_valid_utf8(text));
  }
}

BOOST_AUTO_TEST_CASE(writes_little_endian_and_surrogates) {
  const std::vector<std::uint8_t> expected{0x33, 0x06, 0x3D, 0xD8, 0x00, 0xDE};
  const auto bytes = wire("س😀");
  BOOST_TEST(bytes == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(malformed_input_is_replaced_never_dropped) {
  const std::string replacement = "\xEF\xBF\xBD";
  BOOST_TEST(utf8_from_utf16le(wire("a\xFF"
                                    "b"))
                 .value() == "a" + replacement + "b");
  // Overlong, surrogate in UTF-8, cut off: one U+FFFD per offending byte.
  for (const std::string text : {std::string("\xC0\x80"), std::string("\xED\xA0\x80"), std::string("\xF0\x9F\x98")}) {
    BOOST_TEST(!is_valid_utf8(text));
    BOOST_TEST(utf16_length(text) == text.size());
  }
  const std::vector<std::uint8_t> lone{0x00, 0xD8, 0x41, 0x00};
  BOOST_TEST(utf8_from_utf16le(lone).value() == replacement + "A");
  const std::vector<std::uint8_t> odd{0x41};
  BOOST_TEST(!utf8_from_utf16le(odd).has_value());
}

BOOST_AUTO_TEST_CASE(prefix_splits_no_character) {
  BOOST_TEST(utf16_prefix("abc", 2) == "ab");
  BOOST_TEST(utf16_prefix("a😀b", 2) == "a");
  BOOST_TEST(utf16_prefix("a😀b", 3) == "a😀");
  BOOST_TEST(utf16_prefix("سلام", 99) == "سلام");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace dragoman
