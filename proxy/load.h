// From a configuration file to what does not depend on a running warehouse: catalogues, rights, semantic layers.
// `guard`, `check` and the service itself start from here.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "guard/catalog/catalog.h"
#include "guard/policy.h"
#include "nlq/semantics.h"
#include "proxy/config.h"
#include "proxy/upstream/introspection.h"

namespace dragoman::proxy {

using policies_by_name = std::map<std::string, guard::policy_ptr, std::less<>>;

// How the snapshot differed from the warehouse's own catalogue when they were last compared.
struct catalog_comparison {
  std::chrono::system_clock::time_point when;
  std::vector<std::string> differences;  // one line each
};

struct loaded_source {
  catalog::database_ptr database;  // its `datasource` is the source's name; null: it must be introspected first
  std::shared_ptr<const nlq::semantic_layer> semantics;  // null where none is configured
  std::optional<catalog_comparison> compared;            // with introspect: true, where both could be read
};

struct loaded_config {
  config settings;
  std::vector<loaded_source> sources;  // as many as settings.sources, unless there are errors
  policies_by_name policies;           // none while a catalogue is missing
  std::vector<config_error> errors;    // not empty = the rest must not be used

  const loaded_source& first() const { return sources.front(); }
  bool complete() const noexcept;  // no errors, and every catalogue is there
};

// `introspected` has a catalogue, or null, for each source; a catalogue stands in place of the source's snapshot.
loaded_config load_everything(const std::filesystem::path& file,
                              const std::vector<catalog::database_ptr>& introspected = {});

// How to read the live catalogue of a source. Values of denied columns are never read, not even into a snapshot.
upstream::introspection_options introspection_of(const config& settings, const source_config& source);

}  // namespace dragoman::proxy
