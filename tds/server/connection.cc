#include "tds/server/connection.h"

#include <netinet/tcp.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>

#include "base/log.h"
#include "tds/all_headers.h"

namespace dragoman::tds::server {
namespace {

constexpr std::size_t kept_buffer = 4096;  // an idle session keeps no larger buffer than this

void trim(byte_writer& buffer) {
  if (buffer.empty() && buffer.capacity() > kept_buffer) buffer.release();
}

}  // namespace

connection::connection(runtime& shared, io_thread& home, asio::ip::tcp::socket socket)
    : shared_(shared),
      home_(home),
      socket_(std::move(socket)),
      reading_memory_(shared),
      request_memory_(shared),
      work_(socket_.get_executor()),
      rows_(socket_.get_executor()) {
  boost::system::error_code ec;
  const auto remote = socket_.remote_endpoint(ec);
  if (!ec) {
    address_ = remote.address().to_string();
    port_ = remote.port();
  }
  socket_.set_option(asio::ip::tcp::no_delay(true), ec);
  socket_.set_option(asio::socket_base::keep_alive(true), ec);
  // A client whose machine has vanished is found out within two minutes, however idle its session is.
  using seconds_option = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using interval_option = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  using count_option = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
  socket_.set_option(seconds_option(60), ec);
  socket_.set_option(interval_option(10), ec);
  socket_.set_option(count_option(6), ec);
  socket_.non_blocking(true, ec);
  spid_ = shared_.spids.take();
  read_deadline_ = steady::now() + shared_.options.login_timeout;
  unfinished_ = shared_.throttle.enter(address_);
  home_.connections.insert(this);
  shared_.count.sessions.fetch_add(1, std::memory_order_relaxed);
}

connection::~connection() {
  if (unfinished_) shared_.throttle.leave(address_);
  home_.connections.erase(this);
  shared_.spids.give_back(spid_);
  shared_.count.sessions.fetch_sub(1, std::memory_order_relaxed);
}

std::string connection::peer() const {
  return address_ + ":" + std::to_string(port_);
}

void connection::start(std::shared_ptr<connection> self) {
  if (!self->unfinished_) {
    runtime& shared = self->shared_;
    shared.count.refused.fetch_add(1, std::memory_order_relaxed);
    if (const auto left_out = shared.throttled_log.due())
      log::warn("tds {}: closed, its address has too many connections that do not log in ({} such lines left out)",
                self->peer(), *left_out);
    return self->lose("too many");
  }
  asio::co_spawn(
      self->socket_.get_executor(), [self]() -> asio::awaitable<void> { co_await self->run(); },
      [self](std::exception_ptr error) {
        if (!error) return;
        try {
          std::rethrow_exception(error);
        } catch (const std::exception& e) {
          log::error("tds {}: connection ended by a defect: {}", self->peer(), e.what());
        }
        self->lose("defect");
      });
}

void connection::violation(std::string_view what) {
  shared_.count.violations.fetch_add(1, std::memory_order_relaxed);
  log::warn("tds {}: protocol violation, closed: {}", peer(), what);
  lose("violation");
}

void connection::lose(std::string_view why) {
  if (gone_) return;
  gone_ = true;
  // The other reasons have said so themselves.
  if (response_ != nullptr && (why == reason_end || why == reason_write))
    log::info("tds {}: the client left while its request ran", peer());
  if (response_ != nullptr) {
    response_->cancel();
    if (program_runs_) session_->on_attention();
  }
  if (const auto sink = sink_.lock()) sink->abandon();
  boost::system::error_code ignored;
  socket_.close(ignored);
  work_.set();
  rows_.set();
}

void connection::check_deadlines(steady::time_point now) {
  if (gone_) return;
  if (now > read_deadline_) {
    log::warn("tds {}: {} took too long, closed", peer(), logged_in_ ? "a request" : "the login");
    lose("read timeout");
  } else if (now > write_deadline_) {
    log::warn("tds {}: the client takes no bytes, closed", peer());
    lose("write timeout");
  }
}

void connection::drain() {
  close_after_request_ = true;
  if (!serving_ && waiting_.empty()) lose("drain");
}

void connection::cut() {
  lose("cut");
}

// --- reading ---------------------------------------------------------------------------------------------------------

asio::awaitable<bool> connection::fill() {
  for (;;) {
    if (gone_) co_return false;
    boost::system::error_code ec;
    co_await socket_.async_wait(asio::socket_base::wait_read, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || gone_) co_return false;
    // Into the thread's buffer: a session that waits keeps none of its own.
    const std::size_t count = socket_.read_some(asio::buffer(home_.scratch), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again || ec == asio::error::interrupted) continue;
    if (ec || count == 0) co_return false;
    shared_.count.bytes_in.fetch_add(count, std::memory_order_relaxed);
    raw_.raw({home_.scratch.data(), count});
    co_return true;
  }
}

bool connection::unwrap_record() {
  constexpr std::size_t record_header = 5;
  constexpr std::size_t record_max = 16384 + 2048;
  const byte_span raw = raw_.view();
  if (transport_ == transport::tls_login_only && in_.packet_boundary() && (raw[0] < 0x14 || raw[0] > 0x17)) {
    // go-mssqldb encrypts only the first packet of a long LOGIN7.
    transport_ = transport::plain;
    return true;
  }
  constexpr std::uint8_t first_type = 0x14, last_type = 0x17, major_version = 3;
  if (raw[0] < first_type || raw[0] > last_type || (raw.size() > 1 && raw[1] != major_version)) {
    violation("no TLS record where one is due");
    return false;
  }
  if (raw.size() < record_header) return false;
  const std::size_t size = record_header + static_cast<std::size_t>(raw[3] << 8 | raw[4]);
  if (size > record_max) {
    violation("a TLS record is too long");
    return false;
  }
  if (raw.size() < size) return false;
  byte_writer reply;
  if (!tls_->decrypt(raw.first(size), clear_, reply, tls_closed_)) {
    violation(tls_->error());
    return false;
  }
  raw_.drop_front(size);
  return true;
}

void connection::pump() {
  while (!in_.complete() && !in_.failed() && !gone_) {
    if (!clear_.empty()) {
      clear_.drop_front(in_.feed(clear_.view()));
    } else if (raw_.empty()) {
      break;
    } else if (transport_ == transport::plain) {
      raw_.drop_front(in_.feed(raw_.view()));
    } else if (!unwrap_record()) {
      break;
    }
  }
  trim(raw_);
  trim(clear_);
}

asio::awaitable<bool> connection::next_message() {
  for (;;) {
    pump();
    if (!reading_memory_.set(in_.gathered() + raw_.size() + clear_.size())) {
      violation("no memory for a request of this size while others are read or run");
      co_return false;
    }
    if (in_.failed()) {
      violation(in_.failure());
      co_return false;
    }
    if (gone_) co_return false;
    if (in_.complete()) {
      if (logged_in_) read_deadline_ = never;
      co_return true;
    }
    if (tls_closed_) co_return false;
    if (logged_in_) {
      const bool begun = in_.partial() || !raw_.empty();
      if (!begun)
        read_deadline_ = never;
      else if (read_deadline_ == never)
        read_deadline_ = steady::now() + shared_.options.request_read_timeout;
    }
    if (!co_await fill()) co_return false;
  }
}

asio::awaitable<void> connection::run() {
  const auto self = shared_from_this();
  if (co_await handshake_and_login()) {
    asio::co_spawn(
        socket_.get_executor(), [self]() -> asio::awaitable<void> { co_await self->serve(); },
        [self](std::exception_ptr error) {
          if (error) log::error("tds {}: serving ended by a defect", self->peer());
          self->lose("served");
        });
    co_await read_requests();
  }
  lose(reason_end);
}

asio::awaitable<void> connection::read_requests() {
  // A client waits for an answer before it asks again; one that does not is read on, so that its attention and its
  // end are seen, as long as that is cheap.
  constexpr std::size_t waiting_max = 16;
  std::size_t waiting_bytes = 0;
  while (co_await next_message()) {
    request_message message = in_.take();
    if (message.type == packet_type::attention) on_attention();
    if (waiting_.empty()) waiting_bytes = 0;
    waiting_bytes += message.payload.size();
    if (waiting_.size() >= waiting_max || (!waiting_.empty() && waiting_bytes > shared_.options.request_max)) {
      violation("requests without waiting for their answers");
      co_return;
    }
    request_memory_.set(waiting_bytes);
    reading_memory_.set(raw_.size() + clear_.size());
    waiting_.push_back(std::move(message));
    // The request is well on its way before this coroutine arms its socket again.
    work_.set_and_run();
  }
}

void connection::on_attention() {
  shared_.count.attentions.fetch_add(1, std::memory_order_relaxed);
  if (response_ != nullptr && !response_->cancelled()) {
    response_->cancel();
    if (program_runs_) session_->on_attention();
  }
}

// Whatever was asked before it is not to run any more.
bool connection::attention_waits() const noexcept {
  for (const request_message& m : waiting_)
    if (m.type == packet_type::attention) return true;
  return false;
}

// --- serving ---------------------------------------------------------------------------------------------------------

asio::awaitable<void> connection::serve() {
  while (!gone_) {
    if (waiting_.empty()) {
      co_await work_.wait();
      continue;
    }
    request_message next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    serving_ = true;
    if (next.type == packet_type::attention)
      co_await acknowledge_attention();
    else
      co_await process(std::move(next));
    serving_ = false;
    if (waiting_.empty()) {
      waiting_.shrink_to_fit();
      request_memory_.set(0);
    }
    if (close_after_request_) break;
  }
  lose("served");
  session_.reset();
}

asio::awaitable<void> connection::acknowledge_attention() {
  byte_writer body;
  token_writer(body, profile_).done(token::done, done_status::attention, command::none, 0);
  co_await write(body, send_mode::last);
}

asio::awaitable<void> connection::process(request_message message) {
  shared_.count.requests.fetch_add(1, std::memory_order_relaxed);
  response out(*this, profile_, shared_.program->identity());
  if (message.ignored) {  // withdrawn while it was sent: one empty answer, nothing runs
    out.end_call(true);
    co_await out.finish();
    co_return;
  }
  if (message.reset) {
    session_->on_reset(message.reset_keep_transaction);
    out.reset_acknowledged();
  }
  if (attention_waits()) {  // came before the request began
    out.cancel();
    out.end_call(true);
    co_await out.finish();
    co_return;
  }
  response_ = &out;
  shared_.count.running.fetch_add(1, std::memory_order_relaxed);
  bool broken = false;
  program_runs_ = true;
  try {
    co_await run_request(message, out);
  } catch (const std::exception& e) {
    broken = true;
    log::error("tds {}: a request ended by a defect: {}", peer(), e.what());
  }
  program_runs_ = false;
  if (broken) {
    out.error(failure(errc::internal, "The request failed inside the server."));
    out.end_call(true);
  }
  // Still running for an attention until the last packet is handed over: what comes later finds the session idle.
  if (!gone_) co_await out.finish();
  response_ = nullptr;
  shared_.count.running.fetch_sub(1, std::memory_order_relaxed);
}

asio::awaitable<void> connection::run_request(request_message& message, response& out) {
  const auto refuse = [&](const failure& why, bool close) {
    out.begin(response::kind::batch);
    out.error(why);
    out.end_call(true);
    if (!close) return;
    shared_.count.violations.fetch_add(1, std::memory_order_relaxed);
    log::warn("tds {}: protocol violation, closed: {}", peer(), why.message);
    close_after_request_ = true;
  };
  switch (message.type) {
    case packet_type::sql_batch: {
      auto batch = parse_sql_batch(message.payload.view(), profile_);
      message.payload.release();
      if (!batch) co_return refuse(batch.error(), batch.error().code == errc::protocol);
      out.begin(response::kind::batch);
      co_await session_->on_batch(std::move(batch->text), out);
      out.end_call(true);
      co_return;
    }
    case packet_type::rpc: {
      auto request = parse_rpc_request(message.payload.view(), profile_);
      message.payload.release();
      if (!request) co_return refuse(request.error(), request.error().code == errc::protocol);
      for (std::size_t i = 0; i < request->calls.size(); ++i) {
        const bool is_last = i + 1 == request->calls.size();
        out.begin(response::kind::rpc);
        if (!request->calls[i].no_execute) co_await session_->on_rpc(std::move(request->calls[i]), is_last, out);
        out.end_call(is_last || out.cancelled());
        if (out.cancelled()) break;
      }
      co_return;
    }
    case packet_type::transaction_manager: {
      auto request = parse_transaction_request(message.payload.view(), profile_);
      if (!request) co_return refuse(request.error(), true);
      out.begin(response::kind::batch);
      co_await session_->on_transaction(std::move(*request), out);
      out.end_call(true);
      co_return;
    }
    case packet_type::bulk_load:
      co_return refuse({errc::not_read_only, "This server is read-only: bulk load is not possible."}, false);
    case packet_type::sspi:
    case packet_type::fedauth_token:
      co_return refuse(
          {errc::unsupported_construct, "The session is logged in; an authentication message has no place here."},
          false);
    case packet_type::prelogin:
    case packet_type::login7:
    case packet_type::tds4_login: co_return refuse({errc::protocol, "a login message inside a session"}, true);
    default: co_return refuse({errc::protocol, "a packet of unknown type"}, true);
  }
}

}  // namespace dragoman::tds::server
