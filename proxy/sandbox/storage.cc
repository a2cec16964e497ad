#include "proxy/sandbox/storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/sqlite_db.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

result<bool> exists(connection& db, std::string_view name) {
  auto found = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?1");
  if (!found) return found.error();
  found->bind_text(1, name);
  return found->step();
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto end = list.find(',');
    out.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) break;
    list = list.substr(end + 1);
  }
  return out;
}

// What the values of a foreign column really are decides, not only what its declaration says: SQLite lets any value
// stand in any column.
result<sql_type> checked_type(connection& db, const std::string& table, const std::string& column, sql_type declared) {
  const auto any = [&](const std::string& condition) -> result<bool> {
    auto found = db.prepare(fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", quoted_name(table), condition));
    if (!found) return found.error();
    return found->step();
  };
  const std::string name = quoted_name(column);
  const sql_type text = {sql_type_id::nvarchar, sql_type::max_length};
  std::string unfit;
  sql_type fallback = text;
  switch (family_of(declared.id)) {
    case family::integer: {
      auto real = any(fmt::format("typeof({}) = 'real'", name));
      if (!real) return real.error();
      unfit = fmt::format("typeof({}) IN ('text','blob')", name);
      auto other = any(unfit);
      if (!other) return other.error();
      if (*other) return text;
      if (*real) return sql_type{sql_type_id::float_};
      if (declared.id == sql_type_id::bit) {
        auto more = any(fmt::format("{0} NOT IN (0,1)", name));
        if (!more) return more.error();
        if (*more) return sql_type{sql_type_id::int_};
        return declared;
      }
      auto wide = any(fmt::format("{0} > 2147483647 OR {0} < -2147483648", name));
      if (!wide) return wide.error();
      return *wide ? sql_type{sql_type_id::bigint} : declared;
    }
    case family::real: unfit = fmt::format("typeof({}) IN ('text','blob')", name); break;
    case family::text: return declared;
    case family::binary: return declared;
    default:
      unfit = fmt::format(
          "{0} IS NOT NULL AND {0} <> '' AND t_try(CAST({0} AS TEXT),{1},{2},-1) IS NULL AND typeof({0}) = 'text'",
          name, pack({sql_type_id::nvarchar, 4000}), pack(declared));
      break;
  }
  auto bad = any(unfit);
  if (!bad) return bad.error();
  if (*bad) return fallback;
  if (declared.id == sql_type_id::datetime2 || declared.id == sql_type_id::time) {
    // Values without fractions show none.
    auto fractions = any(fmt::format("typeof({0}) = 'text' AND instr({0}, '.') > 0", name));
    if (!fractions) return fractions.error();
    if (!*fractions) declared.scale = 0;
  }
  return declared;
}

result<storage> read_foreign(connection& db, const std::string& database_name) {
  storage out;
  catalog::database header;
  header.name = database_name;
  header.datasource = database_name;
  out.set_names(header);
  auto list = db.prepare(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
      "ORDER BY name");
  if (!list) return list.error();
  for (;;) {
    auto row = list->step();
    if (!row) return row.error();
    if (!*row) break;
    catalog::table table;
    table.schema = "dbo";
    table.name = list->text(0);
    const bool view = list->text(1) == "view";
    table.kind = view ? catalog::table_kind::view : catalog::table_kind::table;
    auto info =
        db.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid");
    if (!info) return info.error();
    info->bind_text(1, table.name);
    std::vector<std::pair<std::int64_t, std::string>> key;
    for (;;) {
      auto column_row = info->step();
      if (!column_row) return column_row.error();
      if (!*column_row) break;
      catalog::column column;
      column.name = info->text(0);
      const std::string declaration(info->text(1));
      column.type = declared_type(declaration);
      const std::int64_t in_key = info->integer(3);
      column.nullable = info->integer(2) == 0 && in_key == 0;
      if (in_key > 0) key.emplace_back(in_key, column.name);
      auto type = checked_type(db, table.name, column.name, column.type);
      if (!type) return type.error();
      column.type = *type;
      table.columns.push_back(std::move(column));
    }
    std::sort(key.begin(), key.end());
    for (auto& k : key) table.primary_key.push_back(std::move(k.second));
    auto keys = db.prepare("SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id, seq");
    if (!keys) return keys.error();
    keys->bind_text(1, table.name);
    std::int64_t last = -1;
    for (;;) {
      auto key_row = keys->step();
      if (!key_row) return key_row.error();
      if (!*key_row) break;
      if (keys->integer(0) != last) {
        last = keys->integer(0);
        catalog::foreign_key fk;
        fk.schema = "dbo";
        fk.table = keys->text(1);
        table.foreign_keys.push_back(std::move(fk));
      }
      table.foreign_keys.back().columns.emplace_back(keys->text(2));
      table.foreign_keys.back().referenced_columns.emplace_back(keys->text(3));
    }
    const std::string physical = table.name;
    if (auto added = out.add(std::move(table), {physical, false}); !added) return added.error();
  }
  out.settle_foreign_keys();
  return out;
}

result<storage> read_own(connection& db, const std::string& fallback_name) {
  storage out;
  catalog::database header;
  header.name = fallback_name;
  auto names = db.prepare("SELECT name FROM dragoman_database");
  if (!names) return names.error();
  if (auto row = names->step(); row && *row) header.name = names->text(0);
  header.datasource = header.name;
  out.set_names(header);
  auto tables = db.prepare(
      "SELECT schema_name, table_name, physical, kind, primary_key, row_count FROM dragoman_table ORDER BY position");
  if (!tables) return tables.error();
  for (;;) {
    auto row = tables->step();
    if (!row) return row.error();
    if (!*row) break;
    catalog::table table;
    table.schema = tables->text(0);
    table.name = tables->text(1);
    const std::string physical(tables->text(2));
    table.kind = tables->text(3) == "view" ? catalog::table_kind::view : catalog::table_kind::table;
    table.primary_key = split(tables->text(4));
    if (tables->kind(5) == storage_class::integer) table.row_count = static_cast<std::uint64_t>(tables->integer(5));
    auto columns =
        db.prepare("SELECT name, type, nullable, identity FROM dragoman_column WHERE physical = ?1 ORDER BY ordinal");
    if (!columns) return columns.error();
    columns->bind_text(1, physical);
    for (;;) {
      auto column_row = columns->step();
      if (!column_row) return column_row.error();
      if (!*column_row) break;
      catalog::column column;
      column.name = columns->text(0);
      const auto type = parse_sql_type(columns->text(1));
      if (!type)
        return failure(errc::io, fmt::format("The file describes {}.{} with the unknown type {}.", physical,
                                             column.name, columns->text(1)));
      column.type = *type;
      column.nullable = columns->integer(2) != 0;
      column.identity = columns->integer(3) != 0;
      table.columns.push_back(std::move(column));
    }
    auto keys = db.prepare(
        "SELECT name, columns, ref_schema, ref_table, ref_columns FROM dragoman_foreign_key WHERE physical = ?1 ORDER "
        "BY rowid");
    if (!keys) return keys.error();
    keys->bind_text(1, physical);
    for (;;) {
      auto key_row = keys->step();
      if (!key_row) return key_row.error();
      if (!*key_row) break;
      catalog::foreign_key fk;
      fk.name = keys->text(0);
      fk.columns = split(keys->text(1));
      fk.schema = keys->text(2);
      fk.table = keys->text(3);
      fk.referenced_columns = split(keys->text(4));
      table.foreign_keys.push_back(std::move(fk));
    }
    if (auto added = out.add(std::move(table), {physical, true}); !added) return added.error();
  }
  return out;
}

}  // namespace

