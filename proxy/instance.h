// One running gateway: service, handler and TDS server, in the order in which they must live and die.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "proxy/service.h"

namespace dragoman::tds::server {
class server;
}

namespace dragoman::proxy {

class gateway;

class instance {
 public:
  // Listens where the configuration says; port 0 = any free one. The clock must outlive the instance.
  static result<std::unique_ptr<instance>> start(loaded_config loaded, const clock& time);
  ~instance();

  std::uint16_t port() const noexcept;
  service& shared() noexcept { return *service_; }
  // New connections use the certificate as it is on disk now.
  result<void> reload_certificate();
  // Running requests may end until `drain` has passed.
  void stop(std::chrono::milliseconds drain);

 private:
  instance();
  std::unique_ptr<service> service_;
  std::unique_ptr<gateway> gateway_;
  std::unique_ptr<tds::server::server> server_;
};

}  // namespace dragoman::proxy
