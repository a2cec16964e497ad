// The model client against the scripted server: every kind of answer, tries counted, cancel, who may be connected to.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "llm/chat_client.h"
#include "tests/support/model_server.h"

using namespace dragoman;
using namespace dragoman::llm;
using dragoman::test::model_rule;
using dragoman::test::model_server;
using std::chrono::milliseconds;
using steady = std::chrono::steady_clock;

BOOST_TEST_DONT_PRINT_LOG_VALUE(call_status)

namespace {

client_config config_for(const model_server& server) {
  client_config c;
  c.base_url = server.base_url();
  c.model = "first";
  c.embedding_model = "small";
  c.backoff_first = milliseconds(5);
  c.backoff_max = milliseconds(1500);
  c.first_byte_timeout = milliseconds(150);
  c.total_timeout = milliseconds(3000);
  return c;
}

std::unique_ptr<client> open(client_config c, host_resolver r = {}) {
  auto made = client::open(std::move(c), std::move(r));
  BOOST_TEST_REQUIRE(made.has_value());
  return std::move(*made);
}

chat_request ask(std::string text) {
  return {.messages = {{role::system, "rules"}, {role::user, std::move(text)}}};
}

model_rule says(std::string content) {
  return {.content = std::move(content)};
}

int thread_count() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  return 0;
}

