// The dimension rows of the demo: CSV text with a heading line, compiled into the program from dimensions/*.csv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::demo {

// "broker", "currency", "customer", "location", "orderstatus", "ring", "supplier", "symbol"; empty for any other name.
std::string_view dimension_text(std::string_view name) noexcept;

// Rows without the heading. Fields may be quoted; none holds a line break.
std::vector<std::vector<std::string>> dimension_rows(std::string_view name);

}  // namespace dragoman::demo
