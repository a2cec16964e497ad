#include "tests/support/tcp_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace dragoman::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(port);
  return a;
}

// False when the connection has ended.
bool pass(int from, int to) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::recv(from, buffer.data(), buffer.size(), 0);
  if (n <= 0) return false;
  for (ssize_t sent = 0; sent < n;) {
    const ssize_t k = ::send(to, buffer.data() + sent, static_cast<std::size_t>(n - sent), MSG_NOSIGNAL);
    if (k <= 0) return false;
    sent += k;
  }
  return true;
}

}  // namespace

tcp_relay::tcp_relay(std::uint16_t server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a = loopback(0);
  socklen_t length = sizeof a;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&a), &length) != 0)
    throw std::runtime_error("tcp_relay cannot listen");
  port_ = ntohs(a.sin_port);
  thread_ = std::thread([this] { serve(); });
}

tcp_relay::~tcp_relay() {
  ending_ = true;
  thread_.join();
  ::close(listener_);
}

void tcp_relay::cut() {
  cut_ = true;
  while (cut_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void tcp_relay::serve() {
  std::vector<std::pair<int, int>> links;
  const auto drop = [](std::pair<int, int> link) {
    ::close(link.first);
    ::close(link.second);
  };
  while (!ending_) {
    if (cut_) {
      for (const auto& link : links) drop(link);
      links.clear();
      cut_ = false;
    }
    std::vector<pollfd> polls{{listener_, POLLIN, 0}};
    for (const auto& [client, server] : links) {
      const short events = held_ ? 0 : POLLIN;
      polls.push_back({client, events, 0});
      polls.push_back({server, events, 0});
    }
    if (::poll(polls.data(), polls.size(), 5) <= 0) continue;
    std::vector<std::pair<int, int>> kept;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const bool good = held_ || ((polls[1 + 2 * i].revents == 0 || pass(links[i].first, links[i].second)) &&
                                  (polls[2 + 2 * i].revents == 0 || pass(links[i].second, links[i].first)));
      if (good)
        kept.push_back(links[i]);
      else
        drop(links[i]);
    }
    links = std::move(kept);
    if (polls[0].revents != 0) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in a = loopback(server_port_);
      if (client >= 0 && ::connect(server, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0) {
        ++accepted_;
        links.emplace_back(client, server);
      } else {
        drop({client, server});
      }
    }
  }
  for (const auto& link : links) drop(link);
}

}  // namespace dragoman::test
