#include "proxy/upstream/borrowed_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "tds/client_request.h"

namespace dragoman::upstream {
namespace {

// FreeTDS's sockets do not block. False: nothing happened in time.
bool wait_for(int fd, short events, borrowed_socket::clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - borrowed_socket::clock::now()).count();
    if (left <= 0) return false;
    pollfd p{fd, events, 0};
    const int n = ::poll(&p, 1, static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

}  // namespace

bool borrowed_socket::send_all(std::span<const std::uint8_t> bytes, bool may_wait) noexcept {
  const auto deadline = clock::now() + limits::upstream_send_timeout;
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      if (!may_wait || !wait_for(fd_, POLLOUT, deadline)) return false;
    } else if (n == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

// One packet that fits any buffer with room, or a connection that takes nothing any more and is of no use.
void borrowed_socket::push_attention() noexcept {
  const std::vector<std::uint8_t> packet = tds::write_attention();
  if (::send(fd_, packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) != static_cast<ssize_t>(packet.size()))
    ::shutdown(fd_, SHUT_RDWR);
}

bool borrowed_socket::is_at_rest() const noexcept {
  std::uint8_t first = 0;
  return ::recv(fd_, &first, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

bool borrowed_socket::begin(std::span<const std::uint8_t> request, bool may_wait) {
  // Something that nobody asked for, or an end: what came next would be taken for our answer.
  if (!is_at_rest()) return false;
  if (std::exchange(corked_, false)) {
    const int off = 0;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
  }
  {
    const std::lock_guard lock(mutex_);
    attention_ = false;
    running_ = sending_ = true;
  }
  // Not under the lock: an upstream that takes nothing must not hold up who wants to stop it.
  const bool sent = send_all(request, may_wait);
  const std::lock_guard lock(mutex_);
  sending_ = false;
  if (!sent)
    running_ = false;
  else if (attention_)
    push_attention();
  return sent;
}

bool borrowed_socket::end() noexcept {
  const std::lock_guard lock(mutex_);
  if (attention_) return true;
  running_ = false;
  return false;
}

void borrowed_socket::abandon() noexcept {
  const std::lock_guard lock(mutex_);
  running_ = false;
  attention_ = false;
}

std::optional<std::size_t> borrowed_socket::receive_now(std::span<std::uint8_t> into) noexcept {
  while (true) {
    const ssize_t n = ::recv(fd_, into.data(), into.size(), 0);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return std::nullopt;
    return 0;
  }
}

std::size_t borrowed_socket::receive(std::span<std::uint8_t> into, clock::time_point deadline,
                                     const std::function<void()>& before_waiting) {
  for (bool told = false;;) {
    if (const auto n = receive_now(into)) return *n;
    if (!told) {
      told = true;
      before_waiting();
    }
    if (!wait_for(fd_, POLLIN, deadline)) return 0;
  }
}

bool borrowed_socket::send_attention() noexcept {
  const std::lock_guard lock(mutex_);
  if (!running_) return false;
  if (!attention_) {
    attention_ = true;
    // Amid a request it would be part of it: whoever sends that sends this too.
    if (!sending_) push_attention();
  }
  return true;
}

bool borrowed_socket::running() const noexcept {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace dragoman::upstream
