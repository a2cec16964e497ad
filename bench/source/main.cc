// The upstream of the benchmarks: a TDS server that answers any SELECT over
//   bench.million, bench.ten_million   rows encoded one by one from values, the least that a server must do
//   bench.encoded_million              rows encoded once at start and sent as memory can be copied: what is measured
//                                      through it is the gateway alone
//   bench.one                          one row
// Other statements get one row, so that drivers' own questions are answered.
//
// usage: dragoman_bench_source PORT
#include <sys/prctl.h>

#include <csignal>
#include <iostream>
#include <string>
#include <thread>

#include "tds/server/response.h"
#include "tds/server/server.h"
#include "tds/server/sql_session.h"
#include "tds/wire_column.h"

namespace {

using namespace dragoman;
namespace asio = boost::asio;
using tds::server::response;

constexpr std::size_t block_rows = 1000;

result_column column(std::string name, std::string_view type, bool nullable) {
  result_column c;
  c.name = std::move(name);
  c.type = *parse_sql_type(type);
  c.nullable = nullable;
  return c;
}

std::vector<result_column> mixed_columns() {
  return {column("id", "int", false),          column("amount", "decimal(19,4)", false),
          column("big", "bigint", true),       column("ratio", "float", true),
          column("day", "date", true),         column("at", "datetime2(3)", true),
          column("code", "varchar(20)", true), column("name", "nvarchar(50)", true),
          column("flag", "bit", false),        column("note", "nvarchar(100)", true)};
}

std::vector<sql_value> mixed_row(std::int64_t i) {
  decimal amount = decimal::from_int(1234567 + i * 7919);
  amount.precision = 19;
  amount.scale = 4;
  const day_number day = to_day_number({2020, 3, 20}) + static_cast<day_number>(i % 1827);
  std::vector<sql_value> row;
  row.emplace_back(i);
  row.emplace_back(amount);
  row.emplace_back(i * 1'000'003);
  row.emplace_back(static_cast<double>(i) / 7.0);
  row.emplace_back(civil_time{day, 0, 0});
  row.emplace_back(civil_time{day, (i % 86400) * ticks_per_second + i % 1000 * 10'000, 0});
  row.emplace_back("C" + std::to_string(100000 + i));
  row.emplace_back(i % 2 == 0 ? std::string("پتروشیمی خلیج فارس") : std::string("Persian Gulf Petrochemical"));
  row.emplace_back(std::int64_t{i % 3 == 0});
  if (i % 10 == 0)
    row.emplace_back("delivered in two lots " + std::to_string(i));
  else
    row.emplace_back(null_value{});
  return row;
}

struct encoded_rows {
  byte_writer bytes;
  std::vector<std::vector<sql_value>> values;
  explicit encoded_rows(const tds::wire_profile& profile) {
    const auto columns = mixed_columns();
    const tds::row_layout layout(columns, profile);
    for (std::size_t i = 0; i < block_rows; ++i) {
      values.push_back(mixed_row(static_cast<std::int64_t>(i)));
      layout.write_row(bytes, values.back());
    }
  }
};

class source_session final : public tds::server::sql_session {
 public:
  explicit source_session(const tds::wire_profile& profile) : rows_(profile) {}
  std::string database() const override { return "Bench"; }
  void on_attention() noexcept override {
    if (const auto sink = running_.lock()) sink->stop();
  }

 protected:
  asio::awaitable<void> execute(tds::server::statement& s, response& out) override {
    std::size_t blocks = 0;
    if (s.text.find("ten_million") != std::string::npos)
      blocks = 10'000;
    else if (s.text.find("million") != std::string::npos)
      blocks = 1'000;
    if (blocks > 0) {
      const std::shared_ptr<tds::server::row_sink> sink = out.open_rows();
      running_ = sink;
      const bool encoded = s.text.find("encoded_million") != std::string::npos;
      std::thread worker([this, sink, blocks, encoded] {
        sink->columns(mixed_columns());
        for (std::size_t i = 0; i < blocks && !sink->stopped(); ++i) {
          if (encoded) {
            sink->append(rows_.bytes.view());
            continue;
          }
          for (const auto& row : rows_.values) sink->row(row);
        }
        sink->close();
      });
      co_await out.relay(*sink);
      worker.join();
      out.done(tds::command::select, blocks * block_rows);
    } else if (s.text.starts_with("SET")) {
      out.done(tds::command::none, std::nullopt);
    } else if (s.text.find("bench") != std::string::npos) {
      const auto columns = mixed_columns();
      const auto row = mixed_row(7);
      out.columns(columns);
      out.row(row);
      out.done(tds::command::select, 1);
    } else {
      one_text(out);
    }
  }

 private:
  static void one_text(response& out) {
    const std::vector<result_column> columns{column("text", "nvarchar(128)", true)};
    const std::vector<sql_value> row{std::string("SQL_Latin1_General_CP1_CI_AS")};
    out.columns(columns);
    out.row(row);
    out.done(tds::command::select, 1);
  }

  encoded_rows rows_;
  std::weak_ptr<tds::server::row_sink> running_;
};

class source_handler final : public tds::server::handler {
 public:
  const tds::server::server_identity& identity() const noexcept override { return identity_; }
  asio::awaitable<result<std::unique_ptr<tds::server::session>>> on_login(tds::server::login_request request) override {
    co_return std::make_unique<source_session>(request.profile);
  }

 private:
  tds::server::server_identity identity_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: dragoman_bench_source PORT\n";
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  source_handler handler;
  tds::server::server_options options;
  options.port = static_cast<std::uint16_t>(std::stoi(argv[1]));
  auto server = tds::server::server::start(options, handler);
  if (!server) {
    std::cerr << "dragoman_bench_source: " << server.error().message << '\n';
    return 1;
  }
  std::cout << (*server)->port() << std::endl;
  int got = 0;
  sigwait(&signals, &got);
  (*server)->stop(std::chrono::milliseconds(0));
}
