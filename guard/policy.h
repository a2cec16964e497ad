// Who may see what: a principal's rights as configuration states them (policy_definition) and as the guard uses them
// (policy), compiled against the catalogues so that every name is known to exist and every predicate to parse.
//
// Nothing is allowed that is not named. A table that is on no allowlist and a table that does not exist are one and
// the same to everything above.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "guard/tsql/ast.h"

namespace dragoman::guard {

// ---- as configuration states it -----------------------------------------------------------------------------------
// Table names are "schema.table" or "database.schema.table"; in `allow` also "*", "schema.*", "database.schema.*" and
// "database.*.*"; columns "[database.]schema.table.column". Without a database the first one is meant, and no other.
// Brackets may be used: "sales.[Order]". `key` fields say where an entry stood
// ("principals.analyst.deny[0]") and begin the message of an error about it.

struct allow_definition {
  std::string table;
  std::vector<std::string> columns;  // empty: every column the catalogue knows
  std::string key;
};

struct column_definition {
  std::string column;  // schema.table.column
  std::string key;
};

// A T-SQL predicate over the table's columns. It may name the principal's attributes as @attribute (a list attribute
// stands in IN (@attribute)), and may read any table of the same database in a subquery, on the allowlist or not.
struct row_filter_definition {
  std::string table;
  std::string predicate;
  std::string key;
};

// A statement that reads `table` must compare `column` with a value. Where it does not, `predicate` is added; without
// a predicate the statement is refused.
struct require_filter_definition {
  std::string table;
  std::string column;
  std::string predicate;  // may be empty
  std::string key;
};

// A statement that reads `table` must join it with `join`. Where it does not, rows of `table` without a partner under
// `on` (columns of either table by "table.column") are left out; without `on` the statement is refused.
struct require_join_definition {
  std::string table;
  std::string join;
  std::string on;  // may be empty
  std::string key;
};

struct policy_definition {
  std::string principal;
  std::vector<allow_definition> allow;
  std::vector<column_definition> deny;
  std::vector<column_definition> join_only;
  std::vector<row_filter_definition> row_filters;
  std::vector<require_filter_definition> require_filters;
  std::vector<require_join_definition> require_joins;
  std::map<std::string, std::vector<std::string>> attributes;  // names without @; values become literals
  std::uint64_t row_cap = limits::row_cap_default;             // 0: none
  std::uint64_t row_cap_generated = limits::row_cap_generated;
  bool operator_rights = false;  // may call the operator's procedures
  std::string key;               // e.g. "principals.analyst"
};

// ---- as the guard uses it -----------------------------------------------------------------------------------------

enum class column_right : std::uint8_t {
  hidden,  // not on the allowlist: unknown_column
  allowed,
  denied,     // named as denied: denied_column
  join_only,  // only as a.col = b.col in ON
};

struct required_filter {
  std::size_t column = 0;
  tsql::box<tsql::expression> predicate;  // empty: refuse instead
};

struct required_join {
  std::size_t table = 0;           // index in the same database
  tsql::box<tsql::expression> on;  // the whole condition as EXISTS (…); empty: refuse instead
};

struct table_rights {
  bool allowed = false;
  bool nolock = false;                 // the site's choice for the table's source: every use gets the hint
  bool restricted = false;             // any column not `allowed`, or any filter: references are narrowed
  std::vector<column_right> columns;   // by the catalogue's ordinal
  tsql::box<tsql::expression> filter;  // all row filters joined by AND, attributes replaced by literals
  std::vector<required_filter> required_filters;
  std::vector<required_join> required_joins;
};

// The rights in one database.
struct database_policy {
  catalog::database_ptr database;
  std::vector<table_rights> tables;  // by index in database->tables
};

struct policy {
  std::string principal;
  std::vector<database_policy> databases;  // the first is the default one
  std::uint64_t row_cap = limits::row_cap_default;
  std::uint64_t row_cap_generated = limits::row_cap_generated;
  bool operator_rights = false;

  // nullptr where the table is not on the allowlist.
  const table_rights* rights(const catalog::table&) const noexcept;
  // Whether a column may be shown to this principal (allowed, not join-only): what catalogue views and prompts list.
  bool may_see(const catalog::table&, std::size_t column) const noexcept;
  bool may_see(const catalog::table&) const noexcept;
};

using policy_ptr = std::shared_ptr<const policy>;

// Errors: errc::configuration, "<key>: <what is wrong>".
result<policy> compile_policy(const policy_definition&, const std::vector<catalog::database_ptr>&);
inline result<policy> compile_policy(const policy_definition& d, const catalog::database_ptr& db) {
  return compile_policy(d, std::vector<catalog::database_ptr>{db});
}

// The catalogue as this principal may know it: tables and columns of the allowlist only (no denied or join-only
// columns, no samples of filtered tables, keys only between what is left). For sys.* views, prompts and retrieval.
catalog::database visible_catalog(const policy&, const database_policy&);

}  // namespace dragoman::guard
