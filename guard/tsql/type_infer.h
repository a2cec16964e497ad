// Types of expressions (T-SQL reference: "Data type precedence", "Precision, scale, and length", and each function's
// return type). `sql_type_id::unknown` wherever the rules do not settle it; nothing is refused for that.
#pragma once

#include "base/sql_type.h"
#include "guard/tsql/ast_expression.h"
#include "guard/tsql/function_table.h"

namespace dragoman::tsql {

sql_type make_sql_type(sql_type_id id, std::int32_t length = 0, std::uint8_t precision = 0, std::uint8_t scale = 0);

sql_type type_of_literal(const literal&);
// Unknown for a user-defined type.
sql_type type_of(const data_type&);
sql_type type_of_niladic(niladic_kind);
sql_type type_of_odbc_literal(odbc_literal_kind);

// The type that both sides convert to (CASE, UNION, COALESCE): the higher precedence, wide enough for both.
sql_type common_type(const sql_type& a, const sql_type& b);
sql_type type_of_binary(binary_operator, const sql_type& left, const sql_type& right);

// `arguments` are the types in order; a datepart has type unknown.
sql_type type_of_call(const function_info&, const sql_type* arguments, std::size_t count);

}  // namespace dragoman::tsql
