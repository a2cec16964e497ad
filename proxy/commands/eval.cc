#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "proxy/commands/commands.h"
#include "proxy/eval_set.h"
#include "proxy/local_gateway.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string set;
  std::string config;
  std::string principal;
  std::string now;
  std::string size;
  std::string json;
  double right_min = 0;
  double wrong_max = 100;
};

int run(const arguments& given) {
  const auto questions = read_eval_set(given.set);
  if (!questions) {
    std::cerr << "dragoman eval: " << questions.error().message << '\n';
    return 1;
  }
  loaded_config loaded = load_everything(given.config);
  if (!report_errors(loaded)) return 1;
  if (given.size == "small") loaded.settings.first().upstream.embedded = embedded_size::small;
  if (given.size == "medium") loaded.settings.first().upstream.embedded = embedded_size::medium;
  if (given.size == "large") loaded.settings.first().upstream.embedded = embedded_size::large;
  // A size asks for the embedded warehouse of that size, whatever listens on the configured port.
  if (!given.size.empty()) loaded.settings.first().upstream.port = 0;
  apply_log(loaded.settings);
  const auto time = make_clock(given.now);
  auto local = open_local_gateway(std::move(loaded), given.principal, *time, parse_day(given.now));
  if (!local) {
    std::cerr << "dragoman eval: " << local.error().message << '\n';
    return 1;
  }
  service& shared = local->running->shared();
  std::vector<eval_result> results;
  std::string session;
  for (const eval_question& q : *questions) {
    if (q.session.empty() || q.session != session) local->client->run("EXEC nlq.reset");
    session = q.session;
    const std::string& principal = local->principal;
    const std::uint64_t calls = shared.budget().of(principal).model_calls;
    const client_answer answer = local->client->run(ask_statement(q.question));
    std::optional<client_answer> gold;
    if (!q.sql.empty() && outcome_of(answer) == "rows") gold = local->client->run(q.sql);
    eval_result judged = judge(q, answer, gold ? &*gold : nullptr);
    judged.model_calls = shared.budget().of(principal).model_calls - calls;
    if (const auto last = shared.notes().last(local->login);
        judged.outcome == "rows" && last && last->question == q.question)
      judged.tables = tables_of(last->sql);
    judged.tables_right = q.tables.empty() || judged.outcome != "rows" || judged.tables == q.tables;
    results.push_back(std::move(judged));
  }
  const eval_summary summary = summarize(results);
  std::cout << eval_table(summary, results);
  if (!given.json.empty()) std::ofstream(given.json) << eval_json(summary, results) << '\n';
  return good_enough(summary, {given.right_min, given.wrong_max}) ? 0 : 1;
}

}  // namespace

void add_eval(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("eval", "Asks every question of a set and compares its rows with those of the set's own SQL.");
  const auto given = std::make_shared<arguments>();
  command
      ->add_option("--set", given->set,
                   "JSON lines: {id, lang, class, question, expect, sql, order_matters, session?, tables?}")
      ->required();
  command->add_option("--config", given->config, "Configuration file")->required();
  command->add_option("--principal", given->principal, "Whose rights (default: manager, else the first)");
  command->add_option("--now", given->now, "Fixes today's date, YYYY-MM-DD")->check([](const std::string& text) {
    return parse_day(text) ? std::string() : "not a date: " + text;
  });
  command->add_option("--size", given->size, "Use the embedded demo warehouse of this size")
      ->check(CLI::IsMember({"small", "medium", "large"}));
  command->add_option("--json", given->json, "Also write the result to this file");
  command->add_option("--min-right", given->right_min, "Least percentage of right rows for status 0");
  command->add_option("--max-wrong", given->wrong_max, "Largest percentage of wrong rows for status 0");
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
