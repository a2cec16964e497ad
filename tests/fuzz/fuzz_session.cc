// A whole session, from the first byte to the last: the input is a list of what a client does, sensible or not, in any
// order, whole or in pieces, reading or not. The connection runs in this thread over a socket pair, one event loop turn
// at a time, so that an input always does the same.
//
// What must hold: every byte of the server is part of a packet as agreed, every message ends with a DONE, and as long
// as the server has not closed the connection an attention and a last request are answered.
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tds/server/connection.h"
#include "tds/server/sql_session.h"

namespace {

using namespace dragoman;
using namespace dragoman::tds;
using namespace dragoman::tds::server;

using octets = std::vector<std::uint8_t>;

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "session: %s\n", what);
  std::abort();
}
void must(bool holds, const char* what) {
  if (!holds) broken(what);
}

// ---- the program behind the server ---------------------------------------------------------------------------------

class small_session final : public sql_session {
 public:
  explicit small_session(asio::any_io_executor executor) : interrupted_(executor) {}
  std::string database() const override { return "master"; }
  void on_attention() noexcept override { interrupted_.set(); }

 protected:
  static std::vector<result_column> columns_of(const std::string& text) {
    if (text.starts_with("wide"))
      return std::vector<result_column>(300, {"c", {.id = sql_type_id::nvarchar, .length = 40}, true});
    return {{"id", {.id = sql_type_id::int_}, false},
            {"name", {.id = sql_type_id::nvarchar, .length = sql_type::max_length}, true}};
  }
  asio::awaitable<void> execute(statement& s, response& out) override {
    const auto number = [&] { return std::strtol(s.text.c_str() + 5, nullptr, 10) % 3000; };
    if (s.text.starts_with("rows ") || s.text.starts_with("wide ")) {
      const auto columns = columns_of(s.text);
      out.columns(columns);
      std::vector<sql_value> row(columns.size());
      if (columns.size() == 2) row = {std::int64_t{7}, std::string(40, 'r')};
      long done = 0;
      for (const long all = number(); done < all && !out.cancelled(); ++done) {
        out.row(row);
        co_await out.flush_if_needed();
      }
      out.done(command::select, static_cast<std::uint64_t>(done));
    } else if (s.text.starts_with("sink ")) {
      const auto sink = out.open_rows();
      const result_column column{"id", {.id = sql_type_id::int_}, false};
      sink->columns({&column, 1});
      for (long i = 0, all = number(); i < all; ++i) {
        std::uint8_t* const at = sink->reserve(5);
        at[0] = 0xD1;
        for (int b = 1; b < 5; ++b) at[b] = 0;
        sink->commit(5);
        if (!sink->end_row()) break;
      }
      sink->close();
      co_await out.relay(*sink);
      out.done(command::select, sink->rows());
    } else if (s.text.starts_with("wait")) {
      co_await interrupted_.wait();
      out.done(command::select, std::nullopt);
    } else if (s.text.starts_with("fail")) {
      out.error(failure(errc::unknown_table, "Invalid object name."));
    } else if (s.text.starts_with("throw")) {
      throw std::runtime_error("a defect on purpose");
    } else if (s.text.starts_with("begin")) {
      begin_transaction(out);
      out.done(command::begin, std::nullopt);
    } else {
      std::vector<result_column> columns;
      std::vector<sql_value> row;
      for (parameter& p : s.parameters) {
        columns.push_back({p.name, p.type, true});
        row.push_back(p.value);
        if (p.output) p.value = std::int64_t{42};
      }
      if (!columns.empty()) {
        out.columns(columns);
        out.row(row);
      }
      out.done(command::select, columns.empty() ? 0 : 1);
    }
  }
  asio::awaitable<std::vector<result_column>> describe(statement& s) override {
    co_return s.text.starts_with("rows ") ? columns_of(s.text) : std::vector<result_column>{};
  }

 private:
  event interrupted_;
};

class small_program final : public handler {
 public:
  const server_identity& identity() const noexcept override { return identity_; }
  asio::awaitable<result<std::unique_ptr<session>>> on_login(login_request request) override {
    if (request.user != "sa") co_return failure(errc::login_failed, "no");
    const auto executor = co_await asio::this_coro::executor;
    co_return std::unique_ptr<session>(std::make_unique<small_session>(executor));
  }

 private:
  server_identity identity_;
};

// ---- the input ------------------------------------------------------------------------------------------------------

