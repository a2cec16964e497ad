// A tiny SQL Server for tests: canned answers by the first word of a batch, so that any client can be tried against the
// runtime alone.
//   types            one row of every type with values, one with NULLs
//   rows N           N rows (int, nvarchar) written on the connection's thread
//   relay N          the same from a worker thread
//   wait             runs until it is cancelled
//   fail             an error
//   two              two result sets
//   big N            one nvarchar(max) of N characters
//   use X            changes the database
//   begin|commit|rollback
//   anything else    one column `echo` with the text of the statement, and one per parameter
#pragma once

#include <atomic>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <sstream>
#include <thread>

#include "tds/server/server.h"
#include "tds/server/sql_session.h"
#include "tds/value_encoder.h"

namespace dragoman::tds::server::testing {

inline std::vector<result_column> every_type_columns() {
  using id = sql_type_id;
  std::vector<result_column> columns;
  const auto add = [&columns](const char* name, sql_type type) { columns.push_back({name, type, true, false, true}); };
  add("c_bit", {.id = id::bit});
  add("c_tinyint", {.id = id::tinyint});
  add("c_smallint", {.id = id::smallint});
  add("c_int", {.id = id::int_});
  add("c_bigint", {.id = id::bigint});
  add("c_decimal", {.id = id::decimal, .precision = 38, .scale = 10});
  add("c_numeric", {.id = id::numeric, .precision = 9, .scale = 2});
  add("c_money", {.id = id::money});
  add("c_smallmoney", {.id = id::smallmoney});
  add("c_real", {.id = id::real});
  add("c_float", {.id = id::float_});
  add("c_date", {.id = id::date});
  add("c_time", {.id = id::time, .scale = 7});
  add("c_datetime", {.id = id::datetime});
  add("c_smalldatetime", {.id = id::smalldatetime});
  add("c_datetime2", {.id = id::datetime2, .scale = 3});
  add("c_datetimeoffset", {.id = id::datetimeoffset, .scale = 0});
  add("c_char", {.id = id::char_, .length = 6});
  add("c_varchar", {.id = id::varchar, .length = 20});
  add("c_nchar", {.id = id::nchar, .length = 6});
  add("c_nvarchar", {.id = id::nvarchar, .length = 20});
  add("c_varchar_max", {.id = id::varchar, .length = sql_type::max_length});
  add("c_nvarchar_max", {.id = id::nvarchar, .length = sql_type::max_length});
  add("c_binary", {.id = id::binary, .length = 4});
  add("c_varbinary", {.id = id::varbinary, .length = 8});
  add("c_varbinary_max", {.id = id::varbinary, .length = sql_type::max_length});
  add("c_uniqueidentifier", {.id = id::uniqueidentifier});
  add("c_xml", {.id = id::xml});
  add("c_text", {.id = id::text});
  add("c_ntext", {.id = id::ntext});
  add("c_image", {.id = id::image});
  return columns;
}

inline std::vector<sql_value> every_type_values() {
  const auto exact = [](const char* text) { return sql_value(*decimal::parse(text)); };
  const day_number day = to_day_number({2024, 2, 29});
  const std::int64_t ticks = ((12 * 60 + 34) * 60 + 56) * ticks_per_second + 1234567;
  return {std::int64_t{1},
          std::int64_t{255},
          std::int64_t{-32768},
          std::int64_t{2147483647},
          std::int64_t{-9223372036854775807},
          exact("-1234567890123456789012345678.0123456789"),
          exact("1234567.89"),
          exact("-922337203685477.5808"),
          exact("214748.3647"),
          1.5,
          -2.25e100,
          civil_time{day, 0, 0},
          civil_time{0, ticks, 0},
          civil_time{day, ticks, 0},
          civil_time{day, ticks, 0},
          civil_time{day, ticks, 0},
          civil_time{day, ticks, 210},
          std::string("abc"),
          std::string("caf\xC3\xA9"),
          std::string("\xD8\xB3\xD9\x84\xD8\xA7\xD9\x85"),  // سلام
          std::string("\xD8\xAA\xD9\x87\xD8\xB1\xD8\xA7\xD9\x86 \xF0\x9F\x98\x80"),
          std::string("long varchar"),
          std::string("\xDA\xA9\xD8\xAA\xD8\xA7\xD8\xA8"),
          bytes{1, 2, 3, 4},
          bytes{0xDE, 0xAD, 0xBE, 0xEF},
          bytes{0, 255},
          guid{0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF},
          std::string("<a>\xD8\xA8</a>"),
          std::string("old text"),
          std::string("old ntext"),
          bytes{7, 8}};
}

class echo_session final : public sql_session {
 public:
  echo_session(std::string database, asio::any_io_executor executor, std::atomic<int>& alive)
      : database_(std::move(database)), timer_(executor), alive_(alive) {
    ++alive_;
  }
  ~echo_session() override {
    for (std::thread& t : workers_) t.join();
    --alive_;
  }
  std::string database() const override { return database_; }
  void on_attention() noexcept override { timer_.cancel(); }

