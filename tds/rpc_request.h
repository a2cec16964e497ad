// RPC request, MS-TDS 2.2.6.6: one or more calls in one message, each with parameters of every type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/sql_value.h"
#include "tds/version.h"

namespace dragoman::tds {

// The procedures that a client may name by number, 2.2.6.6 ProcID.
enum class proc_id : std::uint16_t {
  none = 0,
  sp_cursor = 1,
  sp_cursoropen,
  sp_cursorprepare,
  sp_cursorexecute,
  sp_cursorprepexec,
  sp_cursorunprepare,
  sp_cursorfetch,
  sp_cursoroption,
  sp_cursorclose,
  sp_executesql,
  sp_prepare,
  sp_execute,
  sp_prepexec,
  sp_prepexecrpc,
  sp_unprepare,
};

std::string_view name_of(proc_id id) noexcept;
// The number of a procedure called by name, however written: "sp_execute", "[sys].sp_execute", "master..SP_EXECUTE".
proc_id proc_id_of(std::string_view name) noexcept;

// A procedure name as typed, taken apart: brackets and quotes removed, parts from the right.
struct procedure_name {
  std::string database;  // empty where not given
  std::string schema;
  std::string name;
};
procedure_name split_procedure_name(std::string_view typed);

struct rpc_parameter {
  std::string name;  // as sent, with its @; empty = positional
  sql_type type;     // unknown for the untyped NULL (0x1F)
  sql_value value;   // a table-valued parameter leaves null_value and sets table_valued
  bool output = false;
  bool use_default = false;
  bool table_valued = false;
  bool encrypted = false;
};

struct rpc_call {
  proc_id id = proc_id::none;  // by number, or found by name
  std::string name;            // as typed, or the name of the number
  bool by_name = false;
  std::uint16_t options = 0;  // 1 recompile, 2 no metadata, 4 reuse metadata
  bool no_execute = false;    // ended by 0xFE
  std::vector<rpc_parameter> parameters;
};

struct rpc_request {
  std::uint64_t transaction_descriptor = 0;
  std::vector<rpc_call> calls;
};

// The payload of a reassembled RPC message. errc::protocol for lying lengths and unknown types, errc::too_complex for
// more parameters than limits::rpc_parameters_max.
result<rpc_request> parse_rpc_request(byte_span message, const wire_profile& profile);

}  // namespace dragoman::tds
