// PRELOGIN, MS-TDS 2.2.6.5: what the client may do, and the one answer that every client accepts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"

namespace dragoman::tds {

enum class encryption : std::uint8_t { off = 0, on = 1, not_supported = 2, required = 3 };

struct prelogin_request {
  std::array<std::uint8_t, 6> version{};
  std::optional<std::uint8_t> encryption_byte;  // as sent; bit 0x80 announces a client certificate
  bool instance = false;
  bool thread_id = false;
  std::optional<std::uint8_t> mars;
  bool trace_id = false;
  std::optional<std::uint8_t> fedauth;
};

// errc::protocol for an option that points outside the message or a missing terminator.
result<prelogin_request> parse_prelogin(byte_span message);

// What the server is ready for. `preferred` encrypts the whole session of every client that can encrypt at all.
enum class encryption_policy : std::uint8_t { available, preferred, forced, none };

// The ENCRYPTION byte to answer. Never `on` to a client that asked `off`: SqlClient would go on in clear.
encryption answer_encryption(const prelogin_request& request, encryption_policy policy) noexcept;

// How the connection goes on after the two bytes are exchanged.
enum class tls_plan : std::uint8_t { plain, login_only, full };
tls_plan plan_of(const prelogin_request& request, encryption answer) noexcept;

// VERSION and ENCRYPTION first, then only what was asked, data without gaps in the order of the table, nothing of
// length zero at the end except TRACEID. MARS is always refused.
void write_prelogin_answer(byte_writer& out, const prelogin_request& request, encryption answer, std::uint8_t major,
                           std::uint8_t minor, std::uint16_t build);

}  // namespace dragoman::tds