class script {
 public:
  script(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool more() const { return at_ != end_; }
  std::uint8_t byte() { return more() ? *at_++ : std::uint8_t{0}; }
  octets bytes() {
    const std::size_t count = std::min<std::size_t>(byte(), static_cast<std::size_t>(end_ - at_));
    octets out(at_, at_ + count);
    at_ += count;
    return out;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// ---- the client -----------------------------------------------------------------------------------------------------

class client {
 public:
  explicit client(small_program& program) : shared_(options()) {
    shared_.program = &program;
    int ends[2];
    must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0, "no socket pair");
    fd_ = ends[0];
    const int small = 8192;  // so that a client that does not read is soon felt
    ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    asio::ip::tcp::socket socket(home().loop);
    socket.assign(asio::ip::tcp::v4(), ends[1]);
    auto made = std::make_shared<connection>(shared_, home(), std::move(socket));
    connection_ = made;
    connection::start(std::move(made));
    turn();
  }
  ~client() {
    ::close(fd_);
    // The session may have to be told more than once: each turn ends what the last one let go on.
    for (int i = 0; i < 1000 && !home().connections.empty(); ++i) turn();
    must(home().connections.empty(), "a connection outlives its client");
    must(shared_.request_memory.load() == 0, "memory of requests is not given back");
    must(shared_.count.running.load() == 0, "a request still counts as running");
  }

  void turn() {
    home().loop.restart();
    while (home().loop.poll() != 0) {
    }
    if (reading) read();
  }
  void read_or_not(bool from_now_on) {
    reading = from_now_on;
    may_be_cut_ = may_be_cut_ || !reading;  // what is on its way when the server gives up on us
    turn();
  }
  void deadlines(steady::duration from_now) {
    may_be_cut_ = true;
    if (const auto c = connection_.lock()) c->check_deadlines(steady::now() + from_now);
    turn();
  }
  void send(byte_span bytes) {
    shadow(bytes);
    for (std::size_t stuck = 0; !bytes.empty() && !closed;) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
      if (n < 0 && errno != EAGAIN) closed = true;
      turn();
      // It takes nothing more: it waits for us to read, or for its running request to end.
      if (n < 0 && ++stuck > 50) {
        in_pieces_ = true;
        return;
      }
    }
  }
  // A message, cut into packets of `slice` payload bytes, each packet cut again at `cut`.
  void message(std::uint8_t type, std::uint8_t status, const octets& body, std::size_t slice, std::size_t cut) {
    std::size_t at = 0;
    do {
      const std::size_t count = std::min(slice, body.size() - at);
      const bool last = at + count == body.size();
      const std::size_t size = count + packet_header_size;
      octets packet{type,
                    static_cast<std::uint8_t>(last ? status : status & ~1),
                    static_cast<std::uint8_t>(size >> 8),
                    static_cast<std::uint8_t>(size),
                    0,
                    0,
                    0,
                    0};
      packet.insert(packet.end(), body.begin() + static_cast<std::ptrdiff_t>(at),
                    body.begin() + static_cast<std::ptrdiff_t>(at + count));
      if (cut > 0 && cut < packet.size()) {
        send(byte_span(packet).first(cut));
        send(byte_span(packet).subspan(cut));
      } else {
        send(packet);
      }
      at += count;
    } while (at < body.size());
  }
  // Whether the server may be waiting for the rest of something.
  bool in_pieces() const { return in_pieces_ || sent_.partial() || sent_.failed(); }
  bool logged_in() const { return logged_in_; }
  std::size_t messages() const { return messages_; }
  bool last_was_attention() const { return attention_; }

  bool reading = true;
  bool closed = false;

 private:
  static server_options options() {
    server_options o;
    o.encryption = encryption_mode::not_supported;
    o.failed_login_delay = std::chrono::milliseconds(0);
    o.request_max = 256 * 1024;
    return o;
  }
  static io_thread& home() {
    static io_thread one;
    return one;
  }
  // What the server must make of the bytes, as far as the end of messages goes.
  void shadow(byte_span bytes) {
    sent_.set_limit(256 * 1024);
    while (!bytes.empty() && !sent_.failed()) {
      bytes = bytes.subspan(sent_.feed(bytes));
      if (sent_.complete()) sent_.take();
    }
  }
  void read() {
    std::uint8_t buffer[16384];
    for (;;) {
      const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) {
        if (n == 0 || errno != EAGAIN) closed = true;
        break;
      }
      received_.insert(received_.end(), buffer, buffer + n);
      // What was held up by our not reading goes on.
      home().loop.restart();
      home().loop.poll();
    }
    while (received_.size() >= packet_header_size) {
      const packet_header header = read_packet_header(received_.data());
      must(header.type == packet_type::tabular_result, "a packet of the server is of the wrong type");
      must(header.status <= 1, "a packet of the server has status bits that no server sets");
      must(header.length >= packet_header_size && header.length <= 32768, "a packet of the server has a wrong length");
      must(header.spid == 51, "a packet of the server has another SPID");
      if (received_.size() < header.length) break;
      body_.insert(body_.end(), received_.begin() + packet_header_size, received_.begin() + header.length);
      received_.erase(received_.begin(), received_.begin() + header.length);
      if (header.status == 1) end_message();
    }
    if (closed) must(received_.empty() || may_be_cut_, "the last packet of the server is cut");
  }
  void end_message() {
    must(!body_.empty(), "an empty message");
    if (logged_in_ || body_[0] != 0) {  // PRELOGIN's answer begins with its first option
      const std::size_t done = narrow_ ? 9 : 13;
      if (!logged_in_) find_login();
      const std::size_t size = narrow_ ? 9 : done;
      must(body_.size() >= size, "a message without a DONE");
      const std::uint8_t* token = body_.data() + body_.size() - size;
      must(token[0] >= 0xFD, "a message does not end with a DONE");
      must((token[1] & 1) == 0, "the last DONE says that more follows");
      attention_ = (token[1] & 0x20) != 0;
    }
    ++messages_;
    body_.clear();
  }
  // LOGINACK, and the version in it.
  void find_login() {
    for (std::size_t i = 0; i + 8 < body_.size(); ++i)
      if (body_[i] == 0xAD && body_[i + 1] == 0x32 && body_[i + 2] == 0 && body_[i + 3] == 1) {
        logged_in_ = true;
        narrow_ = body_[i + 4] == 0x71;
        return;
      }
    // A refusal: what it ends with tells how wide it is.
    narrow_ = body_.size() < 13 || body_[body_.size() - 13] != 0xFD;
  }

