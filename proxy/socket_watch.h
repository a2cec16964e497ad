// Waits for sockets that belong to somebody else: those of lent upstream connections, which FreeTDS opens and closes.
//
// An asio descriptor would have to be made for each statement and taken apart after it: five system calls where one
// does. Here a socket stays in an epoll set of the loop's own and is armed for one event at a time (EPOLLONESHOT); that
// set is one descriptor of the loop. Nothing has to be undone: a socket that is closed leaves the set by itself, and
// one that another thread uses stays disarmed here.
//
// One per io_context, made when first asked for; everything on the thread that runs the loop.
#pragma once

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <optional>
#include <vector>

namespace dragoman::proxy {

class socket_watch final : public boost::asio::execution_context::service {
 public:
  using key_type = socket_watch;
  static boost::asio::execution_context::id id;

  static socket_watch& of(boost::asio::execution_context& loop);
  explicit socket_watch(boost::asio::execution_context& loop);
  ~socket_watch() override;

  // Calls `ready` once, from the loop, when the socket can be read, has ended or is broken; it may wait again. False:
  // the system refuses, and nothing will be called. A second wait for a socket replaces the first.
  bool wait(int socket, std::function<void()> ready);
  // What waits for the socket is not called any more.
  void forget(int socket) noexcept;

 private:
  void shutdown() override;
  void arm();
  void deliver();

  int set_ = -1;
  std::optional<boost::asio::posix::stream_descriptor> loop_side_;  // owns set_
  std::vector<std::function<void()>> waiting_;                      // by socket
};

}  // namespace dragoman::proxy
