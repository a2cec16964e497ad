#include "bench/peers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "bench/load.h"
#include "bench/measures.h"

namespace dragoman::bench {
namespace {

std::string found(const char* program) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"})
    if (::access((std::string(folder) + program).c_str(), X_OK) == 0) return std::string(folder) + program;
  return {};
}

}  // namespace

std::optional<peer> start_haproxy(const settings& s, const scenario& world) {
  const std::string program = found("haproxy");
  if (program.empty()) return std::nullopt;
  const std::uint16_t port = free_port();
  const std::string file = s.scratch + "/haproxy.cfg";
  std::ofstream(file) << fmt::format(
      "global\n  maxconn 4096\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 1h\n  timeout server 1h\n"
      "listen tds\n  bind 127.0.0.1:{}\n  server upstream 127.0.0.1:{}\n",
      port, world.upstream_port());
  peer p{
      "HAProxy",
      std::make_unique<child>(std::vector<std::string>{program, "-db", "-f", file}, port, s.scratch + "/haproxy.log"),
      world.direct()};
  p.login.port = port;
  return p;
}

std::optional<peer> start_tdspool(const settings& s, const scenario& world) {
  const std::string program = found("tdspool");
  if (program.empty()) return std::nullopt;
  const std::uint16_t port = free_port();
  std::ofstream(s.scratch + "/freetds.conf") << fmt::format(
      "[upstream]\nhost = 127.0.0.1\nport = {}\ntds version = 7.4\nencryption = off\n", world.upstream_port());
  const raw_client::login who = world.direct();
  std::ofstream(s.scratch + "/pool.conf") << fmt::format(
      "[bench]\nuser = {0}\npassword = {1}\nserver = upstream\ndatabase = {2}\nserver user = {0}\n"
      "server password = {1}\nport = {3}\nmin pool conn = 2\nmax pool conn = 160\nmax member age = 3600\n",
      who.user, who.password, who.database, port);
  ::setenv("FREETDSCONF", (s.scratch + "/freetds.conf").c_str(), 1);
  peer p{"tdspool", nullptr, who};
  p.process = std::make_unique<child>(
      std::vector<std::string>{program, "-c", s.scratch + "/pool.conf", "-l", s.scratch + "/tdspool.log", "bench"},
      port, s.scratch + "/tdspool.out");
  ::unsetenv("FREETDSCONF");
  p.login.port = port;
  return p;
}

