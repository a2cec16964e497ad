// A raw TDS client on the gateway over the demo, and what it sends and looks for, as hex.
#pragma once

#include <cstdint>
#include <string>

#include "tests/proxy/running_gateway.h"
#include "tests/tds/server/raw_client.h"

namespace dragoman::proxy::test {

namespace raw = tds::server::testing;

inline std::string hex_of(std::int64_t value) {
  char text[9];
  const auto v = static_cast<std::uint32_t>(value);
  std::snprintf(text, sizeof text, "%02X%02X%02X%02X", v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24);
  return text;
}
inline std::string in_int(std::int64_t value) {
  return "00 00 26 04 04 " + hex_of(value) + " ";
}
inline std::string out_int(std::int64_t value) {
  return "00 01 26 04 04 " + hex_of(value) + " ";
}
// nvarchar(4000), ASCII only; a ' in it is not possible here.
inline std::string in_text(const std::string& value) {
  return "00 00 E7 401F 0904D00034 " + hex_of(static_cast<std::int64_t>(value.size() * 2)).substr(0, 4) + "'" + value +
         "' ";
}
// The same as nvarchar(max), in chunks of `chunk` characters.
inline std::string in_long_text(const std::string& value, std::size_t chunk) {
  std::string out = "00 00 E7 FFFF 0904D00034 FEFFFFFFFFFFFFFF ";
  for (std::size_t at = 0; at < value.size(); at += chunk) {
    const std::string part = value.substr(at, chunk);
    out += hex_of(static_cast<std::int64_t>(part.size() * 2)) + "'" + part + "' ";
  }
  return out + "00000000 ";
}

struct raw_session : raw::raw_client {
  explicit raw_session(const running_gateway& gateway, const std::string& login_name = "manager",
                       std::uint32_t version = 0x74000004, std::uint32_t packet_size = 4096)
      : raw_client(gateway.port()), login_answer(login(login_name, "Dragoman1!", "SalesDb", version, packet_size)) {}
  raw::answer login_answer;

  // A message of several packets.
  raw::answer send_cut(std::uint8_t type, byte_span body, std::size_t piece) {
    while (body.size() > piece) {
      send_packet(type, 0, body.first(piece));
      body = body.subspan(piece);
    }
    send_packet(type, 1, body);
    return receive_message();
  }
  static std::vector<std::uint8_t> rpc_body(const std::string& call) {
    auto body = headers();
    const auto rest = tds::testing::hex(call);
    body.insert(body.end(), rest.begin(), rest.end());
    return body;
  }
};

// An ERROR token of this number.
inline bool has_error(const raw::answer& a, std::int32_t number) {
  const std::string wanted = tds::testing::shown_hex(hex_of(number));
  const std::string whole = raw::text(a);
  for (auto at = whole.find(" " + wanted); at != std::string::npos; at = whole.find(" " + wanted, at + 1))
    if (at >= 8 && whole.compare(at - 8, 3, "AA ") == 0) return true;
  return whole.size() > 20 && whole.compare(0, 3, "AA ") == 0 && whole.compare(9, wanted.size(), wanted) == 0;
}

inline constexpr const char* done_ok = "FE 0000 E000 0000000000000000";
inline constexpr const char* done_error = "FE 0200 E000 0000000000000000";
inline constexpr const char* tabname = "A4 1F00 03 0700 'SalesDb' 0300 'ref' 0400 'Ring'";

}  // namespace dragoman::proxy::test
