// What a question may cost: plans of an upstream that has them, questions per minute.
#include <fmt/format.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <mutex>

#include "proxy/value_text.h"
#include "tds/server/response.h"
#include "tds/server/server.h"
#include "tds/server/sql_session.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/watch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::running_gateway;
using namespace std::chrono_literals;

namespace {

namespace asio = boost::asio;

// A warehouse that knows what a statement would cost: under SHOWPLAN_XML it answers with a plan, else with one number.
class planning_warehouse : public tds::server::handler {
 public:
  std::atomic<double> cost{1}, rows{10};
  std::atomic<bool> has_plans{true}, plans_hang{false};
  std::atomic<int> plans{0}, runs{0};

  planning_warehouse() {
    tds::server::server_options o;
    o.threads = 1;
    auto started = tds::server::server::start(o, *this);
    if (!started) throw std::runtime_error(started.error().message);
    server_ = std::move(*started);
  }
  ~planning_warehouse() override { server_->stop(0ms); }
  std::uint16_t port() const { return server_->port(); }
  const tds::server::server_identity& identity() const noexcept override { return identity_; }
  asio::awaitable<result<std::unique_ptr<tds::server::session>>> on_login(tds::server::login_request) override;

 private:
  tds::server::server_identity identity_;
  std::unique_ptr<tds::server::server> server_;
};

class planning_session final : public tds::server::sql_session {
 public:
  explicit planning_session(planning_warehouse& owner) : owner_(owner) {}
  std::string database() const override { return "SalesDb"; }
  void on_attention() noexcept override {
    if (timer_ != nullptr) timer_->cancel();
  }

 protected:
  asio::awaitable<void> execute(tds::server::statement& s, tds::server::response& out) override {
    if (s.text.find("SHOWPLAN_XML") != std::string::npos) {
      planning_ = s.text.find("ON") != std::string::npos && owner_.has_plans;
      if (!owner_.has_plans) {
        out.error(failure(errc::not_available, "SHOWPLAN permission denied."));
        co_return;
      }
      out.done(tds::command::none, std::nullopt);
    } else if (planning_) {
      ++owner_.plans;
      if (owner_.plans_hang) {
        asio::steady_timer timer(co_await asio::this_coro::executor, 20s);
        timer_ = &timer;
        boost::system::error_code ignored;
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        timer_ = nullptr;
      }
      one(out,
          fmt::format("<ShowPlanXML><StmtSimple StatementEstRows=\"{}\" StatementSubTreeCost=\"{}\"/></ShowPlanXML>",
                      owner_.rows.load(), owner_.cost.load()));
    } else if (s.text.starts_with("SET")) {
      out.done(tds::command::none, std::nullopt);
    } else if (s.text.find("DATABASEPROPERTYEX") != std::string::npos) {
      one(out, "SQL_Latin1_General_CP1_CI_AS");
    } else if (s.text.find("SUM(") != std::string::npos) {
      ++owner_.runs;
      one(out, "42");
    } else {
      out.error(failure(errc::unknown_table, "Invalid object name."));
    }
  }

 private:
  static void one(tds::server::response& out, const std::string& text) {
    out.columns(std::vector<result_column>{{"sales", {sql_type_id::nvarchar, 4000}}});
    out.row(std::vector<sql_value>{text});
    out.done(tds::command::select, 1);
  }
  planning_warehouse& owner_;
  bool planning_ = false;
  asio::steady_timer* timer_ = nullptr;
};

asio::awaitable<result<std::unique_ptr<tds::server::session>>> planning_warehouse::on_login(
    tds::server::login_request) {
  co_return std::make_unique<planning_session>(*this);
}

std::string cost_section(std::string_view lines) {
  return fmt::format("\nnlq:\n  cache:\n    lifetime: 0s\n  cost:\n    timeout: 1s\n{}", lines);
}

std::string cost_cell(const client_answer& answer, std::string_view column) {
  for (std::size_t i = 0; i < answer.columns.size(); ++i)
    if (answer.columns[i].name == column && !answer.rows.empty())
      return value_text(answer.rows[0][i], answer.columns[i].type);
  return "";
}

bool has_message(const client_answer& answer, std::string_view words) {
  for (const std::string& m : answer.messages)
    if (m.find(words) != std::string::npos) return true;
  return false;
}

constexpr const char* sales_question = "-- ASK: total sales in 1402";

}  // namespace

