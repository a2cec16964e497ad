// The model path with its real parts: pipeline, prompts from a policy, the model client over HTTP, the guard. Only the
// warehouse is played.
#include <boost/test/unit_test.hpp>

#include "guard/guard.h"
#include "llm/chat_client.h"
#include "nlq/pipeline.h"
#include "nlq/prompt_policy.h"
#include "tests/support/exchange_catalog.h"
#include "tests/support/model_server.h"

using namespace dragoman;
using namespace dragoman::nlq;
using test::model_rule;
using test::model_server;

namespace {

guard::policy analyst_policy(const catalog::database_ptr& db, const char* row_filter = nullptr) {
  guard::policy_definition d;
  d.principal = "analyst";
  for (const char* table : {"sales.Order", "sales.Customer", "sales.Date", "ref.Broker", "ref.Location", "ref.Symbol"})
    d.allow.push_back({table, {}, "allow"});
  d.deny = {{"sales.Customer.NationalID", "deny"}, {"ref.Broker.Phone", "deny"}};
  d.join_only = {{"sales.Customer.LocationID", "join_only"}};
  if (row_filter != nullptr) d.row_filters.push_back({"sales.Customer", row_filter, "row_filters"});
  auto compiled = guard::compile_policy(d, db);
  BOOST_TEST_REQUIRE(compiled.has_value(), compiled.error().message);
  return std::move(*compiled);
}

struct gateway {
  catalog::database_ptr db = test::exchange_catalog();
  guard::policy policy = analyst_policy(db);
  model_server server;
  std::unique_ptr<llm::client> model;
  std::vector<std::string> ran;

  explicit gateway(std::vector<model_rule> script) : server(std::move(script)) {
    llm::client_config c;
    c.base_url = server.base_url();
    c.model = "m";
    c.backoff_first = llm::milliseconds(1);
    c.first_byte_timeout = llm::milliseconds(200);
    auto opened = llm::client::open(std::move(c));
    BOOST_TEST_REQUIRE(opened.has_value());
    model = std::move(*opened);
  }

