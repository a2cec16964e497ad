// The warehouse through real clients: FreeTDS's tsql, and its ODBC driver through isql. Not run where they are absent.
#include "proxy/demo/warehouse.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "proxy/demo/generator.h"
#include "tds/server/server.h"

using namespace dragoman;

namespace {

bool has(const char* program) {
  return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  pclose(pipe);
  return out;
}

struct served {
  std::filesystem::path directory = std::filesystem::temp_directory_path() / "dragoman-demo-test";
  std::unique_ptr<demo::warehouse> house;
  std::unique_ptr<tds::server::server> server;

  served() {
    const auto path = demo::ensure_demo(directory.string(), {demo::demo_size::small});
    BOOST_REQUIRE(path.has_value());
    demo::warehouse_options options;
    options.file = *path;
    options.user = "loader";
    options.password = secret("Secret1!");
    options.bench_rows = true;
    options.allow_trouble = true;
    options.fixed_now = civil_time{to_day_number({2025, 3, 10}), 0, 0};
    auto opened = demo::warehouse::open(std::move(options));
    BOOST_REQUIRE_MESSAGE(opened.has_value(), (opened ? std::string() : opened.error().message));
    house = std::move(*opened);
    auto started = tds::server::server::start({}, *house);
    BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? std::string() : started.error().message));
    server = std::move(*started);
  }
  ~served() { server->stop(std::chrono::milliseconds(200)); }

  // What tsql prints for the statements; GO follows each.
  std::string tsql(const std::string& statements, const std::string& version = "7.4",
                   const std::string& password = "Secret1!") {
    const auto script = directory / ("statements-" + std::to_string(server->port()) + ".sql");
    std::ofstream(script) << statements << "\nGO\nexit\n";
    return output_of("TDSVER=" + version + " timeout 60 tsql -o q -t '|' -H 127.0.0.1 -p " +
                     std::to_string(server->port()) + " -U loader -P '" + password + "' < " + script.string() +
                     " 2>&1");
  }
};

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(warehouse, served)

BOOST_AUTO_TEST_CASE(rows_through_tsql) {
  if (!has("tsql")) {
    std::cout << "warehouse through tsql: not run, tsql is absent\n";
    return;
  }
  for (const char* version : {"7.1", "7.4"}) {
    const std::string out = tsql(
        "SELECT COUNT(*) AS n FROM sales.[Order]\nGO\nSELECT TOP 1 b.Name, b.NameFa FROM ref.Broker AS b WHERE "
        "b.BrokerID = 7\nGO\n"
        "SELECT DB_NAME(), @@VERSION\nGO\nPRINT 'printed'\nGO\nSELECT 1/0",
        version);
    BOOST_TEST(contains(out, "20000"), out);
    BOOST_TEST(contains(out, "Kimia Brokerage|کارگزاری کیمیا"), out);
    BOOST_TEST(contains(out, "SalesDb|Microsoft SQL Server"), out);
    BOOST_TEST(contains(out, "printed"), out);
    BOOST_TEST(contains(out, "Divide by zero"), out);
  }
}

BOOST_AUTO_TEST_CASE(logins) {
  if (!has("tsql")) return;
  BOOST_TEST(contains(tsql("SELECT 1", "7.4", "wrong"), "Login failed"));
}

BOOST_AUTO_TEST_CASE(procedural_batches) {
  if (!has("tsql")) return;
  const std::string out = tsql(
      "DECLARE @n int = 0, @s nvarchar(20)\nWHILE @n < 3 SET @n += 1\nSELECT @s = Name FROM ref.Broker WHERE BrokerID "
      "= @n\nIF @n = 3 SELECT "
      "@n AS n, @s AS s ELSE PRINT 'wrong'\nBEGIN TRY SELECT CAST('x' AS int) END TRY BEGIN CATCH SELECT 'caught' AS c "
      "END CATCH\nGO\nEXEC "
      "sp_executesql N'SELECT @a * 2 AS twice', N'@a int', @a = 21\nGO\nUSE master\nGO\nSELECT DB_NAME()");
  BOOST_TEST(contains(out, "3|"), out);
  BOOST_TEST(contains(out, "caught"), out);
  BOOST_TEST(contains(out, "42"), out);
  BOOST_TEST(contains(out, "master"), out);
}

