// Arithmetic that must fail as T-SQL fails, exact decimals, rounding and the mathematical functions.
#include <cmath>
#include <numbers>
#include <random>

#include "base/sql_type.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"

namespace dragoman::sandbox {
namespace {

// t_chk_<type>(x): the value, or 8115 when it does not fit. SQLite turns an overflowing bigint into a REAL.
void check_integer(call& c) {
  if (c[0].is_null()) return;
  const auto id = static_cast<sql_type_id>(c.tag());
  if (c[0].kind() == storage_class::real) return c.fail(overflow("expression", id));
  const std::int64_t v = c[0].integer();
  bool fits = true;
  switch (id) {
    case sql_type_id::tinyint: fits = v >= 0 && v <= 255; break;
    case sql_type_id::smallint: fits = v >= INT16_MIN && v <= INT16_MAX; break;
    case sql_type_id::int_: fits = v >= INT32_MIN && v <= INT32_MAX; break;
    default: break;
  }
  if (!fits) return c.fail(overflow("expression", id));
  c.integer(v);
}

void integer_divide(call& c) {
  if (c.any_null()) return;
  const std::int64_t a = c[0].integer();
  const std::int64_t b = c[1].integer();
  if (b == 0) return c.fail(division_by_zero());
  if (b == -1) {
    if (a == INT64_MIN) return c.fail(overflow("expression", sql_type_id::bigint));
    return c.integer(c.tag() != 0 ? 0 : -a);
  }
  c.integer(c.tag() != 0 ? a % b : a / b);
}

void real_divide(call& c) {
  if (c.any_null()) return;
  const double b = c[1].real();
  if (b == 0) return c.fail(division_by_zero());
  c.real(c[0].real() / b);
}

// A REAL that is no number or infinite has overflowed.
void check_real(call& c) {
  if (c[0].is_null()) return;
  const double v = c[0].real();
  if (!std::isfinite(v)) return c.fail(overflow("expression", sql_type_id::float_));
  c.real(v);
}

enum operation : std::intptr_t { op_add, op_subtract, op_multiply, op_divide, op_modulo };

void decimal_operation(call& c) {
  if (c[0].is_null() || c[1].is_null()) return;
  const auto spec = static_cast<std::uint64_t>(c[2].integer());
  const decimal_type ta{static_cast<std::uint8_t>(spec >> 24), static_cast<std::uint8_t>(spec >> 16)};
  const decimal_type tb{static_cast<std::uint8_t>(spec >> 8), static_cast<std::uint8_t>(spec)};
  const decimal a = decimal_of(scaled_of(c[0]), ta);
  const decimal b = decimal_of(scaled_of(c[1]), tb);
  std::optional<decimal> out;
  switch (c.tag()) {
    case op_add: out = add(a, b); break;
    case op_subtract: out = subtract(a, b); break;
    case op_multiply: out = multiply(a, b); break;
    default:
      if (b.magnitude == 0) return c.fail(division_by_zero());
      out = c.tag() == op_divide ? divide(a, b) : modulo(a, b);
      break;
  }
  if (!out) return c.fail(overflow("expression", sql_type_id::numeric));
  give_scaled(c, scaled_of(*out));
}

void compare_decimals(call& c) {  // t_dcmp(a, b) of one scale
  if (c.any_null()) return;
  const int128 a = scaled_of(c[0]);
  const int128 b = scaled_of(c[1]);
  c.integer(a < b ? -1 : a > b ? 1 : 0);
}

// t_dsort(x): x, or for a wide negative value a REAL that sorts before all integers of its size.
void decimal_sort_key(call& c) {
  if (c[0].kind() == storage_class::blob) {
    const int128 v = scaled_of(c[0]);
    if (v < 0) return c.real(static_cast<double>(v));
  }
  c.argument(0);
}

// t_negate(x)
void negate_decimal(call& c) {
  if (!c[0].is_null()) give_scaled(c, -scaled_of(c[0]));
}

void absolute_decimal(call& c) {
  if (c[0].is_null()) return;
  const int128 v = scaled_of(c[0]);
  give_scaled(c, v < 0 ? -v : v);
}

void sign_of(call& c) {
  if (c[0].is_null()) return;
  if (c[0].kind() == storage_class::real) return c.real(c[0].real() > 0 ? 1 : c[0].real() < 0 ? -1 : 0);
  const int128 v = scaled_of(c[0]);
  c.integer(v > 0 ? 1 : v < 0 ? -1 : 0);
}

// t_dround(x, type, digits, truncate): the type is kept; a value that grows out of it overflows.
void round_decimal(call& c) {
  if (c[0].is_null() || c[2].is_null()) return;
  const sql_type type = unpack(c[1].integer());
  const decimal_type t = decimal_type_of(type);
  const std::int64_t digits = c[2].integer();
  const bool cut = !c[3].is_null() && c[3].integer() != 0;
  if (digits >= t.scale) return c.argument(0);
  const std::int64_t drop = t.scale - digits;
  if (drop > 38) return c.integer(0);
  int128 unit = 1;
  for (std::int64_t i = 0; i < drop; ++i) unit *= 10;
  const int128 v = scaled_of(c[0]);
  int128 whole = v / unit;
  const int128 rest = v % unit;
  const int128 size = rest < 0 ? -rest : rest;
  if (!cut && size >= unit - size) whole += v < 0 ? -1 : 1;
  const decimal out = decimal_of(whole * unit, {38, t.scale});
  if (!out.rescale(t.precision, t.scale)) return c.fail(overflow("expression", sql_type_id::numeric));
  give_scaled(c, whole * unit);
}

// t_round(x, digits, truncate) of int and float
void round_plain(call& c) {
  if (c[0].is_null() || c[1].is_null()) return;
  const std::int64_t digits = c[1].integer();
  const bool cut = !c[2].is_null() && c[2].integer() != 0;
  if (c[0].kind() == storage_class::integer) {
    if (digits >= 0) return c.argument(0);
    if (digits < -18) return c.integer(0);
    std::int64_t unit = 1;
    for (std::int64_t i = 0; i < -digits; ++i) unit *= 10;
    const std::int64_t v = c[0].integer();
    std::int64_t whole = v / unit;
    const std::int64_t size = std::abs(v % unit);
    if (!cut && size >= unit - size) whole += v < 0 ? -1 : 1;
    return c.integer(whole * unit);
  }
  const double v = c[0].real();
  if (digits > 300) return c.real(v);
  const double unit = std::pow(10.0, static_cast<double>(std::abs(digits)));
  const double moved = digits >= 0 ? v * unit : v / unit;
  if (!std::isfinite(moved)) return c.real(v);
  const double rounded = cut ? std::trunc(moved) : std::round(moved);
  c.real(digits >= 0 ? rounded / unit : rounded * unit);
}

// t_dfloor(x, scale, up): decimal of the same scale, whole
void floor_decimal(call& c) {
  if (c[0].is_null()) return;
  int128 unit = 1;
  for (std::int64_t i = 0; i < c[1].integer(); ++i) unit *= 10;
  const int128 v = scaled_of(c[0]);
  int128 whole = v / unit;
  const int128 rest = v % unit;
  if (c.tag() != 0 && rest > 0) ++whole;
  if (c.tag() == 0 && rest < 0) --whole;
  give_scaled(c, whole);
}

enum math : std::intptr_t {
  m_floor,
  m_ceiling,
  m_sqrt,
  m_square,
  m_exp,
  m_log,
  m_log10,
  m_sin,
  m_cos,
  m_tan,
  m_cot,
  m_asin,
  m_acos,
  m_atan,
  m_degrees,
  m_radians,
  m_abs
};

void one_argument_math(call& c) {
  if (c[0].is_null()) return;
  const double x = c[0].real();
  double y = 0;
  switch (c.tag()) {
    case m_floor: y = std::floor(x); break;
    case m_ceiling: y = std::ceil(x); break;
    case m_sqrt: y = std::sqrt(x); break;
    case m_square: y = x * x; break;
    case m_exp: y = std::exp(x); break;
    case m_log: y = x > 0 ? std::log(x) : NAN; break;
    case m_log10: y = x > 0 ? std::log10(x) : NAN; break;
    case m_sin: y = std::sin(x); break;
    case m_cos: y = std::cos(x); break;
    case m_tan: y = std::tan(x); break;
    case m_cot: y = 1 / std::tan(x); break;
    case m_asin: y = std::asin(x); break;
    case m_acos: y = std::acos(x); break;
    case m_atan: y = std::atan(x); break;
    case m_degrees: y = x * 180 / std::numbers::pi; break;
    case m_radians: y = x * std::numbers::pi / 180; break;
    case m_abs: y = std::fabs(x); break;
    default: break;
  }
  if (std::isnan(y)) return c.fail(sql_error(3623, "An invalid floating point operation occurred."));
  if (std::isinf(y)) return c.fail(overflow("expression", sql_type_id::float_));
  c.real(y);
}

void two_argument_math(call& c) {
  if (c.any_null()) return;
  const double a = c[0].real();
  const double b = c[1].real();
  double y = 0;
  switch (c.tag()) {
    case 0: y = std::pow(a, b); break;
    case 1: y = std::atan2(a, b); break;
    default: y = std::log(a) / std::log(b); break;
  }
  if (std::isnan(y)) return c.fail(sql_error(3623, "An invalid floating point operation occurred."));
  if (std::isinf(y)) return c.fail(overflow("expression", sql_type_id::float_));
  c.real(y);
}

void random_number(call& c) {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  if (c.size() > 0 && !c[0].is_null()) engine.seed(static_cast<std::uint64_t>(c[0].integer()));
  c.real(std::uniform_real_distribution<double>(0, 1)(engine));
}

}  // namespace

void register_number_functions(connection& db) {
  const auto tag = [](sql_type_id id) { return static_cast<std::intptr_t>(id); };
  db.add_function("t_chk_tinyint", 1, check_integer, tag(sql_type_id::tinyint));
  db.add_function("t_chk_smallint", 1, check_integer, tag(sql_type_id::smallint));
  db.add_function("t_chk_int", 1, check_integer, tag(sql_type_id::int_));
  db.add_function("t_chk_bigint", 1, check_integer, tag(sql_type_id::bigint));
  db.add_function("t_chk_real", 1, check_real);
  db.add_function("t_idiv", 2, integer_divide, 0);
  db.add_function("t_imod", 2, integer_divide, 1);
  db.add_function("t_fdiv", 2, real_divide);
  db.add_function("t_dadd", 3, decimal_operation, op_add);
  db.add_function("t_dsub", 3, decimal_operation, op_subtract);
  db.add_function("t_dmul", 3, decimal_operation, op_multiply);
  db.add_function("t_ddiv", 3, decimal_operation, op_divide);
  db.add_function("t_dmod", 3, decimal_operation, op_modulo);
  db.add_function("t_dcmp", 2, compare_decimals);
  db.add_function("t_dsort", 1, decimal_sort_key);
  db.add_function("t_dneg", 1, negate_decimal);
  db.add_function("t_dabs", 1, absolute_decimal);
  db.add_function("t_sign", 1, sign_of);
  db.add_function("t_dround", 4, round_decimal);
  db.add_function("t_round", 3, round_plain);
  db.add_function("t_dfloor", 2, floor_decimal, 0);
  db.add_function("t_dceiling", 2, floor_decimal, 1);
  static constexpr struct {
    const char* name;
    math what;
  } functions[] = {{"t_floor", m_floor}, {"t_ceiling", m_ceiling}, {"t_sqrt", m_sqrt},       {"t_square", m_square},
                   {"t_exp", m_exp},     {"t_log", m_log},         {"t_log10", m_log10},     {"t_sin", m_sin},
                   {"t_cos", m_cos},     {"t_tan", m_tan},         {"t_cot", m_cot},         {"t_asin", m_asin},
                   {"t_acos", m_acos},   {"t_atan", m_atan},       {"t_degrees", m_degrees}, {"t_radians", m_radians},
                   {"t_fabs", m_abs}};
  for (const auto& f : functions) db.add_function(f.name, 1, one_argument_math, f.what);
  db.add_function("t_power", 2, two_argument_math, 0);
  db.add_function("t_atn2", 2, two_argument_math, 1);
  db.add_function("t_logb", 2, two_argument_math, 2);
  db.add_function("t_rand", -1, random_number, 0, false);
}

}  // namespace dragoman::sandbox
