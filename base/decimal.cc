#include "base/decimal.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dragoman {
namespace {

constexpr std::array<uint128, 39> make_powers() {
  std::array<uint128, 39> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr std::array<uint128, 39> power_of_ten = make_powers();

constexpr uint128 limit() {
  return power_of_ten[38];
}

// A 256-bit product or numerator: hi * 2^128 + lo.
struct wide {
  uint128 hi = 0;
  uint128 lo = 0;
};

wide wide_multiply(uint128 a, uint128 b) noexcept {
  const std::uint64_t a0 = static_cast<std::uint64_t>(a);
  const std::uint64_t a1 = static_cast<std::uint64_t>(a >> 64);
  const std::uint64_t b0 = static_cast<std::uint64_t>(b);
  const std::uint64_t b1 = static_cast<std::uint64_t>(b >> 64);
  const uint128 p00 = static_cast<uint128>(a0) * b0;
  if (a1 == 0 && b1 == 0) return {0, p00};
  const uint128 p01 = static_cast<uint128>(a0) * b1;
  const uint128 p10 = static_cast<uint128>(a1) * b0;
  const uint128 p11 = static_cast<uint128>(a1) * b1;
  const uint128 middle = (p00 >> 64) + static_cast<std::uint64_t>(p01) + static_cast<std::uint64_t>(p10);
  return {p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64), (middle << 64) | static_cast<std::uint64_t>(p00)};
}

struct quotient {
  uint128 value = 0;
  uint128 remainder = 0;
};

// Needs n.hi < d (the quotient then has 128 bits) and d < 2^127 (so that the doubled remainder does not overflow).
quotient wide_divide(wide n, uint128 d) noexcept {
  if (n.hi == 0) return {n.lo / d, n.lo % d};
  uint128 remainder = n.hi;
  uint128 value = 0;
  for (int bit = 127; bit >= 0; --bit) {
    remainder = (remainder << 1) | ((n.lo >> bit) & 1);
    value <<= 1;
    if (remainder >= d) {
      remainder -= d;
      value |= 1;
    }
  }
  return {value, remainder};
}

bool round_up(const quotient& q, uint128 d) noexcept {
  return q.remainder >= d - q.remainder;  // at least half, without doubling
}

decimal make(uint128 magnitude, bool negative, decimal_type type) noexcept {
  decimal d;
  d.magnitude = magnitude;
  d.negative = negative && magnitude != 0;
  d.precision = type.precision;
  d.scale = type.scale;
  return d;
}

// Scale changed to `scale`; nullopt when more than 38 digits would be needed.
std::optional<uint128> scaled(uint128 magnitude, int from, int to, bool rounded) noexcept {
  if (to == from) return magnitude;
  if (to > from) {
    const uint128 factor = power_of_ten[static_cast<std::size_t>(to - from)];
    if (magnitude != 0 && magnitude > (limit() - 1) / factor) return std::nullopt;
    return magnitude * factor;
  }
  const uint128 divisor = power_of_ten[static_cast<std::size_t>(from - to)];
  quotient q{magnitude / divisor, magnitude % divisor};
  return q.value + (rounded && round_up(q, divisor) ? 1 : 0);
}

std::optional<decimal> fit(const decimal& d, int precision, int scale, bool rounded) noexcept {
  const auto magnitude = scaled(d.magnitude, d.scale, scale, rounded);
  if (!magnitude || *magnitude >= power_of_ten[static_cast<std::size_t>(precision)]) return std::nullopt;
  return make(*magnitude, d.negative, {static_cast<std::uint8_t>(precision), static_cast<std::uint8_t>(scale)});
}

std::optional<decimal> add_signed(const decimal& a, const decimal& b, bool flip, decimal_type type) noexcept {
  const int common = std::max(a.scale, b.scale);
  const auto x = scaled(a.magnitude, a.scale, common, false);
  const auto y = scaled(b.magnitude, b.scale, common, false);
  if (!x || !y) {
    // The common scale does not fit although the result, at its reduced scale, might.
    const auto rx = scaled(a.magnitude, a.scale, type.scale, true);
    const auto ry = scaled(b.magnitude, b.scale, type.scale, true);
    if (!rx || !ry) return std::nullopt;
    return add_signed(make(*rx, a.negative, {38, type.scale}), make(*ry, b.negative, {38, type.scale}), flip, type);
  }
  const bool b_negative = b.negative != flip;
  decimal sum;
  sum.scale = static_cast<std::uint8_t>(common);
  if (a.negative == b_negative) {
    sum.magnitude = *x + *y;  // below 2 * 10^38 < 2^128
    sum.negative = a.negative;
  } else if (*x >= *y) {
    sum.magnitude = *x - *y;
    sum.negative = a.negative;
  } else {
    sum.magnitude = *y - *x;
    sum.negative = b_negative;
  }
  return fit(sum, type.precision, type.scale, true);
}

std::uint8_t narrow(int value) noexcept {
  return static_cast<std::uint8_t>(value);
}

}  // namespace

