// Rows of the engine straight to the wire: no value is made where SQLite's form and the wire's differ only in bytes.
#pragma once

#include <vector>

#include "base/sql_value.h"
#include "proxy/sandbox/engine.h"
#include "proxy/sandbox/sqlite_db.h"
#include "tds/server/row_sink.h"

namespace dragoman::demo {

class row_writer {
 public:
  // After sink.columns(): the layout is known.
  row_writer(const std::vector<result_column>& columns, tds::server::row_sink& sink);
  void write(const sandbox::statement& row);

 private:
  enum class way : std::uint8_t { integer, real, decimal, money, date, time, datetime, datetime2, text, utf16, other };
  void write_other(const sandbox::statement& row, int column);

  const std::vector<result_column>& columns_;
  tds::server::row_sink& sink_;
  std::vector<way> ways_;
  sql_value value_;
  byte_writer scratch_;
};

}  // namespace dragoman::demo
