// Receivers for tests: one that keeps the wire bytes, with a brake; and helpers that wait for a statement's end.
#pragma once

#include <boost/test/data/test_case.hpp>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "proxy/upstream/pool.h"

namespace dragoman::upstream_test {

// Every promise holds on both roads: rows from the connection's socket, and through ODBC.
inline const auto both_roads = boost::unit_test::data::make({true, false});

struct wire_collector : upstream::row_receiver {
  explicit wire_collector(tds::wire_profile p = {}) : profile(p) {}

  upstream::row_form on_columns(const std::vector<result_column>& c) override {
    columns = c;
    return {upstream::row_form::kind::wire, profile};
  }
  std::span<std::uint8_t> reserve(std::size_t bytes) override {
    std::unique_lock lock(mutex);
    wake.wait(lock, [this] { return !braked || stopped; });
    if (stopped) return {};
    room.resize(bytes);
    return room;
  }
  void commit(std::size_t bytes, std::size_t n) override {
    if (keep) wire.insert(wire.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(bytes));
    total += bytes;
    rows += n;
  }
  void on_result_end(std::uint64_t) override { ++results; }
  void stop() noexcept override {
    const std::lock_guard lock(mutex);
    stopped = true;
    wake.notify_all();
  }
  void brake(bool on) {
    const std::lock_guard lock(mutex);
    braked = on;
    wake.notify_all();
  }

  tds::wire_profile profile;
  std::vector<result_column> columns;
  std::vector<std::uint8_t> wire;
  std::vector<std::uint8_t> room;
  bool keep = true;
  std::size_t total = 0;
  std::size_t rows = 0;
  std::size_t results = 0;
  std::mutex mutex;
  std::condition_variable wake;
  bool braked = false;
  bool stopped = false;
};

// A statement under way.
struct running {
  std::future<upstream::outcome> end;
  upstream::handle handle;

  upstream::outcome wait() { return end.get(); }
  bool done_within(std::chrono::milliseconds time) { return end.wait_for(time) == std::future_status::ready; }
};

inline running run(upstream::pool& pool, upstream::statement s, std::shared_ptr<upstream::row_receiver> receiver) {
  auto promise = std::make_shared<std::promise<upstream::outcome>>();
  running r;
  r.end = promise->get_future();
  r.handle = pool.execute(std::move(s), std::move(receiver),
                          [promise](upstream::outcome end) { promise->set_value(std::move(end)); });
  return r;
}

inline upstream::statement sql(std::string text) {
  upstream::statement s;
  s.sql = std::move(text);
  return s;
}

}  // namespace dragoman::upstream_test
