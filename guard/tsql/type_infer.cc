#include "guard/tsql/type_infer.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace dragoman::tsql {
namespace {

using id = sql_type_id;

// Higher wins (T-SQL reference, "Data type precedence", read from its end).
int rank(id t) noexcept {
  switch (t) {
    case id::sql_variant: return 30;
    case id::xml: return 29;
    case id::datetimeoffset: return 28;
    case id::datetime2: return 27;
    case id::datetime: return 26;
    case id::smalldatetime: return 25;
    case id::date: return 24;
    case id::time: return 23;
    case id::float_: return 22;
    case id::real: return 21;
    case id::decimal:
    case id::numeric: return 20;
    case id::money: return 19;
    case id::smallmoney: return 18;
    case id::bigint: return 17;
    case id::int_: return 16;
    case id::smallint: return 15;
    case id::tinyint: return 14;
    case id::bit: return 13;
    case id::ntext: return 12;
    case id::text: return 11;
    case id::image: return 10;
    case id::rowversion: return 9;
    case id::uniqueidentifier: return 8;
    case id::sysname:
    case id::nvarchar: return 7;
    case id::nchar: return 6;
    case id::varchar: return 5;
    case id::char_: return 4;
    case id::varbinary: return 3;
    case id::binary: return 2;
    default: return 0;
  }
}

// Integers and money as the decimal that arithmetic treats them as.
sql_type as_decimal(const sql_type& t) {
  switch (t.id) {
    case id::bit: return make_sql_type(id::decimal, 0, 1, 0);
    case id::tinyint: return make_sql_type(id::decimal, 0, 3, 0);
    case id::smallint: return make_sql_type(id::decimal, 0, 5, 0);
    case id::int_: return make_sql_type(id::decimal, 0, 10, 0);
    case id::bigint: return make_sql_type(id::decimal, 0, 19, 0);
    case id::money: return make_sql_type(id::decimal, 0, 19, 4);
    case id::smallmoney: return make_sql_type(id::decimal, 0, 10, 4);
    default: return t;
  }
}

bool is_decimal(id t) noexcept {
  return t == id::decimal || t == id::numeric;
}

// Precision above 38 takes from the scale, but leaves six digits of it where there were so many.
sql_type fit_decimal(int precision, int scale) {
  if (precision > 38) {
    const int integral = precision - scale;
    scale = integral < 32 ? std::min(scale, 38 - integral) : std::min(scale, 6);
    precision = 38;
  }
  return make_sql_type(id::decimal, 0, static_cast<std::uint8_t>(precision), static_cast<std::uint8_t>(scale));
}

sql_type decimal_arithmetic(binary_operator op, const sql_type& a, const sql_type& b) {
  const int p1 = a.precision, s1 = a.scale, p2 = b.precision, s2 = b.scale;
  switch (op) {
    case binary_operator::add:
    case binary_operator::subtract: {
      const int scale = std::max(s1, s2);
      return fit_decimal(scale + std::max(p1 - s1, p2 - s2) + 1, scale);
    }
    case binary_operator::multiply: return fit_decimal(p1 + p2 + 1, s1 + s2);
    case binary_operator::divide: {
      const int scale = std::max(6, s1 + p2 + 1);
      return fit_decimal(p1 - s1 + s2 + scale, scale);
    }
    default: {
      const int scale = std::max(s1, s2);
      return fit_decimal(std::min(p1 - s1, p2 - s2) + scale, scale);
    }
  }
}

std::int32_t longest(std::int32_t a, std::int32_t b) noexcept {
  return a == sql_type::max_length || b == sql_type::max_length ? sql_type::max_length : std::max(a, b);
}

sql_type variable_character(bool unicode, std::int32_t length) {
  const std::int32_t most = unicode ? 4000 : 8000;
  return make_sql_type(unicode ? id::nvarchar : id::varchar,
                       length == sql_type::max_length ? length : std::clamp(length, 1, most));
}

sql_type concatenated(const sql_type& a, const sql_type& b) {
  const bool unicode = is_unicode(a.id) || is_unicode(b.id);
  if (a.is_max() || b.is_max()) return variable_character(unicode, sql_type::max_length);
  return variable_character(unicode, a.length + b.length);
}

}  // namespace

sql_type make_sql_type(sql_type_id type, std::int32_t length, std::uint8_t precision, std::uint8_t scale) {
  sql_type t;
  t.id = type;
  t.length = length;
  t.precision = precision;
  t.scale = scale;
  return t;
}

