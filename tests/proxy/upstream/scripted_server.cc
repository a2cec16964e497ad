#include "scripted_server.h"

#include <fmt/format.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sstream>
#include <stdexcept>

#include "tds/server/response.h"
#include "tds/server/sql_session.h"

namespace dragoman::upstream_test {
namespace {

namespace asio = boost::asio;
using tds::server::response;

result_column column(std::string name, sql_type_id type, int length = 0) {
  result_column c;
  c.name = std::move(name);
  c.type.id = type;
  c.type.length = length;
  return c;
}

std::string text_of(const sql_value& value) {
  if (is_null(value)) return "NULL";
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<decimal>(&value)) return d->to_string();
  if (const auto* f = std::get_if<double>(&value)) return fmt::format("{}", *f);
  if (const auto* t = std::get_if<civil_time>(&value)) return date_text(t->day) + " " + time_text(t->ticks, 7);
  if (const auto* b = std::get_if<bytes>(&value)) {
    std::string out = "0x";
    for (const auto x : *b) out += fmt::format("{:02X}", x);
    return out;
  }
  return "?";
}

}  // namespace

class scripted_session final : public tds::server::sql_session {
 public:
  explicit scripted_session(scripted_server& owner) : owner_(owner) {}

  std::string database() const override { return "master"; }
  void on_attention() noexcept override {
    owner_.attentions.fetch_add(1);
    if (timer_ != nullptr && !owner_.ignore_attention) timer_->cancel();
  }

 protected:
  asio::awaitable<void> execute(tds::server::statement& s, response& out) override {
    std::istringstream in(s.text);
    std::string verb;
    in >> verb;
    std::string rest;
    std::getline(in >> std::ws, rest);
    if (verb == "SET" || verb == "set" || s.text.find("SET ") == 0) {
      owner_.note_setting(s.text);
      out.done(tds::command::none, std::nullopt);
    } else if (s.text.find("DATABASEPROPERTYEX") != std::string::npos) {
      one_text(out, "SQL_Latin1_General_CP1_CI_AS");
    } else if (verb == "table") {
      const auto table = owner_.find(rest);
      out.columns(table->columns);
      for (const auto& row : table->rows) {
        out.row(row);
        co_await out.flush_if_needed();
      }
      out.done(tds::command::select, table->rows.size());
    } else if (verb == "rows" || verb == "fail") {
      const auto count = std::stoll(rest);
      out.columns(std::vector{column("n", sql_type_id::int_), column("s", sql_type_id::nvarchar, 40)});
      for (std::int64_t i = 0; i < count && !out.cancelled(); ++i) {
        out.row(std::vector<sql_value>{i, fmt::format("row {}", i)});
        co_await out.flush_if_needed();
      }
      if (verb == "fail") {
        failure f(errc::upstream_error, "Divide by zero error encountered.");
        f.number = 8134;
        out.error(f);
      } else {
        out.done(tds::command::select, static_cast<std::uint64_t>(count));
      }
    } else if (verb == "wait") {
      asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(std::stoi(rest)));
      timer_ = &timer;
      boost::system::error_code ignored;
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      timer_ = nullptr;
      one_text(out, "waited");
    } else if (verb == "error") {
      std::istringstream words(rest);
      failure f;
      words >> f.number;
      std::getline(words >> std::ws, f.message);
      f.code = errc::upstream_error;
      out.error(f);
    } else if (verb == "print") {
      out.info(50000, 0, rest);
      one_text(out, "printed");
    } else if (verb == "parameters") {
      out.columns(std::vector{column("name", sql_type_id::nvarchar, 128), column("type", sql_type_id::nvarchar, 128),
                              column("value", sql_type_id::nvarchar, -1)});
      for (const auto& p : s.parameters) out.row(std::vector<sql_value>{p.name, to_string(p.type), text_of(p.value)});
      out.done(tds::command::select, s.parameters.size());
    } else {
      one_text(out, s.text);
    }
    co_return;
  }

 private:
  static void one_text(response& out, const std::string& text) {
    out.columns(std::vector{column("text", sql_type_id::nvarchar, 4000)});
    out.row(std::vector<sql_value>{text});
    out.done(tds::command::select, 1);
  }

  scripted_server& owner_;
  asio::steady_timer* timer_ = nullptr;
};

scripted_server::scripted_server(std::uint16_t port) : port_(port) {
  start();
}

scripted_server::~scripted_server() {
  stop();
}

void scripted_server::start() {
  tds::server::server_options o;
  o.port = port_;
  o.threads = 2;
  auto started = tds::server::server::start(o, *this);
  if (!started) throw std::runtime_error(started.error().message);
  server_ = std::move(*started);
  port_ = server_->port();
}

void scripted_server::stop() {
  if (server_) server_->stop(std::chrono::milliseconds(0));
  server_.reset();
}

std::uint16_t scripted_server::port() const {
  return port_;
}

upstream::options scripted_server::options(bool rows_from_socket) const {
  upstream::options o;
  o.rows_from_socket = rows_from_socket;
  o.server = "127.0.0.1";
  o.port = port_;
  o.user = "tester";
  o.password = secret("p}w{d;=");
  o.database = "master";
  o.encryption = upstream::encryption_mode::off;
  o.connect_timeout = std::chrono::seconds(3);
  o.cancel_grace = std::chrono::seconds(20);  // a busy machine is no upstream that ignores an attention
  return o;
}

upstream::options scripted_server::impatient_options(bool rows_from_socket) const {
  upstream::options o = options(rows_from_socket);
  o.cancel_grace = std::chrono::milliseconds(400);
  return o;
}

void scripted_server::add(std::string name, scripted_table table) {
  const std::lock_guard lock(mutex_);
  tables_[std::move(name)] = std::make_shared<const scripted_table>(std::move(table));
}

std::shared_ptr<const scripted_table> scripted_server::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return tables_.at(name);
}

void scripted_server::note_setting(std::string sql) {
  const std::lock_guard lock(mutex_);
  settings_.push_back(std::move(sql));
}

std::vector<std::string> scripted_server::settings_seen() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

boost::asio::awaitable<result<std::unique_ptr<tds::server::session>>> scripted_server::on_login(
    tds::server::login_request request) {
  if (request.user != "tester" || !request.password.equals("p}w{d;="))
    co_return failure(errc::login_failed, "Login failed.");
  sessions.fetch_add(1);
  co_return std::make_unique<scripted_session>(*this);
}

}  // namespace dragoman::upstream_test
