// Rules of T-SQL's types: which of two wins, and what an operator or function makes of them (T-SQL reference: "Data
// type precedence", "Precision, scale, and length", "Collation").
#pragma once

#include <optional>
#include <string_view>

#include "base/decimal.h"
#include "base/sql_type.h"
#include "guard/tsql/ast.h"

namespace dragoman::sandbox {

sql_type make_type(sql_type_id id, std::int32_t length = 0, int precision = 0, int scale = 0) noexcept;
sql_type make_decimal(decimal_type t) noexcept;

// The type that both are converted to for a comparison, CASE, COALESCE or UNION. An unknown type (bare NULL) yields.
// nullopt: the two do not meet (206, operand type clash).
std::optional<sql_type> common_type(const sql_type& a, const sql_type& b) noexcept;

// + - * / % of numbers; nullopt when the operator is not defined for the types.
std::optional<sql_type> arithmetic_type(tsql::binary_operator op, const sql_type& a, const sql_type& b) noexcept;
sql_type concat_type(const sql_type& a, const sql_type& b) noexcept;

sql_type sum_type(const sql_type& t) noexcept;
sql_type average_type(const sql_type& t) noexcept;

// How the value would look as text: nvarchar where it is Unicode, and how many characters at most.
sql_type text_type_of(const sql_type& t) noexcept;

// The data_type of CAST and DECLARE; nullopt for a name that is no type.
std::optional<sql_type> type_of(const tsql::data_type& type);

}  // namespace dragoman::sandbox
