// write_value: from the owned value to the wire. The slow, complete path; rows of a relay use value_encoder.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/code_page.h"
#include "base/utf16.h"
#include "tds/value_encoder.h"
#include "tds/wire_column.h"

namespace dragoman::tds {
namespace {

std::optional<std::int64_t> as_integer(const sql_value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<decimal>(&value)) return d->to_int();
  if (const auto* f = std::get_if<double>(&value)) {
    if (!(std::fabs(*f) < 9.2e18)) return std::nullopt;
    return static_cast<std::int64_t>(*f);
  }
  return std::nullopt;
}

std::optional<double> as_double(const sql_value& value) {
  if (const auto* f = std::get_if<double>(&value)) return *f;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<decimal>(&value)) return d->to_double();
  return std::nullopt;
}

std::optional<decimal> as_decimal(const sql_value& value, int precision, int scale) {
  if (const auto* d = std::get_if<decimal>(&value)) {
    if (d->scale == scale && d->precision <= precision) return *d;
    return d->rescale(precision, scale);
  }
  if (const auto* i = std::get_if<std::int64_t>(&value)) return decimal::from_int(*i).rescale(precision, scale);
  if (const auto* f = std::get_if<double>(&value)) return decimal::from_double(*f, precision, scale);
  return std::nullopt;
}

// Any value as text, for columns that travel as such.
std::optional<std::string> as_text(const sql_value& value, const wire_column& column) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<decimal>(&value)) return d->to_string();
  if (const auto* t = std::get_if<civil_time>(&value)) {
    switch (column.source) {
      case sql_type_id::date: return date_text(t->day);
      case sql_type_id::time: return time_text(t->ticks, column.scale);
      case sql_type_id::datetimeoffset: {
        const int minutes = std::abs(t->offset);
        char zone[8];
        std::snprintf(zone, sizeof zone, " %c%02d:%02d", t->offset < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
        return date_text(t->day) + " " + time_text(t->ticks, column.scale) + zone;
      }
      default: return date_text(t->day) + " " + time_text(t->ticks, column.scale);
    }
  }
  return std::nullopt;
}

bool in_range(std::int64_t value, const wire_column& column) {
  switch (column.size) {
    case 1: return value >= 0 && value <= 255;
    case 2: return value >= -32768 && value <= 32767;
    case 4:
      return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
    default: return true;
  }
}

// Bytes with the length of the column's form around them.
void write_counted(byte_writer& out, const wire_column& column, byte_span data) {
  switch (column.form) {
    case value_form::short_len:
      out.u16(static_cast<std::uint16_t>(data.size()));
      out.raw(data);
      break;
    case value_form::plp: {
      std::uint8_t* p = out.reserve(data.size() + encode::plp_overhead);
      if (p == nullptr) return;
      out.commit(static_cast<std::size_t>(encode::plp_whole(p, data.data(), data.size()) - p));
      break;
    }
    case value_form::text_ptr: {
      std::uint8_t* p = out.reserve(data.size() + encode::text_ptr_overhead);
      if (p == nullptr) return;
      encode::cursor end = encode::text_ptr_begin(p, static_cast<std::uint32_t>(data.size()));
      end = encode::bytes(end, data.data(), data.size());
      out.commit(static_cast<std::size_t>(end - p));
      break;
    }
    default: break;
  }
}

void write_text(byte_writer& out, const wire_column& column, std::string_view text) {
  const bool bounded = column.form == value_form::short_len;
  const bool padded = column.token == type_token::bigchar || column.token == type_token::nchar;
  if (column.text == value_text::utf16) {
    // A text of so many bytes has at most as many code units.
    if (bounded && text.size() > column.max_bytes / 2) text = utf16_prefix(text, column.max_bytes / 2);
    if (bounded) {
      std::uint8_t* p = out.reserve(2 + std::max<std::size_t>(2 * text.size(), column.max_bytes));
      if (p == nullptr) return;
      std::size_t size = write_utf16le(p + 2, text);
      for (; padded && size + 2 <= column.max_bytes; size += 2) encode::raw(p + 2 + size, std::uint16_t{' '});
      encode::raw(p, static_cast<std::uint16_t>(size));
      out.commit(2 + size);
      return;
    }
    std::vector<std::uint8_t> wide;
    append_utf16le(wide, text);
    write_counted(out, column, wide);
    return;
  }
  const int page = column.text == value_text::utf8 ? 65001 : code_page_of(column.coll);
  std::string narrow = code_page_from_utf8(text, page, bounded ? column.max_bytes : ~std::size_t{0});
  if (padded && bounded) narrow.resize(column.max_bytes, ' ');
  write_counted(out, column, {reinterpret_cast<const std::uint8_t*>(narrow.data()), narrow.size()});
}

