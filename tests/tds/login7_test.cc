#include "tds/login7.h"

#include <boost/test/unit_test.hpp>

#include "tds/login_answer.h"
#include "tds/token_writer.h"
#include "tests/tds/hex.h"

namespace dragoman::tds {
using testing::hex;
using testing::shown;
using testing::shown_hex;

namespace {

struct login_text {
  std::string host, user, password, application, server, library, language, database;
  std::uint32_t version = 0x74000004;
  std::uint32_t packet_size = 4096;
  std::uint8_t flags2 = 0x03, type_flags = 0, flags3 = 0;
  std::vector<std::uint8_t> features;  // with its terminator
};

std::vector<std::uint8_t> build(const login_text& t) {
  byte_writer fixed, table, data;
  const std::size_t start = 94;
  const auto place = [&](const std::string& text, bool is_password = false) {
    std::vector<std::uint8_t> wide;
    append_utf16le(wide, text);
    if (is_password)
      for (auto& b : wide) b = static_cast<std::uint8_t>((b << 4 | b >> 4) ^ 0xA5);
    table.u16(static_cast<std::uint16_t>(start + data.size()));
    table.u16(static_cast<std::uint16_t>(wide.size() / 2));
    data.raw(wide);
  };
  place(t.host);
  place(t.user);
  place(t.password, true);
  place(t.application);
  place(t.server);
  std::size_t pointer_at = 0;
  if (!t.features.empty()) {
    table.u16(static_cast<std::uint16_t>(start + data.size()));
    table.u16(4);
    pointer_at = data.size();
    data.u32(0);
  } else {
    place("");
  }
  place(t.library);
  place(t.language);
  place(t.database);
  table.raw(hex("01 02 03 04 05 06"));
  for (int i = 0; i < 3; ++i) place("");  // SSPI, attach file, change password
  table.u32(0);                           // long SSPI
  if (!t.features.empty()) {
    const auto at = static_cast<std::uint32_t>(start + data.size());
    data.patch_u16(pointer_at, at & 0xFFFF);
    data.raw(t.features);
  }
  byte_writer out;
  out.u32(static_cast<std::uint32_t>(start + data.size()));
  out.u32(t.version);
  out.u32(t.packet_size);
  out.u32(7);
  out.u32(4711);
  out.u32(0);
  out.u8(0xE0);
  out.u8(t.flags2);
  out.u8(t.type_flags);
  out.u8(t.flags3);
  out.u32(0);
  out.u32(0x409);
  out.raw(table.view());
  out.raw(data.view());
  return {out.view().begin(), out.view().end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(login_message)

BOOST_AUTO_TEST_CASE(reads_all_fields) {
  const auto bytes =
      build({"pc", "\xD8\xB9\xD9\x84\xDB\x8C", "p\xC3\xA9\xE2\x82\xAC", "app", "srv", "lib", "us_english", "sales",
             0x74000004, 8000, 0x03, 0x20, 0x10, hex("0A 00000001 01  04 00000000 FF")});
  // Feature lengths are little-endian: the first one lies about 16 MB.
  BOOST_TEST(!parse_login7(bytes).has_value());
  const auto good = build({"pc", "\xD8\xB9\xD9\x84\xDB\x8C", "p\xC3\xA9\xE2\x82\xAC", "app", "srv", "lib", "us_english",
                           "sales", 0x74000004, 8000, 0x03, 0x20, 0x10, hex("0A 01000000 01  04 00000000  FF")});
  const auto login = parse_login7(good);
  BOOST_REQUIRE(login.has_value());
  BOOST_TEST(login->host == "pc");
  BOOST_TEST(login->user == "\xD8\xB9\xD9\x84\xDB\x8C");
  BOOST_TEST(login->password.equals("p\xC3\xA9\xE2\x82\xAC"));
  BOOST_TEST(login->application == "app");
  BOOST_TEST(login->server == "srv");
  BOOST_TEST(login->library == "lib");
  BOOST_TEST(login->language == "us_english");
  BOOST_TEST(login->database == "sales");
  BOOST_TEST(login->packet_size == 8000u);
  BOOST_TEST(login->client_process == 4711u);
  BOOST_TEST(login->read_only_intent());
  BOOST_TEST(!login->integrated());
  BOOST_REQUIRE(login->features.size() == 2u);
  BOOST_TEST((login->feature(feature_id::utf8_support) != nullptr));
  BOOST_TEST((login->feature(feature_id::column_encryption) != nullptr));
  BOOST_TEST(!login->federated());
}

BOOST_AUTO_TEST_CASE(every_prefix_is_refused_without_reading_behind_it) {
  const auto good =
      build({"pc", "u", "p", "a", "s", "l", "", "d", 0x74000004, 0, 0, 0, 0x10, hex("0A 01000000 01 FF")});
  BOOST_REQUIRE(parse_login7(good).has_value());
  for (std::size_t size = 0; size < good.size(); ++size) {
    std::vector<std::uint8_t> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    cut.shrink_to_fit();
    BOOST_TEST(!parse_login7(cut).has_value());
    // The same with a length that agrees.
    if (size >= 94) {
      cut[0] = static_cast<std::uint8_t>(size);
      parse_login7(cut);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_field_may_point_anywhere) {
  auto bytes = build({"", "u", "p", "a", "s", "l", "", ""});
  bytes[36] = bytes[37] = 0xFF;  // the offset of the empty host
  BOOST_TEST(parse_login7(bytes).has_value());
  bytes[38] = 1;  // now it is one character long
  BOOST_TEST(!parse_login7(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(versions) {
  struct row {
    std::uint32_t asked;
    tds_version version;
    std::uint32_t answered;
  };
  for (const row& r :
       {row{0x70000000, tds_version::v7_0, 0x70000000}, row{0x71000001, tds_version::v7_1, 0x71000001},
        row{0x72090002, tds_version::v7_2, 0x72090002}, row{0x730A0003, tds_version::v7_3a, 0x730A0003},
        row{0x730B0003, tds_version::v7_3b, 0x730B0003}, row{0x74000004, tds_version::v7_4, 0x74000004},
        row{0x75000000, tds_version::v7_4, 0x74000004}, row{0x08000000, tds_version::v8_0, 0x08000000}}) {
    BOOST_TEST((version_of(r.asked) == r.version));
    BOOST_TEST(wire_value(version_of(r.asked)) == r.answered);
  }
}

BOOST_AUTO_TEST_CASE(packet_sizes) {
  BOOST_TEST(negotiate_packet_size(0, 32767) == 4096u);
  BOOST_TEST(negotiate_packet_size(100, 32767) == 512u);
  BOOST_TEST(negotiate_packet_size(8000, 32767) == 8000u);
  BOOST_TEST(negotiate_packet_size(70000, 32767) == 32767u);
  BOOST_TEST(negotiate_packet_size(32767, 16383) == 16383u);
}

BOOST_AUTO_TEST_CASE(answer) {
  login7 login;
  login.tds_version_asked = 0x74000004;
  login.has_features = true;
  login.features.push_back({0x0A, {1}});
  login.features.push_back({0x04, {3}});
  wire_profile profile = profile_of(login, 8000, collation{});
  byte_writer out;
  write_login_answer(out, login, profile, {"db", "us_english", "S", "P", {16, 0, 0x10, 0x45}});
  BOOST_TEST(
      shown(out.view()) ==
      shown_hex("E3 1300 01 02 'db' 06 'master'"
                "AB 5200 45160000 02 00 2100 'Changed database context to '   2700 'db'  2700  2E00  01 'S' 00 01000000"
                "E3 0800 07 05 0904D00034 00"
                "E3 1700 02 0A 'us_english' 00"
                "AB 5E00 47160000 01 00 2700 'Changed language setting to us_english.' 01 'S' 00 01000000"
                "AD 0C00 01 74000004 01 'P' 10001045"
                "AE 0A 01000000 01 FF"
                "E3 1300 04 04 '8000' 04 '4096'"
                "FD 0000 0000 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(answer_of_71_is_narrow_and_acknowledges_nothing) {
  login7 login;
  login.tds_version_asked = 0x71000001;
  byte_writer out;
  write_login_answer(out, login, profile_of(login, 4096, collation{}), {"d", "l", "S", "P", {16, 0, 0x10, 0x45}});
  const std::string text = shown(out.view());
  BOOST_TEST(text.find(shown_hex("AD 0C00 01 71000001 01 'P' 10001045 E3 1300 04")) != std::string::npos);
  BOOST_TEST(text.substr(text.size() - 26) == shown_hex("FD 0000 0000 00000000"));
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds
