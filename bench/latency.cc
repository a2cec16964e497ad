// One-row SELECTs: what the gateway adds, alone and with many connections.
#include <fmt/format.h>

#include "bench/load.h"
#include "bench/measures.h"

namespace dragoman::bench {
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
