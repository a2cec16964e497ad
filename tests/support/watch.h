// What tests watch from outside: open files, and conditions that come true in their own time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace dragoman::test {

inline std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A limit in milliseconds for what a free machine does in a tenth of it: builds with sanitizers are slow, and what runs
// beside them makes them slower.
inline long promptly(long milliseconds) {
  return std::getenv("DRAGOMAN_SANITIZED") == nullptr ? milliseconds : 5 * milliseconds;
}

template <class F>
bool becomes_true(F f, std::chrono::milliseconds within = std::chrono::seconds(30)) {
  const auto begin = std::chrono::steady_clock::now();
  while (!f()) {
    if (std::chrono::steady_clock::now() - begin > within) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace dragoman::test
