// All built-in functions of the table, for whoever offers them rather than looks one up.
#pragma once

#include <span>

#include "guard/tsql/function_table.h"

namespace dragoman::tsql {

// In the order of the table; defined in function_table.cc.
std::span<const function_info> builtin_functions() noexcept;

}  // namespace dragoman::tsql
