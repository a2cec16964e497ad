// One-row SELECTs: what the gateway adds, alone and with many connections.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "bench/measures.h"

namespace dragoman::bench {
namespace {

using steady = std::chrono::steady_clock;

struct spread {
  double p50 = 0;
  double p99 = 0;
  double per_second = 0;
};

// `connections` clients, each on its thread, `requests` in all; microseconds. Without a pace each client sends its next
// request when it has its answer, so that together they take all the machine gives. With a pace, requests a second of
// all clients together, each is sent at its time, and the time counts from then.
spread ask(const raw_client::login& who, std::size_t connections, std::size_t requests, const std::string& sql,
           double pace = 0) {
  std::vector<std::unique_ptr<raw_client>> clients;
  for (std::size_t i = 0; i < connections; ++i) {
    clients.push_back(std::make_unique<raw_client>(who));
    for (int warm = 0; warm < 3; ++warm)
      if (const answer a = clients.back()->query(sql); a.failed || a.rows != 1)
        throw std::runtime_error("one row was expected: " + a.text);
  }
  std::vector<double> all;
  std::mutex mutex;
  std::vector<std::thread> threads;
  const auto begin = steady::now();
  for (std::size_t number = 0; number < connections; ++number)
    threads.emplace_back([&, number, per_client = requests / connections] {
      std::vector<double> mine;
      mine.reserve(per_client);
      for (std::size_t i = 0; i < per_client; ++i) {
        auto start = steady::now();
        if (pace > 0) {
          start = begin + std::chrono::duration_cast<steady::duration>(
                              std::chrono::duration<double>(static_cast<double>(i * connections + number) / pace));
          std::this_thread::sleep_until(start);
        }
        clients[number]->query(sql);
        mine.push_back(std::chrono::duration<double, std::micro>(steady::now() - start).count());
      }
      const std::lock_guard lock(mutex);
      all.insert(all.end(), mine.begin(), mine.end());
    });
  for (std::thread& t : threads) t.join();
  const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
  return {percentile(all, 0.5), percentile(all, 0.99), static_cast<double>(all.size()) / seconds};
}

}  // namespace

namespace {

// One kind of load, direct and through the gateway in turn.
void measure_load(const settings& s, scenario& world, std::size_t connections, double pace, bool has_goal,
                  figures& out) {
  const std::string sql = fmt::format("SELECT {} FROM bench.one", columns_of_rows);
  const std::size_t requests = (s.quick ? 200 : 2000) * (connections == 1 ? 1 : 4);
  std::vector<double> direct50, direct99, gateway50, gateway99, rate, direct_rate;
  for (int i = 0; i < s.runs; ++i) {
    const spread d = ask(world.direct(), connections, requests, sql, pace);
    const spread g = ask(world.through_gateway(), connections, requests, sql, pace);
    direct50.push_back(d.p50);
    direct99.push_back(d.p99);
    gateway50.push_back(g.p50);
    gateway99.push_back(g.p99);
    rate.push_back(g.per_second);
    direct_rate.push_back(d.per_second);
  }
  const auto name = [&](std::string_view what) {
    return fmt::format("one row, {} connection{}{}, {}", connections, connections == 1 ? "" : "s",
                       pace > 0 ? fmt::format(" at {:.0f}/s", pace) : "", what);
  };
  out.add(name("p50"), median(gateway50), "us", median(direct50));
  out.add(name("p99"), median(gateway99), "us", median(direct99));
  out.add(name("added p50"), median(gateway50) - median(direct50), "us", {}, has_goal ? "<= 300" : "");
  out.add(name("added p99"), median(gateway99) - median(direct99), "us", {}, "");
  if (pace == 0) out.add(name("requests/s"), median(rate), "1/s", median(direct_rate));
}

// Of 64 connections together: what busy people at 64 desks send, and far from what the machine can do.
constexpr double usual_pace = 1600;

}  // namespace

void measure_latency(const settings& s, figures& out) {
  scenario world(s);
  measure_load(s, world, 1, 0, true, out);
  measure_load(s, world, 64, usual_pace, true, out);
  // All that two cores give, shared by the clients, the upstream and the gateway: time is mostly spent in queues.
  measure_load(s, world, 16, 0, false, out);
  measure_load(s, world, 64, 0, false, out);
}

}  // namespace dragoman::bench
