// Function calls: which of SQLite's or Dragoman's functions does it, of what type it is. One function per kind of call.
#include <fmt/format.h>

#include <algorithm>

#include "guard/catalog/names.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"
#include "proxy/sandbox/text_collation.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

typed text_constant(const std::string& text, std::int32_t length = 128) {
  typed out;
  out.sql = quoted(text);
  out.type = make_type(sql_type_id::nvarchar, length);
  out.constant = text;
  out.nullable = false;
  return out;
}

typed int_constant(std::int64_t value, sql_type_id id = sql_type_id::int_) {
  return {std::to_string(value), make_type(id), sql_value(value), false};
}

}  // namespace

typed translator::call(const tsql::function_call& f, scope& s) {
  if (failed()) return {};
  if (!f.name.one_part()) {
    if (f.name.database.empty() && catalog::same_name(f.name.schema.value, "sys") &&
        (catalog::same_name(f.name.name.value, "fn_varbintohexstr")))
      return refused("sys." + f.name.name.value, f.name.pos);
    fail(4121, errc::function_not_allowed,
         fmt::format(
             "Cannot find either column \"{0}\" or the user-defined function or aggregate \"{0}.{1}\", or the name is "
             "ambiguous.",
             f.name.schema.value, f.name.name.value),
         f.name.pos);
    return {};
  }
  const std::string name = upper_case(f.name.name.value);
  if (auto v = aggregate_call(name, f, s)) return std::move(*v);
  if (failed()) return {};
  if (auto v = window_call(name, f, s)) return std::move(*v);
  if (auto v = scalar_call(name, f, s)) return std::move(*v);
  if (auto v = text_call(name, f, s)) return std::move(*v);
  if (auto v = time_call(name, f, s)) return std::move(*v);
  if (auto v = number_call(name, f, s)) return std::move(*v);
  if (auto v = session_call(lower_case(name), f, s)) return std::move(*v);
  if (!failed()) {
    static constexpr std::string_view known[] = {
        "JSON_VALUE", "JSON_QUERY",   "JSON_MODIFY",  "ISJSON",           "JSON_OBJECT",
        "JSON_ARRAY", "HASHBYTES",    "COMPRESS",     "DECOMPRESS",       "SOUNDEX",
        "DIFFERENCE", "CHECKSUM_AGG", "SWITCHOFFSET", "TODATETIMEOFFSET", "DATETIMEOFFSETFROMPARTS",
        "DATE_BUCKET"};
    if (std::find(std::begin(known), std::end(known), name) != std::end(known))
      return refused("the function " + name, f.name.pos);
    fail(195, errc::function_not_allowed,
         fmt::format("'{}' is not a recognized built-in function name.", f.name.name.value), f.name.pos);
  }
  return {};
}

typed translator::odbc_call(const tsql::odbc_function& f, scope& s) {
  // {fn NOW()} and its like are the same functions under ODBC's names.
  static constexpr struct {
    std::string_view odbc, tsql;
  } names[] = {{"NOW", "GETDATE"},      {"UCASE", "UPPER"},     {"LCASE", "LOWER"},   {"LENGTH", "LEN"},
               {"IFNULL", "ISNULL"},    {"CEILING", "CEILING"}, {"MOD", "MOD"},       {"DAYOFMONTH", "DAY"},
               {"DATABASE", "DB_NAME"}, {"USER", "USER_NAME"},  {"CONCAT", "CONCAT"}, {"CURDATE", "CURDATE"}};
  tsql::function_call as;
  as.name.name = f.name;
  as.arguments = f.arguments;
  for (const auto& n : names) {
    if (catalog::same_name(n.odbc, f.name.value)) as.name.name.value = n.tsql;
  }
  return call(as, s);
}

