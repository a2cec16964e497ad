// The operator table: precedence and spelling, read by the parser and by the printer (T-SQL reference: "Operator
// precedence"; AT TIME ZONE and COLLATE bind closest, then signs and ~).
#pragma once

#include <cstdint>
#include <string_view>

#include "guard/tsql/ast.h"
#include "guard/tsql/lexer.h"

namespace dragoman::tsql {

enum class precedence : std::uint8_t { lowest, or_, and_, not_, predicate, additive, multiplicative, unary, primary };

constexpr precedence next(precedence p) {
  return static_cast<precedence>(static_cast<std::uint8_t>(p) + 1);
}

struct binary_operator_info {
  binary_operator op;
  symbol sym;
  std::string_view text;
  precedence level;
};

inline constexpr binary_operator_info binary_operators[] = {
    {binary_operator::add, symbol::plus, "+", precedence::additive},
    {binary_operator::subtract, symbol::minus, "-", precedence::additive},
    {binary_operator::multiply, symbol::star, "*", precedence::multiplicative},
    {binary_operator::divide, symbol::slash, "/", precedence::multiplicative},
    {binary_operator::modulo, symbol::percent, "%", precedence::multiplicative},
    {binary_operator::bit_and, symbol::ampersand, "&", precedence::additive},
    {binary_operator::bit_or, symbol::pipe, "|", precedence::additive},
    {binary_operator::bit_xor, symbol::caret, "^", precedence::additive},
    {binary_operator::concat, symbol::concat, "||", precedence::additive},
    {binary_operator::shift_left, symbol::shift_left, "<<", precedence::multiplicative},
    {binary_operator::shift_right, symbol::shift_right, ">>", precedence::multiplicative},
};

constexpr const binary_operator_info& info(binary_operator op) {
  return binary_operators[static_cast<std::size_t>(op)];
}

constexpr const binary_operator_info* find_binary_operator(symbol sym) {
  for (const auto& entry : binary_operators) {
    if (entry.sym == sym) return &entry;
  }
  return nullptr;
}

constexpr std::string_view text(comparison_operator op) {
  constexpr std::string_view texts[] = {"=", "<>", "<", ">", "<=", ">="};
  return texts[static_cast<std::size_t>(op)];
}

constexpr std::string_view text(unary_operator op) {
  constexpr std::string_view texts[] = {"+", "-", "~"};
  return texts[static_cast<std::size_t>(op)];
}

struct assignment_operator_info {
  assignment_operator op;
  symbol sym;
  std::string_view text;
};

inline constexpr assignment_operator_info assignment_operators[] = {
    {assignment_operator::assign, symbol::equal, "="},
    {assignment_operator::add, symbol::plus_equal, "+="},
    {assignment_operator::subtract, symbol::minus_equal, "-="},
    {assignment_operator::multiply, symbol::star_equal, "*="},
    {assignment_operator::divide, symbol::slash_equal, "/="},
    {assignment_operator::modulo, symbol::percent_equal, "%="},
    {assignment_operator::bit_and, symbol::ampersand_equal, "&="},
    {assignment_operator::bit_or, symbol::pipe_equal, "|="},
    {assignment_operator::bit_xor, symbol::caret_equal, "^="},
    {assignment_operator::concat, symbol::concat_equal, "||="},
};

constexpr std::string_view text(assignment_operator op) {
  return assignment_operators[static_cast<std::size_t>(op)].text;
}

// How tightly a node holds together; an operand of a lower level is printed in parentheses.
precedence level_of(const expression&);

}  // namespace dragoman::tsql
