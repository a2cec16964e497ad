// Answers about the database itself: sys.*, INFORMATION_SCHEMA.* and the catalogue procedures (sp_tables, sp_columns
// …), all made from a catalogue, never from the warehouse.
//
// install_catalog() makes the views as tables of the engine's own memory; the procedures are SELECTs over them, with
// the columns, widths and ODBC codes that drivers read by position.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "proxy/sandbox/engine.h"

namespace dragoman::sandbox {

// What a principal may know of: empty functions hide nothing. Keys that name a hidden column are hidden too.
struct catalog_scope {
  const catalog::database* database = nullptr;
  std::function<bool(const catalog::table&)> table_visible;
  std::function<bool(const catalog::table&, const catalog::column&)> column_visible;
  // The one row of sys.dm_exec_sessions: of the session that asks.
  std::int32_t session_id = 0;
  std::string login;
  std::string host;
  std::string application;
  std::int32_t database_id = 5;
  std::vector<session_facts::known_database> other_databases;  // that sys.databases lists too
};

// The engine may be of a file opened for reading: the tables are temporary. Once for each engine.
result<void> install_catalog(engine& home, const catalog_scope& scope);

// Whether a name (without schema, any case, any of the suffixes _90, _100, _150, _170) is one of the procedures.
bool is_catalog_procedure(std::string_view name) noexcept;

// Runs it. Arguments by position where they have no name. Failures: unknown_procedure; 8145 for an argument that it
// does not have; 8144 for too many.
result<cursor> call_catalog_procedure(engine& home, std::string_view name, const parameters& arguments);

}  // namespace dragoman::sandbox