// The base type of a sql_variant follows from the alternative that the value holds.
void write_variant(byte_writer& out, const wire_column& column, const sql_value& value) {
  const auto head = [&out](std::size_t data, type_token token, std::uint8_t properties) {
    out.u32(static_cast<std::uint32_t>(2 + properties + data));
    out.u8(static_cast<std::uint8_t>(token));
    out.u8(properties);
  };
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    const bool small = *i >= std::numeric_limits<std::int32_t>::min() && *i <= std::numeric_limits<std::int32_t>::max();
    head(small ? 4 : 8, small ? type_token::int4 : type_token::int8, 0);
    out.little(static_cast<std::uint64_t>(*i), small ? 4 : 8);
  } else if (const auto* f = std::get_if<double>(&value)) {
    head(8, type_token::flt8, 0);
    std::uint64_t raw = 0;
    std::memcpy(&raw, f, sizeof raw);
    out.u64(raw);
  } else if (const auto* d = std::get_if<decimal>(&value)) {
    head(17, type_token::numericn, 2);  // always 17 bytes: clients read no other length here
    out.u8(std::max<std::uint8_t>(d->precision, 1));
    out.u8(d->scale);
    out.u8(d->negative ? 0 : 1);
    out.u64(static_cast<std::uint64_t>(d->magnitude));
    out.u64(static_cast<std::uint64_t>(d->magnitude >> 64));
  } else if (const auto* t = std::get_if<civil_time>(&value)) {
    head(8, type_token::datetime2, 1);
    out.u8(7);
    out.little(static_cast<std::uint64_t>(t->ticks), 5);
    out.u24(static_cast<std::uint32_t>(t->day));
  } else if (const auto* g = std::get_if<guid>(&value)) {
    head(16, type_token::guid, 0);
    out.raw(*g);
  } else if (const auto* b = std::get_if<bytes>(&value)) {
    const std::size_t size = std::min<std::size_t>(b->size(), 8000);
    head(size, type_token::bigvarbin, 2);
    out.u16(8000);
    out.raw({b->data(), size});
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    const std::string_view text = utf16_prefix(*s, 4000);
    head(utf16_length(text) * 2, type_token::nvarchar, 7);
    out.u32(column.coll.info);
    out.u8(column.coll.sort_id);
    out.u16(8000);
    out.utf16(text);
  } else {
    out.u32(0);
  }
}

