#include "proxy/socket_watch.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace dragoman::proxy {

namespace asio = boost::asio;

asio::execution_context::id socket_watch::id;

socket_watch& socket_watch::of(asio::execution_context& loop) {
  return asio::use_service<socket_watch>(loop);
}

socket_watch::socket_watch(asio::execution_context& loop) : asio::execution_context::service(loop) {
  set_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (set_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  loop_side_.emplace(static_cast<asio::io_context&>(loop), set_);
  arm();
}

socket_watch::~socket_watch() = default;

// Before the loop's own reactor goes, as it was made before.
void socket_watch::shutdown() {
  loop_side_.reset();
  std::exchange(waiting_, {}).clear();
}

bool socket_watch::wait(int socket, std::function<void()> ready) {
  const auto place = static_cast<std::size_t>(socket);
  if (place >= waiting_.size()) waiting_.resize(place + 64);
  waiting_[place] = std::move(ready);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.fd = socket;
  if (::epoll_ctl(set_, EPOLL_CTL_MOD, socket, &event) == 0 ||
      (errno == ENOENT && ::epoll_ctl(set_, EPOLL_CTL_ADD, socket, &event) == 0))
    return true;
  waiting_[place] = nullptr;
  return false;
}

void socket_watch::forget(int socket) noexcept {
  if (static_cast<std::size_t>(socket) < waiting_.size()) waiting_[static_cast<std::size_t>(socket)] = nullptr;
}

// Each arming looks at the set anew: what deliver() leaves in it, or what comes meanwhile, is not lost.
void socket_watch::arm() {
  loop_side_->async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code ec) {
    if (ec) return;
    deliver();
    if (loop_side_) arm();
  });
}

void socket_watch::deliver() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(set_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.fd);
    // None: it was given up, and the socket serves others by now.
    if (const auto ready = std::exchange(waiting_[place], nullptr)) ready();
  }
}

}  // namespace dragoman::proxy