  runtime shared_;
  int fd_ = -1;
  std::weak_ptr<connection> connection_;
  message_assembler sent_;
  octets received_;
  octets body_;
  std::size_t messages_ = 0;
  bool logged_in_ = false;
  bool narrow_ = false;
  bool attention_ = false;
  bool in_pieces_ = false;
  bool may_be_cut_ = false;
};

// ---- what it says ---------------------------------------------------------------------------------------------------

void put(octets& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}
void put(octets& out, const octets& more) {
  out.insert(out.end(), more.begin(), more.end());
}
octets wide(std::string_view text) {
  octets out;
  append_utf16le(out, text);
  return out;
}

octets login_of(std::string_view user, std::uint32_t version) {
  octets out, data;
  const octets name = wide(user);
  put(out, 94 + name.size(), 4);
  for (const std::uint32_t v : {version, 4096u, 0u, 1u, 0u}) put(out, v, 4);
  for (const std::uint8_t v : {0xE0, 3, 0, 0}) out.push_back(v);
  put(out, 0, 4);
  put(out, 0x409, 4);
  for (int i = 0; i < 9; ++i) {
    put(out, 94, 2);
    put(out, i == 1 ? name.size() / 2 : 0, 2);
  }
  put(out, 1, 6);
  for (int i = 0; i < 3; ++i) {
    put(out, 94, 2);
    put(out, 0, 2);
  }
  put(out, 0, 4);
  put(out, name);
  return out;
}

octets headers(bool old) {
  octets out;
  if (old) return out;
  put(out, 22, 4);
  put(out, 18, 4);
  put(out, 2, 2);
  put(out, 0, 8);
  put(out, 1, 4);
  return out;
}

constexpr const char* texts[] = {"set x",     "rows 3",  "rows 2500", "wide 200", "sink 100",
                                 "sink 2999", "wait",    "fail",      "throw",    "begin",
                                 "",          "echo @a", "two words", "rows 0",   "declare @a int"};

octets text_parameter(std::string_view text) {
  octets out{0, 0, 0xE7, 0x40, 0x1F, 9, 4, 0xD0, 0, 0x34};
  const octets raw = wide(text);
  put(out, raw.size(), 2);
  put(out, raw);
  return out;
}
octets int_parameter(std::uint32_t value, bool output) {
  octets out{0, static_cast<std::uint8_t>(output ? 1 : 0), 0x26, 4, 4};
  put(out, value, 4);
  return out;
}

