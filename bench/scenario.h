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
  bool quick = false;        // fewer requests: to see that the benchmarks work
  std::string peers_python;  // a Python that has sqlglot; empty: not compared
};

enum class upstream_kind {
  source,    // bench.* of dragoman_bench_source
  warehouse  // the demo's tables with 1,000,000 orders, served by `dragoman warehouse` from SQLite
};

// An upstream and a gateway in front of it, both as processes of their own.
class scenario {
 public:
  explicit scenario(const settings&, upstream_kind kind = upstream_kind::source);

  raw_client::login direct() const;
  raw_client::login through_gateway() const;
  child& upstream() noexcept { return *upstream_; }
  child& gateway() noexcept { return *gateway_; }
  std::uint16_t upstream_port() const noexcept { return upstream_port_; }
  std::uint16_t gateway_port() const noexcept { return gateway_port_; }

 private:
  upstream_kind kind_;
  std::uint16_t upstream_port_;
  std::uint16_t gateway_port_;
  std::unique_ptr<child> upstream_;
  std::unique_ptr<child> gateway_;
};

inline constexpr std::string_view columns_of_orders =
    "OrderID, CustomerID, OrderDateID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt";
inline constexpr std::string_view columns_of_rows = "id, amount, big, ratio, day, at, code, name, flag, note";

}  // namespace dragoman::bench
