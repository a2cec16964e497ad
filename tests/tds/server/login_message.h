// LOGIN7 with everything that a client may say in it, in any layout.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/tds/server/raw_client.h"

namespace dragoman::tds::server::testing {

struct login_message {
  std::string host = "host", user = "tester", password = "secret", application = "test", server = "server",
              library = "raw", language, database;
  std::uint32_t version = 0x74000004;
  std::uint32_t packet_size = 4096;
  std::uint8_t type_flags = 0;
  std::vector<std::pair<std::uint8_t, std::vector<std::uint8_t>>> features;
  bool extension = false;          // fExtension is set
  std::size_t padding = 0;         // bytes that nothing points to, between table and texts
  bool backwards = false;          // the texts in the opposite order of their table
  bool long_sspi_offsets = false;  // empty fields point nowhere

  std::vector<std::uint8_t> bytes() const {
    struct field {
      std::string text;
      bool hidden = false;
      std::vector<std::uint8_t> raw = {};
      std::size_t at = 0;
    };
    const bool with_features = extension || !features.empty();
    std::vector<field> fields{
        {host}, {user}, {password, true}, {application}, {server}, {}, {library}, {language}, {database}, {}, {}, {}};
    for (field& f : fields) {
      append_utf16le(f.raw, f.text);
      if (f.hidden)
        for (auto& b : f.raw) b = static_cast<std::uint8_t>((b << 4 | b >> 4) ^ 0xA5);
    }
    std::vector<std::uint8_t> data(padding, 0xEE);
    const auto place = [&](field& f) {
      f.at = 94 + data.size();
      data.insert(data.end(), f.raw.begin(), f.raw.end());
    };
    if (backwards)
      for (std::size_t i = fields.size(); i-- > 0;) place(fields[i]);
    else
      for (field& f : fields) place(f);
    std::size_t extension_at = 0;
    if (with_features) {
      extension_at = 94 + data.size();
      const std::size_t list_at = extension_at + 4;
      for (int i = 0; i < 4; ++i) data.push_back(static_cast<std::uint8_t>(list_at >> (8 * i)));
      for (const auto& [id, value] : features) {
        data.push_back(id);
        for (int i = 0; i < 4; ++i) data.push_back(static_cast<std::uint8_t>(value.size() >> (8 * i)));
        data.insert(data.end(), value.begin(), value.end());
      }
      data.push_back(0xFF);
    }
    byte_writer out;
    out.u32(static_cast<std::uint32_t>(94 + data.size()));
    for (const std::uint32_t v : {version, packet_size, 0u, 1u, 0u}) out.u32(v);
    for (const std::uint8_t v :
         {std::uint8_t{0xE0}, std::uint8_t{3}, type_flags, std::uint8_t(with_features ? 0x10 : 0)})
      out.u8(v);
    out.u32(0);
    out.u32(0x409);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i == 9) out.raw(tds::testing::hex("010203040506"));
      const bool is_extension = i == 5 && with_features;
      const field& f = fields[i];
      out.u16(static_cast<std::uint16_t>(is_extension                         ? extension_at
                                         : f.raw.empty() && long_sspi_offsets ? 0xFFFF
                                                                              : f.at));
      out.u16(static_cast<std::uint16_t>(is_extension ? 4 : f.raw.size() / 2));
    }
    out.u32(0);
    out.raw(data);
    return {out.view().begin(), out.view().end()};
  }
};

// In packets of at most `packet` bytes.
inline answer log_in(raw_client& c, const std::vector<std::uint8_t>& message, std::size_t packet = 4096) {
  for (std::size_t at = 0; at < message.size(); at += packet - 8) {
    const std::size_t count = std::min(packet - 8, message.size() - at);
    c.send_packet(0x10, at + count == message.size() ? 1 : 0, byte_span(message).subspan(at, count));
  }
  return c.receive_message();
}

}  // namespace dragoman::tds::server::testing
