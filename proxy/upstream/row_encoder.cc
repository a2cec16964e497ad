#include "proxy/upstream/row_encoder.h"

#include <algorithm>
#include <cstring>

#include "base/civil_time.h"
#include "tds/value_encoder.h"

namespace dragoman::upstream {
namespace {

namespace encode = tds::encode;
using tds::value_form;
using tds::value_text;

// Decimals and integers are stored at their full width and only then cut: up to so many bytes go past the value's end.
constexpr std::size_t store_overhang = 24;

// The layouts of the ODBC structures as the driver writes them; read by memcpy because they lie anywhere.
struct odbc_date {
  std::int16_t year;
  std::uint16_t month;
  std::uint16_t day;
};
struct odbc_clock {
  std::uint16_t hour;
  std::uint16_t minute;
  std::uint16_t second;
};

template <class T>
T load(const std::uint8_t* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Days since 0001-01-01, by eras of 400 years that begin in March. Inline here because every date of the relay
// passes; base's to_day_number is the general one.
day_number days_of(odbc_date d) noexcept {
  const std::int32_t y = d.year - (d.month <= 2 ? 1 : 0);
  const std::int32_t era = y / 400;
  const auto yoe = static_cast<std::uint32_t>(y - era * 400);
  const std::uint32_t doy = (153U * (d.month > 2 ? d.month - 3U : d.month + 9U) + 2U) / 5U + d.day - 1U;
  const std::uint32_t doe = yoe * 365U + yoe / 4U - yoe / 100U + doy;
  return era * 146097 + static_cast<std::int32_t>(doe) - 306;
}

std::int64_t ticks_of(odbc_clock c, std::uint32_t nanoseconds) noexcept {
  return (std::int64_t{c.hour} * 3600 + c.minute * 60 + c.second) * ticks_per_second + nanoseconds / 100U;
}

encode::cursor offset_time(encode::cursor out, const tds::wire_column& wire, const std::uint8_t* value) noexcept {
  // The structure holds local time, the wire UTC and the offset.
  const auto offset = static_cast<std::int16_t>(load<std::int16_t>(value + 16) * 60 + load<std::int16_t>(value + 18));
  std::int64_t ticks = ticks_of(load<odbc_clock>(value + 6), load<std::uint32_t>(value + 12)) -
                       std::int64_t{offset} * 60 * ticks_per_second;
  day_number days = days_of(load<odbc_date>(value));
  if (ticks < 0) {
    ticks += ticks_per_day;
    --days;
  } else if (ticks >= ticks_per_day) {
    ticks -= ticks_per_day;
    ++days;
  }
  return encode::datetimeoffset(out, wire, days, ticks, offset);
}

bool travels_as_is(const bound_column& c, const tds::wire_column& wire) {
  switch (c.shape) {
    case value_shape::short_bytes:
      return wire.form == value_form::short_len && (wire.text == value_text::utf16) == c.wide;
    case value_shape::plp: return wire.form == value_form::plp && (wire.text == value_text::utf16) == c.wide;
    case value_shape::text_pointer:
      return wire.form == value_form::text_ptr && (wire.text == value_text::utf16) == c.wide;
    case value_shape::variant: return wire.form == value_form::variant;
    default: return wire.form == value_form::fixed || wire.form == value_form::byte_len;
  }
}

}  // namespace

row_encoder::row_encoder(const row_layout& layout, const tds::wire_profile& profile)
    : layout_(&layout), nbcrow_(profile.nbcrow()) {
  wire_.reserve(layout.columns.size());
  fixed_bytes_ = 1 + (layout.columns.size() + 7) / 8 + store_overhang;  // token, bitmap
  bool nullable = false;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    wire_.push_back(tds::wire_column_of(layout.columns[i], profile));
    direct_ = direct_ && travels_as_is(layout.bound[i], wire_.back());
    nullable = nullable || wire_.back().nullable();
    if (layout.bound[i].shape == value_shape::short_bytes) {
      short_columns_.push_back(static_cast<std::uint32_t>(i));
      fixed_bytes_ += 2;
    } else {
      fixed_bytes_ += tds::value_bytes_max(wire_.back());
    }
  }
  nbcrow_ = nbcrow_ && nullable;
}

std::size_t row_encoder::bytes_at_most(const std::uint8_t* row) const noexcept {
  const auto* indicators = reinterpret_cast<const SQLLEN*>(row);
  std::size_t n = fixed_bytes_;
  for (const std::uint32_t i : short_columns_) n += static_cast<std::size_t>(std::max<SQLLEN>(indicators[i], 0));
  return n;
}

std::size_t row_encoder::short_value_bytes(std::size_t column, std::size_t length) const noexcept {
  return std::max(tds::value_bytes_max(wire_[column]), length + 2) + store_overhang;
}

std::size_t row_encoder::null_bytes(std::size_t column) const noexcept {
  switch (wire_[column].form) {
    case value_form::short_len: return 2;
    case value_form::plp: return 8;
    case value_form::variant: return 4;
    default: return 1;
  }
}

std::uint8_t* row_encoder::encode_value(std::size_t column, const std::uint8_t* value, std::size_t length,
                                        std::uint8_t* out) const noexcept {
  const tds::wire_column& wire = wire_[column];
  switch (layout_->bound[column].shape) {
    case value_shape::fixed:
      out = encode::length_byte(out, wire);
      // Constant sizes let the compiler move registers instead of calling memcpy.
      switch (wire.size) {
        case 1: *out = *value; return out + 1;
        case 2: std::memcpy(out, value, 2); return out + 2;
        case 4: std::memcpy(out, value, 4); return out + 4;
        case 8: std::memcpy(out, value, 8); return out + 8;
        default: std::memcpy(out, value, 16); return out + 16;
      }
    case value_shape::decimal:
      // SQL_NUMERIC_STRUCT: precision, scale, sign (1 = plus as on the wire), 16 bytes of magnitude, little-endian.
      out = encode::length_byte(out, wire);
      std::memcpy(out, value + 2, 17);
      return out + wire.size;
    case value_shape::date: return encode::date(out, days_of(load<odbc_date>(value)));
    case value_shape::time:
      return encode::time(out, wire, ticks_of(load<odbc_clock>(value), load<std::uint32_t>(value + 8)));
    case value_shape::datetime2:
      return encode::datetime2(out, wire, days_of(load<odbc_date>(value)),
                               ticks_of(load<odbc_clock>(value + 6), load<std::uint32_t>(value + 12)));
    case value_shape::datetimeoffset: return offset_time(out, wire, value);
    case value_shape::short_bytes: return encode::short_bytes(out, value, length);
    case value_shape::plp:
    case value_shape::text_pointer:
    case value_shape::variant: break;  // written in pieces by result_reader
  }
  return out;
}

std::uint8_t* row_encoder::encode(const std::uint8_t* row, std::uint8_t* out) const noexcept {
  const auto* indicators = reinterpret_cast<const SQLLEN*>(row);
  const bound_column* columns = layout_->bound.data();
  const std::size_t count = wire_.size();
  std::size_t null_bytes = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (indicators[i] < 0) null_bytes += columns[i].shape == value_shape::short_bytes ? 2 : 1;

  const std::size_t bitmap_bytes = (count + 7) / 8;
  if (nbcrow_ && null_bytes > bitmap_bytes) {
    *out++ = encode::nbcrow_token;
    std::uint8_t* bitmap = out;
    std::memset(bitmap, 0, bitmap_bytes);
    out += bitmap_bytes;
    for (std::size_t i = 0; i < count; ++i) {
      if (indicators[i] < 0)
        bitmap[i / 8] = static_cast<std::uint8_t>(bitmap[i / 8] | (1U << (i % 8)));
      else
        out = encode_value(i, row + columns[i].offset, static_cast<std::size_t>(indicators[i]), out);
    }
    return out;
  }
  *out++ = encode::row_token;
  for (std::size_t i = 0; i < count; ++i) {
    if (indicators[i] < 0)
      out = encode::null(out, wire_[i]);
    else
      out = encode_value(i, row + columns[i].offset, static_cast<std::size_t>(indicators[i]), out);
  }
  return out;
}

}  // namespace dragoman::upstream