decimal_type add_type(decimal_type a, decimal_type b) noexcept {
  const int scale = std::max(a.scale, b.scale);
  const int integral = std::max(a.precision - a.scale, b.precision - b.scale);
  const int precision = integral + scale + 1;
  if (precision <= decimal::max_precision) return {narrow(precision), narrow(scale)};
  return {decimal::max_precision, narrow(std::min(scale, decimal::max_precision - integral))};
}

decimal_type reduce_type(int precision, int scale) noexcept {
  if (precision <= decimal::max_precision) return {narrow(precision), narrow(scale)};
  const int integral = precision - scale;
  return {decimal::max_precision,
          narrow(std::max(std::min(scale, decimal::max_precision - integral), std::min(scale, 6)))};
}

decimal_type multiply_type(decimal_type a, decimal_type b) noexcept {
  return reduce_type(a.precision + b.precision + 1, a.scale + b.scale);
}

decimal_type divide_type(decimal_type a, decimal_type b) noexcept {
  const int scale = std::max(6, a.scale + b.precision + 1);
  return reduce_type(a.precision - a.scale + b.scale + scale, scale);
}

decimal_type modulo_type(decimal_type a, decimal_type b) noexcept {
  const int scale = std::max(a.scale, b.scale);
  return {narrow(std::max(1, std::min(a.precision - a.scale, b.precision - b.scale) + scale)), narrow(scale)};
}

decimal_type common_type(decimal_type a, decimal_type b) noexcept {
  const int scale = std::max(a.scale, b.scale);
  const int integral = std::max(a.precision - a.scale, b.precision - b.scale);
  if (integral + scale <= decimal::max_precision) return {narrow(std::max(1, integral + scale)), narrow(scale)};
  return {decimal::max_precision, narrow(decimal::max_precision - integral)};
}

decimal decimal::from_int(std::int64_t value) noexcept {
  const auto magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return make(magnitude, value < 0, {19, 0});
}

