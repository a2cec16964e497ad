// Values: literals, names, operators, CASE, CAST.
#include <fmt/format.h>

#include <charconv>

#include "base/limits.h"
#include "guard/catalog/names.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/text_collation.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

using catalog::same_name;

typed constant_of(sql_type type, sql_value v) {
  typed out;
  out.sql = constant(type, v);
  out.type = type;
  out.nullable = dragoman::is_null(v);
  out.constant = std::move(v);
  return out;
}

}  // namespace

typed translator::value(const tsql::expression& e, scope& s) {
  if (failed()) return {};
  if (depth_ > static_cast<int>(limits::expression_depth_max)) {
    fail(191, errc::too_complex,
         "Some part of your SQL statement is nested too deeply. Rewrite the query or break it up "
         "into smaller queries.",
         e.pos);
    return {};
  }
  ++depth_;
  if (e.pos.line != 0) here_ = e.pos;
  typed out;
  const bool may_be_group = s.grouped && !s.in_aggregate && (s.group_expressions || !s.nulled.empty()) &&
                            e.as<tsql::literal>() == nullptr && e.as<tsql::column_ref>() == nullptr;
  if (may_be_group) {
    // Does the whole equal a group expression? Then its columns need not be groups themselves.
    s.in_aggregate = true;
    const std::size_t aliases = aliases_;
    typed whole = value_node(e, s);
    s.in_aggregate = false;
    if (s.groups.contains(whole.sql)) {
      --depth_;
      if (s.nulled.contains(whole.sql)) whole.sql = "NULL";
      return whole;
    }
    aliases_ = aliases;
  }
  out = value_node(e, s);
  --depth_;
  return out;
}

typed translator::value_node(const tsql::expression& e, scope& s) {
  return std::visit(
      tsql::overloaded{[&](const tsql::literal& n) { return literal(n); },
                       [&](const tsql::variable& n) { return variable(n, s); },
                       [&](const tsql::column_ref& n) { return column(n, s); },
                       [&](const tsql::niladic_function& n) { return niladic(n.kind); },
                       [&](const tsql::odbc_literal& n) { return odbc(n); },
                       [&](const tsql::unary& n) { return unary(n, s); },
                       [&](const tsql::binary& n) { return binary(n, s); },
                       [&](const tsql::case_expression& n) { return case_of(n, s); },
                       [&](const tsql::conversion& n) { return conversion(n, s); },
                       [&](const tsql::function_call& n) { return call(n, s); },
                       [&](const tsql::odbc_function& n) { return odbc_call(n, s); },
                       [&](const tsql::collate& n) { return value(*n.operand, s); },
                       [&](const tsql::scalar_subquery& n) {
                         relation r = query(*n.query, &s);
                         if (failed()) return typed{};
                         if (r.columns.size() != 1) {
                           fail(116, errc::syntax,
                                "Only one expression can be specified in the select list when the subquery is not "
                                "introduced with EXISTS.",
                                e.pos);
                           return typed{};
                         }
                         // More than one row is an error of T-SQL; SQLite would take the first.
                         const bool one_row = r.sql.ends_with(" LIMIT 1");
                         return typed{
                             one_row ? "(" + r.sql + ")" : fmt::format("(SELECT t_single(_c1) FROM ({}))", r.sql),
                             r.columns[0].type,
                             {},
                             true};
                       },
                       [&](const tsql::at_time_zone&) { return refused("AT TIME ZONE", e.pos); },
                       [&](const tsql::json_key_value&) { return refused("JSON_OBJECT", e.pos); },
                       [&](const tsql::named_argument&) { return refused("a named argument", e.pos); },
                       [&](const tsql::method_call& n) { return refused("the method " + n.name.value, e.pos); },
                       [&](const tsql::static_call& n) { return refused("the method " + n.name.value, e.pos); },
                       [&](const tsql::partition_function&) { return refused("$PARTITION", e.pos); },
                       [&](const tsql::next_value_for&) { return refused("NEXT VALUE FOR", e.pos); },
                       [&](const auto&) {
                         // A condition where a value stands: the parser lets this through only where T-SQL has one.
                         const std::string c = condition(e, s);
                         return typed{fmt::format("CASE WHEN {0} THEN 1 WHEN NOT ({0}) THEN 0 END", c),
                                      make_type(sql_type_id::bit),
                                      {},
                                      true};
                       }},
      e.node);
}

