// A gateway on a free loopback port with a client logged in: what `ask` and `eval` run their questions through.
#pragma once

#include <memory>
#include <string>

#include "proxy/embedded.h"
#include "proxy/instance.h"
#include "proxy/own_client.h"

namespace dragoman::proxy {

struct local_gateway {
  embedded_warehouses warehouses;  // empty where the configured upstreams are used
  std::unique_ptr<instance> running;
  std::unique_ptr<own_client> client;
  std::string principal;  // whose rights the client has
  std::string login;
};

// principal empty: the one named manager, else the first. Waits until the values of the dimensions are known, or for
// `values_wait` at most.
result<local_gateway> open_local_gateway(loaded_config loaded, std::string principal, const clock& time,
                                         std::optional<civil_time> now);

}  // namespace dragoman::proxy
