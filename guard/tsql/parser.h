// Text to tree. T-SQL up to SQL Server 2025; what SQL Server's own grammar refuses is refused here too.
//
// Failures: errc::syntax (message as SQL Server words it, "Incorrect syntax near 'x'."), errc::too_complex (a limit of
// base/limits.h), errc::not_read_only (SELECT INTO, an assignment, or a statement that is no SELECT where only a query
// may stand), errc::multiple_statements, errc::unsupported_construct. Line and column point at the token that failed.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/tsql/ast.h"

namespace dragoman::tsql {

struct parse_options {
  bool quoted_identifier = true;  // SET QUOTED_IDENTIFIER: off makes "x" a string
};

// Exactly one SELECT statement; semicolons before and behind it and comments are all that may stand beside it.
result<select_statement> parse_query(std::string_view text, const parse_options& = {});

// All statements of a batch. A statement that the sandbox has no use for is an other_statement: its words are skipped
// up to the next statement. The empty batch has no statements.
result<batch> parse_batch(std::string_view text, const parse_options& = {});

// One scalar expression or search condition; is_predicate tells which. For policy filters and semantic formulas.
result<expression> parse_expression(std::string_view text, const parse_options& = {});

// A type as CAST takes it, e.g. "decimal(18, 4)".
result<data_type> parse_data_type(std::string_view text);

// The parameter list of sp_executesql: N'@p int, @q nvarchar(40) = N''x'' OUTPUT'. OUTPUT and READONLY are allowed
// and forgotten.
result<std::vector<variable_declaration>> parse_parameters(std::string_view text);

// A name of up to four parts: "SalesDb..[Order]".
result<object_name> parse_object_name(std::string_view text);

}  // namespace dragoman::tsql
