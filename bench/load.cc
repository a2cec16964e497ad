#include "bench/load.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/figures.h"

namespace dragoman::bench {
namespace {
using steady = std::chrono::steady_clock;

std::string text_of(const std::string& sql) {
  static std::atomic<std::uint64_t> number{0};
  const std::size_t at = sql.find('#');
  if (at == std::string::npos) return sql;
  return sql.substr(0, at) + std::to_string(++number) + sql.substr(at + 1);
}

}  // namespace

spread ask(const raw_client::login& who, std::size_t connections, std::size_t requests, const std::string& sql,
           double pace) {
  std::vector<std::unique_ptr<raw_client>> clients;
  for (std::size_t i = 0; i < connections; ++i) {
    clients.push_back(std::make_unique<raw_client>(who));
    for (int warm = 0; warm < 3; ++warm)
      if (const answer a = clients.back()->query(text_of(sql)); a.failed || a.rows != 1)
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
        const std::string text = text_of(sql);
        auto start = steady::now();
        if (pace > 0) {
          start = begin + std::chrono::duration_cast<steady::duration>(
                              std::chrono::duration<double>(static_cast<double>(i * connections + number) / pace));
          std::this_thread::sleep_until(start);
        }
        clients[number]->query(text);
        mine.push_back(std::chrono::duration<double, std::micro>(steady::now() - start).count());
      }
      const std::lock_guard lock(mutex);
      all.insert(all.end(), mine.begin(), mine.end());
    });
  for (std::thread& t : threads) t.join();
  const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
  return {percentile(all, 0.5), percentile(all, 0.99), static_cast<double>(all.size()) / seconds};
}

}  // namespace dragoman::bench