std::optional<decimal> decimal::parse(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  uint128 magnitude = 0;
  int digits = 0;       // without leading zeros before the point
  int fractional = -1;  // -1 = no point seen
  bool any = false;
  for (const char c : text) {
    if (c == '.' && fractional < 0) {
      fractional = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (fractional >= 0) ++fractional;
    if (digits > 0 || c != '0' || fractional > 0) ++digits;
    if (digits > max_precision) return std::nullopt;
    magnitude = magnitude * 10 + static_cast<unsigned>(c - '0');
  }
  if (!any) return std::nullopt;
  const int scale = std::max(0, fractional);
  return make(magnitude, negative, {narrow(std::max({1, digits, scale})), narrow(scale)});
}

std::optional<decimal> decimal::from_double(double value, int precision, int scale) noexcept {
  if (!std::isfinite(value) || std::fabs(value) >= 1e38) return std::nullopt;
  // A double is m * 2^e exactly; the digits asked for are cut out of that, so that 0.1 at scale 20 shows its true tail
  // only past the 17 significant digits that the server itself keeps.
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  if (fraction == 0) return make(0, false, {narrow(precision), narrow(scale)});
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53;
  const wide product = wide_multiply(mantissa, power_of_ten[static_cast<std::size_t>(scale)]);
  uint128 magnitude = 0;
  if (shift >= 0) {
    if (product.hi != 0 || shift >= 127 || (product.lo >> (127 - shift)) != 0) return std::nullopt;
    magnitude = product.lo << shift;
  } else {
    const int right = -shift;
    if (right >= 256) return make(0, false, {narrow(precision), narrow(scale)});
    const auto bit_at = [&](int n) { return n >= 128 ? (product.hi >> (n - 128)) & 1 : (product.lo >> n) & 1; };
    if (right >= 128) {
      magnitude = right == 128 ? product.hi : product.hi >> (right - 128);
    } else {
      if ((product.hi >> right) != 0) return std::nullopt;
      magnitude = (product.lo >> right) | (product.hi << (128 - right));
    }
    if (bit_at(right - 1) != 0) ++magnitude;
  }
  if (magnitude >= power_of_ten[static_cast<std::size_t>(precision)]) return std::nullopt;
  return make(magnitude, value < 0, {narrow(precision), narrow(scale)});
}

std::string decimal::to_string() const {
  std::array<char, 44> buffer;
  auto* at = buffer.data() + buffer.size();
  uint128 rest = magnitude;
  int written = 0;
  while (rest != 0 || written <= scale) {
    if (written == scale && scale != 0) *--at = '.';
    // Digits in runs of 64 bits: 128-bit division is ten times slower.
    if (rest >> 64 == 0) {
      auto low = static_cast<std::uint64_t>(rest);
      *--at = static_cast<char>('0' + low % 10);
      rest = low / 10;
    } else {
      *--at = static_cast<char>('0' + static_cast<int>(rest % 10));
      rest /= 10;
    }
    ++written;
  }
  if (negative && magnitude != 0) *--at = '-';
  return {at, static_cast<std::size_t>(buffer.data() + buffer.size() - at)};
}

double decimal::to_double() const noexcept {
  double value;
  if (magnitude >> 53 == 0 && scale <= 22) {
    value = static_cast<double>(static_cast<std::uint64_t>(magnitude)) / static_cast<double>(power_of_ten[scale]);
  } else {
    value = static_cast<double>(static_cast<long double>(magnitude) / static_cast<long double>(power_of_ten[scale]));
  }
  return negative ? -value : value;
}

std::optional<std::int64_t> decimal::to_int() const noexcept {
  const uint128 whole = magnitude / power_of_ten[scale];
  const uint128 bound = (static_cast<uint128>(1) << 63) - (negative ? 0 : 1);
  if (whole > bound) return std::nullopt;
  const auto low = static_cast<std::uint64_t>(whole);
  return static_cast<std::int64_t>(negative ? 0 - low : low);
}

std::optional<decimal> decimal::rescale(int to_precision, int to_scale) const noexcept {
  return fit(*this, to_precision, to_scale, true);
}

std::optional<decimal> decimal::truncate(int to_precision, int to_scale) const noexcept {
  return fit(*this, to_precision, to_scale, false);
}

std::optional<decimal> add(const decimal& a, const decimal& b) noexcept {
  return add_signed(a, b, false, add_type(a.type(), b.type()));
}

std::optional<decimal> subtract(const decimal& a, const decimal& b) noexcept {
  return add_signed(a, b, true, add_type(a.type(), b.type()));
}

std::optional<decimal> multiply(const decimal& a, const decimal& b) noexcept {
  const decimal_type type = multiply_type(a.type(), b.type());
  const wide product = wide_multiply(a.magnitude, b.magnitude);
  const int cut = a.scale + b.scale - type.scale;
  uint128 magnitude = product.lo;
  if (cut > 0) {
    // Up to 76 digits of scale, cut in two steps: at least half stays at least half whatever the first step drops.
    const int first = std::max(0, cut - 38);
    wide rest = product;
    if (first > 0) {
      const uint128 d = power_of_ten[static_cast<std::size_t>(first)];
      rest = {rest.hi / d, wide_divide({rest.hi % d, rest.lo}, d).value};
    }
    const uint128 d = power_of_ten[static_cast<std::size_t>(cut - first)];
    if (rest.hi >= d) return std::nullopt;
    const quotient q = wide_divide(rest, d);
    magnitude = q.value + (round_up(q, d) ? 1 : 0);
  } else if (product.hi != 0) {
    return std::nullopt;
  }
  if (magnitude >= power_of_ten[type.precision]) return std::nullopt;
  return make(magnitude, a.negative != b.negative, type);
}

std::optional<decimal> divide_to(const decimal& a, const decimal& b, decimal_type type) noexcept {
  if (b.magnitude == 0) return std::nullopt;
  int shift = type.scale - a.scale + b.scale;
  uint128 divisor = b.magnitude;
  uint128 value = 0;
  if (shift < 0) {
    // Digits of the dividend that the result's scale has no room for.
    value = a.magnitude / divisor / power_of_ten[static_cast<std::size_t>(-shift)];
  } else {
    value = a.magnitude / divisor;
    uint128 remainder = a.magnitude % divisor;
    while (shift > 0) {
      const int step = std::min(shift, 38);
      const uint128 factor = power_of_ten[static_cast<std::size_t>(step)];
      const quotient q = wide_divide(wide_multiply(remainder, factor), divisor);
      if (value != 0 && value > (limit() - 1 - q.value) / factor) return std::nullopt;
      value = value * factor + q.value;
      remainder = q.remainder;
      shift -= step;
    }
  }
  if (value >= power_of_ten[type.precision]) return std::nullopt;
  return make(value, a.negative != b.negative, type);
}

std::optional<decimal> divide(const decimal& a, const decimal& b) noexcept {
  return divide_to(a, b, divide_type(a.type(), b.type()));
}

std::optional<decimal> modulo(const decimal& a, const decimal& b) noexcept {
  if (b.magnitude == 0) return std::nullopt;
  const decimal_type type = modulo_type(a.type(), b.type());
  const auto x = scaled(a.magnitude, a.scale, type.scale, false);
  const auto y = scaled(b.magnitude, b.scale, type.scale, false);
  if (!y) return x ? std::optional(make(*x, a.negative, type)) : std::nullopt;  // the divisor exceeds any dividend
  if (!x) return std::nullopt;
  return make(*x % *y, a.negative, type);
}

std::optional<decimal> accumulate(const decimal& sum, const decimal& value) noexcept {
  return add_signed(sum, value, false, {decimal::max_precision, std::max(sum.scale, value.scale)});
}

std::strong_ordering compare(const decimal& a, const decimal& b) noexcept {
  const bool a_negative = a.negative && a.magnitude != 0;
  const bool b_negative = b.negative && b.magnitude != 0;
  if (a_negative != b_negative) return a_negative ? std::strong_ordering::less : std::strong_ordering::greater;
  const int common = std::max(a.scale, b.scale);
  const wide x = wide_multiply(a.magnitude, power_of_ten[static_cast<std::size_t>(common - a.scale)]);
  const wide y = wide_multiply(b.magnitude, power_of_ten[static_cast<std::size_t>(common - b.scale)]);
  auto order = x.hi != y.hi  ? (x.hi < y.hi ? std::strong_ordering::less : std::strong_ordering::greater)
               : x.lo < y.lo ? std::strong_ordering::less
               : x.lo > y.lo ? std::strong_ordering::greater
                             : std::strong_ordering::equal;
  if (a_negative) order = 0 <=> order;
  return order;
}

}  // namespace dragoman
