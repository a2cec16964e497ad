// Something dies in the middle of a request: the gateway says so in one line, lets go of what it held and serves on.
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <future>
#include <sstream>
#include <thread>

#include "tests/proxy/running_gateway.h"
#include "tests/support/model_server.h"
#include "tests/support/tcp_relay.h"
#include "tests/support/watch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::running_gateway;
using dragoman::test::becomes_true;
using dragoman::test::open_files;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr const char* quick = "SELECT COUNT(*) AS n FROM ref.Ring";
// Runs for seconds before its one row comes.
constexpr const char* busy =
    "SELECT COUNT(*) AS n FROM sales.[Order] AS a JOIN sales.[Order] AS b ON a.TotalPrice < b.TotalPrice";
// Rows from the first moment on, for seconds.
constexpr const char* flowing =
    "SELECT a.OrderID, b.OrderID AS Other, a.Notes, b.CreatedAt FROM sales.[Order] AS a JOIN sales.[Order] AS b ON "
    "a.StatusID = b.StatusID";
constexpr const char* for_the_model = "-- ASK: the mood of frobnicated widgets";

// The lines that the gateway logs, from info on.
class log_lines {
 public:
  log_lines() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    sink->set_pattern("%l %v");
    auto logger = std::make_shared<spdlog::logger>("lines", sink);
    logger->set_level(spdlog::level::info);
    spdlog::set_default_logger(logger);
  }
  ~log_lines() { spdlog::set_default_logger(before_); }
  // How many lines hold the words; logging threads are waited for.
  std::size_t with(std::string_view words, std::size_t at_least) {
    std::size_t found = 0;
    becomes_true([&] { return (found = count(words)) >= at_least; }, 10s);
    return found;
  }
  std::string all() { return text_.str(); }

 private:
  std::size_t count(std::string_view words) {
    std::istringstream lines(text_.str());
    std::size_t n = 0;
    for (std::string line; std::getline(lines, line);) n += line.find(words) != std::string::npos ? 1 : 0;
    return n;
  }
  std::shared_ptr<spdlog::logger> before_;
  std::ostringstream text_;
};

std::string with_model(const dragoman::test::model_server& model) {
  return "\nllm:\n  base_url: " + model.base_url() + "\n  model: scripted\n  tries: 1\n  timeout: 20s\n";
}

