#include "proxy/sandbox/types.h"

#include <algorithm>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

// Higher wins.
int precedence(sql_type_id id) noexcept {
  using enum sql_type_id;
  switch (id) {
    case unknown: return 0;
    case binary: return 1;
    case varbinary:
    case rowversion: return 2;
    case char_: return 3;
    case varchar: return 4;
    case nchar: return 5;
    case nvarchar:
    case sysname: return 6;
    case uniqueidentifier: return 7;
    case image: return 8;
    case text: return 9;
    case ntext: return 10;
    case bit: return 11;
    case tinyint: return 12;
    case smallint: return 13;
    case int_: return 14;
    case bigint: return 15;
    case smallmoney: return 16;
    case money: return 17;
    case numeric:
    case decimal: return 18;
    case real: return 19;
    case float_: return 20;
    case time: return 21;
    case date: return 22;
    case smalldatetime: return 23;
    case datetime: return 24;
    case datetime2: return 25;
    case datetimeoffset: return 26;
    case json:
    case xml: return 27;
    default: return 28;
  }
}

bool is_text(const sql_type& t) noexcept {
  return family_of(t.id) == family::text;
}

std::int32_t longer(std::int32_t a, std::int32_t b) noexcept {
  return a == sql_type::max_length || b == sql_type::max_length ? sql_type::max_length : std::max(a, b);
}

bool is_money(sql_type_id id) noexcept {
  return id == sql_type_id::money || id == sql_type_id::smallmoney;
}

bool is_decimal(sql_type_id id) noexcept {
  return id == sql_type_id::decimal || id == sql_type_id::numeric;
}

bool is_number(const sql_type& t) noexcept {
  const family f = family_of(t.id);
  return f == family::integer || f == family::decimal || f == family::real;
}

}  // namespace

sql_type make_type(sql_type_id id, std::int32_t length, int precision, int scale) noexcept {
  sql_type t;
  t.id = id;
  t.length = length;
  t.precision = static_cast<std::uint8_t>(precision);
  t.scale = static_cast<std::uint8_t>(scale);
  return t;
}

sql_type make_decimal(decimal_type t) noexcept {
  return make_type(sql_type_id::decimal, 0, t.precision, t.scale);
}

std::optional<sql_type> common_type(const sql_type& a, const sql_type& b) noexcept {
  if (a.id == sql_type_id::unknown) return b;
  if (b.id == sql_type_id::unknown || a == b) return a;
  const sql_type& high = precedence(a.id) >= precedence(b.id) ? a : b;
  const sql_type& low = &high == &a ? b : a;
  sql_type out = high;
  switch (family_of(high.id)) {
    case family::text:
      if (is_text(low)) {
        // varchar(10) and nchar(5) meet as nvarchar(10).
        const bool unicode = is_unicode(a.id) || is_unicode(b.id);
        const bool fixed = (a.id == sql_type_id::char_ || a.id == sql_type_id::nchar) &&
                           (b.id == sql_type_id::char_ || b.id == sql_type_id::nchar);
        if (high.id == sql_type_id::xml || high.id == sql_type_id::json) return out;
        out.id = fixed ? (unicode ? sql_type_id::nchar : sql_type_id::char_)
                       : (unicode ? sql_type_id::nvarchar : sql_type_id::varchar);
        out.length =
            longer(a.id == sql_type_id::sysname ? 128 : a.length, b.id == sql_type_id::sysname ? 128 : b.length);
        if (a.id == sql_type_id::text || a.id == sql_type_id::ntext || b.id == sql_type_id::text ||
            b.id == sql_type_id::ntext)
          out.length = sql_type::max_length;
      }
      return out;
    case family::binary:
      if (family_of(low.id) == family::binary) out.length = longer(a.length, b.length);
      return out;
    case family::decimal:
      if (is_decimal(high.id) && (family_of(low.id) == family::decimal || family_of(low.id) == family::integer))
        return make_decimal(dragoman::common_type(decimal_type_of(a), decimal_type_of(b)));
      return out;
    case family::datetime:
    case family::time:
    case family::offset:
      if (family_of(low.id) == family_of(high.id) || family_of(low.id) == family::datetime) {
        if (high.id == sql_type_id::datetime2 || high.id == sql_type_id::datetimeoffset || high.id == sql_type_id::time)
          out.scale = std::max(high.scale, low.id == sql_type_id::datetime ? std::uint8_t{3} : low.scale);
      }
      // A number meets datetime (days since 1900), not the newer types.
      if (is_number(low) && high.id != sql_type_id::datetime && high.id != sql_type_id::smalldatetime)
        return std::nullopt;
      return out;
    case family::date:
      if (is_number(low)) return std::nullopt;
      if (low.id == sql_type_id::time) return std::nullopt;
      return out;
    default: return out;
  }
}

