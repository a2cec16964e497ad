// The gateway as the TDS server sees it: decides who may log in and gives each login its session.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
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
  boost::asio::awaitable<result<service::identity>> judge(const tds::server::login_request& request);

  service& shared_;
  tds::server::server_identity identity_;
  std::atomic<unsigned> judging_{0};
  boost::asio::thread_pool judges_;  // last: it ends before what its work uses
};

tds::server::server_options listen_options(const config& settings);

}  // namespace dragoman::proxy