std::optional<typed> translator::scalar_call(const std::string& name, const tsql::function_call& f, scope& s) {
  const auto& a = f.arguments;
  const auto need = [&](std::size_t low, std::size_t high) {
    if (a.size() >= low && a.size() <= high) return true;
    fail(174, errc::syntax, fmt::format("The {} function requires {} argument(s).", lower_case(name), low), f.name.pos);
    return false;
  };
  if (name == "COALESCE" || name == "GREATEST" || name == "LEAST") {
    if (!need(name == "COALESCE" ? 2 : 1, 254)) return typed{};
    std::vector<typed> all;
    for (const auto& e : a) all.push_back(value(e, s));
    if (failed()) return typed{};
    const sql_type type = unify(all);
    std::vector<std::string> sql;
    bool nullable = true;
    for (auto& v : all) {
      nullable &= v.nullable;
      sql.push_back(coerce(v, type).sql);
    }
    if (name == "COALESCE") {
      std::string list;
      for (const auto& x : sql) list += (list.empty() ? "" : ",") + x;
      return typed{fmt::format("coalesce({})", list), type, {}, nullable};
    }
    // NULLs are ignored: fold from the left.
    std::string out = sql[0];
    for (std::size_t i = 1; i < sql.size(); ++i) {
      const std::string test =
          comparison(name == "GREATEST" ? tsql::comparison_operator::greater : tsql::comparison_operator::less,
                     {sql[i], type, {}, true}, {out, type, {}, true});
      out = fmt::format("CASE WHEN {0} IS NULL THEN {1} WHEN {1} IS NULL OR {2} THEN {0} ELSE {1} END", sql[i], out,
                        test);
    }
    return typed{"(" + out + ")", type, {}, true};
  }
  if (name == "ISNULL") {
    if (!need(2, 2)) return typed{};
    typed first = value(a[0], s);
    typed second = value(a[1], s);
    if (failed()) return typed{};
    const sql_type type = first.type.id == sql_type_id::unknown ? second.type : first.type;
    const bool nullable = first.nullable && second.nullable;
    return typed{
        fmt::format("ifnull({},{})", first.sql, cast(std::move(second), type, nullptr, false).sql), type, {}, nullable};
  }
  if (name == "NULLIF") {
    if (!need(2, 2)) return typed{};
    typed first = value(a[0], s);
    typed second = value(a[1], s);
    if (failed()) return typed{};
    const std::string equal = comparison(tsql::comparison_operator::equal, first, std::move(second));
    return typed{fmt::format("CASE WHEN {} THEN NULL ELSE {} END", equal, first.sql), first.type, {}, true};
  }
  if (name == "IIF") {
    if (!need(3, 3)) return typed{};
    const std::string test = condition(a[0], s);
    typed yes = value(a[1], s);
    typed no = value(a[2], s);
    if (failed()) return typed{};
    const sql_type type = unify({yes, no});
    const bool nullable = yes.nullable || no.nullable;
    return typed{fmt::format("CASE WHEN {} THEN {} ELSE {} END", test, coerce(std::move(yes), type).sql,
                             coerce(std::move(no), type).sql),
                 type,
                 {},
                 nullable};
  }
  if (name == "CHOOSE") {
    if (!need(2, 254)) return typed{};
    const typed index = as_int(value(a[0], s));
    std::vector<typed> all;
    for (std::size_t i = 1; i < a.size(); ++i) all.push_back(value(a[i], s));
    if (failed()) return typed{};
    const sql_type type = unify(all);
    std::string sql = fmt::format("CASE {}", index.sql);
    for (std::size_t i = 0; i < all.size(); ++i)
      sql += fmt::format(" WHEN {} THEN {}", i + 1, coerce(all[i], type).sql);
    return typed{sql + " END", type, {}, true};
  }
  if (name == "NEWID" || name == "NEWSEQUENTIALID")
    return typed{"t_newid()", make_type(sql_type_id::uniqueidentifier), {}, false};
  if (name == "CHECKSUM" || name == "BINARY_CHECKSUM") {
    std::string list;
    for (const auto& e : a) list += (list.empty() ? "" : ",") + value(e, s).sql;
    return typed{fmt::format("t_checksum({})", list), make_type(sql_type_id::int_), {}, true};
  }
  return std::nullopt;
}

