#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "guard/configured_name.h"
#include "nlq/semantics_describe.h"
#include "proxy/catalog_facts.h"
#include "proxy/commands/commands.h"
#include "proxy/upstream/introspection.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string from;  // host or host:port
  std::string config;
  std::string database;
  std::string user;
  std::string password_env = "DRAGOMAN_UPSTREAM_PASSWORD";
  std::string encryption = "request";
  std::string out = ".";
  std::vector<std::string> schemas;
  std::string describe_with;  // a configuration whose `llm` names the model
  bool describe_values = false;
  bool force = false;
};

int complain(const std::string& what) {
  std::cerr << "dragoman init: " << what << '\n';
  return 1;
}

bool write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream to(file);
  to << text;
  return to.good();
}

std::string config_text(const arguments& given, const upstream_config& in, const catalog::database& db) {
  std::string schemas;
  std::vector<std::string> seen;
  for (const catalog::table& t : db.tables) {
    if (std::find(seen.begin(), seen.end(), t.schema) != seen.end()) continue;
    seen.push_back(t.schema);
    schemas += fmt::format("      - {}\n", nlq::yaml_quoted(t.schema + ".*"));
  }
  return fmt::format(
      "# Drafted by `dragoman init` from {}. Every key is explained in conf/dragoman.example.yaml.\n"
      "server:\n"
      "  listen: 127.0.0.1\n"
      "  port: 1433\n\n"
      "upstream:\n"
      "  server: {}\n"
      "  port: {}\n"
      "  database: {}\n"
      "  user: {}\n"
      "  password_env: {}\n"
      "  encryption: {}\n\n"
      "catalog:\n"
      "  snapshot: catalog.yaml\n\n"
      "semantics: semantics.yaml\n\n"
      "# Everybody with a login of this principal sees every table: narrow it before you serve it to people.\n"
      "principals:\n"
      "  manager:\n"
      "    allow:\n{}\n"
      "# A login: dragoman key add --file logins.tsv --principal manager --login NAME\n"
      "logins_file: logins.tsv\n",
      nlq::yaml_quoted(in.server), nlq::yaml_quoted(in.server), in.port, nlq::yaml_quoted(in.database),
      nlq::yaml_quoted(in.user), nlq::yaml_quoted(given.password_env), given.encryption, schemas);
}

// What the model of that configuration says of each table; what it does not say is told on stderr. Only a configuration
// without a usable `llm` is an error.
result<nlq::remarks> describe(const arguments& given, const catalog::database& db, const nlq::catalog_facts& facts) {
  config_outcome read = load_config(given.describe_with);
  for (const config_error& e : read.errors)
    if (e.key == "llm" || e.key.starts_with("llm.")) return failure(errc::configuration, e.to_string());
  const llm_config& settings = read.value.llm;
  if (!settings.configured())
    return failure(errc::configuration, given.describe_with + ": llm: no model is configured to describe with");
  llm::client_config model;
  model.base_url = settings.base_url;
  model.api_key = settings.api_key;
  model.ca_file = settings.ca_file.string();
  model.model = settings.model;
  model.fallback_models = settings.fallback_models;
  model.allow_remote = settings.allow_remote;
  model.temperature = settings.temperature;
  model.max_tokens = settings.max_tokens;
  model.tries = settings.tries;
  model.total_timeout = settings.timeout;
  model.connect_timeout = settings.connect_timeout;
  model.first_byte_timeout = settings.first_byte_timeout;
  auto opened = llm::client::open(std::move(model));
  if (!opened) return opened.error();
  nlq::remarks out;
  std::size_t described = 0;
  for (const catalog::table& t : db.tables) {
    const llm::chat_result answer = (*opened)->chat(nlq::describing_request(t, facts, given.describe_values));
    if (answer.status != llm::call_status::ok && answer.status != llm::call_status::truncated &&
        answer.status != llm::call_status::empty) {
      std::cerr << "dragoman init: the model describes nothing more: " << answer.error << '\n';
      break;
    }
    auto said = nlq::read_remarks(answer.text, t);
    if (!said) {
      std::cerr << "dragoman init: " << t.full_name() << " is not described: " << said.error().message << '\n';
      continue;
    }
    ++described;
    out.merge(*said);
  }
  std::cout << fmt::format("{} of {} tables described by a model, in comments\n", described, db.tables.size());
  return out;
}