// The temporal and numeric forms; nullopt = the value does not fit the column.
std::optional<encode::cursor> encode_scalar(encode::cursor p, const wire_column& column, const sql_value& value) {
  switch (column.token) {
    case type_token::bit:
    case type_token::bitn: {
      const auto i = as_integer(value);
      if (!i) return std::nullopt;
      return encode::integer(p, column, *i != 0 ? 1 : 0);
    }
    case type_token::int1:
    case type_token::int2:
    case type_token::int4:
    case type_token::int8:
    case type_token::intn: {
      const auto i = as_integer(value);
      if (!i || !in_range(*i, column)) return std::nullopt;
      return encode::integer(p, column, *i);
    }
    case type_token::flt4:
    case type_token::flt8:
    case type_token::fltn: {
      const auto f = as_double(value);
      if (!f) return std::nullopt;
      return encode::floating(p, column, *f);
    }
    case type_token::money:
    case type_token::money4:
    case type_token::moneyn: {
      const auto d = as_decimal(value, column.size == 4 ? 10 : 19, 4);
      const uint128 limit = column.size == 4 ? uint128{0x7FFF'FFFF} : uint128{0x7FFF'FFFF'FFFF'FFFF};
      if (!d || d->magnitude > limit + (d->negative ? 1 : 0)) return std::nullopt;
      const auto units = static_cast<std::uint64_t>(d->magnitude);
      return encode::money(p, column, static_cast<std::int64_t>(d->negative ? 0 - units : units));
    }
    case type_token::decimaln:
    case type_token::numericn: {
      const auto d = as_decimal(value, column.precision, column.scale);
      if (!d) return std::nullopt;
      return encode::decimal_at_scale(p, column, d->negative, d->magnitude);
    }
    case type_token::guid: {
      const auto* g = std::get_if<guid>(&value);
      if (g == nullptr) return std::nullopt;
      return encode::uniqueidentifier(p, *g);
    }
    default: break;
  }
  const auto* t = std::get_if<civil_time>(&value);
  if (t == nullptr || t->day < day_min || t->day > day_max || t->ticks < 0 || t->ticks >= ticks_per_day)
    return std::nullopt;
  switch (column.token) {
    case type_token::date: return encode::date(p, t->day);
    case type_token::time: return encode::time(p, column, t->ticks);
    case type_token::datetime2: return encode::datetime2(p, column, t->day, t->ticks);
    case type_token::datetimeoffset: {
      std::int64_t ticks = t->ticks - t->offset * 60 * ticks_per_second;
      day_number day = t->day;
      if (ticks < 0) {
        ticks += ticks_per_day;
        --day;
      } else if (ticks >= ticks_per_day) {
        ticks -= ticks_per_day;
        ++day;
      }
      if (day < day_min || day > day_max) return std::nullopt;
      return encode::datetimeoffset(p, column, day, ticks, t->offset);
    }
    case type_token::datetime:
    case type_token::datetim4:
    case type_token::datetimn: {
      if (column.size == 4) {
        std::int64_t minutes = (t->ticks + 30 * ticks_per_second) / (60 * ticks_per_second);
        std::int32_t days = t->day - days_to_1900 + static_cast<std::int32_t>(minutes / 1440);
        minutes %= 1440;
        if (days < 0 || days > 65535) return std::nullopt;
        return encode::smalldatetime(p, column, static_cast<std::uint16_t>(days), static_cast<std::uint16_t>(minutes));
      }
      // Nearest 1/300 s.
      std::int64_t parts = (t->ticks * 3 + 50'000) / 100'000;
      std::int32_t days = t->day - days_to_1900;
      if (parts >= 300 * 86'400) {
        parts -= 300 * 86'400;
        ++days;
      }
      return encode::datetime(p, column, days, static_cast<std::uint32_t>(parts));
    }
    default: return std::nullopt;
  }
}

}  // namespace

void write_value(byte_writer& out, const wire_column& column, const sql_value& value) {
  const auto write_null = [&] {
    std::uint8_t* p = out.reserve(32);
    if (p != nullptr) out.commit(static_cast<std::size_t>(encode::null(p, column) - p));
  };
  if (is_null(value)) return write_null();
  if (column.form == value_form::variant) return write_variant(out, column, value);
  if (column.text != value_text::none) {
    if (const auto* text = std::get_if<std::string>(&value)) return write_text(out, column, *text);
    const auto text = as_text(value, column);
    return text ? write_text(out, column, *text) : write_null();
  }
  if (column.form == value_form::short_len || column.form == value_form::plp || column.form == value_form::text_ptr) {
    const auto* data = std::get_if<bytes>(&value);
    if (data == nullptr) return write_null();
    byte_span view(*data);
    if (column.form == value_form::short_len && view.size() > column.max_bytes) view = view.first(column.max_bytes);
    if (column.token == type_token::bigbinary && view.size() < column.max_bytes) {
      bytes padded(view.begin(), view.end());
      padded.resize(column.max_bytes);
      return write_counted(out, column, padded);
    }
    return write_counted(out, column, view);
  }
  std::uint8_t* p = out.reserve(48);
  if (p == nullptr) return;
  const auto end = encode_scalar(p, column, value);
  if (!end) return write_null();
  out.commit(static_cast<std::size_t>(*end - p));
}

}  // namespace dragoman::tds
