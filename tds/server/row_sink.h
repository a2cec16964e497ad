// Rows on their way from a worker thread to the connection's thread: the worker encodes straight into buffers of
// several packets' size, the connection sends them with gather writes. Bounded: a slow client makes the worker wait.
//
// Worker's side:
//   sink->columns(metadata);                          // optional: COLMETADATA, also gives layout()
//   for each row { cursor p = sink->reserve(n); …encode…; sink->commit(end - p); if (!sink->end_row()) break; }
//   sink->close();                                    // always, whatever happened
// reserve() never fails: when the client is gone the bytes go nowhere. A row once begun is written to its end, also
// after a cancel, because half of it may be on the wire already.
// One worker at a time; held by shared_ptr by both sides.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/sql_value.h"
#include "tds/token_writer.h"
#include "tds/version.h"
#include "tds/wire_column.h"

namespace dragoman::tds::server {

class row_sink {
 public:
  // `wake` is called from the worker's thread when the connection should look: it must be cheap and thread-safe.
  row_sink(const wire_profile& profile, std::function<void()> wake,
           std::size_t queue_limit = limits::response_queue_bytes);

  // --- the worker ---
  void columns(std::span<const result_column> columns);
  // The same with a layout of the worker's own; not where the columns are kept.
  void columns(std::span<const result_column> columns, row_layout layout);
  void adopt(row_layout layout) { layout_ = std::move(layout); }  // COLMETADATA was written by response::columns
  const row_layout& layout() const noexcept { return layout_; }
  // Before the worker begins: where the columns come from, told behind COLMETADATA.
  void browse(browse_info info) { browse_ = std::move(info); }
  // Before the worker begins: columns() is to write nothing, the connection reads kept_columns() once it has taken a
  // block or the end.
  void keep_columns() noexcept { keep_columns_ = true; }
  bool keeps_columns() const noexcept { return keep_columns_; }
  const std::optional<std::vector<result_column>>& kept_columns() const noexcept { return kept_columns_; }
  const wire_profile& profile() const noexcept { return profile_; }

  // At least `count` bytes of room, until the next call. May wait for the client.
  std::uint8_t* reserve(std::size_t count) {
    if (count > room_) refill(count);
    return at_;
  }
  void commit(std::size_t count) noexcept {
    at_ += count;
    room_ -= count;
  }
  // Bytes of any number, e.g. a piece of a long value; waits as needed.
  void append(byte_span bytes);
  // Marks the end of a row; false = stop, the client has cancelled or gone.
  bool end_row() noexcept {
    ++rows_;
    return !stop_.load(std::memory_order_relaxed);
  }
  // An owned row, for workers that have values; end_row() is included.
  bool row(std::span<const sql_value> values);
  std::uint64_t rows() const noexcept { return rows_; }
  // Hands over what is written if the connection has nothing to send; call before waiting for more rows.
  void offer();
  // The same, but only when it is worth the wake-up: enough is written, or the client has waited for a while. Cheap;
  // call between rows as often as you like, so that the rows of a slow upstream do not lie here until a block is full.
  void pulse() {
    if (idle_.load(std::memory_order_relaxed)) pulse_slowly();
  }
  void close();
  bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

  // --- the connection ---
  void stop() noexcept;     // cancelled: the worker ends at the next row
  void abandon() noexcept;  // the client is gone: what is written goes nowhere, nobody waits
  struct block {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t size = 0;
    std::size_t capacity = 0;
  };
  // Moves up to `most` waiting blocks into `out`; true when closed and all are taken.
  bool take(std::vector<block>& out, std::size_t most);  // nothing taken: `wake` will be called
  void give_back(std::vector<block>& blocks);            // sent: their room is free again

  static constexpr std::size_t block_bytes = 64 * 1024;

 private:
  void refill(std::size_t count);
  void pulse_slowly();
  void hand_over(std::unique_lock<std::mutex>& lock);

  const wire_profile profile_;
  const std::function<void()> wake_;
  const std::size_t queue_limit_;
  row_layout layout_;
  std::optional<browse_info> browse_;
  bool keep_columns_ = false;
  std::optional<std::vector<result_column>> kept_columns_;

  // The worker's alone.
  block current_;
  std::uint8_t* at_ = nullptr;
  std::size_t room_ = 0;
  std::uint64_t rows_ = 0;
  std::chrono::steady_clock::time_point begun_{};  // when current_ got its first byte

  std::atomic<bool> stop_{false};
  std::atomic<bool> idle_{false};  // a copy of waiting_ that is read without the lock
  std::mutex mutex_;
  std::condition_variable space_;
  std::deque<block> queue_;
  std::vector<block> free_;
  std::size_t queued_ = 0;  // bytes in queue_ and in the connection's hands
  bool waiting_ = false;    // the connection waits to be woken
  bool closed_ = false;
  bool abandoned_ = false;
};

}  // namespace dragoman::tds::server
