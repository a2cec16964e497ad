// Values as people read them: for grids, for `eval` and for the result sets that the gateway makes itself.
#pragma once

#include <string>
#include <string_view>

#include "base/sql_value.h"

namespace dragoman::proxy {

// NULL is "NULL"; binary is 0x…; dates are ISO; decimals keep their digits; a double prints its shortest exact form.
std::string value_text(const sql_value& value, const sql_type& type);

bool aligns_right(const sql_type& type) noexcept;

// "6F9619FF-8B86-D011-B42D-00C04FC964FF"
std::string guid_text(const guid& value);

}  // namespace dragoman::proxy