// A client behind a network that can be cut under it.
struct cuttable {
  explicit cuttable(const running_gateway& gateway)
      : relay(gateway.port()), client(relay.port(), "manager", secret("Dragoman1!"), "SalesDb", 60s) {}
  dragoman::test::tcp_relay relay;
  own_client client;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(killed)

BOOST_AUTO_TEST_CASE(the_upstream_while_it_works_and_while_rows_flow) {
  running_gateway gateway;
  auto client = gateway.client();
  for (const char* sql : {busy, flowing}) {
    log_lines lines;
    BOOST_TEST(error_of(client.run(quick)) == 0);
    auto answer = std::async(std::launch::async, [&] { return client.run(sql); });
    // Rows flow until the login's row cap, which is not far.
    std::this_thread::sleep_for(sql == flowing ? 30ms : 300ms);
    BOOST_REQUIRE((answer.wait_for(0s) == std::future_status::timeout));
    gateway.stop_warehouse();
    const auto begin = steady::now();
    BOOST_TEST(error_of(answer.get()) == 50131);
    BOOST_TEST((steady::now() - begin < 8s));
    BOOST_TEST(lines.with("upstream", 1) == 1U, lines.all());
    gateway.start_warehouse();
    BOOST_TEST(error_of(client.run(quick)) == 0);
  }
}

BOOST_AUTO_TEST_CASE(the_model_while_it_thinks) {
  auto model = std::make_unique<dragoman::test::model_server>(
      std::vector<dragoman::test::model_rule>{{.times = -1, .hang = true}});
  running_gateway gateway(with_model(*model));
  auto client = gateway.client();
  BOOST_TEST(error_of(client.run(quick)) == 0);
  const std::size_t files = open_files();
  log_lines lines;
  auto answer = std::async(std::launch::async, [&] { return client.run(for_the_model); });
  BOOST_REQUIRE(model->wait_requests(1, 5s));
  model.reset();
  const auto begin = steady::now();
  BOOST_TEST(error_of(answer.get()) == 50145);
  BOOST_TEST((steady::now() - begin < 5s));
  BOOST_TEST(lines.with("model", 1) == 1U, lines.all());
  BOOST_TEST(error_of(client.run(quick)) == 0);
  BOOST_TEST(becomes_true([&] { return open_files() <= files; }));
}

BOOST_AUTO_TEST_CASE(the_client_while_anything_works) {
  dragoman::test::model_server model(std::vector<dragoman::test::model_rule>{{.times = -1, .hang = true}});
  running_gateway gateway(with_model(model));
  auto other = gateway.client();
  BOOST_TEST(error_of(other.run(quick)) == 0);
  BOOST_TEST(becomes_true([&] { return gateway.shared().source(0).warehouse().status().busy == 0; }));
  const std::size_t files = open_files();
  for (const char* sql : {busy, flowing, for_the_model}) {
    log_lines lines;
    {
      cuttable mine(gateway);
      BOOST_TEST(error_of(mine.client.run(quick)) == 0);
      auto answer = std::async(std::launch::async, [&] { return mine.client.run(sql); });
      if (sql == for_the_model)
        BOOST_REQUIRE(model.wait_requests(1, 5s));
      else
        BOOST_REQUIRE(becomes_true([&] { return gateway.shared().source(0).warehouse().status().busy == 1; }));
      std::this_thread::sleep_for(200ms);
      // Nothing passes any more: FreeTDS asks once again after a cut.
      mine.relay.hold(true);
      mine.relay.cut();
      BOOST_TEST(lines.with("the client left", 1) == 1U, lines.all());
      BOOST_TEST(becomes_true([&] { return gateway.shared().source(0).warehouse().status().busy == 0; }), sql);
      BOOST_TEST(model.wait_connections(0, 5s));
      mine.relay.cut();
      answer.wait_for(20s);
    }
    BOOST_TEST(error_of(other.run(quick)) == 0);
  }
  BOOST_TEST(becomes_true([&] { return open_files() <= files + 2; }), open_files() << " open, " << files << " before");
}

BOOST_AUTO_TEST_CASE(a_cancel_takes_less_than_100_ms_whatever_works) {
  dragoman::test::model_server model(std::vector<dragoman::test::model_rule>{{.times = -1, .hang = true}});
  running_gateway gateway(with_model(model));
  upstream::options options = gateway.options();
  options.connections_max = options.connections_kept = 1;
  upstream::pool pool(std::move(options));
  BOOST_REQUIRE(pool.query({quick}).has_value());
  for (const char* sql : {busy, flowing, for_the_model}) {
    // The best of three, for a machine that is busy with other things; the client's own part is in it.
    auto best = 10'000ms;
    for (int i = 0; i < 3; ++i) {
      auto rows = std::make_shared<upstream::value_table>();
      rows->rows_max = 10'000'000;
      std::promise<upstream::outcome> end;
      const auto handle = pool.execute({sql}, rows, [&end](upstream::outcome o) { end.set_value(std::move(o)); });
      // Rows flow until the login's row cap, which is not far.
      std::this_thread::sleep_for(sql == flowing ? 30ms : 300ms);
      const auto begun = steady::now();
      pool.cancel(handle);
      BOOST_TEST(end.get_future().get().error.has_value(), sql << " was not cancelled");
      const auto again = pool.query({"SELECT 1 AS n"});
      best = std::min(best, std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - begun));
      BOOST_REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().message));
    }
    BOOST_TEST(best.count() < 100, sql << " took " << best.count() << " ms");
  }
  BOOST_TEST(pool.status().abandoned == 0U);
  BOOST_TEST(pool.status().connects == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
