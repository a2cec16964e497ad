// Configuration: every mistake is found, named with file, line and key, and all of them at once.
#include "proxy/config.h"
#include "proxy/gateway.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "nlq/pipeline.h"
#include "tests/proxy/scratch.h"

namespace {

using dragoman::proxy::load_config;
using dragoman::proxy::test::scratch;

// The smallest configuration that is right; each case below replaces one line of it.
constexpr std::string_view right = R"(server:
  port: 14330
upstream:
  server: 127.0.0.1
  port: 14331
  database: SalesDb
  user: reader
  password: Warehouse1!
catalog:
  snapshot: catalog.yaml
semantics: semantics.yaml
principals:
  analyst:
    allow: [sales.Order]
logins:
  - name: analyst
    password: scrypt$14$8$1$61ff60fc33abdbe672d1321804e76f64$66ace613fde5a6677c788f7362405ae99e06526abbdd785bb9333a8b975e880f
    principal: analyst
)";

std::string with(std::string_view line, std::string_view replacement) {
  std::string text(right);
  const auto at = text.find(line);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, "no such line: " << line);
  return text.replace(at, line.size(), replacement);
}

struct mistake {
  const char* name;
  std::string text;
  unsigned line;
  const char* key;
  const char* message;  // a part of it
};

}  // namespace

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(right_configuration_is_read) {
  const scratch folder;
  folder.write("catalog.yaml", "");
  folder.write("semantics.yaml", "");
  const auto outcome = load_config(folder.write("dragoman.yaml", right));
  for (const auto& e : outcome.errors) BOOST_ERROR(e.to_string());
  BOOST_TEST(outcome.value.server.port == 14330);
  BOOST_TEST(outcome.value.first().upstream.password.reveal() == "Warehouse1!");
  BOOST_TEST(outcome.value.first().catalog.snapshot == (folder / "catalog.yaml"));
  BOOST_REQUIRE(outcome.value.principal("analyst") != nullptr);
  BOOST_TEST(outcome.value.principal("analyst")->rights.allow.at(0).table == "sales.Order");
  BOOST_TEST(outcome.value.logins.at(0).principal == "analyst");
}

BOOST_AUTO_TEST_CASE(encryption_and_limits_of_logins) {
  const scratch folder;
  folder.write("catalog.yaml", "");
  folder.write("semantics.yaml", "");
  const auto outcome = load_config(folder.write(
      "dragoman.yaml", with("  port: 14330",
                            "  port: 14330\n  tls: strict\n  client_ca: catalog.yaml\n  client_certificates: required\n"
                            "  limits: {failed_logins_per_address: 0, failed_logins_per_name: 7, "
                            "unfinished_logins_per_address: 9}")));
  for (const auto& e : outcome.errors) BOOST_ERROR(e.to_string());
  const auto options = listen_options(outcome.value);
  BOOST_TEST((options.encryption == dragoman::tds::server::encryption_mode::strict));
  BOOST_TEST(options.client_authorities_file == (folder / "catalog.yaml").string());
  BOOST_TEST(options.client_certificate_required);
  BOOST_TEST(options.logins.failures_per_address == 0u);
  BOOST_TEST(options.logins.failures_per_name == 7u);
  BOOST_TEST(options.logins.unfinished_per_address == 9u);
}

