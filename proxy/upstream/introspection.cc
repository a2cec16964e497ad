#include "proxy/upstream/introspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/log.h"

namespace dragoman::upstream {
namespace {

using rows_of_text = std::vector<std::vector<std::string>>;

std::string text_of(const sql_value& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<decimal>(&value)) return d->to_string();
  return {};
}

class reader {
 public:
  reader(pool& p, const introspection_options& o) : pool_(p), options_(o) {}

  result<catalog::database> read() {
    database_.datasource = options_.datasource;
    if (auto r = read_database(); !r) return r.error();
    if (auto r = read_tables(); !r) return r.error();
    if (auto r = read_columns(); !r) return r.error();
    std::erase_if(database_.tables, [](const catalog::table& t) { return t.columns.empty(); });
    renumber();
    read_keys();
    read_descriptions();
    read_row_counts();
    if (options_.samples) read_samples();
    if (auto r = database_.index(); !r) return r.error();
    return std::move(database_);
  }

 private:
  result<rows_of_text> ask(std::string sql) {
    statement s;
    s.sql = std::move(sql);
    auto table = pool_.query(std::move(s));
    if (!table) return table.error();
    rows_of_text out;
    for (const auto& row : table->rows) {
      auto& line = out.emplace_back();
      for (const sql_value& v : row) line.push_back(text_of(v));
    }
    return out;
  }

  // What an upstream may lack: keys, descriptions, counts.
  rows_of_text ask_optional(std::string_view what, std::string sql) {
    auto rows = ask(std::move(sql));
    if (rows) return std::move(*rows);
    log::info("catalogue of {}: no {} ({})", options_.datasource, what, rows.error().message);
    return {};
  }

  bool wanted(std::string_view schema) const {
    const auto same = [&](std::string_view other) { return catalog::name_equal{}(schema, other); };
    if (!options_.schemas.empty()) return std::any_of(options_.schemas.begin(), options_.schemas.end(), same);
    return !same("sys") && !same("INFORMATION_SCHEMA") && !same("guest") && !schema.starts_with("db_");
  }

  catalog::table* find(const std::string& schema, const std::string& name) {
    const auto it = place_.find({schema, name});
    return it == place_.end() ? nullptr : &database_.tables[it->second];
  }

  void renumber() {
    place_.clear();
    for (std::size_t i = 0; i < database_.tables.size(); ++i)
      place_[{database_.tables[i].schema, database_.tables[i].name}] = i;
  }

  result<void> read_database() {
    auto rows = ask("SELECT DB_NAME() AS name, SCHEMA_NAME() AS default_schema;");
    if (!rows) return rows.error();
    if (!rows->empty() && rows->front().size() == 2) {
      database_.name = rows->front()[0];
      if (!rows->front()[1].empty()) database_.default_schema = rows->front()[1];
    }
    const auto collations = ask_optional(
        "collation", "SELECT CONVERT(nvarchar(128), DATABASEPROPERTYEX(DB_NAME(), 'Collation')) AS collation_name;");
    if (!collations.empty() && !collations[0].empty() && !collations[0][0].empty())
      database_.collation = collations[0][0];
    return {};
  }

  result<void> read_tables() {
    auto rows =
        ask("SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES ORDER BY TABLE_SCHEMA, "
            "TABLE_NAME;");
    if (!rows) return rows.error();
    for (const auto& row : *rows) {
      if (row.size() != 3 || !wanted(row[0])) continue;
      catalog::table t;
      t.schema = row[0];
      t.name = row[1];
      t.kind = row[2] == "VIEW" ? catalog::table_kind::view : catalog::table_kind::table;
      database_.tables.push_back(std::move(t));
    }
    renumber();
    return {};
  }

  result<void> read_columns() {
    auto rows =
        ask("SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, "
            "NUMERIC_SCALE, DATETIME_PRECISION, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS ORDER BY TABLE_SCHEMA, "
            "TABLE_NAME, ORDINAL_POSITION;");
    if (!rows) return rows.error();
    for (const auto& row : *rows) {
      if (row.size() != 9) continue;
      catalog::table* t = find(row[0], row[1]);
      if (t == nullptr) continue;
      catalog::column c;
      c.name = row[2];
      c.type = type_of(row);
      c.nullable = row[8] != "NO";
      t->columns.push_back(std::move(c));
    }
    return {};
  }

