// A frame about entities to T-SQL. Internal to nlq/.
//
// Rows are those of one base table; joins only follow references (many to one), so no row is multiplied. What lies in
// the other direction is asked with EXISTS or counted in a subquery.
#pragma once

#include <string>
#include <vector>

#include "guard/tsql/ast.h"
#include "nlq/entity_frame.h"

namespace dragoman::nlq {

struct entity_compiled {
  tsql::select_statement select;
  std::vector<std::string> output_names;
  std::vector<int> tables;                // entities that are part of the query
  std::vector<reference_ref> references;  // that its joins follow
  std::string interpretation;
  std::vector<std::string> assumptions;
  bool order_matters = false;
};

// Throws cannot_read where the way between two things is not clear.
entity_compiled compile_entities(const entity_frame& frame, const semantic_layer& layer);

}  // namespace dragoman::nlq