std::optional<typed> translator::text_call(const std::string& name, const tsql::function_call& f, scope& s) {
  const auto& a = f.arguments;
  const auto need = [&](std::size_t low, std::size_t high) {
    if (a.size() >= low && a.size() <= high) return true;
    fail(174, errc::syntax, fmt::format("The {} function requires {} argument(s).", lower_case(name), low), f.name.pos);
    return false;
  };
  const auto text = [&](std::size_t i) { return as_text(value(a[i], s)); };
  const auto number = [&](std::size_t i) { return as_int(value(a[i], s)); };
  const auto same = [](const typed& v, std::string sql) { return typed{std::move(sql), v.type, {}, v.nullable}; };
  const sql_type int_type = make_type(sql_type_id::int_);
  if (name == "LEN") {
    if (!need(1, 1)) return typed{};
    const typed v = text(0);
    return typed{
        fmt::format("t_len({})", v.sql), v.type.is_max() ? make_type(sql_type_id::bigint) : int_type, {}, v.nullable};
  }
  if (name == "DATALENGTH") {
    if (!need(1, 1)) return typed{};
    typed v = value(a[0], s);
    switch (family_of(v.type.id)) {
      case family::binary: return typed{fmt::format("length({})", v.sql), int_type, {}, true};
      case family::text: {
        const int unit = is_unicode(v.type.id) ? 2 : 1;
        v = as_text(std::move(v));
        return typed{fmt::format("t_datalength({},{})", v.sql, unit), int_type, {}, true};
      }
      default: {
        const int size = v.type.id == sql_type_id::bigint || v.type.id == sql_type_id::float_ ||
                                 v.type.id == sql_type_id::datetime || v.type.id == sql_type_id::money ||
                                 v.type.id == sql_type_id::datetime2
                             ? 8
                         : v.type.id == sql_type_id::smallint                                 ? 2
                         : v.type.id == sql_type_id::tinyint || v.type.id == sql_type_id::bit ? 1
                         : v.type.id == sql_type_id::date                                     ? 3
                         : v.type.id == sql_type_id::uniqueidentifier                         ? 16
                         : family_of(v.type.id) == family::decimal ? (v.type.precision <= 9    ? 5
                                                                      : v.type.precision <= 19 ? 9
                                                                      : v.type.precision <= 28 ? 13
                                                                                               : 17)
                                                                   : 4;
        return typed{fmt::format("CASE WHEN {} IS NULL THEN NULL ELSE {} END", v.sql, size), int_type, {}, true};
      }
    }
  }
  if (name == "LEFT" || name == "RIGHT") {
    if (!need(2, 2)) return typed{};
    const typed v = text(0);
    return same(v, fmt::format("t_{}({},{})", lower_case(name), v.sql, number(1).sql));
  }
  if (name == "SUBSTRING") {
    if (!need(2, 3)) return typed{};
    const typed v = text(0);
    return same(
        v, fmt::format("t_substring({},{},{})", v.sql, number(1).sql, a.size() > 2 ? number(2).sql : "2147483647"));
  }
  if (name == "CHARINDEX") {
    if (!need(2, 3)) return typed{};
    const typed what = text(0);
    const typed in = text(1);
    return typed{fmt::format("t_charindex({},{}{})", what.sql, in.sql, a.size() > 2 ? "," + number(2).sql : ""),
                 in.type.is_max() ? make_type(sql_type_id::bigint) : int_type,
                 {},
                 true};
  }
  if (name == "PATINDEX") {
    if (!need(2, 2)) return typed{};
    const typed pattern = text(0);
    return typed{fmt::format("t_patindex({},{})", pattern.sql, text(1).sql), int_type, {}, true};
  }
  if (name == "REPLACE" || name == "TRANSLATE") {
    if (!need(3, 3)) return typed{};
    const typed v = text(0);
    const typed from = text(1);
    const typed to = text(2);
    sql_type type = concat_type(v.type, to.type);
    if (!type.is_max()) type.length = is_unicode(type.id) ? 4000 : 8000;
    return typed{fmt::format("t_{}({},{},{})", lower_case(name), v.sql, from.sql, to.sql),
                 name == "REPLACE" ? type : v.type,
                 {},
                 true};
  }
  if (name == "UPPER" || name == "LOWER" || name == "REVERSE") {
    if (!need(1, 1)) return typed{};
    const typed v = text(0);
    return same(v, fmt::format("t_{}({})", lower_case(name), v.sql));
  }
  if (name == "LTRIM" || name == "RTRIM" || name == "TRIM") {
    if (!need(1, 2)) return typed{};
    // TRIM(characters FROM text) has the text last, LTRIM(text, characters) first.
    const bool from_form = name == "TRIM" && a.size() == 2;
    const typed v = text(from_form ? 1 : 0);
    const std::string set = a.size() == 2 ? text(from_form ? 0 : 1).sql : "' '";
    std::string function = lower_case(name);
    if (f.options && f.options->trim == tsql::trim_side::leading) function = "ltrim";
    if (f.options && f.options->trim == tsql::trim_side::trailing) function = "rtrim";
    return same(v, fmt::format("t_{}({},{})", function, v.sql, set));
  }
  if (name == "CONCAT" || name == "CONCAT_WS") {
    if (!need(name == "CONCAT" ? 1 : 2, 254)) return typed{};
    std::string list;
    sql_type type = make_type(sql_type_id::varchar, 0);
    bool first = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const typed v = text(i);
      type = first ? text_type_of(v.type) : concat_type(type, v.type);
      first = false;
      list += (list.empty() ? "" : ",") + v.sql;
    }
    if (!type.is_max())
      type.length = std::max(1, name == "CONCAT_WS" ? (is_unicode(type.id) ? 4000 : 8000) : type.length);
    return typed{fmt::format("t_{}({})", lower_case(name), list), type, {}, false};
  }
  if (name == "STUFF") {
    if (!need(4, 4)) return typed{};
    const typed v = text(0);
    const typed insert = text(3);
    return typed{fmt::format("t_stuff({},{},{},{})", v.sql, number(1).sql, number(2).sql, insert.sql),
                 concat_type(v.type, insert.type),
                 {},
                 true};
  }
  if (name == "REPLICATE") {
    if (!need(2, 2)) return typed{};
    const typed v = text(0);
    sql_type type = v.type;
    if (!type.is_max()) type.length = is_unicode(type.id) ? 4000 : 8000;
    return typed{fmt::format("t_replicate({},{})", v.sql, number(1).sql), type, {}, true};
  }
  if (name == "SPACE") {
    if (!need(1, 1)) return typed{};
    return typed{fmt::format("t_space({})", number(0).sql), make_type(sql_type_id::varchar, 8000), {}, true};
  }
  if (name == "ASCII" || name == "UNICODE") {
    if (!need(1, 1)) return typed{};
    return typed{fmt::format("t_unicode({})", text(0).sql), int_type, {}, true};
  }
  if (name == "CHAR" || name == "NCHAR") {
    if (!need(1, 1)) return typed{};
    return typed{fmt::format("t_{}({})", lower_case(name), number(0).sql),
                 name == "CHAR" ? make_type(sql_type_id::varchar, 1) : make_type(sql_type_id::nvarchar, 2),
                 {},
                 true};
  }
  if (name == "QUOTENAME") {
    if (!need(1, 2)) return typed{};
    return typed{fmt::format("t_quotename({}{})", text(0).sql, a.size() > 1 ? "," + text(1).sql : ""),
                 make_type(sql_type_id::nvarchar, 258),
                 {},
                 true};
  }
  if (name == "PARSENAME") {
    if (!need(2, 2)) return typed{};
    return typed{
        fmt::format("t_parsename({},{})", text(0).sql, number(1).sql), make_type(sql_type_id::nvarchar, 128), {}, true};
  }
  if (name == "STR") {
    if (!need(1, 3)) return typed{};
    std::string list = as_real(value(a[0], s)).sql;
    for (std::size_t i = 1; i < a.size(); ++i) list += "," + number(i).sql;
    return typed{fmt::format("t_str({})", list), make_type(sql_type_id::varchar, 8000), {}, true};
  }
  if (name == "FORMAT") {
    if (!need(2, 3)) return typed{};
    const typed v = value(a[0], s);
    return typed{fmt::format("t_format({},{},{})", v.sql, pack(v.type), text(1).sql),
                 make_type(sql_type_id::nvarchar, 4000),
                 {},
                 true};
  }
  if (name == "ISNUMERIC" || name == "ISDATE") {
    if (!need(1, 1)) return typed{};
    return typed{fmt::format("t_{}({})", lower_case(name), text(0).sql), int_type, {}, false};
  }
  return std::nullopt;
}

