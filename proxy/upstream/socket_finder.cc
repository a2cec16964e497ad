#include "proxy/upstream/socket_finder.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <functional>

namespace dragoman::upstream {
namespace {

std::uint16_t peer_port_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

void for_each_socket(const std::function<void(int, std::uint64_t)>& use) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    int fd = -1;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, fd).ptr != end || fd < 0) continue;
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode)) use(fd, status.st_ino);
  }
  closedir(folder);
}

}  // namespace

void socket_copy::reset(int fd) noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

bool socket_copy::is_dead() const noexcept {
  if (fd_ < 0) return false;
  pollfd p{fd_, POLLIN | POLLRDHUP, 0};
  if (::poll(&p, 1, 0) <= 0) return false;
  return (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool socket_copy::has_input() const noexcept {
  int waiting = 0;
  return fd_ >= 0 && ::ioctl(fd_, FIONREAD, &waiting) == 0 && waiting > 0;
}

void socket_copy::shut_down() noexcept {
  if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

void socket_copy::tune() noexcept {
  if (fd_ < 0) return;
  const auto set = [this](int level, int name, int value) { setsockopt(fd_, level, name, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

socket_finder::socket_finder(std::uint16_t peer_port) : port_(peer_port) {
  for_each_socket([this](int, std::uint64_t inode) { before_.insert(inode); });
}

int socket_finder::find() const {
  int found = -1;
  std::size_t count = 0;
  for_each_socket([&](int fd, std::uint64_t inode) {
    if (before_.contains(inode) || peer_port_of(fd) != port_) return;
    ++count;
    found = fd;
  });
  // Another part of the process may have connected to the same port meanwhile: rather none than the wrong one.
  return count == 1 ? fcntl(found, F_DUPFD_CLOEXEC, 3) : -1;
}

}  // namespace dragoman::upstream
