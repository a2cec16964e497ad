// The keyword table: one list that the lexer looks words up in and the printer quotes by.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::tsql {

enum class keyword : std::uint16_t { none };

}  // namespace dragoman::tsql