octets call(script& in, bool old) {
  octets out = headers(old);
  const std::uint8_t calls = static_cast<std::uint8_t>(1 + in.byte() % 3);
  for (std::uint8_t c = 0; c < calls; ++c) {
    if (c != 0) out.push_back(old ? 0x80 : 0xFF);
    const std::uint8_t procedure = in.byte();
    if (procedure >= 0xF0) {
      constexpr const char* names[] = {"sp_executesql", "sp_execute", "sp_reset_connection", "[sys].sp_none",
                                       "sp_prepare",    "sp_cursor",  "sp_cursorfetch",      "x"};
      const std::string_view name = names[procedure % 8];
      put(out, name.size(), 2);
      put(out, wide(name));
    } else {
      put(out, 0xFFFF, 2);
      put(out, procedure % 18, 2);
    }
    put(out, in.byte() % 4, 2);
    for (std::uint8_t left = in.byte() % 8; left > 0; --left) {
      const std::uint8_t kind = in.byte();
      switch (kind % 6) {
        case 0:
        case 1: put(out, int_parameter(in.byte() % 8, (kind & 0x80) != 0)); break;
        case 2: put(out, text_parameter(texts[in.byte() % std::size(texts)])); break;
        case 3: put(out, text_parameter("@a int, @b nvarchar(10) OUTPUT")); break;
        case 4: put(out, octets{0, static_cast<std::uint8_t>(kind >> 7), 0x26, 4, 0}); break;  // NULL
        case 5: put(out, in.bytes()); break;
      }
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = [] {
    spdlog::set_level(spdlog::level::off);
    return true;
  }();
  (void)quiet;
  static small_program program;
  if (size > 2000) return 0;
  script in(data, size);
  client c(program);
  const std::uint8_t style = in.byte();
  const bool old = (style & 1) != 0;
  const std::uint32_t version = old ? 0x71000001 : (style & 2) != 0 ? 0x72090002 : 0x74000004;
  if ((style & 4) == 0) {  // most inputs are to get past the login
    c.message(0x10, 1, login_of("sa", version), 4088, 0);
    must(c.logged_in() && !c.closed, "a right login was refused");
  }
  std::uint8_t status = 1;
  std::size_t slice = 4088, cut = 0;
  while (in.more() && !c.closed) {
    switch (in.byte() % 16) {
      case 0:
        c.message(0x12, status, {0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 9, 0, 0, 0, 0, 0, in.byte()}, slice, cut);
        break;
      case 1: c.message(0x10, status, login_of(in.byte() % 4 != 0 ? "sa" : "nobody", version), slice, cut); break;
      case 2:
      case 3: {
        octets body = headers(old);
        put(body, wide(texts[in.byte() % std::size(texts)]));
        c.message(0x01, status, body, slice, cut);
        break;
      }
      case 4:
      case 5: c.message(0x03, status, call(in, old), slice, cut); break;
      case 6: c.message(0x06, 1, {}, slice, cut); break;
      case 7: {
        octets body = headers(old);
        put(body, in.byte() % 12, 2);
        put(body, in.bytes());
        c.message(0x0E, status, body, slice, cut);
        break;
      }
      case 8: c.message(in.byte() % 0x20, status, in.bytes(), slice, cut); break;
      case 9: {
        octets body = headers(old);
        put(body, in.bytes());
        c.message(in.byte() % 2 == 0 ? 0x01 : 0x03, status, body, slice, cut);
        break;
      }
      case 10: c.send(in.bytes()); break;
      case 11: slice = 1 + in.byte() * 16u; break;
      case 12: cut = in.byte() % 64; break;
      case 13: status = in.byte() & 0x1B; continue;
      case 14: c.read_or_not((in.byte() & 1) != 0); break;
      case 15: c.deadlines(std::chrono::seconds(in.byte() < 8 ? 3600 : 0)); break;
    }
    status = 1;
  }
  c.reading = true;
  c.turn();
  if (c.closed || c.in_pieces() || !c.logged_in()) return 0;
  // Whatever went on, it can be ended, and then the session is as good as before.
  const std::size_t before = c.messages();
  c.message(0x06, 1, {}, 4088, 0);
  for (int i = 0; i < 50 && !c.closed && !c.last_was_attention(); ++i) c.turn();
  if (c.closed) return 0;
  must(c.messages() > before && c.last_was_attention(), "an attention was not answered");
  octets body = headers(old);
  put(body, wide("set x"));
  const std::size_t answered = c.messages();
  c.message(0x01, 1, body, 4088, 0);
  must(c.closed || c.messages() == answered + 1, "the last request was not answered");
  return 0;
}
