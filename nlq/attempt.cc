#include "nlq/attempt.h"

#include <algorithm>
#include <array>

namespace dragoman::nlq {
namespace {

// Numbers of SQL Server, "Database engine events and errors".
enum class kind : std::uint8_t { missing_reference, syntax, timeout, permission, unknown };

struct number_row {
  std::int32_t number;
  kind what;
};

constexpr auto numbers = std::to_array<number_row>({
    {102, kind::syntax},             // Incorrect syntax near
    {104, kind::syntax},             // ORDER BY items must appear in the select list of a set operation
    {105, kind::syntax},             // Unclosed quotation mark
    {107, kind::missing_reference},  // The column prefix does not match
    {116, kind::syntax},             // Only one expression in a subquery's list
    {130, kind::syntax},             // Aggregate over an expression with an aggregate or subquery
    {145, kind::syntax},             // ORDER BY items and SELECT DISTINCT
    {147, kind::syntax},             // An aggregate may not appear in WHERE
    {156, kind::syntax},             // Incorrect syntax near the keyword
    {164, kind::syntax},             // GROUP BY expression without a column
    {170, kind::syntax},
    {205, kind::syntax},             // Set operations need equal lists
    {206, kind::syntax},             // Operand type clash
    {207, kind::missing_reference},  // Invalid column name
    {208, kind::missing_reference},  // Invalid object name
    {209, kind::syntax},             // Ambiguous column name
    {229, kind::permission},
    {230, kind::permission},
    {241, kind::syntax},  // Conversion failed when converting date
    {242, kind::syntax},
    {245, kind::syntax},  // Conversion failed
    {262, kind::permission},
    {297, kind::permission},
    {300, kind::permission},
    {402, kind::syntax},  // Types incompatible in the operator
    {512, kind::syntax},  // Subquery returned more than one value
    {916, kind::permission},
    {1033, kind::syntax},             // ORDER BY in a view or derived table
    {1222, kind::timeout},            // Lock request time out period exceeded
    {4104, kind::missing_reference},  // The multi-part identifier could not be bound
    {4108, kind::syntax},             // Windowed functions only in SELECT and ORDER BY
    {4121, kind::missing_reference},  // Cannot find either column or function
    {4145, kind::syntax},             // Non-boolean expression where a condition is expected
    {8114, kind::syntax},             // Error converting data type
    {8115, kind::syntax},             // Arithmetic overflow
    {8117, kind::syntax},             // Operand data type invalid for operator
    {8118, kind::syntax},
    {8120, kind::syntax},  // Not in an aggregate or GROUP BY
    {8127, kind::syntax},
    {8134, kind::syntax},  // Divide by zero
    {8155, kind::syntax},  // No column name for column of a derived table
    {8156, kind::syntax},  // Column specified twice
});
static_assert(std::is_sorted(numbers.begin(), numbers.end(),
                             [](const number_row& a, const number_row& b) { return a.number < b.number; }));

kind kind_of(std::int32_t number) noexcept {
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), number,
                                   [](const number_row& row, std::int32_t n) { return row.number < n; });
  return at != numbers.end() && at->number == number ? at->what : kind::unknown;
}

}  // namespace

std::string_view name_of(attempt_outcome o) noexcept {
  switch (o) {
    case attempt_outcome::accepted: return "accepted";
    case attempt_outcome::refused: return "refused";
    case attempt_outcome::no_sql: return "no_sql";
    case attempt_outcome::bad_frame: return "bad_frame";
    case attempt_outcome::empty_answer: return "empty_answer";
    case attempt_outcome::truncated_answer: return "truncated_answer";
    case attempt_outcome::out_of_scope: return "out_of_scope";
    case attempt_outcome::model_failed: return "model_failed";
    case attempt_outcome::too_costly: return "too_costly";
    case attempt_outcome::execution_failed: return "execution_failed";
    case attempt_outcome::interrupted: return "interrupted";
  }
  return "interrupted";
}

next_step after_refusal(errc reason) noexcept {
  switch (reason) {
    // Policy: the person may not have it, however it is written.
    case errc::denied_column:
    case errc::join_only_column: return next_step::reject;

    // Safety: a gate that failed is not coached through.
    case errc::not_read_only:
    case errc::multiple_statements:
    case errc::function_not_allowed:
    case errc::system_object:
    case errc::cross_datasource: return next_step::fail;

    case errc::unknown_table:
    case errc::unknown_column: return next_step::retrieve;

    case errc::syntax:
    case errc::too_complex:
    case errc::ambiguous_column:
    case errc::ambiguous_table:
    case errc::no_table_reference:
    case errc::comment_present:
    case errc::unsupported_construct:
    case errc::required_rule:
    case errc::conversion:
    case errc::not_available: return next_step::generate;

    case errc::query_timeout: return next_step::time_out;
    case errc::cancelled: return next_step::cancel;
    case errc::rejected: return next_step::reject;

    case errc::upstream_unavailable:
    case errc::lease_timeout:
    case errc::rate_limited:
    case errc::value_too_large:
    case errc::upstream_error:
    case errc::failed:
    case errc::no_model:
    case errc::out_of_scope:
    case errc::model_error:
    case errc::login_failed:
    case errc::database_unavailable:
    case errc::unknown_procedure:
    case errc::bad_argument:
    case errc::protocol:
    case errc::io:
    case errc::configuration:
    case errc::internal: return next_step::fail;
  }
  return next_step::fail;
}

next_step after_failed_run(errc reason, std::int32_t number) noexcept {
  if (reason != errc::upstream_error) return after_refusal(reason);
  switch (kind_of(number)) {
    case kind::missing_reference: return next_step::retrieve;
    case kind::timeout: return next_step::time_out;
    case kind::permission: return next_step::fail;
    case kind::syntax:
    case kind::unknown: return next_step::generate;
  }
  return next_step::generate;
}

std::string_view hint_for(errc reason, std::int32_t number) noexcept {
  if (reason == errc::upstream_error) {
    switch (number) {
      case 209: reason = errc::ambiguous_column; break;
      case 130:
      case 147:
      case 8118:
      case 8120:
      case 8127:
        return "Every column outside an aggregate must stand in GROUP BY; conditions on aggregates belong in HAVING.";
      case 512: return "A subquery that stands for one value must return one row: use TOP (1) or an aggregate.";
      case 8134: return "Guard every division with NULLIF(divisor, 0).";
      case 206:
      case 241:
      case 242:
      case 245:
      case 402:
      case 8114:
      case 8117: return "The types on both sides of an operator must agree; look at the column types in the schema.";
      case 8115: return "Cast to a wider type, such as decimal(38, 4) or bigint, before the arithmetic.";
      default: break;
    }
    if (kind_of(number) == kind::missing_reference) reason = errc::unknown_column;
    if (kind_of(number) == kind::syntax) reason = errc::syntax;
  }
  switch (reason) {
    case errc::unknown_table:
    case errc::unknown_column:
      return "Use only tables and columns that the schema names, spelled as there, each table with its schema name.";
    case errc::ambiguous_column: return "Write an alias in front of every column.";
    case errc::ambiguous_table: return "Write the schema name in front of every table.";
    case errc::no_table_reference: return "The statement must read at least one table of the schema.";
    case errc::comment_present: return "Write no comments.";
    case errc::too_complex: return "Write a simpler statement: fewer joins and subqueries.";
    case errc::required_rule: return "This table demands the condition or join that the error names.";
    case errc::unsupported_construct:
    case errc::not_available: return "Write it another way, without the construct that the error names.";
    default: return "Write valid T-SQL for Microsoft SQL Server.";
  }
}

}  // namespace dragoman::nlq
