// Reads the catalogue of a live upstream through the pool: INFORMATION_SCHEMA and sys views, then samples.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "proxy/upstream/pool.h"

namespace dragoman::upstream {

struct introspection_options {
  std::string datasource;            // name of the catalogue
  std::vector<std::string> schemas;  // empty = all but sys, INFORMATION_SCHEMA and guest
  bool samples = true;               // values of text columns with few distinct values
  std::size_t samples_max = 40;      // a column with more distinct values is not sampled
  std::size_t sample_length_max = 60;
  std::vector<std::string> sample_never;  // "schema.table.column", case-insensitive: denied columns
};

// Blocks for several statements. Views that the upstream lacks (keys, descriptions, row counts) are passed over and
// leave those parts empty; without tables or columns it fails.
result<catalog::database> introspect(pool&, const introspection_options&);

}  // namespace dragoman::upstream