// Gathers the results of calls that were submitted.
struct gathered {
  std::mutex lock;
  std::condition_variable changed;
  std::vector<chat_result> results;
  client::chat_completion taker() {
    return [this](chat_result r) {
      std::lock_guard hold(lock);
      results.push_back(std::move(r));
      changed.notify_all();
    };
  }
  bool wait(std::size_t count, milliseconds limit) {
    std::unique_lock hold(lock);
    return changed.wait_for(hold, limit, [&] { return results.size() >= count; });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(chat_client)

BOOST_AUTO_TEST_CASE(kinds_of_answer) {
  const std::string good = R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]})";
  struct row {
    const char* name;
    std::vector<model_rule> script;
    call_status status;
    const char* text;
    unsigned tries;
  };
  const row rows[] = {
      {"right", {says("SELECT 1")}, call_status::ok, "SELECT 1", 1},
      {"persian", {says("فروش ۱۴۰۲")}, call_status::ok, "فروش ۱۴۰۲", 1},
      {"empty", {says("")}, call_status::empty, "", 1},
      {"blank", {says(" \n ")}, call_status::empty, "", 1},
      {"null content", {{.body = R"({"choices":[{"message":{"content":null}}]})"}}, call_status::empty, "", 1},
      {"parts",
       {{.body = R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]})"}},
       call_status::ok,
       "ab",
       1},
      {"cut off", {{.content = "SELECT", .finish_reason = "length"}}, call_status::truncated, "SELECT", 1},
      {"429 then right", {{.status = 429}, says("x")}, call_status::ok, "x", 2},
      {"408 then right", {{.status = 408}, says("x")}, call_status::ok, "x", 2},
      {"500 twice then right", {{.status = 500}, {.status = 503}, says("x")}, call_status::ok, "x", 3},
      {"500 to the end", {{.times = -1, .status = 500}}, call_status::server_error, "", 3},
      {"429 to the end", {{.times = -1, .status = 429}}, call_status::server_error, "", 3},
      {"slow first then right", {{.content = "x", .delay = milliseconds(400)}, says("y")}, call_status::ok, "y", 2},
      {"hanging to the end", {{.times = -1, .hang = true}}, call_status::timed_out, "", 3},
      {"dropped then right", {{.drop = true}, says("x")}, call_status::ok, "x", 2},
      {"400",
       {{.times = -1, .status = 400, .body = R"({"error":{"message":"bad temperature"}})"}},
       call_status::refused,
       "",
       1},
      {"401", {{.times = -1, .status = 401}}, call_status::refused, "", 1},
      {"501", {{.times = -1, .status = 501}}, call_status::server_error, "", 1},
      {"malformed", {{.times = -1, .body = "{\"choices\":["}}, call_status::malformed, "", 1},
      {"no choices", {{.times = -1, .body = "{\"choices\":[]}"}}, call_status::malformed, "", 1},
      {"not an object", {{.times = -1, .body = "[1,2]"}}, call_status::malformed, "", 1},
      {"HTML with status 200",
       {{.times = -1, .body = "<html>hi</html>", .content_type = "text/html"}},
       call_status::malformed,
       "",
       1},
      {"right JSON, wrong type", {{.body = good, .content_type = "text/plain"}}, call_status::ok, "x", 1},
      {"deeply nested", {{.times = -1, .body = std::string(100000, '[')}}, call_status::malformed, "", 1},
      {"huge", {{.times = -1, .content = "x", .padding = 300000}}, call_status::reply_too_large, "", 1},
      {"redirect",
       {{.times = -1, .status = 307, .headers = {"Location: http://127.0.0.1:1/"}}},
       call_status::refused,
       "",
       1},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      model_server server(r.script);
      client_config c = config_for(server);
      c.reply_bytes_max = 200000;
      auto model = open(std::move(c));
      const chat_result result = model->chat(ask("q"));
      BOOST_TEST((result.status == r.status), name_of(result.status) << ": " << result.error);
      BOOST_TEST(result.text == r.text);
      BOOST_TEST(result.tries == r.tries);
      BOOST_TEST(server.count() == r.tries);
      BOOST_TEST(result.error.empty() == (r.status == call_status::ok));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_sent) {
  model_server server(std::vector<model_rule>{says("x")});
  client_config c = config_for(server);
  c.api_key = secret("sk-very-secret");
  c.max_tokens = 77;
  auto model = open(std::move(c));
  chat_request request = ask("سلام \"q\"");
  request.json_schema = R"({"type":"object"})";
  const chat_result r = model->chat(request);
  BOOST_TEST(r.usage.prompt == 100u);
  BOOST_TEST(r.usage.completion == 20u);
  BOOST_TEST(r.usage.cached == 64u);
  BOOST_TEST(r.model == "scripted");
  const auto seen = server.requests().at(0);
  BOOST_TEST(seen.method == "POST");
  BOOST_TEST(seen.path == "/v1/chat/completions");
  BOOST_TEST(seen.headers.at("authorization") == "Bearer sk-very-secret");
  BOOST_TEST(seen.headers.at("content-type") == "application/json");
  for (const char* part : {R"("model":"first")", R"("temperature":0)", R"("max_tokens":77)", R"("stream":false)",
                           R"({"role":"system","content":"rules"},{"role":"user","content":"سلام \"q\""})",
                           R"("schema":{"type":"object"})"})
    BOOST_TEST(seen.body.find(part) != std::string::npos, part << " in " << seen.body);
}

