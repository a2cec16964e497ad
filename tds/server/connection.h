// One client's connection: two coroutines on one thread. run() reads (handshake, login, then messages, also while a
// request runs, so that an attention is seen at once); serve() runs requests and writes answers. Internal to
// tds/server.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tds/login7.h"
#include "tds/packet.h"
#include "tds/prelogin.h"
#include "tds/server/event.h"
#include "tds/server/handler.h"
#include "tds/server/packet_output.h"
#include "tds/server/response.h"
#include "tds/server/runtime.h"
#include "tds/server/tls_channel.h"

namespace dragoman::tds::server {

class connection final : public std::enable_shared_from_this<connection>, public output {
 public:
  connection(runtime& shared, io_thread& home, asio::ip::tcp::socket socket);
  ~connection() override;

  static void start(std::shared_ptr<connection> self);
  // Called by the thread's ticker: closes what has waited too long.
  void check_deadlines(steady::time_point now);
  void drain();  // closes when idle, else after the running request
  void cut();    // closes now

  // output
  asio::awaitable<void> write(byte_writer& payload, send_mode mode) override;
  asio::awaitable<void> relay(byte_writer& payload, row_sink& rows) override;
  asio::awaitable<void> gather(row_sink& rows, const std::function<void(byte_span)>& taker) override;
  std::shared_ptr<row_sink> make_sink() override;
  bool gone() const noexcept override { return gone_; }
  void drop() noexcept override { lose("dropped by the program"); }

 private:
  enum class transport : std::uint8_t { plain, tls_login_only, tls_full };

  // --- reading ---
  asio::awaitable<void> run();
  asio::awaitable<bool> handshake_and_login();
  asio::awaitable<bool> strict_handshake();
  asio::awaitable<bool> tunnelled_handshake();
  asio::awaitable<bool> login(request_message message);
  asio::awaitable<void> refuse_login(const failure& why, const std::string& user, const std::string& database);
  asio::awaitable<void> read_requests();
  asio::awaitable<bool> next_message();  // complete in in_; false = gone
  asio::awaitable<bool> fill();          // more bytes into raw_
  void pump();                           // from raw_ into in_
  bool unwrap_record();

  // --- serving ---
  asio::awaitable<void> serve();
  asio::awaitable<void> process(request_message message);
  asio::awaitable<void> run_request(request_message& message, response& out);
  asio::awaitable<void> acknowledge_attention();
  void on_attention();
  bool attention_waits() const noexcept;

  // --- writing ---
  asio::awaitable<bool> transmit(std::span<const byte_span> pieces, std::size_t total, bool last, packet_type type);
  asio::awaitable<bool> send_raw(byte_span bytes);
  asio::awaitable<bool> wait_writable();

  void violation(std::string_view what);
  static constexpr std::string_view reason_end = "end";      // the client closed
  static constexpr std::string_view reason_write = "write";  // it takes nothing any more
  void lose(std::string_view why);                           // the client is gone, or must be
  std::string peer() const;

  runtime& shared_;
  io_thread& home_;
  asio::ip::tcp::socket socket_;
  std::string address_;
  std::uint16_t port_ = 0;
  std::uint16_t spid_ = 0;

  memory_share reading_memory_;
  memory_share request_memory_;
  byte_writer raw_;    // read and not yet understood
  byte_writer clear_;  // out of TLS and not yet in in_
  message_assembler in_;
  transport transport_ = transport::plain;
  std::unique_ptr<tls_channel> tls_;
  byte_writer tls_out_;
  std::uint8_t packet_id_ = 0;

  wire_profile profile_;
  std::unique_ptr<session> session_;
  std::vector<request_message> waiting_;  // read and not yet begun, attentions among them
  response* response_ = nullptr;
  std::weak_ptr<row_sink> sink_;
  event work_;
  event rows_;

  steady::time_point read_deadline_ = never;
  steady::time_point write_deadline_ = never;
  bool logged_in_ = false;
  bool close_after_request_ = false;
  bool serving_ = false;       // a request or an attention is being answered
  bool program_runs_ = false;  // the session has a request and may be told of an attention
  bool gone_ = false;
  bool tls_closed_ = false;
  bool unfinished_ = false;  // counted by the throttle as not logged in yet
};

}  // namespace dragoman::tds::server