typed translator::literal(const tsql::literal& l) {
  using tsql::literal_kind;
  switch (l.kind) {
    case literal_kind::null:
    case literal_kind::default_value: {
      typed out;
      out.constant = null_value{};
      return out;
    }
    case literal_kind::integer: {
      std::int64_t v = 0;
      const auto [end, error] = std::from_chars(l.text.data(), l.text.data() + l.text.size(), v);
      static_cast<void>(end);
      if (error == std::errc() && v <= INT32_MAX) return constant_of(make_type(sql_type_id::int_), v);
      [[fallthrough]];
    }
    case literal_kind::decimal: {
      const auto d = decimal::parse(l.text);
      if (!d) {
        fail(1007, errc::syntax,
             fmt::format("The number '{}' is out of the range for numeric representation (maximum precision 38).",
                         l.text),
             here_);
        return {};
      }
      return constant_of(make_decimal(d->type()), *d);
    }
    case literal_kind::real: {
      const auto v = parse_double(l.text.back() == 'e' || l.text.back() == 'E' ? l.text + "0" : l.text);
      if (!v) {
        fail(168, errc::syntax,
             fmt::format("The floating point value '{}' is out of the range of computer representation.", l.text),
             here_);
        return {};
      }
      return constant_of(make_type(sql_type_id::float_), *v);
    }
    case literal_kind::money: {
      auto v = convert(l.text, make_type(sql_type_id::varchar, 8000), make_type(sql_type_id::money));
      if (!v) {
        fail(std::move(v.error()));
        return {};
      }
      return constant_of(make_type(sql_type_id::money), std::move(*v));
    }
    case literal_kind::string:
    case literal_kind::unicode_string: {
      const auto length = static_cast<std::int32_t>(length_of(l.text));
      const bool unicode = l.kind == literal_kind::unicode_string;
      const std::int32_t most = unicode ? 4000 : 8000;
      return constant_of(make_type(unicode ? sql_type_id::nvarchar : sql_type_id::varchar,
                                   length > most ? sql_type::max_length : std::max(1, length)),
                         l.text);
    }
    case literal_kind::binary: {
      std::string digits = l.text.substr(2);
      if (digits.size() % 2 != 0) digits.insert(0, "0");
      auto v = convert(digits, make_type(sql_type_id::varchar, 8000),
                       make_type(sql_type_id::varbinary, sql_type::max_length), 2);
      if (!v) {
        fail(std::move(v.error()));
        return {};
      }
      const auto size = static_cast<std::int32_t>(std::get<bytes>(*v).size());
      return constant_of(make_type(sql_type_id::varbinary, size > 8000 ? sql_type::max_length : std::max(1, size)),
                         std::move(*v));
    }
  }
  return {};
}

typed translator::variable(const tsql::variable& v, scope& s) {
  if (v.is_global()) {
    tsql::function_call f;
    f.name.name.value = v.name;
    auto out = session_call(lower_case(v.name), f, s);
    return out ? *out : refused(v.name);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!same_name(values_[i].name, v.name)) continue;
    // Inside nested statements the value comes in through their own parameters.
    const std::function<std::string(scope*)> place = [&](scope* at) -> std::string {
      while (at != nullptr && at->captured == nullptr) at = at->outer;
      if (at == nullptr) return "?" + std::to_string(i + 1);
      std::string outer = place(at->outer);
      auto& list = *at->captured;
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k] == outer) return "?" + std::to_string(k + 1);
      }
      list.push_back(std::move(outer));
      return "?" + std::to_string(list.size());
    };
    return {place(&s), values_[i].type, {}, true};
  }
  fail(137, errc::syntax, fmt::format("Must declare the scalar variable \"{}\".", v.name), here_);
  return {};
}

