// Character data of non-Unicode columns: bytes in the code page of their collation, to and from UTF-8.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/sql_type.h"

namespace dragoman::upstream {

// iconv's name for the code page of a collation, "UTF-8" for the UTF-8 ones. Unknown locales get CP1252.
const char* code_page_of(const collation& coll) noexcept;

// The collation's five bytes by its name, e.g. "Persian_100_CI_AS"; SQL Server's default for names not known.
collation collation_named(std::string_view name);

// Bytes that have no character become U+FFFD.
std::string to_utf8(std::span<const std::uint8_t> bytes, const collation& coll);

}  // namespace dragoman::upstream
