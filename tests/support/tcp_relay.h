// A relay between a client and a server on loopback, whose connections can be cut or held: what a network does.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dragoman::test {

class tcp_relay {
 public:
  explicit tcp_relay(std::uint16_t server_port);
  ~tcp_relay();

  std::uint16_t port() const noexcept { return port_; }
  void cut();                                  // closes every connection, keeps listening
  void hold(bool on) noexcept { held_ = on; }  // nothing passes, nothing closes: half-open
  int accepted() const noexcept { return accepted_; }

 private:
  void serve();

  std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> ending_{false};
  std::atomic<bool> held_{false};
  std::atomic<bool> cut_{false};
  std::atomic<int> accepted_{0};
  std::thread thread_;
};

}  // namespace dragoman::test
