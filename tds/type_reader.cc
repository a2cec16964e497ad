#include "tds/type_reader.h"

#include <bit>
#include <vector>

#include "base/code_page.h"
#include "base/utf16.h"

namespace dragoman::tds {
namespace {

using id = sql_type_id;

collation read_collation(byte_reader& in) {
  collation coll;
  coll.info = in.u32();
  coll.sort_id = in.u8();
  return coll;
}

void skip_b_varchar(byte_reader& in) {
  const std::size_t units = in.u8();
  in.skip(units * 2);
}
void skip_us_varchar(byte_reader& in) {
  const std::size_t units = in.u16();
  in.skip(units * 2);
}

std::int32_t chars_of(std::uint32_t bytes, std::uint32_t unit) {
  const std::uint32_t chars = bytes / unit;
  return chars == 0 ? 1 : static_cast<std::int32_t>(chars);
}

void set_fixed(sent_type& t, id type, std::uint32_t bytes) {
  t.type.id = type;
  t.max_bytes = bytes;
}

bool one_of(std::uint32_t value, std::initializer_list<std::uint32_t> list) {
  for (const std::uint32_t allowed : list)
    if (value == allowed) return true;
  return false;
}

id integer_of(std::uint32_t bytes) {
  return bytes == 1 ? id::tinyint : bytes == 2 ? id::smallint : bytes == 4 ? id::int_ : id::bigint;
}

bool is_wide(type_token token) {
  return token == type_token::nvarchar || token == type_token::nchar || token == type_token::ntext ||
         token == type_token::xml;
}

// The bytes of a value in its own form; nullopt = NULL.
std::optional<bytes> gather_plp(byte_reader& in) {
  const std::uint64_t total = in.u64();
  if (total == 0xFFFF'FFFF'FFFF'FFFF) return std::nullopt;
  const bool known = total != 0xFFFF'FFFF'FFFF'FFFE;
  bytes out;
  if (known && total <= in.remaining()) out.reserve(total);
  for (;;) {
    const std::uint32_t length = in.u32();
    if (in.failed()) return std::nullopt;
    if (length == 0) break;
    const byte_span chunk = in.take(length);
    out.insert(out.end(), chunk.begin(), chunk.end());
  }
  if (known && out.size() != total) in.fail();
  return out;
}

std::int64_t signed_of(byte_span raw) {
  std::uint64_t value = 0;
  for (std::size_t i = raw.size(); i-- > 0;) value = value << 8 | raw[i];
  if (raw.size() == 1) return static_cast<std::int64_t>(value);  // tinyint has no sign
  if (raw.size() == 2) return static_cast<std::int16_t>(value);
  if (raw.size() == 4) return static_cast<std::int32_t>(value);
  return static_cast<std::int64_t>(value);
}

std::uint64_t unsigned_of(byte_span raw) {
  std::uint64_t value = 0;
  for (std::size_t i = raw.size(); i-- > 0;) value = value << 8 | raw[i];
  return value;
}

sql_value float_value(byte_span raw) {
  if (raw.size() == 4) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(unsigned_of(raw))));
  return std::bit_cast<double>(unsigned_of(raw));
}

sql_value money_value(byte_span raw) {
  std::int64_t units = 0;
  if (raw.size() == 4) {
    units = static_cast<std::int32_t>(unsigned_of(raw));
  } else {
    units = static_cast<std::int64_t>(unsigned_of(raw.first(4)) << 32 | unsigned_of(raw.subspan(4)));
  }
  decimal d;
  d.negative = units < 0;
  d.magnitude = d.negative ? static_cast<uint128>(0) - static_cast<uint128>(static_cast<__int128>(units))
                           : static_cast<uint128>(units);
  d.precision = raw.size() == 4 ? 10 : 19;
  d.scale = 4;
  return d;
}

std::optional<sql_value> decimal_value(byte_span raw, std::uint8_t precision, std::uint8_t scale) {
  decimal d;
  d.precision = precision;
  d.scale = scale;
  if (raw.size() < 2 || raw.size() > 17) return std::nullopt;
  for (std::size_t i = raw.size(); i-- > 1;) d.magnitude = d.magnitude << 8 | raw[i];
  uint128 limit = 1;
  for (int i = 0; i < 38; ++i) limit *= 10;
  if (d.magnitude >= limit) return std::nullopt;
  d.negative = raw[0] == 0 && d.magnitude != 0;
  return d;
}

std::optional<std::int64_t> ticks_of(byte_span raw, std::uint8_t scale) {
  constexpr std::uint64_t factor[8] = {10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
  if (scale > 7 || raw.size() < 3 || raw.size() > 5) return std::nullopt;
  const std::uint64_t ticks = unsigned_of(raw) * factor[scale];
  if (ticks >= static_cast<std::uint64_t>(ticks_per_day)) return std::nullopt;
  return static_cast<std::int64_t>(ticks);
}

std::optional<day_number> day_of(byte_span raw) {
  const auto day = static_cast<day_number>(unsigned_of(raw));
  if (day > day_max) return std::nullopt;
  return day;
}

std::optional<sql_value> datetime_value(byte_span raw) {
  civil_time t;
  if (raw.size() == 4) {
    t.day = days_to_1900 + static_cast<day_number>(unsigned_of(raw.first(2)));
    t.ticks = static_cast<std::int64_t>(unsigned_of(raw.subspan(2))) * 60 * ticks_per_second;
  } else {
    const auto days = static_cast<std::int32_t>(unsigned_of(raw.first(4)));
    if (days < -days_to_1900 || days > day_max - days_to_1900) return std::nullopt;
    t.day = days_to_1900 + days;
    // 1/300 s, shown rounded to milliseconds as SQL Server does.
    const std::uint64_t three_hundredths = unsigned_of(raw.subspan(4));
    t.ticks = static_cast<std::int64_t>((three_hundredths * 10 + 1) / 3) * 10'000;
  }
  if (t.ticks >= ticks_per_day) return std::nullopt;
  return t;
}

// datetime2 and datetimeoffset: time, date, and for the latter the offset; the time is UTC on the wire.
std::optional<sql_value> datetime2_value(byte_span raw, std::uint8_t scale, bool with_offset) {
  const std::size_t tail = with_offset ? 5 : 3;
  if (raw.size() < tail + 3) return std::nullopt;
  const auto ticks = ticks_of(raw.first(raw.size() - tail), scale);
  const auto day = day_of(raw.subspan(raw.size() - tail, 3));
  if (!ticks || !day) return std::nullopt;
  civil_time t{*day, *ticks, 0};
  if (with_offset) {
    t.offset = static_cast<std::int16_t>(unsigned_of(raw.subspan(raw.size() - 2)));
    if (t.offset < -840 || t.offset > 840) return std::nullopt;
    t.ticks += t.offset * 60 * ticks_per_second;
    if (t.ticks < 0) {
      t.ticks += ticks_per_day;
      --t.day;
    } else if (t.ticks >= ticks_per_day) {
      t.ticks -= ticks_per_day;
      ++t.day;
    }
    if (t.day < day_min || t.day > day_max) return std::nullopt;
  }
  return t;
}

// The value from its bare bytes, length already taken away; nullopt = not of this type.
std::optional<sql_value> bare_value(byte_span raw, const sent_type& t) {
  switch (t.token) {
    case type_token::int1:
    case type_token::int2:
    case type_token::int4:
    case type_token::int8:
    case type_token::intn:
      if (!one_of(static_cast<std::uint32_t>(raw.size()), {1, 2, 4, 8})) return std::nullopt;
      return sql_value(signed_of(raw));
    case type_token::bit:
    case type_token::bitn:
      if (raw.size() != 1) return std::nullopt;
      return sql_value(std::int64_t{raw[0] != 0});
    case type_token::flt4:
    case type_token::flt8:
    case type_token::fltn:
      if (!one_of(static_cast<std::uint32_t>(raw.size()), {4, 8})) return std::nullopt;
      return float_value(raw);
    case type_token::money:
    case type_token::money4:
    case type_token::moneyn:
      if (!one_of(static_cast<std::uint32_t>(raw.size()), {4, 8})) return std::nullopt;
      return money_value(raw);
    case type_token::datetime:
    case type_token::datetim4:
    case type_token::datetimn:
      if (!one_of(static_cast<std::uint32_t>(raw.size()), {4, 8})) return std::nullopt;
      return datetime_value(raw);
    case type_token::decimaln:
    case type_token::numericn:
    case type_token::decimal_old:
    case type_token::numeric_old: return decimal_value(raw, t.precision, t.scale);
    case type_token::date: {
      if (raw.size() != 3) return std::nullopt;
      const auto day = day_of(raw);
      if (!day) return std::nullopt;
      return sql_value(civil_time{*day, 0, 0});
    }
    case type_token::time: {
      const auto ticks = ticks_of(raw, t.scale);
      if (!ticks) return std::nullopt;
      return sql_value(civil_time{0, *ticks, 0});
    }
    case type_token::datetime2: return datetime2_value(raw, t.scale, false);
    case type_token::datetimeoffset: return datetime2_value(raw, t.scale, true);
    case type_token::guid: {
      if (raw.size() != 16) return std::nullopt;
      guid g{};
      for (std::size_t i = 0; i < 16; ++i) g[i] = raw[i];
      return sql_value(g);
    }
    case type_token::nvarchar:
    case type_token::nchar:
    case type_token::ntext:
    case type_token::xml: {
      // XML may start with a byte order mark.
      if (t.token == type_token::xml && raw.size() >= 2 && raw[0] == 0xFF && raw[1] == 0xFE) raw = raw.subspan(2);
      auto text = utf8_from_utf16le(raw);
      if (!text) return std::nullopt;
      return sql_value(std::move(*text));
    }
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::text:
    case type_token::char_old:
    case type_token::varchar_old: return sql_value(utf8_from_code_page(raw, code_page_of(t.coll)));
    case type_token::json: return sql_value(utf8_from_code_page(raw, 65001));
    default: return sql_value(bytes(raw.begin(), raw.end()));
  }
}

// sql_variant: the inner type, its properties, the bare value.
std::optional<sql_value> variant_value(byte_span raw) {
  byte_reader in(raw);
  sent_type inner;
  inner.token = static_cast<type_token>(in.u8());
  byte_reader properties(in.take(in.u8()));
  switch (inner.token) {
    case type_token::decimaln:
    case type_token::numericn:
      inner.precision = properties.u8();
      inner.scale = properties.u8();
      if (inner.precision < 1 || inner.precision > 38 || inner.scale > inner.precision) return std::nullopt;
      break;
    case type_token::time:
    case type_token::datetime2:
    case type_token::datetimeoffset: inner.scale = properties.u8(); break;
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::nvarchar:
    case type_token::nchar: inner.coll = read_collation(properties); break;
    case type_token::bigvarbin:
    case type_token::bigbinary:
    case type_token::int1:
    case type_token::int2:
    case type_token::int4:
    case type_token::int8:
    case type_token::bit:
    case type_token::flt4:
    case type_token::flt8:
    case type_token::money:
    case type_token::money4:
    case type_token::datetime:
    case type_token::datetim4:
    case type_token::date:
    case type_token::guid: break;
    default: return std::nullopt;
  }
  if (in.failed() || properties.failed()) return std::nullopt;
  return bare_value(in.rest(), inner);
}

}  // namespace

std::optional<sent_type> read_type_info(byte_reader& in, const wire_profile& profile) {
  sent_type t;
  t.token = static_cast<type_token>(in.u8());
  if (in.failed()) return std::nullopt;
  const auto reject = [&in]() -> std::optional<sent_type> {
    in.fail();
    return std::nullopt;
  };
  switch (t.token) {
    case type_token::null: break;
    case type_token::int1: set_fixed(t, id::tinyint, 1); break;
    case type_token::bit: set_fixed(t, id::bit, 1); break;
    case type_token::int2: set_fixed(t, id::smallint, 2); break;
    case type_token::int4: set_fixed(t, id::int_, 4); break;
    case type_token::int8: set_fixed(t, id::bigint, 8); break;
    case type_token::datetim4: set_fixed(t, id::smalldatetime, 4); break;
    case type_token::datetime: set_fixed(t, id::datetime, 8); break;
    case type_token::flt4: set_fixed(t, id::real, 4); break;
    case type_token::flt8: set_fixed(t, id::float_, 8); break;
    case type_token::money4: set_fixed(t, id::smallmoney, 4); break;
    case type_token::money: set_fixed(t, id::money, 8); break;
    case type_token::guid:
      set_fixed(t, id::uniqueidentifier, in.u8());
      if (!one_of(t.max_bytes, {0, 16})) return reject();
      break;
    case type_token::intn:
      t.max_bytes = in.u8();
      if (!one_of(t.max_bytes, {1, 2, 4, 8})) return reject();
      t.type.id = integer_of(t.max_bytes);
      break;
    case type_token::bitn:
      set_fixed(t, id::bit, in.u8());
      if (t.max_bytes != 1) return reject();
      break;
    case type_token::fltn:
      t.max_bytes = in.u8();
      if (!one_of(t.max_bytes, {4, 8})) return reject();
      t.type.id = t.max_bytes == 4 ? id::real : id::float_;
      break;
    case type_token::moneyn:
      t.max_bytes = in.u8();
      if (!one_of(t.max_bytes, {4, 8})) return reject();
      t.type.id = t.max_bytes == 4 ? id::smallmoney : id::money;
      break;
    case type_token::datetimn:
      t.max_bytes = in.u8();
      if (!one_of(t.max_bytes, {4, 8})) return reject();
      t.type.id = t.max_bytes == 4 ? id::smalldatetime : id::datetime;
      break;
    case type_token::decimaln:
    case type_token::numericn:
    case type_token::decimal_old:
    case type_token::numeric_old:
      t.max_bytes = in.u8();
      t.precision = in.u8();
      t.scale = in.u8();
      if (in.failed() || t.max_bytes > 17 || t.precision < 1 || t.precision > 38 || t.scale > t.precision)
        return reject();
      t.type.id = t.token == type_token::decimaln || t.token == type_token::decimal_old ? id::decimal : id::numeric;
      t.type.precision = t.precision;
      t.type.scale = t.scale;
      break;
    case type_token::date: set_fixed(t, id::date, 3); break;
    case type_token::time:
    case type_token::datetime2:
    case type_token::datetimeoffset:
      t.scale = in.u8();
      if (t.scale > 7) return reject();
      t.type.id = t.token == type_token::time        ? id::time
                  : t.token == type_token::datetime2 ? id::datetime2
                                                     : id::datetimeoffset;
      t.type.scale = t.scale;
      break;
    case type_token::nvarchar:
    case type_token::nchar:
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::bigvarbin:
    case type_token::bigbinary: {
      t.max_bytes = in.u16();
      const bool binary = t.token == type_token::bigvarbin || t.token == type_token::bigbinary;
      if (!binary) t.coll = read_collation(in);
      t.plp = t.max_bytes == 0xFFFF && profile.wide();
      const bool wide = is_wide(t.token);
      t.type.id = t.token == type_token::nvarchar     ? id::nvarchar
                  : t.token == type_token::nchar      ? id::nchar
                  : t.token == type_token::bigvarchar ? id::varchar
                  : t.token == type_token::bigchar    ? id::char_
                  : t.token == type_token::bigvarbin  ? id::varbinary
                                                      : id::binary;
      t.type.length = t.plp ? sql_type::max_length : chars_of(t.max_bytes, wide ? 2 : 1);
      t.type.coll = t.coll;
      break;
    }
    case type_token::char_old:
    case type_token::varchar_old:
    case type_token::binary_old:
    case type_token::varbinary_old:
      t.max_bytes = in.u8();
      t.type.id = t.token == type_token::char_old      ? id::char_
                  : t.token == type_token::varchar_old ? id::varchar
                  : t.token == type_token::binary_old  ? id::binary
                                                       : id::varbinary;
      t.type.length = chars_of(t.max_bytes, 1);
      break;
    case type_token::text:
    case type_token::ntext:
    case type_token::image:
      t.max_bytes = in.u32();
      if (t.token != type_token::image) t.coll = read_collation(in);
      t.type.id = t.token == type_token::text ? id::text : t.token == type_token::ntext ? id::ntext : id::image;
      t.type.coll = t.coll;
      break;
    case type_token::variant:
      t.max_bytes = in.u32();
      t.type.id = id::sql_variant;
      break;
    case type_token::xml:
      t.plp = true;
      t.type.id = id::xml;
      if (in.u8() != 0) {
        skip_b_varchar(in);
        skip_b_varchar(in);
        skip_us_varchar(in);
      }
      break;
    case type_token::udt:
      // In a parameter only the three names, 2.2.5.5.2.
      t.plp = true;
      t.type.id = id::varbinary;
      t.type.length = sql_type::max_length;
      for (int i = 0; i < 3; ++i) skip_b_varchar(in);
      break;
    case type_token::json:
      t.plp = true;
      t.type.id = id::json;
      break;
    case type_token::vector:
      t.max_bytes = in.u16();
      in.u8();  // dimension type
      t.type.id = id::vector;
      break;
    default: return reject();  // TVP has a layout of its own and is the caller's
  }
  if (in.failed()) return std::nullopt;
  return t;
}

sql_value read_value(byte_reader& in, const sent_type& t) {
  byte_span raw;
  std::optional<bytes> gathered;
  switch (t.token) {
    case type_token::null: return null_value{};
    case type_token::int1:
    case type_token::bit:
    case type_token::int2:
    case type_token::int4:
    case type_token::int8:
    case type_token::datetim4:
    case type_token::flt4:
    case type_token::money4:
    case type_token::flt8:
    case type_token::money:
    case type_token::datetime: raw = in.take(t.max_bytes); break;
    case type_token::text:
    case type_token::ntext:
    case type_token::image: {
      const std::uint32_t length = in.u32();
      if (length == 0xFFFF'FFFF) return null_value{};
      raw = in.take(length);
      break;
    }
    case type_token::variant: {
      const std::uint32_t length = in.u32();
      if (length == 0) return null_value{};
      auto value = variant_value(in.take(length));
      if (!value) in.fail();
      return in.failed() ? sql_value{} : std::move(*value);
    }
    case type_token::nvarchar:
    case type_token::nchar:
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::bigvarbin:
    case type_token::bigbinary:
    case type_token::xml:
    case type_token::udt:
    case type_token::json:
    case type_token::vector:
      if (t.plp) {
        gathered = gather_plp(in);
        if (!gathered) return null_value{};
        raw = *gathered;
      } else {
        const std::uint16_t length = in.u16();
        if (length == 0xFFFF) return null_value{};
        raw = in.take(length);
      }
      break;
    case type_token::char_old:
    case type_token::varchar_old:
    case type_token::binary_old:
    case type_token::varbinary_old: {
      const std::uint8_t length = in.u8();
      if (length == 0) return null_value{};
      raw = in.take(length);
      break;
    }
    default: {
      const std::uint8_t length = in.u8();
      if (length == 0) return null_value{};
      raw = in.take(length);
      break;
    }
  }
  if (in.failed()) return null_value{};
  auto value = bare_value(raw, t);
  if (!value) {
    in.fail();
    return null_value{};
  }
  return std::move(*value);
}

bool skip_table_value(byte_reader& in, const wire_profile& profile) {
  for (int i = 0; i < 3; ++i) skip_b_varchar(in);
  const std::uint16_t count = in.u16();
  std::vector<sent_type> columns;
  if (count != 0xFFFF) {
    for (unsigned i = 0; i < count; ++i) {
      in.u32();  // user type
      const std::uint16_t flags = in.u16();
      auto type = read_type_info(in, profile);
      if (!type) return false;
      skip_b_varchar(in);
      constexpr std::uint16_t column_default = 0x0200;  // such columns have no values in the rows
      if ((flags & column_default) == 0) columns.push_back(*type);
    }
  }
  for (;;) {
    const std::uint8_t item = in.u8();
    if (in.failed()) return false;
    if (item == 0x00) break;
    const std::size_t entries = in.u16();
    if (item == 0x10) {
      in.skip(entries * 3);  // column number and order flags
    } else if (item == 0x11) {
      in.skip(entries * 2);
    } else {
      in.fail();
      return false;
    }
  }
  for (;;) {
    const std::uint8_t item = in.u8();
    if (in.failed()) return false;
    if (item == 0x00) return true;
    if (item != 0x01) {
      in.fail();
      return false;
    }
    for (const sent_type& column : columns) {
      read_value(in, column);
      if (in.failed()) return false;
    }
  }
}

}  // namespace dragoman::tds
