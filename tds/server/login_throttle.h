// Slows down who guesses passwords, without locking out whose password is guessed (docs/hardening.md says why so).
//
// Every judged login takes one attempt out of an allowance that refills with time; a success gives it back. There is
// one allowance per address and one per login name. A name that has logged in from an address before has its own
// allowance there, which nobody else's failures touch. Memory is bounded whatever names and addresses are tried.
// Thread-safe. Time is given by the caller: a monotonic clock, or a test's.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dragoman::tds::server {

// Named limits of the throttle; 0 = no limit.
struct login_limits {
  unsigned failures_per_address = 40;         // a minute; so many at once, refilled evenly
  unsigned failures_per_name = 40;            // a minute, from addresses where the name has not logged in before
  unsigned unfinished_per_address = 512;      // connections that have not logged in yet
  std::size_t entries_max = 4096;             // remembered addresses, and as many names
  std::size_t known_max = 16384;              // remembered pairs of a name and an address where it logged in
  std::chrono::minutes known_for{24 * 60};    // since the last success
  static constexpr unsigned delay_steps = 8;  // the answer to a failure is delayed by so many steps at most
};

class login_throttle {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit login_throttle(const login_limits& limits) : limits_(limits) {}

  // A connection that has not logged in. False: there are too many of the address; leave() is not due then.
  bool enter(std::string_view address);
  void leave(std::string_view address);

  // Before a login is judged. False: it must be refused unjudged, as if the password were wrong.
  bool admit(std::string_view address, std::string_view name, time_point now);
  // After it failed, admitted or not: how often the address failed lately, 1 to delay_steps.
  unsigned failed(std::string_view address, std::string_view name, time_point now);
  // After an admitted login succeeded.
  void succeeded(std::string_view address, std::string_view name, time_point now);

  std::size_t entries() const;  // of all tables together

  // IPv6 addresses of one /64 are one address: a single machine has all of them.
  static std::string address_key(std::string_view address);

 private:
  struct allowance {
    double used = 0;
    time_point since{};
    void refill(unsigned per_minute, time_point now);
  };
  struct known {
    allowance used;
    time_point last_success{};
    std::list<std::string>::iterator order;
  };
  using table = std::unordered_map<std::string, allowance>;

  static std::string name_key(std::string_view name);
  static std::string pair_key(const std::string& address, const std::string& name);
  allowance& entry_of(table& in, const std::string& key, unsigned per_minute, time_point now);
  known* known_pair(const std::string& key, time_point now);

  const login_limits limits_;
  mutable std::mutex mutex_;
  table addresses_;
  table names_;
  std::unordered_map<std::string, known> known_;
  std::list<std::string> known_order_;  // the least recently successful first
  std::unordered_map<std::string, unsigned> unfinished_;
  // Where a table is full of entries that still count, newcomers share one.
  allowance other_addresses_;
  allowance other_names_;
  time_point addresses_swept_{};
  time_point names_swept_{};
};

}  // namespace dragoman::tds::server
