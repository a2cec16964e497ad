// Which characters make white space, identifiers and money in T-SQL (reference: "Database identifiers",
// "money and smallmoney"); UTF-8 decoding for the lexer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::tsql {

struct code_point {
  std::int32_t value = -1;  // -1: not valid UTF-8 here
  std::uint32_t length = 1;
};

code_point decode(std::string_view text, std::size_t offset) noexcept;
bool is_valid_utf8(std::string_view text) noexcept;
// The longest prefix of at most `bytes` bytes that does not cut a character.
std::size_t utf8_prefix(std::string_view text, std::size_t bytes) noexcept;

bool is_blank(std::int32_t c) noexcept;
bool is_identifier_start(std::int32_t c) noexcept;
bool is_identifier_part(std::int32_t c) noexcept;
bool money_sign(std::int32_t c) noexcept;

}  // namespace dragoman::tsql
