// Which statements there are for the guard: a SELECT is checked, a session statement is left to the sandbox, anything
// else is refused. Internal to guard/.
#pragma once

#include <string>
#include <string_view>

#include "guard/guard.h"

namespace dragoman::guard {

verdict answer_at_home(std::string_view rule, std::string action);
verdict refused_by(const failure&, std::string_view rule);

// Adds the variables that the statement declares, wherever in it: a variable lives to the end of its batch.
void remember_variables(const tsql::statement&, check_options&);

// #name, not ##name: a table of this session alone.
bool is_session_table(const tsql::object_name&);

// Procedures of the catalogue and of schema nlq, which a session may EXEC.
bool is_session_procedure(const tsql::object_name&);

}  // namespace dragoman::guard
