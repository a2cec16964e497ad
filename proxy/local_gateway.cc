#include "proxy/local_gateway.h"

namespace dragoman::proxy {

result<local_gateway> open_local_gateway(loaded_config loaded, std::string principal, const clock& time,
                                         std::optional<civil_time> now) {
  local_gateway out;
  if (principal.empty())
    principal = loaded.settings.principal("manager") != nullptr ? "manager" : loaded.settings.principals.front().name;
  auto embedded = start_embedded(loaded.settings, now);
  if (!embedded) return embedded.error();
  out.warehouses = std::move(*embedded);
  loaded.settings.server.listen = "127.0.0.1";
  loaded.settings.server.port = 0;
  loaded.settings.server.tls = tls_mode::not_supported;  // it never leaves this process
  const std::string database = loaded.first().database->name;
  const auto query_timeout = loaded.settings.server.query_timeout + loaded.settings.llm.timeout;
  auto running = instance::start(std::move(loaded), time);
  if (!running) return running.error();
  out.running = std::move(*running);
  out.principal = principal;
  out.login = "dragoman-local";
  auto password = out.running->shared().add_own_login(out.login, principal);
  if (!password) return password.error();
  out.running->shared().load_values();
  out.client =
      std::make_unique<own_client>(out.running->port(), out.login, std::move(*password), database, query_timeout);
  return out;
}

}  // namespace dragoman::proxy
