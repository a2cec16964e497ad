// What a program implements to be a SQL Server: one `handler` for the server, one `session` per logged-in connection.
//
// All functions of one session run on one thread (that of its connection), one request at a time; only on_attention()
// comes in between, on the same thread, while a request is suspended in a co_await. Functions must not block: long work
// goes to other threads. The handler serves all threads at once and must be thread-safe.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "tds/rpc_request.h"
#include "tds/transaction_request.h"
#include "tds/version.h"

namespace dragoman::tds::server {

namespace asio = boost::asio;

class response;

// Who the server says it is: in PRELOGIN, LOGINACK and every message.
struct server_identity {
  std::string server_name = "DRAGOMAN";
  std::string program_name = "Microsoft SQL Server";
  std::uint8_t major = 16;
  std::uint8_t minor = 0;
  std::uint16_t build = 4165;  // 16.0.4165.4
};

struct login_request {
  std::string user;
  secret password;
  std::string database;  // empty = the default of the login
  std::string application;
  std::string host;
  std::string language;  // empty = the default
  std::string library;   // e.g. "ODBC", "Tedious", "DB-Library"
  std::string server;    // the name that the client dialled
  wire_profile profile;
  std::string peer_address;  // without the port
  std::uint16_t peer_port = 0;
  std::uint16_t spid = 0;
  std::uint32_t client_process = 0;
  bool encrypted = false;   // the whole session, not only the login
  bool integrated = false;  // asked for Windows authentication
  bool federated = false;   // asked for an access token login
  bool read_only_intent = false;
  std::string client_certificate;  // subject of the verified certificate that the client has shown; empty = none
};

class session {
 public:
  virtual ~session() = default;

  // Told in the answer to the login (ENVCHANGE 1 and 2, INFO 5701 and 5703).
  virtual std::string database() const = 0;
  virtual std::string language() const { return "us_english"; }

  // A SQLBatch. The text is UTF-8. The response is finished by the runtime when the coroutine ends.
  virtual asio::awaitable<void> on_batch(std::string sql, response& out) = 0;
  // One call of an RPC message; is_last tells whether another one follows.
  virtual asio::awaitable<void> on_rpc(rpc_call call, bool is_last, response& out) = 0;
  virtual asio::awaitable<void> on_transaction(transaction_request request, response& out) = 0;
  // RESETCONNECTION, before the request that carries it: the session becomes as after login. ENVCHANGE 18 is the
  // runtime's affair. keep_transaction: RESETCONNECTIONSKIPTRAN.
  virtual void on_reset(bool keep_transaction) = 0;
  // The client wants the running request to end, or has gone: make it end soon. out.cancelled() is already true, what
  // the request still writes is dropped.
  virtual void on_attention() noexcept = 0;
};

class handler {
 public:
  virtual ~handler() = default;
  virtual const server_identity& identity() const noexcept = 0;
  // errc::login_failed answers 18456 whatever the message says; errc::database_unavailable answers 4060 with the name
  // asked for; others answer with their own number and text. All close the connection.
  virtual asio::awaitable<result<std::unique_ptr<session>>> on_login(login_request request) = 0;
};

}  // namespace dragoman::tds::server