BOOST_AUTO_TEST_CASE(a_grammar_goes_where_the_server_looks_for_it) {
  const struct {
    grammar_field field;
    const char* sent;
  } rows[] = {{grammar_field::none, ""},
              {grammar_field::gbnf, R"("grammar":"root ::= \"a\"\n")"},
              {grammar_field::guided, R"("structured_outputs":{"grammar":"root ::= \"a\"\n"})"}};
  for (const auto& row : rows) {
    model_server server(std::vector<model_rule>{says("a"), says("a")});
    client_config c = config_for(server);
    c.grammar = row.field;
    auto model = open(std::move(c));
    chat_request request = ask("q");
    request.grammar = "root ::= \"a\"\n";
    BOOST_TEST((model->chat(request).status == call_status::ok));
    const std::string body = server.requests().at(0).body;
    BOOST_TEST(body.find(row.sent) != std::string::npos, body);
    BOOST_TEST((body.find("root ::=") != std::string::npos) == (row.field != grammar_field::none), body);
    request.json_schema = R"({"type":"object"})";
    BOOST_TEST((model->chat(request).status == call_status::ok));
    BOOST_TEST(server.requests().at(1).body.find("root ::=") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_refuses_the_grammar_is_quoted) {
  model_server server({{.times = -1, .status = 400, .body = R"({"error":{"message":"Failed to parse grammar"}})"}});
  client_config c = config_for(server);
  c.grammar = grammar_field::gbnf;
  chat_request request = ask("q");
  request.grammar = "root ::= \"a\"\n";
  const chat_result r = open(std::move(c))->chat(request);
  BOOST_TEST((r.status == call_status::refused));
  BOOST_TEST(r.tries == 1u);
  BOOST_TEST(r.error.find("Failed to parse grammar") != std::string::npos, r.error);
}

BOOST_AUTO_TEST_CASE(the_key_is_in_no_message) {
  for (int status : {400, 401, 403, 500}) {
    model_server server(
        {{.times = -1, .status = status, .body = R"({"error":{"message":"bad key sk-very-secret!"}})"}});
    client_config c = config_for(server);
    c.api_key = secret("sk-very-secret");
    const chat_result r = open(std::move(c))->chat(ask("q"));
    BOOST_TEST(!r.error.empty());
    BOOST_TEST(r.error.find("sk-very") == std::string::npos, r.error);
  }
}

BOOST_AUTO_TEST_CASE(retry_after_is_honoured_and_bounded) {
  model_server server({{.status = 429, .headers = {"Retry-After: 1"}}, says("x")});
  const auto start = steady::now();
  BOOST_TEST((open(config_for(server))->chat(ask("q")).status == call_status::ok));
  BOOST_TEST((steady::now() - start >= milliseconds(990)));

  model_server busy({{.times = -1, .status = 429, .headers = {"Retry-After: 3600"}}});
  const auto again = steady::now();
  const chat_result r = open(config_for(busy))->chat(ask("q"));
  BOOST_TEST((r.status == call_status::server_error));
  BOOST_TEST(r.tries == 1u);
  BOOST_TEST((steady::now() - again < milliseconds(500)));
}

BOOST_AUTO_TEST_CASE(the_next_model_is_asked) {
  model_server server({{.match = "\"first\"",
                        .times = -1,
                        .status = 404,
                        .body = R"({"error":{"code":"model_not_found","message":"model 'first' not found"}})"},
                       {.match = "\"second\"", .times = -1, .status = 500},
                       {.match = "\"third\"", .content = "x"}});
  client_config c = config_for(server);
  c.fallback_models = {"second", "third"};
  const chat_result r = open(std::move(c))->chat(ask("q"));
  BOOST_TEST((r.status == call_status::ok));
  BOOST_TEST(r.tries == 5u);  // 1 + 3 + 1
}

BOOST_AUTO_TEST_CASE(a_stream_is_put_together) {
  model_server server({{.content = "SELECT a b c", .stream = true}});
  client_config c = config_for(server);
  c.stream = true;
  const chat_result r = open(c)->chat(ask("q"));
  BOOST_TEST((r.status == call_status::ok), r.error);
  BOOST_TEST(r.text == "SELECT a b c");
  BOOST_TEST(r.finish_reason == "stop");
  BOOST_TEST(r.usage.completion == 20u);

  // Tokens that come slowly are no timeout of the first byte.
  server.script({{.content = "a b c d e f g h", .stream = true, .gap = milliseconds(40)}});
  const chat_result slow = open(c)->chat(ask("q"));
  BOOST_TEST((slow.status == call_status::ok));
  BOOST_TEST((slow.first_byte < milliseconds(150)));
  BOOST_TEST((slow.elapsed > milliseconds(250)));

  server.script(
      {{.body = "data: {\"choices\":[{\"delta\":{\"content\":\"SEL\"}}]}\n\n", .content_type = "text/event-stream"}});
  BOOST_TEST((open(c)->chat(ask("q")).status == call_status::truncated));
  server.script({{.body = "data: nonsense\n\n", .content_type = "text/event-stream"}});
  BOOST_TEST((open(c)->chat(ask("q")).status == call_status::malformed));
}

BOOST_AUTO_TEST_CASE(nobody_listens) {
  unsigned short port;
  {
    model_server gone;
    port = gone.port();
  }
  client_config c;
  c.base_url = "http://127.0.0.1:" + std::to_string(port) + "/v1";
  c.model = "m";
  c.backoff_first = milliseconds(1);
  const chat_result r = open(std::move(c))->chat(ask("q"));
  BOOST_TEST((r.status == call_status::unreachable), name_of(r.status));
  BOOST_TEST(r.tries == 3u);
}

BOOST_AUTO_TEST_CASE(total_time_is_kept) {
  model_server server({{.times = -1, .hang_in_body = true}});
  client_config c = config_for(server);
  c.total_timeout = milliseconds(300);
  const auto start = steady::now();
  const chat_result r = open(std::move(c))->chat(ask("q"));
  BOOST_TEST((r.status == call_status::timed_out), name_of(r.status));
  BOOST_TEST((steady::now() - start < milliseconds(600)));
  chat_request request = ask("q");
  request.time_limit = milliseconds(60);
  const auto again = steady::now();
  BOOST_TEST((open(config_for(server))->chat(request).status == call_status::timed_out));
  BOOST_TEST((steady::now() - again < milliseconds(300)));
}

BOOST_AUTO_TEST_CASE(cancel_closes_the_request_at_once) {
  struct row {
    const char* name;
    model_rule rule;
    milliseconds before;
  };
  const row rows[] = {{"hanging", {.times = -1, .hang = true}, milliseconds(60)},
                      {"in the body", {.times = -1, .content = "x", .hang_in_body = true}, milliseconds(60)},
                      {"in the pause", {.times = -1, .status = 500}, milliseconds(60)},
                      {"streaming",
                       {.times = -1, .content = "a b c d e f g", .stream = true, .gap = milliseconds(500)},
                       milliseconds(60)}};
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      model_server server({r.rule});
      client_config c = config_for(server);
      c.first_byte_timeout = c.total_timeout = std::chrono::seconds(30);
      c.backoff_first = std::chrono::seconds(1);
      auto model = open(std::move(c));
      gathered g;
      call handle = model->submit(ask("q"), g.taker());
      BOOST_TEST_REQUIRE(server.wait_requests(1, milliseconds(2000)));
      std::this_thread::sleep_for(r.before);
      const auto start = steady::now();
      handle.cancel();
      BOOST_TEST_REQUIRE(g.wait(1, milliseconds(1000)));
      BOOST_TEST((steady::now() - start < milliseconds(100)));
      if (std::string_view(r.name) != "in the pause") BOOST_TEST(server.wait_connections(0, milliseconds(100)));
      BOOST_TEST((g.results[0].status == call_status::cancelled));
      handle.cancel();  // again: nothing happens
      BOOST_TEST(!g.wait(2, milliseconds(20)));
    }
  }
}

