// The texts of char and varchar: bytes in the code page of their collation, UTF-8 inside. Through ICU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_type.h"

namespace dragoman {

// 1252, 1256, 932 … or 65001 for UTF-8 collations: by sort id where there is one, else by the language.
int code_page_of(const collation& coll) noexcept;

// A byte that the code page does not have becomes U+FFFD.
std::string utf8_from_code_page(std::span<const std::uint8_t> bytes, int code_page);
// A character that the code page does not have becomes '?', as in SQL Server. At most `limit` bytes, cut at a
// character.
std::string code_page_from_utf8(std::string_view text, int code_page, std::size_t limit = ~std::size_t{0});

}  // namespace dragoman
