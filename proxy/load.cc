#include "proxy/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "guard/catalog/names.h"
#include "guard/configured_name.h"

namespace dragoman::proxy {
namespace {

// Errors of loaders that word themselves as "file:line: key: message".
config_error worded(const failure& f) {
  return {"", 0, "", f.message};
}

// Values of what the layer calls sensitive are told to nobody: not as samples, not as words of questions.
void forget_sensitive_samples(const nlq::semantic_layer& layer, catalog::database& database) {
  for (catalog::table& t : database.tables)
    for (catalog::column& c : t.columns)
      if (layer.find_sensitive(t.schema, t.name, c.name) != nullptr) c.samples.clear();
}

void look_up_nothing_sensitive(nlq::semantic_layer& layer) {
  for (nlq::entity& e : layer.entities)
    for (nlq::entity_field& f : e.fields)
      if (layer.find_sensitive(e.schema, e.table, f.column) != nullptr) f.looked_up = false;
  for (nlq::dimension& d : layer.dimensions)
    for (const std::string& id : d.roles) {
      const nlq::role* r = layer.find_role(id);
      if (r == nullptr) continue;
      const auto listed = [&](const std::string& column) {
        return layer.find_sensitive(r->schema, r->table, column) != nullptr;
      };
      if (listed(d.value_column) || listed(d.name.en) || listed(d.name.fa)) d.looked_up = false;
      std::erase_if(d.search, listed);
    }
}

loaded_source load_source(const source_config& source, catalog::database_ptr introspected,
                          std::vector<config_error>& errors) {
  loaded_source out;
  std::optional<catalog::database> database;
  if (introspected) {
    database = *introspected;
  } else if (!source.catalog.snapshot.empty()) {
    auto loaded = catalog::load_snapshot(source.catalog.snapshot.string());
    if (loaded)
      database = std::move(*loaded);
    else
      errors.push_back(worded(loaded.error()));
  }
  std::optional<nlq::semantic_layer> layer;
  if (!source.semantics.empty()) {
    auto loaded = nlq::load_semantics(source.semantics.string());
    if (!loaded)
      errors.push_back(worded(loaded.error()));
    else
      layer = std::move(*loaded);
  }
  if (layer) look_up_nothing_sensitive(*layer);
  if (database) {
    if (layer) forget_sensitive_samples(*layer, *database);
    if (!source.name.empty()) database->datasource = source.name;
    if (database->datasource.empty()) database->datasource = database->name;
    (void)database->index();  // a copy of an indexed catalogue
    out.database = std::make_shared<const catalog::database>(std::move(*database));
  }
  if (layer) out.semantics = std::make_shared<const nlq::semantic_layer>(std::move(*layer));
  if (out.database && out.semantics)
    for (const std::string& mistake : nlq::check_semantics(*out.semantics, *out.database))
      errors.push_back({source.semantics.string(), 0, "", mistake});
  return out;
}

// A name must mean one source, whether it is that of a source or of its database.
void check_names(const loaded_config& in, std::vector<config_error>& errors) {
  for (std::size_t i = 1; i < in.sources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const catalog::database* a = in.sources[i].database.get();
      const catalog::database* b = in.sources[j].database.get();
      if (a == nullptr || b == nullptr) continue;
      for (const std::string* x : {&a->datasource, &a->name})
        for (const std::string* y : {&b->datasource, &b->name})
          if (catalog::same_name(*x, *y)) {
            errors.push_back(locate(
                in.settings, failure(errc::configuration, fmt::format("sources[{}].name: '{}' is also the name of "
                                                                      "another source or of its database",
                                                                      i - 1, *x))));
            return;
          }
    }
}

}  // namespace

bool loaded_config::complete() const noexcept {
  return errors.empty() && !sources.empty() &&
         std::all_of(sources.begin(), sources.end(), [](const loaded_source& s) { return s.database != nullptr; });
}

loaded_config load_everything(const std::filesystem::path& file,
                              const std::vector<catalog::database_ptr>& introspected) {
  loaded_config out;
  config_outcome read = load_config(file);
  out.settings = std::move(read.value);
  out.errors = std::move(read.errors);
  if (!out.errors.empty()) return out;
  for (std::size_t i = 0; i < out.settings.sources.size(); ++i)
    out.sources.push_back(
        load_source(out.settings.sources[i], i < introspected.size() ? introspected[i] : nullptr, out.errors));
  check_names(out, out.errors);
  if (!out.complete()) return out;
  std::vector<catalog::database_ptr> databases;
  for (const loaded_source& source : out.sources) databases.push_back(source.database);
  for (const principal_config& principal : out.settings.principals) {
    auto compiled = guard::compile_policy(principal.rights, databases);
    for (std::size_t i = 0; compiled && i < databases.size(); ++i)
      for (guard::table_rights& table : compiled->databases[i].tables)
        table.nolock = out.settings.sources[i].upstream.nolock;
    if (compiled)
      out.policies[principal.name] = std::make_shared<const guard::policy>(std::move(*compiled));
    else
      out.errors.push_back(locate(out.settings, compiled.error()));
  }
  return out;
}

upstream::introspection_options introspection_of(const config& settings, const source_config& source) {
  upstream::introspection_options out;
  out.datasource = source.name.empty() ? source.upstream.database : source.name;
  for (const principal_config& principal : settings.principals)
    for (const auto& denied : principal.rights.deny) {
      if (const auto path = guard::column_path(denied.column))
        out.sample_never.push_back(*path);
      else
        out.samples = false;  // not known which column is meant: none is read
    }
  return out;
}

}  // namespace dragoman::proxy
