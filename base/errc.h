// Reason codes: one name for every way in which a request can end other than with rows.
//
// A code names the cause in the audit, in `nlq.why` and in `dragoman guard`; `reason_of` gives the error number, class
// and state that the client meets in the ERROR token (see docs/errors.md).
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

enum class errc : std::uint8_t {
  // The guard's verdicts.
  syntax,
  too_complex,
  unknown_table,
  unknown_column,
  ambiguous_column,
  denied_column,
  not_read_only,
  multiple_statements,
  ambiguous_table,
  join_only_column,
  function_not_allowed,
  system_object,
  cross_datasource,
  no_table_reference,
  comment_present,
  unsupported_construct,
  required_rule,  // a table that demands a filter or a join did not get it
  // Running it.
  query_timeout,
  upstream_unavailable,
  lease_timeout,
  rate_limited,
  cancelled,
  value_too_large,
  upstream_error,
  // Questions.
  rejected,
  failed,
  no_model,
  out_of_scope,
  model_error,
  // Session and protocol.
  login_failed,
  database_unavailable,
  unknown_procedure,
  bad_argument,
  protocol,
  conversion,     // a value that does not fit the type asked for
  not_available,  // a construct that the embedded engine does not have; the message names it
  io,
  configuration,
  internal,
};

// Where the client sees an errc: MS-TDS ERROR token fields Number, Class (severity) and State.
struct reason {
  std::string_view code;  // snake_case name, as in SURFACE of the product and in the audit
  std::int32_t number;
  std::uint8_t severity;  // Class of the ERROR token, 11..20
};

reason reason_of(errc code) noexcept;
inline std::string_view name_of(errc code) noexcept {
  return reason_of(code).code;
}

}  // namespace dragoman