BOOST_AUTO_TEST_SUITE(costs)

BOOST_AUTO_TEST_CASE(a_plan_decides_and_none_is_no_obstacle) {
  planning_warehouse warehouse;
  running_gateway gateway(cost_section("    notice: 10\n    confirm: 100\n    confirm_rows: 1000000\n"),
                          warehouse.port());
  auto client = gateway.client();
  struct row {
    const char* name;
    double cost, rows;
    bool has_plans;
    bool confirm, notice;
  };
  for (const row& r : {row{"cheap", 1, 10, true, false, false}, row{"rather costly", 20, 10, true, false, true},
                       row{"costly", 500, 10, true, true, false}, row{"many rows", 1, 2e6, true, true, false},
                       row{"no plans here", 500, 2e6, false, false, false}}) {
    BOOST_TEST_CONTEXT(r.name) {
      warehouse.cost = r.cost;
      warehouse.rows = r.rows;
      warehouse.has_plans = r.has_plans;
      const int runs = warehouse.runs, plans = warehouse.plans;
      const auto answer = client.run(sales_question);
      BOOST_TEST(error_of(answer) == 0);
      BOOST_TEST(warehouse.plans - plans == (r.has_plans ? 1 : 0));
      BOOST_TEST(warehouse.runs - runs == (r.confirm ? 0 : 1));
      BOOST_TEST(has_message(answer, "A rather costly query") == r.notice);
      BOOST_TEST((cost_cell(answer, "token").empty()) == !r.confirm);
      if (!r.confirm) continue;
      BOOST_TEST(cost_cell(answer, "estimated_cost") == value_text(sql_value(r.cost), {sql_type_id::float_}));
      BOOST_TEST(has_message(answer, "needs confirmation"));
      const auto confirmed = client.run("EXEC nlq.confirm '" + cost_cell(answer, "token") + "'");
      BOOST_TEST(error_of(confirmed) == 0);
      BOOST_TEST(warehouse.runs - runs == 1);
      BOOST_TEST(warehouse.plans - plans == 1);  // what is confirmed is not judged again
    }
  }
}

BOOST_AUTO_TEST_CASE(mode_sql_shows_the_estimate) {
  planning_warehouse warehouse;
  running_gateway gateway(cost_section(""), warehouse.port());
  auto client = gateway.client();
  warehouse.cost = 12.5;
  const auto shown = client.run("EXEC nlq.sql N'total sales in 1402'");
  BOOST_TEST(cost_cell(shown, "estimated_cost") == "12.5");
  BOOST_TEST(warehouse.runs == 0);
  // Without thresholds nobody asks for a plan before a run.
  const int plans = warehouse.plans;
  BOOST_TEST(error_of(client.run(sales_question)) == 0);
  BOOST_TEST(warehouse.plans == plans);
}

BOOST_AUTO_TEST_CASE(a_costly_question_in_from_is_refused_with_the_reason) {
  planning_warehouse warehouse;
  running_gateway gateway(cost_section("    notice: 10\n    confirm: 100\n"), warehouse.port());
  auto client = gateway.client();
  constexpr const char* in_from = "SELECT a.sales FROM nlq.ask(N'total sales in 1402') AS a";
  warehouse.cost = 500;
  const auto refused = client.run(in_from);
  BOOST_TEST(error_of(refused) != 0);
  BOOST_TEST((refused.error && refused.error->message.find("estimated cost 500.0") != std::string::npos));
  BOOST_TEST(warehouse.plans == 1);
  BOOST_TEST(warehouse.runs == 0);
  warehouse.cost = 20;
  const auto noticed = client.run(in_from);
  BOOST_TEST(error_of(noticed) == 0);
  BOOST_TEST(has_message(noticed, "A rather costly query"));
  BOOST_TEST(warehouse.runs == 1);
}

