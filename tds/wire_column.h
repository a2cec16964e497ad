// How one column (or parameter) of a SQL type travels to one client: the TYPE_INFO token and what it fixes about every
// value. Made once per result; the row encoders only look at it. MS-TDS 2.2.5.4 – 2.2.5.6.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/sql_value.h"
#include "tds/version.h"

namespace dragoman::tds {

// TYPE_INFO tokens, 2.2.5.4.
enum class type_token : std::uint8_t {
  null = 0x1F,
  int1 = 0x30,
  bit = 0x32,
  int2 = 0x34,
  int4 = 0x38,
  datetim4 = 0x3A,
  flt4 = 0x3B,
  money = 0x3C,
  datetime = 0x3D,
  flt8 = 0x3E,
  money4 = 0x7A,
  int8 = 0x7F,
  guid = 0x24,
  intn = 0x26,
  date = 0x28,
  time = 0x29,
  datetime2 = 0x2A,
  datetimeoffset = 0x2B,
  decimal_old = 0x37,
  numeric_old = 0x3F,
  bitn = 0x68,
  decimaln = 0x6A,
  numericn = 0x6C,
  fltn = 0x6D,
  moneyn = 0x6E,
  datetimn = 0x6F,
  char_old = 0x2F,
  varchar_old = 0x27,
  binary_old = 0x2D,
  varbinary_old = 0x25,
  bigvarbin = 0xA5,
  bigvarchar = 0xA7,
  bigbinary = 0xAD,
  bigchar = 0xAF,
  nvarchar = 0xE7,
  nchar = 0xEF,
  xml = 0xF1,
  udt = 0xF0,
  tvp = 0xF3,
  json = 0xF4,
  vector = 0xF5,
  text = 0x23,
  image = 0x22,
  ntext = 0x63,
  variant = 0x62,
};

// Flags of a column, 2.2.7.4.
namespace column_flag {
inline constexpr std::uint16_t nullable = 0x0001;
inline constexpr std::uint16_t case_sensitive = 0x0002;
inline constexpr std::uint16_t identity = 0x0010;
inline constexpr std::uint16_t computed = 0x0020;
inline constexpr std::uint16_t nullable_unknown = 0x8000;
}  // namespace column_flag

// UserType, where it says more than the type.
namespace user_type {
inline constexpr std::uint32_t rowversion = 0x50;
}  // namespace user_type

// What stands before the bytes of a value.
enum class value_form : std::uint8_t {
  fixed,      // nothing: NOT NULL numbers
  byte_len,   // u8 length, 0 = NULL
  short_len,  // u16 length, 0xFFFF = NULL
  plp,        // u64 total and chunks, 0xFFFFFFFFFFFFFFFF = NULL
  text_ptr,   // u8 pointer length (0 = NULL), pointer, timestamp, u32 length
  variant,    // u32 length, 0 = NULL
};

// What happens to a value on its way: nothing, a text in UTF-16, or a text in the column's code page.
enum class value_text : std::uint8_t { none, utf16, code_page, utf8 };

struct wire_column {
  type_token token = type_token::intn;
  value_form form = value_form::byte_len;
  value_text text = value_text::none;
  std::uint8_t size = 4;       // bytes of a value with a constant size (decimal, time included)
  std::uint8_t precision = 0;  // decimal, numeric
  std::uint8_t scale = 0;      // decimal, numeric, time, datetime2, datetimeoffset
  sql_type_id source = sql_type_id::int_;
  std::uint32_t max_bytes = 0;  // of char and binary types; 0 = (max)
  collation coll{};
  std::uint32_t user_type = 0;
  std::uint16_t flags = 0;
  // CLR types: the names of UDT_INFO_IN_COLMETADATA, 2.2.5.5.2, as they were received.
  std::shared_ptr<const std::vector<std::uint8_t>> clr_names{};

  bool nullable() const noexcept { return (flags & 1) != 0; }
};

// The form in which `column` goes to a client of this profile: older clients get the older types that
// SQL Server itself would send (date as nvarchar, (max) as text, ntext, image).
wire_column wire_column_of(const result_column& column, const wire_profile& profile);

// The most bytes that one value takes in a row, lengths included; 0 for forms without a bound (plp, text_ptr).
std::size_t value_bytes_max(const wire_column& column) noexcept;

// TYPE_INFO of 2.2.5.6 (token and what follows it, without a text's table name).
void write_type_info(byte_writer& out, const wire_column& column);

// One value, with conversion from the owned value to the wire; a value that does not fit its type becomes NULL where
// the column has one, else zero. Texts longer than the column are cut at a character.
void write_value(byte_writer& out, const wire_column& column, const sql_value& value);

// All columns of a result for one client.
class row_layout {
 public:
  row_layout() = default;
  row_layout(std::span<const result_column> columns, const wire_profile& profile);
  // Columns that were received from another server and travel as they came.
  row_layout(std::vector<wire_column> columns, const wire_profile& profile);

  std::span<const wire_column> columns() const noexcept { return columns_; }
  // Flags columns as expressions; one for each column, else nothing is done.
  void mark_computed(const std::vector<bool>& computed);
  bool nbcrow() const noexcept { return nbcrow_; }  // the client reads NBCROW

  void write_colmetadata(byte_writer& out, std::span<const result_column> columns) const;
  // ROW, or NBCROW where that is shorter. Missing values at the end are NULL.
  void write_row(byte_writer& out, std::span<const sql_value> values) const;

 private:
  std::vector<wire_column> columns_;
  wire_profile profile_{};
  bool nbcrow_ = false;
};

}  // namespace dragoman::tds