 protected:
  static std::vector<result_column> row_columns() {
    return {{"id", {.id = sql_type_id::int_}, false}, {"name", {.id = sql_type_id::nvarchar, .length = 40}, true}};
  }

  asio::awaitable<void> execute(statement& s, response& out) override {
    std::istringstream words(s.text);
    std::string verb, argument;
    words >> verb >> argument;
    const long number = std::strtol(argument.c_str(), nullptr, 10);
    if (verb == "types") {
      out.columns(every_type_columns());
      out.row(every_type_values());
      out.row({});
      out.done(command::select, 2);
    } else if (verb == "rows") {
      out.columns(row_columns());
      long done = 0;
      for (; done < number && !out.cancelled(); ++done) {
        const sql_value row[] = {std::int64_t{done}, "row " + std::to_string(done)};
        out.row(row);
        co_await out.flush_if_needed();
      }
      out.done(command::select, done);
    } else if (verb == "relay") {
      const auto sink = out.open_rows();
      workers_.emplace_back([sink, number] {
        sink->columns(row_columns());
        const auto columns = sink->layout().columns();
        static constexpr char16_t text[] = u"a row of the relay, of forty bytes";
        for (long i = 0; i < number; ++i) {
          std::uint8_t* p = sink->reserve(256);
          std::uint8_t* const start = p;
          *p++ = encode::row_token;
          p = encode::integer(p, columns[0], i);
          p = encode::short_bytes(p, text, sizeof text - 2);
          sink->commit(static_cast<std::size_t>(p - start));
          if (!sink->end_row()) break;
        }
        sink->close();
      });
      co_await out.relay(*sink);
      workers_.back().join();
      workers_.pop_back();
      out.done(command::select, sink->rows());
    } else if (verb == "wait") {
      timer_.expires_after(std::chrono::seconds(30));
      boost::system::error_code ec;
      co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
      out.done(command::select, std::nullopt);
    } else if (verb == "fail") {
      out.error(failure(errc::unknown_table, "Invalid object name 'nowhere'."));
    } else if (verb == "throw") {
      throw std::runtime_error("a defect on purpose");
    } else if (verb == "two") {
      for (int i = 0; i < 2; ++i) {
        const result_column column{"n", {.id = sql_type_id::int_}, false};
        out.columns({&column, 1});
        const sql_value value = std::int64_t{i};
        out.row({&value, 1});
        out.done(command::select, 1);
      }
    } else if (verb == "big") {
      const result_column column{"big", {.id = sql_type_id::nvarchar, .length = sql_type::max_length}, true};
      out.columns({&column, 1});
      const sql_value value = std::string(static_cast<std::size_t>(number), 'x');
      out.row({&value, 1});
      out.done(command::select, 1);
    } else if (verb == "use") {
      out.database_changed(argument, database_);
      database_ = argument;
      out.done(command::use, std::nullopt);
    } else if (verb == "begin") {
      begin_transaction(out);
      out.done(command::begin, std::nullopt);
    } else if (verb == "set" || verb == "SET") {
      out.done(command::set, std::nullopt);
    } else {
      std::vector<result_column> columns{{"echo", {.id = sql_type_id::nvarchar, .length = 4000}, true}};
      std::vector<sql_value> row{s.text};
      for (parameter& p : s.parameters) {
        columns.push_back({p.name, p.type, true});
        row.push_back(p.value);
        if (p.output) p.value = std::int64_t{42};
      }
      out.columns(columns);
      out.row(row);
      out.done(command::select, 1);
    }
  }

 private:
  std::string database_;
  asio::steady_timer timer_;
  std::vector<std::thread> workers_;
  std::atomic<int>& alive_;
};

class echo_handler final : public handler {
 public:
  const server_identity& identity() const noexcept override { return identity_; }
  asio::awaitable<result<std::unique_ptr<session>>> on_login(login_request request) override {
    {
      const std::lock_guard lock(mutex_);
      last_ = request;
    }
    if (request.database == "nowhere") co_return failure(errc::database_unavailable, "no such database");
    if (request.user != "tester" || !request.password.equals("secret"))
      co_return failure(errc::login_failed, "wrong name or password");
    const auto executor = co_await asio::this_coro::executor;
    co_return std::unique_ptr<session>(
        std::make_unique<echo_session>(request.database.empty() ? "master" : request.database, executor, alive));
  }
  std::atomic<int> alive{0};
  std::string last_certificate() const { return last_login().client_certificate; }
  login_request last_login() const {  // that reached the handler
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  server_identity identity_;
  mutable std::mutex mutex_;
  login_request last_;
};

}  // namespace dragoman::tds::server::testing