  static int number(const std::string& text) {
    try {
      return text.empty() ? 0 : std::stoi(text);
    } catch (const std::exception&) {
      return 0;
    }
  }

  // A row of INFORMATION_SCHEMA.COLUMNS as read above.
  static sql_type type_of(const std::vector<std::string>& row) {
    sql_type t;
    t.id = type_id_of(row[3]);
    if (t.id == sql_type_id::decimal || t.id == sql_type_id::numeric) {
      t.precision = static_cast<std::uint8_t>(number(row[5]));
      t.scale = static_cast<std::uint8_t>(number(row[6]));
    } else if (t.id == sql_type_id::time || t.id == sql_type_id::datetime2 || t.id == sql_type_id::datetimeoffset) {
      t.scale = static_cast<std::uint8_t>(number(row[7]));
    } else if (t.id >= sql_type_id::char_ && t.id <= sql_type_id::varbinary && t.id != sql_type_id::text &&
               t.id != sql_type_id::ntext) {
      t.length = number(row[4]);
    }
    return t;
  }

  void read_keys() {
    for (const auto& row : ask_optional(
             "primary keys",
             "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.COLUMN_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS c "
             "JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS k ON k.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND "
             "k.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND k.TABLE_NAME = c.TABLE_NAME WHERE c.CONSTRAINT_TYPE = 'PRIMARY "
             "KEY' ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.ORDINAL_POSITION;"))
      if (catalog::table* t = row.size() == 3 ? find(row[0], row[1]) : nullptr) t->primary_key.push_back(row[2]);

    // The views of sys name the columns that are referred to; INFORMATION_SCHEMA only the key, which a reference to
    // other unique columns does not have.
    rows_of_text references = ask_optional(
        "foreign keys",
        "SELECT s.name AS from_schema, t.name AS from_table, k.name AS key_name, c.name AS from_column, rs.name "
        "AS to_schema, rt.name AS to_table, rc.name AS to_column FROM sys.foreign_key_columns AS f JOIN "
        "sys.foreign_keys AS k ON k.object_id = f.constraint_object_id JOIN sys.objects AS t ON t.object_id = "
        "f.parent_object_id JOIN sys.schemas AS s ON s.schema_id = t.schema_id JOIN sys.columns AS c ON "
        "c.object_id = f.parent_object_id AND c.column_id = f.parent_column_id JOIN sys.objects AS rt ON "
        "rt.object_id = f.referenced_object_id JOIN sys.schemas AS rs ON rs.schema_id = rt.schema_id JOIN "
        "sys.columns AS rc ON rc.object_id = f.referenced_object_id AND rc.column_id = f.referenced_column_id "
        "ORDER BY s.name, t.name, k.name, f.constraint_column_id;");
    if (references.empty())
      references = ask_optional(
          "foreign keys",
          "SELECT f.TABLE_SCHEMA, f.TABLE_NAME, f.CONSTRAINT_NAME, f.COLUMN_NAME, p.TABLE_SCHEMA AS to_schema, "
          "p.TABLE_NAME AS to_table, p.COLUMN_NAME AS to_column FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS AS "
          "r JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS f ON f.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND "
          "f.CONSTRAINT_NAME = r.CONSTRAINT_NAME JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS p ON "
          "p.CONSTRAINT_SCHEMA = r.UNIQUE_CONSTRAINT_SCHEMA AND p.CONSTRAINT_NAME = r.UNIQUE_CONSTRAINT_NAME AND "
          "p.ORDINAL_POSITION = f.ORDINAL_POSITION ORDER BY f.TABLE_SCHEMA, f.TABLE_NAME, f.CONSTRAINT_NAME, "
          "f.ORDINAL_POSITION;");
    for (const auto& row : references) {
      catalog::table* t = row.size() == 7 ? find(row[0], row[1]) : nullptr;
      // A key whose other side is not in the catalogue would dangle.
      if (t == nullptr || find(row[4], row[5]) == nullptr) continue;
      if (t->foreign_keys.empty() || t->foreign_keys.back().name != row[2]) {
        catalog::foreign_key key;
        key.name = row[2];
        key.schema = row[4];
        key.table = row[5];
        t->foreign_keys.push_back(std::move(key));
      }
      t->foreign_keys.back().columns.push_back(row[3]);
      t->foreign_keys.back().referenced_columns.push_back(row[6]);
    }
    // In the order of their first columns: the names of constraints are often made up by the server, and a catalogue
    // that is read again must not seem to differ.
    for (catalog::table& t : database_.tables)
      std::stable_sort(t.foreign_keys.begin(), t.foreign_keys.end(),
                       [&](const catalog::foreign_key& a, const catalog::foreign_key& b) {
                         return t.column_index(a.columns.front()) < t.column_index(b.columns.front());
                       });
  }

