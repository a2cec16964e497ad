#include <CLI/CLI.hpp>
#include <iostream>

#include "guard/configured_name.h"
#include "nlq/semantics_check.h"
#include "proxy/commands/commands.h"
#include "proxy/key_store.h"
#include "proxy/upstream/introspection.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string config;
  std::string write_snapshot;
  bool upstream = false;
};

int run(const arguments& given) {
  loaded_config loaded = load_everything(given.config);
  bool good = report_errors(loaded);
  if (good && !loaded.settings.logins_file.empty())
    if (const auto logins = read_logins(loaded.settings.logins_file); !logins) {
      std::cerr << logins.error().message << '\n';
      good = false;
    }
  if (good && loaded.settings.llm.configured()) {
    llm::client_config model;
    model.base_url = loaded.settings.llm.base_url;
    model.api_key = loaded.settings.llm.api_key;
    model.model = loaded.settings.llm.model;
    model.allow_remote = loaded.settings.llm.allow_remote;
    const auto opened = llm::client::open(std::move(model));
    const result<void> usable = opened ? (*opened)->verify_endpoint() : result<void>(opened.error());
    if (!usable) {
      std::cerr << given.config << ": llm: " << usable.error().message << '\n';
      good = false;
    }
  }
  std::size_t formulas = 0;
  if (good && loaded.semantics && loaded.database)
    for (const std::string& mistake : nlq::check_formulas(*loaded.semantics, loaded.database, &formulas)) {
      std::cerr << loaded.settings.semantics.string() << ": " << mistake << '\n';
      good = false;
    }
  if (!good) return 1;
  std::cout << given.config << ": " << loaded.settings.principals.size() << " principals, "
            << loaded.settings.logins.size() << " logins";
  if (loaded.database) std::cout << ", " << loaded.database->tables.size() << " tables";
  if (loaded.semantics)
    std::cout << ", " << loaded.semantics->metrics.size() << " metrics, " << loaded.semantics->dimensions.size()
              << " dimensions, " << loaded.semantics->entities.size() << " entities, "
              << loaded.semantics->verified.size() << " verified questions (" << formulas << " statements bound)";
  std::cout << ": good\n";
  if (!given.upstream && given.write_snapshot.empty()) return 0;

  upstream::pool pool(upstream_options(loaded.settings));
  if (const auto reached = pool.probe(); !reached) {
    std::cerr << given.config << ": upstream: " << reached.error().message << '\n';
    return 1;
  }
  std::cout << "upstream: reached\n";
  upstream::introspection_options options;
  options.datasource = loaded.settings.upstream.database;
  // Values of denied columns are never read, not even into a snapshot.
  for (const principal_config& principal : loaded.settings.principals)
    for (const auto& denied : principal.rights.deny) {
      if (const auto path = guard::column_path(denied.column))
        options.sample_never.push_back(*path);
      else
        options.samples = false;  // not known which column is meant: none is read
    }
  const auto live = upstream::introspect(pool, options);
  if (!live) {
    std::cerr << given.config << ": upstream: " << live.error().message << '\n';
    return 1;
  }
  if (loaded.database)
    for (const catalog::change& c : catalog::drift(*loaded.database, *live)) std::cout << "drift: " << c.text << '\n';
  if (!given.write_snapshot.empty()) {
    if (const auto saved = catalog::save_snapshot(*live, given.write_snapshot); !saved) {
      std::cerr << saved.error().message << '\n';
      return 1;
    }
    std::cout << given.write_snapshot << ": " << live->tables.size() << " tables written\n";
  }
  return 0;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "check", "Validates a configuration and every file it names; all errors, each with file, line and key.");
  const auto given = std::make_shared<arguments>();
  command->add_option("--config", given->config, "Configuration file")->required();
  command->add_flag("--upstream", given->upstream, "Also connect to the upstream and compare its catalogue");
  command->add_option("--write-snapshot", given->write_snapshot, "Read the live catalogue and write it to this file");
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
