#include "tds/received_columns.h"

#include <algorithm>
#include <cstring>

#include "tds/token_writer.h"
#include "tds/value_encoder.h"

namespace dragoman::tds {
namespace {

using id = sql_type_id;

constexpr std::uint16_t no_metadata = 0xFFFF;
// What is passed on of a column's flags: nullability, case, identity, computed. Nothing is updatable
// here, no column is encrypted for the client, and keys and hidden columns belong to browse mode.
constexpr std::uint16_t flags_kept = column_flag::nullable | column_flag::case_sensitive | column_flag::identity |
                                     column_flag::computed | column_flag::nullable_unknown;
constexpr std::uint32_t variant_bytes_max = 8016;

std::string text_of(byte_span utf16) {
  return utf8_from_utf16le(utf16).value_or(std::string());
}

id clr_type_of(std::string_view name) {
  const id known = type_id_of(name);
  return known == id::hierarchyid || known == id::geometry || known == id::geography ? known : id::varbinary;
}

// UDT_INFO_IN_COLMETADATA, 2.2.5.5.2.
sent_type read_clr_type(byte_reader& in, wire_column& wire) {
  sent_type t;
  t.token = type_token::udt;
  t.plp = true;
  t.max_bytes = in.u16();
  const byte_span all = byte_reader(in).rest();
  const std::size_t begin = in.position();
  std::string name;
  for (int i = 0; i < 3; ++i) name = text_of(in.take(in.u8() * std::size_t{2}));
  in.skip(in.u16() * std::size_t{2});
  t.type.id = clr_type_of(name);
  if (t.type.id == id::varbinary) t.type.length = sql_type::max_length;
  if (!in.failed()) {
    const byte_span names = all.first(in.position() - begin);
    wire.clr_names = std::make_shared<const std::vector<std::uint8_t>>(names.begin(), names.end());
  }
  return t;
}

void set_form(wire_column& w, const sent_type& t) {
  w.token = t.token;
  w.source = t.type.id;
  w.precision = t.precision;
  w.scale = t.scale;
  w.coll = t.coll;
  w.size = static_cast<std::uint8_t>(std::min<std::uint32_t>(t.max_bytes, 255));
  w.max_bytes = t.plp ? 0 : t.max_bytes;
  switch (t.token) {
    case type_token::null: w.size = 0; [[fallthrough]];
    case type_token::int1:
    case type_token::bit:
    case type_token::int2:
    case type_token::int4:
    case type_token::int8:
    case type_token::datetim4:
    case type_token::datetime:
    case type_token::flt4:
    case type_token::flt8:
    case type_token::money:
    case type_token::money4: w.form = value_form::fixed; break;
    case type_token::time: w.size = encode::time_size(t.scale); break;
    case type_token::datetime2: w.size = static_cast<std::uint8_t>(encode::time_size(t.scale) + 3); break;
    case type_token::datetimeoffset: w.size = static_cast<std::uint8_t>(encode::time_size(t.scale) + 5); break;
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::nvarchar:
    case type_token::nchar:
    case type_token::bigvarbin:
    case type_token::bigbinary: w.form = t.plp ? value_form::plp : value_form::short_len; break;
    case type_token::udt: w.max_bytes = t.max_bytes; [[fallthrough]];
    case type_token::xml:
    case type_token::json: w.form = value_form::plp; break;
    case type_token::vector: w.form = value_form::short_len; break;
    case type_token::text:
    case type_token::ntext:
    case type_token::image: w.form = value_form::text_ptr; break;
    case type_token::variant: w.form = value_form::variant; break;
    default: break;  // a length byte
  }
}

bool has_table_name(type_token token) {
  return token == type_token::text || token == type_token::ntext || token == type_token::image;
}

std::uint16_t little16(const std::uint8_t* p) noexcept {
  return static_cast<std::uint16_t>(p[0] | p[1] << 8);
}
template <class T>
T little(const std::uint8_t* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

}  // namespace

std::optional<std::vector<received_column>> read_colmetadata(byte_reader& in) {
  static const wire_profile newest{};
  const std::uint16_t count = in.u16();
  std::vector<received_column> out;
  if (in.failed()) return std::nullopt;
  if (count == no_metadata) return out;
  out.reserve(std::min<std::size_t>(count, in.remaining() / 7));
  for (std::size_t i = 0; i < count; ++i) {
    received_column c;
    c.wire.user_type = in.u32();
    const std::uint16_t flags = in.u16();
    if (in.peek() == static_cast<std::uint8_t>(type_token::udt)) {
      in.u8();
      c.sent = read_clr_type(in, c.wire);
    } else {
      const auto sent = read_type_info(in, newest);
      if (!sent) return std::nullopt;
      c.sent = *sent;
    }
    if (c.wire.user_type == user_type::rowversion) c.sent.type.id = id::rowversion;
    set_form(c.wire, c.sent);
    c.wire.flags = flags & flags_kept;
    if (has_table_name(c.sent.token))
      for (std::size_t parts = in.u8(); parts > 0 && !in.failed(); --parts) in.skip(in.u16() * std::size_t{2});
    c.column.name = text_of(in.take(in.u8() * std::size_t{2}));
    if (in.failed()) return std::nullopt;
    c.column.type = c.sent.type;
    c.column.nullable = (flags & (column_flag::nullable | column_flag::nullable_unknown)) != 0;
    c.column.identity = (flags & column_flag::identity) != 0;
    c.column.computed = (flags & column_flag::computed) != 0;
    out.push_back(std::move(c));
  }
  return out;
}

bool travels_unchanged(const received_column& c, const wire_profile& profile) noexcept {
  switch (c.sent.token) {
    case type_token::date:
    case type_token::time:
    case type_token::datetime2:
    case type_token::datetimeoffset: return profile.date_types();
    case type_token::bigvarchar:
    case type_token::bigchar:
    case type_token::text:
      if (c.sent.coll.utf8() && !profile.utf8) return false;
      return profile.wide() || !c.sent.plp;
    case type_token::nvarchar:
    case type_token::nchar:
    case type_token::bigvarbin:
    case type_token::bigbinary:
    case type_token::xml: return profile.wide() || !c.sent.plp;
    // Those of more than 8,000 bytes came with TDS 7.3; before, they are varbinary(max).
    case type_token::udt: return profile.date_types() || (profile.wide() && c.sent.max_bytes != 0xFFFF);
    // It may hold a type that the client does not know.
    case type_token::variant: return profile.date_types();
    // Types of features that were not negotiated with this client, and of servers too old to be behind a gateway.
    case type_token::json:
    case type_token::vector:
    case type_token::null:
    case type_token::decimal_old:
    case type_token::numeric_old:
    case type_token::char_old:
    case type_token::varchar_old:
    case type_token::binary_old:
    case type_token::varbinary_old: return false;
    default: return true;
  }
}

sql_value read_row_value(byte_reader& in, const received_column& c) {
  if (c.wire.form == value_form::text_ptr) {
    const std::size_t pointer = in.u8();
    if (pointer == 0) return null_value{};
    in.skip(pointer + 8);
  }
  return read_value(in, c.sent);
}

bool is_row_token(std::uint8_t token) noexcept {
  return token == encode::row_token || token == encode::nbcrow_token;
}

row_scanner::row_scanner(std::span<const received_column> columns, std::size_t value_bytes_max)
    : value_max_(value_bytes_max) {
  steps_.reserve(columns.size());
  for (const received_column& c : columns) add(c.wire);
}

row_scanner::row_scanner(std::span<const wire_column> columns, std::size_t value_bytes_max)
    : value_max_(value_bytes_max) {
  steps_.reserve(columns.size());
  for (const wire_column& c : columns) add(c);
}

void row_scanner::add(const wire_column& column) {
  step s{column.form, column.max_bytes};
  if (s.form == value_form::fixed || s.form == value_form::byte_len) s.most = column.size;
  if (s.form == value_form::variant) s.most = variant_bytes_max;
  steps_.push_back(s);
}

row_scanner::state row_scanner::value_end(const step& s, byte_span rest, chunks& seen,
                                          std::size_t& bytes) const noexcept {
  const std::uint8_t* p = rest.data();
  const std::size_t have = rest.size();
  const auto ends_at = [&](std::size_t n) {
    bytes = n;
    return n <= have ? state::complete : state::incomplete;
  };
  switch (s.form) {
    case value_form::fixed: return ends_at(s.most);
    case value_form::byte_len:
      if (have < 1) return state::incomplete;
      if (p[0] > s.most) return state::malformed;
      return ends_at(1 + std::size_t{p[0]});
    case value_form::short_len: {
      if (have < 2) return state::incomplete;
      const std::uint16_t n = little16(p);
      if (n == 0xFFFF) return ends_at(2);
      if (n > s.most) return state::malformed;
      return ends_at(2 + std::size_t{n});
    }
    case value_form::variant: {
      if (have < 4) return state::incomplete;
      const auto n = little<std::uint32_t>(p);
      if (n > s.most) return state::malformed;
      return ends_at(4 + std::size_t{n});
    }
    case value_form::text_ptr: {
      if (have < 1) return state::incomplete;
      if (p[0] == 0) return ends_at(1);
      const std::size_t head = 1 + std::size_t{p[0]} + 8;
      if (have < head + 4) return state::incomplete;
      const auto n = little<std::uint32_t>(p + head);
      if (n > value_max_) return n > 0x7FFF'FFFF ? state::malformed : state::too_large;
      return ends_at(head + 4 + n);
    }
    case value_form::plp: {
      if (have < 8) return state::incomplete;
      const auto total = little<std::uint64_t>(p);
      if (total == encode::plp_null) return ends_at(8);
      if (total != encode::plp_unknown_length && total > value_max_)
        return total > 0x7FFF'FFFF ? state::malformed : state::too_large;
      if (seen.at == 0) seen.at = 8;
      while (true) {
        if (have < seen.at + 4) return state::incomplete;
        const auto n = little<std::uint32_t>(p + seen.at);
        if (n == 0) break;
        if (total != encode::plp_unknown_length && seen.sum + n > total) return state::malformed;
        if (seen.sum + n > value_max_) return state::too_large;
        if (seen.at + 4 + n > have) return state::incomplete;
        seen.at += 4 + std::size_t{n};
        seen.sum += n;
      }
      if (total != encode::plp_unknown_length && seen.sum != total) return state::malformed;
      return ends_at(seen.at + 4);
    }
  }
  return state::malformed;
}

row_scanner::state row_scanner::scan(byte_span row) noexcept {
  std::size_t head = 1;
  if (at_ == 0) {
    if (row.empty()) return state::incomplete;
    has_bitmap_ = row[0] == encode::nbcrow_token;
    column_ = 0;
  }
  if (has_bitmap_) head += (steps_.size() + 7) / 8;
  if (row.size() < head) return state::incomplete;
  std::size_t at = std::max(at_, head);
  std::size_t i = column_;
  for (; i < steps_.size(); ++i) {
    if (has_bitmap_ && (row[1 + i / 8] >> (i % 8) & 1) != 0) continue;
    std::size_t bytes = 0;
    const state s = value_end(steps_[i], row.subspan(at), chunks_, bytes);
    if (s != state::complete) {
      column_ = i;
      at_ = s == state::incomplete ? at : 0;
      const bool too_long = s == state::incomplete && row.size() > value_max_ + row_overhead;
      if (too_long) at_ = 0;
      if (at_ == 0) chunks_ = {};
      return too_long ? state::too_large : s;
    }
    at += bytes;
    chunks_ = {};
  }
  size_ = at;
  at_ = 0;
  column_ = 0;
  return state::complete;
}

std::size_t row_scanner::value_bytes(std::size_t column, byte_span rest) const noexcept {
  std::size_t bytes = 0;
  chunks seen;
  return value_end(steps_[column], rest, seen, bytes) == state::complete ? bytes : rest.size();
}

void expand_nbcrow(byte_writer& out, byte_span row, std::span<const received_column> columns,
                   const row_scanner& scanner) {
  const std::size_t bitmap = (columns.size() + 7) / 8;
  out.u8(encode::row_token);
  std::size_t at = 1 + bitmap;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if ((row[1 + i / 8] >> (i % 8) & 1) != 0) {
      std::uint8_t* p = out.reserve(32);
      if (p == nullptr) return;
      out.commit(static_cast<std::size_t>(encode::null(p, columns[i].wire) - p));
      continue;
    }
    const std::size_t bytes = scanner.value_bytes(i, row.subspan(at));
    out.raw(row.subspan(at, bytes));
    at += bytes;
  }
}

}  // namespace dragoman::tds