typed translator::column(const tsql::column_ref& c, scope& s) {
  if (c.pseudo != tsql::pseudo_column::none) return refused("a pseudo column", here_);
  const auto matches = [&](const source& from) {
    if (c.table.empty()) return true;
    if (!same_name(from.alias, c.table.name.value)) return false;
    return c.table.schema.empty() || (!from.schema.empty() && same_name(from.schema, c.table.schema.value));
  };
  bool table_seen = false;
  // From the innermost scope outwards; what comes through a captured scope becomes one of its parameters.
  const std::function<std::optional<typed>(scope*)> find = [&](scope* at) -> std::optional<typed> {
    if (at == nullptr) return std::nullopt;
    const source_column* found = nullptr;
    for (const auto& from : at->sources) {
      if (!matches(from)) continue;
      table_seen = true;
      for (const auto& column : from.columns) {
        if (!same_name(column.name, c.name.value)) continue;
        if (found != nullptr) {
          fail(209, errc::ambiguous_column, fmt::format("Ambiguous column name '{}'.", c.name.value), here_);
          return typed{};
        }
        found = &column;
      }
    }
    if (found != nullptr) {
      if (at->grouped && !at->in_aggregate) {
        if (!at->groups.contains(found->sql)) {
          const std::string shown = c.table.empty() ? c.name.value : c.table.name.value + "." + c.name.value;
          fail(8120, errc::syntax,
               fmt::format(
                   "Column '{}' is invalid in the select list because it is not contained in either an aggregate "
                   "function or the GROUP BY clause.",
                   shown),
               here_);
          return typed{};
        }
        if (at->nulled.contains(found->sql)) return typed{"NULL", found->type, {}, true};
      }
      return typed{found->sql, found->type, {}, found->nullable};
    }
    auto outer = find(at->outer);
    if (outer && at->captured != nullptr) {
      auto& list = *at->captured;
      std::size_t k = 0;
      while (k < list.size() && list[k] != outer->sql) ++k;
      if (k == list.size()) list.push_back(outer->sql);
      outer->sql = "?" + std::to_string(k + 1);
    }
    return outer;
  };
  if (auto found = find(&s)) return *found;
  if (failed()) return {};
  if (!c.table.empty() && !table_seen) {
    std::string shown = c.table.name.value + "." + c.name.value;
    if (!c.table.schema.empty()) shown = c.table.schema.value + "." + shown;
    fail(4104, errc::unknown_column, fmt::format("The multi-part identifier \"{}\" could not be bound.", shown), here_);
  } else {
    fail(207, errc::unknown_column, fmt::format("Invalid column name '{}'.", c.name.value), here_);
  }
  return {};
}

typed translator::niladic(tsql::niladic_kind kind) {
  using tsql::niladic_kind;
  switch (kind) {
    case niladic_kind::current_timestamp:
      return {fmt::format("t_cast(t_now(),{},{},-1)", pack(make_type(sql_type_id::datetime2, 0, 0, 7)),
                          pack(make_type(sql_type_id::datetime))),
              make_type(sql_type_id::datetime),
              {},
              false};
    case niladic_kind::current_date:
      return {fmt::format("(t_now()/{})", ticks_per_day), make_type(sql_type_id::date), {}, false};
    case niladic_kind::current_time:
      return {fmt::format("(t_now()%{})", ticks_per_day), make_type(sql_type_id::time, 0, 0, 7), {}, false};
    case niladic_kind::system_user: return constant_of(make_type(sql_type_id::nvarchar, 128), facts_.login);
    default: return constant_of(make_type(sql_type_id::nvarchar, 128), facts_.user);
  }
}

typed translator::odbc(const tsql::odbc_literal& l) {
  using tsql::odbc_literal_kind;
  sql_type type = make_type(sql_type_id::datetime);
  if (l.kind == odbc_literal_kind::guid) type = make_type(sql_type_id::uniqueidentifier);
  auto v = convert(l.text, make_type(sql_type_id::varchar, 8000), type);
  if (!v) {
    fail(std::move(v.error()));
    return {};
  }
  return constant_of(type, std::move(*v));
}

