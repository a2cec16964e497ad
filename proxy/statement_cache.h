// Statements that the guard has approved before, so that a text that comes again is neither parsed nor bound nor
// printed again: dashboards and drivers send the same text thousands of times.
//
// An entry is the guard's own verdict on the very same bytes by the same principal under the same options; the guard
// is a pure function of these, and the rights of a principal do not change while the service lives. Only batches of one
// accepted SELECT that goes to the warehouse as it stands are kept: no questions, no variables, nothing answered at
// home, nothing refused. Least recently used entries go first. Safe to use from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/statement_limits.h"
#include "guard/guard.h"

namespace dragoman::proxy {

struct approved_statement {
  guard::verdict verdict;      // accept, reads_tables
  std::vector<bool> computed;  // columns that are no plain columns of a table, as sink_receiver has it
};

class statement_cache {
 public:
  explicit statement_cache(std::size_t bytes_max = limits::statement_cache_bytes);  // 0: keeps nothing

  // Everything a verdict depends on, as one text. Empty: not to be looked up, not to be kept.
  std::string key_of(std::string_view principal, std::string_view text, const guard::check_options& options) const;

  std::shared_ptr<const approved_statement> find(const std::string& key);
  void put(std::string key, std::shared_ptr<const approved_statement> statement);

  struct state {
    std::size_t entries = 0;
    std::size_t bytes = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  state status() const;

 private:
  struct entry {
    std::string key;
    std::shared_ptr<const approved_statement> statement;
    std::size_t bytes = 0;
  };
  // Sessions of different threads rarely meet at one lock.
  struct shard {
    mutable std::mutex mutex;
    std::list<entry> order;                                                   // the last used first
    std::unordered_map<std::string_view, std::list<entry>::iterator> places;  // keys belong to `order`
    std::size_t bytes = 0;
  };
  static constexpr std::size_t shard_count = 8;
  shard& shard_of(std::string_view key);

  const std::size_t shard_bytes_max_;
  std::array<shard, shard_count> shards_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

}  // namespace dragoman::proxy