std::optional<typed> translator::time_call(const std::string& name, const tsql::function_call& f, scope& s) {
  const auto& a = f.arguments;
  const auto need = [&](std::size_t low, std::size_t high) {
    if (a.size() >= low && a.size() <= high) return true;
    fail(174, errc::syntax, fmt::format("The {} function requires {} argument(s).", lower_case(name), low), f.name.pos);
    return false;
  };
  const sql_type int_type = make_type(sql_type_id::int_);
  const sql_type date_type = make_type(sql_type_id::date);
  const auto part = [&]() {
    const auto* c = a[0].as<tsql::column_ref>();
    const date_part p = c != nullptr && c->table.empty() ? date_part_of(c->name.value) : date_part::none;
    if (p == date_part::none)
      fail(155, errc::syntax,
           fmt::format("'{}' is not a recognized {} option.", c == nullptr ? "?" : c->name.value, lower_case(name)),
           a[0].pos);
    return p;
  };
  const auto number = [&](std::size_t i) { return as_int(value(a[i], s)); };
  const auto clock = [&](const char* function, sql_type_id id, int scale) {
    typed v{fmt::format("{}()", function), make_type(sql_type_id::datetime2, 0, 0, 7), {}, false};
    return id == sql_type_id::datetime2 ? v : cast(std::move(v), make_type(id, 0, 0, scale), nullptr, false);
  };
  if (name == "GETDATE") return clock("t_now", sql_type_id::datetime, 0);
  if (name == "GETUTCDATE") return clock("t_utcnow", sql_type_id::datetime, 0);
  if (name == "SYSDATETIME") return clock("t_now", sql_type_id::datetime2, 7);
  if (name == "SYSUTCDATETIME") return clock("t_utcnow", sql_type_id::datetime2, 7);
  if (name == "CURDATE") return clock("t_now", sql_type_id::date, 0);
  if (name == "SYSDATETIMEOFFSET")
    return typed{"t_nowoffset()", make_type(sql_type_id::datetimeoffset, 0, 0, 7), {}, false};
  if (name == "YEAR" || name == "MONTH" || name == "DAY") {
    if (!need(1, 1)) return typed{};
    const typed v = as_ticks(value(a[0], s));
    const date_part p = name == "YEAR" ? date_part::year : name == "MONTH" ? date_part::month : date_part::day;
    return typed{fmt::format("t_part({},{})", static_cast<int>(p), v.sql), int_type, {}, v.nullable};
  }
  if (name == "DATEPART" || name == "DATENAME") {
    if (!need(2, 2)) return typed{};
    const date_part p = part();
    typed raw = value(a[1], s);
    if (failed()) return typed{};
    if (p == date_part::offset_minutes)
      return typed{raw.type.id == sql_type_id::datetimeoffset ? fmt::format("t_offsetminutes({})", raw.sql) : "0",
                   int_type,
                   {},
                   true};
    const typed v = as_ticks(std::move(raw));
    return name == "DATEPART"
               ? typed{fmt::format("t_part({},{})", static_cast<int>(p), v.sql), int_type, {}, v.nullable}
               : typed{fmt::format("t_partname({},{})", static_cast<int>(p), v.sql),
                       make_type(sql_type_id::nvarchar, 30),
                       {},
                       v.nullable};
  }
  if (name == "DATEADD") {
    if (!need(3, 3)) return typed{};
    const date_part p = part();
    typed n = value(a[1], s);
    typed v = value(a[2], s);
    if (failed()) return typed{};
    if (family_of(n.type.id) != family::integer) n = cast(std::move(n), make_type(sql_type_id::bigint), nullptr, false);
    switch (family_of(v.type.id)) {
      case family::text:
      case family::integer:
      case family::decimal:
      case family::real: v = coerce(std::move(v), make_type(sql_type_id::datetime)); break;
      case family::offset: return refused("DATEADD of datetimeoffset", f.name.pos);
      default: break;
    }
    return typed{
        fmt::format("t_dateadd({},{},{},{})", static_cast<int>(p), n.sql, v.sql, pack(v.type)), v.type, {}, true};
  }
  if (name == "DATEDIFF" || name == "DATEDIFF_BIG") {
    if (!need(3, 3)) return typed{};
    const date_part p = part();
    typed from = value(a[1], s);
    typed to = value(a[2], s);
    if (failed()) return typed{};
    const sql_type type = name == "DATEDIFF" ? int_type : make_type(sql_type_id::bigint);
    const bool nullable = from.nullable || to.nullable;
    if (p == date_part::day && from.type.id == sql_type_id::date && to.type.id == sql_type_id::date)
      return typed{fmt::format("({}-{})", to.sql, from.sql), type, {}, nullable};
    const auto ticks = [&](typed v) {
      const bool offset = v.type.id == sql_type_id::datetimeoffset;
      std::string sql = v.sql;
      v = as_ticks(std::move(v));
      return offset ? fmt::format("t_offsetutc({})", sql) : v.sql;
    };
    return typed{fmt::format("t_{}({},{},{})", lower_case(name), static_cast<int>(p), ticks(std::move(from)),
                             ticks(std::move(to))),
                 type,
                 {},
                 nullable};
  }
  if (name == "DATETRUNC") {
    if (!need(2, 2)) return typed{};
    const date_part p = part();
    typed v = value(a[1], s);
    if (failed()) return typed{};
    const sql_type type = family_of(v.type.id) == family::text ? make_type(sql_type_id::datetime2, 0, 0, 7) : v.type;
    v = as_ticks(std::move(v));
    std::string sql = fmt::format("t_datetrunc({},{})", static_cast<int>(p), v.sql);
    if (type.id == sql_type_id::date) sql = fmt::format("({}/{})", sql, ticks_per_day);
    return typed{sql, type, {}, true};
  }
  if (name == "EOMONTH") {
    if (!need(1, 2)) return typed{};
    const typed v = cast(value(a[0], s), date_type, nullptr, false);
    return typed{fmt::format("t_eomonth({}{})", v.sql, a.size() > 1 ? "," + number(1).sql : ""), date_type, {}, true};
  }
  if (name == "DATEFROMPARTS") {
    if (!need(3, 3)) return typed{};
    return typed{
        fmt::format("t_datefromparts({},{},{})", number(0).sql, number(1).sql, number(2).sql), date_type, {}, true};
  }
  if (name == "DATETIMEFROMPARTS" || name == "DATETIME2FROMPARTS" || name == "SMALLDATETIMEFROMPARTS" ||
      name == "TIMEFROMPARTS") {
    std::vector<std::string> n;
    for (std::size_t i = 0; i < a.size(); ++i) n.push_back(number(i).sql);
    const auto fraction = [](const std::string& value, const std::string& digits) {
      return fmt::format("({}*CAST(t_power(10.0,7-{}) AS INTEGER))", value, digits);
    };
    if (name == "TIMEFROMPARTS") {
      if (!need(5, 5)) return typed{};
      return typed{fmt::format("t_timefromparts(1900,1,1,{},{},{},{})", n[0], n[1], n[2], fraction(n[3], n[4])),
                   make_type(sql_type_id::time, 0, 0, 7),
                   {},
                   true};
    }
    if (name == "SMALLDATETIMEFROMPARTS") {
      if (!need(5, 5)) return typed{};
      return typed{fmt::format("t_datetimefromparts({},{},{},{},{},0,0)", n[0], n[1], n[2], n[3], n[4]),
                   make_type(sql_type_id::smalldatetime),
                   {},
                   true};
    }
    if (name == "DATETIMEFROMPARTS") {
      if (!need(7, 7)) return typed{};
      return typed{
          fmt::format("t_datetimefromparts({},{},{},{},{},{},({})*10000)", n[0], n[1], n[2], n[3], n[4], n[5], n[6]),
          make_type(sql_type_id::datetime),
          {},
          true};
    }
    if (!need(8, 8)) return typed{};
    return typed{fmt::format("t_datetimefromparts({},{},{},{},{},{},{})", n[0], n[1], n[2], n[3], n[4], n[5],
                             fraction(n[6], n[7])),
                 make_type(sql_type_id::datetime2, 0, 0, 7),
                 {},
                 true};
  }
  return std::nullopt;
}

