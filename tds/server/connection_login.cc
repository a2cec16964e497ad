// connection: from the first byte to the answer to LOGIN7.
#include <boost/asio/steady_timer.hpp>

#include "base/limits.h"
#include "base/log.h"
#include "tds/login_answer.h"
#include "tds/server/connection.h"

namespace dragoman::tds::server {
namespace {

constexpr std::uint8_t tls_handshake_byte = 0x16;
constexpr std::uint32_t encrypted_packet_max = 16383;  // a packet must fit one TLS record

encryption_policy policy_of(encryption_mode mode) {
  switch (mode) {
    case encryption_mode::off: return encryption_policy::available;
    case encryption_mode::on: return encryption_policy::preferred;
    case encryption_mode::required:
    case encryption_mode::strict: return encryption_policy::forced;
    case encryption_mode::not_supported: return encryption_policy::none;
  }
  return encryption_policy::none;
}

// Names as they may appear in an answer and in the log: no control characters, not endless.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) out.push_back(c);
    if (out.size() == 128) break;
  }
  return out;
}

}  // namespace

asio::awaitable<bool> connection::handshake_and_login() {
  const encryption_mode mode = shared_.options.encryption;
  if (!co_await fill()) co_return false;
  if (raw_.view()[0] == tls_handshake_byte) {
    if (!shared_.options.strict_tls || mode == encryption_mode::not_supported || !shared_.tls()) {
      violation("TLS without PRELOGIN is not offered");
      co_return false;
    }
    if (!co_await strict_handshake()) co_return false;
  } else if (mode == encryption_mode::strict) {
    violation("not TDS 8.0, which alone is offered");
    co_return false;
  }
  in_.set_limit(limits::login7_max);  // some clients begin with it
  if (!co_await next_message()) co_return false;
  request_message message = in_.take();
  if (message.type == packet_type::prelogin) {
    if (message.payload.size() > limits::prelogin_max) {
      violation("PRELOGIN longer than its limit");
      co_return false;
    }
    const auto request = parse_prelogin(message.payload.view());
    if (!request) {
      violation(request.error().message);
      co_return false;
    }
    const server_identity& who = shared_.program->identity();
    const bool strict = tls_ != nullptr;
    encryption answer = encryption::not_supported;
    if (!strict) answer = answer_encryption(*request, policy_of(mode));
    const tls_plan plan = strict ? tls_plan::plain : plan_of(*request, answer);
    byte_writer body;
    write_prelogin_answer(body, *request, answer, who.major, who.minor, who.build);
    co_await write(body, send_mode::last);
    if (plan != tls_plan::plain) {
      if (!co_await tunnelled_handshake()) co_return false;
      transport_ = plan == tls_plan::full ? transport::tls_full : transport::tls_login_only;
    }
    if (!co_await next_message()) co_return false;
    message = in_.take();
  }
  if (message.type != packet_type::login7) {
    if (message.type == packet_type::tds4_login)
      log::info("tds {}: refused a client of TDS 4.2 or 5.0", peer());
    else
      violation("no LOGIN7 where one is due");
    co_return false;
  }
  co_return co_await login(std::move(message));
}

asio::awaitable<bool> connection::strict_handshake() {
  tls_ = std::make_unique<tls_channel>(*shared_.tls(), true);
  for (;;) {
    byte_writer reply;
    byte_writer flight = std::move(raw_);
    raw_ = byte_writer{};
    byte_span rest = flight.view();
    const auto state = tls_->handshake(rest, reply);
    if (!co_await send_raw(reply.view())) co_return false;
    if (state == tls_channel::state::done) {
      raw_.raw(rest);
      break;
    }
    if (state == tls_channel::state::failed) {
      violation(tls_->error());
      co_return false;
    }
    if (!co_await fill()) co_return false;
  }
  transport_ = transport::tls_full;
  co_return true;
}

asio::awaitable<bool> connection::tunnelled_handshake() {
  tls_ = std::make_unique<tls_channel>(*shared_.tls(), false);
  for (;;) {
    if (!co_await next_message()) co_return false;
    request_message flight = in_.take();
    if (flight.type != packet_type::prelogin) {
      // A client without TLS goes on to LOGIN7 although it was told that TLS is required.
      violation(flight.type == packet_type::login7 ? "LOGIN7 in clear where TLS is required"
                                                   : "no TLS handshake where one is due");
      co_return false;
    }
    byte_writer reply;
    byte_span rest = flight.payload.view();
    const auto state = tls_->handshake(rest, reply);
    if (!reply.empty()) {
      // One message per flight, as all clients expect.
      const byte_span pieces[] = {reply.view()};
      if (!co_await transmit(pieces, reply.size(), true, packet_type::prelogin)) co_return false;
    }
    if (state == tls_channel::state::done && !rest.empty()) {
      violation("bytes behind the TLS handshake");
      co_return false;
    }
    if (state == tls_channel::state::done) co_return true;
    if (state == tls_channel::state::failed) {
      violation(tls_->error());
      co_return false;
    }
  }
}

