#include "tds/client_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"
#include "tds/packet.h"
#include "tds/rpc_request.h"
#include "tds/value_encoder.h"
#include "tds/wire_column.h"

namespace dragoman::tds {
namespace {

using id = sql_type_id;

// ALL_HEADERS with a transaction descriptor, 2.2.5.3.2: autocommit, one request at a time.
void write_headers(byte_writer& out) {
  constexpr std::uint32_t header_bytes = 4 + 2 + 8 + 4;
  constexpr std::uint16_t transaction_descriptor = 2;
  out.u32(4 + header_bytes);
  out.u32(header_bytes);
  out.u16(transaction_descriptor);
  out.u64(0);
  out.u32(1);
}

std::vector<std::uint8_t> in_packets(packet_type type, byte_span payload, std::uint32_t packet_size) {
  const std::size_t body = std::max<std::size_t>(packet_size, 512) - packet_header_size;
  std::vector<std::uint8_t> out;
  out.reserve(payload.size() + (payload.size() / body + 1) * packet_header_size);
  std::uint8_t number = 1;
  do {
    const std::size_t n = std::min(payload.size(), body);
    const std::size_t at = out.size();
    out.resize(at + packet_header_size);
    write_packet_header(out.data() + at, type, n == payload.size(), n + packet_header_size, 0, number++);
    out.insert(out.end(), payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(n));
    payload = payload.subspan(n);
  } while (!payload.empty());
  return out;
}

// A varchar's code page is the database's to choose: what is more than ASCII goes as nvarchar, and the server converts
// it to what is declared.
sql_type form_of(const sql_type& type, const sql_value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || (type.id != id::char_ && type.id != id::varchar)) return type;
  if (std::all_of(text->begin(), text->end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return type;
  sql_type wide = type;
  wide.id = id::nvarchar;
  if (wide.length > 4000) wide.length = sql_type::max_length;
  return wide;
}

// False where the value does not fit its type.
bool write_parameter(byte_writer& out, std::string_view name, const sql_type& type, const sql_value& value) {
  constexpr std::uint8_t by_value = 0;
  out.u8(static_cast<std::uint8_t>(utf16_length(name)));
  out.utf16(name);
  out.u8(by_value);
  const wire_column column = wire_column_of({"", form_of(type, value), true}, wire_profile{});
  write_type_info(out, column);
  const std::size_t begin = out.size();
  write_value(out, column, value);
  if (is_null(value)) return true;
  // What does not fit would be written as NULL.
  std::array<std::uint8_t, 32> none{};
  const auto size = static_cast<std::size_t>(encode::null(none.data(), column) - none.data());
  return out.size() - begin != size || std::memcmp(out.data() + begin, none.data(), size) != 0;
}

}  // namespace

sql_type parameter_type(const sql_type& type, const sql_value& value) {
  sql_type t = type;
  switch (type.id) {
    case id::unknown:
    case id::sql_variant:
    case id::vector:
      if (std::holds_alternative<std::int64_t>(value)) return {id::bigint};
      if (std::holds_alternative<double>(value)) return {id::float_};
      if (std::holds_alternative<bytes>(value)) return {id::varbinary, sql_type::max_length};
      if (std::holds_alternative<guid>(value)) return {id::uniqueidentifier};
      if (const auto* d = std::get_if<decimal>(&value)) {
        t = {id::decimal};
        t.precision = std::max<std::uint8_t>(d->precision, 1);
        t.scale = d->scale;
        return t;
      }
      if (std::holds_alternative<civil_time>(value)) {
        t = {id::datetime2};
        t.scale = 7;
        return t;
      }
      return {id::nvarchar, 4000};
    case id::json:
    case id::ntext: return {id::nvarchar, sql_type::max_length};
    case id::sysname: return {id::nvarchar, 128};
    case id::text:
      t.id = id::varchar;
      t.length = sql_type::max_length;
      return t;
    case id::image:
    case id::geometry:
    case id::geography: return {id::varbinary, sql_type::max_length};
    case id::hierarchyid: return {id::varbinary, 892};
    case id::rowversion: return {id::binary, 8};
    case id::char_:
    case id::varchar:
    case id::nchar:
    case id::nvarchar: {
      // Drivers leave the length out, or declare less than the value has.
      const bool wide = type.id == id::nchar || type.id == id::nvarchar;
      const auto* text = std::get_if<std::string>(&value);
      const auto units = static_cast<std::int32_t>(
          text == nullptr ? 0 : std::min<std::size_t>(wide ? utf16_length(*text) : text->size(), 0x7FFF'FFFF));
      const std::int32_t most = wide ? 4000 : 8000;
      if (t.length == 0) t.length = most;
      if (t.length > 0 && units > t.length) t.length = units;
      if (t.length > most) {
        t.id = wide ? id::nvarchar : id::varchar;
        t.length = sql_type::max_length;
      }
      return t;
    }
    case id::binary:
    case id::varbinary: {
      const auto* data = std::get_if<bytes>(&value);
      const std::size_t size = data == nullptr ? 0 : data->size();
      if (t.length == 0) t.length = 8000;
      if (t.length > 0 && size > static_cast<std::size_t>(t.length)) t.length = 8000;
      if (t.length > 8000 || size > 8000) t = {id::varbinary, sql_type::max_length};
      return t;
    }
    default: return t;
  }
}

std::vector<std::uint8_t> write_batch(std::string_view sql, std::uint32_t packet_size) {
  byte_writer out;
  write_headers(out);
  out.utf16(sql);
  return in_packets(packet_type::sql_batch, out.view(), packet_size);
}

result<std::vector<std::uint8_t>> write_executesql(std::string_view sql, std::span<const sent_parameter> parameters,
                                                   std::uint32_t packet_size) {
  byte_writer out;
  write_headers(out);
  constexpr std::uint16_t by_number = 0xFFFF;
  out.u16(by_number);
  out.u16(static_cast<std::uint16_t>(proc_id::sp_executesql));
  out.u16(0);  // options
  const auto text_type = [](std::string_view text) {
    return sql_type{id::nvarchar, utf16_length(text) > 4000 ? sql_type::max_length : 4000};
  };
  write_parameter(out, {}, text_type(sql), std::string(sql));
  std::string declared;
  for (const sent_parameter& p : parameters) {
    if (!declared.empty()) declared += ',';
    declared += p.name;
    declared += ' ';
    declared += to_string(parameter_type(p.type, *p.value));
  }
  write_parameter(out, {}, text_type(declared), declared);
  for (const sent_parameter& p : parameters)
    if (!write_parameter(out, p.name, parameter_type(p.type, *p.value), *p.value))
      return failure(errc::conversion,
                     fmt::format("The value of parameter {} does not fit its type {}.", p.name, to_string(p.type)));
  return in_packets(packet_type::rpc, out.view(), packet_size);
}

std::vector<std::uint8_t> write_attention() {
  return in_packets(packet_type::attention, {}, 512);
}

}  // namespace dragoman::tds
