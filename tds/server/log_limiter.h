// Keeps what an attacker can repeat at will from filling the log: one line, then a count of what was left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace dragoman::tds::server {

class log_limiter {
 public:
  explicit log_limiter(std::chrono::steady_clock::duration interval = std::chrono::seconds(10)) : interval_(interval) {}

  // Whether to write now; the value is how many were left out since the last line. Thread-safe.
  std::optional<std::uint64_t> due(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()) {
    const std::lock_guard lock(mutex_);
    if (written_ && now - last_ < interval_) {
      ++left_out_;
      return std::nullopt;
    }
    written_ = true;
    last_ = now;
    const std::uint64_t count = left_out_;
    left_out_ = 0;
    return count;
  }

 private:
  const std::chrono::steady_clock::duration interval_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{};
  std::uint64_t left_out_ = 0;
  bool written_ = false;
};

}  // namespace dragoman::tds::server
