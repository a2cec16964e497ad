// T-SQL on SQLite: a query text or tree becomes one SQLite statement and a stream of typed rows.
//
// An engine is one connection: it is used by one thread at a time, only interrupt() may come from another. A cursor
// belongs to its engine and must not outlive it; several may be open at once. What SQLite cannot be made to do is an
// error of code `not_available` that names the construct; everything else fails as SQL Server would word it (208 for a
// table, 207 for a column, 8134, 8115, 245, 8114 …, number in failure::number).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql_value.h"
#include "guard/tsql/ast.h"
#include "proxy/sandbox/facts.h"
#include "proxy/sandbox/storage.h"

namespace dragoman::sandbox {

// A parameter or variable of the statement: the name with its @, the type that it was declared with.
struct parameter {
  std::string name;
  sql_type type;
  sql_value value;
};

using parameters = std::vector<parameter>;

class connection;  // sqlite_db.h
class statement;
struct cursor_state;

// Rows of one statement, pulled one at a time; nothing is read ahead.
class cursor {
 public:
  cursor() noexcept;
  explicit cursor(std::unique_ptr<cursor_state> state) noexcept;
  cursor(cursor&&) noexcept;
  cursor& operator=(cursor&&) noexcept;
  ~cursor();

  const std::vector<result_column>& columns() const noexcept;
  // Fills `row`, which has one element for each column. False: there are no more rows. After interrupt() the failure
  // is errc::cancelled. Elements are reused: a string keeps its capacity from row to row.
  result<bool> next(std::span<sql_value> row);
  // The same step without values made: the row as SQLite has it (codec.h), valid until the next call; nullptr at the
  // end.
  result<const statement*> advance();

 private:
  std::unique_ptr<cursor_state> state_;
};

struct open_options {
  bool read_only = true;
  std::uint32_t cache_kib = 64 * 1024;
  std::uint64_t map_bytes = 4ull << 30;  // of the file mapped into memory
  const storage* tables = nullptr;       // what the file holds, where it is known already; copied
};

class engine {
 public:
  // A file: one with Dragoman's own metadata (storage.h) or any other SQLite file, whose declared types are then
  // mapped.
  static result<std::unique_ptr<engine>> open(const std::string& path, const open_options& options = {});
  // Nothing but what define() and create_temporary() put into it.
  static result<std::unique_ptr<engine>> open_memory();
  ~engine();

  result<cursor> prepare(std::string_view query, const parameters& values = {});
  result<cursor> prepare(const tsql::select_statement& query, const parameters& values = {});
  // The value of one expression without tables: SET @v = …, PRINT …, IF (a condition gives bit 0, 1 or NULL).
  result<sql_value> evaluate(const tsql::expression& value, const parameters& values, sql_type* type = nullptr);
  // The columns that a query would have, without running it.
  result<std::vector<result_column>> describe(const tsql::select_statement& query, const parameters& types = {});
  // The SQLite text that a query becomes, for tests and for people.
  result<std::string> explain(std::string_view query, const parameters& values = {});

  // Ends what runs now, from any thread. A cursor that is being pulled fails with errc::cancelled.
  void interrupt() noexcept;

  const storage& tables() const noexcept;
  storage& tables() noexcept;
  session_facts& facts() noexcept;
  connection& database() noexcept;  // for the batch executor and the tables that it makes

 private:
  engine();
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace dragoman::sandbox
