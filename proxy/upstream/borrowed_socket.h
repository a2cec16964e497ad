// The socket of a FreeTDS connection, used by the gateway's own wire code between FreeTDS's calls.
//
// FreeTDS connects, logs in, sets the session up and closes. While it has nothing under way its socket is at rest: no
// bytes wait in its buffers, none are due. Then a statement may be sent and its response read here, to the last byte,
// and FreeTDS finds the connection as it left it. This cannot be where the connection stays encrypted after the login.
//
// One exchange at a time. What other threads may call is marked; everything else belongs to the worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

namespace dragoman::upstream {

class borrowed_socket {
 public:
  using clock = std::chrono::steady_clock;

  // `fd` stays the owner's and must be valid while an exchange runs.
  void attach(int fd) noexcept {
    fd_ = fd;
    corked_ = true;
  }
  // The driver has used the socket, and leaves TCP_CORK on: the kernel would keep a short request for 200 ms.
  void driver_spoke() noexcept { corked_ = true; }
  int descriptor() const noexcept { return fd_; }

  // Begins an exchange: sends the request, at once or not at all where it may not wait. False: the connection is
  // broken, or not at rest.
  bool begin(std::span<const std::uint8_t> request, bool may_wait = true);
  // The response has been read to its end. True: an attention was sent meanwhile, so its acknowledgement must be read
  // before anything else; the exchange goes on.
  bool end() noexcept;
  // The connection is of no more use: what was left of the exchange is forgotten.
  void abandon() noexcept;

  // At least one byte; 0: the connection ended, broke, or gave no sign of life until `deadline`. `before_waiting` is
  // called once when there is nothing to read yet.
  std::size_t receive(std::span<std::uint8_t> into, clock::time_point deadline,
                      const std::function<void()>& before_waiting);

  // What is there: nothing where the upstream has sent nothing; 0: the connection ended or broke.
  std::optional<std::size_t> receive_now(std::span<std::uint8_t> into) noexcept;

  // From any thread: tells the server to stop the exchange that runs; once is enough. False: none runs.
  bool send_attention() noexcept;
  bool running() const noexcept;

 private:
  bool send_all(std::span<const std::uint8_t> bytes, bool may_wait) noexcept;
  void push_attention() noexcept;
  bool is_at_rest() const noexcept;

  int fd_ = -1;
  bool corked_ = true;        // of who uses the connection
  mutable std::mutex mutex_;  // the state of the exchange, and whole messages on the socket
  bool running_ = false;
  bool sending_ = false;
  bool attention_ = false;
};

}  // namespace dragoman::upstream
