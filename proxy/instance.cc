#include "proxy/instance.h"

#include "proxy/gateway.h"
#include "tds/server/server.h"

namespace dragoman::proxy {

result<std::unique_ptr<instance>> instance::start(loaded_config loaded, const clock& time) {
  std::unique_ptr<instance> out(new instance);
  auto opened = service::open(std::move(loaded), time);
  if (!opened) return opened.error();
  out->service_ = std::move(*opened);
  out->gateway_ = std::make_unique<gateway>(*out->service_);
  auto started = tds::server::server::start(listen_options(out->service_->settings()), *out->gateway_);
  if (!started) return started.error();
  out->server_ = std::move(*started);
  return out;
}

instance::instance() = default;

std::uint16_t instance::port() const noexcept {
  return server_->port();
}

result<void> instance::reload_certificate() {
  return server_->reload_certificate();
}

instance::~instance() {
  stop(std::chrono::milliseconds(0));
}

void instance::stop(std::chrono::milliseconds drain) {
  if (server_) server_->stop(drain);
  server_.reset();
}

}  // namespace dragoman::proxy
