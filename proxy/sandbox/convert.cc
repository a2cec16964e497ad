#include "proxy/sandbox/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

using enum sql_type_id;

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n' || text.front() == '\r'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::string_view shown_name(sql_type_id id) {
  return id == sql_type_id::decimal ? "numeric" : type_name(id);
}

failure disallowed(const sql_type& from, const sql_type& to) {
  return sql_error(529, fmt::format("Explicit conversion from data type {} to {} is not allowed.", type_name(from.id),
                                    type_name(to.id)));
}

struct integer_range {
  std::int64_t low, high;
};

integer_range range_of(sql_type_id id) noexcept {
  switch (id) {
    case bit: return {0, 1};
    case tinyint: return {0, 255};
    case smallint: return {-32768, 32767};
    case int_: return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default: return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

result<sql_value> integer_to(std::int64_t value, const sql_type& to, std::string_view from) {
  if (to.id == bit) return sql_value(std::int64_t{value != 0});
  const auto [low, high] = range_of(to.id);
  if (value >= low && value <= high) return sql_value(value);
  if (to.id == tinyint || to.id == smallint)
    return sql_error(220,
                     fmt::format("Arithmetic overflow error for data type {}, value = {}.", type_name(to.id), value));
  return overflow(from, to.id);
}

result<sql_value> decimal_to(const dragoman::decimal& value, const sql_type& to, std::string_view from) {
  const decimal_type target = decimal_type_of(to);
  const auto fitted = value.rescale(target.precision, target.scale);
  if (!fitted) return overflow(from, to.id);
  if (to.id == money && (scaled_of(*fitted) > std::numeric_limits<std::int64_t>::max() ||
                         scaled_of(*fitted) < std::numeric_limits<std::int64_t>::min()))
    return overflow(from, to.id);
  return sql_value(*fitted);
}

std::string float_text(double value, int style, bool single) {
  if (style == 3) return fmt::format("{:.17g}", value);
  int digits = 6;
  if (style == 1) digits = 8;
  if (style == 2) digits = 16;
  std::string text = style == 1 || style == 2
                         ? fmt::format("{:.{}e}", value, digits - 1)
                         : fmt::format("{:.{}g}", single ? static_cast<float>(value) : value, digits);
  // Exponents have three digits.
  if (const auto e = text.find('e'); e != std::string::npos) {
    std::string digits_of_exponent = text.substr(e + 2);
    while (digits_of_exponent.size() < 3) digits_of_exponent.insert(0, "0");
    text = text.substr(0, e + 2) + digits_of_exponent;
  }
  return text;
}

std::string money_text(const dragoman::decimal& value, int style) {
  const auto shown = value.rescale(38, style == 2 || style == 126 ? 4 : 2).value_or(value);
  std::string text = shown.to_string();
  if (style == 1) {
    const auto point = text.find('.');
    const std::size_t first = text[0] == '-' ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  }
  return text;
}

constexpr const char* month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string twelve_hours(std::int64_t ticks, const char* seconds) {
  const auto hour = ticks / (3600 * ticks_per_second);
  const auto minute = ticks / (60 * ticks_per_second) % 60;
  const auto twelve = hour % 12 == 0 ? 12 : hour % 12;
  return fmt::format("{:2}:{:02}{}{}", twelve, minute, seconds, hour < 12 ? "AM" : "PM");
}

std::string offset_text(int offset) {
  return fmt::format(" {}{:02}:{:02}", offset < 0 ? '-' : '+', std::abs(offset) / 60, std::abs(offset) % 60);
}

std::string time_value_text(const civil_time& t, const sql_type& type, int style) {
  const bool has_date = type.id != sql_type_id::time;
  const bool has_time = type.id != sql_type_id::date;
  const civil_date d = to_civil(t.day);
  const bool legacy = type.id == datetime || type.id == smalldatetime;
  int scale = type.id == datetime ? 3 : type.id == smalldatetime ? 0 : type.scale;
  if (style < 0) style = legacy ? 0 : 121;
  std::string date;
  std::string time;
  const std::string yy = fmt::format("{:02}", d.year % 100);
  const std::string yyyy = fmt::format("{:04}", d.year);
  const std::string year =
      style < 100 && style != 0 && style != 9 && style != 13 && style != 20 && style != 21 ? yy : yyyy;
  const std::string hms = time_text(t.ticks, 0);
  switch (style) {
    case 0:
    case 100:
      date = fmt::format("{} {:2} {}", month_names[d.month - 1], d.day, yyyy);
      time = twelve_hours(t.ticks, "");
      break;
    case 9:
    case 109:
      date = fmt::format("{} {:2} {}", month_names[d.month - 1], d.day, yyyy);
      time = twelve_hours(t.ticks, (":" + time_text(t.ticks, std::max(scale, legacy ? 3 : scale)).substr(6)).c_str());
      break;
    case 1:
    case 101: date = fmt::format("{:02}/{:02}/{}", d.month, d.day, year); break;
    case 2:
    case 102: date = fmt::format("{}.{:02}.{:02}", year, d.month, d.day); break;
    case 3:
    case 103: date = fmt::format("{:02}/{:02}/{}", d.day, d.month, year); break;
    case 4:
    case 104: date = fmt::format("{:02}.{:02}.{}", d.day, d.month, year); break;
    case 5:
    case 105: date = fmt::format("{:02}-{:02}-{}", d.day, d.month, year); break;
    case 6:
    case 106: date = fmt::format("{:02} {} {}", d.day, month_names[d.month - 1], year); break;
    case 7:
    case 107: date = fmt::format("{} {:02}, {}", month_names[d.month - 1], d.day, year); break;
    case 8:
    case 24:
    case 108: return has_time ? hms : std::string();
    case 10:
    case 110: date = fmt::format("{:02}-{:02}-{}", d.month, d.day, year); break;
    case 11:
    case 111: date = fmt::format("{}/{:02}/{:02}", year, d.month, d.day); break;
    case 12:
    case 112: date = fmt::format("{}{:02}{:02}", year, d.month, d.day); break;
    case 13:
    case 113:
      date = fmt::format("{:02} {} {}", d.day, month_names[d.month - 1], yyyy);
      time = time_text(t.ticks, legacy ? 3 : scale);
      break;
    case 14:
    case 114: {
      if (!has_time) return {};
      std::string text = time_text(t.ticks, legacy ? 3 : scale);
      if (text.size() > 8) text[8] = legacy ? ':' : '.';
      return text;
    }
    case 20:
    case 120:
      date = date_text(t.day);
      time = hms;
      break;
    case 23: return has_date ? date_text(t.day) : hms;
    case 126:
    case 127: {
      // A fraction of nothing but zeros is not shown for datetime.
      std::string text = has_date ? date_text(t.day) : std::string();
      if (has_time) {
        const bool bare = legacy && t.ticks % ticks_per_second == 0;
        text += (has_date ? "T" : "") + time_text(t.ticks, bare ? 0 : scale);
      }
      if (type.id == datetimeoffset) text += offset_text(t.offset).substr(1);
      return text;
    }
    default:
      date = date_text(t.day);
      time = time_text(t.ticks, legacy ? 3 : scale);
      break;
  }
  std::string out = has_date ? date : std::string();
  if (has_time && !time.empty()) out += (out.empty() ? "" : " ") + time;
  if (type.id == sql_type_id::time && !time.empty()) out = std::string(trimmed(time));
  if (type.id == datetimeoffset && !time.empty()) out += offset_text(t.offset);
  return out;
}

// ---- text to ... --------------------------------------------------------------------------------------------------

result<sql_value> text_to_integer(std::string_view source, const sql_type& from, const sql_type& to) {
  std::string_view text = trimmed(source);
  const auto unreadable = [&] {
    return sql_error(245, fmt::format("Conversion failed when converting the {} value '{}' to data type {}.",
                                      type_name(from.id), source, type_name(to.id)));
  };
  if (to.id == bit) {
    const std::string lower = lower_case(text);
    if (lower == "true") return sql_value(std::int64_t{1});
    if (lower == "false") return sql_value(std::int64_t{0});
  }
  if (text.empty()) return sql_value(std::int64_t{0});
  const bool negative = text.front() == '-';
  if (text.front() == '-' || text.front() == '+') text = trimmed(text.substr(1));
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return unreadable();
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  static_cast<void>(end);
  // The least bigint has no positive twin.
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
  const bool wide = error != std::errc() || magnitude > most;
  const auto value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  if (to.id == bit) return sql_value(std::int64_t{wide || value != 0});
  const auto [low, high] = range_of(to.id);
  if (wide || value < low || value > high) {
    if (to.id == bigint)
      return sql_error(8114, fmt::format("Error converting data type {} to bigint.", type_name(from.id)));
    return sql_error(
        to.id == int_ ? 248 : 244,
        fmt::format("The conversion of the {} value '{}' overflowed an {} column.", type_name(from.id), source,
                    to.id == int_       ? "int"
                    : to.id == smallint ? "INT2"
                                        : "INT1"));
  }
  return sql_value(value);
}

result<sql_value> text_to(std::string_view text, const sql_type& from, const sql_type& to, int style) {
  switch (family_of(to.id)) {
    case family::integer: return text_to_integer(text, from, to);
    case family::decimal: {
      std::string digits(trimmed(text));
      if (to.id == money || to.id == smallmoney) {
        std::erase(digits, ',');
        for (const std::string_view sign : {"$", "\xC2\xA3", "\xE2\x82\xAC"}) {
          if (const auto at = digits.find(sign); at != std::string::npos) digits.erase(at, sign.size());
        }
        if (digits.empty()) digits = "0";
      }
      const auto value = dragoman::decimal::parse(digits);
      if (!value)
        return sql_error(to.id == money || to.id == smallmoney ? 235 : 8114,
                         to.id == money || to.id == smallmoney
                             ? "Cannot convert a char value to money. The char value has incorrect syntax."
                             : fmt::format("Error converting data type {} to numeric.", type_name(from.id)));
      return decimal_to(*value, to, type_name(from.id));
    }
    case family::real: {
      if (trimmed(text).empty()) return sql_value(0.0);
      const auto value = parse_double(text);
      if (!value)
        return sql_error(8114,
                         fmt::format("Error converting data type {} to {}.", type_name(from.id), type_name(to.id)));
      return sql_value(to.id == real ? static_cast<double>(static_cast<float>(*value)) : *value);
    }
    case family::date:
    case family::time:
    case family::datetime:
    case family::offset: {
      const auto parsed = parse_time(text, style);
      if (!parsed) return sql_error(241, "Conversion failed when converting date and/or time from character string.");
      civil_time t;
      t.day = parsed->day.value_or(days_to_1900);
      t.ticks = parsed->ticks.value_or(0);
      t.offset = static_cast<std::int16_t>(parsed->offset.value_or(0));
      sql_type whole{datetimeoffset, 0, 0, 7};
      if ((to.id == datetime && to_civil(t.day).year < 1753) ||
          (to.id == smalldatetime && (to_civil(t.day).year < 1900 || to_civil(t.day).year > 2079)))
        return sql_error(242,
                         fmt::format("The conversion of a {} data type to a {} data type resulted in an out-of-range "
                                     "value.",
                                     type_name(from.id), type_name(to.id)));
      return convert(t, whole, to, style);
    }
    case family::guid: {
      const auto value = parse_guid(trimmed(text));
      if (!value)
        return sql_error(8169, "Conversion failed when converting from a character string to uniqueidentifier.");
      return sql_value(*value);
    }
    case family::binary: {
      if (style == 1 || style == 2) {
        std::string_view digits =
            style == 1 && (text.starts_with("0x") || text.starts_with("0X")) ? text.substr(2) : text;
        bytes out;
        if (digits.size() % 2 != 0) return sql_error(8114, "Error converting data type varchar to varbinary.");
        for (std::size_t i = 0; i < digits.size(); i += 2) {
          unsigned value = 0;
          const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
          if (error != std::errc() || end != digits.data() + i + 2)
            return sql_error(8114, "Error converting data type varchar to varbinary.");
          out.push_back(static_cast<std::uint8_t>(value));
        }
        return sql_value(std::move(out));
      }
      bytes out;
      if (is_unicode(from.id)) {
        for (std::size_t at = 0; at < text.size();) {
          const char32_t c = next_code_point(text, at);
          const auto put = [&](unsigned unit) {
            out.push_back(static_cast<std::uint8_t>(unit));
            out.push_back(static_cast<std::uint8_t>(unit >> 8));
          };
          if (c > 0xFFFF) {
            put(static_cast<unsigned>(0xD800 + ((c - 0x10000) >> 10)));
            put(static_cast<unsigned>(0xDC00 + ((c - 0x10000) & 0x3FF)));
          } else {
            put(static_cast<unsigned>(c));
          }
        }
      } else {
        out.assign(text.begin(), text.end());
      }
      if (to.length > 0 && out.size() > static_cast<std::size_t>(to.length))
        out.resize(static_cast<std::size_t>(to.length));
      return sql_value(std::move(out));
    }
    case family::text: break;
  }
  if (to.length > 0 && length_of(text) > static_cast<std::size_t>(to.length)) text = slice(text, 0, to.length);
  std::string out(text);
  if (to.id == char_ || to.id == nchar) {
    while (!out.empty() && out.back() == ' ') out.pop_back();
  }
  return sql_value(std::move(out));
}

result<sql_value> time_to(const civil_time& t, const sql_type& from, const sql_type& to) {
  civil_time out = t;
  const bool to_offset = to.id == datetimeoffset;
  if (from.id == sql_type_id::time && to.id == sql_type_id::date) return disallowed(from, to);
  if (from.id == sql_type_id::date && to.id == sql_type_id::time) return disallowed(from, to);
  if (from.id == sql_type_id::time) out.day = days_to_1900;
  if (!to_offset) out.offset = 0;  // the local part is kept
  const std::int64_t ticks = round_ticks(ticks_of(out), to);
  switch (to.id) {
    case sql_type_id::date: out.ticks = 0; return sql_value(civil_time{out.day, 0, 0});
    case sql_type_id::time: return sql_value(civil_time{0, round_ticks(out.ticks, to) % ticks_per_day, 0});
    case datetime:
      if (to_civil(out.day).year < 1753)
        return sql_error(242, fmt::format("The conversion of a {} data type to a datetime data type resulted in an "
                                          "out-of-range value.",
                                          type_name(from.id)));
      break;
    case smalldatetime:
      if (to_civil(out.day).year < 1900 || to_civil(out.day).year > 2079)
        return sql_error(242,
                         fmt::format("The conversion of a {} data type to a smalldatetime data type resulted in an "
                                     "out-of-range value.",
                                     type_name(from.id)));
      break;
    default: break;
  }
  const std::int16_t offset = out.offset;
  out = civil_of(ticks);
  out.offset = offset;
  return sql_value(out);
}

}  // namespace

failure sql_error(std::int32_t number, std::string text) {
  failure f(errc::conversion, std::move(text));
  f.number = number;
  return f;
}

failure overflow(std::string_view what, sql_type_id to) {
  return sql_error(8115,
                   what == "expression" || !what.empty()
                       ? fmt::format("Arithmetic overflow error converting {} to data type {}.", what, shown_name(to))
                       : std::string());
}

failure division_by_zero() {
  return sql_error(8134, "Divide by zero error encountered.");
}

std::optional<double> parse_double(std::string_view text) noexcept {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || (text.front() != '-' && text.front() != '.' && (text.front() < '0' || text.front() > '9')))
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::int64_t round_ticks(std::int64_t ticks, const sql_type& type) noexcept {
  const auto to_unit = [](std::int64_t t, std::int64_t unit) { return (t + unit / 2) / unit * unit; };
  switch (type.id) {
    case datetime: {
      // 1/300 s, held as the nearest tick.
      const std::int64_t day = ticks / ticks_per_day;
      const std::int64_t rest = ticks % ticks_per_day;
      const std::int64_t units = (rest * 3 + 50'000) / 100'000;
      return day * ticks_per_day + (units * 100'000 + 1) / 3;
    }
    case smalldatetime: return to_unit(ticks, 60 * ticks_per_second);
    case datetime2:
    case sql_type_id::time:
    case datetimeoffset: {
      static constexpr std::int64_t units[] = {10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
      return to_unit(ticks, units[std::min<int>(type.scale, 7)]);
    }
    default: return ticks;
  }
}

std::string text_of(const sql_value& value, const sql_type& type, int style) {
  struct {
    const sql_type& type;
    int style;
    std::string operator()(null_value) const { return {}; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return float_text(v, style, type.id == real); }
    std::string operator()(const dragoman::decimal& v) const {
      return type.id == money || type.id == smallmoney ? money_text(v, style) : v.to_string();
    }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const bytes& v) const {
      if (style == 1 || style == 2) {
        std::string out = style == 1 ? "0x" : "";
        for (const auto b : v) out += fmt::format("{:02X}", b);
        return out;
      }
      return {v.begin(), v.end()};
    }
    std::string operator()(const civil_time& v) const { return time_value_text(v, type, style); }
    std::string operator()(const guid& v) const { return guid_text(v); }
  } visitor{type, style};
  return std::visit(visitor, value);
}

result<sql_value> convert(const sql_value& value, const sql_type& from, const sql_type& to, int style) {
  if (dragoman::is_null(value)) return sql_value(null_value{});
  const family target = family_of(to.id);
  const family source = family_of(from.id);
  if (const auto* text = std::get_if<std::string>(&value)) return text_to(*text, from, to, style);
  if (target == family::text) {
    std::string text = text_of(value, from, style);
    if (to.length > 0 && length_of(text) > static_cast<std::size_t>(to.length)) {
      if (source == family::integer) {
        if (!is_unicode(to.id) && from.id != bigint) return sql_value(std::string("*"));
        return overflow("expression", to.id);
      }
      if (source == family::decimal || source == family::real)
        return overflow(source == family::real ? "expression" : shown_name(from.id), to.id);
      if (source == family::guid)
        return sql_error(8170, "Insufficient result space to convert uniqueidentifier value to char.");
      text = std::string(slice(text, 0, to.length));
    }
    if (source == family::binary && is_unicode(to.id) && style != 1 && style != 2) {
      std::string out;  // bytes are UTF-16LE
      for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const unsigned unit =
            static_cast<unsigned char>(text[i]) | static_cast<unsigned>(static_cast<unsigned char>(text[i + 1])) << 8;
        if (unit < 0x80) {
          out.push_back(static_cast<char>(unit));
        } else if (unit < 0x800) {
          out.push_back(static_cast<char>(0xC0 | (unit >> 6)));
          out.push_back(static_cast<char>(0x80 | (unit & 0x3F)));
        } else {
          out.push_back(static_cast<char>(0xE0 | (unit >> 12)));
          out.push_back(static_cast<char>(0x80 | ((unit >> 6) & 0x3F)));
          out.push_back(static_cast<char>(0x80 | (unit & 0x3F)));
        }
      }
      text = std::move(out);
    }
    return sql_value(std::move(text));
  }
  switch (source) {
    case family::integer: {
      const auto v = std::get<std::int64_t>(value);
      if (target == family::integer) return integer_to(v, to, "expression");
      if (target == family::decimal) return decimal_to(dragoman::decimal::from_int(v), to, type_name(from.id));
      if (target == family::real) return sql_value(static_cast<double>(v));
      if (to.id == datetime || to.id == smalldatetime)
        return convert(civil_of((v + days_to_1900) * ticks_per_day), {datetime2, 0, 0, 7}, to);
      if (target == family::binary) {
        const int size = from.id == bigint ? 8 : from.id == smallint ? 2 : from.id == tinyint || from.id == bit ? 1 : 4;
        bytes out;
        for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(v >> shift));
        if (to.id == binary && to.length > 0) {
          while (static_cast<int>(out.size()) < to.length) out.insert(out.begin(), 0);
        }
        while (to.length > 0 && static_cast<int>(out.size()) > to.length) out.erase(out.begin());
        return sql_value(std::move(out));
      }
      break;
    }
    case family::decimal: {
      const auto& v = std::get<dragoman::decimal>(value);
      if (target == family::integer) {
        if (to.id == bit) return sql_value(std::int64_t{v.magnitude != 0});
        // money rounds, numeric is cut.
        const auto whole = (from.id == money || from.id == smallmoney ? v.rescale(38, 0).value_or(v) : v).to_int();
        if (!whole) return overflow(shown_name(from.id), to.id);
        return integer_to(*whole, to, shown_name(from.id));
      }
      if (target == family::decimal) return decimal_to(v, to, shown_name(from.id));
      if (target == family::real) return sql_value(v.to_double());
      if (to.id == datetime || to.id == smalldatetime) return convert(v.to_double(), {float_}, to);
      break;
    }
    case family::real: {
      const double v = std::get<double>(value);
      if (target == family::integer) {
        if (to.id == bit) return sql_value(std::int64_t{v != 0});
        if (!(v > -9.3e18 && v < 9.2233720368547748e18)) return overflow("expression", to.id);
        return integer_to(static_cast<std::int64_t>(v), to, "expression");
      }
      if (target == family::decimal) {
        const auto type = decimal_type_of(to);
        const auto d = dragoman::decimal::from_double(v, type.precision, type.scale);
        if (!d) return overflow("float", to.id);
        return sql_value(*d);
      }
      if (target == family::real) {
        if (to.id == real && std::fabs(v) > std::numeric_limits<float>::max()) return overflow("expression", to.id);
        return sql_value(to.id == real ? static_cast<double>(static_cast<float>(v)) : v);
      }
      if (to.id == datetime || to.id == smalldatetime) {
        const auto ticks = static_cast<std::int64_t>(std::llround(v * static_cast<double>(ticks_per_day)));
        return convert(civil_of(days_to_1900 * ticks_per_day + ticks), {datetime2, 0, 0, 7}, to);
      }
      break;
    }
    case family::date:
    case family::time:
    case family::datetime:
    case family::offset: {
      const auto& v = std::get<civil_time>(value);
      if (target == family::date || target == family::time || target == family::datetime || target == family::offset)
        return time_to(v, from, to);
      if (from.id == datetime || from.id == smalldatetime) {
        const double days = static_cast<double>(v.day - days_to_1900) +
                            static_cast<double>(v.ticks) / static_cast<double>(ticks_per_day);
        if (target == family::real) return sql_value(days);
        if (target == family::integer)
          return integer_to(static_cast<std::int64_t>(std::floor(days + 0.5)), to, "expression");
        if (target == family::decimal) return convert(days, {float_}, to);
      }
      break;
    }
    case family::binary: {
      const auto& v = std::get<bytes>(value);
      if (target == family::binary) {
        bytes out = v;
        if (to.length > 0 && out.size() > static_cast<std::size_t>(to.length))
          out.resize(static_cast<std::size_t>(to.length));
        if (to.id == binary && to.length > 0) out.resize(static_cast<std::size_t>(to.length));
        return sql_value(std::move(out));
      }
      if (target == family::integer) {
        std::uint64_t bits = 0;
        for (std::size_t i = v.size() > 8 ? v.size() - 8 : 0; i < v.size(); ++i) bits = (bits << 8) | v[i];
        if (to.id == int_) return sql_value(std::int64_t{static_cast<std::int32_t>(bits)});
        if (to.id == smallint) return sql_value(std::int64_t{static_cast<std::int16_t>(bits)});
        if (to.id == tinyint) return sql_value(std::int64_t{static_cast<std::uint8_t>(bits)});
        return integer_to(static_cast<std::int64_t>(bits), to, "expression");
      }
      if (target == family::guid && v.size() >= 16) {
        guid g;
        std::copy_n(v.begin(), 16, g.begin());
        return sql_value(g);
      }
      break;
    }
    case family::guid: {
      const auto& v = std::get<guid>(value);
      if (target == family::guid) return sql_value(v);
      if (target == family::binary) return sql_value(bytes(v.begin(), v.end()));
      break;
    }
    case family::text: break;
  }
  return disallowed(from, to);
}

std::int64_t pack(const sql_type& type) noexcept {
  return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(type.id) << 48 | static_cast<std::uint64_t>(type.precision) << 40 |
      static_cast<std::uint64_t>(type.scale) << 32 | static_cast<std::uint32_t>(type.length));
}

