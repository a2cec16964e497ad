// The demo's schema with a few random rows, twice: whole, and as a principal may see it, the forbidden tables, columns
// and rows physically missing. The copy knows nothing of the guard: its rows are chosen by running the filter as a
// query, its columns by a list given by hand.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "guard/policy.h"
#include "proxy/sandbox/engine.h"
#include "tests/guard/query_generator.h"

namespace dragoman::test {

// What a principal may not see, in the words of the copy.
struct narrow_view {
  std::string name;
  std::vector<std::string> tables;                        // schema.table; all others are missing
  std::vector<std::string> missing;                       // schema.table.column
  std::vector<std::pair<std::string, std::string>> rows;  // schema.table, predicate over the whole data
  guard::policy_definition definition;                    // the same, in the words of the guard
};

std::vector<narrow_view> narrow_views();

struct two_databases {
  std::unique_ptr<sandbox::engine> whole;
  std::unique_ptr<sandbox::engine> copy;
};

two_databases random_databases(const catalog::database& schema, const narrow_view& view, std::mt19937& random);

// The tables and columns of the view, for the generator.
std::vector<generated_table> tables_of(const catalog::database& schema, const narrow_view& view);

}  // namespace dragoman::test