typed translator::unary(const tsql::unary& u, scope& s) {
  typed v = value(*u.operand, s);
  if (failed()) return v;
  if (u.op == tsql::unary_operator::plus) return v;
  if (u.op == tsql::unary_operator::bit_not) {
    if (family_of(v.type.id) != family::integer) return refused("~ of " + std::string(type_name(v.type.id)));
    v.sql = v.type.id == sql_type_id::bit       ? fmt::format("(1-{})", v.sql)
            : v.type.id == sql_type_id::tinyint ? fmt::format("(255-{})", v.sql)
                                                : fmt::format("(~{})", v.sql);
    v.constant.reset();
    return v;
  }
  if (v.constant) {
    // -5 is a constant as 5 is.
    if (auto* i = std::get_if<std::int64_t>(&*v.constant)) {
      *i = -*i;
    } else if (auto* d = std::get_if<double>(&*v.constant)) {
      *d = -*d;
    } else if (auto* x = std::get_if<decimal>(&*v.constant)) {
      x->negative = !x->negative && x->magnitude != 0;
      if (v.type == make_decimal({10, 0}) && x->to_int() == INT32_MIN)
        return constant_of(make_type(sql_type_id::int_), std::int64_t{INT32_MIN});
    } else if (std::holds_alternative<null_value>(*v.constant)) {
      return v;
    } else {
      v.constant.reset();
    }
    if (v.constant) {
      v.sql = constant(v.type, *v.constant);
      return v;
    }
  }
  switch (family_of(v.type.id)) {
    case family::integer:
      v.sql = fmt::format("t_chk_{}(-{})", v.type.id == sql_type_id::bit ? "int" : type_name(v.type.id), v.sql);
      if (v.type.id == sql_type_id::tinyint || v.type.id == sql_type_id::bit) v.type = make_type(sql_type_id::smallint);
      return v;
    case family::real: v.sql = fmt::format("(-{})", v.sql); return v;
    case family::decimal:
      v.sql = decimal_type_of(v.type).precision <= 18 ? fmt::format("(-{})", v.sql) : fmt::format("t_dneg({})", v.sql);
      return v;
    default:
      fail(8117, errc::conversion,
           fmt::format("Operand data type {} is invalid for minus operator.", type_name(v.type.id)), here_);
      return {};
  }
}

typed translator::binary(const tsql::binary& b, scope& s) {
  typed left = value(*b.left, s);
  typed right = value(*b.right, s);
  if (failed()) return {};
  return arithmetic(b.op, std::move(left), std::move(right));
}

typed translator::concat(typed left, typed right) {
  const sql_type type = concat_type(left.type, right.type);
  const bool nullable = left.nullable || right.nullable;
  left = as_text(std::move(left));
  right = as_text(std::move(right));
  return {fmt::format("({}||{})", left.sql, right.sql), type, {}, nullable};
}