result<storage> storage::read(connection& db, const std::string& database_name) {
  auto own = exists(db, "dragoman_table");
  if (!own) return own.error();
  auto out = *own ? read_own(db, database_name) : read_foreign(db, database_name);
  if (!out) return out.error();
  if (auto indexed = out->catalog_.index(); !indexed) return indexed.error();
  return out;
}

void storage::set_names(const catalog::database& from) {
  catalog_.name = from.name;
  catalog_.datasource = from.datasource;
}

void storage::settle_foreign_keys() {
  // A foreign file may leave the referenced columns to the other table's key, spell names in another case, or refer to
  // what is not there; only whole references stay.
  for (auto& table : catalog_.tables) {
    std::erase_if(table.foreign_keys, [&](catalog::foreign_key& fk) {
      const auto other = std::find_if(catalog_.tables.begin(), catalog_.tables.end(),
                                      [&](const catalog::table& t) { return catalog::same_name(t.name, fk.table); });
      if (other == catalog_.tables.end()) return true;
      fk.table = other->name;
      for (std::size_t i = 0; i < fk.referenced_columns.size(); ++i) {
        if (fk.referenced_columns[i].empty() && i < other->primary_key.size())
          fk.referenced_columns[i] = other->primary_key[i];
        if (other->find_column(fk.referenced_columns[i]) == nullptr) return true;
      }
      return std::any_of(fk.columns.begin(), fk.columns.end(),
                         [&](const auto& c) { return table.find_column(c) == nullptr; });
    });
  }
}

const catalog::table* storage::find(std::string_view schema, std::string_view name) const {
  for (const auto& table : catalog_.tables) {
    if (!catalog::same_name(table.name, name)) continue;
    if (catalog::same_name(table.schema, schema.empty() ? std::string_view(catalog_.default_schema) : schema))
      return &table;
  }
  return nullptr;
}

const stored_table& storage::stored(const catalog::table& table) const {
  return stored_[static_cast<std::size_t>(&table - catalog_.tables.data())];
}

result<void> storage::add(catalog::table table, stored_table where) {
  if (find(table.schema, table.name) != nullptr) {
    failure f(errc::syntax, fmt::format("There is already an object named '{}' in the database.", table.name));
    f.number = 2714;
    return f;
  }
  catalog_.tables.push_back(std::move(table));
  stored_.push_back(std::move(where));
  return {};
}

void storage::remove(std::string_view schema, std::string_view name) {
  if (const auto* table = find(schema, name)) {
    const auto at = table - catalog_.tables.data();
    catalog_.tables.erase(catalog_.tables.begin() + at);
    stored_.erase(stored_.begin() + at);
  }
}

