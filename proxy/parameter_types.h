// The types that parameters most likely have which a SELECT uses and nobody declared, for
// sp_describe_undeclared_parameters.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/sql_type.h"
#include "guard/catalog/catalog.h"
#include "guard/tsql/ast.h"

namespace dragoman::proxy {

struct suggested_parameter {
  std::string name;  // with its @
  sql_type type;
};

// In the order of their first use, without those in `declared`. A parameter has the type of the column that it is
// compared with or calculated with, bigint as a count of rows, and nvarchar(4000) where nothing tells. `visible` is
// what the principal may see: a column outside it fails as it does when the statement is run. Binding may rewrite
// column methods in the tree, hence not const.
result<std::vector<suggested_parameter>> undeclared_parameters(tsql::select_statement& statement,
                                                               const catalog::database& visible,
                                                               const std::vector<std::string>& declared);

}  // namespace dragoman::proxy
