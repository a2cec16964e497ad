#include "proxy/upstream/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/utf16.h"
#include "guard/catalog/names.h"

namespace dragoman::upstream {
namespace {

using id = sql_type_id;

bool is_name_char(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '@' || c == '#' || c == '$';
}

// The end of a '…', […] or "…" that begins at `at`; a doubled closer stands for itself.
std::size_t end_of_quoted(std::string_view sql, std::size_t at) {
  const char closer = sql[at] == '[' ? ']' : sql[at];
  for (std::size_t i = at + 1; i < sql.size(); ++i) {
    if (sql[i] != closer) continue;
    if (i + 1 < sql.size() && sql[i + 1] == closer)
      ++i;
    else
      return i + 1;
  }
  return sql.size();
}

template <class T>
std::vector<std::uint8_t> raw(const T& value) {
  std::vector<std::uint8_t> out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

std::vector<std::uint8_t> utf16(std::string_view text) {
  std::vector<std::uint8_t> out;
  append_utf16le(out, text);
  return out;
}

std::string moment_text(const civil_time& t, int scale) {
  return date_text(t.day) + " " + time_text(t.ticks, scale);
}

std::string offset_text(int minutes) {
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60, std::abs(minutes) % 60);
}

// How one parameter is given to SQLBindParameter.
struct binding {
  SQLSMALLINT c_type = SQL_C_BINARY;
  SQLSMALLINT sql_type = SQL_WVARCHAR;
  SQLULEN size = 0;
  SQLSMALLINT digits = 0;
  std::vector<std::uint8_t> data;
};

binding text_binding(std::string_view text, SQLULEN characters) {
  binding b;
  b.data = utf16(text);
  // Declared at a length of the column's kind, not of the value: one plan for all values.
  const SQLULEN needed = std::max<SQLULEN>(characters, b.data.size() / 2);
  b.sql_type = needed > 4000 ? SQL_WLONGVARCHAR : SQL_WVARCHAR;
  b.size = needed > 4000 ? needed : std::max<SQLULEN>(needed, 1);
  return b;
}

binding decimal_binding(const decimal& value, int precision, int scale) {
  binding b;
  SQL_NUMERIC_STRUCT n{};
  n.precision = static_cast<SQLCHAR>(precision);
  n.scale = static_cast<SQLSCHAR>(scale);
  n.sign = value.negative ? 0 : 1;
  std::memcpy(n.val, &value.magnitude, sizeof n.val);
  b.c_type = SQL_C_NUMERIC;
  b.sql_type = SQL_NUMERIC;
  b.size = static_cast<SQLULEN>(precision);
  b.digits = static_cast<SQLSMALLINT>(scale);
  b.data = raw(n);
  return b;
}

failure does_not_fit(const parameter& p) {
  return {errc::conversion,
          fmt::format("The value of parameter {} does not fit its type {}.", p.name, to_string(p.type))};
}

result<binding> number_binding(const parameter& p) {
  binding b;
  const auto* integer = std::get_if<std::int64_t>(&p.value);
  const auto* real = std::get_if<double>(&p.value);
  switch (p.type.id) {
    case id::bit:
    case id::tinyint:
    case id::smallint:
    case id::int_:
    case id::bigint:
      b.c_type = SQL_C_SBIGINT;
      b.sql_type = p.type.id == id::bit        ? SQL_BIT
                   : p.type.id == id::tinyint  ? SQL_TINYINT
                   : p.type.id == id::smallint ? SQL_SMALLINT
                   : p.type.id == id::int_     ? SQL_INTEGER
                                               : SQL_BIGINT;
      if (!is_null(p.value)) {
        if (integer == nullptr) return does_not_fit(p);
        b.data = raw(*integer);
      }
      return b;
    case id::real:
    case id::float_:
      b.c_type = SQL_C_DOUBLE;
      b.sql_type = p.type.id == id::real ? SQL_REAL : SQL_DOUBLE;
      if (!is_null(p.value)) {
        if (real == nullptr && integer == nullptr) return does_not_fit(p);
        b.data = raw(real != nullptr ? *real : static_cast<double>(*integer));
      }
      return b;
    default: {
      const bool is_money = p.type.id == id::money || p.type.id == id::smallmoney;
      const int precision = is_money ? 19 : p.type.precision;
      const int scale = is_money ? 4 : p.type.scale;
      if (is_null(p.value)) return decimal_binding(decimal{}, precision, scale);
      const auto* exact = std::get_if<decimal>(&p.value);
      if (exact == nullptr && integer == nullptr) return does_not_fit(p);
      const auto fitted = (exact != nullptr ? *exact : decimal::from_int(*integer)).rescale(precision, scale);
      if (!fitted) return does_not_fit(p);
      return decimal_binding(*fitted, precision, scale);
    }
  }
}

result<binding> temporal_binding(const parameter& p) {
  const auto* t = std::get_if<civil_time>(&p.value);
  if (t == nullptr && !is_null(p.value)) return does_not_fit(p);
  switch (p.type.id) {
    case id::date: {
      binding b;
      b.c_type = SQL_C_TYPE_DATE;
      b.sql_type = SQL_TYPE_DATE;
      b.size = 10;
      if (t != nullptr) {
        const civil_date d = to_civil(t->day);
        b.data = raw(SQL_DATE_STRUCT{static_cast<SQLSMALLINT>(d.year), static_cast<SQLUSMALLINT>(d.month),
                                     static_cast<SQLUSMALLINT>(d.day)});
      }
      return b;
    }
    case id::time: return text_binding(t != nullptr ? time_text(t->ticks, 7) : "", 16);
    case id::datetimeoffset:
      return text_binding(t != nullptr ? moment_text(*t, 7) + " " + offset_text(t->offset) : "", 34);
    case id::datetime2: return text_binding(t != nullptr ? moment_text(*t, 7) : "", 34);
    default:
      // datetime and smalldatetime read the form with T the same way in every language.
      return text_binding(t != nullptr ? date_text(t->day) + "T" + time_text(t->ticks, 3) : "", 34);
  }
}

std::string guid_text(const guid& g) {
  return fmt::format(
      "{:02X}{:02X}{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}-{:02X}{:02X}{:02X}{:02X}{:02X}{:02X}", g[3],
      g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
}

// sql_variant and types without a form of their own: by what the value is.
result<binding> natural_binding(const parameter& p) {
  parameter as = p;
  if (std::holds_alternative<std::int64_t>(p.value)) as.type.id = id::bigint;
  if (std::holds_alternative<double>(p.value)) as.type.id = id::float_;
  if (const auto* d = std::get_if<decimal>(&p.value)) {
    as.type.id = id::decimal;
    as.type.precision = d->precision;
    as.type.scale = d->scale;
  }
  if (as.type.id != p.type.id) return number_binding(as);
  if (std::holds_alternative<civil_time>(p.value)) {
    as.type.id = id::datetime2;
    return temporal_binding(as);
  }
  const auto* text = std::get_if<std::string>(&p.value);
  if (text == nullptr && !is_null(p.value)) return does_not_fit(p);
  return text_binding(text != nullptr ? std::string_view(*text) : std::string_view(), 4000);
}

result<binding> binding_of(const parameter& p) {
  const id t = p.type.id;
  if (is_numeric(t)) return number_binding(p);
  if (is_temporal(t)) return temporal_binding(p);
  if (is_character(t) || t == id::xml || t == id::json) {
    const auto* text = std::get_if<std::string>(&p.value);
    if (text == nullptr && !is_null(p.value)) return does_not_fit(p);
    const SQLULEN room = p.type.length <= 0 ? 4001 : p.type.length <= 4000 ? static_cast<SQLULEN>(p.type.length) : 4001;
    return text_binding(text != nullptr ? std::string_view(*text) : std::string_view(), room);
  }
  if (is_binary(t)) {
    const auto* data = std::get_if<bytes>(&p.value);
    if (data == nullptr && !is_null(p.value)) return does_not_fit(p);
    binding b;
    if (data != nullptr) b.data = *data;
    const bool is_long = p.type.length <= 0 ? t != id::rowversion : b.data.size() > 8000;
    b.sql_type = is_long ? SQL_LONGVARBINARY : SQL_VARBINARY;
    b.size =
        std::max<SQLULEN>({b.data.size(), is_long || p.type.length < 0 ? 0U : static_cast<SQLULEN>(p.type.length), 1});
    return b;
  }
  if (t == id::uniqueidentifier) {
    if (is_null(p.value)) return text_binding("", 36);
    if (const auto* g = std::get_if<guid>(&p.value)) return text_binding(guid_text(*g), 36);
    return does_not_fit(p);
  }
  return natural_binding(p);
}

}  // namespace

std::string cast_type_of(const sql_type& type) {
  switch (type.id) {
    case id::money:
    case id::smallmoney:
    case id::time:
    case id::datetime:
    case id::smalldatetime:
    case id::datetime2:
    case id::datetimeoffset:
    case id::uniqueidentifier:
    case id::real:
    case id::xml: return to_string(type);
    // Declared as nvarchar by the driver; compared as nvarchar, an index on a varchar column would go unused.
    case id::char_:
    case id::varchar:
      if (type.length == 0) return fmt::format("{}(8000)", type_name(type.id));
      return to_string(type);
    case id::text: return "varchar(max)";
    default: return {};
  }
}

result<marked_text> mark_parameters(const std::string& sql, const std::vector<parameter>& parameters) {
  marked_text out;
  out.sql.reserve(sql.size() + 64);
  std::vector<std::size_t> ordinal(parameters.size(), 0);  // 1-based marker of each parameter, 0 = not used yet
  for (std::size_t at = 0; at < sql.size();) {
    const char c = sql[at];
    if (c == '\'' || c == '[' || c == '"') {
      const std::size_t end = end_of_quoted(sql, at);
      out.sql.append(sql, at, end - at);
      at = end;
      continue;
    }
    if (c != '@') {
      // A name that contains @ inside it is no parameter: names are taken whole.
      std::size_t end = at + 1;
      if (is_name_char(c))
        while (end < sql.size() && is_name_char(sql[end])) ++end;
      out.sql.append(sql, at, end - at);
      at = end;
      continue;
    }
    std::size_t end = at + 1;
    while (end < sql.size() && is_name_char(sql[end])) ++end;
    const std::string_view name = std::string_view(sql).substr(at, end - at);
    at = end;
    if (name.starts_with("@@")) {
      out.sql += name;
      continue;
    }
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const parameter& p) { return catalog::same_name(p.name, name); });
    if (found == parameters.end()) {
      failure f(errc::bad_argument, fmt::format("Must declare the scalar variable \"{}\".", name));
      f.number = 137;
      return f;
    }
    const auto position = static_cast<std::size_t>(found - parameters.begin());
    std::string marker = "?";
    if (ordinal[position] == 0) {
      out.order.push_back(position);
      ordinal[position] = out.order.size();
    } else {
      marker = fmt::format("@P{}", ordinal[position]);
    }
    const std::string cast = cast_type_of(found->type);
    out.sql += cast.empty() ? marker : fmt::format("CAST({} AS {})", marker, cast);
  }
  return out;
}

result<void> bound_parameters::bind(SQLHSTMT statement, const marked_text& text,
                                    const std::vector<parameter>& parameters) {
  SQLUSMALLINT number = 0;
  for (const std::size_t position : text.order) {
    const parameter& p = parameters[position];
    auto how = binding_of(p);
    if (!how) return how.error();
    buffer& b = buffers_.emplace_back();
    b.data = std::move(how->data);
    b.indicator = is_null(p.value) ? SQL_NULL_DATA : static_cast<SQLLEN>(b.data.size());
    if (b.data.empty()) b.data.reserve(8);  // an address even for an empty value
    const SQLRETURN rc = SQLBindParameter(statement, ++number, SQL_PARAM_INPUT, how->c_type, how->sql_type, how->size,
                                          how->digits, b.data.data(), static_cast<SQLLEN>(b.data.size()), &b.indicator);
    if (!SQL_SUCCEEDED(rc))
      return failure(errc::upstream_error, fmt::format("The driver of the data source refused parameter {}.", p.name));
  }
  return {};
}

}  // namespace dragoman::upstream
