// The pool's promises: no statement delays another, cancel returns at once, a server may die and come back.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "proxy/upstream/introspection.h"
#include "scripted_server.h"
#include "tests/support/tcp_relay.h"
#include "tests/support/watch.h"
#include "wire_collector.h"

using namespace dragoman;
using namespace dragoman::upstream_test;
using test::becomes_true;
using test::open_files;
using test::promptly;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

std::chrono::milliseconds since(steady::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - begin);
}

std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  FILE* f = std::fopen("/proc/self/statm", "r");
  if (f != nullptr) {
    if (std::fscanf(f, "%zu %zu", &pages, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return resident * 4096;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(upstream_pool)

BOOST_DATA_TEST_CASE(one_slow_query_delays_no_other, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  const auto begin = steady::now();
  auto slow = run(pool, sql("wait 1500"), std::make_shared<upstream::value_table>());
  for (int i = 0; i < 50; ++i) BOOST_REQUIRE(pool.query(sql("rows 3")));
  BOOST_TEST(since(begin).count() < 1000);
  BOOST_TEST(!slow.done_within(0ms));
  BOOST_TEST(!slow.wait().error.has_value());
}

BOOST_DATA_TEST_CASE(many_at_once, both_roads, from_socket) {
  scripted_server server;
  upstream::options o = server.options(from_socket);
  o.connections_max = 8;
  o.connections_kept = 2;
  o.idle_max = 300ms;
  upstream::pool pool(o);
  const auto begin = steady::now();
  std::vector<running> all;
  for (int i = 0; i < 16; ++i) all.push_back(run(pool, sql("wait 200"), std::make_shared<upstream::value_table>()));
  for (auto& r : all) BOOST_TEST(!r.wait().error.has_value());
  // Two waves of eight, not sixteen one after another.
  BOOST_TEST(since(begin).count() < 1500);
  BOOST_TEST(pool.status().connects == 8U);
  // Those beyond the kept ones leave.
  BOOST_TEST(becomes_true([&] { return pool.status().connections <= 2; }));
  std::this_thread::sleep_for(100ms);
  BOOST_TEST(pool.status().connections == 2U);
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(cancel_returns_at_once, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  auto r = run(pool, sql("wait 20000"), std::make_shared<upstream::value_table>());
  std::this_thread::sleep_for(150ms);
  const auto begin = steady::now();
  pool.cancel(r.handle);
  BOOST_TEST(since(begin).count() < promptly(50));
  const auto end = r.wait();
  BOOST_TEST(since(begin).count() < promptly(200));
  BOOST_REQUIRE(end.error);
  BOOST_TEST((end.error->code == errc::cancelled));
  BOOST_TEST(becomes_true([&] { return server.attentions == 1; }));
  // The same connection serves on, once the upstream has acknowledged.
  BOOST_TEST(becomes_true([&] { return pool.status().busy == 0; }));
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
  BOOST_TEST(pool.status().connects == 1U);
  BOOST_TEST(pool.status().abandoned == 0U);
}

BOOST_DATA_TEST_CASE(an_ignored_attention_costs_the_connection_not_the_client, both_roads, from_socket) {
  scripted_server server;
  server.ignore_attention = true;
  upstream::pool pool(server.impatient_options(from_socket));
  const std::size_t files = (static_cast<void>(pool.query(sql("rows 1"))), open_files());
  auto r = run(pool, sql("wait 2500"), std::make_shared<upstream::value_table>());
  std::this_thread::sleep_for(100ms);
  const auto begin = steady::now();
  pool.cancel(r.handle);
  BOOST_TEST((r.wait().error->code == errc::cancelled));
  BOOST_TEST(since(begin).count() < promptly(200));
  BOOST_TEST(becomes_true([&] { return pool.status().abandoned == 1; }));
  BOOST_TEST(becomes_true([&] { return pool.status().busy == 0; }));
  BOOST_TEST(since(begin).count() < 3000);
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
  BOOST_TEST(becomes_true([&] { return open_files() <= files + 1; }));
}

BOOST_DATA_TEST_CASE(a_time_limit_ends_the_statement, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  upstream::statement s = sql("wait 20000");
  s.timeout = 300ms;
  const auto begin = steady::now();
  const auto end = run(pool, s, std::make_shared<upstream::value_table>()).wait();
  BOOST_TEST((end.error->code == errc::query_timeout));
  BOOST_TEST(end.error->error_number() == 50130);
  BOOST_TEST(since(begin).count() >= 290);
  BOOST_TEST(since(begin).count() < 1000);
}

BOOST_DATA_TEST_CASE(a_slow_reader_is_not_a_slow_query, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  upstream::statement s = sql("rows 20000");
  s.timeout = 400ms;
  auto receiver = std::make_shared<wire_collector>();
  receiver->keep = false;
  receiver->brake(true);
  auto r = run(pool, s, receiver);
  std::this_thread::sleep_for(900ms);
  receiver->brake(false);
  const auto end = r.wait();
  BOOST_TEST(!end.error.has_value());
  BOOST_TEST(end.rows == 20000U);
}

BOOST_DATA_TEST_CASE(cancel_reaches_a_statement_whose_client_is_behind, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  auto receiver = std::make_shared<wire_collector>();
  receiver->brake(true);
  auto r = run(pool, sql("rows 500000"), receiver);
  std::this_thread::sleep_for(150ms);
  const auto begin = steady::now();
  pool.cancel(r.handle);
  BOOST_TEST((r.wait().error->code == errc::cancelled));
  BOOST_TEST(since(begin).count() < promptly(300));
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

// Rows larger than a packet, so that half of one waits in the buffer whenever the receiver says stop.
BOOST_DATA_TEST_CASE(a_stop_amid_rows_leaves_a_good_connection, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  scripted_table t;
  t.columns = {{"n", *parse_sql_type("int"), true}, {"s", *parse_sql_type("nvarchar(4000)"), true}};
  for (int i = 0; i < 3000; ++i) t.rows.push_back({std::int64_t{i}, std::string(3500, 'x')});
  server.add("wide", t);
  for (int i = 0; i < 20; ++i) {
    auto receiver = std::make_shared<wire_collector>();
    receiver->keep = false;
    receiver->brake(true);
    auto r = run(pool, sql("table wide"), receiver);
    std::this_thread::sleep_for(5ms);
    pool.cancel(r.handle);
    receiver->brake(false);
    BOOST_TEST(r.wait().error.has_value());
    BOOST_TEST(becomes_true([&] { return pool.status().busy == 0; }));
    const auto next = pool.query(sql("rows 5"));
    BOOST_REQUIRE(next);
    BOOST_TEST(next->rows.size() == 5U);
  }
  BOOST_TEST(pool.status().connects == 1U);
}

BOOST_DATA_TEST_CASE(waiting_for_a_connection_has_a_limit, both_roads, from_socket) {
  scripted_server server;
  upstream::options o = server.options(from_socket);
  o.connections_max = 1;
  o.lease_timeout = 200ms;
  upstream::pool pool(o);
  auto busy = run(pool, sql("wait 1000"), std::make_shared<upstream::value_table>());
  auto late = run(pool, sql("rows 1"), std::make_shared<upstream::value_table>());
  auto gone = run(pool, sql("rows 1"), std::make_shared<upstream::value_table>());
  pool.cancel(gone.handle);
  BOOST_TEST((gone.wait().error->code == errc::cancelled));
  const auto end = late.wait();
  BOOST_REQUIRE(end.error);
  BOOST_TEST(end.error->error_number() == 50132);
  BOOST_TEST(!busy.wait().error.has_value());
}

BOOST_DATA_TEST_CASE(down_and_back, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  server.stop();
  for (int i = 0; i < 2; ++i) {
    const auto begin = steady::now();
    const auto down = pool.query(sql("rows 1"));
    BOOST_REQUIRE(!down);
    BOOST_TEST(down.error().error_number() == 50131);
    BOOST_TEST(down.error().message.find("127.0.0.1") == std::string::npos);
    BOOST_TEST(since(begin).count() < 2000);
  }
  server.start();
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(a_dead_connection_is_replaced_without_notice, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  server.stop();
  server.start();
  BOOST_TEST(pool.query(sql("rows 2")).has_value());
  BOOST_TEST(pool.status().reconnects == 1U);
  BOOST_TEST(pool.status().connects == 2U);
}

BOOST_DATA_TEST_CASE(a_connection_cut_in_the_statement_is_tried_once_more, both_roads, from_socket) {
  scripted_server server;
  test::tcp_relay relay(server.port());
  upstream::options o = server.options(from_socket);
  o.port = relay.port();
  upstream::pool pool(o);
  auto r = run(pool, sql("wait 700"), std::make_shared<upstream::value_table>());
  std::this_thread::sleep_for(200ms);
  relay.cut();
  const auto end = r.wait();
  BOOST_TEST(!end.error.has_value());
  BOOST_TEST(relay.accepted() == 2);

  // Cut twice, it is an error.
  auto again = run(pool, sql("wait 700"), std::make_shared<upstream::value_table>());
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(300ms);
    relay.cut();
  }
  BOOST_TEST(again.wait().error.value_or(failure()).error_number() == 50131);
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(a_half_open_connection_costs_the_time_limit_only, both_roads, from_socket) {
  scripted_server server;
  test::tcp_relay relay(server.port());
  upstream::options o = server.options(from_socket);
  o.port = relay.port();
  upstream::pool pool(o);
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  relay.hold(true);
  upstream::statement s = sql("rows 1");
  s.timeout = 300ms;
  const auto begin = steady::now();
  BOOST_TEST(run(pool, s, std::make_shared<upstream::value_table>()).wait().error->error_number() == 50130);
  BOOST_TEST(since(begin).count() < promptly(800));
  BOOST_TEST(becomes_true([&] { return pool.status().abandoned == 1 && pool.status().busy == 0; }));
  relay.hold(false);
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(a_server_that_goes_while_rows_flow, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  auto receiver = std::make_shared<wire_collector>();
  receiver->keep = false;
  receiver->brake(true);
  auto r = run(pool, sql("rows 3000000"), receiver);
  std::this_thread::sleep_for(200ms);
  server.stop();
  receiver->brake(false);
  const auto end = r.wait();
  BOOST_REQUIRE(end.error);
  BOOST_TEST(end.error->error_number() == 50131);
  server.start();
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(an_error_after_rows, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  auto receiver = std::make_shared<wire_collector>();
  const auto end = run(pool, sql("fail 300"), receiver).wait();
  BOOST_REQUIRE(end.error);
  BOOST_TEST(end.error->error_number() == 8134);
  BOOST_TEST(end.error->message == "Divide by zero error encountered.");
  BOOST_TEST(receiver->rows == 300U);
  BOOST_TEST(receiver->results == 0U);
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(errors_and_messages, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  const auto withheld = pool.query(sql("error 229 The SELECT permission was denied on the object 'Salary'."));
  BOOST_REQUIRE(!withheld);
  BOOST_TEST(withheld.error().error_number() == 50135);
  BOOST_TEST(withheld.error().message.find("Salary") == std::string::npos);
  const auto relayed = pool.query(sql("error 512 Subquery returned more than 1 value."));
  BOOST_REQUIRE(!relayed);
  BOOST_TEST(relayed.error().error_number() == 512);

  const auto end = run(pool, sql("print hello"), std::make_shared<upstream::value_table>()).wait();
  BOOST_TEST(!end.error.has_value());
  BOOST_REQUIRE_EQUAL(end.messages.size(), 1U);
  BOOST_TEST(end.messages[0].text == "hello");
}

BOOST_DATA_TEST_CASE(the_row_cap_cuts, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  for (const std::uint64_t cap : {1U, 31U, 32U, 33U, 300U, 1000U}) {
    upstream::statement s = sql("rows 1000");
    s.row_cap = cap;
    auto receiver = std::make_shared<wire_collector>();
    const auto end = run(pool, s, receiver).wait();
    BOOST_TEST(!end.error.has_value());
    BOOST_TEST(end.rows == cap);
    BOOST_TEST(receiver->rows == cap);
    BOOST_TEST(receiver->results == 1U);
    BOOST_TEST(end.rows_cut == (cap < 1000));
  }
}

BOOST_DATA_TEST_CASE(one_client_needs_one_connection, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  for (int i = 0; i < 300; ++i) BOOST_REQUIRE(pool.query(sql("rows 2")));
  BOOST_TEST(pool.status().connects == 1U);
}

BOOST_DATA_TEST_CASE(settings_follow_the_statement, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  upstream::statement s = sql("rows 1");
  BOOST_REQUIRE(s.settings.set("DATEFIRST", "1"));
  const std::size_t before = server.settings_seen().size();
  BOOST_REQUIRE(pool.query(s));
  BOOST_REQUIRE(pool.query(s));
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  const auto seen = server.settings_seen();
  BOOST_REQUIRE_EQUAL(seen.size(), before + 2);
  BOOST_TEST(seen[before] == "SET DATEFIRST 1;");
  BOOST_TEST(seen[before + 1] == "SET DATEFIRST 7;");
}

BOOST_DATA_TEST_CASE(a_wrong_password_is_no_secret_leak, both_roads, from_socket) {
  scripted_server server;
  upstream::options o = server.options(from_socket);
  o.password = secret("wrong-password");
  upstream::pool pool(o);
  const auto probed = pool.probe();
  BOOST_REQUIRE(!probed);
  BOOST_TEST(probed.error().message.find("wrong-password") == std::string::npos);
  const auto asked = pool.query(sql("rows 1"));
  BOOST_TEST(asked.error().error_number() == 50131);
}

BOOST_DATA_TEST_CASE(a_pool_ends_with_statements_under_way, both_roads, from_socket) {
  scripted_server server;
  server.ignore_attention = true;
  std::vector<running> all;
  const auto begin = steady::now();
  {
    upstream::options o = server.impatient_options(from_socket);
    o.connections_max = 2;
    upstream::pool pool(o);
    for (int i = 0; i < 5; ++i) all.push_back(run(pool, sql("wait 2500"), std::make_shared<upstream::value_table>()));
    std::this_thread::sleep_for(100ms);
  }
  for (auto& r : all) BOOST_TEST((r.wait().error->code == errc::upstream_unavailable));
  BOOST_TEST(since(begin).count() < 4000);
}

BOOST_DATA_TEST_CASE(cancels_at_every_moment_leave_good_connections, both_roads, from_socket) {
  scripted_server server;
  upstream::options o = server.options(from_socket);
  o.connections_max = 3;
  upstream::pool pool(o);
  int completed = 0;
  for (int i = 0; i < 150; ++i) {
    auto receiver = std::make_shared<wire_collector>();
    receiver->keep = false;
    auto r = run(pool, sql(i % 2 == 0 ? "rows 4000" : "wait 30"), receiver);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 40));
    pool.cancel(r.handle);
    BOOST_REQUIRE(r.done_within(3000ms));
    if (!r.wait().error) ++completed;
  }
  for (int i = 0; i < 6; ++i) {
    const auto got = pool.query(sql("rows 5"));
    BOOST_REQUIRE_MESSAGE(got, got.error().message);
    BOOST_TEST(got->rows.size() == 5U);
  }
  BOOST_TEST_MESSAGE(completed << " of 150 were faster than their cancel");
}

BOOST_DATA_TEST_CASE(memory_stays_flat_while_rows_flow, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  auto receiver = std::make_shared<wire_collector>();
  receiver->keep = false;
  BOOST_REQUIRE(!run(pool, sql("rows 10000"), receiver).wait().error);
  const std::size_t before = resident_bytes();
  const auto end = run(pool, sql("rows 400000"), receiver).wait();
  BOOST_TEST(!end.error.has_value());
  BOOST_TEST(end.rows == 400000U);
  // A sanitizer keeps what was freed: there the size says nothing.
  if (std::getenv("DRAGOMAN_SANITIZED") == nullptr) BOOST_TEST(resident_bytes() < before + 16 * 1024 * 1024);
}

BOOST_AUTO_TEST_SUITE_END()
