// bench.rows and bench.many_rows: tables of 1,000,000 and 10,000,000 rows of 10 columns without data behind them, for
// measuring what stands between a client and a warehouse that costs nothing. A run of different rows is encoded once
// and sent again and again.
//
// Understood: SELECT [TOP n] columns FROM bench.rows, also through derived tables that only choose columns, as a guard
// writes them. Everything else about the table is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/sql_value.h"
#include "guard/catalog/catalog.h"
#include "guard/tsql/ast.h"
#include "proxy/sandbox/engine.h"
#include "tds/server/row_sink.h"

namespace dragoman::demo {

struct bench_query {
  std::vector<std::size_t> columns;  // of the tables, in the order of the result
  std::vector<std::string> names;
  std::int64_t rows = 1'000'000;
};

std::vector<catalog::table> bench_tables();
std::vector<result_column> bench_columns(const bench_query& query);

// nullopt: the statement is about other tables. A failure: about bench.rows, but more than it can do.
std::optional<result<bench_query>> read_bench_query(const tsql::select_statement& statement,
                                                    const sandbox::parameters& values);

// Writes the rows; returns how many. After sink.columns().
std::uint64_t write_bench_rows(const bench_query& query, tds::server::row_sink& sink);

}  // namespace dragoman::demo
