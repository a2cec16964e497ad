// What a principal may not know reaches neither a model nor another's answer: row filters with their tables and
// values, denied columns, values of hidden rows, the last user's conversation.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "proxy/value_text.h"
#include "tests/proxy/raw_session.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/model_server.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::raw_session;
using dragoman::proxy::test::running_gateway;
using dragoman::proxy::test::scratch;
using dragoman::test::model_rule;
using dragoman::test::model_server;

namespace {

// Besides the columns that are denied to the analyst: a secret number, and a table that is on nobody's list.
constexpr const char* secret_filter =
    "    row_filters:\n"
    "      - table: sales.Order\n"
    "        predicate: BrokerID <> 987654 AND EXISTS (SELECT 1 FROM hr.Salary AS h WHERE h.EmployeeID > 0)\n";

constexpr const char* only_a_model_knows = "-- ASK: the mood of frobnicated widgets";

std::string scripted_model_section(const model_server& model) {
  return "\nllm:\n  base_url: " + model.base_url() + "\n  model: scripted\n";
}

std::size_t times_in(std::string_view text, std::string_view words) {
  std::size_t out = 0;
  for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + words.size())) ++out;
  return out;
}

std::string cell_named(const client_answer& answer, std::string_view column) {
  for (std::size_t i = 0; i < answer.columns.size(); ++i)
    if (answer.columns[i].name == column && !answer.rows.empty())
      return value_text(answer.rows[0][i], answer.columns[i].type);
  return "";
}

std::string all_text(const client_answer& answer) {
  std::string out = answer.error ? answer.error->message : "";
  for (const std::string& m : answer.messages) out += "\n" + m;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hidden)