asio::awaitable<void> connection::refuse_login(const failure& why, const std::string& user,
                                               const std::string& database) {
  shared_.count.failed_logins.fetch_add(1, std::memory_order_relaxed);
  if (!logged_in_) read_deadline_ = never;
  const unsigned failures = shared_.throttle.failed(address_, user, steady::now());
  asio::steady_timer timer(socket_.get_executor(), shared_.options.failed_login_delay * failures);
  co_await timer.async_wait(asio::use_awaitable);
  if (gone_) co_return;

  byte_writer body;
  token_writer tokens(body, profile_);
  const server_identity& who = shared_.program->identity();
  const std::string failed_text = "Login failed for user '" + shown(user) + "'.";
  message m;
  m.server = who.server_name;
  if (why.code == errc::database_unavailable) {
    const std::string text =
        "Cannot open database \"" + shown(database) + "\" requested by the login. The login failed.";
    m.number = 4060;
    m.severity = 11;
    m.text = text;
    tokens.error(m);
  }
  m.number = 18456;
  m.severity = 14;
  m.text = failed_text;
  if (why.code != errc::login_failed && why.code != errc::database_unavailable) {
    m.number = why.error_number();
    m.severity = why.severity() > 19 ? std::uint8_t{16} : why.severity();
    m.text = why.message;
  }
  tokens.error(m);
  tokens.done(token::done, done_status::error, command::none, 0);
  co_await write(body, send_mode::last);
}

asio::awaitable<bool> connection::login(request_message message) {
  auto parsed = parse_login7(message.payload.view());
  message.payload.release();
  if (!parsed) {
    violation(parsed.error().message);
    co_return false;
  }
  login7& asked = *parsed;
  const bool encrypted = transport_ == transport::tls_full;
  const std::string tls_subject = tls_ ? tls_->peer_subject() : std::string();
  if (transport_ == transport::tls_login_only) transport_ = transport::plain;
  if (transport_ == transport::plain) {
    tls_.reset();
    tls_out_.release();
  }
  const std::uint32_t most =
      encrypted ? std::min(shared_.options.packet_size_max, encrypted_packet_max) : shared_.options.packet_size_max;
  const std::uint32_t packet_size = negotiate_packet_size(asked.packet_size, most);
  profile_ = profile_of(asked, limits::packet_size_default, collation{});  // the new size counts after the answer

  const auto refuse = [&](const failure& why) {
    log::warn("tds {}: login of '{}' refused: {}", peer(), shown(asked.user), why.message);
    return refuse_login(why, asked.user, asked.database);
  };
  const bool must_encrypt =
      shared_.options.encryption == encryption_mode::required || shared_.options.encryption == encryption_mode::strict;
  if (must_encrypt && !encrypted) {
    co_await refuse(failure(errc::login_failed, "the session is not encrypted"));
    co_return false;
  }
  if (profile_.version < tds_version::v7_1) {
    co_await refuse(failure(errc::unsupported_construct, "This server speaks TDS 7.1 and later."));
    co_return false;
  }
  if (asked.integrated() || asked.federated() || asked.sspi_data) {
    co_await refuse(failure(errc::login_failed, "integrated and federated authentication are not offered"));
    co_return false;
  }
  if (asked.change_password) {
    co_await refuse(failure(errc::login_failed, "a login may not change its password"));
    co_return false;
  }
  if (!shared_.throttle.admit(address_, asked.user, steady::now())) {
    shared_.count.throttled_logins.fetch_add(1, std::memory_order_relaxed);
    if (const auto left_out = shared_.throttled_log.due())
      log::warn("tds {}: login of '{}' refused unjudged, too many have failed ({} such lines left out)", peer(),
                shown(asked.user), *left_out);
    co_await refuse_login(failure(errc::login_failed, "too many failures"), asked.user, asked.database);
    co_return false;
  }
  login_request request;
  request.user = asked.user;
  request.password = std::move(asked.password);
  request.database = asked.database;
  request.application = asked.application;
  request.host = asked.host;
  request.language = asked.language;
  request.library = asked.library;
  request.server = asked.server;
  request.profile = profile_;
  request.profile.packet_size = packet_size;
  request.peer_address = address_;
  request.peer_port = port_;
  request.spid = spid_;
  request.client_process = asked.client_process;
  request.encrypted = encrypted;
  request.read_only_intent = asked.read_only_intent();
  request.client_certificate = tls_subject;

  failure why(errc::internal, "The login failed inside the server.");
  try {
    auto made = co_await shared_.program->on_login(std::move(request));
    if (made && *made) session_ = std::move(*made);
    if (!made) why = made.error();
  } catch (const std::exception& e) {
    log::error("tds {}: login ended by a defect: {}", peer(), e.what());
  }
  if (gone_) co_return false;
  if (!session_) {
    // The program that judged the login knows the cause and has logged it.
    co_await refuse_login(why, asked.user, asked.database);
    co_return false;
  }
  shared_.throttle.succeeded(address_, asked.user, steady::now());
  if (unfinished_) shared_.throttle.leave(address_);
  unfinished_ = false;
  shared_.count.logins.fetch_add(1, std::memory_order_relaxed);

  const server_identity& who = shared_.program->identity();
  const std::string database = session_->database();
  const std::string language = session_->language();
  login_answer answer;
  answer.database = database;
  answer.language = language;
  answer.server_name = who.server_name;
  answer.program_name = who.program_name;
  answer.program_version = {who.major, who.minor, static_cast<std::uint8_t>(who.build >> 8),
                            static_cast<std::uint8_t>(who.build)};
  wire_profile after = profile_;
  after.packet_size = packet_size;
  byte_writer body;
  write_login_answer(body, asked, after, answer);
  co_await write(body, send_mode::last);
  profile_ = after;
  logged_in_ = true;
  read_deadline_ = never;
  in_.set_limit(shared_.options.request_max);
  co_return !gone_;
}

}  // namespace dragoman::tds::server