sql_type unpack(std::int64_t packed) noexcept {
  const auto bits = static_cast<std::uint64_t>(packed);
  sql_type type;
  type.id = static_cast<sql_type_id>(bits >> 48);
  type.precision = static_cast<std::uint8_t>(bits >> 40);
  type.scale = static_cast<std::uint8_t>(bits >> 32);
  type.length = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  return type;
}

sql_value take(value_ref value, const sql_type& type) {
  if (value.is_null()) return null_value{};
  switch (family_of(type.id)) {
    case family::integer: return value.integer();
    case family::real: return value.real();
    case family::decimal: return decimal_of(scaled_of(value), decimal_type_of(type));
    case family::date: return civil_time{static_cast<day_number>(value.integer()), 0, 0};
    case family::time: return civil_time{0, value.integer(), 0};
    case family::datetime: return civil_of(value.integer());
    case family::offset: {
      const auto parts = offset_of(value.blob());
      civil_time local = civil_of(parts.utc_ticks + parts.offset * 60 * ticks_per_second);
      local.offset = static_cast<std::int16_t>(parts.offset);
      return local;
    }
    case family::binary: {
      const auto view = value.blob();
      return bytes(view.begin(), view.end());
    }
    case family::guid: return parse_guid(value.text()).value_or(guid{});
    case family::text: break;
  }
  std::string text(value.text());
  if ((type.id == char_ || type.id == nchar) && type.length > 0) {
    const auto length = length_of(text);
    if (length < static_cast<std::size_t>(type.length))
      text.append(static_cast<std::size_t>(type.length) - length, ' ');
  }
  return text;
}

