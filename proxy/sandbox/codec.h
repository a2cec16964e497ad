// How T-SQL values lie in SQLite, so that SQLite's own comparison is the right one:
//
//   bit, tinyint .. bigint     INTEGER
//   real, float                REAL
//   decimal, numeric, money    INTEGER value * 10^scale; when 64 bits do not hold it, a BLOB of 17 bytes (sign, then
//                              128 bits big-endian) that sorts among its like. Only a negative such BLOB sorts wrong
//                              against integers; the translator compares types of more than 18 digits by functions.
//   date                       INTEGER days since 0001-01-01
//   time                       INTEGER ticks of 100 ns since midnight
//   smalldatetime .. datetime2 INTEGER ticks of 100 ns since 0001-01-01
//   datetimeoffset             BLOB of 10 bytes: UTC ticks, then offset + 32768 minutes, both big-endian
//   char .. nvarchar, xml      TEXT, UTF-8
//   binary, varbinary          BLOB
//   uniqueidentifier           TEXT, 36 characters in upper case
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/sql_value.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::sandbox {

using int128 = __int128;

enum class family : std::uint8_t { integer, real, decimal, date, time, datetime, offset, text, binary, guid };

family family_of(sql_type_id id) noexcept;

// Precision and scale of any exact number: int is decimal(10,0), money decimal(19,4).
decimal_type decimal_type_of(const sql_type& type) noexcept;

// ---- decimals -----------------------------------------------------------------------------------------------------

std::optional<int128> wide_of(std::string_view blob) noexcept;
std::string wide_blob(int128 value);         // 17 bytes
int128 scaled_of(value_ref value) noexcept;  // INTEGER or BLOB
void give_scaled(call& c, int128 value) noexcept;
decimal decimal_of(int128 scaled, decimal_type type) noexcept;
int128 scaled_of(const decimal& d) noexcept;

// ---- date and time ------------------------------------------------------------------------------------------------

constexpr std::int64_t ticks_of(const civil_time& t) noexcept {
  return t.day * ticks_per_day + t.ticks;
}
civil_time civil_of(std::int64_t ticks) noexcept;
std::string offset_blob(std::int64_t utc_ticks, int offset);
struct offset_parts {
  std::int64_t utc_ticks = 0;
  int offset = 0;
};
offset_parts offset_of(std::string_view blob) noexcept;

// ---- whole values -------------------------------------------------------------------------------------------------

std::string guid_text(const guid& value);
std::optional<guid> parse_guid(std::string_view text) noexcept;

// Column of the current row into `out`, whose string keeps its capacity.
void decode(const statement& row, int column, const sql_type& type, sql_value& out);
void bind_value(statement& to, int index, const sql_type& type, const sql_value& value);
// The value as SQLite text, for constants of a translated statement.
std::string constant(const sql_type& type, const sql_value& value);
std::string quoted(std::string_view text);       // 'it''s'
std::string quoted_name(std::string_view name);  // "a""b"

}  // namespace dragoman::sandbox
