// Words for tables and columns that a site keeps in a file of its own, laid over those of the catalogue:
//
//   tables:
//     sales.Order: one line per order
//     sales.Customer:
//       description: who buys
//       columns:
//         Segment: kind of customer
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/catalog/catalog.h"

namespace dragoman::catalog {

struct description {
  std::size_t table = 0;           // index in the database's tables
  std::size_t column = no_column;  // of the table; no_column: of the table itself
  std::string text;
  static constexpr std::size_t no_column = static_cast<std::size_t>(-1);
};

// Unknown keys, wrong shapes and names that the database does not have are errors of code `configuration`, worded
// "file:line: key: ".
result<std::vector<description>> load_descriptions(const std::string& path, const database&);
result<std::vector<description>> parse_descriptions(std::string_view text, const std::string& name_for_errors,
                                                    const database&);

void lay_over(database&, const std::vector<description>&);

}  // namespace dragoman::catalog