int run(const arguments& given) {
  const std::filesystem::path folder = given.out;
  config settings;
  if (!given.config.empty()) {
    config_outcome read = load_config(given.config);
    if (!read.errors.empty()) {
      for (const config_error& e : read.errors) std::cerr << e.to_string() << '\n';
      return 1;
    }
    settings = std::move(read.value);
  } else {
    upstream_config& in = settings.first().upstream;
    const std::size_t colon = given.from.rfind(':');
    in.server = given.from.substr(0, colon);
    in.port = 1433;
    if (colon != std::string::npos) {
      const int port = std::atoi(given.from.c_str() + colon + 1);
      if (port <= 0 || port > 65535) return complain(given.from + ": expected SERVER or SERVER:PORT");
      in.port = static_cast<std::uint16_t>(port);
    }
    in.database = given.database;
    in.user = given.user;
    const char* password = std::getenv(given.password_env.c_str());
    if (password == nullptr)
      return complain("the environment variable " + given.password_env + " (the password) is not set");
    in.password = secret(password);
    in.encryption = given.encryption == "off"       ? upstream_encryption::off
                    : given.encryption == "require" ? upstream_encryption::require
                                                    : upstream_encryption::request;
  }
  const bool with_config = given.config.empty();
  for (const char* name : {"semantics.yaml", "catalog.yaml", "dragoman.yaml", "logins.tsv"}) {
    if (!with_config && (std::string_view(name) == "dragoman.yaml" || std::string_view(name) == "logins.tsv")) continue;
    if (!given.force && std::filesystem::exists(folder / name))
      return complain((folder / name).string() + " exists; --force writes over it");
  }
  upstream::pool pool(upstream_options(settings, settings.first()));
  if (const auto reached = pool.probe(); !reached) return complain(reached.error().message);
  upstream::introspection_options options;
  options.datasource = settings.first().upstream.database;
  options.schemas = given.schemas;
  for (const principal_config& principal : settings.principals)
    for (const auto& denied : principal.rights.deny) {
      const auto path = guard::column_path(denied.column);
      if (!path) return complain("it is not clear which column " + denied.column + " is; nothing was read");
      options.sample_never.push_back(*path);
    }
  auto live = upstream::introspect(pool, options);
  if (!live) return complain(live.error().message);
  // What somebody may not see has no place in a file that words of questions come from.
  for (catalog::table& t : live->tables)
    std::erase_if(t.columns, [&](const catalog::column& c) {
      const std::string name = t.schema + "." + t.name + "." + c.name;
      return std::any_of(options.sample_never.begin(), options.sample_never.end(),
                         [&](const std::string& never) { return catalog::same_name(name, never); });
    });
  if (const auto indexed = live->index(); !indexed) return complain(indexed.error().message);
  const facts_options how;
  const auto facts = gather_facts(pool, *live, how);
  if (!facts) return complain(facts.error().message);
  const auto confirmed = confirm_references(pool, nlq::probable_references(*live), how);
  const nlq::semantic_layer layer = nlq::draft_semantics(*live, *facts, confirmed);
  for (catalog::table& t : live->tables)
    for (catalog::column& c : t.columns)
      if (layer.find_sensitive(t.schema, t.name, c.name) != nullptr) c.samples.clear();
  nlq::remarks said;
  if (!given.describe_with.empty()) {
    auto described = describe(given, *live, *facts);
    if (!described) return complain(described.error().message);
    said = std::move(*described);
  }
  const std::string text = nlq::write_draft(layer, *facts, settings.first().upstream.database, said);
  // The file must be one that the gateway takes.
  const auto loaded = nlq::parse_semantics(text, (folder / "semantics.yaml").string());
  if (!loaded) return complain("the draft is not valid: " + loaded.error().message);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!write_file(folder / "semantics.yaml", text))
    return complain((folder / "semantics.yaml").string() + " cannot be written");
  if (const auto saved = catalog::save_snapshot(*live, (folder / "catalog.yaml").string()); !saved)
    return complain(saved.error().message);
  if (with_config) {
    if (!write_file(folder / "dragoman.yaml", config_text(given, settings.first().upstream, *live)) ||
        !write_file(folder / "logins.tsv", ""))
      return complain(folder.string() + " cannot be written");
  }
  std::size_t columns = 0, references = 0, links = 0;
  for (const nlq::entity& e : layer.entities) {
    columns += e.fields.size();
    references += e.references.size();
    links += e.link ? 1 : 0;
  }
  std::cout << fmt::format("{}: {} tables ({} only link others), {} columns, {} references ({} of them guessed)\n",
                           (folder / "semantics.yaml").string(), layer.entities.size(), links, columns, references,
                           confirmed.size());
  if (!layer.sensitive.empty())
    std::cout << fmt::format("{} columns look sensitive and are listed so: their values were not written anywhere\n",
                             layer.sensitive.size());
  std::cout << "Review it, then: dragoman check --config "
            << (with_config ? (folder / "dragoman.yaml").string() : given.config) << '\n';
  return 0;
}

}  // namespace

void add_init(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "init", "Drafts a configuration and its semantic layer from a live source, for a person to review.");
  const auto given = std::make_shared<arguments>();
  auto* from = command->add_option("--from", given->from, "The SQL Server: HOST or HOST:PORT");
  auto* config = command->add_option("--config", given->config, "Take the upstream of this configuration instead");
  from->excludes(config);
  command->add_option("--database", given->database, "Its database");
  command->add_option("--user", given->user, "The login that reads it");
  command->add_option("--password-env", given->password_env, "Environment variable with its password")
      ->capture_default_str();
  command->add_option("--encryption", given->encryption, "off, request or require")
      ->check(CLI::IsMember({"off", "request", "require"}))
      ->capture_default_str();
  command->add_option("--schema", given->schemas, "Only these schemas");
  command->add_option("--out", given->out, "Folder for dragoman.yaml, catalog.yaml and semantics.yaml")
      ->capture_default_str();
  auto* describe_with = command->add_option(
      "--describe-with", given->describe_with,
      "Ask the model that `llm` of this configuration names to describe tables and columns, in comments");
  command
      ->add_flag("--describe-values", given->describe_values,
                 "Show that model values of columns that have few, besides names, types and keys")
      ->needs(describe_with);
  command->add_flag("--force", given->force, "Write over files that exist");
  command->callback([given, &status] {
    if (given->config.empty() && (given->from.empty() || given->database.empty() || given->user.empty()))
      throw CLI::ValidationError("init", "needs --config, or --from, --database and --user");
    status = run(*given);
  });
}

}  // namespace dragoman::proxy
