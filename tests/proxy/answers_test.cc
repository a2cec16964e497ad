// Answers of a moment ago: what they depend on, how long and how many are kept, and what a client sees of them.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "proxy/answer_cache.h"
#include "proxy/row_compare.h"
#include "proxy/value_text.h"
#include "tests/proxy/raw_session.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/exchange_catalog.h"
#include "tests/support/model_server.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::raw_session;
using dragoman::proxy::test::running_gateway;
using namespace std::chrono_literals;

namespace {

using moment = answer_cache::time_point;

cached_answer_ptr an_answer(std::size_t text_bytes, moment made) {
  auto out = std::make_shared<cached_answer>();
  out->columns = {{"n", {sql_type_id::nvarchar, 100}}};
  out->values = {std::string(text_bytes, 'x')};
  out->made = made;
  return out;
}

guard::policy rights(const catalog::database_ptr& db, std::string name, const char* filter = nullptr,
                     const char* denied = nullptr) {
  guard::policy_definition d;
  d.principal = std::move(name);
  for (const char* table : {"sales.Order", "sales.Customer"}) d.allow.push_back({table, {}, "allow"});
  if (filter != nullptr) d.row_filters.push_back({"sales.Order", filter, "row_filters"});
  if (denied != nullptr) d.deny.push_back({denied, "deny"});
  d.attributes["mine"] = {"7"};
  auto compiled = guard::compile_policy(d, db);
  BOOST_TEST_REQUIRE(compiled.has_value(), compiled.error().message);
  return std::move(*compiled);
}

bool from_cache(const client_answer& answer) {
  return std::any_of(answer.messages.begin(), answer.messages.end(), [](const std::string& m) {
    return m.find("from the cache") != std::string::npos || m.find("حافظهٔ نهان") != std::string::npos;
  });
}

std::string first_text(const client_answer& answer) {
  if (answer.error) return "error " + std::to_string(answer.error->error_number());
  return answer.rows.empty() || answer.rows[0].empty() ? "" : value_text(answer.rows[0][0], answer.columns[0].type);
}

std::string status_item(own_client client, std::string_view item) {
  for (const auto& row : client.run("EXEC nlq.status").rows)
    if (value_text(row[0], sql_type{}) == item) return value_text(row[1], sql_type{});
  return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(answers)

BOOST_AUTO_TEST_CASE(old_ones_and_those_not_used_go_first) {
  answer_cache cache({.lifetime = 10s, .answers_max = 3, .bytes_max = 1 << 20, .answer_bytes_max = 1 << 18});
  const moment t0{};
  for (const char* key : {"a", "b", "c"}) cache.put(key, an_answer(10, t0), t0);
  BOOST_TEST((cache.find({"a"}, t0 + 1s) != nullptr));  // used: "b" is now the oldest
  cache.put("d", an_answer(10, t0 + 1s), t0 + 1s);
  BOOST_TEST((cache.find({"b"}, t0 + 1s) == nullptr));
  for (const char* key : {"a", "c", "d"}) BOOST_TEST((cache.find({key}, t0 + 9s) != nullptr), key);
  BOOST_TEST((cache.find({"a"}, t0 + 10s) == nullptr));
  BOOST_TEST((cache.find({"d"}, t0 + 10s) != nullptr));
  BOOST_TEST((cache.find({"x", "d"}, t0 + 10s) != nullptr));  // the first key that is there
  BOOST_TEST(cache.status().answers == 2u);
  cache.clear();
  BOOST_TEST(cache.status().bytes == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_are_bounded) {
  answer_cache cache({.lifetime = 10s, .answers_max = 1000, .bytes_max = 100'000, .answer_bytes_max = 40'000});
  const moment t0{};
  cache.put("too large", an_answer(50'000, t0), t0);
  BOOST_TEST((cache.find({"too large"}, t0) == nullptr));
  for (int i = 0; i < 50; ++i) {
    cache.put("k" + std::to_string(i), an_answer(10'000, t0), t0);
    BOOST_TEST(cache.status().bytes <= 100'000u);
  }
  BOOST_TEST((cache.find({"k49"}, t0) != nullptr));
  BOOST_TEST((cache.find({"k0"}, t0) == nullptr));
  BOOST_TEST(cache.status().answers >= 5u);
  answer_cache off({.lifetime = 0s});
  off.put("a", an_answer(1, t0), t0);
  BOOST_TEST((off.find({"a"}, t0) == nullptr));
  BOOST_TEST(!off.enabled());
}

BOOST_AUTO_TEST_CASE(bytes_are_those_that_are_allocated) {
  cached_answer answer;
  answer.values.reserve(1000);
  answer.values.push_back(std::string("x"));
  BOOST_TEST(answer.bytes() >= 1000 * sizeof(sql_value));
  answer.shrink_to_fit();
  BOOST_TEST(answer.bytes() < 100 * sizeof(sql_value));
  const std::size_t before = answer.bytes();
  answer.report.suggestions = {std::string(10'000, 's')};
  answer.report.assumptions = {std::string(10'000, 'a')};
  answer.report.asked_sql = std::string(10'000, 'q');
  BOOST_TEST(answer.bytes() >= before + 30'000);
}

BOOST_AUTO_TEST_CASE(a_key_holds_all_that_an_answer_depends_on) {
  answer_key base;
  base.question = nlq::question_form("Total sales in 1402?", false);
  base.scope = 1;
  base.source = "exchange";
  base.version = 1;
  base.today = 20000;
  std::vector<std::string> keys = {base.text()};
  const auto differs = [&](auto change) {
    answer_key other = base;
    change(other);
    keys.push_back(other.text());
  };
  differs([](answer_key& k) { k.question = nlq::question_form("total sales in 1403", false); });
  differs([](answer_key& k) { k.mode = nlq::ask_mode::full; });
  differs([](answer_key& k) { k.scope = 2; });
  differs([](answer_key& k) { k.source = "other"; });
  differs([](answer_key& k) { k.version = 2; });
  differs([](answer_key& k) { k.today = 20001; });
  differs([](answer_key& k) { k.session_options = "DATEFIRST=1;"; });
  differs([](answer_key& k) { k.conversation = "after"; });
  std::sort(keys.begin(), keys.end());
  BOOST_TEST((std::adjacent_find(keys.begin(), keys.end()) == keys.end()));
}

BOOST_AUTO_TEST_CASE(questions_are_equal_in_spite_of_their_looks_only) {
  const auto same = [](const char* a, const char* b) {
    return nlq::question_form(a, false) == nlq::question_form(b, false);
  };
  BOOST_TEST(same("Total sales in 1402", "  total   SALES in ۱۴۰۲ ?"));
  BOOST_TEST(same("فروش کل در سال ۱۴۰۲", "فروش کل در سال 1402؟"));
  BOOST_TEST(same("orders in ١٤٠٢", "orders\t in\n1402!"));
  // Whatever else is written may be part of a name, or of the meaning.
  BOOST_TEST(!same("فروش کل در سال ۱۴۰۲", "فروش كل در سال ۱۴۰۲"));
  BOOST_TEST(!same("orders with total \u2265 1000", "orders with total \u2264 1000"));
  BOOST_TEST(!same("sales to O'Brien", "sales to O'Neill"));
  BOOST_TEST(!same("sales by customer, segment ring 1402", "sales by customer segment, ring 1402"));
  BOOST_TEST(!same("sales of Café", "sales of Cafe"));
  BOOST_TEST(!same("sales of «Alpha»", "sales of Alpha"));
  BOOST_TEST(!same("a\u200cb", "ab"));
  BOOST_TEST(!same("orders > 5", "orders < 5"));
  BOOST_TEST(!same("sales, orders", "sales orders"));
  BOOST_TEST(!same("sales of A", "sales of B"));
  BOOST_TEST(!same("change of -5", "change of 5"));
  BOOST_TEST(nlq::question_form("code ab", true) != nlq::question_form("code AB", true));
}

BOOST_AUTO_TEST_CASE(rights_decide_and_names_do_not) {
  const auto db = dragoman::test::exchange_catalog();
  rights_registry known;
  const std::size_t open = known.number_of(rights(db, "one"));
  BOOST_TEST(known.number_of(rights(db, "two")) == open);
  const std::size_t seven = known.number_of(rights(db, "one", "BrokerID = 7"));
  BOOST_TEST(seven != open);
  BOOST_TEST(known.number_of(rights(db, "one", "BrokerID = 8")) != seven);
  BOOST_TEST(known.number_of(rights(db, "three", "BrokerID = 7")) == seven);
  BOOST_TEST(known.number_of(rights(db, "one", nullptr, "sales.Customer.NationalID")) != open);
  guard::policy fewer = rights(db, "one");
  fewer.row_cap_generated = 10;
  BOOST_TEST(known.number_of(fewer) != open);
}

BOOST_AUTO_TEST_CASE(what_changes_by_itself_is_not_kept) {
  BOOST_TEST(depends_on_the_moment("SELECT GETDATE() AS d FROM [sales].[Order]"));
  BOOST_TEST(depends_on_the_moment("SELECT TOP (5) a FROM t ORDER BY NEWID()"));
  BOOST_TEST(depends_on_the_moment("SELECT CURRENT_TIMESTAMP AS d FROM t"));
  BOOST_TEST(!depends_on_the_moment("SELECT SUM(TotalPrice) AS s FROM [sales].[Order]"));
}

// ---- through real clients -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_hit_needs_no_upstream_and_says_so) {
  running_gateway gateway;
  const auto first = gateway.client().run("-- ASK: sales by customer segment in 1402");
  BOOST_TEST_REQUIRE(error_of(first) == 0);
  BOOST_TEST(!from_cache(first));
  const auto before = gateway.shared().source(0).warehouse().status().statements;
  const auto again = gateway.client().run("EXEC nlq.ask N'Sales by customer segment in ۱۴۰۲?'");
  BOOST_TEST(error_of(again) == 0);
  BOOST_TEST(from_cache(again));
  BOOST_TEST(gateway.shared().source(0).warehouse().status().statements == before);
  BOOST_TEST(same_rows(first.rows, again.rows, true));
  BOOST_TEST_REQUIRE(first.columns.size() == again.columns.size());
  for (std::size_t i = 0; i < first.columns.size(); ++i) {
    BOOST_TEST(first.columns[i].name == again.columns[i].name);
    BOOST_TEST(to_string(first.columns[i].type) == to_string(again.columns[i].type));
  }
  BOOST_TEST(gateway.audit_text().find("\"cached\":true") != std::string::npos);
  BOOST_TEST(status_item(gateway.client(), "cache").find("1 hits") != std::string::npos,
             status_item(gateway.client(), "cache"));
  gateway.stop_warehouse();
  BOOST_TEST(from_cache(gateway.client().run("-- ASK: sales by customer segment in 1402")));
  BOOST_TEST(error_of(gateway.client().run("-- ASK: sales by customer segment in 1401")) == 50131);
}

BOOST_AUTO_TEST_CASE(no_other_scope_is_served) {
  running_gateway gateway;
  constexpr const char* question = "-- ASK: number of orders in 1402";
  std::vector<std::string> fresh;
  for (const char* login : {"manager", "analyst", "broker7"}) {
    const auto answer = gateway.client(login).run(question);
    BOOST_TEST(!from_cache(answer), login);
    fresh.push_back(first_text(answer));
  }
  BOOST_TEST(fresh[0] == fresh[1]);
  BOOST_TEST(fresh[0] != fresh[2]);
  for (int round = 0; round < 2; ++round) {
    std::size_t i = 0;
    for (const char* login : {"manager", "analyst", "broker7"}) {
      const auto answer = gateway.client(login).run(question);
      BOOST_TEST(from_cache(answer), login);
      BOOST_TEST(first_text(answer) == fresh[i++]);
    }
  }
  // The administrator sees the same tables, columns and rows as the manager.
  BOOST_TEST(from_cache(gateway.client("admin").run(question)));
}

BOOST_AUTO_TEST_CASE(follow_ups_are_answered_in_their_own_conversation) {
  running_gateway gateway;
  const auto chain = [&](const char* first, bool cached) {
    auto client = gateway.client();
    if (!cached) client.run("EXEC nlq.set 'cache', 'off'");
    std::string out = first_text(client.run(std::string("-- ASK: ") + first));
    out += " " + first_text(client.run("-- ASK: only for 1401"));
    return out + " " + first_text(client.run("-- ASK: number of customers"));
  };
  for (const char* first : {"total sales in 1402", "number of orders in 1402", "total sales in 1403"}) {
    const std::string plain = chain(first, false);
    BOOST_TEST(chain(first, true) == plain, first);
    BOOST_TEST(chain(first, true) == plain, first);
  }
}

// "And …" goes on from a question that was understood, and stands alone after one that was answered otherwise.
BOOST_AUTO_TEST_CASE(what_goes_on_is_not_answered_by_what_stood_alone) {
  running_gateway gateway;
  constexpr const char* further = "-- ASK: and total sales in 1402";
  const auto after = [&](const char* first, bool cached) {
    auto client = gateway.client();
    if (!cached) client.run("EXEC nlq.set 'cache', 'off'");
    BOOST_TEST_REQUIRE(error_of(client.run(first)) == 0);
    return client.run(further);
  };
  const std::size_t halls = after("-- ASK: number of orders by ring", false).rows.size();
  BOOST_TEST(halls > 1u);
  BOOST_TEST(after("-- ASK: which tables are there?", true).rows.size() == 1u);
  BOOST_TEST(after("-- ASK: number of orders by ring", true).rows.size() == halls);
  BOOST_TEST(after("-- ASK: which tables are there?", true).rows.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_session_may_do_without_and_a_wrong_answer_is_not_served_again) {
  running_gateway gateway;
  constexpr const char* question = "-- ASK: total sales in 1402";
  auto client = gateway.client();
  BOOST_TEST(error_of(client.run(question)) == 0);
  BOOST_TEST(from_cache(gateway.client().run(question)));
  auto doubter = gateway.client();
  BOOST_TEST(error_of(doubter.run("EXEC nlq.set 'cache', 'off'")) == 0);
  BOOST_TEST(!from_cache(doubter.run(question)));
  auto other = gateway.client();
  other.run("SET DATEFIRST 1");  // other settings, perhaps another answer
  BOOST_TEST(!from_cache(other.run(question)));
  BOOST_TEST(from_cache(gateway.client().run(question)));
  client.run("EXEC nlq.feedback -1, N'wrong'");
  BOOST_TEST(!from_cache(gateway.client().run(question)));
  // Modes: the attempts come with a full answer, SQL is shown and not run.
  BOOST_TEST(!from_cache(gateway.client().run("EXEC nlq.ask N'total sales in 1402', 'full'")));
  BOOST_TEST(from_cache(gateway.client().run("EXEC nlq.ask N'total sales in 1402', 'full'")));
  BOOST_TEST(!from_cache(gateway.client().run("EXEC nlq.sql N'total sales in 1402'")));
}

BOOST_AUTO_TEST_CASE(off_by_configuration) {
  running_gateway gateway("\nnlq:\n  cache:\n    lifetime: 0s\n");
  for (int i = 0; i < 3; ++i) BOOST_TEST(!from_cache(gateway.client().run("-- ASK: total sales in 1402")));
  BOOST_TEST(status_item(gateway.client(), "cache") == "off");
}

BOOST_AUTO_TEST_CASE(one_entry_serves_clients_of_every_version) {
  running_gateway gateway;
  constexpr const char* question = "-- ASK: monthly sales and number of orders in 1402";
  std::vector<std::string> fresh, kept;
  raw_session(gateway).batch(question);
  for (const std::uint32_t version : {0x71000001u, 0x72090002u, 0x74000004u}) {
    for (auto* to : {&fresh, &kept}) {
      raw_session c(gateway, "manager", version);
      const auto send = [&](const std::string& sql) {
        if (version == 0x71000001u) {
          std::vector<std::uint8_t> body;
          append_utf16le(body, sql);
          c.send_packet(1, 1, body);
          return c.receive_message();
        }
        return c.batch(sql);
      };
      send("EXEC nlq.set 'messages', 'off'");
      if (to == &fresh) send("EXEC nlq.set 'cache', 'off'");
      to->push_back(dragoman::proxy::test::raw::text(send(question)));
    }
  }
  const auto counts = gateway.shared().answers().status();
  BOOST_TEST(counts.hits == 3u);
  for (std::size_t i = 0; i < fresh.size(); ++i) BOOST_TEST(fresh[i] == kept[i]);
  BOOST_TEST(fresh[0] != fresh[2]);
}

BOOST_AUTO_TEST_CASE(a_model_is_not_asked_again) {
  dragoman::test::model_server model(std::vector<dragoman::test::model_rule>{
      {.times = -1, .content = "SELECT COUNT(*) AS n FROM sales.Customer AS c"}});
  running_gateway gateway("\nllm:\n  base_url: " + model.base_url() +
                          "\n  model: scripted\n  price_per_million_tokens:\n    prompt: 2\n    completion: 10\n");
  constexpr const char* question = "-- ASK: the mood of frobnicated widgets";
  const auto first = gateway.client().run(question);
  BOOST_TEST_REQUIRE(error_of(first) == 0);
  BOOST_TEST(model.count() == 1u);
  const auto again = gateway.client().run(question);
  BOOST_TEST(from_cache(again));
  BOOST_TEST(model.count() == 1u);
  BOOST_TEST(same_rows(first.rows, again.rows, true));
  BOOST_TEST(status_item(gateway.client(), "model calls") == "1");
  BOOST_TEST(!status_item(gateway.client(), "model cost").empty());
  // After another question the model is told of it, and may answer otherwise.
  auto client = gateway.client();
  client.run("-- ASK: total sales in 1402");
  BOOST_TEST(!from_cache(client.run(question)));
  BOOST_TEST(model.count() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
