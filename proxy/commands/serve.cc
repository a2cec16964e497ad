#include <signal.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <thread>

#include "base/log.h"
#include "proxy/commands/commands.h"
#include "proxy/embedded.h"
#include "proxy/instance.h"
#include "proxy/upstream/introspection.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string config;
  std::string now;
};

// With introspect: true the live catalogue rules; a snapshot beside it is compared and kept for when the upstream is
// down.
bool introspect(loaded_config& loaded, const std::string& file) {
  std::vector<catalog::database_ptr> read(loaded.sources.size());
  std::vector<std::optional<catalog_comparison>> compared(loaded.sources.size());
  bool any = false;
  for (std::size_t i = 0; i < loaded.sources.size(); ++i) {
    const source_config& source = loaded.settings.sources[i];
    if (!source.catalog.introspect) continue;
    const catalog::database_ptr& known = loaded.sources[i].database;
    upstream::pool pool(upstream_options(loaded.settings, source));
    const upstream::introspection_options options = introspection_of(loaded.settings, source);
    auto live = upstream::introspect(pool, options);
    if (!live && known) {
      log::warn("the catalogue of {} was not read from the upstream, the snapshot is used: {}", options.datasource,
                live.error().message);
      continue;
    }
    if (!live) {
      std::cerr << "dragoman: the catalogue of " << options.datasource << " cannot be read: " << live.error().message
                << '\n';
      return false;
    }
    if (known) {
      compared[i].emplace().when = std::chrono::system_clock::now();
      for (const catalog::change& c : catalog::drift(*known, *live)) {
        log::warn("catalogue of {}: {}", options.datasource, c.text);
        compared[i]->differences.push_back(c.text);
      }
    }
    read[i] = std::make_shared<const catalog::database>(std::move(*live));
    any = true;
  }
  if (!any) return true;
  config settings = std::move(loaded.settings);  // ports of embedded warehouses are known in it
  loaded = load_everything(file, read);
  for (std::size_t i = 0; i < loaded.settings.sources.size() && i < settings.sources.size(); ++i)
    loaded.settings.sources[i].upstream.port = settings.sources[i].upstream.port;
  for (std::size_t i = 0; i < loaded.sources.size() && i < compared.size(); ++i)
    loaded.sources[i].compared = std::move(compared[i]);
  return report_errors(loaded);
}

int run(const arguments& given) {
  loaded_config loaded = load_everything(given.config);
  if (!report_errors(loaded)) return 1;
  apply_log(loaded.settings);
  raise_file_limit(loaded.settings.server.sessions_max);
  hold_signals();
  const auto time = make_clock(given.now);
  auto embedded = start_embedded(loaded.settings, parse_day(given.now));
  if (!embedded) {
    std::cerr << "dragoman: " << embedded.error().message << '\n';
    return 1;
  }
  if (!introspect(loaded, given.config)) return 1;
  auto running = instance::start(std::move(loaded), *time);
  if (!running) {
    std::cerr << "dragoman: " << running.error().message << '\n';
    return 1;
  }
  log::info("dragoman {} listens on {}:{}", DRAGOMAN_VERSION, (*running)->shared().settings().server.listen,
            (*running)->port());
  while (true) {
    const int signal = wait_for_signal();
    if (signal != SIGHUP) break;
    if (const auto again = (*running)->reload_certificate(); !again)
      log::error("the certificate was not read again: {}", again.error().message);
    else
      log::info("the certificate was read again");
  }
  log::info("ending: running requests have {} s", (*running)->shared().settings().server.drain_timeout.count());
  (*running)->stop((*running)->shared().settings().server.drain_timeout);
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("serve", "Runs the gateway. SIGTERM drains, SIGHUP reads the certificate again.");
  const auto given = std::make_shared<arguments>();
  command->add_option("--config", given->config, "Configuration file")->required();
  command->add_option("--now", given->now, "Fixes today's date for questions, YYYY-MM-DD")
      ->check([](const std::string& text) { return parse_day(text) ? std::string() : "not a date: " + text; });
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
