#include "tds/wire_column.h"

#include <algorithm>
#include <utility>

#include "base/utf16.h"
#include "tds/value_encoder.h"

namespace dragoman::tds {
namespace {

using id = sql_type_id;

constexpr std::uint32_t short_bytes_max = 8000;

// Numbers have two tokens: a bare one for NOT NULL and one with a length byte. Clients choose by the nullable flag.
void number(wire_column& w, type_token fixed, type_token nullable, std::uint8_t size) {
  w.token = w.nullable() ? nullable : fixed;
  w.form = w.nullable() ? value_form::byte_len : value_form::fixed;
  w.size = size;
}

void byte_sized(wire_column& w, type_token token, std::uint8_t size) {
  w.token = token;
  w.form = value_form::byte_len;
  w.size = size;
}

void long_object(wire_column& w, type_token token, value_text text) {
  w.token = token;
  w.form = value_form::text_ptr;
  w.text = text;
  w.max_bytes = token == type_token::ntext ? 0x7FFF'FFFE : 0x7FFF'FFFF;
}

void characters(wire_column& w, type_token token, std::int32_t length, std::uint32_t unit, value_text text,
                const wire_profile& profile, type_token legacy) {
  const std::uint64_t wanted = length < 0 ? short_bytes_max + 1u : static_cast<std::uint64_t>(length) * unit;
  if (wanted > short_bytes_max) {
    if (!profile.wide()) return long_object(w, legacy, text);
    w.token = token == type_token::bigbinary ? type_token::bigvarbin
              : token == type_token::bigchar ? type_token::bigvarchar
              : token == type_token::nchar   ? type_token::nvarchar
                                             : token;
    w.form = value_form::plp;
    w.max_bytes = 0;
  } else {
    w.token = token;
    w.form = value_form::short_len;
    w.max_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(wanted, unit));
  }
  w.text = text;
}

void wide_text(wire_column& w, type_token token, std::int32_t length, const wire_profile& profile) {
  characters(w, token, length, 2, value_text::utf16, profile, type_token::ntext);
}

// A type that the client's version does not have, as the text SQL Server would send instead.
void as_nvarchar(wire_column& w, std::uint32_t bytes) {
  w.token = type_token::nvarchar;
  w.form = value_form::short_len;
  w.text = value_text::utf16;
  w.max_bytes = bytes;
}

void narrow_text(wire_column& w, type_token token, std::int32_t length, const wire_profile& profile) {
  if (w.coll.utf8() && !profile.utf8) {
    w.coll = profile.coll;
    return wide_text(w, token == type_token::bigchar ? type_token::nchar : type_token::nvarchar, length, profile);
  }
  characters(w, token, length, 1, w.coll.utf8() ? value_text::utf8 : value_text::code_page, profile, type_token::text);
}

}  // namespace