BOOST_AUTO_TEST_CASE(cancel_after_the_end_and_without_a_client) {
  model_server server(std::vector<model_rule>{says("x")});
  call handle;
  handle.cancel();
  {
    auto model = open(config_for(server));
    gathered g;
    handle = model->submit(ask("q"), g.taker());
    BOOST_TEST_REQUIRE(g.wait(1, milliseconds(2000)));
    handle.cancel();
    BOOST_TEST((g.results[0].status == call_status::ok));
  }
  handle.cancel();
}

BOOST_AUTO_TEST_CASE(the_client_s_end_ends_its_calls) {
  model_server server({{.times = -1, .hang = true}});
  gathered g;
  {
    client_config c = config_for(server);
    c.first_byte_timeout = c.total_timeout = std::chrono::seconds(30);
    auto model = open(std::move(c));
    for (int i = 0; i < 5; ++i) model->submit(ask("q"), g.taker());
    BOOST_TEST_REQUIRE(server.wait_requests(5, milliseconds(2000)));
  }
  BOOST_TEST_REQUIRE(g.results.size() == 5u);
  for (const chat_result& r : g.results) BOOST_TEST((r.status == call_status::cancelled));
}

BOOST_AUTO_TEST_CASE(two_hundred_calls_wait_on_one_thread) {
  model_server server({{.times = -1, .content = "x", .delay = milliseconds(1000)}});
  client_config c = config_for(server);
  c.first_byte_timeout = c.total_timeout = std::chrono::seconds(10);
  const int before = thread_count();
  auto model = open(std::move(c));
  gathered g;
  const auto start = steady::now();
  for (int i = 0; i < 200; ++i) model->submit(ask("q"), g.taker());
  const int clients = thread_count() - before - static_cast<int>(server.open_connections());
  BOOST_TEST_REQUIRE(g.wait(200, std::chrono::seconds(10)));
  BOOST_TEST((steady::now() - start < milliseconds(4000)));
  BOOST_TEST(clients <= 3, clients << " threads");
  for (const chat_result& r : g.results) BOOST_TEST((r.status == call_status::ok));
}