std::optional<typed> translator::number_call(const std::string& name, const tsql::function_call& f, scope& s) {
  const auto& a = f.arguments;
  const auto need = [&](std::size_t low, std::size_t high) {
    if (a.size() >= low && a.size() <= high) return true;
    fail(174, errc::syntax, fmt::format("The {} function requires {} argument(s).", lower_case(name), low), f.name.pos);
    return false;
  };
  const sql_type real = make_type(sql_type_id::float_);
  const auto numeric = [&](std::size_t i) {
    typed v = value(a[i], s);
    const family k = family_of(v.type.id);
    if (v.type.id == sql_type_id::unknown) v.type = make_type(sql_type_id::int_);
    if (k == family::text) v = as_real(std::move(v));
    if (v.type.id == sql_type_id::bit) v.type = make_type(sql_type_id::int_);
    if (k == family::integer && (v.type.id == sql_type_id::tinyint || v.type.id == sql_type_id::smallint))
      v.type = make_type(sql_type_id::int_);
    v.constant.reset();
    return v;
  };
  if (name == "ABS" || name == "SIGN" || name == "FLOOR" || name == "CEILING") {
    if (!need(1, 1)) return typed{};
    const typed v = numeric(0);
    if (failed()) return typed{};
    typed out = v;
    const family k = family_of(v.type.id);
    if (name == "ABS") {
      out.sql = k == family::real      ? fmt::format("t_fabs({})", v.sql)
                : k == family::decimal ? fmt::format("t_dabs({})", v.sql)
                                       : fmt::format("t_chk_{}(abs({}))", type_name(v.type.id), v.sql);
      return out;
    }
    if (name == "SIGN") {
      out.sql = fmt::format("t_sign({})", v.sql);
      if (k == family::decimal) {
        out.type = make_type(sql_type_id::int_);
        out = coerce(std::move(out), v.type);
      }
      return out;
    }
    const std::string function = lower_case(name);
    if (k == family::integer) return out;
    if (k == family::real) {
      out.sql = fmt::format("t_{}({})", function, v.sql);
      return out;
    }
    const auto t = decimal_type_of(v.type);
    out.sql = fmt::format("t_d{}({},{})", function, v.sql, t.scale);
    const bool money = v.type.id == sql_type_id::money || v.type.id == sql_type_id::smallmoney;
    out.type = make_decimal({t.precision, 0});
    return money ? coerce(std::move(out), v.type) : out;
  }
  if (name == "ROUND") {
    if (!need(2, 3)) return typed{};
    const typed v = numeric(0);
    const typed digits = as_int(value(a[1], s));
    const std::string cut = a.size() > 2 ? as_int(value(a[2], s)).sql : "0";
    typed out = v;
    out.sql = family_of(v.type.id) == family::decimal
                  ? fmt::format("t_dround({},{},{},{})", v.sql, pack(v.type), digits.sql, cut)
                  : fmt::format("t_round({},{},{})", v.sql, digits.sql, cut);
    if (family_of(v.type.id) == family::integer) out.sql = fmt::format("t_chk_{}({})", type_name(v.type.id), out.sql);
    return out;
  }
  if (name == "POWER") {
    if (!need(2, 2)) return typed{};
    const typed base = numeric(0);
    const sql_type type = base.type;
    typed out{fmt::format("t_power({},{})", as_real(base).sql, as_real(value(a[1], s)).sql), real, {}, true};
    return type.id == real.id
               ? out
               : cast(std::move(out),
                      family_of(type.id) == family::decimal ? make_type(sql_type_id::decimal, 0, 38, type.scale) : type,
                      nullptr, false);
  }
  if (name == "LOG" || name == "ATN2") {
    if (!need(name == "LOG" ? 1 : 2, 2)) return typed{};
    const std::string first = as_real(numeric(0)).sql;
    if (a.size() == 1) return typed{fmt::format("t_log({})", first), real, {}, true};
    return typed{
        fmt::format("{}({},{})", name == "LOG" ? "t_logb" : "t_atn2", first, as_real(numeric(1)).sql), real, {}, true};
  }
  static constexpr std::string_view reals[] = {"SQRT", "SQUARE", "EXP",  "LOG10", "SIN", "COS",
                                               "TAN",  "COT",    "ASIN", "ACOS",  "ATAN"};
  if (std::find(std::begin(reals), std::end(reals), name) != std::end(reals)) {
    if (!need(1, 1)) return typed{};
    return typed{fmt::format("t_{}({})", lower_case(name), as_real(numeric(0)).sql), real, {}, true};
  }
  if (name == "DEGREES" || name == "RADIANS") {
    if (!need(1, 1)) return typed{};
    const typed v = numeric(0);
    typed out{fmt::format("t_{}({})", lower_case(name), as_real(v).sql), real, {}, true};
    return v.type.id == real.id ? out : cast(std::move(out), v.type, nullptr, false);
  }
  if (name == "PI") return typed{"3.1415926535897931", real, {}, false};
  if (name == "RAND") {
    if (!need(0, 1)) return typed{};
    return typed{a.empty() ? "t_rand()" : fmt::format("t_rand({})", as_int(value(a[0], s)).sql), real, {}, false};
  }
  if (name == "MOD" && a.size() == 2) return arithmetic(tsql::binary_operator::modulo, value(a[0], s), value(a[1], s));
  return std::nullopt;
}

