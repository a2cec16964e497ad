// Whether two results say the same: names and order of columns aside, order of rows only where it matters.
#pragma once

#include <vector>

#include "base/sql_value.h"

namespace dragoman::proxy {

using value_rows = std::vector<std::vector<sql_value>>;

// Numbers compare by value: exactly as whole numbers, otherwise to nine significant digits and five decimals, because
// two right formulas may keep different scales. Texts compare without trailing blanks.
bool same_rows(const value_rows& a, const value_rows& b, bool order_matters);

}  // namespace dragoman::proxy
