// Conversions: written so that constants are converted now, cheap ones by SQLite's own arithmetic, the rest by t_cast.
#include <fmt/format.h>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

constexpr std::int64_t powers[] = {1,
                                   10,
                                   100,
                                   1000,
                                   10000,
                                   100000,
                                   1000000,
                                   10000000,
                                   100000000,
                                   1000000000,
                                   10000000000,
                                   100000000000,
                                   1000000000000,
                                   10000000000000,
                                   100000000000000,
                                   1000000000000000,
                                   10000000000000000,
                                   100000000000000000,
                                   1000000000000000000};

std::string generic(const typed& v, const sql_type& to, int style, const char* function = "t_cast") {
  return fmt::format("{}({},{},{},{})", function, v.sql, pack(v.type), pack(to), style);
}

bool fixed_length(sql_type_id id) {
  return id == sql_type_id::char_ || id == sql_type_id::nchar;
}

// The same bits mean the same in both types, and every value of `from` fits.
bool same_encoding(const sql_type& from, const sql_type& to) {
  const family f = family_of(from.id);
  if (f != family_of(to.id)) return false;
  switch (f) {
    case family::integer: {
      const auto width = [](sql_type_id id) { return decimal_type_of(make_type(id)).precision; };
      return width(from.id) <= width(to.id);
    }
    case family::decimal: {
      const auto a = decimal_type_of(from);
      const auto b = decimal_type_of(to);
      return a.scale == b.scale && a.precision <= b.precision;
    }
    case family::real: return to.id == sql_type_id::float_ || from.id == to.id;
    case family::date:
    case family::guid: return true;
    case family::datetime:
      return from.id == to.id
                 ? from.scale <= to.scale
                 : to.id == sql_type_id::datetime2 && (to.scale >= 3 || from.id == sql_type_id::smalldatetime);
    case family::time:
    case family::offset: return from.scale <= to.scale;
    case family::binary:
      return to.id != sql_type_id::binary && (to.is_max() || (from.length <= to.length && !from.is_max()));
    case family::text:
      if (fixed_length(from.id) && !fixed_length(to.id)) return false;  // its blanks appear
      if (fixed_length(to.id) && !fixed_length(from.id)) return false;  // its blanks go
      return to.is_max() || to.length == 0 || (from.length <= to.length && !from.is_max());
  }
  return false;
}

}  // namespace

typed translator::coerce(typed v, const sql_type& to) {
  if (to.id == sql_type_id::unknown || v.type == to) return v;
  if (v.type.id == sql_type_id::unknown) {
    v.type = to;
    return v;
  }
  if (v.constant) {
    auto converted = convert(*v.constant, v.type, to, reading_style(v.type, to, facts_));
    if (converted) {
      v.sql = constant(to, *converted);
      v.constant = std::move(*converted);
      v.type = to;
      return v;
    }
    // Whether it fails is decided when a row needs it.
    v.constant.reset();
  }
  if (same_encoding(v.type, to)) {
    v.type = to;
    return v;
  }
  const family from_family = family_of(v.type.id);
  const family to_family = family_of(to.id);
  std::string sql;
  if (to_family == family::decimal && (from_family == family::integer || from_family == family::decimal)) {
    const auto a = decimal_type_of(v.type);
    const auto b = decimal_type_of(to);
    const int up = b.scale - a.scale;
    if (up == 0 && a.precision - a.scale <= b.precision - b.scale) {
      sql = v.sql;
    } else if (up > 0 && a.precision + up <= 18 && a.precision - a.scale <= b.precision - b.scale) {
      sql = fmt::format("({}*{})", v.sql, powers[up]);
    }
  } else if (to.id == sql_type_id::float_ && from_family == family::integer) {
    sql = fmt::format("CAST({} AS REAL)", v.sql);
  } else if (to.id == sql_type_id::float_ && from_family == family::decimal &&
             decimal_type_of(v.type).precision <= 15) {
    sql = fmt::format("({}/{}.0)", v.sql, powers[decimal_type_of(v.type).scale]);
  } else if (from_family == family::date && to_family == family::datetime && to.id == sql_type_id::datetime2) {
    sql = fmt::format("({}*{})", v.sql, ticks_per_day);
  } else if (from_family == family::text && to_family == family::text && fixed_length(v.type.id) &&
             !fixed_length(to.id) && (to.is_max() || v.type.length <= to.length)) {
    sql = fmt::format("t_pad({},{})", v.sql, v.type.length);
  }
  v.sql = sql.empty() ? generic(v, to, -1) : sql;
  v.type = to;
  return v;
}

typed translator::cast(typed v, const sql_type& to, const typed* style, bool is_try) {
  if (v.type.id == sql_type_id::unknown) {
    v.type = to;
    return v;
  }
  int style_value = -1;
  if (style != nullptr) {
    if (!style->constant || !std::holds_alternative<std::int64_t>(*style->constant)) {
      v.sql = fmt::format("{}({},{},{},{})", is_try ? "t_try" : "t_cast", v.sql, pack(v.type), pack(to), style->sql);
      v.type = to;
      v.constant.reset();
      return v;
    }
    style_value = static_cast<int>(std::get<std::int64_t>(*style->constant));
  }
  if (style_value < 0 && same_encoding(v.type, to) && !v.constant) {
    v.type = to;
    return v;
  }
  if (v.constant) {
    auto converted =
        convert(*v.constant, v.type, to, style_value < 0 ? reading_style(v.type, to, facts_) : style_value);
    if (converted) {
      v.sql = constant(to, *converted);
      v.constant = std::move(*converted);
      v.type = to;
      return v;
    }
    v.constant.reset();
  }
  v.sql = generic(v, to, style_value, is_try ? "t_try" : "t_cast");
  v.type = to;
  v.nullable |= is_try;
  return v;
}

typed translator::as_text(typed v) {
  return coerce(std::move(v), text_type_of(v.type));
}

typed translator::as_real(typed v) {
  return coerce(std::move(v), make_type(sql_type_id::float_));
}

typed translator::as_int(typed v) {
  if (family_of(v.type.id) == family::integer) return v;
  return coerce(std::move(v), make_type(sql_type_id::bigint));
}

typed translator::as_ticks(typed v) {
  switch (family_of(v.type.id)) {
    case family::datetime:
    case family::time: return v;
    case family::offset:
      v.sql = fmt::format("t_offsetlocal({})", v.sql);
      v.type = make_type(sql_type_id::datetime2, 0, 0, 7);
      v.constant.reset();
      return v;
    case family::integer:
    case family::real:
    case family::decimal: return coerce(std::move(v), make_type(sql_type_id::datetime));
    default: return coerce(std::move(v), make_type(sql_type_id::datetime2, 0, 0, 7));
  }
}

sql_type translator::unify(const std::vector<typed>& all) {
  sql_type out;
  for (const auto& v : all) {
    const auto next = common_type(out, v.type);
    if (!next) {
      fail(206, errc::conversion,
           fmt::format("Operand type clash: {} is incompatible with {}", type_name(v.type.id), type_name(out.id)),
           here_);
      return out;
    }
    out = *next;
  }
  if (out.id == sql_type_id::unknown) out = make_type(sql_type_id::int_);
  return out;
}

std::string translator::collated(const typed& v) const {
  return family_of(v.type.id) == family::text && v.type.id != sql_type_id::unknown ? v.sql + " COLLATE T" : v.sql;
}

}  // namespace dragoman::sandbox
