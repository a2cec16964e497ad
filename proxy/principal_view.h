// One principal's share of what the gateway has: rights over all data sources, and of each what it may know of it.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "guard/catalog/catalog.h"
#include "guard/policy.h"

namespace dragoman::proxy {

// Of one data source.
struct source_share {
  std::shared_ptr<const catalog::database> visible;  // never null
  // Dimensions of tables whose rows are not all this principal's. Of their values only those in its own rows are known,
  // for completing a name that was half written would tell that there is one.
  std::set<std::string> own_values;
  // Whose values are known: 0 = everybody's, else a number that principals with the same rights share.
  std::size_t values_of = 0;

  bool empty() const noexcept { return visible->tables.empty(); }
};

struct principal_view {
  std::string name;
  guard::policy_ptr policy;
  std::size_t scope = 0;             // equal for principals with the same rights
  std::vector<source_share> shares;  // by the number of the data source
};

}  // namespace dragoman::proxy
