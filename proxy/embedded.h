// The demo warehouse inside this process: generated once, kept in the user's cache folder, served over TDS on loopback.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/civil_time.h"
#include "base/result.h"
#include "proxy/config.h"

namespace dragoman::demo {
struct warehouse_options;
}

namespace dragoman::proxy {

class embedded_warehouse {
 public:
  // Serves the demo's data of that size for the login that `settings` names; port 0 = any free one. `now` fixes what
  // GETDATE() says.
  static result<std::unique_ptr<embedded_warehouse>> start(const upstream_config& settings, embedded_size size,
                                                           std::uint16_t port, std::optional<civil_time> now);
  // The same for any SQLite file, until it is destroyed; with TLS for clients that ask for it.
  static result<std::unique_ptr<embedded_warehouse>> serve(const std::string& file, const std::string& listen,
                                                           std::uint16_t port, const std::string& user, secret password,
                                                           bool tls);
  ~embedded_warehouse();
  std::uint16_t port() const noexcept;

 private:
  struct impl;
  static result<std::unique_ptr<embedded_warehouse>> open(demo::warehouse_options options, const std::string& listen,
                                                          std::uint16_t port, bool tls);
  explicit embedded_warehouse(std::unique_ptr<impl> i);
  std::unique_ptr<impl> impl_;
};

// Where generated data and self-signed certificates of trials are kept: $XDG_CACHE_HOME/dragoman or ~/.cache/dragoman.
std::filesystem::path cache_directory();

// Starts the embedded warehouses of a configuration, unless something listens on such a one's port already; then that
// is taken for it. Empty where there is none to start.
using embedded_warehouses = std::vector<std::unique_ptr<embedded_warehouse>>;
result<embedded_warehouses> start_embedded(config& settings, std::optional<civil_time> now);

// Whether something accepts connections on 127.0.0.1:port.
bool listens(std::uint16_t port);

}  // namespace dragoman::proxy