std::optional<sql_type> arithmetic_type(tsql::binary_operator op, const sql_type& a, const sql_type& b) noexcept {
  using tsql::binary_operator;
  const bool unknown_a = a.id == sql_type_id::unknown;
  const bool unknown_b = b.id == sql_type_id::unknown;
  if (unknown_a && unknown_b) return make_type(sql_type_id::int_);
  sql_type left = unknown_a ? b : a;
  sql_type right = unknown_b ? a : b;
  if (is_text(left) && is_number(right)) left = right;  // text becomes what the other is
  if (is_text(right) && is_number(left)) right = left;
  if (!is_number(left) || !is_number(right)) return std::nullopt;
  if (family_of(left.id) == family::real || family_of(right.id) == family::real) {
    if (op == binary_operator::modulo) return std::nullopt;
    const bool single = left.id == sql_type_id::real && right.id == sql_type_id::real;
    return make_type(single ? sql_type_id::real : sql_type_id::float_);
  }
  if (is_decimal(left.id) || is_decimal(right.id)) {
    const decimal_type x = decimal_type_of(left);
    const decimal_type y = decimal_type_of(right);
    switch (op) {
      case binary_operator::add:
      case binary_operator::subtract: return make_decimal(add_type(x, y));
      case binary_operator::multiply: return make_decimal(multiply_type(x, y));
      case binary_operator::divide: return make_decimal(divide_type(x, y));
      default: return make_decimal(modulo_type(x, y));
    }
  }
  if (is_money(left.id) || is_money(right.id)) {
    const bool small = (left.id == sql_type_id::smallmoney || family_of(left.id) == family::integer) &&
                       (right.id == sql_type_id::smallmoney || family_of(right.id) == family::integer);
    return make_type(small ? sql_type_id::smallmoney : sql_type_id::money);
  }
  const sql_type& wide = precedence(left.id) >= precedence(right.id) ? left : right;
  return make_type(wide.id == sql_type_id::bit ? sql_type_id::int_ : wide.id);
}

sql_type concat_type(const sql_type& a, const sql_type& b) noexcept {
  const sql_type x = text_type_of(a);
  const sql_type y = text_type_of(b);
  const bool unicode = is_unicode(x.id) || is_unicode(y.id);
  const std::int32_t limit = unicode ? 4000 : 8000;
  std::int32_t length = sql_type::max_length;
  if (x.length != sql_type::max_length && y.length != sql_type::max_length)
    length = std::clamp(x.length + y.length, 1, limit);
  return make_type(unicode ? sql_type_id::nvarchar : sql_type_id::varchar, length);
}

sql_type sum_type(const sql_type& t) noexcept {
  using enum sql_type_id;
  switch (t.id) {
    case tinyint:
    case smallint:
    case int_: return make_type(int_);
    case bigint: return make_type(bigint);
    case sql_type_id::decimal:
    case numeric: return make_type(sql_type_id::decimal, 0, 38, t.scale);
    case money:
    case smallmoney: return make_type(money);
    default: return make_type(float_);
  }
}

sql_type average_type(const sql_type& t) noexcept {
  if (is_decimal(t.id)) return make_type(sql_type_id::decimal, 0, 38, std::max<int>(t.scale, 6));
  return sum_type(t);
}

sql_type text_type_of(const sql_type& t) noexcept {
  using enum sql_type_id;
  switch (t.id) {
    case char_:
    case varchar: return make_type(varchar, t.length);
    case nchar:
    case nvarchar: return make_type(nvarchar, t.length);
    case sysname: return make_type(nvarchar, 128);
    case text: return make_type(varchar, sql_type::max_length);
    case ntext:
    case xml:
    case json: return make_type(nvarchar, sql_type::max_length);
    case bit: return make_type(varchar, 1);
    case tinyint: return make_type(varchar, 3);
    case smallint: return make_type(varchar, 6);
    case int_: return make_type(varchar, 12);
    case bigint: return make_type(varchar, 24);
    case sql_type_id::decimal:
    case numeric: return make_type(varchar, t.precision + 3);
    case money:
    case smallmoney: return make_type(varchar, 30);
    case real:
    case float_: return make_type(varchar, 53);
    case uniqueidentifier: return make_type(varchar, 36);
    case unknown: return make_type(varchar, 1);
    default: return make_type(varchar, 34);
  }
}

std::optional<sql_type> type_of(const tsql::data_type& type) {
  std::string text = type.name.name.value;
  if (!type.parameters.empty()) {
    text += '(';
    for (std::size_t i = 0; i < type.parameters.size(); ++i) text += (i > 0 ? "," : "") + type.parameters[i];
    text += ')';
  }
  auto parsed = parse_sql_type(text);
  // A length left out is 30 in CAST; parse_sql_type gives the 1 of a declaration.
  return parsed;
}

}  // namespace dragoman::sandbox
