// What outlives a question: the conversation in the store, clarifications that end, descriptions and embeddings.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <thread>

#include "proxy/sandbox/sqlite_db.h"
#include "proxy/store.h"
#include "proxy/value_text.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/model_server.h"
#include "tests/support/watch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::running_gateway;
using dragoman::proxy::test::scratch;
using dragoman::test::becomes_true;
using namespace std::chrono_literals;

namespace {

std::string first_cell(const client_answer& answer) {
  if (answer.error) return "error " + std::to_string(answer.error->error_number());
  return answer.rows.empty() || answer.rows[0].empty() ? "" : value_text(answer.rows[0][0], answer.columns[0].type);
}

std::string with_store(const scratch& folder, std::string_view nlq) {
  return "\nstore: " + (folder / "store.sqlite").string() + "\nnlq:\n  cache:\n    lifetime: 0s\n" + std::string(nlq);
}

constexpr const char* opening = "-- ASK: total sales in 1402";
constexpr const char* going_on = "-- ASK: only for 1401";
constexpr const char* in_full = "-- ASK: total sales in 1401";

}  // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(a_conversation_outlives_connection_and_process) {
  const scratch folder;
  const std::string more = with_store(folder, "  memory: 1h\n");
  std::string wanted;
  {
    running_gateway gateway(more);
    wanted = first_cell(gateway.client("admin").run(in_full));
    BOOST_TEST_REQUIRE(error_of(gateway.client().run(opening)) == 0);
    BOOST_TEST(first_cell(gateway.client().run(going_on)) == wanted);
    // Nobody goes on with what another has asked.
    BOOST_TEST(first_cell(gateway.client("analyst").run(going_on)) != wanted);
    BOOST_TEST_REQUIRE(error_of(gateway.client().run(opening)) == 0);
  }
  running_gateway again(more);
  auto client = again.client();
  BOOST_TEST(first_cell(client.run(going_on)) == wanted);
  client.run("EXEC nlq.reset");
  BOOST_TEST(first_cell(client.run(going_on)) != wanted);
  BOOST_TEST(first_cell(again.client().run(going_on)) != wanted);  // it is forgotten, not put aside
}

BOOST_AUTO_TEST_CASE(nothing_is_remembered_unless_the_site_says_so) {
  const scratch folder;
  running_gateway gateway(with_store(folder, ""));
  const std::string wanted = first_cell(gateway.client().run(in_full));
  auto client = gateway.client();
  BOOST_TEST_REQUIRE(error_of(client.run(opening)) == 0);
  BOOST_TEST(first_cell(client.run(going_on)) == wanted);  // within the session
  BOOST_TEST_REQUIRE(error_of(client.run(opening)) == 0);
  BOOST_TEST(first_cell(gateway.client().run(going_on)) != wanted);
}

BOOST_AUTO_TEST_CASE(conversations_are_kept_by_login_and_client) {
  const scratch folder;
  {
    store kept;
    BOOST_TEST_REQUIRE(kept.open(folder / "s.sqlite").has_value());
    kept.set_conversation("ann", "excel", {std::chrono::system_clock::now(), {{"zero", 7}}});
    kept.set_conversation("ann", "excel", {std::chrono::system_clock::now(), {{"one", 7}, {"two", 8}}});
    kept.set_conversation("ann", "ssms", {std::chrono::system_clock::now(), {{"three", 9}}});
    kept.set_conversation("bob", "excel", {std::chrono::system_clock::now(), {{"four", 9}}});
    kept.forget_conversation("bob", "excel");
    for (std::size_t i = 0; i < limits::history_kept + 5; ++i)
      kept.set_conversation("eve", std::to_string(i),
                            {std::chrono::system_clock::time_point(std::chrono::seconds(i)), {{"q", 1}}});
    BOOST_TEST(!kept.conversation("eve", "4").has_value());
    BOOST_TEST(kept.conversation("eve", "5").has_value());
  }
  store again;
  BOOST_TEST_REQUIRE(again.open(folder / "s.sqlite").has_value());
  const auto talk = again.conversation("ann", "excel");
  BOOST_TEST_REQUIRE(talk.has_value());
  BOOST_TEST_REQUIRE(talk->turns.size() == 2u);
  BOOST_TEST(talk->turns[1].question == "two");
  BOOST_TEST(talk->turns[1].day == 8);
  BOOST_TEST(again.conversation("ann", "ssms")->turns.size() == 1u);
  BOOST_TEST(!again.conversation("bob", "excel").has_value());
  BOOST_TEST(!again.conversation("eve", "4").has_value());
  BOOST_TEST(!again.conversation("ann", "other").has_value());
}