  void read_descriptions() {
    for (const auto& row : ask_optional(
             "descriptions",
             "SELECT s.name, o.name, c.name, CONVERT(nvarchar(400), p.value) FROM sys.extended_properties AS p JOIN "
             "sys.objects AS o ON o.object_id = p.major_id JOIN sys.schemas AS s ON s.schema_id = o.schema_id LEFT "
             "JOIN "
             "sys.columns AS c ON c.object_id = p.major_id AND c.column_id = p.minor_id WHERE p.class = 1 AND p.name = "
             "N'MS_Description';")) {
      catalog::table* t = row.size() == 4 ? find(row[0], row[1]) : nullptr;
      if (t == nullptr) continue;
      if (row[2].empty()) t->description = row[3];
      for (catalog::column& c : t->columns)
        if (!row[2].empty() && c.name == row[2]) c.description = row[3];
    }
  }

  void read_row_counts() {
    for (const auto& row : ask_optional(
             "row counts",
             "SELECT s.name, o.name, SUM(p.rows) FROM sys.partitions AS p JOIN sys.objects AS o ON o.object_id "
             "= p.object_id JOIN sys.schemas AS s ON s.schema_id = o.schema_id WHERE p.index_id IN (0, 1) GROUP "
             "BY s.name, o.name;"))
      if (catalog::table* t = row.size() == 3 ? find(row[0], row[1]) : nullptr)
        t->row_count = static_cast<std::uint64_t>(std::max(0LL, std::atoll(row[2].c_str())));
  }

  static std::string bracketed(const std::string& name) {
    std::string out = "[";
    for (const char c : name) {
      out += c;
      if (c == ']') out += ']';
    }
    return out + "]";
  }

  bool may_sample(const catalog::table& t, const catalog::column& c) const {
    if (!is_character(c.type.id) || c.type.is_max()) return false;
    if (static_cast<std::size_t>(c.type.length) > 4 * options_.sample_length_max) return false;
    const std::string name = t.schema + "." + t.name + "." + c.name;
    return std::none_of(options_.sample_never.begin(), options_.sample_never.end(),
                        [&](const std::string& never) { return catalog::name_equal{}(name, never); });
  }

  void read_samples() {
    for (catalog::table& t : database_.tables) {
      for (catalog::column& c : t.columns) {
        if (!may_sample(t, c)) continue;
        const std::string name = bracketed(c.name);
        // One more than wanted tells a column of few values from the beginning of one of many.
        const auto rows = ask_optional(
            "samples", fmt::format("SELECT DISTINCT TOP ({}) {} FROM {}.{} WHERE {} IS NOT NULL ORDER BY {};",
                                   options_.samples_max + 1, name, bracketed(t.schema), bracketed(t.name), name, name));
        if (rows.size() > options_.samples_max) continue;
        for (const auto& row : rows)
          if (row.size() == 1 && row[0].size() <= 4 * options_.sample_length_max) c.samples.push_back(row[0]);
      }
    }
  }

  pool& pool_;
  const introspection_options& options_;
  catalog::database database_;
  std::map<std::pair<std::string, std::string>, std::size_t> place_;
};

}  // namespace

result<catalog::database> introspect(pool& p, const introspection_options& o) {
  return reader(p, o).read();
}

}  // namespace dragoman::upstream
