#include "tds/server/row_sink.h"

#include <algorithm>
#include <cstring>

namespace dragoman::tds::server {

row_sink::row_sink(const wire_profile& profile, std::function<void()> wake, std::size_t queue_limit)
    : profile_(profile), wake_(std::move(wake)), queue_limit_(std::max(queue_limit, block_bytes)) {}

void row_sink::columns(std::span<const result_column> columns) {
  this->columns(columns, row_layout(columns, profile_));
}

void row_sink::columns(std::span<const result_column> columns, row_layout layout) {
  layout_ = std::move(layout);
  if (keep_columns_) {
    kept_columns_.emplace(columns.begin(), columns.end());
    return;
  }
  byte_writer out;
  layout_.write_colmetadata(out, columns);
  if (browse_) token_writer(out, profile_).browse(*browse_, columns.size());
  append(out.view());
}

void row_sink::append(byte_span bytes) {
  while (!bytes.empty()) {
    if (room_ == 0) refill(1);
    const std::size_t count = std::min(room_, bytes.size());
    std::memcpy(at_, bytes.data(), count);
    commit(count);
    bytes = bytes.subspan(count);
  }
}

bool row_sink::row(std::span<const sql_value> values) {
  thread_local byte_writer scratch;
  scratch.clear();
  layout_.write_row(scratch, values);
  append(scratch.view());
  pulse();
  if (scratch.capacity() > 4 * block_bytes) scratch.release();
  return end_row();
}

// Puts the current block into the queue, if it holds anything. The lock is held.
void row_sink::hand_over(std::unique_lock<std::mutex>&) {
  if (current_.data == nullptr) return;
  current_.size = static_cast<std::size_t>(at_ - current_.data.get());
  if (current_.size == 0) return;
  if (abandoned_) {
    at_ = current_.data.get();
    room_ = current_.capacity;
    return;
  }
  queued_ += current_.size;
  queue_.push_back(std::move(current_));
  current_ = block{};
  at_ = nullptr;
  room_ = 0;
}

void row_sink::refill(std::size_t count) {
  std::unique_lock lock(mutex_);
  hand_over(lock);
  const bool wake = waiting_ && !queue_.empty();
  if (wake) {
    waiting_ = false;
    idle_.store(false, std::memory_order_relaxed);
    lock.unlock();
    wake_();
    lock.lock();
  }
  space_.wait(lock, [this] { return abandoned_ || queued_ < queue_limit_; });
  if (abandoned_ && current_.data != nullptr && count <= current_.capacity) {
    at_ = current_.data.get();
    room_ = current_.capacity;
    return;
  }
  if (count <= block_bytes && !free_.empty()) {
    current_ = std::move(free_.back());
    free_.pop_back();
  } else {
    current_.capacity = std::max(count, block_bytes);
    current_.data = std::make_unique_for_overwrite<std::uint8_t[]>(current_.capacity);
  }
  at_ = current_.data.get();
  room_ = current_.capacity;
  begun_ = std::chrono::steady_clock::now();
}

void row_sink::offer() {
  std::unique_lock lock(mutex_);
  if (!waiting_) return;
  hand_over(lock);
  if (queue_.empty()) return;
  waiting_ = false;
  idle_.store(false, std::memory_order_relaxed);
  lock.unlock();
  wake_();
}

void row_sink::pulse_slowly() {
  constexpr std::size_t enough = 16 * 1024;
  constexpr std::chrono::milliseconds patience(5);
  if (current_.data == nullptr) return;
  const auto written = static_cast<std::size_t>(at_ - current_.data.get());
  if (written < enough && std::chrono::steady_clock::now() - begun_ < patience) return;
  offer();
}

void row_sink::close() {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  hand_over(lock);
  closed_ = true;
  if (!waiting_) return;
  waiting_ = false;
  idle_.store(false, std::memory_order_relaxed);
  // Under the lock: once the connection can see the end, it and its loop may go away.
  wake_();
}

void row_sink::stop() noexcept {
  stop_.store(true, std::memory_order_relaxed);
}

void row_sink::abandon() noexcept {
  stop_.store(true, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    queue_.clear();
    queued_ = 0;
  }
  space_.notify_all();
}

bool row_sink::take(std::vector<block>& out, std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::size_t taken = 0;
  while (taken < most && !queue_.empty()) {
    out.push_back(std::move(queue_.front()));
    queue_.pop_front();
    ++taken;
  }
  const bool ended = closed_ && queue_.empty();
  waiting_ = taken == 0 && !ended;
  idle_.store(waiting_, std::memory_order_relaxed);
  return ended;
}

void row_sink::give_back(std::vector<block>& blocks) {
  {
    const std::lock_guard lock(mutex_);
    for (block& b : blocks) {
      queued_ -= std::min(queued_, b.size);
      if (b.capacity == block_bytes && free_.size() < 4) free_.push_back(std::move(b));
    }
  }
  blocks.clear();
  space_.notify_one();
}

}  // namespace dragoman::tds::server