wire_column wire_column_of(const result_column& column, const wire_profile& profile) {
  const sql_type& type = column.type;
  wire_column w;
  w.source = type.id;
  w.precision = type.precision;
  w.scale = type.scale;
  w.coll = is_unicode(type.id) || is_character(type.id) ? type.coll : profile.coll;
  w.flags = static_cast<std::uint16_t>((column.nullable ? column_flag::nullable : 0) |
                                       (column.identity ? column_flag::identity : 0) |
                                       (column.computed ? column_flag::computed : 0));
  switch (type.id) {
    case id::bit: number(w, type_token::bit, type_token::bitn, 1); break;
    case id::tinyint: number(w, type_token::int1, type_token::intn, 1); break;
    case id::smallint: number(w, type_token::int2, type_token::intn, 2); break;
    case id::int_: number(w, type_token::int4, type_token::intn, 4); break;
    case id::bigint: number(w, type_token::int8, type_token::intn, 8); break;
    case id::real: number(w, type_token::flt4, type_token::fltn, 4); break;
    case id::float_: number(w, type_token::flt8, type_token::fltn, 8); break;
    case id::smallmoney: number(w, type_token::money4, type_token::moneyn, 4); break;
    case id::money: number(w, type_token::money, type_token::moneyn, 8); break;
    case id::smalldatetime: number(w, type_token::datetim4, type_token::datetimn, 4); break;
    case id::datetime: number(w, type_token::datetime, type_token::datetimn, 8); break;
    case id::decimal:
    case id::numeric: {
      w.precision = std::clamp<std::uint8_t>(type.precision, 1, 38);
      w.scale = std::min(type.scale, w.precision);
      const std::uint8_t size = w.precision <= 9 ? 5 : w.precision <= 19 ? 9 : w.precision <= 28 ? 13 : 17;
      byte_sized(w, type.id == id::decimal ? type_token::decimaln : type_token::numericn, size);
      break;
    }
    case id::date:
      if (profile.date_types())
        byte_sized(w, type_token::date, 3);
      else
        as_nvarchar(w, 20);
      break;
    case id::time:
      w.scale = std::min<std::uint8_t>(type.scale, 7);
      if (profile.date_types())
        byte_sized(w, type_token::time, encode::time_size(w.scale));
      else
        as_nvarchar(w, 32);
      break;
    case id::datetime2:
      w.scale = std::min<std::uint8_t>(type.scale, 7);
      if (profile.date_types())
        byte_sized(w, type_token::datetime2, static_cast<std::uint8_t>(encode::time_size(w.scale) + 3));
      else
        as_nvarchar(w, 54);
      break;
    case id::datetimeoffset:
      w.scale = std::min<std::uint8_t>(type.scale, 7);
      if (profile.date_types())
        byte_sized(w, type_token::datetimeoffset, static_cast<std::uint8_t>(encode::time_size(w.scale) + 5));
      else
        as_nvarchar(w, 68);
      break;
    case id::uniqueidentifier: byte_sized(w, type_token::guid, 16); break;
    case id::char_: narrow_text(w, type_token::bigchar, type.length, profile); break;
    case id::varchar: narrow_text(w, type_token::bigvarchar, type.length, profile); break;
    case id::text:
      if (w.coll.utf8() && !profile.utf8) {
        w.coll = profile.coll;
        long_object(w, type_token::ntext, value_text::utf16);
      } else {
        long_object(w, type_token::text, w.coll.utf8() ? value_text::utf8 : value_text::code_page);
      }
      break;
    case id::nchar: wide_text(w, type_token::nchar, type.length, profile); break;
    case id::nvarchar: wide_text(w, type_token::nvarchar, type.length, profile); break;
    case id::sysname: wide_text(w, type_token::nvarchar, 128, profile); break;
    case id::ntext: long_object(w, type_token::ntext, value_text::utf16); break;
    case id::binary:
      characters(w, type_token::bigbinary, type.length, 1, value_text::none, profile, type_token::image);
      break;
    case id::varbinary:
      characters(w, type_token::bigvarbin, type.length, 1, value_text::none, profile, type_token::image);
      break;
    case id::rowversion:
      characters(w, type_token::bigbinary, 8, 1, value_text::none, profile, type_token::image);
      w.user_type = user_type::rowversion;
      break;
    case id::image: long_object(w, type_token::image, value_text::none); break;
    case id::hierarchyid:
      characters(w, type_token::bigvarbin, 892, 1, value_text::none, profile, type_token::image);
      break;
    case id::geometry:
    case id::geography:
      characters(w, type_token::bigvarbin, -1, 1, value_text::none, profile, type_token::image);
      break;
    case id::xml:
      if (profile.wide()) {
        w.token = type_token::xml;
        w.form = value_form::plp;
        w.text = value_text::utf16;
      } else {
        long_object(w, type_token::ntext, value_text::utf16);
      }
      break;
    case id::sql_variant:
      w.token = type_token::variant;
      w.form = value_form::variant;
      w.max_bytes = 8009;
      break;
    // Not negotiated with any client yet, so they travel as SQL Server sends them to such clients: as their text.
    case id::json:
    case id::vector:
    case id::unknown: wide_text(w, type_token::nvarchar, -1, profile); break;
  }
  if (w.text != value_text::none && (w.coll.info & (1u << 20)) == 0) w.flags |= column_flag::case_sensitive;
  return w;
}

std::size_t value_bytes_max(const wire_column& w) noexcept {
  constexpr std::size_t slack = 16;  // encoders may write a whole machine word behind a short value
  switch (w.form) {
    case value_form::fixed:
    case value_form::byte_len: return 1 + w.size + slack;
    case value_form::short_len: return 2 + w.max_bytes;
    case value_form::variant: return 4 + w.max_bytes + slack;
    case value_form::plp:
    case value_form::text_ptr: return 0;
  }
  return 0;
}

