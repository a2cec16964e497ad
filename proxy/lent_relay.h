// A statement on a lent connection: the session's own thread sends it, reads what comes and writes the rows into the
// response, without any other thread. See proxy/upstream/lease.h.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "proxy/socket_watch.h"
#include "proxy/upstream/lease.h"
#include "tds/server/event.h"
#include "tds/server/response.h"

namespace dragoman::proxy {

class lent_relay {
 public:
  // `computed` as sink_receiver has it.
  lent_relay(upstream::lease lent, tds::server::response& out, std::vector<bool> computed);
  ~lent_relay();

  // The end of the statement; all rows were written, and the greater part sent. nullopt: the connection was found
  // broken before anything was seen, and the statement may go another way.
  boost::asio::awaitable<std::optional<upstream::outcome>> run(const upstream::statement& statement);

  // On the session's thread, while run() is under way: ends it at once.
  void interrupt() noexcept;

 private:
  // What a timer's late handler may still touch.
  struct state {
    state(const boost::asio::any_io_executor& e, socket_watch& w, int s) : watch(w), socket(s), wake(e), timer(e) {}
    socket_watch& watch;
    const int socket;  // the connection's
    tds::server::event wake;
    boost::asio::steady_timer timer;
    std::chrono::steady_clock::duration left{};  // of the upstream's time; a slow client takes nothing from it
    std::chrono::steady_clock::time_point waiting_since{};
    bool waiting = false;
    bool armed = false;
    bool ended = false;
    std::optional<errc> stop;
  };
  static void arm(const std::shared_ptr<state>& s);
  boost::asio::awaitable<void> wait();
  void let_go() noexcept;

  upstream::lease lease_;
  tds::server::response& out_;
  const std::vector<bool> computed_;
  std::shared_ptr<state> state_;
};

}  // namespace dragoman::proxy
