// The demo's own random numbers: the same on every machine and compiler, integers only.
#pragma once

#include <cstdint>

namespace dragoman::demo {

// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit state, every seed good.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // 0 .. bound - 1; the bias of 2^-64 * bound is of no matter here.
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>((static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(bound)) >>
                                     64);
  }
  std::int64_t between(std::int64_t low, std::int64_t high) noexcept { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) noexcept { return below(n) == 0; }
  bool per_mille(std::int64_t n) noexcept { return below(1000) < n; }

 private:
  std::uint64_t state_;
};

}  // namespace dragoman::demo