BOOST_AUTO_TEST_CASE(a_model_is_not_told_what_the_guard_adds) {
  const scratch folder;
  model_server model(std::vector<model_rule>{
      {.content = "SELECT COUNT(*) AS n FROM sales.[Order] AS o"},
      {.times = -1, .content = "SELECT COUNT(*) AS n FROM sales.[Order] AS o WHERE o.OrderID > 0"}});
  const std::string more = scripted_model_section(model) + "\nstore: " + (folder / "store.sqlite").string() +
                           "\nnlq:\n  memory: 1h\n  cache:\n    lifetime: 0s\n";
  running_gateway gateway(more, std::nullopt, {}, secret_filter);
  {
    auto client = gateway.client("broker7");
    BOOST_TEST_REQUIRE(error_of(client.run("-- ASK: total sales in 1402")) == 0);
    BOOST_TEST(error_of(client.run(only_a_model_knows)) == 0);  // after what was compiled
    BOOST_TEST(error_of(client.run(only_a_model_knows)) == 0);  // after what the model wrote
    BOOST_TEST(model.count() == 2u);
    BOOST_TEST_REQUIRE(error_of(client.run("-- ASK: total sales in 1401")) == 0);
  }
  BOOST_TEST(error_of(gateway.client("broker7").run(only_a_model_knows)) == 0);  // after what the store kept
  const auto requests = model.requests();
  BOOST_TEST_REQUIRE(requests.size() == 3u);
  for (const auto& request : requests) {
    BOOST_TEST(request.body.find("CONVERSATION SO FAR") != std::string::npos);
    for (const char* secret : {"987654", "Salary", "NationalID", "Phone"})
      BOOST_TEST(request.body.find(secret) == std::string::npos, secret << " in " << request.body);
  }
  BOOST_TEST(requests[0].body.find("SUM(") != std::string::npos);
  BOOST_TEST(requests[1].body.find("COUNT(*) AS n") != std::string::npos);
  BOOST_TEST(requests[2].body.find("1401") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_confirmed_is_narrowed_once_and_runs) {
  running_gateway gateway("\nnlq:\n  cache:\n    lifetime: 0s\n", std::nullopt, {}, secret_filter);
  auto client = gateway.client("broker7");
  const std::string token = cell_named(client.run("-- ASK: list all orders"), "token");
  BOOST_TEST_REQUIRE(!token.empty());
  const auto confirmed = client.run("EXEC nlq.confirm '" + token + "'");
  BOOST_TEST(error_of(confirmed) == 0, all_text(confirmed));
  BOOST_TEST(!confirmed.rows.empty());
  const std::string audit = gateway.audit_text();
  const std::string last = audit.substr(audit.rfind('\n', audit.size() - 2) + 1);
  BOOST_TEST(times_in(last, "987654") == 1u, last);
}

BOOST_AUTO_TEST_CASE(questions_in_from_are_accounted_for) {
  model_server model(std::vector<model_rule>{
      {.times = -1, .content = "SELECT c.Segment, COUNT(*) AS n FROM sales.Customer AS c GROUP BY c.Segment"}});
  running_gateway gateway(scripted_model_section(model));
  auto client = gateway.client();
  const auto answer = client.run("SELECT SUM(a.n) AS n FROM nlq.ask(N'the mood of frobnicated widgets') AS a");
  BOOST_TEST(error_of(answer) == 0, all_text(answer));
  BOOST_TEST(model.count() == 1u);
  const std::string audit = gateway.audit_text();
  BOOST_TEST(audit.find("\"model_calls\":1") != std::string::npos, audit);
  BOOST_TEST(gateway.shared().budget().of("manager").model_calls == 1u);
}

BOOST_AUTO_TEST_CASE(values_of_rows_that_may_be_hidden_are_not_matched) {
  running_gateway gateway("\nnlq:\n  cache:\n    lifetime: 0s\n", std::nullopt, {},
                          "    row_filters:\n      - table: ref.Supplier\n        predicate: SupplierID = 1\n");
  auto manager = gateway.client();
  const auto found = manager.run("SELECT TOP (1) s.Name AS name FROM ref.Supplier AS s WHERE s.SupplierID = 2");
  const std::string name = cell_named(found, "name");
  BOOST_TEST_REQUIRE(name.size() > 6u);
  const std::string slip = name.substr(0, name.size() - 1);
  const auto told = [&](const char* login, const std::string& written) {
    const auto answer = gateway.client(login).run("-- ASK: total sales of supplier " + written + " in 1402");
    return all_text(answer);
  };
  const std::string literal = "N'" + name + "'";  // in the SQL that is shown
  BOOST_TEST(told("manager", name).find(literal) != std::string::npos);
  BOOST_TEST(told("broker7", name).find(literal) == std::string::npos, told("broker7", name));
  BOOST_TEST(told("broker7", slip).find(name) == std::string::npos, told("broker7", slip));
  // What stands in the rows that are one's own is known.
  const auto own = manager.run("SELECT TOP (1) s.Name AS name FROM ref.Supplier AS s WHERE s.SupplierID = 1");
  const std::string own_name = cell_named(own, "name");
  BOOST_TEST(told("broker7", own_name).find("N'" + own_name + "'") != std::string::npos, told("broker7", own_name));
  // Other dimensions are as they were.
  BOOST_TEST(error_of(gateway.client("broker7").run("-- ASK: total sales to traders in 1402")) == 0);
}

BOOST_AUTO_TEST_CASE(the_next_user_of_a_pooled_connection_begins_anew) {
  const scratch folder;
  running_gateway gateway("\nstore: " + (folder / "store.sqlite").string() +
                          "\nnlq:\n  memory: 1h\n  cache:\n    lifetime: 0s\n");
  raw_session client(gateway);
  client.batch("-- ASK: total sales in 1402");
  const auto ask_further = [&](std::uint8_t status) {
    client.send_batch("-- ASK: only for 1401", status);
    return dragoman::proxy::test::raw::text(client.receive_message());
  };
  // "none yet", of the sentence that there is nothing to go on from
  constexpr const char* none_yet = "6E 00 6F 00 6E 00 65 00 20 00 79 00 65 00 74 00";
  constexpr std::uint8_t end = 1, end_and_reset = 1 | 8;
  BOOST_TEST(ask_further(end).find(none_yet) == std::string::npos);
  BOOST_TEST(ask_further(end_and_reset).find(none_yet) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
