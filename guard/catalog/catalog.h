// Model of one upstream database: what tables there are, of what columns, and what they mean.
//
// A catalogue is a plain value; `index()` (called by every loader) makes the lookups fast and must be called again
// after `tables` changed. It describes the *whole* database as far as it was introspected; who may see what of it is
// policy (guard/policy.h) and not known here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/sql_type.h"
#include "guard/catalog/names.h"

namespace dragoman::catalog {

struct column {
  std::string name;
  sql_type type;
  bool nullable = true;
  bool identity = false;
  bool computed = false;
  std::string description;           // one line for people and for prompts; may be empty
  std::vector<std::string> samples;  // distinct values of a low-cardinality column, as text; empty when not sampled
  bool operator==(const column&) const = default;
};

// columns[i] refers to referenced_columns[i] of schema.table in the same database.
struct foreign_key {
  std::string name;  // may be empty
  std::vector<std::string> columns;
  std::string schema;
  std::string table;
  std::vector<std::string> referenced_columns;
  bool operator==(const foreign_key&) const = default;
};

enum class table_kind : std::uint8_t { table, view };

struct table {
  std::string schema;
  std::string name;
  table_kind kind = table_kind::table;
  std::string description;
  std::vector<column> columns;  // in ordinal order
  std::vector<std::string> primary_key;
  std::vector<foreign_key> foreign_keys;
  std::optional<std::uint64_t> row_count;  // approximate

  // By name without regard to ASCII case; nullptr when there is none.
  const column* find_column(std::string_view name) const noexcept;
  std::optional<std::size_t> column_index(std::string_view name) const noexcept;
  std::string full_name() const { return schema + "." + name; }
  bool operator==(const table&) const = default;
};

class database {
 public:
  std::string datasource;              // the name that configuration and @source use
  std::string name;                    // the database's name on its server, e.g. SalesDb
  std::string default_schema = "dbo";  // what a one-part name means upstream
  std::string collation = "SQL_Latin1_General_CP1_CI_AS";
  std::vector<table> tables;

  // Builds the lookup. Fails on two tables of one name, two columns of one name, a key that names no column.
  result<void> index();

  // Positions in `tables` stay valid until the next index().
  const table* find_table(std::string_view schema, std::string_view table_name) const;
  std::optional<std::size_t> table_index(std::string_view schema, std::string_view table_name) const;
  // All tables of that name in any schema, in the order of `tables`.
  std::vector<std::size_t> tables_named(std::string_view table_name) const;
  bool has_schema(std::string_view schema) const;
  bool case_sensitive() const noexcept;  // _CS or _BIN in the collation

  // 16 hex digits over names, types, keys and nullability; descriptions, samples and row counts do not count.
  std::string fingerprint() const;

 private:
  std::unordered_map<std::string, std::vector<std::size_t>, name_hash, name_equal> by_name_;
};

using database_ptr = std::shared_ptr<const database>;

// ---- snapshot on disk (snapshot.cc) -------------------------------------------------------------------------------

inline constexpr int snapshot_version = 1;

// Reads a YAML (or JSON) snapshot. Unknown keys, missing keys, wrong types and dangling references are errors of code
// `configuration` whose message begins "file:line: key: ".
result<database> load_snapshot(const std::string& path);
result<database> parse_snapshot(std::string_view text, const std::string& name_for_errors);
std::string write_snapshot(const database&);
result<void> save_snapshot(const database&, const std::string& path);  // atomically, by rename

// ---- drift (drift.cc) ---------------------------------------------------------------------------------------------

enum class change_kind : std::uint8_t {
  table_added,
  table_removed,
  column_added,
  column_removed,
  column_type,
  column_nullability,
  primary_key,
  foreign_keys
};

struct change {
  change_kind kind;
  std::string table;   // schema.name
  std::string column;  // empty for changes of a table
  std::string text;    // e.g. "sales.Order.Quantity: type was decimal(18,3), is decimal(19,4)"
};

// What to do to `before` to arrive at `after`, in the order of tables; empty when fingerprints agree.
std::vector<change> drift(const database& before, const database& after);

}  // namespace dragoman::catalog
