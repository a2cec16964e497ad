// What system catalogues say of a type: ids of sys.types, sizes, and ODBC's codes (ODBC reference, appendix D; T-SQL
// reference, "sys.types" and "sp_datatype_info").
#pragma once

#include <cstdint>
#include <optional>

#include "base/sql_type.h"

namespace dragoman::sandbox {

struct type_facts {
  std::int32_t system_type_id = 0;
  std::int32_t user_type_id = 0;
  std::int32_t max_length = 0;  // bytes; -1 = (max)
  std::int32_t precision = 0;   // as sys.columns has it
  std::int32_t scale = 0;
  std::int32_t odbc3 = 0;              // DATA_TYPE of ODBC 3
  std::int32_t odbc2 = 0;              // … and of ODBC 2
  std::int32_t column_size = 0;        // PRECISION of sp_columns
  std::int32_t transfer_length = 0;    // LENGTH of sp_columns
  std::optional<std::int32_t> digits;  // SCALE of sp_columns
  std::optional<std::int32_t> radix;
  std::int32_t sql_data_type = 0;  // 9 for all dates
  std::optional<std::int32_t> datetime_sub;
  std::optional<std::int32_t> octet_length;
  std::int32_t ss_data_type = 0;  // the token of old servers
};

type_facts facts_of(const sql_type& type) noexcept;

}  // namespace dragoman::sandbox
