#include "tds/packet_stream.h"

#include <algorithm>
#include <cstring>

#include "tds/packet.h"

namespace dragoman::tds {

std::span<std::uint8_t> packet_stream::room() {
  if (capacity_ - filled_ < room_min) {
    const std::size_t kept = end_ - begin_;
    const std::size_t waiting = filled_ - raw_;
    // When little is kept the bytes move to the front, else the buffer grows: what a long value has gathered is not
    // moved again and again.
    if (capacity_ == 0 || kept + waiting > capacity_ / 2) {
      const std::size_t wanted = std::max(capacity_usual, capacity_ * 2);
      auto bigger = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
      if (kept != 0) std::memcpy(bigger.get(), buffer_.get() + begin_, kept);
      if (waiting != 0) std::memcpy(bigger.get() + kept, buffer_.get() + raw_, waiting);
      buffer_ = std::move(bigger);
      capacity_ = wanted;
    } else {
      std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
      std::memmove(buffer_.get() + kept, buffer_.get() + raw_, waiting);
    }
    begin_ = 0;
    end_ = raw_ = kept;
    filled_ = kept + waiting;
  }
  return {buffer_.get() + filled_, capacity_ - filled_};
}

bool packet_stream::received(std::size_t bytes) {
  filled_ += bytes;
  return ended_ || unpack();
}

bool packet_stream::next_message() {
  ended_ = false;
  return unpack();
}

bool packet_stream::unpack() {
  while (!failed_ && !ended_) {
    if (body_left_ == 0) {
      if (filled_ - raw_ < packet_header_size) break;
      const packet_header header = read_packet_header(buffer_.get() + raw_);
      if (header.type != packet_type::tabular_result || header.length < packet_header_size) {
        failed_ = true;
        break;
      }
      raw_ += packet_header_size;
      body_left_ = header.length - packet_header_size;
      last_packet_ = (header.status & packet_status::end_of_message) != 0;
    }
    const std::size_t n = std::min(body_left_, filled_ - raw_);
    if (n == 0 && body_left_ != 0) break;
    // Nothing is kept: the payload may begin where it lies.
    if (begin_ == end_) begin_ = end_ = raw_;
    if (end_ != raw_) std::memmove(buffer_.get() + end_, buffer_.get() + raw_, n);
    end_ += n;
    raw_ += n;
    body_left_ -= n;
    if (body_left_ == 0) ended_ = last_packet_;
  }
  if (raw_ == filled_ && begin_ == end_) begin_ = end_ = raw_ = filled_ = 0;
  return !failed_;
}

void packet_stream::clear() noexcept {
  begin_ = end_ = raw_ = filled_ = body_left_ = 0;
  last_packet_ = ended_ = failed_ = false;
  if (capacity_ > 4 * capacity_usual) {
    buffer_.reset();
    capacity_ = 0;
  }
}

}  // namespace dragoman::tds
