// Questions: what the gateway adds to one that the semantic layer answers, a hit in the cache, and many that wait for a
// model at once.
#include <fmt/format.h>

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/measures.h"
#include "guard/guard.h"
#include "nlq/understanding.h"
#include "proxy/demo/generator.h"

namespace dragoman::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr const char* questions[] = {"total sales in 1402", "number of orders in 2023", "total sales in 2023",
                                     "فروش کل در سال ۱۴۰۱"};
constexpr std::size_t waiting_sessions = 200;
constexpr int model_seconds = 2;

std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// What stands around the gateway: the demo warehouse of medium size from a file, and a model that takes its time.
class question_scenario {
 public:
  explicit question_scenario(const settings& s)
      : upstream_port_(free_port()), model_port_(free_port()), cached_port_(free_port()), plain_port_(free_port()) {
    const std::string data = s.scratch + "/medium.sqlite";
    if (!std::filesystem::exists(data)) {
      demo::demo_options wanted;
      wanted.size = demo::demo_size::medium;
      if (auto made = demo::generate(data, wanted); !made) throw std::runtime_error(made.error().message);
    }
    std::ofstream(s.scratch + "/script.json")
        << fmt::format(R"([{{"times": -1, "delay_ms": {}, "content": "SELECT COUNT(*) AS n FROM ref.Ring AS r"}}])",
                       model_seconds * 1000);
    const std::string program = s.build + "/dragoman";
    upstream_ = std::make_unique<child>(
        std::vector<std::string>{program, "warehouse", "--db", data, "--port", std::to_string(upstream_port_), "--user",
                                 "dragoman", "--password", "Warehouse1!"},
        upstream_port_, s.scratch + "/upstream.log");
    model_ = std::make_unique<child>(std::vector<std::string>{s.build + "/tests/support/model_server",
                                                              std::to_string(model_port_), s.scratch + "/script.json"},
                                     model_port_, s.scratch + "/model.log");
    plain_ = gateway(s, plain_port_, "plain", "0s");
    cached_ = gateway(s, cached_port_, "cached", "1h");
  }

  raw_client::login direct() const { return {upstream_port_, "dragoman", "Warehouse1!", "SalesDb"}; }
  raw_client::login without_cache() const { return {plain_port_, "manager", "Dragoman1!", "SalesDb"}; }
  raw_client::login with_cache() const { return {cached_port_, "manager", "Dragoman1!", "SalesDb"}; }
  child& plain() noexcept { return *plain_; }
  static std::string audit_of(const settings& s, const std::string& gateway) {
    return s.scratch + "/" + gateway + "-audit.jsonl";
  }

 private:
  std::unique_ptr<child> gateway(const settings& s, std::uint16_t port, const std::string& name,
                                 std::string_view lifetime) const {
    const std::string demo = DRAGOMAN_SOURCE_DIR "/conf/demo/";
    std::string text = text_of(demo + "dragoman.yaml");
    const auto put = [&](const char* pattern, const std::string& value) {
      text = std::regex_replace(text, std::regex(pattern), value, std::regex_constants::format_first_only);
    };
    put("port: 14330", fmt::format("port: {}", port));
    put("port: 14331", fmt::format("port: {}", upstream_port_));
    put("embedded: medium", "embedded: none");
    put("snapshot: catalog.yaml", "snapshot: " + demo + "catalog.yaml");
    put("semantics: semantics.yaml", "semantics: " + demo + "semantics.yaml");
    text += fmt::format(
        "\nnlq:\n  cache:\n    lifetime: {}\nllm:\n  base_url: http://127.0.0.1:{}/v1\n  model: scripted\n  timeout: "
        "60s\naudit:\n  file: {}\n",
        lifetime, model_port_, audit_of(s, name));
    std::filesystem::remove(audit_of(s, name));
    const std::string file = s.scratch + "/" + name + ".yaml";
    std::ofstream(file) << text;
    return std::make_unique<child>(std::vector<std::string>{s.build + "/dragoman", "serve", "--config", file}, port,
                                   s.scratch + "/" + name + ".log");
  }

  std::uint16_t upstream_port_, model_port_, cached_port_, plain_port_;
  std::unique_ptr<child> upstream_, model_, plain_, cached_;
};

// The SQL that the gateway sends for a question, so that the upstream's own time can be told from the gateway's.
class translator {
 public:
  translator() {
    const std::string demo = DRAGOMAN_SOURCE_DIR "/conf/demo/";
    auto db = catalog::load_snapshot(demo + "catalog.yaml");
    auto layer = nlq::load_semantics(demo + "semantics.yaml");
    if (!db || !layer) throw std::runtime_error("the demo's catalogue or layer cannot be read");
    db_ = std::make_shared<const catalog::database>(std::move(*db));
    known_ = nlq::knowledge::build(std::make_shared<const nlq::semantic_layer>(std::move(*layer)), db_, {});
    guard::policy_definition rights;
    rights.principal = rights.key = "manager";
    for (const char* table : {"sales.*", "ref.*"}) rights.allow.push_back({table, {}, "allow"});
    auto policy = guard::compile_policy(rights, db_);
    if (!policy) throw std::runtime_error(policy.error().message);
    policy_ = std::move(*policy);
  }

  std::string sql_of(const std::string& question) const {
    nlq::question_context context;
    context.known = known_.get();
    context.today = to_day_number({2025, 3, 10});
    const auto said = nlq::understand(question, context);
    const auto* query = std::get_if<nlq::understood_query>(&said);
    if (query == nullptr) throw std::runtime_error("not understood: " + question);
    guard::check_options options;
    options.profile = guard::profile::generated;
    const auto verdict = guard::check(query->select, policy_, options);
    if (verdict.kind != guard::verdict_kind::accept) throw std::runtime_error(verdict.message);
    return verdict.printed;
  }

