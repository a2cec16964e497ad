// How to reach the upstream SQL Server, and the ODBC connection string made of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "base/secret.h"

namespace dragoman::upstream {

// FreeTDS's `Encryption=` keyword.
enum class encryption_mode : std::uint8_t { off, request, require };

struct options {
  // A path to the driver's library, or a driver's name in odbcinst.ini.
  std::string driver = "/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so";
  std::string server;
  std::uint16_t port = 1433;
  std::string database;
  std::string user;
  secret password;
  std::string tds_version = "7.4";
  encryption_mode encryption = encryption_mode::request;
  std::string application = "Dragoman";

  std::chrono::milliseconds connect_timeout = limits::upstream_connect_timeout;
  std::chrono::milliseconds lease_timeout = limits::lease_timeout_default;
  std::chrono::milliseconds query_timeout = limits::query_timeout_default;
  std::chrono::milliseconds lock_timeout = limits::upstream_lock_timeout;
  std::chrono::milliseconds cancel_grace = limits::cancel_grace;
  std::chrono::milliseconds idle_max = limits::upstream_idle_max;  // a connection beyond `kept` closes after it
  std::chrono::milliseconds age_max = limits::upstream_age_max;    // any connection is renewed, when idle, after it
  std::size_t connections_kept = limits::upstream_connections_kept;
  std::size_t connections_max = limits::upstream_connections_max;
  std::size_t waiting_max = limits::upstream_waiting_max;  // statements that may wait for a connection
  std::size_t value_bytes_max = limits::value_bytes_max;
  std::uint32_t packet_size = limits::upstream_packet_size;  // asked for; the server decides
  bool read_uncommitted = false;
  // Rows are read from the connection's own socket while FreeTDS rests (see borrowed_socket.h), where the connection is
  // plain after its login. Else, and with other drivers, through ODBC.
  bool rows_from_socket = true;
  // The other side is a gateway of our own, whose texts are already fit for people: errors and messages come through
  // as they are.
  bool own_texts = false;
};

// The ODBC connection string, every value in {}. Holds the password: neither log nor keep it. FreeTDS takes what is
// between { and }; literally, so a value that contains "};" cannot be said to it (errc::configuration); for other
// drivers a } is doubled, as ODBC has it.
result<secret> connection_string(const options&);

// Is the driver FreeTDS's?
bool is_freetds(std::string_view driver);

// "server:port", for logs and operators; never for clients.
std::string address_of(const options&);

}  // namespace dragoman::upstream
