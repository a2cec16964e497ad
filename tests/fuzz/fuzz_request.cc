// Any bytes as SQLBatch, RPC and transaction manager request, by the first byte for an old or a new client. What a
// parameter holds must be writable in its own type.
#include <cstdlib>

#include "tds/all_headers.h"
#include "tds/rpc_request.h"
#include "tds/transaction_request.h"
#include "tds/wire_column.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  using namespace dragoman::tds;
  if (size == 0) return 0;
  wire_profile profile;
  profile.version = (data[0] & 1) != 0 ? tds_version::v7_1 : tds_version::v7_4;
  const byte_span message(data + 1, size - 1);
  (void)parse_sql_batch(message, profile);
  (void)parse_transaction_request(message, profile);
  const auto request = parse_rpc_request(message, profile);
  if (!request) return 0;
  for (const rpc_call& call : request->calls) {
    split_procedure_name(call.name);
    for (const rpc_parameter& parameter : call.parameters) {
      byte_writer out;
      const wire_column column = wire_column_of({parameter.name, parameter.type, true}, profile);
      write_type_info(out, column);
      const std::size_t before = out.size();
      write_value(out, column, parameter.value);
      const std::size_t most = value_bytes_max(column);
      if (out.failed() || (most != 0 && out.size() - before > most)) std::abort();
    }
  }
  return 0;
}
