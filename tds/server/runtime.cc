#include "tds/server/runtime.h"

#include <algorithm>

namespace dragoman::tds::server {

std::uint16_t spid_pool::take() {
  const std::lock_guard lock(mutex_);
  for (unsigned i = 0; i <= last - first; ++i) {
    const std::uint16_t spid = next_;
    next_ = next_ == last ? first : static_cast<std::uint16_t>(next_ + 1);
    if (!used_[spid]) {
      used_[spid] = true;
      return spid;
    }
  }
  return last;  // more sessions than numbers: sessions_max forbids it
}

void spid_pool::give_back(std::uint16_t spid) noexcept {
  const std::lock_guard lock(mutex_);
  used_[spid] = false;
}

unsigned login_throttle::failed(const std::string& address) {
  constexpr auto memory = std::chrono::minutes(1);
  constexpr unsigned most = 8;
  const auto now = steady::now();
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= addresses_max)
    std::erase_if(entries_, [&](const auto& e) { return now - e.second.last > memory; });
  // Under an attack from ever new addresses the table is full of young entries: then everybody waits the most.
  if (entries_.size() >= addresses_max && !entries_.contains(address)) return most;
  entry& e = entries_[address];
  if (now - e.last > memory) e.count = 0;
  e.last = now;
  e.count = std::min(e.count + 1, most);
  return e.count;
}

void login_throttle::succeeded(const std::string& address) {
  const std::lock_guard lock(mutex_);
  entries_.erase(address);
}

}  // namespace dragoman::tds::server
