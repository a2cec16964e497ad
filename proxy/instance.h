// One running gateway: service, handler and TDS server, in the order in which they must live and die.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "proxy/gateway.h"
#include "proxy/service.h"
#include "tds/server/server.h"

namespace dragoman::proxy {

class instance {
 public:
  // Listens where the configuration says; port 0 = any free one. The clock must outlive the instance.
  static result<std::unique_ptr<instance>> start(loaded_config loaded, const clock& time);
  ~instance();

  std::uint16_t port() const noexcept { return server_->port(); }
  service& shared() noexcept { return *service_; }
  tds::server::server& listener() noexcept { return *server_; }
  // Running requests may end until `drain` has passed.
  void stop(std::chrono::milliseconds drain);

 private:
  instance() = default;
  std::unique_ptr<service> service_;
  std::unique_ptr<gateway> gateway_;
  std::unique_ptr<tds::server::server> server_;
};

}  // namespace dragoman::proxy
