// FORMAT(value, format): .NET's standard formats (N2, C, P, D5, F3, d, D, g …) and custom ones ('#,##0.00',
// 'yyyy-MM-dd').
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"

namespace dragoman::sandbox {
namespace {

constexpr std::array<const char*, 12> month_names{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<const char*, 7> day_names{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                               "Friday", "Saturday", "Sunday"};

std::string grouped(std::string digits) {
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// Absolute value with that many decimals, rounded half away from zero.
std::string fixed(double value, const decimal* exact, int decimals) {
  if (exact != nullptr) {
    decimal d = *exact;
    d.negative = false;
    if (const auto r = d.rescale(38, std::min(decimals, 37))) return r->to_string();
  }
  if (const auto d = decimal::from_double(std::fabs(value), 38, std::min(decimals, 20))) return d->to_string();
  return fmt::format("{:.{}f}", std::fabs(value), decimals);
}

std::string standard_number(double value, const decimal* exact, char kind, int digits) {
  const bool negative = exact != nullptr ? exact->negative : value < 0;
  const std::string sign = negative ? "-" : "";
  switch (kind) {
    case 'N':
    case 'n':
    case 'C':
    case 'c': {
      const std::string text = fixed(value, exact, digits < 0 ? 2 : digits);
      const auto point = text.find('.');
      std::string out = grouped(text.substr(0, point)) + (point == std::string::npos ? "" : text.substr(point));
      if (kind == 'C' || kind == 'c') return negative ? "-$" + out : "$" + out;
      return sign + out;
    }
    case 'F':
    case 'f': return sign + fixed(value, exact, digits < 0 ? 2 : digits);
    case 'P':
    case 'p': {
      std::optional<decimal> hundred;
      if (exact != nullptr) hundred = multiply(*exact, decimal::from_int(100));
      const std::string text = fixed(value * 100, hundred ? &*hundred : nullptr, digits < 0 ? 2 : digits);
      const auto point = text.find('.');
      return sign + grouped(text.substr(0, point)) + (point == std::string::npos ? "" : text.substr(point)) + "%";
    }
    case 'D':
    case 'd': {
      std::string text = fixed(value, exact, 0);
      while (static_cast<int>(text.size()) < digits) text.insert(0, "0");
      return sign + text;
    }
    case 'E':
    case 'e': {
      std::string text = fmt::format("{:.{}e}", value, digits < 0 ? 6 : digits);
      const auto e = text.find('e');
      std::string power = text.substr(e + 2);
      while (power.size() < 3) power.insert(0, "0");
      return text.substr(0, e) + kind + text[e + 1] + power;
    }
    case 'X':
    case 'x':
      return kind == 'X' ? fmt::format("{:X}", static_cast<std::int64_t>(value))
                         : fmt::format("{:x}", static_cast<std::int64_t>(value));
    default: return exact != nullptr ? exact->to_string() : fmt::format("{:.15g}", value);
  }
}

std::string custom_number(double value, const decimal* exact, std::string_view pattern) {
  // Sections: positive;negative;zero
  std::array<std::string_view, 3> sections{};
  std::size_t count = 0;
  for (std::string_view rest = pattern; count < 3;) {
    const auto end = rest.find(';');
    sections[count++] = rest.substr(0, end);
    if (end == std::string_view::npos) break;
    rest = rest.substr(end + 1);
  }
  const bool zero = exact != nullptr ? exact->magnitude == 0 : value == 0;
  const bool negative = exact != nullptr ? exact->negative : value < 0;
  std::string_view section = sections[0];
  bool own_sign = false;
  if (zero && count == 3) section = sections[2];
  if (negative && count >= 2 && !sections[1].empty()) {
    section = sections[1];
    own_sign = true;
  }
  int before = 0;    // 0s before the point
  int decimals = 0;  // places after it
  int fixed_decimals = 0;
  bool point = false;
  bool thousands = false;
  bool percent = false;
  std::string prefix;
  std::string suffix;
  bool seen = false;
  for (std::size_t i = 0; i < section.size(); ++i) {
    const char c = section[i];
    if (c == '0' || c == '#') {
      seen = true;
      if (point) {
        ++decimals;
        if (c == '0') fixed_decimals = decimals;
      } else if (c == '0') {
        ++before;
      } else if (before > 0) {
        ++before;
      }
    } else if (c == '.' && !point) {
      point = true;
      seen = true;
    } else if (c == ',' && !point) {
      thousands = true;
    } else {
      std::string literal(1, c);
      if (c == '%') percent = true;
      if (c == '\\' && i + 1 < section.size()) literal = section[++i];
      if (c == '\'' || c == '"') {
        const auto end = section.find(c, i + 1);
        literal = section.substr(i + 1, end == std::string_view::npos ? end : end - i - 1);
        i = end == std::string_view::npos ? section.size() : end;
      }
      (seen ? suffix : prefix) += literal;
    }
  }
  std::optional<decimal> hundred;
  if (percent) {
    value *= 100;
    if (exact != nullptr) {
      hundred = multiply(*exact, decimal::from_int(100));
      exact = hundred ? &*hundred : nullptr;
    }
  }
  std::string text = fixed(value, exact, decimals);
  auto dot = text.find('.');
  std::string whole = text.substr(0, dot);
  std::string fraction = dot == std::string::npos ? "" : text.substr(dot + 1);
  while (static_cast<int>(fraction.size()) > fixed_decimals && !fraction.empty() && fraction.back() == '0')
    fraction.pop_back();
  if (whole == "0" && before == 0) whole.clear();
  while (static_cast<int>(whole.size()) < before) whole.insert(0, "0");
  if (thousands) whole = grouped(whole);
  std::string out = prefix + whole + (fraction.empty() ? "" : "." + fraction) + suffix;
  const bool shows_digits = out.find_first_of("123456789") != std::string::npos;
  return negative && !own_sign && shows_digits ? "-" + out : out;
}

std::string custom_time(const civil_time& t, std::string_view f) {
  const civil_date d = to_civil(t.day);
  const auto seconds = t.ticks / ticks_per_second;
  const auto hour = seconds / 3600;
  std::string out;
  for (std::size_t i = 0; i < f.size();) {
    const char c = f[i];
    std::size_t n = 1;
    while (i + n < f.size() && f[i + n] == c) ++n;
    const auto number = [&](std::int64_t v) { return n >= 2 ? fmt::format("{:02}", v) : std::to_string(v); };
    switch (c) {
      case 'y':
        out += n >= 3   ? fmt::format("{:0{}}", d.year, n)
               : n == 2 ? fmt::format("{:02}", d.year % 100)
                        : std::to_string(d.year % 100);
        break;
      case 'M':
        out += n >= 4   ? month_names[static_cast<std::size_t>(d.month - 1)]
               : n == 3 ? std::string(month_names[static_cast<std::size_t>(d.month - 1)]).substr(0, 3)
                        : number(d.month);
        break;
      case 'd': {
        const std::string name = day_names[static_cast<std::size_t>(iso_weekday(t.day) - 1)];
        out += n >= 4 ? name : n == 3 ? name.substr(0, 3) : number(d.day);
        break;
      }
      case 'H': out += number(hour); break;
      case 'h': out += number(hour % 12 == 0 ? 12 : hour % 12); break;
      case 'm': out += number(seconds / 60 % 60); break;
      case 's': out += number(seconds % 60); break;
      case 'f':
      case 'F': out += fmt::format("{:07}", t.ticks % ticks_per_second).substr(0, std::min<std::size_t>(n, 7)); break;
      case 't': out += n >= 2 ? (hour < 12 ? "AM" : "PM") : (hour < 12 ? "A" : "P"); break;
      case '\'':
      case '"': {
        const auto end = f.find(c, i + 1);
        out += f.substr(i + 1, end == std::string_view::npos ? end : end - i - 1);
        n = end == std::string_view::npos ? f.size() - i : end - i + 1;
        break;
      }
      case '\\':
        n = 2;
        if (i + 1 < f.size()) out += f[i + 1];
        break;
      case '%': n = 1; break;
      default: out.append(n, c); break;
    }
    i += n;
  }
  return out;
}

void format(call& c) {  // t_format(value, type, format)
  if (c[0].is_null() || c[2].is_null()) return;
  const sql_type type = unpack(c[1].integer());
  const sql_value v = take(c[0], type);
  const std::string_view f = c[2].text();
  if (const auto* t = std::get_if<civil_time>(&v)) return c.text(format_time(*t, f));
  if (const auto* i = std::get_if<std::int64_t>(&v)) {
    const decimal exact = decimal::from_int(*i);
    return c.text(format_number(static_cast<double>(*i), &exact, f));
  }
  if (const auto* d = std::get_if<decimal>(&v)) return c.text(format_number(d->to_double(), d, f));
  if (const auto* r = std::get_if<double>(&v)) return c.text(format_number(*r, nullptr, f));
  c.fail(sql_error(
      8116, fmt::format("Argument data type {} is invalid for argument 1 of format function.", type_name(type.id))));
}

}  // namespace

std::string format_number(double value, const decimal* exact, std::string_view format) {
  const bool letter =
      !format.empty() && ((format[0] >= 'A' && format[0] <= 'Z') || (format[0] >= 'a' && format[0] <= 'z'));
  const bool digits = format.size() <= 3 && format.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (format.empty()) return standard_number(value, exact, 'G', -1);
  if (letter && digits)
    return standard_number(value, exact, format[0], format.size() > 1 ? std::stoi(std::string(format.substr(1))) : -1);
  return custom_number(value, exact, format);
}

std::string format_time(const civil_time& value, std::string_view format) {
  if (format.size() == 1) {
    switch (format[0]) {
      case 'd': return custom_time(value, "M/d/yyyy");
      case 'D': return custom_time(value, "dddd, MMMM d, yyyy");
      case 'f': return custom_time(value, "dddd, MMMM d, yyyy h:mm tt");
      case 'F': return custom_time(value, "dddd, MMMM d, yyyy h:mm:ss tt");
      case 'g': return custom_time(value, "M/d/yyyy h:mm tt");
      case 'G': return custom_time(value, "M/d/yyyy h:mm:ss tt");
      case 'm':
      case 'M': return custom_time(value, "MMMM d");
      case 'y':
      case 'Y': return custom_time(value, "MMMM yyyy");
      case 't': return custom_time(value, "h:mm tt");
      case 'T': return custom_time(value, "h:mm:ss tt");
      case 's': return custom_time(value, "yyyy-MM-dd'T'HH:mm:ss");
      case 'u': return custom_time(value, "yyyy-MM-dd HH:mm:ss'Z'");
      case 'o':
      case 'O': return custom_time(value, "yyyy-MM-dd'T'HH:mm:ss.fffffff");
      default: break;
    }
  }
  return custom_time(value, format);
}

void register_format_functions(connection& db) {
  db.add_function("t_format", 3, format);
}

}  // namespace dragoman::sandbox
