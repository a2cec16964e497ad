// What SQLDescribeCol tells of a result, as columns of the product, and where each column's value lies in a fetched
// row.
//
// Rows are bound row-wise: [SQLLEN indicator of each column][value of each bound column]. Every column is bound as
// SQL_C_BINARY, because the driver then hands over the value as the wire had it (character data in the column's own
// encoding, datetime and money as raw bytes; only decimals and the 2008 date types come as ODBC structures).
// Values of unbounded columns are read with SQLGetData, one row at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/sql_value.h"
#include "proxy/upstream/odbc.h"

namespace dragoman::upstream {

// How a value is turned into wire bytes; one case in row_encoder.cc and row_decoder.cc each.
enum class value_shape : std::uint8_t {
  fixed,           // raw bytes as the wire has them: integers, bit, floats, money, datetime, uniqueidentifier
  decimal,         // SQL_NUMERIC_STRUCT
  date,            // SQL_DATE_STRUCT
  time,            // SQL_SS_TIME2_STRUCT
  datetime2,       // SQL_TIMESTAMP_STRUCT
  datetimeoffset,  // SQL_SS_TIMESTAMPOFFSET_STRUCT
  short_bytes,     // raw bytes after a two-byte length
  plp,             // (max), xml: partially length-prefixed, read in pieces
  text_pointer,    // text, ntext, image, read in pieces
  variant          // sql_variant, as text: the driver does not tell the inner type
};

struct bound_column {
  value_shape shape = value_shape::fixed;
  bool wide = false;         // UTF-16 characters
  std::uint8_t scale = 0;    // of decimal and temporal types
  std::uint32_t offset = 0;  // of the value in the row; 0 = not bound
  std::uint32_t room = 0;    // bytes bound
  sql_type_id type = sql_type_id::unknown;
};

struct row_layout {
  std::vector<result_column> columns;
  std::vector<bound_column> bound;
  std::size_t row_bytes = 0;  // stride of the row-wise binding
  std::size_t rows = 0;       // per block
  bool has_long = false;      // some column is read with SQLGetData: one row per fetch
};

// `coll` is the collation given to character columns: the driver does not report theirs.
result<row_layout> describe(SQLHSTMT statement, const collation& coll);

// Binds the columns to `buffer` (row_bytes * rows bytes) and sets the block size. `fetched` receives the row count.
result<void> bind(SQLHSTMT statement, const row_layout& layout, std::uint8_t* buffer, SQLULEN* fetched);

}  // namespace dragoman::upstream
