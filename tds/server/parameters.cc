// sql_session: what @params declares, and binding the values of a call to it.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf16.h"
#include "tds/server/sql_session.h"

namespace dragoman::tds::server {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// tiberius sends names without their @.
std::string_view bare(std::string_view name) noexcept {
  return !name.empty() && name.front() == '@' ? name.substr(1) : name;
}

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Splits at commas outside parentheses, brackets and strings.
std::vector<std::string_view> split_declarations(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t from = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[') {
      quote = ']';
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      out.push_back(text.substr(from, i - from));
      from = i + 1;
    }
  }
  out.push_back(text.substr(from));
  return out;
}

// Takes the last word off, if it is that word.
bool take_last_word(std::string_view& text, std::string_view word) {
  const std::string_view t = trimmed(text);
  if (t.size() <= word.size() || !is_blank(t[t.size() - word.size() - 1]) ||
      !same(t.substr(t.size() - word.size()), word))
    return false;
  text = trimmed(t.substr(0, t.size() - word.size()));
  return true;
}

// "[sys].[int]", "sys.int", "dbo.name": the type's own name; brackets are removed.
std::string type_text(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '[' && c != ']') out.push_back(c);
  const auto open = out.find('(');
  if (const auto dot = out.rfind('.', open == std::string::npos ? open : open);
      dot != std::string::npos && (open == std::string::npos || dot < open))
    out.erase(0, dot + 1);
  return std::string(trimmed(out));
}

failure syntax(std::string_view near) {
  return {errc::syntax, "Incorrect syntax near '" + std::string(near.substr(0, 64)) + "'."};
}

failure conversion(const sql_type& type, std::string_view name) {
  return {errc::conversion, "Error converting the value of parameter '" + std::string(name) + "' to data type " +
                                std::string(type_name(type.id)) + "."};
}

std::optional<decimal> exact_of(const sql_value& value) {
  if (const auto* d = std::get_if<decimal>(&value)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return decimal::from_int(*i);
  if (const auto* s = std::get_if<std::string>(&value)) return decimal::parse(*s);
  return std::nullopt;
}

std::optional<double> double_of(const sql_value& value) {
  if (const auto* f = std::get_if<double>(&value)) return *f;
  if (const auto exact = exact_of(value)) return exact->to_double();
  if (const auto* s = std::get_if<std::string>(&value)) {
    const std::string_view t = trimmed(*s);
    double out = 0;
    const auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), out);
    if (ec == std::errc{} && end == t.data() + t.size()) return out;
  }
  return std::nullopt;
}

// The value as the declared type has it. Texts to dates are left as they are: their meaning depends on the session's
// DATEFORMAT, so whoever runs the statement converts them.
result<sql_value> converted(const sql_value& value, const sql_type& type, std::string_view name) {
  if (is_null(value)) return value;
  using id = sql_type_id;
  if (type.id == id::bit || is_integer(type.id)) {
    std::optional<std::int64_t> integer;
    if (const auto* i = std::get_if<std::int64_t>(&value))
      integer = *i;
    else if (const auto* f = std::get_if<double>(&value))
      integer = std::fabs(*f) < 9.2e18 ? std::optional<std::int64_t>(static_cast<std::int64_t>(*f)) : std::nullopt;
    else if (const auto exact = exact_of(value))
      integer = exact->to_int();
    if (!integer) return conversion(type, name);
    if (type.id == id::bit) return sql_value(std::int64_t{*integer != 0});
    const std::int64_t low = type.id == id::tinyint    ? 0
                             : type.id == id::smallint ? -32768
                             : type.id == id::int_     ? -2147483648LL
                                                       : INT64_MIN;
    const std::int64_t high = type.id == id::tinyint    ? 255
                              : type.id == id::smallint ? 32767
                              : type.id == id::int_     ? 2147483647LL
                                                        : INT64_MAX;
    if (*integer < low || *integer > high)
      return failure(errc::conversion, "Arithmetic overflow error converting expression to data type " +
                                           std::string(type_name(type.id)) + ".");
    return sql_value(*integer);
  }
  if (type.id == id::decimal || type.id == id::numeric || type.id == id::money || type.id == id::smallmoney) {
    const bool money = type.id == id::money || type.id == id::smallmoney;
    const int precision = money ? (type.id == id::money ? 19 : 10) : type.precision;
    const int scale = money ? 4 : type.scale;
    std::optional<decimal> out;
    if (const auto* f = std::get_if<double>(&value))
      out = decimal::from_double(*f, precision, scale);
    else if (const auto exact = exact_of(value))
      out = exact->rescale(precision, scale);
    if (!out) return conversion(type, name);
    return sql_value(*out);
  }
  if (type.id == id::real || type.id == id::float_) {
    const auto out = double_of(value);
    if (!out) return conversion(type, name);
    return sql_value(*out);
  }
  if (is_character(type.id) && type.length > 0) {
    if (const auto* s = std::get_if<std::string>(&value))
      return sql_value(std::string(utf16_prefix(*s, static_cast<std::size_t>(type.length))));
  }
  return value;
}

}  // namespace

