// Misbehaviour on request, for tests of what stands before the warehouse: enabled by an option of the warehouse, set by
// code or by EXEC test.<name> <number> on any of its connections, and then the same for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman::demo {

// -1 and 0 mean: behave.
struct trouble {
  std::atomic<std::int64_t> first_row_ms{0};  // wait so long before the first row
  std::atomic<std::int64_t> row_ms{0};        // and so long before each row
  std::atomic<std::int64_t> drop_after{-1};   // close the connection after so many rows
  std::atomic<std::int64_t> error_after{-1};  // error 50001 after so many rows
  std::atomic<std::int64_t> ignore_attention{0};
  std::atomic<std::int64_t> refuse_logins{0};

  void clear() noexcept {
    first_row_ms = row_ms = ignore_attention = refuse_logins = 0;
    drop_after = error_after = -1;
  }
  // "delay_first_row", "delay_row", "drop_after", "error_after", "ignore_attention", "refuse_logins", "reset"; false
  // for any other name.
  bool set(std::string_view name, std::int64_t value) noexcept {
    if (name == "reset") {
      clear();
      return true;
    }
    auto* which = name == "delay_first_row"    ? &first_row_ms
                  : name == "delay_row"        ? &row_ms
                  : name == "drop_after"       ? &drop_after
                  : name == "error_after"      ? &error_after
                  : name == "ignore_attention" ? &ignore_attention
                  : name == "refuse_logins"    ? &refuse_logins
                                               : nullptr;
    if (which != nullptr) *which = value;
    return which != nullptr;
  }
};

}  // namespace dragoman::demo
