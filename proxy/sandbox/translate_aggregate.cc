// Aggregates and window functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "guard/catalog/names.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/text_collation.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

constexpr std::array<std::string_view, 12> aggregates{"SUM", "COUNT", "COUNT_BIG",  "AVG",
                                                      "MIN", "MAX",   "STDEV",      "STDEVP",
                                                      "VAR", "VARP",  "STRING_AGG", "APPROX_COUNT_DISTINCT"};

class aggregate_mark {
 public:
  aggregate_mark(bool& flag, bool value) : flag_(flag), before_(flag) { flag = value; }
  ~aggregate_mark() { flag_ = before_; }

 private:
  bool& flag_;
  bool before_;
};

}  // namespace

bool is_aggregate_name(std::string_view name) noexcept {
  return std::find(aggregates.begin(), aggregates.end(), name) != aggregates.end() || name == "GROUPING" ||
         name == "GROUPING_ID";
}

std::string translator::window(const tsql::window_definition& w, scope& s) {
  std::string sql;
  const tsql::window_definition* base = nullptr;
  if (!w.base.empty() && s.windows != nullptr) {
    for (const auto& named : *s.windows) {
      if (catalog::same_name(named.name.value, w.base.value)) base = &named.definition;
    }
    if (base == nullptr) refused("the window " + w.base.value, here_);
  }
  const auto& partition = base != nullptr && w.partition_by.empty() ? base->partition_by : w.partition_by;
  const auto& order = base != nullptr && w.order_by.empty() ? base->order_by : w.order_by;
  if (!partition.empty()) {
    sql += "PARTITION BY ";
    for (std::size_t i = 0; i < partition.size(); ++i) sql += (i > 0 ? "," : "") + collated(value(partition[i], s));
  }
  if (!order.empty()) sql += (sql.empty() ? "" : " ") + std::string("ORDER BY ") + order_list(order, s);
  const auto& frame = w.frame ? w.frame : base != nullptr ? base->frame : w.frame;
  if (frame) {
    const auto bound = [&](const tsql::frame_bound& b) -> std::string {
      switch (b.kind) {
        case tsql::frame_bound_kind::unbounded_preceding: return "UNBOUNDED PRECEDING";
        case tsql::frame_bound_kind::preceding: return as_int(value(*b.offset, s)).sql + " PRECEDING";
        case tsql::frame_bound_kind::current_row: return "CURRENT ROW";
        case tsql::frame_bound_kind::following: return as_int(value(*b.offset, s)).sql + " FOLLOWING";
        case tsql::frame_bound_kind::unbounded_following: return "UNBOUNDED FOLLOWING";
      }
      return {};
    };
    sql += frame->unit == tsql::frame_unit::rows ? " ROWS " : " RANGE ";
    sql += frame->end ? "BETWEEN " + bound(frame->start) + " AND " + bound(*frame->end) : bound(frame->start);
  }
  return sql;
}

std::string translator::over(const tsql::function_call& f, scope& s) {
  if (!f.over) return {};
  if (!f.over->window.empty()) {
    if (s.windows != nullptr) {
      for (const auto& named : *s.windows) {
        if (catalog::same_name(named.name.value, f.over->window.value))
          return " OVER (" + window(named.definition, s) + ")";
      }
    }
    refused("the window " + f.over->window.value, here_);
    return {};
  }
  return " OVER (" + window(f.over->definition, s) + ")";
}

