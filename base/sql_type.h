// A SQL Server data type as metadata: shared by the catalogue, the wire (TYPE_INFO), the upstream and the sandbox.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

enum class sql_type_id : std::uint8_t {
  unknown,
  bit,
  tinyint,
  smallint,
  int_,
  bigint,
  decimal,
  numeric,
  money,
  smallmoney,
  real,
  float_,
  date,
  time,
  datetime,
  smalldatetime,
  datetime2,
  datetimeoffset,
  char_,
  varchar,
  text,
  nchar,
  nvarchar,
  ntext,
  binary,
  varbinary,
  image,
  uniqueidentifier,
  xml,
  sql_variant,
  rowversion,
  json,
  vector,
  hierarchyid,
  geometry,
  geography,
  sysname,  // nvarchar(128) by another name
};

// The five bytes of MS-TDS 2.2.5.1.2: LCID and flags little-endian, then the sort id.
struct collation {
  std::uint32_t info = 0x00D00409;  // SQL_Latin1_General_CP1_CI_AS
  std::uint8_t sort_id = 0x34;
  bool operator==(const collation&) const = default;
  bool utf8() const noexcept { return (info & 0x0400'0000u) != 0; }
};

struct sql_type {
  sql_type_id id = sql_type_id::unknown;
  // Characters for n(var)char, bytes for (var)char and (var)binary; `max_length` for (max). 0 where it has no meaning.
  std::int32_t length = 0;
  std::uint8_t precision = 0;  // decimal, numeric: 1..38
  std::uint8_t scale = 0;      // decimal, numeric; fractional digits of time, datetime2, datetimeoffset: 0..7
  collation coll{};

  static constexpr std::int32_t max_length = -1;
  bool is_max() const noexcept { return length == max_length; }
  bool operator==(const sql_type&) const = default;
};

bool is_integer(sql_type_id id) noexcept;        // tinyint..bigint, bit not
bool is_exact_numeric(sql_type_id id) noexcept;  // integers, bit, decimal, numeric, money
bool is_numeric(sql_type_id id) noexcept;        // the above and real, float
bool is_character(sql_type_id id) noexcept;      // char..ntext, sysname
bool is_unicode(sql_type_id id) noexcept;        // nchar, nvarchar, ntext, sysname, xml
bool is_temporal(sql_type_id id) noexcept;
bool is_binary(sql_type_id id) noexcept;

// The name without arguments, e.g. "nvarchar"; `sql_type_id::unknown` for a name that is none.
std::string_view type_name(sql_type_id id) noexcept;
sql_type_id type_id_of(std::string_view name) noexcept;

// "decimal(18,4)", "nvarchar(max)", "datetime2(7)".
std::string to_string(const sql_type& type);
// Reads the same text, case-insensitive, with SQL Server's defaults (varchar = 1, decimal = (18,0), time = 7 …).
std::optional<sql_type> parse_sql_type(std::string_view text);

}  // namespace dragoman
