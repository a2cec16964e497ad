#include "tds/server/runtime.h"

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

}  // namespace dragoman::tds::server
