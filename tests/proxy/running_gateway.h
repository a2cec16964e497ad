// A gateway over the small demo warehouse, both in this process, for tests that speak to it through FreeTDS's ODBC
// driver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "proxy/embedded.h"
#include "proxy/instance.h"
#include "proxy/own_client.h"
#include "tests/proxy/scratch.h"

namespace dragoman::proxy::test {

// 2025-03-10, the day that the demo's questions are written for.
civil_time demo_day();

class running_gateway {
 public:
  // `more` is appended to the demo's configuration (audit is always on, in scratch()), `catalog` to its section of that
  // name; `rules_of_broker7` stand in place of that principal's row filter. A warehouse of the test's own may stand in
  // place of the demo's; its values are then not waited for.
  explicit running_gateway(std::string_view more = {}, std::optional<std::uint16_t> warehouse_port = std::nullopt,
                           std::string_view catalog = {}, std::string_view rules_of_broker7 = {});
  ~running_gateway();

  own_client client(const std::string& login = "manager", const std::string& password = "Dragoman1!",
                    const std::string& database = "SalesDb") const;
  upstream::options options(const std::string& login = "manager") const;
  std::uint16_t port() const { return gateway_->port(); }
  std::uint16_t warehouse_port() const { return warehouse_port_; }
  service& shared() { return gateway_->shared(); }
  std::string audit_text();

  void stop_warehouse();
  void start_warehouse();

 private:
  scratch folder_;
  fixed_clock clock_;
  upstream_config upstream_;
  std::uint16_t warehouse_port_ = 0;
  std::unique_ptr<embedded_warehouse> warehouse_;
  std::unique_ptr<instance> gateway_;
};

// The number of an answer's error; 0 = none.
inline std::int32_t error_of(const client_answer& answer) {
  return answer.error ? answer.error->error_number() : 0;
}

// One for all tests that do not disturb it.
running_gateway& shared_gateway();

}  // namespace dragoman::proxy::test
