#include "tds/server/packet_output.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace dragoman::tds::server {
namespace {

// Walks the pieces from a payload offset; calls f(pointer, count) for each stretch of the next `count` bytes.
template <class F>
void for_stretches(std::span<const byte_span> pieces, std::size_t offset, std::size_t count, F f) {
  for (const byte_span& piece : pieces) {
    if (count == 0) return;
    if (offset >= piece.size()) {
      offset -= piece.size();
      continue;
    }
    const std::size_t part = std::min(count, piece.size() - offset);
    f(piece.data() + offset, part);
    count -= part;
    offset = 0;
  }
}

}  // namespace

packet_output::packet_output(std::span<const byte_span> pieces, std::size_t total, std::size_t packet_size, bool last,
                             packet_type type, std::uint16_t spid, std::uint8_t first_id) noexcept
    : pieces_(pieces),
      total_(total),
      slice_(packet_size - packet_header_size),
      packets_((total + slice_ - 1) / slice_),
      last_(last),
      type_(type),
      spid_(spid),
      first_id_(first_id) {
  if (packets_ == 0 && last) packets_ = 1;
}

std::size_t packet_output::payload_of(std::size_t packet) const noexcept {
  return std::min(slice_, total_ - packet * slice_);
}

void packet_output::header_of(std::size_t packet, std::uint8_t* out) const noexcept {
  write_packet_header(out, type_, last_ && packet + 1 == packets_, payload_of(packet) + packet_header_size, spid_,
                      static_cast<std::uint8_t>(first_id_ + packet));
}

packet_output::outcome packet_output::send(int socket) noexcept {
  constexpr std::size_t group = 32;  // packets per system call
  while (!done()) {
    std::array<std::array<std::uint8_t, packet_header_size>, group> headers;
    std::array<iovec, group * 4> vectors;
    std::size_t used = 0;
    const std::size_t framed = slice_ + packet_header_size;
    std::size_t packet = sent_ / framed;
    std::size_t skip = sent_ % framed;
    for (std::size_t i = 0; i < group && packet < packets_ && used + 3 < vectors.size(); ++i, ++packet) {
      if (skip < packet_header_size) {
        header_of(packet, headers[i].data());
        vectors[used++] = {headers[i].data() + skip, packet_header_size - skip};
        skip = packet_header_size;
      }
      const std::size_t inside = skip - packet_header_size;
      bool room = true;
      for_stretches(pieces_, packet * slice_ + inside, payload_of(packet) - inside,
                    [&](const std::uint8_t* data, std::size_t count) {
                      if (used == vectors.size()) {
                        room = false;
                        return;
                      }
                      vectors[used++] = {const_cast<std::uint8_t*>(data), count};
                    });
      skip = 0;
      if (!room) break;
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = used;
    const ssize_t count = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? outcome::would_block : outcome::failed;
    }
    sent_ += static_cast<std::size_t>(count);
  }
  return outcome::done;
}

std::size_t packet_output::copy_packet(std::uint8_t* out) noexcept {
  const std::size_t packet = sent_ / (slice_ + packet_header_size);
  if (packet >= packets_) return 0;
  header_of(packet, out);
  std::uint8_t* at = out + packet_header_size;
  for_stretches(pieces_, packet * slice_, payload_of(packet), [&](const std::uint8_t* data, std::size_t count) {
    std::memcpy(at, data, count);
    at += count;
  });
  const auto size = static_cast<std::size_t>(at - out);
  sent_ += size;
  return size;
}

}  // namespace dragoman::tds::server
