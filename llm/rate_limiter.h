// A token bucket. Time is given, so that it can be tested without waiting; not safe for two threads at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dragoman::llm {

class rate_limiter {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  // per_minute 0: no limit. burst: calls that may be made at once after a pause, at least 1.
  rate_limiter(double per_minute, unsigned burst)
      : per_millisecond_(per_minute / 60'000.0), burst_(std::max(burst, 1u)), tokens_(burst_) {}

  // Takes a token, or says after how long there will be one.
  std::chrono::milliseconds take(time_point now) {
    if (per_millisecond_ <= 0) return std::chrono::milliseconds(0);
    if (started_) {
      const double passed = std::chrono::duration<double, std::milli>(now - last_).count();
      tokens_ = std::min<double>(burst_, tokens_ + std::max(passed, 0.0) * per_millisecond_);
    }
    started_ = true;
    last_ = now;
    if (tokens_ >= 1) {
      tokens_ -= 1;
      return std::chrono::milliseconds(0);
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil((1 - tokens_) / per_millisecond_)));
  }

 private:
  double per_millisecond_;
  double burst_;
  double tokens_;
  bool started_ = false;
  time_point last_{};
};

}  // namespace dragoman::llm
