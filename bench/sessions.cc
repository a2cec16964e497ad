// Sessions themselves: what one that does nothing costs in memory, and how many can come and go in a second.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/measures.h"

namespace dragoman::bench {
namespace {

using steady = std::chrono::steady_clock;

// Each session is a descriptor here and one in the gateway, which inherits this limit.
std::size_t raise_file_limit(std::size_t wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted + 500);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur) - 500;
}

double idle_kib_per_session(const settings& s, std::size_t count, bool tls) {
  scenario world(s);
  raw_client::login who = world.through_gateway();
  who.tls = tls;
  who.packet_size = 4096;
  for (int i = 0; i < 50; ++i) raw_client(who).query("SELECT 1 AS n");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const std::uint64_t before = world.gateway().resident_bytes();
  std::vector<std::unique_ptr<raw_client>> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    sessions.push_back(std::make_unique<raw_client>(who));
    sessions.back()->stay_idle();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const std::uint64_t after = world.gateway().resident_bytes();
  if (world.gateway().open_files() < count) throw std::runtime_error("the sessions did not stay");
  return (static_cast<double>(after) - static_cast<double>(before)) / 1024 / static_cast<double>(count);
}

// Connect, log in, close, `clients` at a time.
double logins_per_second(const raw_client::login& who, std::size_t clients, std::size_t count) {
  raw_client{who};
  const auto begin = steady::now();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < clients; ++t)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < count / clients; ++i) raw_client{who};
    });
  for (std::thread& t : threads) t.join();
  return static_cast<double>(count / clients * clients) / std::chrono::duration<double>(steady::now() - begin).count();
}

}  // namespace

void measure_idle(const settings& s, figures& out) {
  const std::size_t count = raise_file_limit(s.quick ? 1000 : 10'000);
  out.add(fmt::format("{} idle sessions, plain", count), idle_kib_per_session(s, count, false), "KiB each", {},
          "<= 24");
  out.add(fmt::format("{} idle sessions, TLS", count), idle_kib_per_session(s, count, true), "KiB each", {}, "<= 64");
}

void measure_connects(const settings& s, figures& out) {
  scenario world(s, upstream_kind::warehouse);
  const std::size_t count = s.quick ? 100 : 1000;
  for (const bool tls : {false, true})
    for (const std::size_t clients : {1, 8}) {
      std::vector<double> direct, gateway;
      for (int i = 0; i < s.runs; ++i) {
        raw_client::login there = world.direct(), here = world.through_gateway();
        there.tls = here.tls = tls;
        direct.push_back(logins_per_second(there, clients, count));
        gateway.push_back(logins_per_second(here, clients, count));
      }
      out.add(fmt::format("connect, login, close, {}, {} at a time", tls ? "TLS" : "plain", clients), median(gateway),
              "1/s", median(direct));
    }
}

}  // namespace dragoman::bench
