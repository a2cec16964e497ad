// Bound values to sql_values: for receivers that look at values, and for clients that need another form of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/sql_value.h"
#include "proxy/upstream/columns.h"

namespace dragoman::upstream {

// One value that is not NULL, as the driver gave it; `length` is what its indicator said.
sql_value decode_value(const bound_column& bound, const result_column& column, const std::uint8_t* value,
                       std::size_t length);

}  // namespace dragoman::upstream