BOOST_AUTO_TEST_CASE(a_conversation_is_written_whole_or_not_at_all) {
  const scratch folder;
  const auto path = folder / "s.sqlite";
  {
    store kept;
    BOOST_TEST_REQUIRE(kept.open(path).has_value());
    kept.set_conversation("ann", "excel", {std::chrono::system_clock::now(), {{"one", 7}, {"two", 8}}});
    // The third turn of the next one cannot be written.
    auto other = sandbox::connection::open(path.string(), false);
    BOOST_TEST_REQUIRE(other.has_value());
    BOOST_TEST_REQUIRE((*other)
                           ->execute("CREATE TRIGGER stop BEFORE INSERT ON conversation WHEN NEW.turn = 3 BEGIN SELECT "
                                     "RAISE(ABORT, 'full'); END")
                           .has_value());
    kept.set_conversation("ann", "excel", {std::chrono::system_clock::now(), {{"three", 7}, {"four", 8}, {"five", 9}}});
  }
  store again;
  BOOST_TEST_REQUIRE(again.open(path).has_value());
  const auto talk = again.conversation("ann", "excel");
  BOOST_TEST_REQUIRE(talk.has_value());
  BOOST_TEST_REQUIRE(talk->turns.size() == 2u);
  BOOST_TEST(talk->turns[0].question == "one");
}

BOOST_AUTO_TEST_CASE(clarifications_end) {
  running_gateway gateway;
  // Of this the layer asks which days are meant.
  constexpr const char* unclear = "-- ASK: total sales in Nowruz 1403";
  auto client = gateway.client();
  for (int i = 0; i < 2; ++i) {
    const auto asked = client.run(unclear);
    BOOST_TEST_REQUIRE(asked.columns.size() == 4u);
    BOOST_TEST(asked.columns[0].name == "choice");
  }
  // Another question is not the one that was unclear.
  BOOST_TEST(error_of(client.run("-- ASK: total sales in 1402")) == 0);
  for (int i = 0; i < 2; ++i) BOOST_TEST(client.run(unclear).columns.at(0).name == "choice");
  const auto settled = client.run(unclear);
  BOOST_TEST(error_of(settled) == 0);
  BOOST_TEST(settled.columns.at(0).name != "choice");
  BOOST_TEST_REQUIRE(!settled.messages.empty());
  BOOST_TEST(settled.messages[0].find("Assumed: ") != std::string::npos, settled.messages[0]);
}

// ---- what models are told -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(descriptions_are_read_again_when_their_file_changes) {
  const scratch folder;
  const auto file = folder.write("words.yaml", "tables:\n  ref.Ring: halls of the exchange\n");
  dragoman::test::model_server model(
      std::vector<dragoman::test::model_rule>{{.times = -1, .content = "SELECT COUNT(*) AS n FROM ref.Ring AS r"}});
  running_gateway gateway("\nllm:\n  base_url: " + model.base_url() + "\n  model: scripted\n", std::nullopt,
                          "  descriptions: " + file.string() + "\n");
  const auto shown = [&](std::string_view words) {
    for (const auto& row : gateway.client().run("EXEC nlq.tables").rows)
      if (value_text(row[4], sql_type{}) == words) return true;
    return false;
  };
  const auto told = [&](std::string_view words) {
    gateway.client().run("-- ASK: the mood of frobnicated widgets");
    return model.requests().back().body.find(words) != std::string::npos;
  };
  BOOST_TEST(shown("halls of the exchange"));
  BOOST_TEST(told("halls of the exchange"));
  const auto version = gateway.shared().version();
  std::ofstream(file) << "tables:\n  ref.Ring:\n    description: places where commodities are traded\n";
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + 1h);
  BOOST_TEST(becomes_true([&] { return gateway.shared().version() != version; }));
  BOOST_TEST(shown("places where commodities are traded"));
  BOOST_TEST(told("places where commodities are traded"));
  // A mistake changes nothing.
  std::ofstream(file) << "tables:\n  no.such: x\n";
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + 2h);
  std::this_thread::sleep_for(1500ms);
  BOOST_TEST(shown("places where commodities are traded"));
}