BOOST_AUTO_TEST_CASE(rate_limit) {
  model_server server({{.times = -1, .content = "x"}});
  client_config c = config_for(server);
  c.calls_per_minute = 6;
  c.calls_burst = 2;
  auto model = open(std::move(c));
  BOOST_TEST((model->chat(ask("q")).status == call_status::ok));
  BOOST_TEST((model->chat(ask("q")).status == call_status::ok));
  const chat_result r = model->chat(ask("q"));
  BOOST_TEST((r.status == call_status::rate_limited));
  BOOST_TEST(r.retry_after.count() > 9000);
  BOOST_TEST(r.tries == 0u);
  BOOST_TEST(server.count() == 2u);
}

BOOST_AUTO_TEST_CASE(embeddings) {
  model_server server(std::vector<model_rule>{{.times = -1}});
  auto model = open(config_for(server));
  const embedding_result r = model->embed({.texts = {"orders", "customers"}});
  BOOST_TEST((r.status == call_status::ok), r.error);
  BOOST_TEST_REQUIRE(r.vectors.size() == 2u);
  BOOST_TEST(r.vectors[0].size() == 4u);
  BOOST_TEST((r.vectors[0] != r.vectors[1]));
  BOOST_TEST(server.requests().at(0).body == R"({"model":"small","input":["orders","customers"]})");
  for (const char* body :
       {"{}", R"({"data":[{"embedding":[1]}]})", R"({"data":[{"embedding":[1]},{"embedding":[1,2]}]})",
        R"({"data":[{"embedding":["a"]},{"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})"}) {
    server.script({{.body = body}});
    BOOST_TEST((model->embed({.texts = {"a", "b"}}).status == call_status::malformed), body);
  }
  client_config none = config_for(server);
  none.embedding_model.clear();
  BOOST_TEST((open(none)->embed({.texts = {"a"}}).status == call_status::no_model));
}

// ---- who may be connected to ----------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_remote_address_is_refused_unless_allowed) {
  client_config c;
  c.model = "m";
  c.base_url = "http://8.8.8.8/v1";
  const auto refused = client::open(c);
  BOOST_TEST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == errc::configuration));
  BOOST_TEST(refused.error().message.find("allow_remote") != std::string::npos);
  c.allow_remote = true;
  BOOST_TEST(client::open(c).has_value());
}