// What the session knows of itself. Names in lower case; @@globals come here too.
std::optional<typed> translator::session_call(const std::string& name, const tsql::function_call& f, scope& s) {
  const auto& a = f.arguments;
  const auto text_argument = [&](std::size_t i) -> std::string {
    const typed v = as_text(value(a[i], s));
    const auto* t = v.constant ? std::get_if<std::string>(&*v.constant) : nullptr;
    return t == nullptr ? std::string() : *t;
  };
  if (name == "@@version") return text_constant(facts_.version_text, 300);
  if (name == "@@servername") return text_constant(facts_.server_name);
  if (name == "@@servicename") return text_constant("MSSQLSERVER");
  if (name == "@@language") return text_constant(facts_.language);
  if (name == "@@spid") return int_constant(facts_.spid, sql_type_id::smallint);
  if (name == "@@trancount") return int_constant(facts_.trancount);
  if (name == "@@rowcount") return int_constant(facts_.rowcount);
  if (name == "@@error") return int_constant(facts_.error);
  if (name == "@@options") return int_constant(facts_.options);
  if (name == "@@datefirst") return int_constant(facts_.date_first, sql_type_id::tinyint);
  if (name == "@@lock_timeout") return int_constant(facts_.lock_timeout);
  if (name == "@@textsize") return int_constant(facts_.text_size);
  if (name == "@@max_precision") return int_constant(38, sql_type_id::tinyint);
  if (name == "@@max_connections") return int_constant(32767);
  if (name == "@@microsoftversion") return int_constant(0x100003E8);
  if (name == "@@nestlevel" || name == "@@procid" || name == "@@langid" || name == "@@cursor_rows" ||
      name == "@@fetch_status" || name == "@@connections" || name == "@@cpu_busy" || name == "@@idle" ||
      name == "@@dbts")
    return int_constant(0);
  if (name == "@@identity" || name == "scope_identity")
    return typed{"NULL", make_type(sql_type_id::decimal, 0, 38, 0), {}, true};
  if (name == "rowcount_big") return int_constant(facts_.rowcount, sql_type_id::bigint);
  if (name == "db_name") {
    if (a.empty()) return text_constant(facts_.database);
    const typed id = as_int(value(a[0], s));
    std::string known = fmt::format("CASE {} WHEN 1 THEN 'master' WHEN 2 THEN 'tempdb' WHEN {} THEN {}", id.sql,
                                    facts_.database_id, quoted(facts_.database));
    for (const auto& other : facts_.other_databases)
      known += fmt::format(" WHEN {} THEN {}", other.id, quoted(other.name));
    return typed{known + " END", make_type(sql_type_id::nvarchar, 128), {}, true};
  }
  if (name == "original_db_name") return text_constant(facts_.database);
  if (name == "db_id") {
    if (a.empty()) return int_constant(facts_.database_id, sql_type_id::smallint);
    const typed n = as_text(value(a[0], s));
    std::string known = "CASE";
    const auto add = [&](const std::string& name, std::int32_t id) {
      known += fmt::format(" WHEN {} = {} COLLATE T THEN {}", n.sql, quoted(name), id);
    };
    add(facts_.database, facts_.database_id);
    for (const auto& other : facts_.other_databases) add(other.name, other.id);
    add("master", 1);
    add("tempdb", 2);
    return typed{known + " END", make_type(sql_type_id::smallint), {}, true};
  }
  // Names and numbers of objects, where the catalogue's views are installed.
  if (tables_.find("sys", "objects") != nullptr && !a.empty()) {
    const sql_type name_type = make_type(sql_type_id::nvarchar, 128);
    const sql_type id_type = make_type(sql_type_id::int_);
    if (name == "object_id") {
      const std::string n = as_text(value(a[0], s)).sql;
      const std::string schema = fmt::format("coalesce(t_parsename({},2),{})", n, quoted(facts_.default_schema));
      return typed{
          fmt::format("(SELECT o.object_id FROM \"sys.all_objects\" AS o JOIN \"sys.schemas\" AS s ON s.schema_id = "
                      "o.schema_id WHERE o.name = t_parsename({},1) COLLATE T AND s.name = {} COLLATE T)",
                      n, schema),
          id_type,
          {},
          true};
    }
    const auto looked_up = [&](const char* table, const char* wanted, const char* key, const typed& by,
                               const sql_type& type) {
      return typed{
          fmt::format("(SELECT x.{} FROM \"{}\" AS x WHERE x.{} = {} LIMIT 1)", wanted, table, key, collated(by)),
          type,
          {},
          true};
    };
    if (name == "object_name")
      return looked_up("sys.all_objects", "name", "object_id", as_int(value(a[0], s)), name_type);
    if (name == "schema_name") return looked_up("sys.schemas", "name", "schema_id", as_int(value(a[0], s)), name_type);
    if (name == "schema_id") return looked_up("sys.schemas", "schema_id", "name", as_text(value(a[0], s)), id_type);
    if (name == "type_name") return looked_up("sys.types", "name", "user_type_id", as_int(value(a[0], s)), name_type);
    if (name == "type_id") return looked_up("sys.types", "user_type_id", "name", as_text(value(a[0], s)), id_type);
    if (name == "object_schema_name")
      return typed{
          fmt::format("(SELECT s.name FROM \"sys.all_objects\" AS o JOIN \"sys.schemas\" AS s ON s.schema_id = "
                      "o.schema_id WHERE o.object_id = {})",
                      as_int(value(a[0], s)).sql),
          name_type,
          {},
          true};
    if (name == "col_name" && a.size() == 2)
      return typed{
          fmt::format("(SELECT c.name FROM \"sys.all_columns\" AS c WHERE c.object_id = {} AND c.column_id = {})",
                      as_int(value(a[0], s)).sql, as_int(value(a[1], s)).sql),
          name_type,
          {},
          true};
  }
  if (name == "suser_sname" || name == "suser_name" || name == "original_login") return text_constant(facts_.login);
  if (name == "user_name" || name == "current_user") return text_constant(facts_.user);
  if (name == "schema_name" && a.empty()) return text_constant(facts_.default_schema);
  if (name == "host_name") return text_constant(facts_.host);
  if (name == "app_name" || name == "program_name") return text_constant(facts_.application);
  if (name == "suser_id" || name == "user_id" || name == "database_principal_id") return int_constant(1);
  if (name == "has_dbaccess") {
    const typed n = as_text(value(a[0], s));
    std::string known =
        fmt::format("CASE WHEN {0} IN ({1}, 'master', 'tempdb'", n.sql + " COLLATE T", quoted(facts_.database));
    for (const auto& other : facts_.other_databases) known += ", " + quoted(other.name);
    return typed{known + ") THEN 1 ELSE 0 END", make_type(sql_type_id::int_), {}, true};
  }
  if (name == "is_srvrolemember" || name == "is_member" || name == "is_rolemember") return int_constant(0);
  if (name == "has_perms_by_name") return int_constant(1);
  if (name == "xact_state") return int_constant(facts_.trancount > 0 ? 1 : 0, sql_type_id::smallint);
  if (name == "connectionproperty" && a.size() == 1) {
    const std::string what = lower_case(text_argument(0));
    if (what == "net_transport" || what == "physical_net_transport") return text_constant("TCP");
    if (what == "protocol_type") return text_constant("TSQL");
    if (what == "auth_scheme") return text_constant("SQL");
    return typed{"NULL", make_type(sql_type_id::nvarchar, 128), {}, true};
  }
  if (name == "serverproperty" && a.size() == 1) {
    const std::string what = lower_case(text_argument(0));
    if (what == "productversion") return text_constant(facts_.product_version);
    if (what == "productlevel") return text_constant(facts_.product_level);
    if (what == "productmajorversion")
      return text_constant(facts_.product_version.substr(0, facts_.product_version.find('.')));
    if (what == "productminorversion") return text_constant("0");
    if (what == "edition") return text_constant(facts_.edition);
    if (what == "engineedition") return int_constant(facts_.engine_edition);
    if (what == "servername") return text_constant(facts_.server_name);
    if (what == "machinename" || what == "computernamephysicalnetbios") return text_constant(facts_.machine_name);
    if (what == "collation") return text_constant(facts_.collation);
    if (what == "isclustered" || what == "isintegratedsecurityonly" || what == "ishadrenabled" ||
        what == "isfulltextinstalled" || what == "issingleuser" || what == "isxtpsupported" ||
        what == "ispolybaseinstalled" || what == "isbigdatacluster" || what == "islocaldb" ||
        what == "isadvancedanalyticsinstalled" || what == "filestreamconfiguredlevel" ||
        what == "filestreameffectivelevel")
      return int_constant(0);
    if (what == "lcid") return int_constant(1033);
    if (what == "editionid") return int_constant(-2117995310, sql_type_id::bigint);
    if (what == "sqlcharset") return int_constant(1);
    if (what == "sqlsortorder") return int_constant(52);
    return typed{"NULL", make_type(sql_type_id::nvarchar, 128), {}, true};
  }
  if (name == "databasepropertyex" && a.size() == 2) {
    const std::string what = lower_case(text_argument(1));
    if (what == "collation") return text_constant(facts_.collation);
    if (what == "status") return text_constant("ONLINE");
    if (what == "updateability") return text_constant("READ_ONLY");
    if (what == "recovery") return text_constant("SIMPLE");
    if (what == "useraccess") return text_constant("MULTI_USER");
    if (what == "version") return int_constant(957);
    return typed{"NULL", make_type(sql_type_id::nvarchar, 128), {}, true};
  }
  if (name == "collationproperty" && a.size() == 2) {
    const std::string what = lower_case(text_argument(1));
    if (what == "codepage") return int_constant(1252);
    if (what == "lcid") return int_constant(1033);
    if (what == "comparisonstyle") return int_constant(196609);
    return int_constant(0);
  }
  return std::nullopt;
}

}  // namespace dragoman::sandbox