typed translator::arithmetic(tsql::binary_operator op, typed left, typed right) {
  using tsql::binary_operator;
  const auto f_left = family_of(left.type.id);
  const auto f_right = family_of(right.type.id);
  const bool text_left = f_left == family::text && left.type.id != sql_type_id::unknown;
  const bool text_right = f_right == family::text && right.type.id != sql_type_id::unknown;
  const bool unknown = left.type.id == sql_type_id::unknown || right.type.id == sql_type_id::unknown;
  const auto clash = [&](const char* word) {
    fail(op == binary_operator::add ? 402 : 8117, errc::conversion,
         op == binary_operator::add
             ? fmt::format("The data types {} and {} are incompatible in the add operator.", type_name(left.type.id),
                           type_name(right.type.id))
             : fmt::format("Operand data type {} is invalid for {} operator.",
                           type_name(text_left || f_left > family::decimal ? left.type.id : right.type.id), word),
         here_);
    return typed{};
  };
  switch (op) {
    case binary_operator::concat: return concat(std::move(left), std::move(right));
    case binary_operator::add:
      if ((text_left && (text_right || unknown)) || (text_right && unknown))
        return concat(std::move(left), std::move(right));
      break;
    case binary_operator::bit_and:
    case binary_operator::bit_or:
    case binary_operator::bit_xor:
    case binary_operator::shift_left:
    case binary_operator::shift_right: {
      const auto type = arithmetic_type(binary_operator::add, left.type, right.type);
      if (!type || family_of(type->id) != family::integer) return clash("'&'");
      left = coerce(std::move(left), *type);
      right = coerce(std::move(right), *type);
      const sql_type out = left.type.id == sql_type_id::int_ && type->id == sql_type_id::int_ ? *type : *type;
      if (op == binary_operator::bit_xor)
        return {fmt::format("(({0}|{1})-({0}&{1}))", left.sql, right.sql), out, {}, true};
      const char* sign = op == binary_operator::bit_and      ? "&"
                         : op == binary_operator::bit_or     ? "|"
                         : op == binary_operator::shift_left ? "<<"
                                                             : ">>";
      return {fmt::format("({}{}{})", left.sql, sign, right.sql), out, {}, true};
    }
    default: break;
  }
  const bool nullable = left.nullable || right.nullable;
  // datetime +- days
  const auto is_legacy = [](const sql_type& t) {
    return t.id == sql_type_id::datetime || t.id == sql_type_id::smalldatetime;
  };
  if ((op == binary_operator::add || op == binary_operator::subtract) &&
      (is_legacy(left.type) || is_legacy(right.type))) {
    const sql_type type = is_legacy(left.type) ? left.type : right.type;
    typed a = coerce(std::move(left), type);
    typed b = coerce(std::move(right), type);
    const char* sign = op == binary_operator::add ? "+" : "-";
    const char* back = op == binary_operator::add ? "-" : "+";
    return {fmt::format("({}{}{}{}{})", a.sql, sign, b.sql, back, days_to_1900 * ticks_per_day), type, {}, nullable};
  }
  static constexpr const char* words[] = {"add", "subtract", "multiply", "divide", "modulo"};
  const auto type = arithmetic_type(op, left.type, right.type);
  if (!type) return clash(words[static_cast<int>(op)]);
  // An integer constant is a decimal of just its digits beside a decimal.
  const auto fit_constant = [&](typed& v) {
    if (!v.constant || family_of(v.type.id) != family::integer) return;
    const auto* i = std::get_if<std::int64_t>(&*v.constant);
    if (i == nullptr) return;
    const auto d = decimal::parse(std::to_string(*i));
    v = typed{constant(make_decimal(d->type()), *d), make_decimal(d->type()), *d, false};
  };
  typed out;
  out.nullable = nullable;
  out.type = *type;
  switch (family_of(type->id)) {
    case family::integer: {
      left = coerce(std::move(left), *type);
      right = coerce(std::move(right), *type);
      if (op == binary_operator::divide || op == binary_operator::modulo) {
        const auto* divisor = right.constant ? std::get_if<std::int64_t>(&*right.constant) : nullptr;
        if (divisor != nullptr && *divisor > 0) {
          out.sql = fmt::format("({}{}{})", left.sql, op == binary_operator::divide ? "/" : "%", right.sql);
        } else {
          out.sql = fmt::format("{}({},{})", op == binary_operator::divide ? "t_idiv" : "t_imod", left.sql, right.sql);
        }
        return out;
      }
      const char* sign = op == binary_operator::add ? "+" : op == binary_operator::subtract ? "-" : "*";
      out.sql = fmt::format("t_chk_{}({}{}{})", type_name(type->id), left.sql, sign, right.sql);
      return out;
    }
    case family::real: {
      left = as_real(std::move(left));
      right = as_real(std::move(right));
      if (op == binary_operator::divide) {
        out.sql = fmt::format("t_fdiv({},{})", left.sql, right.sql);
      } else {
        const char* sign = op == binary_operator::add ? "+" : op == binary_operator::subtract ? "-" : "*";
        out.sql = fmt::format("t_chk_real({}{}{})", left.sql, sign, right.sql);
      }
      return out;
    }
    default: break;
  }
  // Exact numbers.
  const bool money = type->id == sql_type_id::money || type->id == sql_type_id::smallmoney;
  if (text_left) left = coerce(std::move(left), right.type);
  if (text_right) right = coerce(std::move(right), left.type);
  fit_constant(left);
  fit_constant(right);
  const decimal_type a = left.type.id == sql_type_id::unknown ? decimal_type{1, 0} : decimal_type_of(left.type);
  const decimal_type b = right.type.id == sql_type_id::unknown ? decimal_type{1, 0} : decimal_type_of(right.type);
  decimal_type r{};
  const char* function = "t_dadd";
  const char* sign = nullptr;
  switch (op) {
    case binary_operator::add:
      r = add_type(a, b);
      sign = "+";
      break;
    case binary_operator::subtract:
      r = add_type(a, b);
      function = "t_dsub";
      sign = "-";
      break;
    case binary_operator::multiply:
      r = multiply_type(a, b);
      function = "t_dmul";
      sign = "*";
      break;
    case binary_operator::divide:
      r = divide_type(a, b);
      function = "t_ddiv";
      break;
    default:
      r = modulo_type(a, b);
      function = "t_dmod";
      break;
  }
  const bool native = sign != nullptr && r.precision <= 18 && (op == binary_operator::multiply || a.scale == b.scale);
  out.sql = native
                ? fmt::format("({}{}{})", left.sql, sign, right.sql)
                : fmt::format("{}({},{},{})", function, left.sql, right.sql,
                              static_cast<std::int64_t>(a.precision) << 24 | static_cast<std::int64_t>(a.scale) << 16 |
                                  static_cast<std::int64_t>(b.precision) << 8 | b.scale);
  out.type = make_decimal(r);
  if (money) out = coerce(std::move(out), *type);
  return out;
}

