// Many rows: direct and through the gateway, interleaved, medians.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bench/measures.h"

namespace dragoman::bench {
namespace {

using steady = std::chrono::steady_clock;

struct run {
  double seconds = 0;
  answer what;
};

run timed(raw_client& client, const std::string& sql) {
  const auto begin = steady::now();
  run r;
  r.what = client.query(sql);
  r.seconds = std::chrono::duration<double>(steady::now() - begin).count();
  if (r.what.failed) throw std::runtime_error("the statement failed: " + r.what.text);
  return r;
}

}  // namespace

void measure_relay(const settings& s, figures& out) {
  scenario world(s);
  raw_client direct(world.direct());
  raw_client gateway(world.through_gateway());
  const std::string sql = fmt::format("SELECT {} FROM bench.million", columns_of_rows);
  timed(direct, sql);
  timed(gateway, sql);

  std::vector<double> direct_seconds, gateway_seconds, cpu;
  answer seen_direct, seen_gateway;
  for (int i = 0; i < s.runs; ++i) {
    const run d = timed(direct, sql);
    const double cpu_before = world.gateway().cpu_seconds();
    const run g = timed(gateway, sql);
    cpu.push_back(world.gateway().cpu_seconds() - cpu_before);
    direct_seconds.push_back(d.seconds);
    gateway_seconds.push_back(g.seconds);
    seen_direct = d.what;
    seen_gateway = g.what;
  }
  if (seen_direct.rows != 1'000'000 || seen_gateway.rows != 1'000'000)
    throw std::runtime_error(fmt::format("{} rows came directly and {} through the gateway, 1000000 were asked for",
                                         seen_direct.rows, seen_gateway.rows));
  const double d = median(direct_seconds);
  const double g = median(gateway_seconds);
  out.add("relay 1M x 10 rows/s", 1e6 / g, "rows/s", 1e6 / d);
  out.add("relay 1M x 10 bytes/s", static_cast<double>(seen_gateway.bytes) / g / 1e6, "MB/s",
          static_cast<double>(seen_direct.bytes) / d / 1e6);
  out.add("relay 1M x 10 share of direct", d / g, "ratio", 1.0, ">= 0.7");
  out.add("relay 1M x 10 gateway CPU", median(cpu), "s", {}, "<= 1.0");

  // Memory: a reader slower than the upstream must not make the gateway swell.
  if (s.quick) return;
  std::atomic<bool> done{false};
  std::uint64_t most = 0;
  std::thread watch([&] {
    while (!done) {
      most = std::max(most, world.gateway().resident_bytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const run ten = timed(gateway, fmt::format("SELECT {} FROM bench.ten_million", columns_of_rows));
  done = true;
  watch.join();
  out.add("relay 10M rows, gateway RSS at most", static_cast<double>(most) / 1048576.0, "MiB", {}, "<= 100");
  out.add("relay 10M against 1M, time per row", ten.seconds / 10 / g, "ratio", 1.0, "<= 1.15");
}

}  // namespace dragoman::bench
