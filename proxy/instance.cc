#include "proxy/instance.h"

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

instance::~instance() {
  stop(std::chrono::milliseconds(0));
}

void instance::stop(std::chrono::milliseconds drain) {
  if (server_) server_->stop(drain);
  server_.reset();
}

}  // namespace dragoman::proxy
