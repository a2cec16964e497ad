#include "base/errc.h"

namespace dragoman {

reason reason_of(errc code) noexcept {
  switch (code) {
    case errc::syntax: return {"syntax", 102, 15};
    case errc::too_complex: return {"too_complex", 191, 15};
    case errc::unknown_table: return {"unknown_table", 208, 16};
    case errc::unknown_column: return {"unknown_column", 207, 16};
    case errc::ambiguous_column: return {"ambiguous_column", 209, 16};
    case errc::denied_column: return {"denied_column", 230, 14};
    case errc::not_read_only: return {"not_read_only", 50110, 14};
    case errc::multiple_statements: return {"multiple_statements", 50111, 15};
    case errc::ambiguous_table: return {"ambiguous_table", 50112, 16};
    case errc::join_only_column: return {"join_only_column", 50113, 14};
    case errc::function_not_allowed: return {"function_not_allowed", 50114, 14};
    case errc::system_object: return {"system_object", 50115, 14};
    case errc::cross_datasource: return {"cross_datasource", 50116, 16};
    case errc::no_table_reference: return {"no_table_reference", 50117, 16};
    case errc::comment_present: return {"comment_present", 50118, 15};
    case errc::unsupported_construct: return {"unsupported_construct", 50119, 15};
    case errc::required_rule: return {"required_rule", 50120, 16};
    case errc::query_timeout: return {"query_timeout", 50130, 16};
    case errc::upstream_unavailable: return {"upstream_unavailable", 50131, 17};
    case errc::lease_timeout: return {"lease_timeout", 50132, 17};
    case errc::rate_limited: return {"rate_limited", 50133, 16};
    case errc::cancelled: return {"cancelled", 3617, 16};
    case errc::value_too_large: return {"value_too_large", 50134, 16};
    case errc::upstream_error: return {"upstream_error", 50135, 16};
    case errc::rejected: return {"rejected", 50140, 16};
    case errc::failed: return {"failed", 50142, 16};
    case errc::no_model: return {"no_model", 50143, 16};
    case errc::out_of_scope: return {"out_of_scope", 50144, 16};
    case errc::model_error: return {"model_error", 50145, 16};
    case errc::login_failed: return {"login_failed", 18456, 14};
    case errc::database_unavailable: return {"database_unavailable", 4060, 11};
    case errc::unknown_procedure: return {"unknown_procedure", 2812, 16};
    case errc::bad_argument: return {"bad_argument", 8145, 16};
    case errc::protocol: return {"protocol", 50150, 16};
    case errc::conversion: return {"conversion", 8114, 16};
    case errc::not_available: return {"not_available", 50119, 15};
    case errc::io: return {"io", 50151, 16};
    case errc::configuration: return {"configuration", 50152, 16};
    case errc::internal: return {"internal", 50199, 16};
  }
  return {"internal", 50199, 16};
}

}  // namespace dragoman