void write_type_info(byte_writer& out, const wire_column& w) {
  out.u8(static_cast<std::uint8_t>(w.token));
  switch (w.token) {
    case type_token::intn:
    case type_token::bitn:
    case type_token::fltn:
    case type_token::moneyn:
    case type_token::datetimn:
    case type_token::guid: out.u8(w.size); break;
    case type_token::decimaln:
    case type_token::numericn:
      out.u8(w.size);
      out.u8(w.precision);
      out.u8(w.scale);
      break;
    case type_token::time:
    case type_token::datetime2:
    case type_token::datetimeoffset: out.u8(w.scale); break;
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::nvarchar:
    case type_token::nchar:
      out.u16(w.form == value_form::plp ? 0xFFFF : static_cast<std::uint16_t>(w.max_bytes));
      out.u32(w.coll.info);
      out.u8(w.coll.sort_id);
      break;
    case type_token::bigvarbin:
    case type_token::bigbinary:
      out.u16(w.form == value_form::plp ? 0xFFFF : static_cast<std::uint16_t>(w.max_bytes));
      break;
    case type_token::text:
    case type_token::ntext:
      out.u32(w.max_bytes);
      out.u32(w.coll.info);
      out.u8(w.coll.sort_id);
      break;
    case type_token::image:
    case type_token::variant: out.u32(w.max_bytes); break;
    case type_token::xml: out.u8(0); break;
    case type_token::udt:
      out.u16(static_cast<std::uint16_t>(w.max_bytes));
      if (w.clr_names) out.raw(*w.clr_names);
      break;
    default: break;  // fixed types and date have nothing more
  }
}

row_layout::row_layout(std::span<const result_column> columns, const wire_profile& profile)
    : profile_(profile), nbcrow_(profile.nbcrow()) {
  columns_.reserve(columns.size());
  for (const result_column& column : columns) columns_.push_back(wire_column_of(column, profile));
}

row_layout::row_layout(std::vector<wire_column> columns, const wire_profile& profile)
    : columns_(std::move(columns)), profile_(profile), nbcrow_(profile.nbcrow()) {}

void row_layout::mark_computed(const std::vector<bool>& computed) {
  if (computed.size() != columns_.size()) return;
  for (std::size_t i = 0; i < computed.size(); ++i)
    if (computed[i]) columns_[i].flags |= column_flag::computed;
}

void row_layout::write_colmetadata(byte_writer& out, std::span<const result_column> columns) const {
  out.u8(0x81);
  out.u16(static_cast<std::uint16_t>(columns_.size()));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const wire_column& w = columns_[i];
    if (profile_.wide())
      out.u32(w.user_type);
    else
      out.u16(static_cast<std::uint16_t>(w.user_type));
    out.u16(w.flags);
    write_type_info(out, w);
    if (w.form == value_form::text_ptr) {  // TableName: one empty part
      if (profile_.wide()) out.u8(1);
      out.u16(0);
    }
    const std::string_view name =
        i < columns.size() ? utf16_prefix(columns[i].name, limits::identifier_max) : std::string_view{};
    out.u8(static_cast<std::uint8_t>(utf16_length(name)));
    out.utf16(name);
  }
}

void row_layout::write_row(byte_writer& out, std::span<const sql_value> values) const {
  const std::size_t count = columns_.size();
  const std::size_t bitmap_size = (count + 7) / 8;
  if (nbcrow_) {
    // What a NULL costs in a plain row: its length field.
    std::size_t saved = 0;
    bool possible = true;
    for (std::size_t i = 0; i < count; ++i) {
      if (i < values.size() && !is_null(values[i])) continue;
      const value_form form = columns_[i].form;
      possible = possible && form != value_form::fixed;
      saved += form == value_form::plp ? 8 : form == value_form::variant ? 4 : form == value_form::short_len ? 2 : 1;
    }
    if (possible && saved > bitmap_size) {
      out.u8(encode::nbcrow_token);
      const std::size_t at = out.size();
      for (std::size_t i = 0; i < bitmap_size; ++i) out.u8(0);
      for (std::size_t i = 0; i < count; ++i) {
        if (i < values.size() && !is_null(values[i])) {
          write_value(out, columns_[i], values[i]);
        } else if (!out.failed()) {
          out.data()[at + i / 8] = static_cast<std::uint8_t>(out.data()[at + i / 8] | 1u << (i % 8));
        }
      }
      return;
    }
  }
  out.u8(encode::row_token);
  static const sql_value nothing;
  for (std::size_t i = 0; i < count; ++i) write_value(out, columns_[i], i < values.size() ? values[i] : nothing);
}

}  // namespace dragoman::tds