std::optional<typed> translator::aggregate_call(const std::string& name, const tsql::function_call& f, scope& s) {
  if (!is_aggregate_name(name)) return std::nullopt;
  if (name == "GROUPING" || name == "GROUPING_ID") {
    std::int64_t bits = 0;
    for (const auto& a : f.arguments) {
      aggregate_mark inside(s.in_aggregate, true);
      bits = bits * 2 + (s.nulled.contains(value(a, s).sql) ? 1 : 0);
    }
    return typed{
        std::to_string(bits), make_type(name == "GROUPING" ? sql_type_id::tinyint : sql_type_id::int_), {}, false};
  }
  const std::string where = over(f, s);
  // Arguments of an aggregate look at the rows; those of a window function at the groups.
  aggregate_mark inside(s.in_aggregate, f.over ? s.in_aggregate : true);
  const bool distinct = f.quantifier == tsql::set_quantifier::distinct;
  const std::string d = distinct ? "DISTINCT " : "";
  if (name == "COUNT" || name == "COUNT_BIG" || name == "APPROX_COUNT_DISTINCT") {
    const sql_type type = make_type(name == "COUNT" ? sql_type_id::int_ : sql_type_id::bigint);
    if (f.star) return typed{"count(*)" + where, type, {}, false};
    if (f.arguments.size() != 1) {
      fail(174, errc::syntax, fmt::format("The {} function requires 1 argument(s).", name), here_);
      return typed{};
    }
    const typed v = value(f.arguments[0], s);
    if (name == "APPROX_COUNT_DISTINCT")
      return typed{fmt::format("count(DISTINCT {}){}", collated(v), where), type, {}, false};
    return typed{fmt::format("count({}{}){}", d, distinct ? collated(v) : v.sql, where), type, {}, false};
  }
  if (name == "STRING_AGG") {
    if (f.arguments.size() != 2) {
      fail(174, errc::syntax, "The string_agg function requires 2 argument(s).", here_);
      return typed{};
    }
    typed text = as_text(value(f.arguments[0], s));
    const typed separator = as_text(value(f.arguments[1], s));
    std::string sql = fmt::format("t_string_agg({},{}", text.sql, separator.sql);
    if (f.options) {
      for (const auto& item : f.options->within_group)
        sql += fmt::format(",{},{}", value(*item.value, s).sql, item.descending ? 1 : 0);
    }
    return typed{sql + ")" + where,
                 make_type(is_unicode(text.type.id) ? sql_type_id::nvarchar : sql_type_id::varchar,
                           text.type.is_max()         ? sql_type::max_length
                           : is_unicode(text.type.id) ? 4000
                                                      : 8000),
                 {},
                 true};
  }
  if (f.arguments.size() != 1) {
    std::string lower = lower_case(name);
    fail(174, errc::syntax, fmt::format("The {} function requires 1 argument(s).", lower), here_);
    return typed{};
  }
  typed v = value(f.arguments[0], s);
  if (failed()) return typed{};
  const family kind = family_of(v.type.id);
  if (name == "MIN" || name == "MAX") {
    if (v.type.id == sql_type_id::bit) {
      fail(8117, errc::conversion, fmt::format("Operand data type bit is invalid for {} operator.", lower_case(name)),
           here_);
      return typed{};
    }
    sql_type type = v.type.id == sql_type_id::unknown ? make_type(sql_type_id::int_) : v.type;
    if (kind == family::decimal && decimal_type_of(v.type).precision > 18)
      return typed{
          fmt::format("t_{}_dec{}({}){}", lower_case(name), f.over ? "_over" : "", v.sql, where), type, {}, true};
    return typed{fmt::format("{}({}){}", lower_case(name), collated(v), where), type, {}, true};
  }
  const bool number =
      v.type.id == sql_type_id::unknown || kind == family::integer || kind == family::decimal || kind == family::real;
  if (!number || v.type.id == sql_type_id::bit) {
    fail(8117, errc::conversion,
         fmt::format("Operand data type {} is invalid for {} operator.", type_name(v.type.id), lower_case(name)),
         here_);
    return typed{};
  }
  if (name == "SUM" || name == "AVG") {
    if (v.type.id == sql_type_id::unknown) v.type = make_type(sql_type_id::int_);
    const sql_type type = name == "SUM" ? sum_type(v.type) : average_type(v.type);
    std::string function = name == "SUM" ? "t_sum_" : "t_avg_";
    if (family_of(type.id) == family::real) {
      v = as_real(std::move(v));
      function += "real";
    } else if (name == "AVG") {
      if (type.id == sql_type_id::money && v.type.id == sql_type_id::smallmoney) v.type = type;
      function += std::to_string(decimal_type_of(type).scale - decimal_type_of(v.type).scale);
    } else {
      function += type.id == sql_type_id::int_     ? "int"
                  : type.id == sql_type_id::bigint ? "bigint"
                  : type.id == sql_type_id::money  ? "money"
                                                   : "dec";
    }
    if (name == "AVG" && family_of(type.id) == family::integer) function = "t_avg_0";
    return typed{fmt::format("{}({}{}){}", function, d, v.sql, where), type, {}, true};
  }
  v = as_real(std::move(v));
  return typed{
      fmt::format("t_{}({}{}){}", lower_case(name), d, v.sql, where), make_type(sql_type_id::float_), {}, true};
}

