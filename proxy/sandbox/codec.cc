#include "proxy/sandbox/codec.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace dragoman::sandbox {
namespace {

constexpr int128 int64_low = std::numeric_limits<std::int64_t>::min();
constexpr int128 int64_high = std::numeric_limits<std::int64_t>::max();

void put_big_endian(std::string& out, uint128 value, int size) {
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

uint128 big_endian(std::string_view bytes) noexcept {
  uint128 value = 0;
  for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

std::string hex(std::string_view bytes) {
  std::string out = "x'";
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out + "'";
}

std::string_view view_of(const bytes& b) {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

}  // namespace

family family_of(sql_type_id id) noexcept {
  using enum sql_type_id;
  switch (id) {
    case bit:
    case tinyint:
    case smallint:
    case int_:
    case bigint: return family::integer;
    case decimal:
    case numeric:
    case money:
    case smallmoney: return family::decimal;
    case real:
    case float_: return family::real;
    case date: return family::date;
    case time: return family::time;
    case datetime:
    case smalldatetime:
    case datetime2: return family::datetime;
    case datetimeoffset: return family::offset;
    case binary:
    case varbinary:
    case image:
    case rowversion:
    case vector:
    case hierarchyid:
    case geometry:
    case geography: return family::binary;
    case uniqueidentifier: return family::guid;
    default: return family::text;
  }
}

decimal_type decimal_type_of(const sql_type& type) noexcept {
  using enum sql_type_id;
  switch (type.id) {
    case bit: return {1, 0};
    case tinyint: return {3, 0};
    case smallint: return {5, 0};
    case int_: return {10, 0};
    case bigint: return {19, 0};
    case money: return {19, 4};
    case smallmoney: return {10, 4};
    case decimal:
    case numeric: return {type.precision, type.scale};
    default: return {38, 0};
  }
}

std::optional<int128> wide_of(std::string_view blob) noexcept {
  if (blob.size() != 17) return std::nullopt;
  const bool negative = blob[0] == 0;
  const uint128 bits = big_endian(blob.substr(1));
  return negative ? -static_cast<int128>(~bits) : static_cast<int128>(bits);
}

std::string wide_blob(int128 value) {
  std::string out;
  out.push_back(value < 0 ? '\0' : '\1');
  put_big_endian(out, value < 0 ? ~static_cast<uint128>(-value) : static_cast<uint128>(value), 16);
  return out;
}

int128 scaled_of(value_ref value) noexcept {
  switch (value.kind()) {
    case storage_class::blob: return wide_of(value.blob()).value_or(0);
    default: return value.integer();
  }
}

void give_scaled(call& c, int128 value) noexcept {
  if (value >= int64_low && value <= int64_high) {
    c.integer(static_cast<std::int64_t>(value));
  } else {
    c.blob(wide_blob(value));
  }
}

decimal decimal_of(int128 scaled, decimal_type type) noexcept {
  decimal d;
  d.negative = scaled < 0;
  d.magnitude = scaled < 0 ? 0 - static_cast<uint128>(scaled) : static_cast<uint128>(scaled);
  d.precision = type.precision;
  d.scale = type.scale;
  return d;
}

int128 scaled_of(const decimal& d) noexcept {
  const auto magnitude = static_cast<int128>(d.magnitude);
  return d.negative ? -magnitude : magnitude;
}

civil_time civil_of(std::int64_t ticks) noexcept {
  std::int64_t day = ticks / ticks_per_day;
  std::int64_t rest = ticks % ticks_per_day;
  if (rest < 0) {
    rest += ticks_per_day;
    --day;
  }
  return {static_cast<day_number>(day), rest, 0};
}

std::string offset_blob(std::int64_t utc_ticks, int offset) {
  std::string out;
  put_big_endian(out, static_cast<std::uint64_t>(utc_ticks) ^ (1ull << 63), 8);
  put_big_endian(out, static_cast<std::uint64_t>(offset + 32768), 2);
  return out;
}

offset_parts offset_of(std::string_view blob) noexcept {
  if (blob.size() != 10) return {};
  return {static_cast<std::int64_t>(static_cast<std::uint64_t>(big_endian(blob.substr(0, 8))) ^ (1ull << 63)),
          static_cast<int>(big_endian(blob.substr(8))) - 32768};
}

std::string guid_text(const guid& g) {
  return fmt::format(
      "{:02X}{:02X}{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}{:02X}{:02X}{:02X}{:02X}", g[3],
      g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
}

std::optional<guid> parse_guid(std::string_view text) noexcept {
  if (text.size() >= 38 && text.front() == '{' && text[37] == '}') text = text.substr(1, 36);
  if (text.size() < 36) return std::nullopt;
  static constexpr int order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  guid out{};
  int byte = 0;
  for (std::size_t i = 0; i < 36;) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i++] != '-') return std::nullopt;
      continue;
    }
    int value = 0;
    for (int n = 0; n < 2; ++n, ++i) {
      const char c = text[i];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return std::nullopt;
      value = value * 16 + digit;
    }
    out[static_cast<std::size_t>(order[byte++])] = static_cast<std::uint8_t>(value);
  }
  return out;
}

