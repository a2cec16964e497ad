#include <CLI/CLI.hpp>
#include <iostream>

#include "guard/guard_lines.h"
#include "proxy/commands/commands.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string config;
  std::string principal;
  std::string profile = "sql";
};

int run(const arguments& given) {
  const loaded_config loaded = load_everything(given.config);
  if (!report_errors(loaded)) return 1;
  const auto policy = loaded.policies.find(given.principal);
  if (policy == loaded.policies.end()) {
    std::cerr << "dragoman guard: " << given.config << " has no principal " << given.principal << '\n';
    return 1;
  }
  guard::check_options options;
  if (given.profile == "generated") options.profile = guard::profile::generated;
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) std::cout << guard::guard_line(line, *policy->second, options) << '\n';
  }
  return 0;
}

}  // namespace

void add_guard(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("guard",
                         "Reads id<TAB>statement lines on stdin and prints what a principal may do with each:\n"
                         "id<TAB>accept<TAB>-<TAB>printed, id<TAB>refuse<TAB>reason_code<TAB>message, or\n"
                         "id<TAB>local<TAB>-<TAB>what the sandbox will do. Needs no server.");
  const auto given = std::make_shared<arguments>();
  command->add_option("--config", given->config, "Configuration file")->required();
  command->add_option("--principal", given->principal, "Whose rights")->required();
  command->add_option("--profile", given->profile, "sql: from a person; generated: from a model")
      ->check(CLI::IsMember({"sql", "generated"}))
      ->capture_default_str();
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
