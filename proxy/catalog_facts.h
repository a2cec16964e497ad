// What `dragoman init` asks of a live source beyond its catalogue: how many rows, what kinds of values. Counts only,
// and the values of columns that have few.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "nlq/semantics_draft.h"
#include "proxy/upstream/pool.h"

namespace dragoman::proxy {

struct facts_options {
  std::uint64_t rows_max = 50'000;  // looked at per table; larger tables are judged by their first rows
  std::size_t values_max = 40;      // a column with more distinct values keeps none
};

// Blocks for a few statements per table. A column that the source refuses to look at has no facts.
result<nlq::catalog_facts> gather_facts(upstream::pool& pool, const catalog::database& db,
                                        const facts_options& options);

// Those that no row contradicts.
std::vector<nlq::probable_reference> confirm_references(upstream::pool& pool,
                                                        std::vector<nlq::probable_reference> guesses,
                                                        const facts_options& options);

}  // namespace dragoman::proxy
