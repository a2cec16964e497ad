// What all connections of a server share. Internal to tds/server.
#pragma once

#include <atomic>
#include <bitset>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "tds/server/log_limiter.h"
#include "tds/server/login_throttle.h"
#include "tds/server/server.h"
#include "tds/server/tls_context.h"

namespace dragoman::tds::server {

using steady = std::chrono::steady_clock;
inline constexpr auto never = steady::time_point::max();  // a deadline that does not come

// SPIDs that are in use: the first free one from 51 on, as SQL Server keeps those below to itself.
class spid_pool {
 public:
  std::uint16_t take();
  void give_back(std::uint16_t spid) noexcept;

 private:
  static constexpr std::uint16_t first = 51;
  static constexpr std::uint16_t last = 32766;
  std::mutex mutex_;
  std::bitset<last + 1> used_;
  std::uint16_t next_ = first;
};

struct counters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> logins{0};
  std::atomic<std::uint64_t> failed_logins{0};
  std::atomic<std::uint64_t> throttled_logins{0};
  std::atomic<std::uint64_t> sessions{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> running{0};
  std::atomic<std::uint64_t> violations{0};
  std::atomic<std::uint64_t> attentions{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
};

struct runtime {
  explicit runtime(server_options o) : options(std::move(o)), throttle(options.logins) {}

  const server_options options;
  handler* program = nullptr;
  counters count;
  spid_pool spids;
  login_throttle throttle;
  log_limiter throttled_log;
  std::atomic<bool> draining{false};
  std::atomic<std::size_t> request_memory{0};

  std::shared_ptr<tls_context> tls() const {
    const std::lock_guard lock(tls_mutex_);
    return tls_;
  }
  void set_tls(std::shared_ptr<tls_context> context) {
    const std::lock_guard lock(tls_mutex_);
    tls_ = std::move(context);
  }

 private:
  mutable std::mutex tls_mutex_;
  std::shared_ptr<tls_context> tls_;
};

// A connection's part of the memory that all requests share; given back with it.
class memory_share {
 public:
  explicit memory_share(runtime& shared) noexcept : shared_(shared) {}
  ~memory_share() { set(0); }
  memory_share(const memory_share&) = delete;
  memory_share& operator=(const memory_share&) = delete;
  // False: more than there is for all. What is small is always granted.
  bool set(std::size_t bytes) noexcept {
    constexpr std::size_t always = 64 * 1024;
    const std::size_t all = shared_.request_memory.fetch_add(bytes - held_, std::memory_order_relaxed) + bytes - held_;
    held_ = bytes;
    return bytes <= always || all <= shared_.options.request_memory_max;
  }

 private:
  runtime& shared_;
  std::size_t held_ = 0;
};

class connection;

// One thread with its loop. Everything here is touched by that thread only.
struct io_thread {
  boost::asio::io_context loop{BOOST_ASIO_CONCURRENCY_HINT_1};
  std::unordered_set<connection*> connections;
  std::vector<std::uint8_t> scratch = std::vector<std::uint8_t>(64 * 1024);  // read buffer of whoever reads now
  std::thread thread;
};

}  // namespace dragoman::tds::server
