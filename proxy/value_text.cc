#include "proxy/value_text.h"

#include <fmt/format.h>

namespace dragoman::proxy {
namespace {

std::string temporal_text(const civil_time& value, const sql_type& type) {
  switch (type.id) {
    case sql_type_id::date: return date_text(value.day);
    case sql_type_id::time: return time_text(value.ticks, type.scale);
    case sql_type_id::smalldatetime: return date_text(value.day) + " " + time_text(value.ticks, 0);
    case sql_type_id::datetime: return date_text(value.day) + " " + time_text(value.ticks, 3);
    case sql_type_id::datetimeoffset: {
      const int offset = value.offset < 0 ? -value.offset : value.offset;
      return fmt::format("{} {} {}{:02}:{:02}", date_text(value.day), time_text(value.ticks, type.scale),
                         value.offset < 0 ? '-' : '+', offset / 60, offset % 60);
    }
    default: return date_text(value.day) + " " + time_text(value.ticks, type.scale);
  }
}

std::string binary_text(const bytes& value) {
  std::string out = "0x";
  for (const auto b : value) out += fmt::format("{:02X}", b);
  return out;
}

}  // namespace

std::string guid_text(const guid& g) {
  return fmt::format(
      "{:02X}{:02X}{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}{:02X}{:02X}{:02X}{:02X}", g[3],
      g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
}

std::string value_text(const sql_value& value, const sql_type& type) {
  struct to_text {
    const sql_type& type;
    std::string operator()(const null_value&) const { return "NULL"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const {
      return type.id == sql_type_id::real ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
    }
    std::string operator()(const decimal& v) const { return v.to_string(); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const bytes& v) const { return binary_text(v); }
    std::string operator()(const civil_time& v) const { return temporal_text(v, type); }
    std::string operator()(const guid& v) const { return guid_text(v); }
  };
  return std::visit(to_text{type}, value);
}

bool aligns_right(const sql_type& type) noexcept {
  return is_numeric(type.id);
}

}  // namespace dragoman::proxy
