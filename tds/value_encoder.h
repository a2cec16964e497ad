// The row encoders: inline functions that write one value at a raw cursor and return the cursor behind it. No bounds
// are checked: the caller reserves value_bytes_max(column) per value (row_bytes of them per row) first.
//
// Layouts: MS-TDS 2.2.5.5. `column` is from wire_column_of; each function serves the columns it names.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/decimal.h"
#include "tds/wire_column.h"

namespace dragoman::tds::encode {

using cursor = std::uint8_t*;

inline constexpr std::uint8_t row_token = 0xD1;
inline constexpr std::uint8_t nbcrow_token = 0xD2;
inline constexpr std::uint64_t plp_null = 0xFFFF'FFFF'FFFF'FFFF;
inline constexpr std::uint64_t plp_unknown_length = 0xFFFF'FFFF'FFFF'FFFE;

template <class T>
inline cursor raw(cursor p, T value) noexcept {  // little-endian machine assumed by the whole product
  std::memcpy(p, &value, sizeof value);
  return p + sizeof value;
}
inline cursor bytes(cursor p, const void* data, std::size_t count) noexcept {
  if (count != 0) std::memcpy(p, data, count);
  return p + count;
}
inline cursor little(cursor p, std::uint64_t value, std::size_t count) noexcept {  // count 0..8
  for (std::size_t i = 0; i < count; ++i) *p++ = static_cast<std::uint8_t>(value >> (8 * i));
  return p;
}
inline cursor length_byte(cursor p, const wire_column& column) noexcept {
  if (column.form == value_form::byte_len) *p++ = column.size;
  return p;
}

// Any column. A NOT NULL column has no NULL: zeros are written.
inline cursor null(cursor p, const wire_column& column) noexcept {
  switch (column.form) {
    case value_form::fixed: std::memset(p, 0, column.size); return p + column.size;
    case value_form::byte_len: *p = 0; return p + 1;
    case value_form::short_len: return raw(p, std::uint16_t{0xFFFF});
    case value_form::plp: return raw(p, plp_null);
    case value_form::text_ptr: *p = 0; return p + 1;
    case value_form::variant: return raw(p, std::uint32_t{0});
  }
  return p;
}

// bit, tinyint, smallint, int, bigint.
inline cursor integer(cursor p, const wire_column& column, std::int64_t value) noexcept {
  p = length_byte(p, column);
  std::memcpy(p, &value, sizeof value);  // the room of value_bytes_max covers all eight
  return p + column.size;
}
// real, float.
inline cursor floating(cursor p, const wire_column& column, double value) noexcept {
  p = length_byte(p, column);
  if (column.size == 4) return raw(p, static_cast<float>(value));
  return raw(p, value);
}
// decimal, numeric; the magnitude is at the column's scale.
inline cursor decimal_at_scale(cursor p, const wire_column& column, bool negative, uint128 magnitude) noexcept {
  p = length_byte(p, column);
  *p = negative ? 0 : 1;
  std::memcpy(p + 1, &magnitude, sizeof magnitude);
  return p + column.size;
}
// money, smallmoney, in units of 1/10000.
inline cursor money(cursor p, const wire_column& column, std::int64_t units) noexcept {
  p = length_byte(p, column);
  if (column.size == 4) return raw(p, static_cast<std::int32_t>(units));
  p = raw(p, static_cast<std::int32_t>(units >> 32));
  return raw(p, static_cast<std::uint32_t>(units));
}
inline constexpr std::uint8_t time_size(std::uint8_t scale) noexcept {
  return scale <= 2 ? 3 : scale <= 4 ? 4 : 5;
}
// 100 ns ticks to units of 10^-scale s, cut.
inline std::uint64_t time_units(std::int64_t ticks, std::uint8_t scale) noexcept {
  constexpr std::uint64_t divisor[8] = {10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
  return static_cast<std::uint64_t>(ticks) / divisor[scale & 7];
}
inline cursor date(cursor p, day_number day) noexcept {
  *p++ = 3;
  return little(p, static_cast<std::uint64_t>(day), 3);
}
inline cursor time(cursor p, const wire_column& column, std::int64_t ticks) noexcept {
  *p++ = column.size;
  return little(p, time_units(ticks, column.scale), column.size);
}
inline cursor datetime2(cursor p, const wire_column& column, day_number day, std::int64_t ticks) noexcept {
  *p++ = column.size;
  p = little(p, time_units(ticks, column.scale), column.size - 3u);
  return little(p, static_cast<std::uint64_t>(day), 3);
}
// day and ticks in UTC, the offset in minutes.
inline cursor datetimeoffset(cursor p, const wire_column& column, day_number day, std::int64_t ticks,
                             std::int16_t offset) noexcept {
  *p++ = column.size;
  p = little(p, time_units(ticks, column.scale), column.size - 5u);
  p = little(p, static_cast<std::uint64_t>(day), 3);
  return raw(p, offset);
}
// Days since 1900-01-01 and 1/300 s since midnight.
inline cursor datetime(cursor p, const wire_column& column, std::int32_t days, std::uint32_t ticks300) noexcept {
  p = length_byte(p, column);
  p = raw(p, days);
  return raw(p, ticks300);
}
inline cursor smalldatetime(cursor p, const wire_column& column, std::uint16_t days, std::uint16_t minutes) noexcept {
  p = length_byte(p, column);
  p = raw(p, days);
  return raw(p, minutes);
}
inline cursor uniqueidentifier(cursor p, const guid& value) noexcept {
  *p++ = 16;
  return bytes(p, value.data(), value.size());
}
// Character and binary columns of form short_len: bytes as they travel, at most column.max_bytes of them.
inline cursor short_bytes(cursor p, const void* data, std::size_t count) noexcept {
  p = raw(p, static_cast<std::uint16_t>(count));
  return bytes(p, data, count);
}
// Form plp: the whole value at once; needs plp_overhead bytes more than the value.
inline constexpr std::size_t plp_overhead = 16;
inline cursor plp_whole(cursor p, const void* data, std::size_t count) noexcept {
  p = raw(p, static_cast<std::uint64_t>(count));
  if (count != 0) {
    p = raw(p, static_cast<std::uint32_t>(count));
    p = bytes(p, data, count);
  }
  return raw(p, std::uint32_t{0});
}
// Form plp in pieces: begin (8 bytes), chunk headers (4 bytes each) with their bytes, end (4 bytes).
inline cursor plp_begin(cursor p, std::uint64_t total = plp_unknown_length) noexcept {
  return raw(p, total);
}
inline cursor plp_chunk(cursor p, std::uint32_t count) noexcept {
  return raw(p, count);
}
inline cursor plp_end(cursor p) noexcept {
  return raw(p, std::uint32_t{0});
}
// Form text_ptr: text, ntext, image. Overhead 29 bytes before the value.
inline constexpr std::size_t text_ptr_overhead = 1 + 16 + 8 + 4;
inline cursor text_ptr_begin(cursor p, std::uint32_t count) noexcept {
  *p++ = 16;
  std::memset(p, 0x64, 16 + 8);
  return raw(p + 24, count);
}

}  // namespace dragoman::tds::encode
