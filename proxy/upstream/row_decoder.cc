#include "proxy/upstream/row_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/utf16.h"
#include "proxy/upstream/text_encoding.h"

namespace dragoman::upstream {
namespace {

template <class T>
T load(const std::uint8_t* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

decimal money(std::int64_t units, int precision) {
  decimal out;
  out.precision = static_cast<std::uint8_t>(precision);
  out.scale = 4;
  out.negative = units < 0;
  // Through unsigned arithmetic: the least bigint has no positive counterpart.
  out.magnitude =
      out.negative ? std::uint64_t{0} - static_cast<std::uint64_t>(units) : static_cast<std::uint64_t>(units);
  return out;
}

day_number day_at(const std::uint8_t* p) {
  return to_day_number({load<std::int16_t>(p), load<std::uint16_t>(p + 2), load<std::uint16_t>(p + 4)});
}

std::int64_t ticks_at(const std::uint8_t* clock, const std::uint8_t* fraction) {
  return (load<std::uint16_t>(clock) * std::int64_t{3600} + load<std::uint16_t>(clock + 2) * 60 +
          load<std::uint16_t>(clock + 4)) *
             ticks_per_second +
         load<std::uint32_t>(fraction) / 100;
}

sql_value fixed_value(sql_type_id type, const std::uint8_t* p) {
  switch (type) {
    case sql_type_id::bit:
    case sql_type_id::tinyint: return std::int64_t{*p};
    case sql_type_id::smallint: return std::int64_t{load<std::int16_t>(p)};
    case sql_type_id::int_: return std::int64_t{load<std::int32_t>(p)};
    case sql_type_id::bigint: return load<std::int64_t>(p);
    case sql_type_id::real: return double{load<float>(p)};
    case sql_type_id::float_: return load<double>(p);
    case sql_type_id::money:
      return money(static_cast<std::int64_t>(std::uint64_t{load<std::uint32_t>(p)} << 32 | load<std::uint32_t>(p + 4)),
                   19);
    case sql_type_id::smallmoney: return money(load<std::int32_t>(p), 10);
    case sql_type_id::datetime:
      // 1/300 s to 100 ns, rounded to the millisecond as SQL Server shows it.
      return civil_time{days_to_1900 + load<std::int32_t>(p),
                        (std::int64_t{load<std::uint32_t>(p + 4)} * 10 + 1) / 3 * 10'000, 0};
    case sql_type_id::smalldatetime:
      return civil_time{days_to_1900 + load<std::uint16_t>(p), load<std::uint16_t>(p + 2) * 60 * ticks_per_second, 0};
    case sql_type_id::uniqueidentifier: {
      guid g;
      std::copy_n(p, g.size(), g.begin());
      return g;
    }
    default: return null_value{};
  }
}

sql_value bytes_value(const bound_column& bound, const result_column& column, const std::uint8_t* p, std::size_t n) {
  if (bound.wide || bound.shape == value_shape::variant)
    return utf8_from_utf16le({p, n & ~std::size_t{1}}).value_or(std::string());
  if (is_character(bound.type)) return to_utf8({p, n}, column.type.coll);
  return bytes(p, p + n);
}

}  // namespace

sql_value decode_value(const bound_column& bound, const result_column& column, const std::uint8_t* p, std::size_t n) {
  switch (bound.shape) {
    case value_shape::fixed: return fixed_value(bound.type, p);
    case value_shape::decimal: {
      decimal d;
      d.precision = column.type.precision;
      d.scale = p[1];
      std::memcpy(&d.magnitude, p + 3, sizeof d.magnitude);
      d.negative = p[2] == 0 && d.magnitude != 0;
      return d;
    }
    case value_shape::date: return civil_time{day_at(p), 0, 0};
    case value_shape::time: return civil_time{0, ticks_at(p, p + 8), 0};
    case value_shape::datetime2: return civil_time{day_at(p), ticks_at(p + 6, p + 12), 0};
    case value_shape::datetimeoffset:
      return civil_time{day_at(p), ticks_at(p + 6, p + 12),
                        static_cast<std::int16_t>(load<std::int16_t>(p + 16) * 60 + load<std::int16_t>(p + 18))};
    case value_shape::short_bytes:
    case value_shape::plp:
    case value_shape::text_pointer:
    case value_shape::variant: return bytes_value(bound, column, p, n);
  }
  return null_value{};
}

}  // namespace dragoman::upstream