 private:
  catalog::database_ptr db_;
  std::shared_ptr<const nlq::knowledge> known_;
  guard::policy policy_;
};

double timed(raw_client& client, const std::string& sql) {
  const auto begin = steady::now();
  const answer a = client.query(sql);
  const double us = std::chrono::duration<double, std::micro>(steady::now() - begin).count();
  if (a.failed || a.rows == 0) throw std::runtime_error("rows were expected: " + a.text);
  return us;
}

// Without any server: what of the added time is the gateway's own thinking.
void measure_understanding(const settings& s, const translator& words, figures& out) {
  const int times = s.quick ? 20 : 300;
  std::vector<double> each;
  for (const char* question : questions)
    for (int i = 0; i < times; ++i) {
      const auto begin = steady::now();
      words.sql_of(question);
      each.push_back(std::chrono::duration<double, std::micro>(steady::now() - begin).count());
    }
  out.add("question to SQL, semantic layer and guard, p50", percentile(each, 0.5), "us");
}

void measure_overhead(const settings& s, question_scenario& world, const translator& words, figures& out) {
  raw_client direct(world.direct());
  raw_client gateway(world.without_cache());
  const int times = s.quick ? 5 : 40;
  std::vector<double> added, whole, upstream;
  for (const char* question : questions) {
    const std::string ask = std::string("-- ASK: ") + question, sql = words.sql_of(question);
    std::vector<double> here, there;
    for (int i = 0; i < times + 2; ++i) {
      const double d = timed(direct, sql), g = timed(gateway, ask);
      if (i < 2) continue;  // SQLite's own cache fills
      there.push_back(d);
      here.push_back(g);
      added.push_back(g - d);
    }
    whole.push_back(median(here));
    upstream.push_back(median(there));
  }
  out.add("question to its rows, semantic layer, p50", median(whole), "us", median(upstream));
  out.add("question to its rows, more than its SQL sent directly, p50", median(added), "us", {}, "<= 1000");
  // What the gateway itself says: a request's time without that of the upstream.
  std::vector<double> own;
  std::ifstream audit(question_scenario::audit_of(s, "plain"));
  for (std::string line; std::getline(audit, line);) {
    boost::system::error_code failed;
    const auto record = boost::json::parse(line, failed);
    if (failed || record.at("kind").as_string() != "question") continue;
    const auto& times = record.at("microseconds").as_object();
    if (const auto* there = times.if_contains("upstream"))
      own.push_back(static_cast<double>(times.at("total").as_int64() - there->as_int64()));
  }
  if (own.empty()) throw std::runtime_error("the audit tells of no question");
  out.add("question to its rows, the gateway's own time, p50", percentile(own, 0.5), "us");
  out.add("question to its rows, the gateway's own time, p99", percentile(own, 0.99), "us");
}

void measure_hits(const settings& s, question_scenario& world, figures& out) {
  raw_client client(world.with_cache());
  // The first time is a miss, the second the first one after a question.
  for (const char* question : questions)
    for (int i = 0; i < 3; ++i) timed(client, std::string("-- ASK: ") + question);
  std::vector<double> hits;
  for (int i = 0; i < (s.quick ? 50 : 1000); ++i)
    for (const char* question : questions) hits.push_back(timed(client, std::string("-- ASK: ") + question));
  out.add("question answered from the cache, p50", percentile(hits, 0.5), "us", {}, "<= 250");
  out.add("question answered from the cache, p99", percentile(hits, 0.99), "us");
}

void measure_waiting(question_scenario& world, figures& out) {
  std::vector<std::unique_ptr<raw_client>> clients;
  for (std::size_t i = 0; i < waiting_sessions; ++i)
    clients.push_back(std::make_unique<raw_client>(world.without_cache()));
  std::atomic<std::size_t> answered{0};
  std::atomic<bool> done{false};
  std::size_t most = 0, waiting = 0;
  const auto begin = steady::now();
  std::thread watch([&] {
    while (!done) {
      const std::size_t now = world.plain().threads();
      most = std::max(most, now);
      const double at = std::chrono::duration<double>(steady::now() - begin).count();
      if (at > 0.25 * model_seconds && at < 0.9 * model_seconds) waiting = std::max(waiting, now);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < waiting_sessions; ++i)
    askers.emplace_back([&, i] {
      const answer a = clients[i]->query(fmt::format("-- ASK: the mood of frobnicated widgets number {}", i));
      if (!a.failed && a.rows == 1) ++answered;
    });
  for (std::thread& t : askers) t.join();
  const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
  done = true;
  watch.join();
  const std::string name =
      fmt::format("{} questions at once, a model that takes {} s", waiting_sessions, model_seconds);
  out.add(name + ": answered", static_cast<double>(answered), "", {}, fmt::format(">= {}", waiting_sessions));
  out.add(name + ": until the last has its answer", seconds, "s");
  out.add(name + ": threads of the gateway while they wait", static_cast<double>(waiting), "", {}, "<= 19");
  // Sixteen of them are the pool's, one for each connection of the demo's configuration, when all answers come at once.
  out.add(name + ": threads of the gateway when all run their SQL", static_cast<double>(most), "");
}

}  // namespace

void measure_questions(const settings& s, figures& out) {
  question_scenario world(s);
  const translator words;
  measure_understanding(s, words, out);
  measure_overhead(s, world, words, out);
  measure_hits(s, world, out);
  measure_waiting(world, out);
}

}  // namespace dragoman::bench
