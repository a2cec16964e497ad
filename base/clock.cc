#include "base/clock.h"

#include <ctime>

namespace dragoman {
namespace {

class machine_clock final : public clock {
 public:
  civil_time now() const override {
    timespec at{};
    clock_gettime(CLOCK_REALTIME, &at);
    std::tm local{};
    localtime_r(&at.tv_sec, &local);
    civil_time time;
    time.day = to_day_number({local.tm_year + 1900, local.tm_mon + 1, local.tm_mday});
    time.ticks = ((local.tm_hour * 60LL + local.tm_min) * 60 + local.tm_sec) * ticks_per_second + at.tv_nsec / 100;
    time.offset = static_cast<std::int16_t>(local.tm_gmtoff / 60);
    return time;
  }
};

}  // namespace

const clock& system_clock() noexcept {
  static const machine_clock instance;
  return instance;
}

}  // namespace dragoman
