// The demo warehouse as one SQLite file: a commodity exchange of eleven tables, the same rows for the same seed and
// size on any machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dragoman::demo {

enum class demo_size : std::uint8_t { small, medium, large };

std::optional<demo_size> parse_size(std::string_view name) noexcept;  // "small", "medium", "large"
std::string_view name_of(demo_size size) noexcept;
std::int64_t orders_of(demo_size size) noexcept;  // 20,000, 500,000, 10,000,000

struct demo_options {
  demo_size size = demo_size::medium;
  std::uint64_t seed = 1403;
  std::int64_t orders = 0;  // 0: as the size says
};

// Writes the file anew (beside it first, then renamed).
result<void> generate(const std::string& path, const demo_options& options);

// The path of the file for these options in `directory`, generated unless a file with the same stamp is already there.
// `fresh` tells whether it had to be made.
result<std::string> ensure_demo(const std::string& directory, const demo_options& options, bool* fresh = nullptr);

}  // namespace dragoman::demo
