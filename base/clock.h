// The one source of "now" for questions and timings, so that tests and `--now` can fix it.
#pragma once

#include <chrono>
#include <optional>

#include "base/civil_time.h"

namespace dragoman {

class clock {
 public:
  virtual ~clock() = default;
  virtual civil_time now() const = 0;  // local civil time
  day_number today() const { return now().day; }
};

// The machine's clock in its own time zone.
const clock& system_clock() noexcept;

// Always the same moment.
class fixed_clock final : public clock {
 public:
  explicit fixed_clock(civil_time at) : at_(at) {}
  civil_time now() const override { return at_; }

 private:
  civil_time at_;
};

}  // namespace dragoman
