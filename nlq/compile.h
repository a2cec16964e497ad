// Slot frame to T-SQL tree.
//
// Joins only follow many-to-one references from one base table, so no total is ever multiplied. Each measure keeps its
// own conditions: what all share stands in WHERE, the rest inside its aggregate. Measures of several tables are
// totalled table by table before they meet.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "nlq/intent.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

struct compiled {
  tsql::select_statement select;
  std::vector<std::string> output_names;
  bool order_matters = false;
  std::vector<std::string> applied_filters;  // ids of the named filters that hold
  bool own_dates = false;                    // measures of several tables, each dated by its own column
};

// A failure of code `unsupported_construct` names what the layer cannot join or express.
result<compiled> compile(const query_intent&, const semantic_layer&);

}  // namespace dragoman::nlq
