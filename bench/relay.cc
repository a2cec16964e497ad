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

struct both {
  double direct = 0;  // seconds, median
  double gateway = 0;
  double cpu = 0;  // of the gateway
  answer seen_directly;
  answer seen;
};

both side_by_side(scenario& world, raw_client& direct, raw_client& gateway, const std::string& sql, int runs) {
  timed(direct, sql);
  timed(gateway, sql);
  std::vector<double> direct_seconds, gateway_seconds, cpu;
  both out;
  for (int i = 0; i < runs; ++i) {
    const run d = timed(direct, sql);
    const double cpu_before = world.gateway().cpu_seconds();
    const run g = timed(gateway, sql);
    cpu.push_back(world.gateway().cpu_seconds() - cpu_before);
    direct_seconds.push_back(d.seconds);
    gateway_seconds.push_back(g.seconds);
    out.seen_directly = d.what;
    out.seen = g.what;
  }
  if (out.seen_directly.rows != 1'000'000 || out.seen.rows != 1'000'000)
    throw std::runtime_error(fmt::format("{} rows came directly and {} through the gateway, 1000000 were asked for",
                                         out.seen_directly.rows, out.seen.rows));
  out.direct = median(direct_seconds);
  out.gateway = median(gateway_seconds);
  out.cpu = median(cpu);
  return out;
}

}  // namespace

namespace {

void measure_orders(const settings& s, figures& out) {
  scenario world(s, upstream_kind::warehouse);
  raw_client direct(world.direct());
  raw_client gateway(world.through_gateway());
  const both found =
      side_by_side(world, direct, gateway, fmt::format("SELECT {} FROM sales.[Order]", columns_of_orders), s.runs);
  out.add("relay 1M x 10 rows/s", 1e6 / found.gateway, "rows/s", 1e6 / found.direct);
  out.add("relay 1M x 10 bytes/s", static_cast<double>(found.seen.bytes) / found.gateway / 1e6, "MB/s",
          static_cast<double>(found.seen_directly.bytes) / found.direct / 1e6);
  out.add("relay 1M x 10 share of direct", found.direct / found.gateway, "ratio", 1.0, ">= 0.7");
  out.add("relay 1M x 10 gateway CPU", found.cpu, "s", {}, "<= 1.0");
}

}  // namespace

void measure_relay(const settings& s, figures& out) {
  measure_orders(s, out);
  scenario world(s);
  raw_client direct(world.direct());
  raw_client gateway(world.through_gateway());
  const std::string million = fmt::format("SELECT {} FROM bench.million", columns_of_rows);
  const both usual = side_by_side(world, direct, gateway, million, s.runs);
  out.add("relay 1M x 10 without a database, rows/s", 1e6 / usual.gateway, "rows/s", 1e6 / usual.direct);
  out.add("relay 1M x 10 without a database, gateway CPU", usual.cpu, "s", {}, "<= 1.0");
  const both bare = side_by_side(world, direct, gateway,
                                 fmt::format("SELECT {} FROM bench.encoded_million", columns_of_rows), s.runs);
  out.add("relay 1M x 10 from memory, rows/s", 1e6 / bare.gateway, "rows/s", 1e6 / bare.direct);

  if (s.quick) return;
  // The upstream could send ten times as fast: what the client has not read must not pile up in the gateway.
  std::atomic<bool> done{false};
  std::uint64_t most = 0;
  std::thread watch([&] {
    while (!done) {
      most = std::max(most, world.gateway().resident_bytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const std::string ten_million = fmt::format("SELECT {} FROM bench.ten_million", columns_of_rows);
  raw_client slow(world.through_gateway());
  slow.read_at_most(50'000'000);
  const run slowly = timed(slow, ten_million);
  done = true;
  watch.join();
  if (slowly.what.rows != 10'000'000) throw std::runtime_error("ten million rows were asked for");
  out.add("relay 10M rows to a slow reader, gateway RSS at most", static_cast<double>(most) / 1048576.0, "MiB", {},
          "<= 100");
  out.add("relay 10M rows to a slow reader, time", slowly.seconds, "s");
  // In turn, so that the machine's moods fall on both alike.
  std::vector<double> growth;
  for (int i = 0; i < 3; ++i) {
    double short_runs = 0;
    for (int n = 0; n < 5; ++n) short_runs += timed(gateway, million).seconds;
    growth.push_back(timed(gateway, ten_million).seconds / 2 / short_runs);
  }
  out.add("relay 10M against 1M, time per row", median(growth), "ratio", 1.0, "<= 1.15");
}

}  // namespace dragoman::bench