void decode(const statement& row, int column, const sql_type& type, sql_value& out) {
  const storage_class kind = row.kind(column);
  if (kind == storage_class::null) {
    out = null_value{};
    return;
  }
  switch (family_of(type.id)) {
    case family::integer: out = row.integer(column); return;
    case family::real: out = row.real(column); return;
    case family::decimal: {
      const int128 value = kind == storage_class::blob ? wide_of(row.blob(column)).value_or(0)
                                                       : static_cast<int128>(row.integer(column));
      out = decimal_of(value, decimal_type_of(type));
      return;
    }
    case family::date: out = civil_time{static_cast<day_number>(row.integer(column)), 0, 0}; return;
    case family::time: out = civil_time{0, row.integer(column), 0}; return;
    case family::datetime: out = civil_of(row.integer(column)); return;
    case family::offset: {
      const offset_parts parts = offset_of(row.blob(column));
      civil_time local = civil_of(parts.utc_ticks + parts.offset * 60 * ticks_per_second);
      local.offset = static_cast<std::int16_t>(parts.offset);
      out = local;
      return;
    }
    case family::binary: {
      const std::string_view view = row.blob(column);
      out = bytes(view.begin(), view.end());
      return;
    }
    case family::guid: out = parse_guid(row.text(column)).value_or(guid{}); return;
    case family::text: break;
  }
  const std::string_view text = row.text(column);
  auto* held = std::get_if<std::string>(&out);
  if (held == nullptr) held = &out.emplace<std::string>();
  held->assign(text);
  if (type.id == sql_type_id::char_ || type.id == sql_type_id::nchar) {
    // Fixed length is stored without its padding and regains it here.
    std::int32_t length = 0;
    for (const char c : text) length += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    if (length < type.length) held->append(static_cast<std::size_t>(type.length - length), ' ');
  }
}

void bind_value(statement& to, int index, const sql_type& type, const sql_value& value) {
  if (is_null(value)) return to.bind_null(index);
  switch (family_of(type.id)) {
    case family::integer:
      if (const auto* v = std::get_if<std::int64_t>(&value)) return to.bind(index, *v);
      break;
    case family::real:
      if (const auto* v = std::get_if<double>(&value)) return to.bind(index, *v);
      break;
    case family::decimal:
      if (const auto* v = std::get_if<decimal>(&value)) {
        const auto target = decimal_type_of(type);
        const auto fitted = v->rescale(target.precision, target.scale);
        const int128 scaled = scaled_of(fitted.value_or(*v));
        if (scaled >= int64_low && scaled <= int64_high) return to.bind(index, static_cast<std::int64_t>(scaled));
        return to.bind_blob(index, wide_blob(scaled));
      }
      break;
    case family::date:
      if (const auto* v = std::get_if<civil_time>(&value)) return to.bind(index, static_cast<std::int64_t>(v->day));
      break;
    case family::time:
      if (const auto* v = std::get_if<civil_time>(&value)) return to.bind(index, v->ticks);
      break;
    case family::datetime:
      if (const auto* v = std::get_if<civil_time>(&value)) return to.bind(index, ticks_of(*v));
      break;
    case family::offset:
      if (const auto* v = std::get_if<civil_time>(&value))
        return to.bind_blob(index, offset_blob(ticks_of(*v) - v->offset * 60 * ticks_per_second, v->offset));
      break;
    case family::binary:
      if (const auto* v = std::get_if<bytes>(&value)) return to.bind_blob(index, view_of(*v));
      break;
    case family::guid:
      if (const auto* v = std::get_if<guid>(&value)) return to.bind_text(index, guid_text(*v));
      break;
    case family::text:
      if (const auto* v = std::get_if<std::string>(&value)) return to.bind_text(index, *v);
      break;
  }
  to.bind_null(index);
}

std::string constant(const sql_type& type, const sql_value& value) {
  if (is_null(value)) return "NULL";
  switch (family_of(type.id)) {
    case family::integer:
      if (const auto* v = std::get_if<std::int64_t>(&value)) return std::to_string(*v);
      break;
    case family::real:
      if (const auto* v = std::get_if<double>(&value)) {
        if (std::isinf(*v)) return *v > 0 ? "9e999" : "-9e999";
        std::string text = fmt::format("{:.17g}", *v);
        if (text.find_first_of(".en") == std::string::npos) text += ".0";
        return text;
      }
      break;
    case family::decimal:
      if (const auto* v = std::get_if<decimal>(&value)) {
        const auto target = decimal_type_of(type);
        const int128 scaled = scaled_of(v->rescale(target.precision, target.scale).value_or(*v));
        if (scaled >= int64_low && scaled <= int64_high) return std::to_string(static_cast<std::int64_t>(scaled));
        return hex(wide_blob(scaled));
      }
      break;
    case family::date:
      if (const auto* v = std::get_if<civil_time>(&value)) return std::to_string(v->day);
      break;
    case family::time:
      if (const auto* v = std::get_if<civil_time>(&value)) return std::to_string(v->ticks);
      break;
    case family::datetime:
      if (const auto* v = std::get_if<civil_time>(&value)) return std::to_string(ticks_of(*v));
      break;
    case family::offset:
      if (const auto* v = std::get_if<civil_time>(&value))
        return hex(offset_blob(ticks_of(*v) - v->offset * 60 * ticks_per_second, v->offset));
      break;
    case family::binary:
      if (const auto* v = std::get_if<bytes>(&value)) return hex(view_of(*v));
      break;
    case family::guid:
      if (const auto* v = std::get_if<guid>(&value)) return quoted(guid_text(*v));
      break;
    case family::text:
      if (const auto* v = std::get_if<std::string>(&value)) return quoted(*v);
      break;
  }
  return "NULL";
}

std::string quoted(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "CAST(" + hex(text) + " AS TEXT)";
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace dragoman::sandbox
