// A server with the echo handler on a free port, and what tests watch of this process meanwhile.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/tds/server/echo_handler.h"

namespace dragoman::tds::server::testing {

struct running {
  explicit running(server_options options = {}, bool own_delay = false) {
    options.threads = options.threads == 0 ? 2 : options.threads;
    if (!own_delay) options.failed_login_delay = std::chrono::milliseconds(10);
    auto made = server::start(options, handler);
    BOOST_REQUIRE_MESSAGE(made.has_value(), "server does not start");
    it = std::move(*made);
  }
  std::uint16_t port() const { return it->port(); }
  // What other threads do soon.
  template <class F>
  bool soon(F f) const {
    for (int i = 0; i < 500; ++i) {
      if (f()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  echo_handler handler;
  std::unique_ptr<server> it;
};

inline std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// Sanitizers keep what was freed.
inline bool sanitized() {
  return std::getenv("DRAGOMAN_SANITIZED") != nullptr;
}

inline std::size_t resident_kib() {
  if (sanitized()) return 0;
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4;
}

}  // namespace dragoman::tds::server::testing
