// What tests watch from outside: open files, and conditions that come true in their own time.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <thread>

namespace dragoman::test {

inline std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

template <class F>
bool becomes_true(F f, std::chrono::milliseconds within = std::chrono::seconds(5)) {
  const auto begin = std::chrono::steady_clock::now();
  while (!f()) {
    if (std::chrono::steady_clock::now() - begin > within) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace dragoman::test
