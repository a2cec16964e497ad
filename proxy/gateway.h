// The gateway as the TDS server sees it: decides who may log in and gives each login its session.
#pragma once

#include <memory>

#include "proxy/service.h"
#include "tds/server/handler.h"
#include "tds/server/server.h"

namespace dragoman::proxy {

class gateway final : public tds::server::handler {
 public:
  explicit gateway(service& shared);
  const tds::server::server_identity& identity() const noexcept override { return identity_; }
  boost::asio::awaitable<result<std::unique_ptr<tds::server::session>>> on_login(
      tds::server::login_request request) override;

 private:
  service& shared_;
  tds::server::server_identity identity_;
};

tds::server::server_options listen_options(const config& settings);

}  // namespace dragoman::proxy
