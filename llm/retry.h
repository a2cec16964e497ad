// When a model call is tried again, and after how long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dragoman::llm {

// What a single try came to, as far as trying again is concerned.
enum class try_end : std::uint8_t {
  final,       // an answer, or an error that another try would only repeat
  retryable,   // 408, 425, 429, 5xx, a timeout, a broken or refused connection
  wrong_model  // the server does not have this model: the next one of the list, at once
};

constexpr bool retryable_status(long status) noexcept {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

// The pause before try number `next` (2, 3, …): first · 2^(next-2), at most max, ± 25 % by `chance` in [0, 1); a
// Retry-After that the server gave holds when it is longer. The caller gives up when that is more than it will wait.
inline std::chrono::milliseconds backoff(unsigned next, std::chrono::milliseconds first, std::chrono::milliseconds max,
                                         std::chrono::milliseconds retry_after, double chance) {
  const unsigned doublings = std::min(next >= 2 ? next - 2 : 0u, 16u);
  const double base = std::min<double>(static_cast<double>(first.count()) * (1u << doublings), max.count());
  const auto pause = std::chrono::milliseconds(static_cast<std::int64_t>(base * (0.75 + 0.5 * chance)));
  return std::max(pause, retry_after);
}

}  // namespace dragoman::llm
