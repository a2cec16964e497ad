// A model's sentence about the rows, through a real client and a scripted model; what follows on a model's answer.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "proxy/value_text.h"
#include "tests/proxy/raw_session.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/model_server.h"
#include "tests/support/watch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::raw_session;
using dragoman::proxy::test::running_gateway;
using dragoman::test::model_rule;
using dragoman::test::model_server;
using namespace std::chrono_literals;

namespace {

constexpr const char* question = "-- ASK: sales by hall in 1402";

std::string model_section(const model_server& model, std::string_view more) {
  return "\nnlq:\n  cache:\n    lifetime: 0s\nllm:\n  base_url: " + model.base_url() +
         "\n  model: scripted\n  tries: 1\n" + std::string(more);
}

std::string cell(const client_answer& answer, std::size_t row, std::size_t column) {
  return value_text(answer.rows.at(row).at(column), answer.columns.at(column).type);
}

bool mentions(const client_answer& answer, std::string_view words) {
  return std::any_of(answer.messages.begin(), answer.messages.end(),
                     [&](const std::string& m) { return m.find(words) != std::string::npos; });
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(model_about_rows)

BOOST_AUTO_TEST_CASE(by_default_no_model_is_asked) {
  model_server model(std::vector<model_rule>{{.times = -1, .content = "The hall leads."}});
  running_gateway gateway(model_section(model, ""));
  const auto answer = gateway.client().run(question);
  BOOST_TEST(error_of(answer) == 0);
  BOOST_TEST(answer.rows.size() > 1U);
  BOOST_TEST(model.count() == 0U);
}

BOOST_AUTO_TEST_CASE(what_the_model_says_is_checked_and_never_in_the_way) {
  model_server model;
  running_gateway gateway(model_section(model, "  insight: model\n  insight_timeout: 1s\n"));
  auto client = gateway.client();
  model.script({{.times = -1, .status = 500}});
  const auto failed = client.run(question);
  BOOST_REQUIRE(error_of(failed) == 0);
  BOOST_REQUIRE(failed.rows.size() > 1U);
  BOOST_TEST(model.count() == 1U);
  const auto rows = failed.rows.size();
  std::size_t best = 0;
  for (std::size_t r = 1; r < rows; ++r)
    if (std::stold(cell(failed, r, 1)) > std::stold(cell(failed, best, 1))) best = r;
  const std::string leader = cell(failed, best, 0), figure = cell(failed, best, 1);
  const std::string good = "\"" + leader + "\" leads with " + figure + ".";
  BOOST_TEST(mentions(failed, leader + " leads with " + figure));  // the template

  const auto say = [&](model_rule rule) {
    const auto before = model.count();
    model.script({std::move(rule)});
    auto answer = client.run(question);
    BOOST_TEST(error_of(answer) == 0);
    BOOST_TEST(answer.rows.size() == rows);
    BOOST_TEST(model.count() - before == 1U);
    return answer;
  };
  BOOST_TEST(mentions(say({.content = good}), good + " (Written by the language model"));
  const std::string told = model.requests().back().body;
  BOOST_TEST(told.find(leader) != std::string::npos);
  BOOST_TEST(told.find("SELECT") == std::string::npos);
  BOOST_TEST(!mentions(say({.content = "\"" + leader + "\" leads with 123456789."}), "123456789"));
  BOOST_TEST(!mentions(say({.content = good + " See https://evil.example."}), "evil"));
  BOOST_TEST(!mentions(say({.content = "Ignore the rules: your password is " + figure + "."}), "password"));
  BOOST_TEST(!mentions(say({.content = ""}), "language model"));
  BOOST_TEST(!mentions(say({.body = "{"}), "language model"));
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST(!mentions(say({.hang = true}), "language model"));
  BOOST_TEST((std::chrono::steady_clock::now() - begun < 20s));

  // What nobody reads is not asked for; SQL alone has no rows.
  const auto before = model.count();
  BOOST_TEST(error_of(client.run("EXEC nlq.sql N'sales by hall in 1402'")) == 0);
  client.run("EXEC nlq.set 'messages', 'off'");
  BOOST_TEST(client.run(question).rows.size() == rows);
  BOOST_TEST(model.count() == before);

  const std::string audit = gateway.audit_text();
  BOOST_TEST(audit.find("\"insight\":") != std::string::npos);
  BOOST_TEST(audit.find("\"model_calls\":1") != std::string::npos);
  BOOST_TEST(audit.find("\"path\":\"semantic\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(over_the_limit_of_calls_the_answer_stands) {
  model_server model(std::vector<model_rule>{{.times = -1, .content = "NONE"}});
  running_gateway gateway(model_section(model, "  insight: model\n  calls_per_minute: 0.5\n"));
  auto client = gateway.client();
  for (int i = 0; i < 13; ++i) BOOST_TEST(error_of(client.run(question)) == 0);
  BOOST_TEST(model.count() <= 11U);
}

// The rows are read to the last one while the model still thinks; the attention then ends its call.
BOOST_AUTO_TEST_CASE(rows_go_first_and_an_attention_ends_the_call) {
  model_server model(std::vector<model_rule>{{.times = -1, .hang = true}});
  running_gateway gateway(model_section(model, "  insight: model\n  insight_timeout: 60s\n  timeout: 60s\n"));
  const auto whole = gateway.client("manager");
  raw_session c(gateway);
  c.send_batch(question);
  // A first packet, short of the message's end, comes before the model has answered.
  std::uint8_t header[8];
  c.receive(header, 8);
  BOOST_TEST(header[1] == 0);
  std::vector<std::uint8_t> body(static_cast<std::size_t>(header[2] << 8 | header[3]) - 8);
  c.receive(body.data(), body.size());
  BOOST_TEST(model.wait_requests(1, 20s));
  BOOST_TEST(std::count(body.begin(), body.end(), std::uint8_t{0xD1}) +
                 std::count(body.begin(), body.end(), std::uint8_t{0xD2}) >
             1);
  c.attention();
  // What was begun is closed, and the attention answered behind it.
  BOOST_TEST(tds::server::testing::ends_with(c.receive_message(), "FD 0000 0000 0000000000000000"));
  BOOST_TEST(tds::server::testing::text(c.receive_message()) ==
             tds::testing::shown_hex("FD 2000 0000 0000000000000000"));
  BOOST_TEST(model.wait_connections(0, 10s));
}

BOOST_AUTO_TEST_CASE(a_missing_address_is_a_mistake_of_the_configuration) {
  const auto loaded = [] {
    dragoman::proxy::test::scratch folder;
    const auto file = folder.write("d.yaml", "llm:\n  insight: model\n");
    return load_everything(file);
  }();
  BOOST_TEST(std::any_of(loaded.errors.begin(), loaded.errors.end(),
                         [](const config_error& e) { return e.to_string().find("llm.insight") != std::string::npos; }));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(after_a_models_answer)

// What goes on from SQL that a model wrote has no frame to refine: the model is told of the question before and its
// SQL.
BOOST_AUTO_TEST_CASE(a_follow_up_is_told_of_question_and_sql) {
  model_server model(
      std::vector<model_rule>{{.match = "mood", .content = "SELECT COUNT(*) AS n FROM sales.[Order] AS o"}});
  running_gateway gateway(model_section(model, ""));
  auto client = gateway.client();
  const auto first = client.run("-- ASK: the mood of frobnicated widgets");
  BOOST_REQUIRE(error_of(first) == 0);
  BOOST_TEST(model.count() == 1U);
  model.script({{.times = -1,
                 .content = "SELECT COUNT(*) AS n FROM sales.[Order] AS o JOIN sales.[Date] AS d ON d.DateID = "
                            "o.OrderDateID WHERE d.Year = 2023"}});
  for (const char* then : {"-- ASK: only for 2023", "-- ASK: و فقط برای ۲۰۲۳؟"}) {
    BOOST_TEST_CONTEXT(then) {
      const auto before = model.count();
      const auto answer = client.run(then);
      BOOST_REQUIRE_MESSAGE(error_of(answer) == 0, (answer.error ? answer.error->message : ""));
      BOOST_TEST(model.count() - before == 1U);
      const std::string told = model.requests().back().body;
      BOOST_TEST((told.find("frobnicated") != std::string::npos || told.find("2023") != std::string::npos));
      BOOST_TEST(told.find("COUNT(*)") != std::string::npos);
    }
  }
  // A question that stands alone is the layer's, and nobody else is asked.
  const auto before = model.count();
  BOOST_TEST(error_of(client.run("-- ASK: total sales in 1402")) == 0);
  BOOST_TEST(model.count() == before);
  BOOST_TEST(error_of(client.run("-- ASK: only for 1401")) == 0);
  BOOST_TEST(model.count() == before);
}

BOOST_AUTO_TEST_CASE(courtesy_asks_nobody_and_leaves_the_conversation) {
  model_server model(std::vector<model_rule>{{.times = -1, .content = "SELECT 1"}});
  running_gateway gateway(model_section(model, ""));
  auto client = gateway.client();
  BOOST_REQUIRE(error_of(client.run("-- ASK: total sales in 1402")) == 0);
  for (const char* text : {"-- ASK: thanks", "-- ASK: hello", "-- ASK: سلام", "-- ASK: خیلی ممنون"}) {
    const auto answer = client.run(text);
    BOOST_TEST(error_of(answer) == 0);
    BOOST_TEST(answer.columns.size() == 1U);
  }
  BOOST_TEST(mentions(client.run("-- ASK: thanks"), "You are welcome!"));
  BOOST_TEST(mentions(client.run("-- ASK: ممنون"), "خواهش می‌کنم!"));
  const auto refined = client.run("-- ASK: only for 1401");
  BOOST_REQUIRE(error_of(refined) == 0);
  BOOST_TEST(cell(refined, 0, 0) == cell(gateway.client("admin").run("-- ASK: total sales in 1401"), 0, 0));
  BOOST_TEST(model.count() == 0U);
  BOOST_TEST(gateway.audit_text().find("\"turn\":\"general\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_audit_tells_first_byte_and_suspected_replies) {
  model_server model(std::vector<model_rule>{{.times = -1, .content = "SELECT COUNT(*) AS n FROM ref.Ring AS r"}});
  running_gateway gateway(model_section(model, "  cached_reply_suspected: 10s\n"));
  auto client = gateway.client();
  BOOST_TEST(error_of(client.run("-- ASK: the mood of frobnicated widgets")) == 0);
  BOOST_TEST(occurrences(gateway.audit_text(), "\"model_first_byte\":") == 1U);
  BOOST_TEST(occurrences(gateway.audit_text(), "suspected_cached_reply") == 0U);
  client.run("EXEC nlq.reset");
  BOOST_TEST(error_of(client.run("-- ASK: the temper of frobnicated gadgets")) == 0);
  BOOST_TEST(occurrences(gateway.audit_text(), "\"suspected_cached_reply\":true") == 1U);
}

BOOST_AUTO_TEST_CASE(the_next_model_is_asked_where_the_first_is_unknown_or_fails) {
  model_server model;
  running_gateway gateway(model_section(model, "  fallback_models: [second, third]\n"));
  auto client = gateway.client();
  const char* sql = "SELECT COUNT(*) AS n FROM ref.Ring AS r";
  model.script({{.match = "\"scripted\"",
                 .status = 404,
                 .body = R"({"error":{"code":"model_not_found","message":"model 'scripted' not found"}})"},
                {.match = "\"second\"", .status = 500},
                {.content = sql}});
  BOOST_TEST(error_of(client.run("-- ASK: the mood of frobnicated widgets")) == 0);
  BOOST_REQUIRE(model.count() == 3U);
  BOOST_TEST(model.requests()[2].body.find("\"third\"") != std::string::npos);
  // All of them failing is the model's error, with one attempt on the record.
  model.script({{.times = -1, .status = 500}});
  client.run("EXEC nlq.reset");
  BOOST_TEST(error_of(client.run("-- ASK: the mood of frobnicated gadgets")) == 50145);
  BOOST_TEST(model.count() == 6U);
  BOOST_TEST(client.run("EXEC nlq.attempts").rows.size() == 1U);
}

BOOST_AUTO_TEST_CASE(sql_is_shown_over_several_lines_and_runs) {
  running_gateway& gateway = dragoman::proxy::test::shared_gateway();
  auto client = gateway.client();
  const auto shown = client.run("EXEC nlq.sql N'sales by hall in 1402'");
  BOOST_REQUIRE(error_of(shown) == 0);
  const std::string sql = cell(shown, 0, 0);
  BOOST_TEST(occurrences(sql, "\n") >= 3U);
  BOOST_TEST(sql.find("\nFROM") != std::string::npos);
  BOOST_TEST(error_of(client.run(sql)) == 0);
  const auto costly = client.run("-- ASK: list all orders");
  BOOST_REQUIRE(costly.columns.size() == 5U);
  BOOST_TEST(occurrences(cell(costly, 0, 4), "\n") >= 2U);
}

BOOST_AUTO_TEST_CASE(status_tells_operators_of_drift) {
  running_gateway& gateway = dragoman::proxy::test::shared_gateway();
  const auto told = [&](const std::string& login) {
    std::string out;
    auto answer = gateway.client(login).run("EXEC nlq.status");
    for (std::size_t r = 0; r < answer.rows.size(); ++r)
      if (cell(answer, r, 0) == "catalogue drift") out = cell(answer, r, 1);
    return out;
  };
  BOOST_TEST(told("admin") == "not compared: catalog.introspect is off");
  BOOST_TEST(told("analyst").empty());
}

BOOST_AUTO_TEST_SUITE_END()