result<void> create_metadata(connection& db, const std::string& database_name) {
  return db.execute(
      "CREATE TABLE dragoman_database(name TEXT NOT NULL);"
      "INSERT INTO dragoman_database VALUES(" +
      quoted(database_name) +
      ");"
      "CREATE TABLE dragoman_table(position INTEGER PRIMARY KEY, schema_name TEXT NOT NULL, table_name TEXT NOT NULL,"
      " physical TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, primary_key TEXT NOT NULL, row_count INTEGER);"
      "CREATE TABLE dragoman_column(physical TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL,"
      " type TEXT NOT NULL, nullable INTEGER NOT NULL, identity INTEGER NOT NULL, PRIMARY KEY(physical, ordinal)) "
      "WITHOUT ROWID;"
      "CREATE TABLE dragoman_foreign_key(physical TEXT NOT NULL, name TEXT NOT NULL, columns TEXT NOT NULL,"
      " ref_schema TEXT NOT NULL, ref_table TEXT NOT NULL, ref_columns TEXT NOT NULL);");
}

result<void> write_metadata(connection& db, const catalog::table& table, const std::string& physical) {
  const auto join = [](const std::vector<std::string>& list) {
    std::string out;
    for (const auto& item : list) out += (out.empty() ? "" : ",") + item;
    return out;
  };
  std::string sql = fmt::format(
      "INSERT INTO dragoman_table(schema_name,table_name,physical,kind,primary_key,row_count) "
      "VALUES({},{},{},'{}',{},{});",
      quoted(table.schema), quoted(table.name), quoted(physical),
      table.kind == catalog::table_kind::view ? "view" : "table", quoted(join(table.primary_key)),
      table.row_count ? std::to_string(*table.row_count) : "NULL");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& c = table.columns[i];
    sql += fmt::format("INSERT INTO dragoman_column VALUES({},{},{},{},{},{});", quoted(physical), i + 1,
                       quoted(c.name), quoted(to_string(c.type)), c.nullable ? 1 : 0, c.identity ? 1 : 0);
  }
  for (const auto& fk : table.foreign_keys)
    sql +=
        fmt::format("INSERT INTO dragoman_foreign_key VALUES({},{},{},{},{},{});", quoted(physical), quoted(fk.name),
                    quoted(join(fk.columns)), quoted(fk.schema), quoted(fk.table), quoted(join(fk.referenced_columns)));
  return db.execute(sql);
}

sql_type declared_type(std::string_view declaration) {
  const std::string text = lower_case(declaration);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  const auto number_behind = [&](std::string_view after, int fallback) {
    const auto at = text.find(after);
    if (at == std::string::npos) return fallback;
    std::size_t i = at + after.size();
    while (i < text.size() && text[i] == ' ') ++i;
    int value = 0;
    bool any = false;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && value < 100000; ++i) {
      value = value * 10 + (text[i] - '0');
      any = true;
    }
    return any ? value : fallback;
  };
  sql_type t;
  if (has("bool") || text == "bit") {
    t.id = sql_type_id::bit;
  } else if (has("bigint") || has("int8") || has("unsigned big")) {
    t.id = sql_type_id::bigint;
  } else if (has("tinyint") || has("smallint") || has("int2") || has("mediumint") ||
             (has("int") && !has("point") && !has("interval"))) {
    t.id = sql_type_id::int_;
  } else if (has("char") || has("clob") || has("text") || has("string")) {
    t.id = sql_type_id::nvarchar;
    const int length = number_behind("(", 0);
    // SQLite does not hold a text to its length, so the declaration is no bound that a client may rely on.
    t.length = length > 0 && length <= 1000 ? 4000 : sql_type::max_length;
  } else if (has("blob") || has("binary")) {
    t.id = sql_type_id::varbinary;
    t.length = sql_type::max_length;
  } else if (has("real") || has("floa") || has("doub")) {
    t.id = sql_type_id::float_;
  } else if (has("decimal") || has("numeric")) {
    const int precision = number_behind("(", 0);
    const int scale = number_behind(",", 0);
    if (precision > 0 && precision <= 38 && scale <= precision) {
      t.id = sql_type_id::decimal;
      t.precision = static_cast<std::uint8_t>(precision);
      t.scale = static_cast<std::uint8_t>(scale);
    } else {
      t.id = sql_type_id::float_;
    }
  } else if (has("money")) {
    t.id = sql_type_id::money;
  } else if (has("datetime") || has("timestamp")) {
    t.id = sql_type_id::datetime2;
    t.scale = 3;
  } else if (has("date")) {
    t.id = sql_type_id::date;
  } else if (has("time")) {
    t.id = sql_type_id::time;
    t.scale = 3;
  } else if (has("uniqueidentifier") || has("uuid") || has("guid")) {
    t.id = sql_type_id::uniqueidentifier;
  } else {
    t.id = sql_type_id::nvarchar;
    t.length = sql_type::max_length;
  }
  return t;
}

}  // namespace dragoman::sandbox
