#include "proxy/upstream/connection.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.h"
#include "base/utf16.h"
#include "proxy/upstream/errors.h"
#include "proxy/upstream/text_encoding.h"
#include "proxy/upstream/wire_reader.h"
#include "tds/client_request.h"

namespace dragoman::upstream {
namespace {

using clock = std::chrono::steady_clock;

// Connects run one after another, so that socket_finder can tell which socket is whose. When the server is down, those
// who waited behind a failed attempt share its outcome instead of each waiting for its own time-out.
std::timed_mutex connect_mutex;

constexpr std::string_view collation_question =
    "SELECT CONVERT(nvarchar(128), DATABASEPROPERTYEX(DB_NAME(), 'Collation'));";

SQLPOINTER number(std::uintptr_t value) {
  return reinterpret_cast<SQLPOINTER>(value);
}

failure unavailable(const options& o, const std::vector<diagnostic>& records) {
  std::string why = "no reason given";
  // FreeTDS puts the server's own words (18456 …) after its general "unable to connect".
  for (const diagnostic& d : records)
    if (!d.is_warning()) why = d.number != 0 && d.number < 20000 ? fmt::format("{} ({})", d.text, d.number) : d.text;
  return {errc::upstream_unavailable, fmt::format("Cannot connect to {}: {}", address_of(o), why)};
}

}  // namespace

result<void> connection::open() {
  auto connected = connect();
  if (!connected || !borrows_) return connected;
  if (learn_collation_on_socket()) {
    wire_usable_ = true;
    return connected;
  }
  // A server that encrypts everything has closed the connection at our plain bytes. If FreeTDS alone gets on with it,
  // that was the reason.
  facts_->sealed_until = (clock::now() + options_->age_max).time_since_epoch().count();
  connected = connect();
  if (!connected)
    facts_->sealed_until = 0;
  else
    log_trouble(*options_, "upstream {} encrypts beyond the login: rows are read through ODBC", address_of(*options_));
  return connected;
}

bool connection::may_borrow_socket() const {
  return options_->rows_from_socket && is_freetds(options_->driver) &&
         options_->encryption != encryption_mode::require && socket_.known() &&
         clock::now().time_since_epoch().count() >= facts_->sealed_until;
}

result<void> connection::connect() {
  close();
  clockid_t clock = -1;
  pthread_getcpuclockid(pthread_self(), &clock);
  cpu_clock_ = clock;
  const std::uint64_t failures_before = facts_->failed_attempts.load();
  const std::unique_lock lock(connect_mutex, options_->connect_timeout * 2);
  if (!lock.owns_lock() || (facts_->failed_attempts.load() != failures_before))
    return failure(errc::upstream_unavailable,
                   fmt::format("Cannot connect to {}: the last attempt failed.", address_of(*options_)));

  const auto give_up = [this](failure f) {
    facts_->failed_attempts.fetch_add(1);
    close();
    return f;
  };
  if (!environment_.allocate(SQL_NULL_HANDLE) ||
      !SQL_SUCCEEDED(SQLSetEnvAttr(environment_.get(), SQL_ATTR_ODBC_VERSION, number(SQL_OV_ODBC3), 0)) ||
      !handle_.allocate(environment_.get()))
    return give_up({errc::upstream_unavailable, "The ODBC driver manager cannot allocate its handles."});
  const auto seconds = std::max<std::int64_t>(1, (options_->connect_timeout.count() + 999) / 1000);
  SQLSetConnectAttrW(handle_.get(), SQL_ATTR_LOGIN_TIMEOUT, number(static_cast<std::uintptr_t>(seconds)),
                     SQL_IS_UINTEGER);
  SQLSetConnectAttrW(handle_.get(), SQL_ATTR_PACKET_SIZE, number(options_->packet_size), SQL_IS_UINTEGER);

  const auto said = connection_string(*options_);
  if (!said) return give_up(said.error());
  const socket_finder finder(options_->port);
  std::u16string text = wide(said->reveal());
  const SQLRETURN rc =
      SQLDriverConnectW(handle_.get(), nullptr, reinterpret_cast<SQLWCHAR*>(text.data()),
                        static_cast<SQLSMALLINT>(text.size()), nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT);
  std::fill(text.begin(), text.end(), u'\0');
  if (!SQL_SUCCEEDED(rc)) return give_up(unavailable(*options_, diagnostics_of(SQL_HANDLE_DBC, handle_.get())));
  {
    const std::lock_guard guard(sockets_);
    socket_.reset(finder.find());
    socket_.tune();
  }
  {
    const std::lock_guard guard(handles_);
    if (!statement_.allocate(handle_.get()))
      return give_up({errc::upstream_unavailable, "The ODBC driver cannot allocate a statement."});
  }
  // The guard prints plain T-SQL: the driver must not look for {escapes} in it.
  SQLSetStmtAttrW(statement_.get(), SQL_ATTR_NOSCAN, number(SQL_NOSCAN_ON), SQL_IS_UINTEGER);
  time_limit_s_ = 0;
  set_time_limit(options_->query_timeout);
  open_ = true;
  opened_at_ = std::chrono::steady_clock::now();
  current_.clear();
  if (options_->read_uncommitted) run_batch("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;");
  SQLUINTEGER packet = 0;
  if (SQL_SUCCEEDED(SQLGetConnectAttrW(handle_.get(), SQL_ATTR_PACKET_SIZE, &packet, SQL_IS_UINTEGER, nullptr)) &&
      packet >= 512)
    packet_size_ = packet;
  wire_.attach(socket_.fd());
  // Decided once: what other connections find out meanwhile is for the next one.
  borrows_ = may_borrow_socket();
  if (!borrows_) learn_collation();
  if (!open_)
    return give_up(
        {errc::upstream_unavailable, fmt::format("{} closed the connection at once.", address_of(*options_))});
  return {};
}

void connection::close() {
  wire_usable_ = borrows_ = false;
  wire_.abandon();
  wire_buffer_.clear();
  {
    const std::lock_guard guard(handles_);
    statement_.reset();
  }
  if (handle_.get() != SQL_NULL_HANDLE) SQLDisconnect(handle_.get());
  handle_.reset();
  environment_.reset();
  const std::lock_guard guard(sockets_);
  socket_.reset();
  open_ = false;
}

bool connection::run_batch(std::string_view sql, std::vector<diagnostic>* why) {
  std::u16string text = wide(sql);
  const SQLRETURN rc = call([&] {
    return SQLExecDirectW(statement_.get(), reinterpret_cast<SQLWCHAR*>(text.data()),
                          static_cast<SQLINTEGER>(text.size()));
  });
  const bool good = SQL_SUCCEEDED(rc) || rc == SQL_NO_DATA;
  if (!good) {
    auto records = diagnostics_of(SQL_HANDLE_STMT, statement_.get());
    if (is_connection_loss(records)) open_ = false;
    if (why != nullptr) *why = std::move(records);
  }
  finish_statement();
  return good;
}

result<void> connection::apply(const session_settings& wanted) {
  const std::string sql = wanted.difference_from(current_);
  if (sql.empty()) return {};
  std::vector<diagnostic> why;
  if (!run_batch(sql, &why)) {
    // Cut off or cancelled in the middle, the settings are anyone's guess: the connection is not used again.
    const bool cancelled = std::any_of(why.begin(), why.end(), [](const diagnostic& d) { return d.state == "HY008"; });
    if (cancelled || is_dead() || is_connection_loss(why)) {
      close();
      return failure(errc::upstream_unavailable, "The connection was lost.");
    }
    // A server that lacks a setting keeps its own.
    log::warn("upstream {} refused session settings: {}", address_of(*options_), why.empty() ? "" : why.front().text);
  }
  current_ = wanted;
  return {};
}

void connection::finish_statement() {
  if (statement_.get() == SQL_NULL_HANDLE) return;
  // Not a call that attention() may reach: it sends its own.
  wire_.driver_spoke();
  SQLFreeStmt(statement_.get(), SQL_CLOSE);
  SQLFreeStmt(statement_.get(), SQL_UNBIND);
  SQLFreeStmt(statement_.get(), SQL_RESET_PARAMS);
  // They point into a reader that is gone.
  SQLSetStmtAttrW(statement_.get(), SQL_ATTR_ROWS_FETCHED_PTR, nullptr, SQL_IS_POINTER);
  SQLSetStmtAttrW(statement_.get(), SQL_ATTR_ROW_ARRAY_SIZE, number(1), SQL_IS_UINTEGER);
}

std::optional<connection::glance> connection::look() const {
  glance seen;
  seen.call = calls_.load(std::memory_order_acquire);
  if (seen.call % 2 == 0) return std::nullopt;
  {
    const std::lock_guard guard(sockets_);
    if (socket_.has_input()) return std::nullopt;
  }
  timespec used{};
  if (clock_gettime(cpu_clock_.load(), &used) != 0) return std::nullopt;
  seen.cpu_ns = std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
  return seen;
}

void connection::attention(const glance& seen) {
  const std::lock_guard guard(handles_);
  if (look() == seen && statement_.get() != SQL_NULL_HANDLE) SQLCancel(statement_.get());
}

void connection::set_time_limit(std::chrono::milliseconds statement_limit) {
  const auto limit = statement_limit + 2 * options_->cancel_grace;
  const auto seconds = static_cast<SQLULEN>(std::chrono::ceil<std::chrono::seconds>(limit).count());
  if (seconds == time_limit_s_) return;
  time_limit_s_ = seconds;
  SQLSetStmtAttrW(statement_.get(), SQL_ATTR_QUERY_TIMEOUT, number(seconds), SQL_IS_UINTEGER);
}

void connection::break_off() {
  const std::lock_guard guard(sockets_);
  socket_.shut_down();
}

// The first statement on the socket, and with it the proof that it can be used so.
bool connection::learn_collation_on_socket() {
  open_gate gate;
  value_table answer;
  if (!wire_.begin(tds::write_batch(collation_question, packet_size_))) return false;
  wire_reader reader(wire_, wire_buffer_, answer, gate, *options_, 0, options_->connect_timeout);
  if (reader.run().lost) return false;
  if (!answer.rows.empty() && !answer.rows[0].empty())
    if (const auto* name = std::get_if<std::string>(&answer.rows[0][0])) collation_ = collation_named(*name);
  return true;
}

// Character columns come in the code page of their collation, which the driver does not report; the database's own is
// right for nearly all of them.
void connection::learn_collation() {
  std::u16string text = wide(collation_question);
  const SQLRETURN rc = call([&] {
    return SQLExecDirectW(statement_.get(), reinterpret_cast<SQLWCHAR*>(text.data()),
                          static_cast<SQLINTEGER>(text.size()));
  });
  if (SQL_SUCCEEDED(rc) && SQL_SUCCEEDED(call([&] { return SQLFetch(statement_.get()); }))) {
    std::array<std::uint8_t, 256> name{};
    SQLLEN length = 0;
    if (SQL_SUCCEEDED(SQLGetData(statement_.get(), 1, SQL_C_BINARY, name.data(), std::ssize(name), &length)) &&
        length > 0)
      collation_ =
          collation_named(utf8_from_utf16le(std::span(name.data(), std::min<std::size_t>(
                                                                       static_cast<std::size_t>(length), name.size())))
                              .value_or(std::string()));
  } else if (is_connection_loss(diagnostics_of(SQL_HANDLE_STMT, statement_.get()))) {
    open_ = false;
  }
  finish_statement();
}

}  // namespace dragoman::upstream
