// Connections lent to the caller's thread: what comes back to the pool is fit for the next statement, whatever was done
// with it.
#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "scripted_server.h"
#include "tests/support/watch.h"
#include "wire_collector.h"

using namespace dragoman;
using namespace dragoman::upstream_test;
using namespace std::chrono_literals;

namespace {

using progress = upstream::lease::progress;

void wait_readable(const upstream::lease& l, int milliseconds = 3000) {
  pollfd p{l.descriptor(), POLLIN, 0};
  BOOST_REQUIRE(::poll(&p, 1, milliseconds) == 1);
}

// Reads until the end, or until `enough` rows have come.
void read(upstream::lease& l, const wire_collector& rows, std::size_t enough = SIZE_MAX) {
  while (rows.rows < enough) {
    const progress p = l.advance();
    if (p == progress::ended) return;
    if (p == progress::dry) wait_readable(l);
  }
}

bool is_idle(const upstream::pool& pool) {
  return test::becomes_true([&] { return pool.status().busy == 0; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(upstream_lease)

BOOST_AUTO_TEST_CASE(rows_on_the_callers_thread) {
  scripted_server server;
  upstream::pool pool(server.options());
  BOOST_TEST(!pool.try_lease(sql("rows 3")).has_value());  // nothing is connected yet
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  for (int i = 0; i < 20; ++i) {
    const upstream::statement s = sql("rows 3000");
    auto l = pool.try_lease(s);
    BOOST_REQUIRE(l);
    BOOST_TEST(pool.status().busy == 1U);
    BOOST_TEST(!pool.try_lease(s).has_value());
    wire_collector rows;
    BOOST_REQUIRE(l->send(s, rows));
    read(*l, rows);
    const auto ending = l->finish();
    BOOST_TEST(!ending.lost_early);
    BOOST_TEST(!ending.end.error.has_value());
    BOOST_TEST(ending.end.rows == 3000U);
    BOOST_TEST(rows.rows == 3000U);
    BOOST_TEST(pool.status().busy == 0U);
  }
  BOOST_TEST(pool.status().connects == 1U);
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_the_pool) {
  scripted_server server;
  upstream::pool pool(server.options());
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  for (const char* text : {"error 8134 Divide by zero error encountered.", "fail 10", "error 50001 private text"}) {
    auto l = pool.try_lease(sql(text));
    BOOST_REQUIRE(l);
    wire_collector rows;
    BOOST_REQUIRE(l->send(sql(text), rows));
    read(*l, rows);
    const auto lent = l->finish();
    BOOST_REQUIRE(lent.end.error);
    BOOST_TEST(lent.end.error->message.find("private") == std::string::npos);
    const auto worked = run(pool, sql(text), std::make_shared<wire_collector>()).wait();
    BOOST_REQUIRE(worked.error);
    BOOST_TEST((worked.error->code == lent.end.error->code));
    BOOST_TEST(worked.error->error_number() == lent.end.error->error_number());
    BOOST_TEST(worked.rows == lent.end.rows);
  }
  upstream::statement capped = sql("rows 100");
  capped.row_cap = 7;
  auto l = pool.try_lease(capped);
  BOOST_REQUIRE(l);
  wire_collector rows;
  BOOST_REQUIRE(l->send(capped, rows));
  read(*l, rows);
  const auto cut = l->finish();
  BOOST_TEST(cut.end.rows_cut);
  BOOST_TEST(rows.rows == 7U);
  BOOST_TEST(is_idle(pool));
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
  BOOST_TEST(pool.status().connects == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_left_of_a_response_is_read_by_the_pool) {
  scripted_server server;
  upstream::pool pool(server.options());
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  // Stopped while the upstream thinks, stopped among rows, and simply dropped.
  for (const int how : {0, 1, 2, 3}) {
    BOOST_TEST_CONTEXT("way " << how) {
      const upstream::statement s = sql(how == 0 ? "wait 20000" : "rows 200000");
      auto l = pool.try_lease(s);
      BOOST_REQUIRE(l);
      wire_collector rows;
      rows.keep = false;
      BOOST_REQUIRE(l->send(s, rows));
      if (how != 0 && how != 3) read(*l, rows, 1000);
      if (how == 0 || how == 1) {
        const auto begin = std::chrono::steady_clock::now();
        l->stop(errc::cancelled);
        const auto ending = l->finish();
        BOOST_TEST((std::chrono::steady_clock::now() - begin < test::promptly(100) * 1ms));
        BOOST_REQUIRE(ending.end.error);
        BOOST_TEST((ending.end.error->code == errc::cancelled));
      }
      l.reset();
      BOOST_TEST(is_idle(pool));
      const auto next = pool.query(sql("rows 5"));
      BOOST_REQUIRE(next);
      BOOST_TEST(next->rows.size() == 5U);
    }
  }
  BOOST_TEST(pool.status().connects == 1U);
  BOOST_TEST(pool.status().abandoned == 0U);
}

BOOST_AUTO_TEST_CASE(an_upstream_that_does_not_listen_loses_the_connection) {
  scripted_server server;
  upstream::pool pool(server.impatient_options());
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  server.ignore_attention = true;
  auto l = pool.try_lease(sql("wait 2500"));
  BOOST_REQUIRE(l);
  wire_collector rows;
  BOOST_REQUIRE(l->send(sql("wait 2500"), rows));
  std::this_thread::sleep_for(100ms);  // an attention that comes with the statement is the server's own to answer
  l.reset();
  BOOST_TEST(is_idle(pool));
  BOOST_TEST(pool.status().abandoned == 1U);
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_AUTO_TEST_CASE(a_request_too_long_for_the_callers_thread_goes_to_the_pool) {
  scripted_server server;
  upstream::pool pool(server.options());
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  const upstream::statement s = sql("text " + std::string(20'000, 'x'));
  auto l = pool.try_lease(s);
  BOOST_REQUIRE(l);
  wire_collector rows;
  const auto refused = l->send(s, rows);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == errc::upstream_unavailable));
  l.reset();
  BOOST_TEST(pool.query(s).has_value());
  BOOST_TEST(pool.status().connects == 1U);
}

BOOST_AUTO_TEST_CASE(a_dead_connection_is_found_out_before_anything_is_said) {
  scripted_server server;
  upstream::pool pool(server.options());
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  server.stop();
  auto l = pool.try_lease(sql("rows 1"));
  BOOST_REQUIRE(l);
  wire_collector rows;
  if (l->send(sql("rows 1"), rows)) {
    read(*l, rows);
    BOOST_TEST(l->finish().lost_early);
  }
  l.reset();
  server.start();
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_AUTO_TEST_CASE(who_is_lent_nothing) {
  scripted_server server;
  {
    upstream::pool odbc(server.options(false));
    BOOST_REQUIRE(odbc.query(sql("rows 1")));
    BOOST_TEST(!odbc.try_lease(sql("rows 1")).has_value());
  }
  upstream::pool pool(server.options());
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  upstream::statement other = sql("rows 1");
  BOOST_REQUIRE(other.settings.set("DATEFIRST", "1"));
  BOOST_TEST(!pool.try_lease(other).has_value());  // the settings are a worker's to bring
  BOOST_TEST(!run(pool, other, std::make_shared<wire_collector>()).wait().error.has_value());
  BOOST_TEST(pool.try_lease(other).has_value());
  BOOST_TEST(!pool.try_lease(sql("rows 1")).has_value());
  // A parameter that does not fit is said before anything is sent.
  upstream::statement wrong = other;
  wrong.parameters.push_back({"@a", *parse_sql_type("tinyint"), std::int64_t{300}});
  auto l = pool.try_lease(wrong);
  BOOST_REQUIRE(l);
  wire_collector rows;
  const auto refused = l->send(wrong, rows);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == errc::conversion));
  l.reset();
  BOOST_TEST(pool.try_lease(other).has_value());
}

BOOST_AUTO_TEST_CASE(those_who_wait_go_first) {
  scripted_server server;
  upstream::options o = server.options();
  o.connections_max = 1;
  upstream::pool pool(o);
  BOOST_REQUIRE(pool.query(sql("rows 1")));
  auto l = pool.try_lease(sql("rows 2"));
  BOOST_REQUIRE(l);
  auto waiting = run(pool, sql("rows 4"), std::make_shared<wire_collector>());
  BOOST_TEST(!waiting.done_within(100ms));
  wire_collector rows;
  BOOST_REQUIRE(l->send(sql("rows 2"), rows));
  read(*l, rows);
  BOOST_TEST(l->finish().end.rows == 2U);
  BOOST_TEST(waiting.wait().rows == 4U);
  BOOST_TEST(is_idle(pool));
  BOOST_TEST(pool.try_lease(sql("rows 2")).has_value());
}

BOOST_AUTO_TEST_CASE(a_pool_ends_when_its_leases_have) {
  scripted_server server;
  auto pool = std::make_unique<upstream::pool>(server.options());
  BOOST_REQUIRE(pool->query(sql("rows 1")));
  auto l = pool->try_lease(sql("wait 20000"));
  BOOST_REQUIRE(l);
  wire_collector rows;
  BOOST_REQUIRE(l->send(sql("wait 20000"), rows));
  std::this_thread::sleep_for(100ms);
  std::thread end([&] { pool.reset(); });
  // The upstream is told to stop, so that the response ends.
  read(*l, rows);
  l.reset();
  end.join();
  for (int i = 0; i < 200 && server.attentions == 0; ++i) std::this_thread::sleep_for(5ms);
  BOOST_TEST(server.attentions == 1);
}

BOOST_AUTO_TEST_SUITE_END()
