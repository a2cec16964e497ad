// Cuts a payload that lies in several pieces into packets and hands them to sendmsg without copying: a header of its
// own before each slice. Internal to tds/server.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "tds/packet.h"

namespace dragoman::tds::server {

class packet_output {
 public:
  // The first `total` bytes of `pieces` (which must stay where they are), in packets of at most packet_size bytes;
  // `last` sets the end of the message, also on an empty packet when total is 0.
  packet_output(std::span<const byte_span> pieces, std::size_t total, std::size_t packet_size, bool last,
                packet_type type, std::uint16_t spid, std::uint8_t first_id) noexcept;

  bool done() const noexcept { return sent_ == framed_size(); }
  std::size_t packets() const noexcept { return packets_; }
  std::size_t framed_size() const noexcept { return total_ + packets_ * packet_header_size; }

  enum class outcome : std::uint8_t { done, would_block, failed };
  // Sends as much as the socket takes.
  outcome send(int socket) noexcept;

  // Copies the next packet, header and all, for a TLS record; room for packet_size bytes. 0 = no more.
  std::size_t copy_packet(std::uint8_t* out) noexcept;

 private:
  std::size_t payload_of(std::size_t packet) const noexcept;
  void header_of(std::size_t packet, std::uint8_t* out) const noexcept;

  std::span<const byte_span> pieces_;
  std::size_t total_;
  std::size_t slice_;  // payload bytes of a full packet
  std::size_t packets_;
  bool last_;
  packet_type type_;
  std::uint16_t spid_;
  std::uint8_t first_id_;
  std::size_t sent_ = 0;  // bytes of the framed stream
};

}  // namespace dragoman::tds::server