sql_type type_of_literal(const literal& l) {
  const auto size = static_cast<std::int32_t>(l.text.size());
  switch (l.kind) {
    case literal_kind::integer: {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(l.text.data(), l.text.data() + l.text.size(), value);
      if (error == std::errc() && value <= INT32_MAX) return make_sql_type(id::int_);
      return make_sql_type(id::numeric, 0, static_cast<std::uint8_t>(std::clamp<std::int32_t>(size, 1, 38)), 0);
    }
    case literal_kind::decimal: {
      const auto dot = l.text.find('.');
      const int scale = dot == std::string::npos ? 0 : static_cast<int>(l.text.size() - dot - 1);
      const int digits = static_cast<int>(l.text.size()) - (dot == std::string::npos ? 0 : 1);
      return make_sql_type(id::numeric, 0, static_cast<std::uint8_t>(std::clamp(digits, 1, 38)),
                           static_cast<std::uint8_t>(std::clamp(scale, 0, 38)));
    }
    case literal_kind::real: return make_sql_type(id::float_);
    case literal_kind::money: return make_sql_type(id::money);
    case literal_kind::string:
      return make_sql_type(id::varchar, size > 8000 ? sql_type::max_length : std::max(size, 1));
    case literal_kind::unicode_string:
      // Bytes of UTF-8 are at least as many as UTF-16 units: wide enough, never too narrow.
      return make_sql_type(id::nvarchar, size > 4000 ? sql_type::max_length : std::max(size, 1));
    case literal_kind::binary: return make_sql_type(id::varbinary, std::max((size - 1) / 2, 1));
    case literal_kind::null: return make_sql_type(id::unknown);
    case literal_kind::default_value: return make_sql_type(id::unknown);
  }
  return {};
}

sql_type type_of(const data_type& t) {
  if (!t.name.schema.empty() && t.name.schema.value != "sys") return {};
  const id type = type_id_of(t.name.name.value);
  if (type == id::unknown) return {};
  std::string text(t.name.name.value);
  if (!t.parameters.empty()) {
    text += '(';
    for (std::size_t i = 0; i < t.parameters.size(); ++i) text += (i != 0 ? "," : "") + t.parameters[i];
    text += ')';
  } else {
    // CAST and CONVERT give char types without a length 30, not the 1 of a declaration.
    const bool sized = type == id::char_ || type == id::varchar || type == id::nchar || type == id::nvarchar ||
                       type == id::binary || type == id::varbinary;
    if (sized) return make_sql_type(type, 30);
  }
  const auto parsed = parse_sql_type(text);
  return parsed ? *parsed : make_sql_type(type);
}

sql_type type_of_niladic(niladic_kind kind) {
  switch (kind) {
    case niladic_kind::current_timestamp: return make_sql_type(id::datetime);
    case niladic_kind::current_date: return make_sql_type(id::date);
    case niladic_kind::current_time: return make_sql_type(id::time, 0, 0, 7);
    default: return make_sql_type(id::nvarchar, 128);
  }
}

sql_type type_of_odbc_literal(odbc_literal_kind kind) {
  return kind == odbc_literal_kind::guid ? make_sql_type(id::uniqueidentifier) : make_sql_type(id::datetime);
}

sql_type common_type(const sql_type& a, const sql_type& b) {
  if (a.id == id::unknown) return b;
  if (b.id == id::unknown || a == b) return a;
  const sql_type& high = rank(a.id) >= rank(b.id) ? a : b;
  const sql_type& low = rank(a.id) >= rank(b.id) ? b : a;
  if (is_decimal(high.id) && is_exact_numeric(low.id)) {
    const sql_type x = as_decimal(high), y = as_decimal(low);
    const int scale = std::max(x.scale, y.scale);
    return fit_decimal(scale + std::max(x.precision - x.scale, y.precision - y.scale), scale);
  }
  if (is_character(high.id) && is_character(low.id)) {
    sql_type t = high;
    if (t.id == id::sysname) t = make_sql_type(id::nvarchar, 128);
    t.length = longest(high.length, low.length);
    if (t.id == id::nchar && low.id == id::varchar) t.id = id::nvarchar;
    return t;
  }
  if (is_binary(high.id) && is_binary(low.id)) {
    sql_type t = high;
    t.length = longest(high.length, low.length);
    return t;
  }
  if (is_temporal(high.id) && high.id == low.id) {
    sql_type t = high;
    t.scale = std::max(high.scale, low.scale);
    return t;
  }
  return high;
}