BOOST_AUTO_TEST_CASE(a_plan_that_never_comes) {
  planning_warehouse warehouse;
  warehouse.plans_hang = true;
  running_gateway gateway(cost_section("    confirm: 100\n"), warehouse.port());
  // The time limit of plans passes, then the statement runs without one.
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST(error_of(gateway.client().run(sales_question)) == 0);
  BOOST_TEST((std::chrono::steady_clock::now() - begun < 15s));
  BOOST_TEST(warehouse.runs == 1);
  // A client that gives up does not wait for it.
  upstream::options options = gateway.options();
  options.connections_max = options.connections_kept = 1;
  upstream::pool pool(std::move(options));
  BOOST_TEST_REQUIRE(pool.query({"SELECT 1 AS n"}).has_value());
  auto best = 10'000ms;
  for (int i = 0; i < 3; ++i) {
    const int plans = warehouse.plans;
    std::promise<upstream::outcome> end;
    const auto handle = pool.execute({sales_question}, std::make_shared<upstream::value_table>(),
                                     [&end](upstream::outcome o) { end.set_value(std::move(o)); });
    BOOST_TEST(dragoman::test::becomes_true([&] { return warehouse.plans > plans; }));
    const auto cancelled = std::chrono::steady_clock::now();
    pool.cancel(handle);
    BOOST_TEST(end.get_future().get().error.has_value());
    BOOST_TEST(pool.query({"SELECT 1 AS n"}).has_value());
    best = std::min(
        best, std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - cancelled));
  }
  BOOST_TEST(best.count() < 100);
}

// ---- questions per minute -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_principal_may_ask_so_often) {
  running_gateway gateway("\nnlq:\n  questions_per_minute: 0.5\n  questions_burst: 2\n");
  auto client = gateway.client();
  BOOST_TEST(error_of(client.run(sales_question)) == 0);
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM nlq.ask(N'total sales in 1402') AS a")) == 0);
  const auto refused = gateway.client().run(sales_question);  // another session of the same principal
  BOOST_TEST(error_of(refused) == 50133);
  BOOST_TEST(refused.error->message.find("seconds") != std::string::npos, refused.error->message);
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM nlq.ask(N'total sales in 1402') AS a")) == 50133);
  const auto persian = client.run("-- ASK: فروش کل در سال ۱۴۰۲");
  BOOST_TEST(error_of(persian) == 50133);
  BOOST_TEST(persian.error->message.find("ثانیه") != std::string::npos);
  BOOST_TEST(error_of(client.run("SELECT COUNT(*) AS n FROM ref.Ring")) == 0);  // plain SQL is no question
  BOOST_TEST(error_of(gateway.client("analyst").run(sales_question)) == 0);
  BOOST_TEST(gateway.audit_text().find("\"reason\":\"rate_limited\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(spending_is_counted_by_principal) {
  const question_budget::time_point t0{};
  question_budget budget(60, 2, {.prompt = 2, .completion = 10});
  BOOST_TEST(budget.take("a", t0).count() == 0);
  BOOST_TEST(budget.take("a", t0).count() == 0);
  BOOST_TEST(budget.take("a", t0).count() == 1000);
  BOOST_TEST(budget.take("b", t0).count() == 0);
  BOOST_TEST(budget.take("a", t0 + 1s).count() == 0);
  budget.add_model_use("a", 2, {1'000'000, 100'000, 5});
  budget.add_model_use("b", 1, {1, 1, 0});
  BOOST_TEST(budget.of("a").questions == 3u);
  BOOST_TEST(budget.of("a").refused == 1u);
  BOOST_TEST(budget.of("a").model_calls == 2u);
  BOOST_TEST(budget.total().model_calls == 3u);
  BOOST_TEST(budget.total().tokens.prompt == 1'000'001u);
  BOOST_TEST(budget.prices().of(budget.of("a").tokens) == 3.0);
  BOOST_TEST(budget.of("nobody").questions == 0u);
  question_budget open(0, 1, {});
  for (int i = 0; i < 1000; ++i) BOOST_TEST(open.take("a", t0).count() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