BOOST_AUTO_TEST_CASE(tables_get_embeddings_of_what_their_principal_may_see) {
  dragoman::test::model_server model(
      std::vector<dragoman::test::model_rule>{{.times = -1, .content = "SELECT COUNT(*) AS n FROM ref.Ring AS r"}});
  // No token for the schema: it is chosen for each question.
  running_gateway gateway("\nllm:\n  base_url: " + model.base_url() +
                          "\n  model: scripted\n  embedding_model: e\n  prompt_tokens: 0\n");
  BOOST_TEST(becomes_true(
      [&] {
        const auto prompt = gateway.shared().source(0).told(*gateway.shared().principal("analyst")).prompt;
        return prompt != nullptr && prompt->wants_embedding();
      },
      10'000ms));
  const auto before = model.count();
  BOOST_TEST(error_of(gateway.client("analyst").run("-- ASK: the mood of frobnicated widgets")) == 0);
  BOOST_TEST(model.count() - before == 2u);  // the question's vector, then the statement
  const auto all = model.requests();
  BOOST_TEST(all[before].path.find("embeddings") != std::string::npos);
  BOOST_TEST(all[before].body.find("frobnicated") != std::string::npos);
  for (const auto& request : all) {
    BOOST_TEST(request.body.find("hr.Salary") == std::string::npos);
    // These are the analyst's: managers may be told of the columns.
    if (&request >= &all[before]) BOOST_TEST(request.body.find("NationalID") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_model_is_kept_warm_by_the_prompts_of_questions) {
  dragoman::test::model_server model(
      std::vector<dragoman::test::model_rule>{{.times = -1, .content = "SELECT COUNT(*) AS n FROM ref.Ring AS r"}});
  running_gateway gateway("\nllm:\n  base_url: " + model.base_url() + "\n  model: scripted\n  keep_warm: 1h\n");
  // manager and admin are told the same, and so are analyst and broker7, whose filtered table has no samples.
  BOOST_TEST(model.wait_requests(2, 10'000ms));
  std::this_thread::sleep_for(300ms);
  BOOST_TEST(model.count() == 2u);
  BOOST_TEST(error_of(gateway.client("analyst").run("-- ASK: the mood of frobnicated widgets")) == 0);
  const auto all = model.requests();
  const auto prefix = gateway.shared().source(0).told(*gateway.shared().principal("analyst")).prompt->prefix();
  const std::string begin = boost::json::serialize(boost::json::value(prefix));
  const auto holds = [&](const auto& request) { return request.body.find(begin) != std::string::npos; };
  BOOST_TEST(std::count_if(all.begin(), all.end(), holds) == 2);  // ahead, and with the question
  BOOST_TEST(holds(all.back()));
}

BOOST_AUTO_TEST_CASE(a_model_that_hangs_holds_up_nobody) {
  dragoman::test::model_server model(std::vector<dragoman::test::model_rule>{{.times = -1, .hang = true}});
  std::chrono::steady_clock::time_point begun;
  {
    running_gateway gateway("\nllm:\n  base_url: " + model.base_url() +
                            "\n  model: scripted\n  keep_warm: 1h\n  timeout: 60s\n  first_byte_timeout: 60s\n");
    BOOST_TEST(model.wait_requests(1, 10'000ms));
    BOOST_TEST(error_of(gateway.client().run(opening)) == 0);
    begun = std::chrono::steady_clock::now();
  }
  BOOST_TEST((std::chrono::steady_clock::now() - begun < 10s));
  BOOST_TEST(model.wait_connections(0, 5'000ms));
}

BOOST_AUTO_TEST_CASE(a_reply_that_comes_too_soon_is_suspected) {
  reply_watch watch(50ms);
  BOOST_TEST(!watch.judge("a", "SELECT 1", 10ms).suspected);
  BOOST_TEST(!watch.judge("a", "SELECT 1", 10ms).suspected);  // the same question
  const auto first = watch.judge("b", "SELECT 1", 10ms);
  BOOST_TEST(first.suspected);
  BOOST_TEST(first.first_of_streak);
  const auto second = watch.judge("c", "SELECT 1", 10ms);
  BOOST_TEST(second.suspected);
  BOOST_TEST(!second.first_of_streak);
  BOOST_TEST(!watch.judge("d", "SELECT 1", 60ms).suspected);  // a model may well think so
  BOOST_TEST(!watch.judge("e", "SELECT 2", 1ms).suspected);
  BOOST_TEST(watch.judge("f", "SELECT 2", 1ms).first_of_streak);
  reply_watch off(0ms);
  off.judge("a", "SELECT 1", 0ms);
  BOOST_TEST(!off.judge("b", "SELECT 1", 0ms).suspected);
}

BOOST_AUTO_TEST_CASE(a_frame_in_place_of_sql) {
  dragoman::test::model_server model(std::vector<dragoman::test::model_rule>{
      {.content = R"({"answerable": true, "metrics": ["sales"], "periods": ["1402"]})"},
      {.content = R"({"answerable": false})"},
      {.times = -1, .content = "SELECT COUNT(*) AS n FROM ref.Ring AS r"}});
  running_gateway gateway("\nnlq:\n  cache:\n    lifetime: 0s\nllm:\n  base_url: " + model.base_url() +
                          "\n  model: scripted\n  mode: auto\n");
  auto client = gateway.client("analyst");
  const std::string wanted = first_cell(client.run(opening));
  client.run("EXEC nlq.reset");
  BOOST_TEST(first_cell(client.run("-- ASK: the mood of frobnicated widgets")) == wanted);
  BOOST_TEST(model.count() == 1u);
  const std::string asked = model.requests().back().body;
  BOOST_TEST(asked.find("response_format") != std::string::npos);
  BOOST_TEST(asked.find("NationalID") == std::string::npos);
  BOOST_TEST(asked.find("Salary") == std::string::npos);
  BOOST_TEST(error_of(client.run("-- ASK: the temper of frobnicated widgets")) == 0);
  BOOST_TEST(model.count() == 3u);
  BOOST_TEST(model.requests().back().body.find("response_format") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
