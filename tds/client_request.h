// Requests as a client writes them: SQLBatch (MS-TDS 2.2.6.7), sp_executesql as RPC (2.2.6.6) and the attention
// (2.2.1.7), in packets ready to be sent. TDS 7.2 and later; the connection is in autocommit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql_value.h"

namespace dragoman::tds {

// A parameter of sp_executesql.
struct sent_parameter {
  std::string_view name;  // with its @
  sql_type type;
  const sql_value* value = nullptr;
};

// `packet_size` is what the connection has agreed on, or less.
std::vector<std::uint8_t> write_batch(std::string_view sql, std::uint32_t packet_size);
// errc::conversion for a value that its type cannot hold.
result<std::vector<std::uint8_t>> write_executesql(std::string_view sql, std::span<const sent_parameter> parameters,
                                                   std::uint32_t packet_size);
std::vector<std::uint8_t> write_attention();

// The type in which a parameter of this type is declared and sent. Types that a parameter cannot have, or that nobody
// named, go as the type that holds the value.
sql_type parameter_type(const sql_type& type, const sql_value& value);

}  // namespace dragoman::tds
