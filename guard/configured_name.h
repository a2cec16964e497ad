// Names as a configuration writes them: as people do, reserved words without brackets too: "sales.Order",
// "sales.[Order]", "SalesDb.sales.\"Order\".Notes".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::guard {

// The parts without their brackets or quotes; nothing where a part is empty or a bracket stays open.
std::optional<std::vector<std::string>> parts_of(std::string_view text);

// "schema.table.column" of a column's name, whatever its spelling and with or without its database; for comparing with
// names of a catalogue. Nothing where it is no such name.
std::optional<std::string> column_path(std::string_view text);

}  // namespace dragoman::guard
