// Other programs that stand between a client and the same upstream: what they add is what the gateway is measured
// against. Both only move bytes; neither reads a statement.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/child.h"
#include "bench/raw_client.h"
#include "bench/scenario.h"

namespace dragoman::bench {

struct peer {
  std::string name;
  std::unique_ptr<child> process;
  raw_client::login login;
};

// HAProxy in TCP mode, and FreeTDS's tdspool; nothing where the program is not installed.
std::optional<peer> start_haproxy(const settings&, const scenario&);
std::optional<peer> start_tdspool(const settings&, const scenario&);

}  // namespace dragoman::bench