BOOST_AUTO_TEST_CASE(a_name_is_judged_by_all_its_addresses) {
  model_server server({{.times = -1, .content = "x"}});
  struct row {
    const char* name;
    std::vector<std::string> addresses;
    bool allow;
    call_status status;
  };
  const row rows[] = {{"private", {"127.0.0.1"}, false, call_status::ok},
                      {"public", {"8.8.8.8"}, false, call_status::remote_refused},
                      {"private first, public second", {"127.0.0.1", "8.8.8.8"}, false, call_status::remote_refused},
                      {"public behind a mapped address", {"::ffff:8.8.8.8"}, false, call_status::remote_refused},
                      {"nonsense", {"not an address"}, false, call_status::unreachable},
                      {"none", {}, false, call_status::unreachable},
                      {"allowed", {"127.0.0.1"}, true, call_status::ok}};
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      client_config c = config_for(server);
      c.base_url = "http://models.example:" + std::to_string(server.port()) + "/v1";
      c.allow_remote = r.allow;
      c.total_timeout = milliseconds(1000);
      const std::size_t before = server.count();
      auto model = open(std::move(c), [&](const std::string& host) -> result<std::vector<std::string>> {
        BOOST_TEST(host == "models.example");
        return r.addresses;
      });
      const chat_result got = model->chat(ask("q"));
      BOOST_TEST((got.status == r.status), name_of(got.status) << " " << got.error);
      BOOST_TEST(server.count() - before == (r.status == call_status::ok ? 1u : 0u));
      BOOST_TEST(got.tries == (r.status == call_status::ok ? 1u : 0u));
      BOOST_TEST(model->verify_endpoint().has_value() == (r.status == call_status::ok));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_changes_its_mind_gains_nothing) {
  // The connection goes to what was checked: the name is not looked up a second time behind our back.
  model_server server({{.times = -1, .content = "x"}});
  client_config c = config_for(server);
  c.base_url = "http://models.example:" + std::to_string(server.port()) + "/v1";
  std::atomic<int> lookups{0};
  auto model = open(std::move(c), [&](const std::string&) -> result<std::vector<std::string>> {
    return std::vector<std::string>{lookups++ == 0 ? "127.0.0.1" : "8.8.8.8"};
  });
  BOOST_TEST((model->chat(ask("q")).status == call_status::ok));
  BOOST_TEST((model->chat(ask("q")).status == call_status::ok));
  BOOST_TEST(lookups == 1);
  BOOST_TEST(server.requests().at(0).headers.at("host") == "models.example:" + std::to_string(server.port()));
}

BOOST_AUTO_TEST_CASE(a_name_server_that_hangs_delays_nobody_s_cancel) {
  client_config c;
  c.base_url = "http://models.example/v1";
  c.model = "m";
  struct gate {
    std::mutex lock;
    std::condition_variable changed;
    bool open = false;
  };
  auto shared = std::make_shared<gate>();
  auto model = open(c, [shared](const std::string&) -> result<std::vector<std::string>> {
    std::unique_lock hold(shared->lock);
    shared->changed.wait_for(hold, std::chrono::seconds(5), [&] { return shared->open; });
    return failure(errc::model_error, "no name server");
  });
  gathered g;
  call first = model->submit(ask("q"), g.taker());
  chat_request limited = ask("q");
  limited.time_limit = milliseconds(50);
  model->submit(limited, g.taker());
  BOOST_TEST_REQUIRE(g.wait(1, milliseconds(500)));
  BOOST_TEST((g.results[0].status == call_status::timed_out));
  first.cancel();
  BOOST_TEST_REQUIRE(g.wait(2, milliseconds(100)));
  BOOST_TEST((g.results[1].status == call_status::cancelled));
  {
    std::lock_guard hold(shared->lock);
    shared->open = true;
  }
  shared->changed.notify_all();
}

BOOST_AUTO_TEST_CASE(proxies_of_the_environment_are_not_used) {
  model_server proxy({{.times = -1, .content = "from the proxy"}});
  model_server server({{.times = -1, .content = "direct"}});
  const std::string url = "http://127.0.0.1:" + std::to_string(proxy.port());
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) setenv(name, url.c_str(), 1);
  const chat_result r = open(config_for(server))->chat(ask("q"));
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) unsetenv(name);
  BOOST_TEST(r.text == "direct");
  BOOST_TEST(proxy.count() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
