// A TDS server: listens, keeps its threads, runs one connection coroutine pair per client.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "tds/server/handler.h"
#include "tds/server/login_throttle.h"

namespace dragoman::tds::server {

enum class encryption_mode : std::uint8_t {
  off,            // TLS is there for clients that want it; else the login alone is encrypted
  on,             // the whole session of every client that can encrypt
  required,       // the whole session, or no session
  strict,         // TDS 8.0 and nothing else: TLS before the first byte of TDS
  not_supported,  // no TLS at all
};

struct server_options {
  std::vector<std::string> addresses{"127.0.0.1"};  // all listen on the same port
  std::uint16_t port = 0;                           // 0 = any free one, see server::port()
  unsigned threads = 0;                             // 0 = one per core
  encryption_mode encryption = encryption_mode::off;
  // Both empty: a self-signed certificate is made and, if `self_signed_path` is not empty, kept there (PEM, the key
  // beside it with the suffix .key and mode 0600) and used again at the next start.
  std::string certificate_file;
  std::string key_file;
  std::string self_signed_path;
  bool strict_tls = true;  // TDS 8.0 on the same port
  // PEM. Not empty: a certificate that a client shows must come from these authorities; with `required` (only where
  // every session is encrypted) there is no session without one.
  std::string client_authorities_file;
  bool client_certificate_required = false;
  std::chrono::milliseconds certificate_check{5000};  // how often the files are looked at for a change; 0 = never

  std::size_t sessions_max = limits::sessions_max;
  std::uint32_t packet_size_max = limits::packet_size_max;
  std::chrono::milliseconds login_timeout = limits::login_timeout;
  std::chrono::milliseconds request_read_timeout = limits::request_read_timeout;
  std::chrono::milliseconds client_write_timeout = limits::client_write_timeout;
  std::chrono::milliseconds failed_login_delay{200};  // each failed login is answered so much later, times the failures
  login_limits logins;                                // of the same address lately, at most delay_steps
  std::size_t request_max = limits::request_max;
  std::size_t request_memory_max = std::size_t{512} << 20;  // of all requests together that are read or run now
  std::size_t response_queue_bytes = limits::response_queue_bytes;
};

struct server_stats {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  // over sessions_max, or over logins.unfinished_per_address
  std::uint64_t logins = 0;
  std::uint64_t failed_logins = 0;
  std::uint64_t throttled_logins = 0;  // of those, refused unjudged
  std::uint64_t sessions = 0;          // connected now
  std::uint64_t requests = 0;
  std::uint64_t running = 0;  // requests that run now
  std::uint64_t violations = 0;
  std::uint64_t attentions = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

class server {
 public:
  // The handler must outlive the server.
  static result<std::unique_ptr<server>> start(server_options options, handler& h);
  ~server();  // stop(0)

  std::uint16_t port() const noexcept;
  server_stats stats() const noexcept;
  // No new connections; idle sessions are closed, running requests may end until `drain` has passed, then are cut.
  // Returns when all threads have ended.
  void stop(std::chrono::milliseconds drain = limits::drain_timeout);
  // New connections use the certificate as it is on disk now; a failure leaves the old one in use. The files are also
  // watched, see server_options::certificate_check.
  result<void> reload_certificate();

 private:
  struct impl;
  explicit server(std::unique_ptr<impl> p);
  std::unique_ptr<impl> impl_;
};

}  // namespace dragoman::tds::server
