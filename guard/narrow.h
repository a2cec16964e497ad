// Narrowing: a table becomes a derived table of what the principal may see of it. Internal to guard/.
#pragma once

#include <string>
#include <vector>

#include "guard/context.h"

namespace dragoman::guard {

// What a table reference turns into. By source; entries of other kinds stay empty.
struct table_plan {
  std::string alias;    // to be written behind the table; empty: none
  std::string visible;  // what qualifies its columns from now on
  bool narrow = false;
  tsql::box<tsql::expression> condition;  // row filter and required predicates, joined by AND
};

std::vector<table_plan> plan_tables(const check_context&);
// Whether a name in front of a column of this source can mean no other source of the statement.
bool can_be_qualified(const check_context&, const std::vector<table_plan>&, std::uint32_t source);
void narrow_table(check_context&, std::uint32_t source, table_plan&);

}  // namespace dragoman::guard