BOOST_AUTO_TEST_CASE(catalogue) {
  if (!has("tsql")) return;
  const std::string out = tsql(
      "EXEC sp_tables @table_name = 'Bro%'\nGO\nEXEC sp_columns 'Order', 'sales'\nGO\nEXEC sp_pkeys 'Broker'\nGO\nEXEC "
      "sp_fkeys @fktable_name = "
      "'Supplier'\nGO\nSELECT TABLE_SCHEMA + '.' + TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = "
      "'Salary'\nGO\nSELECT c.name, "
      "TYPE_NAME(c.user_type_id) FROM sys.columns AS c WHERE c.object_id = OBJECT_ID('ref.Currency')\nGO\nEXEC "
      "sp_datatype_info\nGO\nSELECT "
      "name FROM master.sys.databases");
  BOOST_TEST(contains(out, "SalesDb|ref|Broker|TABLE"), out);
  BOOST_TEST(contains(out, "TotalPrice|3|decimal|19|21|4|10"), out);
  BOOST_TEST(contains(out, "SalesDb|ref|Broker|BrokerID|1|PK_Broker"), out);
  BOOST_TEST(contains(out, "SalesDb|ref|Location|LocationID|SalesDb|ref|Supplier|LocationID|1"), out);
  BOOST_TEST(contains(out, "hr.Salary"), out);
  BOOST_TEST(contains(out, "Code|char"), out);
  BOOST_TEST(contains(out, "uniqueidentifier|-11"), out);
}

BOOST_AUTO_TEST_CASE(bench_rows_come_fast) {
  if (!has("tsql")) return;
  const std::string out =
      tsql("SELECT TOP (3) id, name, amount FROM (SELECT r.id, r.name, r.amount FROM bench.rows AS r) AS q");
  BOOST_TEST(contains(out, "1|Customer number 0|1000.0000"), out);
  BOOST_TEST(contains(tsql("SELECT COUNT(*) FROM bench.rows"), "can only be read"));
}

BOOST_AUTO_TEST_CASE(misbehaviour) {
  if (!has("tsql")) return;
  BOOST_TEST(contains(tsql("EXEC test.error_after 2\nGO\nSELECT TOP 10 OrderID FROM sales.[Order] ORDER BY OrderID"),
                      "told to fail"));
  house->misbehaviour().clear();
  house->misbehaviour().drop_after = 5;
  const std::string dropped = tsql("SELECT OrderID FROM sales.[Order]\nGO\nSELECT 'still here'");
  BOOST_TEST(!contains(dropped, "still here"), dropped);
  house->misbehaviour().clear();
  house->misbehaviour().first_row_ms = 300;
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST(contains(tsql("SELECT COUNT(*) AS n FROM sales.[Order]"), "20000"));
  BOOST_TEST((std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(300)));
  house->misbehaviour().clear();
  house->misbehaviour().refuse_logins = 1;
  BOOST_TEST(contains(tsql("SELECT 1"), "Login failed"));
  house->misbehaviour().clear();
  BOOST_TEST(contains(tsql("SELECT 'well'"), "well"));
}

// A statement that takes long on one connection leaves the others alone.
BOOST_AUTO_TEST_CASE(one_slow_query_delays_no_other) {
  if (!has("tsql")) return;
  house->misbehaviour().first_row_ms = 2000;
  std::thread slow([&] {
    output_of("echo 'SELECT COUNT(*) FROM ref.Broker\ngo\nexit' | timeout 20 tsql -o q -H 127.0.0.1 -p " +
              std::to_string(server->port()) + " -U loader -P 'Secret1!' 2>&1");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  house->misbehaviour().clear();
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST(contains(tsql("SELECT COUNT(*) AS n FROM sales.[Order]"), "20000"));
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(1200)));
  slow.join();
}

BOOST_AUTO_TEST_CASE(rows_through_odbc) {
  const char* driver = "/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so";
  if (!has("isql") || !std::filesystem::exists(driver)) {
    std::cout << "warehouse through isql: not run, isql or the FreeTDS driver is absent\n";
    return;
  }
  const auto script = directory / "odbc.sql";
  std::ofstream(script)
      << "SELECT TOP 2 OrderID, TotalPrice, CreatedAt FROM sales.[Order] ORDER BY OrderID\nhelp ref.Broker\nquit\n";
  const std::string out =
      output_of("timeout 60 isql -b -d'|' -k 'DRIVER=" + std::string(driver) +
                ";SERVER=127.0.0.1;PORT=" + std::to_string(server->port()) +
                ";UID=loader;PWD=Secret1!;TDS_Version=7.4;ClientCharset=UTF-8' < " + script.string() + " 2>&1");
  BOOST_TEST(contains(out, "1|"), out);
  BOOST_TEST(contains(out, "2|"), out);
  BOOST_TEST(contains(out, "|2020-03-"), out);
}

BOOST_AUTO_TEST_SUITE_END()