sql_type type_of_binary(binary_operator op, const sql_type& left, const sql_type& right) {
  if (op == binary_operator::concat) return concatenated(left, right);
  if (op == binary_operator::shift_left || op == binary_operator::shift_right) return left;
  if (op == binary_operator::add && is_character(left.id) && is_character(right.id)) return concatenated(left, right);
  const sql_type common = common_type(left, right);
  const bool bitwise =
      op == binary_operator::bit_and || op == binary_operator::bit_or || op == binary_operator::bit_xor;
  if (bitwise) return common;
  if (is_decimal(common.id) && is_exact_numeric(left.id) && is_exact_numeric(right.id)) {
    return decimal_arithmetic(op, as_decimal(left), as_decimal(right));
  }
  return common;
}

sql_type type_of_call(const function_info& f, const sql_type* arguments, std::size_t count) {
  const sql_type none;
  const sql_type& first = count > 0 ? arguments[0] : none;
  bool unicode = false;
  bool max = false;
  for (std::size_t i = 0; i < count; ++i) {
    unicode = unicode || is_unicode(arguments[i].id);
    max = max || (is_character(arguments[i].id) && arguments[i].is_max());
  }
  switch (f.returns) {
    case return_rule::unknown: return none;
    case return_rule::first: return first;
    case return_rule::common:
    case return_rule::common_tail: {
      sql_type t;
      for (std::size_t i = f.returns == return_rule::common ? 0 : 1; i < count; ++i) t = common_type(t, arguments[i]);
      return t;
    }
    case return_rule::second: return count > 1 ? arguments[1] : none;
    case return_rule::third:
      // A string given as a date becomes one.
      if (count > 2 && is_character(arguments[2].id)) return make_sql_type(id::datetime);
      return count > 2 ? arguments[2] : none;
    case return_rule::text:
      if (is_binary(first.id)) return first;
      return is_character(first.id) ? variable_character(is_unicode(first.id), first.length)
                                    : variable_character(false, 8000);
    case return_rule::text_max: return variable_character(unicode, sql_type::max_length);
    case return_rule::text_8000: return variable_character(unicode, max ? sql_type::max_length : 8000);
    case return_rule::sum:
      if (first.id == id::tinyint || first.id == id::smallint) return make_sql_type(id::int_);
      if (is_decimal(first.id)) return make_sql_type(id::decimal, 0, 38, first.scale);
      if (first.id == id::smallmoney) return make_sql_type(id::money);
      if (first.id == id::real) return make_sql_type(id::float_);
      return first;
    case return_rule::average:
      if (first.id == id::tinyint || first.id == id::smallint) return make_sql_type(id::int_);
      if (is_decimal(first.id)) return make_sql_type(id::decimal, 0, 38, std::max<std::uint8_t>(first.scale, 6));
      if (first.id == id::smallmoney) return make_sql_type(id::money);
      if (first.id == id::real) return make_sql_type(id::float_);
      return first;
    case return_rule::numeric_first:
      if (is_character(first.id)) return make_sql_type(id::float_);
      if (first.id == id::tinyint || first.id == id::smallint || first.id == id::bit) return make_sql_type(id::int_);
      if (first.id == id::real) return make_sql_type(id::float_);
      return first;
    case return_rule::bit: return make_sql_type(id::bit);
    case return_rule::tinyint: return make_sql_type(id::tinyint);
    case return_rule::int_: return make_sql_type(id::int_);
    case return_rule::bigint: return make_sql_type(id::bigint);
    case return_rule::float_: return make_sql_type(id::float_);
    case return_rule::decimal_38_0: return make_sql_type(id::decimal, 0, 38, 0);
    case return_rule::money: return make_sql_type(id::money);
    case return_rule::date: return make_sql_type(id::date);
    case return_rule::time_7: return make_sql_type(id::time, 0, 0, 7);
    case return_rule::datetime: return make_sql_type(id::datetime);
    case return_rule::datetime2_7: return make_sql_type(id::datetime2, 0, 0, 7);
    case return_rule::datetimeoffset_7: return make_sql_type(id::datetimeoffset, 0, 0, 7);
    case return_rule::smalldatetime: return make_sql_type(id::smalldatetime);
    case return_rule::nvarchar_128: return make_sql_type(id::nvarchar, 128);
    case return_rule::nvarchar_4000: return make_sql_type(id::nvarchar, 4000);
    case return_rule::nvarchar_max: return make_sql_type(id::nvarchar, sql_type::max_length);
    case return_rule::varchar_8000: return make_sql_type(id::varchar, 8000);
    case return_rule::varbinary_8000: return make_sql_type(id::varbinary, 8000);
    case return_rule::uniqueidentifier: return make_sql_type(id::uniqueidentifier);
    case return_rule::variant: return make_sql_type(id::sql_variant);
    case return_rule::xml: return make_sql_type(id::xml);
    case return_rule::json: return make_sql_type(id::json);
    case return_rule::vector: return make_sql_type(id::vector);
  }
  return none;
}

}  // namespace dragoman::tsql
