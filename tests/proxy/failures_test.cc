// What breaks around the gateway leaves it serving: upstream gone and back, model gone, clients gone, secrets kept.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <sstream>
#include <thread>

#include "tests/proxy/running_gateway.h"
#include "tests/support/watch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::running_gateway;
using dragoman::test::open_files;

BOOST_AUTO_TEST_SUITE(failures)

BOOST_AUTO_TEST_CASE(an_upstream_that_is_down_is_said_so_and_comes_back_by_itself) {
  running_gateway gateway;
  auto client = gateway.client();
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM ref.Ring")) == 0);
  gateway.stop_warehouse();
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM ref.Ring")) == 50131);
  BOOST_TEST(error_of(client.run("-- ASK: total sales in 1402")) == 50131);
  BOOST_TEST(error_of(client.run("SELECT 1 AS n")) == 0);  // what needs no upstream is answered
  gateway.start_warehouse();
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM ref.Ring")) == 0);
}

BOOST_AUTO_TEST_CASE(a_model_that_is_down_fails_its_question_only) {
  running_gateway gateway("\nllm:\n  base_url: http://127.0.0.1:9/v1\n  model: none\n  tries: 1\n  timeout: 5s\n");
  auto client = gateway.client();
  BOOST_TEST(error_of(client.run("-- ASK: total sales of frobnicated widgets")) == 50145);
  BOOST_TEST(error_of(client.run("-- ASK: total sales in 1402")) == 0);
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM ref.Ring")) == 0);
}

BOOST_AUTO_TEST_CASE(sessions_leave_no_file_open) {
  running_gateway gateway;
  for (int i = 0; i < 3; ++i) gateway.client().run("SELECT COUNT(*) AS n FROM ref.Ring");
  const auto settle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
  settle();
  const std::size_t before = open_files();
  for (int i = 0; i < 30; ++i) {
    auto client = gateway.client(i % 3 == 0 ? "analyst" : "manager", i % 5 == 0 ? "wrong" : "Dragoman1!");
    client.run(i % 2 == 0 ? "SELECT COUNT(*) AS n FROM ref.Ring" : "-- ASK: total sales");
  }
  settle();
  BOOST_TEST(open_files() <= before + 2);
}

BOOST_AUTO_TEST_CASE(the_audit_tells_requests_and_never_secrets_or_rows) {
  running_gateway gateway;
  auto client = gateway.client("analyst");
  client.run("SELECT Name FROM ref.Ring WHERE RingID = 1");
  client.run("SELECT NationalID FROM sales.Customer");
  client.run("-- ASK: total sales in 1402");
  gateway.client("analyst", "not-the-password").run("SELECT 1 AS n");
  const std::string text = gateway.audit_text();
  for (const char* secret : {"Dragoman1!", "not-the-password", "Warehouse1!", "تالار"})
    BOOST_TEST(text.find(secret) == std::string::npos);
  bool accepted = false;
  bool refused = false;
  bool asked = false;
  bool failed_login = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto record = boost::json::parse(line).as_object();
    const auto is = [&](std::string_view key, std::string_view value) {
      const auto* found = record.if_contains(key);
      return found != nullptr && found->is_string() && found->as_string() == value;
    };
    for (const char* key : {"id", "time", "client", "kind", "verdict", "rows", "microseconds"})
      BOOST_TEST(record.contains(key), key << " is missing in " << line);
    accepted =
        accepted || (is("kind", "batch") && is("verdict", "accept") && is("path", "guard") && record.contains("sql"));
    refused = refused || (is("verdict", "refuse") && is("reason", "denied_column"));
    asked = asked || (is("kind", "question") && is("question", "total sales in 1402") && is("path", "semantic"));
    failed_login = failed_login || (is("kind", "login") && is("verdict", "refuse"));
  }
  BOOST_TEST(accepted);
  BOOST_TEST(refused);
  BOOST_TEST(asked);
  BOOST_TEST(failed_login);
}

BOOST_AUTO_TEST_SUITE_END()
