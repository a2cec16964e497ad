// A process under measurement: started on a free port, watched through /proc, ended by its id.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::bench {

std::uint16_t free_port();

class child {
 public:
  // Waits until `port` accepts connections; throws when it does not within 20 s or the process ends before.
  child(std::vector<std::string> command, std::uint16_t port, const std::string& log_file);
  ~child();
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  double cpu_seconds() const;  // user and system, all threads
  std::uint64_t resident_bytes() const;
  std::size_t open_files() const;
  std::size_t threads() const;

 private:
  pid_t pid_ = -1;
};

}  // namespace dragoman::bench
