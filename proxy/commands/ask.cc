#include <CLI/CLI.hpp>
#include <iostream>

#include "proxy/answer_print.h"
#include "proxy/commands/commands.h"
#include "proxy/local_gateway.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string config;
  std::string question;
  std::string principal;
  std::string now;
  std::string form = "grid";
  std::size_t rows = 50;
};

int run(const arguments& given) {
  loaded_config loaded = load_everything(given.config);
  if (!report_errors(loaded)) return 1;
  apply_log(loaded.settings);
  const auto time = make_clock(given.now);
  auto local = open_local_gateway(std::move(loaded), given.principal, *time, parse_day(given.now));
  if (!local) {
    std::cerr << "dragoman ask: " << local.error().message << '\n';
    return 1;
  }
  const client_answer answer = local->client->run(ask_statement(given.question));
  if (given.form == "grid") {
    print_answer(std::cout, answer, given.rows);
  } else {
    for (const std::string& message : answer.messages) std::cerr << message << '\n';
    if (given.form == "csv")
      print_csv(std::cout, answer);
    else
      print_json(std::cout, answer);
    if (answer.error) std::cerr << "Error " << answer.error->error_number() << ": " << answer.error->message << '\n';
  }
  return answer.error ? 1 : 0;
}

}  // namespace

void add_ask(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("ask", "Answers one question from the configured warehouse.");
  const auto given = std::make_shared<arguments>();
  command->add_option("--config", given->config, "Configuration file")->required();
  command->add_option("question", given->question, "The question, English or Persian")->required();
  command->add_option("--principal", given->principal, "Whose rights (default: manager, else the first)");
  command->add_option("--now", given->now, "Fixes today's date, YYYY-MM-DD")->check([](const std::string& text) {
    return parse_day(text) ? std::string() : "not a date: " + text;
  });
  command->add_option("--out", given->form, "grid, csv or json (a line per row)")
      ->check(CLI::IsMember({"grid", "csv", "json"}))
      ->capture_default_str();
  command->add_option("--rows", given->rows, "Rows shown in a grid")->capture_default_str();
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
