// A response's payload out of its packets, for the side that reads. Bytes are received straight into the buffer and
// moved only by the headers between them.
//
//   while (…) { n = recv(stream.room()); stream.received(n); use stream.payload(); stream.consume(…); }
//
// payload() is contiguous and keeps what was not consumed; the buffer grows when that does not leave room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"

namespace dragoman::tds {

class packet_stream {
 public:
  // Where received bytes go; at least room_min. Not valid after the next call of anything.
  std::span<std::uint8_t> room();
  // False: what came is no response packet. The stream stays failed then.
  bool received(std::size_t bytes);

  byte_span payload() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) noexcept { begin_ += bytes; }
  // The last packet of the message is in payload() or was consumed. What came behind it waits for next_message().
  bool end_of_message() const noexcept { return ended_; }
  // Something is left: payload, or bytes behind the end of the message.
  bool has_more() const noexcept { return begin_ != end_ || raw_ != filled_; }
  // False: what came behind it is no response packet.
  bool next_message();
  // For the next response: nothing is left, and memory that one long value needed is given back.
  void clear() noexcept;
  std::size_t capacity() const noexcept { return capacity_; }

  static constexpr std::size_t room_min = 32 * 1024;
  static constexpr std::size_t capacity_usual = 256 * 1024;

 private:
  bool unpack();

  // [begin_, end_) payload, [raw_, filled_) bytes as received and not unpacked yet; end_ <= raw_.
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t raw_ = 0;
  std::size_t filled_ = 0;
  std::size_t body_left_ = 0;  // of the packet that is being unpacked
  bool last_packet_ = false;
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace dragoman::tds
