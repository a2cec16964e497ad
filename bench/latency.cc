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

// `connections` clients, each on its thread, `requests` in all; microseconds.
spread ask(const raw_client::login& who, std::size_t connections, std::size_t requests, const std::string& sql) {
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
  for (auto& client : clients)
    threads.emplace_back([&, per_client = requests / connections] {
      std::vector<double> mine;
      mine.reserve(per_client);
      for (std::size_t i = 0; i < per_client; ++i) {
        const auto start = steady::now();
        client->query(sql);
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

void measure_latency(const settings& s, figures& out) {
  scenario world(s);
  const std::string sql = fmt::format("SELECT {} FROM bench.one", columns_of_rows);
  for (const std::size_t connections : {1U, 16U, 64U}) {
    const std::size_t requests = (s.quick ? 200 : 2000) * (connections == 1 ? 1 : 4);
    std::vector<double> direct50, direct99, gateway50, gateway99, rate, direct_rate;
    for (int i = 0; i < s.runs; ++i) {
      const spread d = ask(world.direct(), connections, requests, sql);
      const spread g = ask(world.through_gateway(), connections, requests, sql);
      direct50.push_back(d.p50);
      direct99.push_back(d.p99);
      gateway50.push_back(g.p50);
      gateway99.push_back(g.p99);
      rate.push_back(g.per_second);
      direct_rate.push_back(d.per_second);
    }
    const auto name = [&](std::string_view what) {
      return fmt::format("one row, {} connection{}, {}", connections, connections == 1 ? "" : "s", what);
    };
    out.add(name("p50"), median(gateway50), "us", median(direct50));
    out.add(name("p99"), median(gateway99), "us", median(direct99));
    const bool alone = connections == 1;
    out.add(name("added p50"), median(gateway50) - median(direct50), "us", {}, alone ? "<= 300" : "");
    out.add(name("added p99"), median(gateway99) - median(direct99), "us", {}, "");
    out.add(name("requests/s"), median(rate), "1/s", median(direct_rate));
  }
}

}  // namespace dragoman::bench
