// Exact decimal numbers as SQL Server has them: up to 38 digits, a scale, and the arithmetic rules of
// "Precision, scale, and length (Transact-SQL)".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

using uint128 = unsigned __int128;

struct decimal_type {
  std::uint8_t precision = 1;  // 1..38
  std::uint8_t scale = 0;      // 0..precision
  bool operator==(const decimal_type&) const = default;
};

// value = (negative ? -1 : 1) * magnitude / 10^scale; magnitude < 10^precision. Zero is never negative.
struct decimal {
  static constexpr int max_precision = 38;

  uint128 magnitude = 0;
  std::uint8_t precision = 1;  // 1..38
  std::uint8_t scale = 0;      // 0..precision
  bool negative = false;

  decimal_type type() const noexcept { return {precision, scale}; }

  static decimal from_int(std::int64_t value) noexcept;  // bigint: precision 19, scale 0
  // "-12.50", ".5", "7." with optional blanks around; the precision and scale are those of the text. nullopt for
  // anything else, exponents and more than 38 digits included.
  static std::optional<decimal> parse(std::string_view text) noexcept;
  static std::optional<decimal> from_double(double value, int precision, int scale) noexcept;

  std::string to_string() const;  // all digits of the scale, a leading 0 before the point
  double to_double() const noexcept;
  std::optional<std::int64_t> to_int() const noexcept;  // cut towards zero, as CAST does; nullopt on overflow

  // Rounds half away from zero; nullopt when the value needs more than `precision` digits.
  std::optional<decimal> rescale(int precision, int scale) const noexcept;
  std::optional<decimal> truncate(int precision, int scale) const noexcept;
};

// Result types follow the manual (add: max(s1,s2) …; divide: scale max(6, s1 + p2 + 1), cut to 38 digits);
// nullopt = arithmetic overflow, or division by zero (the caller looks at the divisor first).
std::optional<decimal> add(const decimal& a, const decimal& b) noexcept;
std::optional<decimal> subtract(const decimal& a, const decimal& b) noexcept;
std::optional<decimal> multiply(const decimal& a, const decimal& b) noexcept;
std::optional<decimal> divide(const decimal& a, const decimal& b) noexcept;
std::optional<decimal> modulo(const decimal& a, const decimal& b) noexcept;
// The quotient at a type of the caller's choice, cut towards zero as SQL Server cuts it (AVG, ratios).
std::optional<decimal> divide_to(const decimal& a, const decimal& b, decimal_type type) noexcept;
// SUM and AVG keep the scale and widen to 38 digits.
std::optional<decimal> accumulate(const decimal& sum, const decimal& value) noexcept;

// The same rules for types alone.
decimal_type add_type(decimal_type a, decimal_type b) noexcept;  // also of subtract
decimal_type multiply_type(decimal_type a, decimal_type b) noexcept;
decimal_type divide_type(decimal_type a, decimal_type b) noexcept;
decimal_type modulo_type(decimal_type a, decimal_type b) noexcept;
decimal_type common_type(decimal_type a, decimal_type b) noexcept;  // of CASE, UNION, comparisons
decimal_type reduce_type(int precision, int scale) noexcept;        // cuts to 38 digits, keeping six of the scale

std::strong_ordering compare(const decimal& a, const decimal& b) noexcept;  // by value, scales may differ

}  // namespace dragoman
