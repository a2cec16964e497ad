#include "tds/packet.h"

#include <algorithm>

namespace dragoman::tds {

packet_header read_packet_header(const std::uint8_t* p) noexcept {
  packet_header header;
  header.type = static_cast<packet_type>(p[0]);
  header.status = p[1];
  header.length = static_cast<std::uint16_t>(p[2] << 8 | p[3]);
  header.spid = static_cast<std::uint16_t>(p[4] << 8 | p[5]);
  header.id = p[6];
  return header;
}

std::size_t message_assembler::feed(byte_span input) {
  std::size_t used = 0;
  while (used < input.size() && !complete_ && failure_ == nullptr) {
    if (header_filled_ < packet_header_size) {
      const std::size_t count = std::min(packet_header_size - header_filled_, input.size() - used);
      std::copy_n(input.data() + used, count, header_bytes_.data() + header_filled_);
      header_filled_ += count;
      used += count;
      if (header_filled_ < packet_header_size) break;
      begin_packet();
    } else {
      const std::size_t count = std::min(body_left_, input.size() - used);
      // Bulk data is only ever thrown away, so it needs no room and has no limit.
      if (header_.type != packet_type::bulk_load) message_.payload.raw(input.subspan(used, count));
      used += count;
      body_left_ -= count;
    }
    if (failure_ == nullptr && body_left_ == 0) end_packet();
  }
  return used;
}

void message_assembler::begin_packet() {
  header_ = read_packet_header(header_bytes_.data());
  if (header_.length < packet_header_size || header_.length > 32768) {
    failure_ = "packet length out of range";
    return;
  }
  if (in_message_ && header_.type != message_.type) {
    if (header_.type != packet_type::attention) {
      failure_ = "packet of another type inside a message";
      return;
    }
    // An attention in the middle of a request withdraws the request.
    in_message_ = false;
  }
  if (!in_message_) {
    message_ = request_message{};
    message_.type = header_.type;
    in_message_ = true;
  }
  body_left_ = header_.length - packet_header_size;
  if (header_.type != packet_type::bulk_load && message_.payload.size() + body_left_ > limit_)
    failure_ = "message longer than its limit";
}

void message_assembler::end_packet() {
  header_filled_ = 0;
  if ((header_.status & packet_status::reset_connection) != 0) message_.reset = true;
  if ((header_.status & packet_status::reset_connection_skip_transaction) != 0)
    message_.reset = message_.reset_keep_transaction = true;
  // A client ends what it withdraws with IGNORE, some without the end-of-message bit.
  if ((header_.status & packet_status::ignore) != 0 && header_.type != packet_type::attention) message_.ignored = true;
  if ((header_.status & packet_status::end_of_message) != 0 || message_.ignored ||
      header_.type == packet_type::attention) {
    complete_ = true;
    in_message_ = false;
  }
}

request_message message_assembler::take() {
  complete_ = false;
  request_message out = std::move(message_);
  message_ = request_message{};
  return out;
}

}  // namespace dragoman::tds
