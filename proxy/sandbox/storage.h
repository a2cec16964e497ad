// Where the tables of the T-SQL world live in a SQLite file.
//
// A file written by Dragoman carries two tables of its own, `dragoman_table` and `dragoman_column`, that name schema,
// T-SQL types, keys and views; its values have the encoding of codec.h. Any other file is read as it is: schema dbo,
// declared types mapped, and values of types that SQLite does not know (decimal, date …) converted as they are read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "guard/catalog/catalog.h"

namespace dragoman::sandbox {

class connection;

struct stored_table {
  std::string physical;  // name in SQLite, without quotes
  bool encoded = true;   // values as codec.h has them; false: as a foreign file has them
};

class storage {
 public:
  // Reads metadata, or introspects a foreign file. `database_name` names the catalogue when the file does not.
  static result<storage> read(connection& db, const std::string& database_name);

  const catalog::database& catalog() const noexcept { return catalog_; }
  // nullptr when there is no such table. A name without schema is looked for in the default schema.
  const catalog::table* find(std::string_view schema, std::string_view name) const;
  const stored_table& stored(const catalog::table& table) const;

  // Adds a table that already exists in the database. Fails on a name that is taken.
  result<void> add(catalog::table table, stored_table where);
  void remove(std::string_view schema, std::string_view name);
  void set_names(const catalog::database& from);  // name and data source, for an empty storage
  void settle_foreign_keys();                     // drops references that lead nowhere

 private:
  catalog::database catalog_;
  std::vector<stored_table> stored_;  // parallel to catalog_.tables
};

// The metadata tables of a file that Dragoman writes: made empty, then one call for each table.
result<void> create_metadata(connection& db, const std::string& database_name);
result<void> write_metadata(connection& db, const catalog::table& table, const std::string& physical);

// "decimal(10,2)", "VARCHAR(20)", "datetime" … of a foreign file; text for what is unknown, as SQLite would have it.
sql_type declared_type(std::string_view declaration);

}  // namespace dragoman::sandbox
