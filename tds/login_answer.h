// The answer to LOGIN7: everything that some client cannot do without, in the order of SQL Server, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "tds/login7.h"
#include "tds/version.h"

namespace dragoman::tds {

struct login_answer {
  std::string_view database;
  std::string_view language;
  std::string_view server_name;
  std::string_view program_name;
  std::array<std::uint8_t, 4> program_version{};
};

// The packet size to use after the login: what was asked, within 512 and `most`; 0 asks for the default.
std::uint32_t negotiate_packet_size(std::uint32_t asked, std::uint32_t most) noexcept;

// What the session's encoders are to do for this client.
wire_profile profile_of(const login7& login, std::uint32_t packet_size, const collation& server_collation) noexcept;

void write_login_answer(byte_writer& out, const login7& login, const wire_profile& profile, const login_answer& answer);

}  // namespace dragoman::tds