typed translator::case_of(const tsql::case_expression& c, scope& s) {
  std::vector<typed> results;
  std::vector<std::string> conditions;
  for (const auto& branch : c.branches) {
    if (c.operand) {
      conditions.push_back(comparison(tsql::comparison_operator::equal, value(*c.operand, s), value(*branch.when, s)));
    } else {
      conditions.push_back(condition(*branch.when, s));
    }
    results.push_back(value(*branch.then, s));
  }
  if (c.otherwise) results.push_back(value(*c.otherwise, s));
  if (failed()) return {};
  const sql_type type = unify(results);
  std::string sql = "CASE";
  for (std::size_t i = 0; i < conditions.size(); ++i)
    sql += fmt::format(" WHEN {} THEN {}", conditions[i], coerce(results[i], type).sql);
  if (c.otherwise) sql += " ELSE " + coerce(results.back(), type).sql;
  bool nullable = !c.otherwise;
  for (const auto& r : results) nullable |= r.nullable;
  return {sql + " END", type, {}, nullable};
}

typed translator::conversion(const tsql::conversion& c, scope& s) {
  using tsql::conversion_kind;
  auto type = type_of(*c.type);
  if (!type) {
    fail(243, errc::syntax, fmt::format("Type {} is not a defined system type.", c.type->name.name.value), here_);
    return {};
  }
  if (c.type->parameters.empty() && (is_character(type->id) || is_binary(type->id)) && type->length == 1)
    type->length = 30;
  typed v = value(*c.value, s);
  if (failed()) return {};
  const bool is_try = c.kind == conversion_kind::try_cast || c.kind == conversion_kind::try_convert ||
                      c.kind == conversion_kind::try_parse;
  if (c.kind == conversion_kind::parse || c.kind == conversion_kind::try_parse)
    return cast(std::move(v), *type, nullptr, is_try);
  if (c.style) {
    const typed style = as_int(value(*c.style, s));
    return cast(std::move(v), *type, &style, is_try);
  }
  return cast(std::move(v), *type, nullptr, is_try);
}

void translator::fail(failure why) {
  if (!failure_) failure_ = std::move(why);
}

void translator::fail(std::int32_t number, errc code, std::string text, const tsql::source_position& at) {
  failure f(code, std::move(text), at.line, at.column);
  f.number = number;
  fail(std::move(f));
}

typed translator::refused(std::string_view construct, const tsql::source_position& at) {
  fail(failure(errc::not_available, fmt::format("This server cannot run {}.", construct), at.line, at.column));
  return {};
}

}  // namespace dragoman::sandbox
