#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "guard/configured_name.h"
#include "nlq/semantics_check.h"
#include "nlq/sensitive.h"
#include "proxy/commands/commands.h"
#include "proxy/key_store.h"
#include "proxy/upstream/introspection.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string config;
  std::string write_snapshot;
  std::string source;
  bool upstream = false;
};

// The name by which --source means it.
const std::string& name_of(const source_config& source) {
  return source.name.empty() ? source.upstream.database : source.name;
}

void print_summary(const std::string& file, const loaded_config& loaded, std::size_t formulas) {
  std::size_t tables = 0, metrics = 0, dimensions = 0, entities = 0, verified = 0;
  bool layer = false;
  for (const loaded_source& source : loaded.sources) {
    if (source.database) tables += source.database->tables.size();
    if (!source.semantics) continue;
    layer = true;
    metrics += source.semantics->metrics.size();
    dimensions += source.semantics->dimensions.size();
    entities += source.semantics->entities.size();
    verified += source.semantics->verified.size();
  }
  std::cout << file << ": ";
  if (loaded.sources.size() > 1) std::cout << loaded.sources.size() << " sources, ";
  std::cout << loaded.settings.principals.size() << " principals, " << loaded.settings.logins.size() << " logins";
  if (tables > 0) std::cout << ", " << tables << " tables";
  if (layer)
    std::cout << ", " << metrics << " metrics, " << dimensions << " dimensions, " << entities << " entities, "
              << verified << " verified questions (" << formulas << " statements bound)";
  std::cout << ": good\n";
}

// Columns that look sensitive, that somebody may read, and that the layer does not list.
void warn_of_sensitive(const loaded_config& loaded, std::size_t number) {
  const loaded_source& source = loaded.sources[number];
  for (std::size_t t = 0; t < source.database->tables.size(); ++t) {
    const catalog::table& table = source.database->tables[t];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const catalog::column& column = table.columns[c];
      if (source.semantics->find_sensitive(table.schema, table.name, column.name) != nullptr) continue;
      const bool read = std::any_of(loaded.policies.begin(), loaded.policies.end(), [&](const auto& named) {
        const guard::table_rights& rights = named.second->databases[number].tables[t];
        return rights.allowed && rights.columns[c] == guard::column_right::allowed;
      });
      const auto kind = read ? nlq::looks_sensitive(column.name, column.type, column.samples) : std::nullopt;
      if (kind)
        std::cout << loaded.settings.sources[number].semantics.string() << ": warning: " << table.full_name() << '.'
                  << column.name << " looks like " << nlq::words_of(*kind)
                  << "; list it under `sensitive`, or deny it\n";
    }
  }
}

// False: the error was printed.
bool check_upstream(const arguments& given, const loaded_config& loaded, std::size_t number) {
  const source_config& source = loaded.settings.sources[number];
  const std::string place = given.config + ": " + source.key + "upstream: ";
  upstream::pool pool(upstream_options(loaded.settings, source));
  if (const auto reached = pool.probe(); !reached) {
    std::cerr << place << reached.error().message << '\n';
    return false;
  }
  std::cout << source.key << "upstream: reached\n";
  upstream::introspection_options how = introspection_of(loaded.settings, source);
  if (loaded.sources[number].semantics)
    for (const nlq::sensitive_column& s : loaded.sources[number].semantics->sensitive)
      how.sample_never.push_back(s.schema + "." + s.table + "." + s.column);
  const auto live = upstream::introspect(pool, how);
  if (!live) {
    std::cerr << place << live.error().message << '\n';
    return false;
  }
  if (const catalog::database_ptr& known = loaded.sources[number].database)
    for (const catalog::change& c : catalog::drift(*known, *live))
      std::cout << source.key << "drift: " << c.text << '\n';
  if (given.write_snapshot.empty()) return true;
  if (const auto saved = catalog::save_snapshot(*live, given.write_snapshot); !saved) {
    std::cerr << saved.error().message << '\n';
    return false;
  }
  std::cout << given.write_snapshot << ": " << live->tables.size() << " tables written\n";
  return true;
}

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
  for (std::size_t i = 0; good && i < loaded.sources.size(); ++i) {
    const loaded_source& source = loaded.sources[i];
    if (!source.semantics || !source.database) continue;
    for (const std::string& mistake : nlq::check_formulas(*source.semantics, source.database, &formulas)) {
      std::cerr << loaded.settings.sources[i].semantics.string() << ": " << mistake << '\n';
      good = false;
    }
  }
  if (!good) return 1;
  for (std::size_t i = 0; i < loaded.sources.size(); ++i)
    if (loaded.sources[i].semantics && loaded.sources[i].database) warn_of_sensitive(loaded, i);
  print_summary(given.config, loaded, formulas);
  if (!given.upstream && given.write_snapshot.empty()) return 0;
  if (!given.source.empty()) {
    const auto known = std::any_of(loaded.settings.sources.begin(), loaded.settings.sources.end(),
                                   [&](const source_config& s) { return name_of(s) == given.source; });
    if (!known) {
      std::cerr << given.config << ": there is no source " << given.source << '\n';
      return 1;
    }
  } else if (loaded.sources.size() > 1 && !given.write_snapshot.empty()) {
    std::cerr << given.config << ": --write-snapshot needs --source where there are several\n";
    return 1;
  }
  for (std::size_t i = 0; i < loaded.sources.size(); ++i)
    if (given.source.empty() || name_of(loaded.settings.sources[i]) == given.source)
      if (!check_upstream(given, loaded, i)) return 1;
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
  command->add_option("--source", given->source, "Only this data source, by its name");
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
