// Transaction manager request, MS-TDS 2.2.6.9.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tds/version.h"

namespace dragoman::tds {

enum class transaction_operation : std::uint16_t {
  get_dtc_address = 0,
  propagate = 1,
  begin = 5,
  promote = 6,
  commit = 7,
  rollback = 8,
  save = 9,
};

struct transaction_request {
  std::uint64_t transaction_descriptor = 0;  // of ALL_HEADERS
  transaction_operation operation = transaction_operation::begin;
  std::uint8_t isolation = 0;  // 0 none, 1 read uncommitted … 5 snapshot
  std::string name;            // UTF-8
  bool begin_next = false;     // COMMIT, ROLLBACK: fBeginXact, the fields below are the new transaction's
  std::uint8_t next_isolation = 0;
  std::string next_name;
};

result<transaction_request> parse_transaction_request(byte_span message, const wire_profile& profile);

}  // namespace dragoman::tds
