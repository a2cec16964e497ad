// TYPE_INFO and values as clients send them in parameters, MS-TDS 2.2.5.4 – 2.2.5.6.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/sql_value.h"
#include "tds/version.h"
#include "tds/wire_column.h"

namespace dragoman::tds {

struct sent_type {
  type_token token = type_token::null;
  std::uint32_t max_bytes = 0;
  std::uint8_t precision = 0;
  std::uint8_t scale = 0;
  bool plp = false;
  collation coll{};
  sql_type type;  // the same for the layers above
};

// nullopt (and a failed reader) for a token that is no type.
std::optional<sent_type> read_type_info(byte_reader& in, const wire_profile& profile);

// One value of that type. A value whose length its type forbids fails the reader.
sql_value read_value(byte_reader& in, const sent_type& type);

// Reads past a table-valued parameter; false where its layout is not understood (the reader has failed then).
bool skip_table_value(byte_reader& in, const wire_profile& profile);

}  // namespace dragoman::tds