result<std::vector<parameter_declaration>> parse_parameter_declarations(std::string_view text) {
  std::vector<parameter_declaration> out;
  if (trimmed(text).empty()) return out;
  for (std::string_view part : split_declarations(text)) {
    part = trimmed(part);
    std::size_t end = 0;
    while (end < part.size() && !is_blank(part[end])) ++end;
    if (part.size() < 2 || part.front() != '@' || end == part.size()) return syntax(part);
    parameter_declaration d;
    d.name = part.substr(0, end);
    std::string_view rest = trimmed(part.substr(end));
    if (rest.size() > 3 && same(rest.substr(0, 2), "as") && is_blank(rest[2])) rest = trimmed(rest.substr(3));
    const bool read_only = take_last_word(rest, "readonly");
    d.output = take_last_word(rest, "output") || take_last_word(rest, "out");
    if (const auto equals = rest.find('='); equals != std::string_view::npos) {
      d.default_text = std::string(trimmed(rest.substr(equals + 1)));
      rest = trimmed(rest.substr(0, equals));
    }
    const std::string type = type_text(rest);
    const auto parsed = parse_sql_type(type);
    if (!parsed || read_only) {
      failure f(errc::bad_argument, "Parameter or variable '" + d.name + "' has an invalid data type.");
      f.number = 2724;
      return f;
    }
    d.type = *parsed;
    out.push_back(std::move(d));
    if (out.size() > limits::rpc_parameters_max)
      return failure(errc::too_complex, "There are too many parameters; the most is 2100.");
  }
  return out;
}

result<std::vector<parameter>> bind_parameters(const std::vector<parameter_declaration>& declarations,
                                               std::span<rpc_parameter> sent, std::string_view procedure) {
  std::vector<parameter> out;
  std::vector<bool> bound(declarations.size(), false);
  for (const parameter_declaration& d : declarations) out.push_back({d.name, d.type, null_value{}, false});
  std::size_t position = 0;
  for (rpc_parameter& p : sent) {
    std::size_t index = position;
    if (!bare(p.name).empty()) {
      const auto found = std::find_if(declarations.begin(), declarations.end(),
                                      [&](const parameter_declaration& d) { return same(bare(d.name), bare(p.name)); });
      if (found == declarations.end()) {
        failure f(errc::bad_argument, p.name + " is not a parameter for procedure " + std::string(procedure) + ".");
        f.number = 8145;
        return f;
      }
      index = static_cast<std::size_t>(found - declarations.begin());
    }
    if (index >= declarations.size()) {
      failure f(errc::bad_argument,
                "Procedure or function " + std::string(procedure) + " has too many arguments specified.");
      f.number = 8144;
      return f;
    }
    position = index + 1;
    if (p.use_default) continue;
    // An untyped NULL, and a value of a type that no declaration can name, stay as they are.
    auto value = converted(p.value, declarations[index].type, declarations[index].name);
    if (!value) return value.error();
    out[index].value = std::move(*value);
    out[index].output = p.output && declarations[index].output;
    bound[index] = true;
  }
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    if (bound[i]) continue;
    const auto& default_text = declarations[i].default_text;
    if (!default_text) {
      failure f(errc::bad_argument, "The parameterized query expects the parameter '" + declarations[i].name +
                                        "', which was not supplied.");
      f.number = 8178;
      return f;
    }
    if (same(*default_text, "null")) continue;
    std::string_view text = *default_text;
    if (text.size() > 1 && (text.front() == 'N' || text.front() == 'n') && text[1] == '\'') text.remove_prefix(1);
    sql_value literal;
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
      std::string inside;
      for (std::size_t k = 1; k + 1 < text.size(); ++k) {
        inside.push_back(text[k]);
        if (text[k] == '\'' && k + 2 < text.size() && text[k + 1] == '\'') ++k;
      }
      literal = std::move(inside);
    } else if (const auto number = decimal::parse(text)) {
      literal = *number;
    } else {
      return syntax(text);
    }
    auto value = converted(literal, declarations[i].type, declarations[i].name);
    if (!value) return value.error();
    out[i].value = std::move(*value);
  }
  return out;
}

}  // namespace dragoman::tds::server