  report ask(std::string question) {
    auto env = std::make_shared<environment>();
    source_view s;
    s.name = "exchange";
    s.understand = [](std::string_view) -> understanding { return needs_model{{"foo"}, ""}; };
    s.prompt = prompt_factory(db, nullptr).prompt_of(policy);
    BOOST_TEST_REQUIRE(s.prompt != nullptr);
    env->sources = {s};
    env->has_model = true;
    env->today = to_day_number({2025, 3, 10});
    pipeline p(env, std::move(question));
    action a = p.start();
    while (!std::holds_alternative<finish>(a)) {
      if (auto* m = std::get_if<call_model>(&a)) {
        a = p.resume(model_answered{model->chat({.messages = m->messages})});
      } else if (auto* c = std::get_if<check_sql>(&a)) {
        guard::check_options options;
        options.profile = guard::profile::generated;
        const guard::verdict v = guard::check(c->text, policy, options);
        const bool accepted = v.kind == guard::verdict_kind::accept;
        a = p.resume(checked{accepted, accepted ? errc::internal : v.code, v.message, v.printed, v.tables});
      } else if (auto* r = std::get_if<run_sql>(&a)) {
        ran.push_back(r->sql);
        nlq::ran done;
        done.ok = true;
        done.rows = 1;
        a = p.resume(done);
      }
    }
    return p.report();
  }
};

model_rule says(std::string content) {
  return {.content = std::move(content)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(model_path)

BOOST_AUTO_TEST_CASE(answers_and_what_becomes_of_them) {
  const std::string good =
      "SELECT c.Segment, SUM(o.TotalPrice) AS total FROM sales.[Order] AS o "
      "JOIN sales.Customer AS c ON c.CustomerID = o.CustomerID GROUP BY c.Segment";
  struct row {
    const char* name;
    std::vector<model_rule> script;
    terminal end;
    unsigned model_calls;
    std::size_t http_calls;
    std::size_t runs;
    errc cause;
  };
  const row rows[] = {
      {"right", {says(good)}, terminal::answered, 1, 1, 1, errc::failed},
      {"fenced", {says("```sql\n" + good + ";\n```")}, terminal::answered, 1, 1, 1, errc::failed},
      {"prose", {says("Here you are:\n\n" + good + "\n\nHope this helps!")}, terminal::answered, 1, 1, 1, errc::failed},
      {"limit", {says(good + " LIMIT 5")}, terminal::answered, 1, 1, 1, errc::failed},
      {"wrong column then right",
       {says("SELECT c.Wrong FROM sales.Customer AS c"), says(good)},
       terminal::answered,
       2,
       2,
       1,
       errc::failed},
      {"wrong to the end",
       {says("SELECT c.Wrong FROM sales.Customer AS c"), says("SELECT c.Wrong FROM sales.Customer AS c"),
        says("SELECT c.Wrong FROM sales.Customer AS c")},
       terminal::failed,
       3,
       3,
       0,
       errc::unknown_column},
      {"syntax then right", {says("SELECT FROM WHERE"), says(good)}, terminal::answered, 2, 2, 1, errc::failed},
      {"comment then right",
       {says("SELECT c.Name -- x\nFROM sales.Customer AS c"), says(good)},
       terminal::answered,
       2,
       2,
       1,
       errc::failed},
      {"delete", {says("DELETE FROM sales.Customer")}, terminal::failed, 1, 1, 0, errc::not_read_only},
      {"two statements",
       {says(good + "; DROP TABLE sales.Customer")},
       terminal::failed,
       1,
       1,
       0,
       errc::multiple_statements},
      {"denied column",
       {says("SELECT c.NationalID FROM sales.Customer AS c")},
       terminal::rejected,
       1,
       1,
       0,
       errc::denied_column},
      {"join-only column",
       {says("SELECT c.LocationID FROM sales.Customer AS c")},
       terminal::rejected,
       1,
       1,
       0,
       errc::join_only_column},
      {"system object", {says("SELECT name FROM sys.tables")}, terminal::failed, 1, 1, 0, errc::system_object},
      {"out of scope", {says("OUT_OF_SCOPE")}, terminal::out_of_scope, 1, 1, 0, errc::out_of_scope},
      {"empty then right", {says(""), says(good)}, terminal::answered, 2, 2, 1, errc::failed},
      {"cut off then right",
       {{.content = "SELECT", .finish_reason = "length"}, says(good)},
       terminal::answered,
       2,
       2,
       1,
       errc::failed},
      {"cut off before any SQL",
       {{.content = "First of all", .finish_reason = "length"}},
       terminal::failed,
       1,
       1,
       0,
       errc::model_error},
      {"slow", {{.content = good, .delay = llm::milliseconds(100)}}, terminal::answered, 1, 1, 1, errc::failed},
      {"obeys a value in the data that asks for what is denied",
       {says("SELECT s.Amount FROM hr.Salary AS s"), says("SELECT 1; EXEC xp_cmdshell 'dir'")},
       terminal::failed,
       2,
       2,
       0,
       errc::multiple_statements},
      {"429 then right", {{.status = 429}, says(good)}, terminal::answered, 1, 2, 1, errc::failed},
      {"500 to the end", {{.times = -1, .status = 500}}, terminal::model_error, 1, 3, 0, errc::model_error},
      {"hanging", {{.times = -1, .hang = true}}, terminal::model_error, 1, 3, 0, errc::model_error},
      {"malformed", {{.times = -1, .body = "{"}}, terminal::model_error, 1, 1, 0, errc::model_error},
      {"huge",
       {{.times = -1, .content = "x", .padding = 2'000'000}},
       terminal::model_error,
       1,
       1,
       0,
       errc::model_error},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      gateway g(r.script);
      const report got = g.ask("sales by segment foo");
      BOOST_TEST(name_of(got.end) == name_of(r.end), name_of(got.end) << ": " << got.message);
      BOOST_TEST(got.model_calls == r.model_calls);
      BOOST_TEST(g.server.count() == r.http_calls);
      BOOST_TEST(g.ran.size() == r.runs);
      if (r.end != terminal::answered) BOOST_TEST(name_of(got.cause) == name_of(r.cause));
      for (const auto& request : g.server.requests())
        for (const char* part : {"NationalID", "Phone", "Salary", "0012345678"}) {
          // The model's own words come back to it in a correction; nothing else may hold these.
          if (std::string_view(r.name).find("denied") == std::string_view::npos)
            BOOST_TEST(request.body.find(part) == std::string::npos, part);
        }
      for (const std::string& sql : g.ran) {
        BOOST_TEST(sql.find("```") == std::string::npos);
        BOOST_TEST(sql.find("LIMIT") == std::string::npos);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_filter_hides_the_samples_of_its_table) {
  const auto db = test::exchange_catalog();
  const prompt_factory factory(db, nullptr);
  const auto open = factory.prompt_of(analyst_policy(db));
  const auto filtered = factory.prompt_of(analyst_policy(db, "Segment = 'Retail'"));
  BOOST_TEST(open->prefix().find("\"Industrial\"") != std::string::npos);
  BOOST_TEST(filtered->prefix().find("\"Industrial\"") == std::string::npos);
  BOOST_TEST(filtered->prefix().find("\"Tehran\"") != std::string::npos);
  const std::string user = filtered->messages({.question = "traders"})[1].content;
  BOOST_TEST(user.find("\"Trader\"") == std::string::npos);
  BOOST_TEST((factory.prompt_of(guard::policy{}) == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