BOOST_AUTO_TEST_CASE(what_stands_around_questions) {
  const scratch folder;
  folder.write("catalog.yaml", "");
  folder.write("semantics.yaml", "");
  const auto outcome = load_config(
      folder.write("dragoman.yaml",
                   with("semantics: semantics.yaml",
                        "semantics: semantics.yaml\nstore: s.sqlite\n"
                        "nlq:\n  clarifications: 3\n  questions_per_minute: 30\n  questions_burst: 5\n  memory: 30m\n"
                        "  cache: {lifetime: 1m, answers: 7, bytes: 1000, answer_bytes: 100}\n"
                        "  cost: {notice: 1.5, confirm: 20, confirm_rows: 1000, timeout: 2s}\n"
                        "llm: {base_url: 'http://127.0.0.1:1/v1', model: m, mode: auto, embedding_model: e, "
                        "price_per_million_tokens: {prompt: 0.5, completion: 2}}")));
  for (const auto& e : outcome.errors) BOOST_ERROR(e.to_string());
  const auto& asking = outcome.value.nlq;
  BOOST_TEST(asking.clarify_rounds_max == 3u);
  BOOST_TEST(asking.questions_per_minute == 30.0);
  BOOST_TEST(asking.questions_burst == 5u);
  BOOST_TEST(asking.memory.count() == 1'800'000);
  BOOST_TEST(asking.cache.lifetime.count() == 60'000);
  BOOST_TEST(asking.cache.answers == 7u);
  BOOST_TEST(asking.cache.bytes == 1000u);
  BOOST_TEST(asking.cache.answer_bytes == 100u);
  BOOST_TEST(asking.cost.notice == 1.5);
  BOOST_TEST(asking.cost.confirm == 20.0);
  BOOST_TEST(asking.cost.confirm_rows == 1000.0);
  BOOST_TEST(asking.cost.timeout.count() == 2000);
  BOOST_TEST((outcome.value.llm.mode == dragoman::nlq::generation::plan_or_sql));
  BOOST_TEST(outcome.value.llm.embedding_model == "e");
  BOOST_TEST(outcome.value.llm.completion_price == 2.0);
}

BOOST_AUTO_TEST_CASE(every_mistake_names_file_line_and_key) {
  const mistake mistakes[] = {
      {"memory without a store", with("semantics: semantics.yaml", "nlq: {memory: 1h}"), 11, "nlq", "needs a store"},
      {"mode of a model", with("semantics: semantics.yaml", "llm: {mode: graph}"), 11, "llm.mode",
       "not one of sql, plan, auto"},
      {"unknown key", with("  port: 14330", "  prot: 14330"), 2, "server.prot", "did you mean 'port'?"},
      {"unknown section", with("semantics: semantics.yaml", "semantic: semantics.yaml"), 11, "semantic",
       "did you mean 'semantics'?"},
      {"unknown key far from any", with("  port: 14330", "  zzzzzzzz: 1"), 2, "server.zzzzzzzz", "unknown key"},
      {"given twice", with("  port: 14330", "  port: 1\n  port: 2"), 3, "server.port", "given twice"},
      {"not a number", with("  port: 14330", "  port: many"), 2, "server.port", "not a whole number"},
      {"out of range", with("  port: 14330", "  port: 70000"), 2, "server.port", "outside 1 to 65535"},
      {"not a choice", with("  port: 14330", "  tls: maybe"), 2, "server.tls", "not one of off, on, required"},
      {"key without certificate", with("  port: 14330", "  key: catalog.yaml"), 2, "server.key", "belong together"},
      {"certificate that is not there", with("  port: 14330", "  certificate: no.pem\n  key: catalog.yaml"), 2,
       "server.certificate", "does not exist"},
      {"client certificates without authorities", with("  port: 14330", "  client_certificates: optional"), 2,
       "server.client_certificates", "without client_ca"},
      {"client certificates where sessions may be in clear",
       with("  port: 14330", "  client_ca: catalog.yaml\n  client_certificates: required"), 3,
       "server.client_certificates", "tls: required"},
      {"negative limit", with("  port: 14330", "  limits: {failed_logins_per_name: -1}"), 2,
       "server.limits.failed_logins_per_name", "not a whole number"},
      {"bad duration", with("  port: 14330", "  limits: {login_timeout: soon}"), 2, "server.limits.login_timeout",
       "not a duration"},
      {"missing", with("  user: reader\n", ""), 4, "upstream.user", "missing"},
      {"empty", with("  user: reader", "  user: ''"), 7, "upstream.user", "must not be empty"},
      {"two secrets", with("  user: reader", "  user: reader\n  password_env: X"), 9, "upstream.password",
       "give one of"},
      {"no secret", with("  password: Warehouse1!\n", ""), 4, "upstream.password", "missing"},
      {"secret in an unset variable", with("  password: Warehouse1!", "  password_env: DRAGOMAN_NOT_SET"), 8,
       "upstream.password_env", "is not set"},
      {"secret in an absent file", with("  password: Warehouse1!", "  password_file: none"), 8,
       "upstream.password_file", "cannot read"},
      {"more kept than connections", with("  port: 14331", "  pool: {connections: 2, kept: 3}"), 5,
       "upstream.pool.kept", "more than pool.connections"},
      {"absent snapshot", with("snapshot: catalog.yaml", "snapshot: none.yaml"), 10, "catalog.snapshot",
       "does not exist"},
      {"no catalogue at all", with("  snapshot: catalog.yaml", "  introspect: false"), 10, "catalog.snapshot",
       "missing"},
      {"mapping expected", with("  port: 14330", "").replace(0, 7, "server: fast"), 1, "server", "expected a mapping"},
      {"list expected", with("allow: [sales.Order]", "allow: {a: b}"), 14, "principals.analyst.allow",
       "expected a list"},
      {"no tables", with("allow: [sales.Order]", "allow: []"), 14, "principals.analyst.allow", "missing"},
      {"unknown parent", with("allow: [sales.Order]", "allow: [sales.Order]\n    inherits: nobody"), 15,
       "principals.analyst.inherits", "no principal nobody"},
      {"circle of parents", with("allow: [sales.Order]", "allow: [sales.Order]\n    inherits: analyst"), 15,
       "principals.analyst.inherits", "circle"},
      {"row filter without predicate",
       with("allow: [sales.Order]", "allow: [sales.Order]\n    row_filters:\n      - table: sales.Order"), 16,
       "principals.analyst.row_filters[0].predicate", "missing"},
      {"password in clear", with("scrypt$14", "Dragoman1!$14"), 17, "logins[0].password", "not a digest"},
      {"login of an unknown principal", with("    principal: analyst", "    principal: analist"), 18,
       "logins[0].principal", "did you mean 'analyst'?"},
      {"model without a name", with("logins:", "llm:\n  base_url: http://127.0.0.1:1/v1\nlogins:"), 16, "llm.model",
       "missing"},
      {"model at no URL", with("logins:", "llm:\n  base_url: localhost\n  model: m\nlogins:"), 16, "llm.base_url",
       "http://"},
      {"audit in an absent folder", with("logins:", "audit:\n  file: none/audit.jsonl\nlogins:"), 16, "audit.file",
       "does not exist"},
      {"log level", with("logins:", "log: {level: loud}\nlogins:"), 15, "log.level", "not one of"},
      {"not YAML", with("  port: 14330", "  port: [1"), 3, "(syntax)", ""},
  };
  for (const auto& m : mistakes) {
    BOOST_TEST_CONTEXT(m.name) {
      const scratch folder;
      folder.write("catalog.yaml", "");
      folder.write("semantics.yaml", "");
      const auto file = folder.write("dragoman.yaml", m.text);
      const auto errors = load_config(file).errors;
      const auto hit = std::find_if(errors.begin(), errors.end(), [&](const auto& e) {
        return e.key == m.key && e.message.find(m.message) != std::string::npos;
      });
      if (hit == errors.end()) {
        BOOST_ERROR("not reported");
        for (const auto& e : errors) BOOST_TEST_MESSAGE(e.to_string());
        for (const auto& e : errors) BOOST_ERROR(e.to_string());
        continue;
      }
      BOOST_TEST(hit->line == m.line);
      BOOST_TEST(hit->to_string().starts_with(file.string() + ":"));
    }
  }
}

BOOST_AUTO_TEST_CASE(further_sources) {
  const scratch folder;
  for (const char* name : {"catalog.yaml", "semantics.yaml", "old.yaml"}) folder.write(name, "");
  const std::string old =
      "sources:\n"
      "  - name: archive\n"
      "    upstream: {server: old.example, port: 1500, database: OldDb, user: r, password: x}\n"
      "    catalog: {snapshot: old.yaml}\n";
  const auto good = load_config(folder.write("d.yaml", std::string(right) + old));
  for (const auto& e : good.errors) BOOST_ERROR(e.to_string());
  BOOST_REQUIRE(good.value.sources.size() == 2u);
  BOOST_TEST(good.value.first().upstream.database == "SalesDb");
  BOOST_TEST(good.value.sources[1].name == "archive");
  BOOST_TEST(good.value.sources[1].upstream.server == "old.example");
  BOOST_TEST(good.value.sources[1].catalog.snapshot == (folder / "old.yaml"));
  BOOST_TEST(good.value.sources[1].semantics.empty());

  const auto error_of = [&](std::string_view from, std::string_view to) {
    std::string text = old;
    const auto at = text.find(from);
    BOOST_REQUIRE(at != std::string::npos);
    const auto read = load_config(folder.write("d.yaml", std::string(right) + text.replace(at, from.size(), to)));
    BOOST_REQUIRE(read.errors.size() == 1u);
    return read.errors[0].key + ": " + read.errors[0].message;
  };
  BOOST_TEST(error_of("name: archive", "semantics: semantics.yaml") == "sources[0].name: missing");
  BOOST_TEST(error_of("database: OldDb", "database: salesdb") ==
             "sources[0].upstream: database: salesdb is that of another source; a client could not tell them apart");
  BOOST_TEST(error_of("user: r, ", "") == "sources[0].upstream.user: missing");
  BOOST_TEST(error_of("old.yaml}", "old.yaml, snapshots: x}").starts_with("sources[0].catalog.snapshots: "));
}

BOOST_AUTO_TEST_CASE(all_mistakes_are_reported_at_once) {
  const scratch folder;
  const auto errors = load_config(folder.write("dragoman.yaml", "server:\n  port: x\n  threads: y\nlogin: 3\n")).errors;
  BOOST_TEST(errors.size() >= 6u);
}

BOOST_AUTO_TEST_CASE(absent_file_is_one_error) {
  const auto errors = load_config("/nonexistent/dragoman.yaml").errors;
  BOOST_REQUIRE(errors.size() == 1u);
  BOOST_TEST(errors[0].message == "cannot be read");
}

BOOST_AUTO_TEST_CASE(a_principal_inherits_lists_and_replaces_values) {
  const scratch folder;
  folder.write("catalog.yaml", "");
  folder.write("semantics.yaml", "");
  const auto outcome = load_config(folder.write(
      "dragoman.yaml", with("allow: [sales.Order]",
                            "allow: [sales.Order]\n    row_cap: 7\n  narrow:\n    inherits: analyst\n    deny: "
                            "[sales.Order.Notes]\n    row_cap: 5\n    row_filters:\n      - {table: sales.Order, "
                            "predicate: BrokerID = 7}")));
  for (const auto& e : outcome.errors) BOOST_ERROR(e.to_string());
  const auto* narrow = outcome.value.principal("narrow");
  BOOST_REQUIRE(narrow != nullptr);
  BOOST_TEST(narrow->rights.allow.size() == 1u);
  BOOST_TEST(narrow->rights.deny.size() == 1u);
  BOOST_TEST(narrow->rights.row_cap == 5u);
  BOOST_TEST(narrow->rights.row_filters.at(0).predicate == "BrokerID = 7");
  BOOST_TEST(outcome.value.principal("analyst")->rights.deny.empty());
}

BOOST_AUTO_TEST_SUITE_END()
