// The processes of one measurement: an upstream, a gateway in front of it, and logins for both.
#pragma once

#include <memory>
#include <string>

#include "bench/child.h"
#include "bench/raw_client.h"

namespace dragoman::bench {

struct settings {
  std::string build;    // the build directory: dragoman and dragoman_bench_source are there
  std::string scratch;  // configuration, logs
  int runs = 5;
  bool quick = false;  // fewer requests: to see that the benchmarks work
};

// bench.million, bench.ten_million and bench.one behind a gateway, both as processes of their own.
class scenario {
 public:
  explicit scenario(const settings&, bool tls = false);

  raw_client::login direct() const;
  raw_client::login through_gateway() const;
  child& upstream() noexcept { return *upstream_; }
  child& gateway() noexcept { return *gateway_; }
  std::uint16_t upstream_port() const noexcept { return upstream_port_; }
  std::uint16_t gateway_port() const noexcept { return gateway_port_; }

 private:
  std::uint16_t upstream_port_;
  std::uint16_t gateway_port_;
  std::unique_ptr<child> upstream_;
  std::unique_ptr<child> gateway_;
};

inline constexpr std::string_view columns_of_rows = "id, amount, big, ratio, day, at, code, name, flag, note";

}  // namespace dragoman::bench
