// The upstream layer alone: FreeTDS, ODBC blocks and the row encoder, with rows thrown away. What remains of the relay
// after it is the guard, the session and the client's socket.
#include <sys/resource.h>

#include <chrono>
#include <future>
#include <stdexcept>

#include "bench/measures.h"
#include "proxy/upstream/pool.h"

namespace dragoman::bench {
namespace {

struct discard final : upstream::row_receiver {
  explicit discard(upstream::row_form::kind k) : kind(k), room(reserve_max) {}
  upstream::row_form on_columns(const std::vector<result_column>&) override { return {kind, {}}; }
  std::span<std::uint8_t> reserve(std::size_t) override { return room; }
  void commit(std::size_t bytes, std::size_t) override { total += bytes; }
  bool on_values(std::span<const sql_value>) override { return true; }
  void on_result_end(std::uint64_t) override {}
  void stop() noexcept override {}

  upstream::row_form::kind kind;
  std::vector<std::uint8_t> room;
  std::uint64_t total = 0;
};

double cpu_now() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

}  // namespace

void measure_fetch(const settings& s, figures& out) {
  const std::uint16_t port = free_port();
  child source({s.build + "/bench/source/dragoman_bench_source", std::to_string(port)}, port,
               s.scratch + "/upstream.log");
  upstream::options o;
  o.server = "127.0.0.1";
  o.port = port;
  o.user = "bench";
  o.password = secret("bench");
  o.database = "Bench";
  o.encryption = upstream::encryption_mode::off;
  upstream::pool pool(o);
  const auto run = [&](upstream::row_form::kind kind, double& cpu) {
    auto receiver = std::make_shared<discard>(kind);
    upstream::statement statement;
    statement.sql = "SELECT id, amount, big, ratio, day, at, code, name, flag, note FROM bench.million";
    std::promise<upstream::outcome> ended;
    const double before = cpu_now();
    const auto begin = std::chrono::steady_clock::now();
    pool.execute(statement, receiver, [&](upstream::outcome end) { ended.set_value(std::move(end)); });
    const upstream::outcome end = ended.get_future().get();
    if (end.error) throw std::runtime_error(end.error->message);
    if (kind == upstream::row_form::kind::wire && end.rows != 1'000'000) throw std::runtime_error("rows are missing");
    cpu = cpu_now() - before;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> wire, wire_cpu, skipped_cpu;
  double cpu = 0;
  run(upstream::row_form::kind::wire, cpu);
  for (int i = 0; i < s.runs; ++i) {
    wire.push_back(run(upstream::row_form::kind::wire, cpu));
    wire_cpu.push_back(cpu);
    run(upstream::row_form::kind::skip, cpu);
    skipped_cpu.push_back(cpu);
  }
  out.add("fetch and encode 1M x 10", 1e6 / median(wire), "rows/s");
  out.add("fetch and encode 1M x 10, CPU", median(wire_cpu), "s", median(skipped_cpu), "<= 1.0");
}

}  // namespace dragoman::bench