namespace {

struct contender {
  std::string name;
  raw_client::login login;
  const child* process = nullptr;
  std::vector<double> seconds, cpu;
  std::vector<double> p50, p99, rate;
};

double timed(raw_client& client, const std::string& sql) {
  const auto begin = std::chrono::steady_clock::now();
  const answer a = client.query(sql);
  if (a.failed || a.rows != 1'000'000) throw std::runtime_error("a million rows were expected: " + a.text);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Everybody in turn, so that the machine's moods fall on all alike.
void relay_in_turn(std::vector<contender>& all, const std::string& sql, int runs) {
  std::vector<std::unique_ptr<raw_client>> clients;
  for (const contender& c : all) clients.push_back(std::make_unique<raw_client>(c.login));
  for (auto& c : clients) timed(*c, sql);
  for (int i = 0; i < runs; ++i)
    for (std::size_t n = 0; n < all.size(); ++n) {
      const double before = all[n].process != nullptr ? all[n].process->cpu_seconds() : 0;
      all[n].seconds.push_back(timed(*clients[n], sql));
      if (all[n].process != nullptr) all[n].cpu.push_back(all[n].process->cpu_seconds() - before);
    }
}

void report_relay(const std::vector<contender>& all, std::string_view what, figures& out) {
  const double direct = median(all[0].seconds);
  const double gateway = median(all[1].seconds);
  out.add(fmt::format("{}: share of direct", what), direct / gateway, "ratio", 1.0, ">= 0.85");
  for (std::size_t n = 1; n < all.size(); ++n)
    out.add(fmt::format("{}: CPU of {}", what, all[n].name), median(all[n].cpu), "s", {}, n == 1 ? "<= 1.0" : "");
  for (std::size_t n = 2; n < all.size(); ++n)
    out.add(fmt::format("{}: rows/s of the gateway to those of {}", what, all[n].name),
            median(all[n].seconds) / gateway, "ratio", 1.0, all[n].name == "tdspool" ? ">= 1.0" : ">= 0.9");
}

void latency_in_turn(std::vector<contender>& all, std::size_t connections, std::string_view kind,
                     std::string_view where, const settings& s, figures& out) {
  const std::string sql = fmt::format("SELECT {} FROM bench.one{}", columns_of_rows, where);
  const std::size_t requests = (s.quick ? 200 : 2000) * (connections == 1 ? 1 : 4);
  for (contender& c : all) {
    c.p50.clear();
    c.p99.clear();
    c.rate.clear();
  }
  for (int i = 0; i < s.runs; ++i)
    for (contender& c : all) {
      const spread found = ask(c.login, connections, requests, sql);
      c.p50.push_back(found.p50);
      c.p99.push_back(found.p99);
      c.rate.push_back(found.per_second);
    }
  const auto name = [&](const contender& c, std::string_view what) {
    return fmt::format("one row, {} connection{}{}, {}: {}", connections, connections == 1 ? "" : "s", kind, c.name,
                       what);
  };
  for (std::size_t n = 1; n < all.size(); ++n) {
    const contender& c = all[n];
    out.add(name(c, "added p50"), median(c.p50) - median(all[0].p50), "us", {}, n == 1 ? "<= 80" : "");
    out.add(name(c, "added p99"), median(c.p99) - median(all[0].p99), "us", {},
            n == 1 && connections == 1 ? "<= 400" : "");
    out.add(name(c, "requests/s"), median(c.rate), "1/s", median(all[0].rate));
    if (n > 1)
      out.add(name(all[1], "requests/s to those of " + c.name), median(all[1].rate) / median(c.rate), "ratio", 1.0,
              c.name == "tdspool" && connections == 120 ? ">= 1.0" : "");
  }
}

}  // namespace

void measure_peers(const settings& s, figures& out) {
  const auto line_up = [&](scenario& world, std::vector<peer>& peers) {
    for (auto* start : {start_haproxy, start_tdspool})
      if (auto p = start(s, world)) peers.push_back(std::move(*p));
    std::vector<contender> all;
    all.push_back({"direct", world.direct(), nullptr, {}, {}, {}, {}, {}});
    all.push_back({"gateway", world.through_gateway(), &world.gateway(), {}, {}, {}, {}, {}});
    for (const peer& p : peers) all.push_back({p.name, p.login, p.process.get(), {}, {}, {}, {}, {}});
    return all;
  };
  if (found("haproxy").empty()) out.note("not run: HAProxy is not installed");
  if (found("tdspool").empty()) out.note("not run: tdspool is not installed");
  {
    scenario world(s, upstream_kind::warehouse);
    std::vector<peer> peers;
    std::vector<contender> all = line_up(world, peers);
    relay_in_turn(all, fmt::format("SELECT {} FROM sales.[Order]", columns_of_orders), s.runs);
    report_relay(all, "1M x 10 from the warehouse", out);
  }
  scenario world(s);
  std::vector<peer> peers;
  std::vector<contender> all = line_up(world, peers);
  relay_in_turn(all, fmt::format("SELECT {} FROM bench.million", columns_of_rows), s.runs);
  report_relay(all, "1M x 10 of mixed types", out);
  // The same text each time, as drivers and dashboards send it, and one that the guard has never seen.
  for (const std::size_t connections : {1, 16, 120}) latency_in_turn(all, connections, "", "", s, out);
  for (const std::size_t connections : {1, 16, 120})
    latency_in_turn(all, connections, ", new texts", " WHERE id <> #", s, out);
  // TLS of the client's side: HAProxy passes it through, tdspool has none.
  std::erase_if(all, [](const contender& c) { return c.name == "tdspool"; });
  for (contender& c : all) c.login.tls = true;
  for (const std::size_t connections : {1, 16, 120}) latency_in_turn(all, connections, ", TLS", "", s, out);
}

}  // namespace dragoman::bench
