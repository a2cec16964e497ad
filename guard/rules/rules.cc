// The list of rules: to add one, write its file and add one line here.
#include "guard/rules/rules.h"

#include "guard/context.h"

namespace dragoman::guard {

const std::vector<rule>& rules() {
  static const std::vector<rule> all{
      {"constructs", check_constructs},
      {"columns", check_columns},
      {"join_only_columns", check_join_only},
      {"functions", check_functions},
      {"table_reference", check_table_reference},
      {"one_datasource", check_datasource},
      {"hints", check_hints},
      {"complexity", check_complexity},
      {"row_count", check_row_count},
      {"required", check_required},
  };
  return all;
}

}  // namespace dragoman::guard
