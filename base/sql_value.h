// One value of a row or a parameter, owned. For the paths where values are looked at (sandbox, parameters, insight,
// tests); the relay of rows never makes one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/civil_time.h"
#include "base/decimal.h"
#include "base/sql_type.h"

namespace dragoman {

struct null_value {
  bool operator==(const null_value&) const = default;
};

using bytes = std::vector<std::uint8_t>;
using guid = std::array<std::uint8_t, 16>;  // in wire order: the first three fields little-endian

// Which alternative a type uses:
//   bit, tinyint .. bigint            std::int64_t
//   decimal, numeric, money, smallmoney  decimal (money: scale 4)
//   real, float                       double
//   date .. datetimeoffset            civil_time (date: ticks 0; time: day 0)
//   char .. ntext, sysname, xml, json std::string, UTF-8
//   binary .. image, rowversion, udt  bytes
//   uniqueidentifier                  guid
using sql_value = std::variant<null_value, std::int64_t, double, decimal, std::string, bytes, civil_time, guid>;

inline bool is_null(const sql_value& value) noexcept {
  return std::holds_alternative<null_value>(value);
}

// A column of a result: what COLMETADATA says of it.
struct result_column {
  std::string name;  // UTF-8; may be empty
  sql_type type;
  bool nullable = true;
  bool identity = false;
  bool computed = false;  // an expression, not a stored column
};

}  // namespace dragoman
