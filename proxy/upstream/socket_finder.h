// Finds the socket that the driver opened for a connection. ODBC does not tell it, and without it a connection whose
// server ignores an attention could not be ended while a call waits on it.
#pragma once

#include <cstdint>
#include <set>

namespace dragoman::upstream {

// A duplicate of a socket's descriptor: the socket stays the driver's, closing this one disturbs nothing.
class socket_copy {
 public:
  socket_copy() = default;
  explicit socket_copy(int fd) : fd_(fd) {}
  socket_copy(const socket_copy&) = delete;
  socket_copy& operator=(const socket_copy&) = delete;
  ~socket_copy() { reset(); }
  void reset(int fd = -1) noexcept;

  bool known() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  // The peer has closed, or the connection is broken. False when the socket is not known.
  bool is_dead() const noexcept;
  // Bytes have arrived that the driver has not read yet.
  bool has_input() const noexcept;
  // Ends both directions: whoever waits on the socket wakes with an end of file.
  void shut_down() noexcept;
  void tune() noexcept;  // keep-alive, no delay

 private:
  int fd_ = -1;
};

// Compares the process's sockets before and after a connect. Only one may be alive per process: see connect_mutex.
class socket_finder {
 public:
  explicit socket_finder(std::uint16_t peer_port);
  // A copy of the only new socket whose peer has that port; -1 when there is none, or more than one.
  int find() const;

 private:
  std::uint16_t port_;
  std::set<std::uint64_t> before_;  // inodes
};

}  // namespace dragoman::upstream
