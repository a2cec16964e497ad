// UTF-8 <-> UTF-16LE, the two texts of the product: UTF-8 inside, UTF-16LE on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// Decodes UTF-16LE bytes. nullopt for an odd number of bytes; an unpaired surrogate becomes U+FFFD, as SQL Server's own
// conversions do.
std::optional<std::string> utf8_from_utf16le(std::span<const std::uint8_t> bytes);

// Appends text as UTF-16LE. Malformed UTF-8 becomes U+FFFD per offending byte; nothing is dropped.
void append_utf16le(std::vector<std::uint8_t>& out, std::string_view text);
// Writes into out, which must hold 2 * text.size() bytes (no UTF-8 text grows further); returns the bytes written.
std::size_t write_utf16le(std::uint8_t* out, std::string_view text) noexcept;

// Number of UTF-16 code units of a UTF-8 text: what LEN counts and what the wire's lengths mean.
std::size_t utf16_length(std::string_view text) noexcept;
// The longest prefix of at most `units` code units that splits no character.
std::string_view utf16_prefix(std::string_view text, std::size_t units) noexcept;

bool is_valid_utf8(std::string_view text) noexcept;

}  // namespace dragoman