void give(call& c, const sql_type& type, const sql_value& value) {
  if (dragoman::is_null(value)) return c.null();
  switch (family_of(type.id)) {
    case family::integer: return c.integer(std::get<std::int64_t>(value));
    case family::real: return c.real(std::get<double>(value));
    case family::decimal: return give_scaled(c, scaled_of(std::get<dragoman::decimal>(value)));
    case family::date: return c.integer(std::get<civil_time>(value).day);
    case family::time: return c.integer(std::get<civil_time>(value).ticks);
    case family::datetime: return c.integer(ticks_of(std::get<civil_time>(value)));
    case family::offset: {
      const auto& t = std::get<civil_time>(value);
      return c.blob(offset_blob(ticks_of(t) - t.offset * 60 * ticks_per_second, t.offset));
    }
    case family::binary: {
      const auto& v = std::get<bytes>(value);
      return c.blob({reinterpret_cast<const char*>(v.data()), v.size()});
    }
    case family::guid: return c.text(guid_text(std::get<guid>(value)));
    case family::text: return c.text(std::get<std::string>(value));
  }
}

int reading_style(const sql_type& from, const sql_type& to, const session_facts& facts) noexcept {
  if (family_of(from.id) != family::text) return -1;
  switch (family_of(to.id)) {
    case family::date:
    case family::datetime:
    case family::offset: return facts.date_style;
    default: return -1;
  }
}

namespace {

// t_cast(value, from, to, style); the tag says whether a failure is NULL (TRY_CAST).
void cast(call& c) {
  if (c[0].is_null()) return;
  const sql_type from = unpack(c[1].integer());
  const sql_type to = unpack(c[2].integer());
  int style = static_cast<int>(c[3].integer());
  const auto* facts = static_cast<const session_facts*>(c.owner());
  if (style < 0 && facts != nullptr) style = reading_style(from, to, *facts);
  auto converted = convert(take(c[0], from), from, to, style);
  if (converted) return give(c, to, *converted);
  // A conversion that can never be is an error even of TRY_CAST.
  if (c.tag() != 0 && converted.error().number != 529) return;
  c.fail(converted.error());
}

}  // namespace

void register_conversions(connection& db) {
  db.add_function("t_cast", 4, cast, 0);
  db.add_function("t_try", 4, cast, 1);
}

}  // namespace dragoman::sandbox
