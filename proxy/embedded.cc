#include "proxy/embedded.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "proxy/demo/generator.h"
#include "proxy/demo/warehouse.h"
#include "tds/server/server.h"

namespace dragoman::proxy {

struct embedded_warehouse::impl {
  std::unique_ptr<demo::warehouse> handler;
  std::unique_ptr<tds::server::server> listener;  // ends before its handler
};

result<std::unique_ptr<embedded_warehouse>> embedded_warehouse::open(demo::warehouse_options options,
                                                                     const std::string& listen, std::uint16_t port,
                                                                     bool tls) {
  auto handler = demo::warehouse::open(std::move(options));
  if (!handler) return handler.error();
  auto inner = std::make_unique<impl>();
  inner->handler = std::move(*handler);
  tds::server::server_options listening;
  listening.addresses = {listen};
  listening.port = port;
  if (!tls) listening.encryption = tds::server::encryption_mode::not_supported;
  auto started = tds::server::server::start(std::move(listening), *inner->handler);
  if (!started) return started.error();
  inner->listener = std::move(*started);
  return std::unique_ptr<embedded_warehouse>(new embedded_warehouse(std::move(inner)));
}

embedded_warehouse::embedded_warehouse(std::unique_ptr<impl> i) : impl_(std::move(i)) {}

embedded_warehouse::~embedded_warehouse() {
  if (impl_->listener) impl_->listener->stop(std::chrono::milliseconds(0));
}

std::uint16_t embedded_warehouse::port() const noexcept {
  return impl_->listener->port();
}

std::filesystem::path cache_directory() {
  std::filesystem::path base;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    base = cache;
  else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    base = std::filesystem::path(home) / ".cache";
  else
    base = std::filesystem::temp_directory_path();
  base /= "dragoman";
  std::error_code ignored;
  std::filesystem::create_directories(base, ignored);
  return base;
}

bool listens(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

result<std::unique_ptr<embedded_warehouse>> embedded_warehouse::serve(const std::string& file,
                                                                      const std::string& listen, std::uint16_t port,
                                                                      const std::string& user, secret password,
                                                                      bool tls) {
  demo::warehouse_options options;
  options.file = file;
  options.user = user;
  options.password = std::move(password);
  return open(std::move(options), listen, port, tls);
}

result<std::unique_ptr<embedded_warehouse>> embedded_warehouse::start(const upstream_config& settings,
                                                                      embedded_size size, std::uint16_t port,
                                                                      std::optional<civil_time> now) {
  demo::demo_options data;
  switch (size) {
    case embedded_size::none:
    case embedded_size::medium: data.size = demo::demo_size::medium; break;
    case embedded_size::small: data.size = demo::demo_size::small; break;
    case embedded_size::large: data.size = demo::demo_size::large; break;
  }
  auto file = demo::ensure_demo(cache_directory().string(), data);
  if (!file) return file.error();
  demo::warehouse_options options;
  options.file = std::move(*file);
  options.user = settings.user;
  options.password = settings.password;
  options.fixed_now = now;
  options.bench_rows = true;
  options.allow_trouble = std::getenv("DRAGOMAN_DEMO_TROUBLE") != nullptr;
  return open(std::move(options), "127.0.0.1", port, false);
}

result<embedded_warehouses> start_embedded(config& settings, std::optional<civil_time> now) {
  embedded_warehouses out;
  for (source_config& source : settings.sources) {
    upstream_config& upstream = source.upstream;
    if (upstream.embedded == embedded_size::none || (upstream.port != 0 && listens(upstream.port))) continue;
    auto started = embedded_warehouse::start(upstream, upstream.embedded, upstream.port, now);
    if (!started) return started.error();
    upstream.port = (*started)->port();
    out.push_back(std::move(*started));
  }
  return out;
}

}  // namespace dragoman::proxy