std::optional<typed> translator::window_call(const std::string& name, const tsql::function_call& f, scope& s) {
  static constexpr std::array<std::string_view, 12> names{
      "ROW_NUMBER",   "RANK",      "DENSE_RANK",      "NTILE",          "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE",
      "PERCENT_RANK", "CUME_DIST", "PERCENTILE_CONT", "PERCENTILE_DISC"};
  if (std::find(names.begin(), names.end(), name) == names.end()) return std::nullopt;
  if (!f.over) {
    fail(10753, errc::syntax, fmt::format("The function '{}' must have an OVER clause.", name), here_);
    return typed{};
  }
  const std::string function = lower_case(name);
  std::vector<typed> arguments;
  for (const auto& a : f.arguments) arguments.push_back(value(a, s));
  if (failed()) return typed{};
  const auto need = [&](std::size_t low, std::size_t high) {
    if (arguments.size() >= low && arguments.size() <= high) return true;
    fail(174, errc::syntax, fmt::format("The {} function requires {} argument(s).", function, low), here_);
    return false;
  };
  if (name == "PERCENTILE_CONT" || name == "PERCENTILE_DISC") {
    if (!need(1, 1)) return typed{};
    if (!f.options || f.options->within_group.size() != 1) {
      fail(10754, errc::syntax, fmt::format("The function '{}' must have a WITHIN GROUP clause.", name), here_);
      return typed{};
    }
    const auto& order = f.options->within_group.front();
    typed v = value(*order.value, s);
    const sql_type type = name == "PERCENTILE_CONT" ? make_type(sql_type_id::float_) : v.type;
    if (name == "PERCENTILE_CONT") v = as_real(std::move(v));
    return typed{fmt::format("t_{}({},{},{}){}", function, v.sql, as_real(arguments[0]).sql, order.descending ? 1 : 0,
                             over(f, s)),
                 type,
                 {},
                 true};
  }
  if (f.options && f.options->nulls == tsql::null_treatment::ignore_nulls) return refused("IGNORE NULLS", here_);
  const std::string where = over(f, s);
  if (name == "ROW_NUMBER" || name == "RANK" || name == "DENSE_RANK") {
    if (!need(0, 0)) return typed{};
    return typed{function + "()" + where, make_type(sql_type_id::bigint), {}, false};
  }
  if (name == "PERCENT_RANK" || name == "CUME_DIST") {
    if (!need(0, 0)) return typed{};
    return typed{function + "()" + where, make_type(sql_type_id::float_), {}, false};
  }
  if (name == "NTILE") {
    if (!need(1, 1)) return typed{};
    return typed{
        fmt::format("ntile({}){}", as_int(arguments[0]).sql, where), make_type(sql_type_id::bigint), {}, false};
  }
  if (name == "LAG" || name == "LEAD") {
    if (!need(1, 3)) return typed{};
    std::string list = arguments[0].sql;
    if (arguments.size() > 1) list += "," + as_int(arguments[1]).sql;
    if (arguments.size() > 2) list += "," + coerce(arguments[2], arguments[0].type).sql;
    return typed{fmt::format("{}({}){}", function, list, where), arguments[0].type, {}, true};
  }
  if (!need(1, 1)) return typed{};
  return typed{fmt::format("{}({}){}", function, arguments[0].sql, where), arguments[0].type, {}, true};
}

}  // namespace dragoman::sandbox
