// Packets and the messages that they carry, MS-TDS 2.2.3.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/limits.h"

namespace dragoman::tds {

enum class packet_type : std::uint8_t {
  sql_batch = 0x01,
  tds4_login = 0x02,
  rpc = 0x03,
  tabular_result = 0x04,
  attention = 0x06,
  bulk_load = 0x07,
  fedauth_token = 0x08,
  transaction_manager = 0x0E,
  login7 = 0x10,
  sspi = 0x11,
  prelogin = 0x12,
};

namespace packet_status {
inline constexpr std::uint8_t end_of_message = 0x01;
inline constexpr std::uint8_t ignore = 0x02;
inline constexpr std::uint8_t reset_connection = 0x08;
inline constexpr std::uint8_t reset_connection_skip_transaction = 0x10;
}  // namespace packet_status

inline constexpr std::size_t packet_header_size = 8;

struct packet_header {
  packet_type type{};
  std::uint8_t status = 0;
  std::uint16_t length = 0;  // with the header
  std::uint16_t spid = 0;
  std::uint8_t id = 0;
};

packet_header read_packet_header(const std::uint8_t* eight_bytes) noexcept;
inline void write_packet_header(std::uint8_t* out, packet_type type, bool last, std::size_t length, std::uint16_t spid,
                                std::uint8_t id) noexcept {
  out[0] = static_cast<std::uint8_t>(type);
  out[1] = last ? packet_status::end_of_message : 0;
  out[2] = static_cast<std::uint8_t>(length >> 8);
  out[3] = static_cast<std::uint8_t>(length);
  out[4] = static_cast<std::uint8_t>(spid >> 8);
  out[5] = static_cast<std::uint8_t>(spid);
  out[6] = id;
  out[7] = 0;
}

// A message put together from its packets.
struct request_message {
  packet_type type{};
  byte_writer payload;
  bool ignored = false;  // its last packet said IGNORE: the client has withdrawn it
  bool reset = false;    // RESETCONNECTION on any of its packets
  bool reset_keep_transaction = false;
};

// Puts messages together from bytes that arrive in any pieces. Whose limits are broken stays broken: the connection
// must be closed. Packet numbers and SPIDs are not looked at, clients disagree on them.
class message_assembler {
 public:
  // Takes bytes up to the end of one message and returns how many; take() must be called before more are fed once
  // complete() holds. Takes nothing when failed().
  std::size_t feed(byte_span input);

  bool complete() const noexcept { return complete_; }
  request_message take();

  bool failed() const noexcept { return failure_ != nullptr; }
  std::string_view failure() const noexcept { return failure_ == nullptr ? std::string_view{} : failure_; }
  // The middle of a packet or of a message.
  bool partial() const noexcept { return !complete_ && (in_message_ || header_filled_ != 0); }
  bool packet_boundary() const noexcept { return header_filled_ == 0; }
  std::size_t gathered() const noexcept { return message_.payload.size(); }
  packet_type current_type() const noexcept { return message_.type; }

  void set_limit(std::size_t message_bytes) noexcept { limit_ = message_bytes; }

 private:
  void begin_packet();
  void end_packet();

  request_message message_;
  std::array<std::uint8_t, packet_header_size> header_bytes_{};
  std::size_t header_filled_ = 0;  // 8 while a packet's body is read
  std::size_t body_left_ = 0;
  std::size_t limit_ = limits::prelogin_max;
  packet_header header_{};
  bool in_message_ = false;
  bool complete_ = false;
  const char* failure_ = nullptr;
};

}  // namespace dragoman::tds
