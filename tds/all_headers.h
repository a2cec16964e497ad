// ALL_HEADERS, MS-TDS 2.2.5.3, and the SQLBatch that follows it, 2.2.6.7.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tds/version.h"

namespace dragoman::tds {

struct all_headers {
  std::uint64_t transaction_descriptor = 0;
};

// Moves the reader past the headers by their declared total; clients before 7.2 send none.
result<all_headers> read_all_headers(byte_reader& in, const wire_profile& profile);

struct sql_batch {
  std::uint64_t transaction_descriptor = 0;
  std::string text;  // UTF-8
};
result<sql_batch> parse_sql_batch(byte_span message, const wire_profile& profile);

}  // namespace dragoman::tds
