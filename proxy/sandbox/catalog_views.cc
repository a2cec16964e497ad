#include "proxy/sandbox/catalog_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>

#include "guard/catalog/names.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/sqlite_db.h"
#include "proxy/sandbox/type_facts.h"

namespace dragoman::sandbox {
namespace {

using row = std::vector<sql_value>;

sql_value null() {
  return null_value{};
}
sql_value number(std::int64_t v) {
  return v;
}
sql_value number(std::optional<std::int32_t> v) {
  return v ? sql_value(std::int64_t{*v}) : null();
}
sql_value text(std::string_view v) {
  return std::string(v);
}

// A view: its name, its columns as "name type, …" and its rows.
class view {
 public:
  view(const char* schema, const char* name, const char* columns) {
    table_.schema = schema;
    table_.name = name;
    table_.kind = catalog::table_kind::view;
    std::string_view rest = columns;
    while (!rest.empty()) {
      // A comma inside of parentheses belongs to the type.
      std::size_t end = 0;
      for (int depth = 0; end < rest.size() && (depth > 0 || rest[end] != ','); ++end)
        depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
      std::string_view one = rest.substr(0, end);
      rest = end < rest.size() ? rest.substr(end + 1) : std::string_view{};
      while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
      const auto blank = one.find(' ');
      catalog::column c;
      c.name = one.substr(0, blank);
      std::string_view type = one.substr(blank + 1);
      c.nullable = !type.ends_with('!');
      if (!c.nullable) type.remove_suffix(1);
      c.type = parse_sql_type(type).value();
      table_.columns.push_back(std::move(c));
    }
  }
  void add(row r) { rows_.push_back(std::move(r)); }

  result<void> install(engine& home) {
    const std::string physical = table_.schema + "." + table_.name;
    connection& db = home.database();
    std::string sql = "CREATE TEMP TABLE " + quoted_name(physical) + "(";
    std::string marks;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      sql += (i > 0 ? "," : "") + quoted_name(table_.columns[i].name);
      marks += i > 0 ? ",?" : "?";
    }
    if (auto made = db.execute(sql + ")"); !made) return made;
    auto insert = db.prepare("INSERT INTO " + quoted_name(physical) + " VALUES(" + marks + ")");
    if (!insert) return insert.error();
    for (const auto& r : rows_) {
      for (std::size_t i = 0; i < table_.columns.size(); ++i)
        bind_value(*insert, static_cast<int>(i) + 1, table_.columns[i].type, i < r.size() ? r[i] : null());
      if (auto done = insert->step(); !done) return done.error();
      insert->reset();
    }
    return home.tables().add(std::move(table_), {physical, true});
  }

 private:
  catalog::table table_;
  std::vector<row> rows_;
};

struct visible_table {
  const catalog::table* table;
  std::vector<const catalog::column*> columns;
  std::int32_t object_id;
  std::int32_t schema_id;
  bool has(const std::string& column) const {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const auto* c) { return catalog::same_name(c->name, column); });
  }
};

std::string key_name(const catalog::table& t) {
  return "PK_" + t.name;
}

const char* const type_names[] = {"bit",       "tinyint",        "smallint",
                                  "int",       "bigint",         "decimal",
                                  "numeric",   "money",          "smallmoney",
                                  "real",      "float",          "date",
                                  "time",      "datetime",       "smalldatetime",
                                  "datetime2", "datetimeoffset", "char",
                                  "varchar",   "text",           "nchar",
                                  "nvarchar",  "ntext",          "binary",
                                  "varbinary", "image",          "uniqueidentifier",
                                  "xml",       "sql_variant",    "timestamp",
                                  "sysname"};

class installer {
 public:
  installer(engine& home, const catalog_scope& scope) : home_(home), scope_(scope), db_(*scope.database) {
    schemas_ = {{"dbo", 1}, {"guest", 2}, {"INFORMATION_SCHEMA", 3}, {"sys", 4}};
    for (std::size_t i = 0; i < db_.tables.size(); ++i) {
      const auto& t = db_.tables[i];
      if (scope.table_visible && !scope.table_visible(t)) continue;
      visible_table v{&t, {}, static_cast<std::int32_t>(1'000'000 + i * 1000), 0};
      for (const auto& c : t.columns) {
        if (!scope.column_visible || scope.column_visible(t, c)) v.columns.push_back(&c);
      }
      v.schema_id = schema_id(t.schema);
      tables_.push_back(std::move(v));
    }
  }

  result<void> run() {
    databases();
    schemas();
    types();
    objects();
    columns();
    keys();
    empty();
    session();
    information_schema();
    procedures();
    for (auto& v : views_) {
      if (auto done = v.install(home_); !done) return done;
    }
    return {};
  }

 private:
  std::int32_t schema_id(const std::string& name) {
    for (const auto& [known, id] : schemas_) {
      if (catalog::same_name(known, name)) return id;
    }
    schemas_.emplace_back(name, static_cast<std::int32_t>(schemas_.size()) + 1);
    return schemas_.back().second;
  }
  view& make(const char* schema, const char* name, const char* columns) {
    views_.emplace_back(schema, name, columns);
    return views_.back();
  }
  bool has_key(const visible_table& v) const {
    return !v.table->primary_key.empty() && std::all_of(v.table->primary_key.begin(), v.table->primary_key.end(),
                                                        [&](const auto& c) { return v.has(c); });
  }
  const visible_table* find(const std::string& schema, const std::string& name) const {
    for (const auto& v : tables_) {
      if (catalog::same_name(v.table->schema, schema) && catalog::same_name(v.table->name, name)) return &v;
    }
    return nullptr;
  }
  // Foreign keys whose both ends are visible, with the other table.
  template <class F>
  void each_foreign_key(F&& f) const {
    for (const auto& v : tables_) {
      std::int32_t n = 0;
      for (const auto& fk : v.table->foreign_keys) {
        ++n;
        const auto* other = find(fk.schema, fk.table);
        if (other == nullptr) continue;
        const bool whole = std::all_of(fk.columns.begin(), fk.columns.end(), [&](const auto& c) { return v.has(c); }) &&
                           std::all_of(fk.referenced_columns.begin(), fk.referenced_columns.end(),
                                       [&](const auto& c) { return other->has(c); });
        if (whole)
          f(v, *other, fk, fk.name.empty() ? fmt::format("FK_{}_{}", v.table->name, n) : fk.name,
            v.object_id + 100 + n);
      }
    }
  }
  static std::int64_t column_id(const visible_table& v, const std::string& name) {
    for (std::size_t i = 0; i < v.columns.size(); ++i) {
      if (catalog::same_name(v.columns[i]->name, name)) return static_cast<std::int64_t>(i) + 1;
    }
    return 0;
  }

  void databases() {
    const sql_value made = civil_time{737'000, 0, 0};
    view& v =
        make("sys", "databases",
             "name sysname!, database_id int!, source_database_id int, owner_sid varbinary(85), create_date datetime!, "
             "compatibility_level "
             "tinyint!, collation_name sysname, user_access tinyint, user_access_desc nvarchar(60), is_read_only bit, "
             "state tinyint, "
             "state_desc nvarchar(60), is_in_standby bit, recovery_model tinyint!, recovery_model_desc nvarchar(60)");
    const auto add = [&](const std::string& name, std::int64_t id) {
      v.add({name, id, null(), bytes{1}, made, number(160), db_.collation, number(0), text("MULTI_USER"),
             number(id > 4), number(0), text("ONLINE"), number(0), number(3), text("SIMPLE")});
    };
    add("master", 1);
    add("tempdb", 2);
    add(db_.name, scope_.database_id);
    for (const auto& other : scope_.other_databases) add(other.name, other.id);
  }

  void schemas() {
    view& v = make("sys", "schemas", "name sysname!, schema_id int!, principal_id int");
    view& i =
        make("INFORMATION_SCHEMA", "SCHEMATA",
             "CATALOG_NAME sysname, SCHEMA_NAME sysname!, SCHEMA_OWNER sysname, DEFAULT_CHARACTER_SET_CATALOG sysname, "
             "DEFAULT_CHARACTER_SET_SCHEMA sysname, DEFAULT_CHARACTER_SET_NAME sysname");
    for (const auto& [name, id] : schemas_) {
      v.add({name, number(id), number(1)});
      i.add({db_.name, name, text("dbo"), null(), null(), text("iso_1")});
    }
  }

  void types() {
    view& v = make("sys", "types",
                   "name sysname!, system_type_id tinyint!, user_type_id int!, schema_id int!, principal_id int, "
                   "max_length smallint!, precision "
                   "tinyint!, scale tinyint!, collation_name sysname, is_nullable bit, is_user_defined bit!, "
                   "is_assembly_type bit!, "
                   "default_object_id int!, rule_object_id int!, is_table_type bit!");
    for (const char* name : type_names) {
      sql_type t = parse_sql_type(name).value();
      if (t.id == sql_type_id::varchar || t.id == sql_type_id::char_ || t.id == sql_type_id::binary ||
          t.id == sql_type_id::varbinary)
        t.length = 8000;
      if (t.id == sql_type_id::nvarchar || t.id == sql_type_id::nchar) t.length = 4000;
      if (t.id == sql_type_id::decimal || t.id == sql_type_id::numeric) t.precision = t.scale = 38;
      const auto f = facts_of(t);
      v.add({text(name), number(f.system_type_id), number(f.user_type_id), number(4), null(), number(f.max_length),
             number(f.precision), number(f.scale), is_character(t.id) ? sql_value(db_.collation) : null(), number(1),
             number(0), number(0), number(0), number(0), number(0)});
    }
  }

  void objects() {
    const char* columns =
        "name sysname!, object_id int!, principal_id int, schema_id int!, parent_object_id int!, type char(2)!, "
        "type_desc nvarchar(60), "
        "create_date datetime!, modify_date datetime!, is_ms_shipped bit!, is_published bit!, is_schema_published bit!";
    view objects("sys", "objects", columns);
    view all("sys", "all_objects", columns);
    view tables("sys", "tables",
                "name sysname!, object_id int!, principal_id int, schema_id int!, parent_object_id int!, type "
                "char(2)!, type_desc nvarchar(60), "
                "create_date datetime!, modify_date datetime!, is_ms_shipped bit!, is_published bit!, "
                "is_schema_published bit!, "
                "lob_data_space_id int!, max_column_id_used int!, is_replicated bit, is_memory_optimized bit, "
                "temporal_type tinyint, is_external "
                "bit!, is_filetable bit, is_node bit!, is_edge bit!");
    view views("sys", "views", columns);
    view partitions("sys", "partitions",
                    "partition_id bigint!, object_id int!, index_id int!, partition_number int!, rows bigint");
    view properties(
        "sys", "extended_properties",
        "class tinyint!, class_desc nvarchar(60), major_id int!, minor_id int!, name sysname!, value nvarchar(4000)");
    const sql_value made = civil_time{737'000, 0, 0};
    for (const auto& v : tables_) {
      const bool is_view = v.table->kind == catalog::table_kind::view;
      row r{v.table->name,
            number(v.object_id),
            null(),
            number(v.schema_id),
            number(0),
            text(is_view ? "V" : "U"),
            text(is_view ? "VIEW" : "USER_TABLE"),
            made,
            made,
            number(0),
            number(0),
            number(0)};
      objects.add(r);
      all.add(r);
      if (is_view) {
        views.add(r);
      } else {
        // Of the nine columns that tables have besides, only the number of the last column says anything.
        for (int k = 0; k < 9; ++k) r.push_back(number(k == 1 ? static_cast<std::int64_t>(v.columns.size()) : 0));
        tables.add(std::move(r));
      }
      partitions.add({number(v.object_id), number(v.object_id), number(has_key(v) ? 1 : 0), number(1),
                      v.table->row_count ? number(static_cast<std::int64_t>(*v.table->row_count)) : number(0)});
      const auto describe = [&](std::int64_t column, const std::string& description) {
        if (!description.empty())
          properties.add({number(1), text("OBJECT_OR_COLUMN"), number(v.object_id), number(column),
                          text("MS_Description"), description});
      };
      describe(0, v.table->description);
      for (std::size_t i = 0; i < v.columns.size(); ++i)
        describe(static_cast<std::int64_t>(i) + 1, v.columns[i]->description);
    }
    for (auto* one : {&objects, &all, &tables, &views, &partitions, &properties}) views_.push_back(std::move(*one));
  }

  void columns() {
    const char* layout =
        "object_id int!, name sysname, column_id int!, system_type_id tinyint!, user_type_id int!, max_length "
        "smallint!, precision tinyint!, scale "
        "tinyint!, collation_name sysname, is_nullable bit, is_ansi_padded bit!, is_rowguidcol bit!, is_identity bit!, "
        "is_computed bit!, "
        "is_filestream bit!, is_replicated bit, is_non_sql_subscribed bit, is_merge_published bit, is_dts_replicated "
        "bit, is_xml_document bit!, "
        "xml_collection_id int!, default_object_id int!, rule_object_id int!, is_sparse bit, is_column_set bit, "
        "generated_always_type tinyint, "
        "generated_always_type_desc nvarchar(60), is_hidden bit, is_masked bit!";
    view columns("sys", "columns", layout);
    view all("sys", "all_columns", layout);
    view identity(
        "sys", "identity_columns",
        "object_id int!, name sysname, column_id int!, seed_value bigint, increment_value bigint, last_value bigint, "
        "is_identity bit!, is_not_for_replication bit");
    view odbc("catalogue", "columns",
              "TABLE_QUALIFIER sysname, TABLE_OWNER sysname, TABLE_NAME sysname!, COLUMN_NAME sysname!, odbc3 "
              "smallint!, odbc2 smallint!, TYPE_NAME "
              "sysname!, PRECISION int, LENGTH int, SCALE smallint, RADIX smallint, NULLABLE smallint!, REMARKS "
              "varchar(254), COLUMN_DEF "
              "nvarchar(4000), SQL_DATA_TYPE smallint!, SQL_DATETIME_SUB smallint, CHAR_OCTET_LENGTH int, "
              "ORDINAL_POSITION int!, IS_NULLABLE "
              "varchar(254), computed smallint, identity_ smallint, SS_DATA_TYPE tinyint!, in_key smallint!");
    for (const auto& v : tables_) {
      for (std::size_t i = 0; i < v.columns.size(); ++i) {
        const auto& c = *v.columns[i];
        const auto f = facts_of(c.type);
        const auto id = static_cast<std::int64_t>(i) + 1;
        row r{number(v.object_id),
              c.name,
              id,
              number(f.system_type_id),
              number(f.user_type_id),
              number(f.max_length),
              number(f.precision),
              number(f.scale),
              is_character(c.type.id) ? sql_value(db_.collation) : null(),
              number(c.nullable),
              number(1),
              number(0),
              number(c.identity),
              number(c.computed)};
        for (int k = 0; k < 9; ++k) r.push_back(number(0));
        for (int k = 0; k < 3; ++k) r.push_back(number(0));
        r.push_back(text("NOT_APPLICABLE"));
        r.push_back(number(0));
        r.push_back(number(0));
        columns.add(r);
        all.add(std::move(r));
        if (c.identity)
          identity.add({number(v.object_id), c.name, id, number(1), number(1), null(), number(1), number(0)});
        const auto in_key = std::find_if(v.table->primary_key.begin(), v.table->primary_key.end(),
                                         [&](const auto& k) { return catalog::same_name(k, c.name); });
        odbc.add({db_.name,
                  v.table->schema,
                  v.table->name,
                  c.name,
                  number(f.odbc3),
                  number(f.odbc2),
                  std::string(type_name(c.type.id)) + (c.identity ? " identity" : ""),
                  number(f.column_size),
                  number(f.transfer_length),
                  number(f.digits),
                  number(f.radix),
                  number(c.nullable),
                  null(),
                  null(),
                  number(f.sql_data_type),
                  number(f.datetime_sub),
                  number(f.octet_length),
                  id,
                  text(c.nullable ? "YES" : "NO"),
                  number(c.computed),
                  number(c.identity),
                  number(f.ss_data_type),
                  number(in_key == v.table->primary_key.end() ? 0 : in_key - v.table->primary_key.begin() + 1)});
      }
    }
    for (auto* one : {&columns, &all, &identity, &odbc}) views_.push_back(std::move(*one));
  }

  // SQLAlchemy finds its isolation level by way of the first view in the second.
  void session() {
    view system("sys", "system_views",
                "name sysname!, object_id int!, schema_id int!, type char(2)!, type_desc nvarchar(60)");
    view sessions(
        "sys", "dm_exec_sessions",
        "session_id smallint!, host_name nvarchar(128), program_name nvarchar(128), login_name nvarchar(128)!, "
        "original_login_name nvarchar(128)!, status nvarchar(30)!, is_user_process bit!, "
        "transaction_isolation_level smallint!, database_id smallint!, open_transaction_count int!");
    system.add({text("dm_exec_sessions"), number(-500), number(4), text("V"), text("VIEW")});
    constexpr std::int64_t read_committed = 2;
    sessions.add({number(scope_.session_id), text(scope_.host), text(scope_.application), text(scope_.login),
                  text(scope_.login), text("running"), number(1), number(read_committed), number(scope_.database_id),
                  number(0)});
    for (auto* one : {&system, &sessions}) views_.push_back(std::move(*one));
  }

  // What a catalogue read from a warehouse does not hold: object mappers join these views and expect no rows.
  void empty() {
    for (const auto& [name, columns] : std::initializer_list<std::pair<const char*, const char*>>{
             {"default_constraints",
              "name sysname!, object_id int!, principal_id int, schema_id int!, parent_object_id int!, type char(2)!, "
              "type_desc nvarchar(60), create_date datetime!, modify_date datetime!, is_ms_shipped bit!, "
              "parent_column_id int!, definition nvarchar(4000), is_system_named bit!"},
             {"check_constraints",
              "name sysname!, object_id int!, principal_id int, schema_id int!, parent_object_id int!, type char(2)!, "
              "type_desc nvarchar(60), create_date datetime!, modify_date datetime!, is_ms_shipped bit!, is_disabled "
              "bit!, is_not_trusted bit!, parent_column_id int!, definition nvarchar(4000), is_system_named bit"},
             {"computed_columns",
              "object_id int!, name sysname, column_id int!, system_type_id tinyint!, user_type_id int!, max_length "
              "smallint!, precision tinyint!, scale tinyint!, collation_name sysname, is_nullable bit, is_computed "
              "bit!, "
              "definition nvarchar(4000), is_persisted bit!"},
             {"sql_modules",
              "object_id int!, definition nvarchar(4000), uses_ansi_nulls bit, uses_quoted_identifier bit, "
              "is_schema_bound bit"}})
      views_.emplace_back("sys", name, columns);
  }

  void keys() {
    const sql_value made = civil_time{737'000, 0, 0};
    view constraints("sys", "key_constraints",
                     "name sysname!, object_id int!, schema_id int!, parent_object_id int!, type char(2)!, type_desc "
                     "nvarchar(60), create_date datetime!, "
                     "unique_index_id int, is_system_named bit!");
    view indexes("sys", "indexes",
                 "object_id int!, name sysname, index_id int!, type tinyint!, type_desc nvarchar(60), is_unique bit, "
                 "data_space_id int, ignore_dup_key bit, "
                 "is_primary_key bit, is_unique_constraint bit, fill_factor tinyint!, is_padded bit, is_disabled bit, "
                 "is_hypothetical bit, has_filter bit, "
                 "filter_definition nvarchar(4000)");
    view index_columns("sys", "index_columns",
                       "object_id int!, index_id int!, index_column_id int!, column_id int!, key_ordinal tinyint!, "
                       "partition_ordinal tinyint!, "
                       "is_descending_key bit, is_included_column bit");
    view foreign("sys", "foreign_keys",
                 "name sysname!, object_id int!, schema_id int!, parent_object_id int!, type char(2)!, type_desc "
                 "nvarchar(60), create_date datetime!, "
                 "referenced_object_id int, key_index_id int, is_disabled bit!, is_not_for_replication bit!, "
                 "is_not_trusted bit!, "
                 "delete_referential_action tinyint, delete_referential_action_desc nvarchar(60), "
                 "update_referential_action tinyint, "
                 "update_referential_action_desc nvarchar(60), is_system_named bit!");
    view foreign_columns("sys", "foreign_key_columns",
                         "constraint_object_id int!, constraint_column_id int!, parent_object_id int!, "
                         "parent_column_id int!, referenced_object_id int!, "
                         "referenced_column_id int!");
    view pkeys("catalogue", "pkeys",
               "TABLE_QUALIFIER sysname, TABLE_OWNER sysname, TABLE_NAME sysname!, COLUMN_NAME sysname!, KEY_SEQ "
               "smallint!, PK_NAME sysname");
    view fkeys("catalogue", "fkeys",
               "PKTABLE_QUALIFIER sysname, PKTABLE_OWNER sysname, PKTABLE_NAME sysname!, PKCOLUMN_NAME sysname!, "
               "FKTABLE_QUALIFIER sysname, FKTABLE_OWNER "
               "sysname, FKTABLE_NAME sysname!, FKCOLUMN_NAME sysname!, KEY_SEQ smallint!, UPDATE_RULE smallint, "
               "DELETE_RULE smallint, FK_NAME sysname, "
               "PK_NAME sysname, DEFERRABILITY smallint");
    view statistics("catalogue", "statistics",
                    "TABLE_QUALIFIER sysname, TABLE_OWNER sysname, TABLE_NAME sysname!, NON_UNIQUE smallint, "
                    "INDEX_QUALIFIER sysname, INDEX_NAME sysname, "
                    "TYPE smallint!, SEQ_IN_INDEX smallint, COLUMN_NAME sysname, COLLATION char(1), CARDINALITY int, "
                    "PAGES int, FILTER_CONDITION "
                    "varchar(128)");
    for (const auto& v : tables_) {
      const sql_value rows = v.table->row_count ? number(static_cast<std::int64_t>(*v.table->row_count)) : null();
      statistics.add({db_.name, v.table->schema, v.table->name, null(), null(), null(), number(0), null(), null(),
                      null(), rows, null(), null()});
      if (!has_key(v)) {
        if (v.table->kind == catalog::table_kind::table)
          indexes.add({number(v.object_id), null(), number(0), number(0), text("HEAP"), number(0), number(1), number(0),
                       number(0), number(0), number(0), number(0), number(0), number(0), number(0), null()});
        continue;
      }
      const std::string name = key_name(*v.table);
      constraints.add({name, number(v.object_id + 1), number(v.schema_id), number(v.object_id), text("PK"),
                       text("PRIMARY_KEY_CONSTRAINT"), made, number(1), number(0)});
      indexes.add({number(v.object_id), name, number(1), number(1), text("CLUSTERED"), number(1), number(1), number(0),
                   number(1), number(0), number(0), number(0), number(0), number(0), number(0), null()});
      std::int64_t seq = 0;
      for (const auto& column : v.table->primary_key) {
        ++seq;
        index_columns.add(
            {number(v.object_id), number(1), seq, column_id(v, column), seq, number(0), number(0), number(0)});
        pkeys.add({db_.name, v.table->schema, v.table->name, column, seq, name});
        statistics.add({db_.name, v.table->schema, v.table->name, number(0), v.table->name, name, number(1), seq,
                        column, text("A"), rows, null(), null()});
      }
    }
    each_foreign_key([&](const visible_table& v, const visible_table& other, const catalog::foreign_key& fk,
                         const std::string& name, std::int32_t id) {
      foreign.add({name, number(id), number(v.schema_id), number(v.object_id), text("F"),
                   text("FOREIGN_KEY_CONSTRAINT"), made, number(other.object_id), number(1), number(0), number(0),
                   number(0), number(0), text("NO_ACTION"), number(0), text("NO_ACTION"), number(0)});
      for (std::size_t i = 0; i < fk.columns.size(); ++i) {
        const auto seq = static_cast<std::int64_t>(i) + 1;
        foreign_columns.add({number(id), seq, number(v.object_id), column_id(v, fk.columns[i]), number(other.object_id),
                             column_id(other, fk.referenced_columns[i])});
        fkeys.add({db_.name, other.table->schema, other.table->name, fk.referenced_columns[i], db_.name,
                   v.table->schema, v.table->name, fk.columns[i], seq, number(1), number(1), name,
                   key_name(*other.table), number(7)});
      }
    });
    for (auto* one : {&constraints, &indexes, &index_columns, &foreign, &foreign_columns, &pkeys, &fkeys, &statistics})
      views_.push_back(std::move(*one));
  }

  void information_schema() {
    view tables("INFORMATION_SCHEMA", "TABLES",
                "TABLE_CATALOG nvarchar(128), TABLE_SCHEMA sysname, TABLE_NAME sysname!, TABLE_TYPE varchar(10)");
    view views("INFORMATION_SCHEMA", "VIEWS",
               "TABLE_CATALOG nvarchar(128), TABLE_SCHEMA nvarchar(128), TABLE_NAME sysname!, VIEW_DEFINITION "
               "nvarchar(4000), CHECK_OPTION varchar(7), "
               "IS_UPDATABLE varchar(2)");
    view columns("INFORMATION_SCHEMA", "COLUMNS",
                 "TABLE_CATALOG nvarchar(128), TABLE_SCHEMA nvarchar(128), TABLE_NAME sysname!, COLUMN_NAME sysname, "
                 "ORDINAL_POSITION int, COLUMN_DEFAULT "
                 "nvarchar(4000), IS_NULLABLE varchar(3), DATA_TYPE nvarchar(128), CHARACTER_MAXIMUM_LENGTH int, "
                 "CHARACTER_OCTET_LENGTH int, "
                 "NUMERIC_PRECISION tinyint, NUMERIC_PRECISION_RADIX smallint, NUMERIC_SCALE int, DATETIME_PRECISION "
                 "smallint, CHARACTER_SET_CATALOG sysname, "
                 "CHARACTER_SET_SCHEMA sysname, CHARACTER_SET_NAME sysname, COLLATION_CATALOG sysname, "
                 "COLLATION_SCHEMA sysname, COLLATION_NAME sysname, "
                 "DOMAIN_CATALOG sysname, DOMAIN_SCHEMA sysname, DOMAIN_NAME sysname");
    view constraints("INFORMATION_SCHEMA", "TABLE_CONSTRAINTS",
                     "CONSTRAINT_CATALOG nvarchar(128), CONSTRAINT_SCHEMA nvarchar(128), CONSTRAINT_NAME sysname!, "
                     "TABLE_CATALOG nvarchar(128), TABLE_SCHEMA "
                     "nvarchar(128), TABLE_NAME sysname!, CONSTRAINT_TYPE varchar(11), IS_DEFERRABLE varchar(2), "
                     "INITIALLY_DEFERRED varchar(2)");
    view usage("INFORMATION_SCHEMA", "KEY_COLUMN_USAGE",
               "CONSTRAINT_CATALOG nvarchar(128), CONSTRAINT_SCHEMA nvarchar(128), CONSTRAINT_NAME nvarchar(128)!, "
               "TABLE_CATALOG nvarchar(128), TABLE_SCHEMA "
               "nvarchar(128), TABLE_NAME nvarchar(128)!, COLUMN_NAME nvarchar(128), ORDINAL_POSITION int!");
    view referential("INFORMATION_SCHEMA", "REFERENTIAL_CONSTRAINTS",
                     "CONSTRAINT_CATALOG nvarchar(128), CONSTRAINT_SCHEMA nvarchar(128), CONSTRAINT_NAME sysname!, "
                     "UNIQUE_CONSTRAINT_CATALOG nvarchar(128), "
                     "UNIQUE_CONSTRAINT_SCHEMA nvarchar(128), UNIQUE_CONSTRAINT_NAME sysname, MATCH_OPTION varchar(7), "
                     "UPDATE_RULE varchar(11), DELETE_RULE "
                     "varchar(11)");
    for (const auto& v : tables_) {
      const auto& t = *v.table;
      tables.add({db_.name, t.schema, t.name, text(t.kind == catalog::table_kind::view ? "VIEW" : "BASE TABLE")});
      if (t.kind == catalog::table_kind::view)
        views.add({db_.name, t.schema, t.name, null(), text("NONE"), text("NO")});
      for (std::size_t i = 0; i < v.columns.size(); ++i) {
        const auto& c = *v.columns[i];
        const bool textual = is_character(c.type.id) || is_binary(c.type.id);
        const bool exact = is_exact_numeric(c.type.id) && c.type.id != sql_type_id::bit;
        const auto d = decimal_type_of(c.type);
        const auto f = facts_of(c.type);
        const bool approximate = family_of(c.type.id) == family::real;
        sql_value precision = exact ? number(d.precision) : approximate ? number(f.precision) : null();
        sql_value fraction = null();
        if (is_temporal(c.type.id)) fraction = number(c.type.id == sql_type_id::datetime ? 3 : c.type.scale);
        columns.add({db_.name,
                     t.schema,
                     t.name,
                     c.name,
                     number(static_cast<std::int64_t>(i) + 1),
                     null(),
                     text(c.nullable ? "YES" : "NO"),
                     text(c.type.id == sql_type_id::sysname      ? "nvarchar"
                          : c.type.id == sql_type_id::rowversion ? "timestamp"
                                                                 : type_name(c.type.id)),
                     textual ? number(c.type.is_max()      ? -1
                                      : c.type.length == 0 ? f.column_size
                                                           : c.type.length)
                             : null(),
                     textual ? number(c.type.is_max() ? -1 : f.max_length) : null(),
                     precision,
                     exact         ? number(10)
                     : approximate ? number(2)
                                   : null(),
                     exact ? number(d.scale) : null(),
                     fraction,
                     null(),
                     null(),
                     is_character(c.type.id) ? text(is_unicode(c.type.id) ? "UNICODE" : "iso_1") : null(),
                     null(),
                     null(),
                     is_character(c.type.id) ? sql_value(db_.collation) : null(),
                     null(),
                     null(),
                     null()});
      }
      if (has_key(v)) {
        constraints.add(
            {db_.name, t.schema, key_name(t), db_.name, t.schema, t.name, text("PRIMARY KEY"), text("NO"), text("NO")});
        std::int64_t seq = 0;
        for (const auto& c : t.primary_key)
          usage.add({db_.name, t.schema, key_name(t), db_.name, t.schema, t.name, c, ++seq});
      }
    }
    each_foreign_key([&](const visible_table& v, const visible_table& other, const catalog::foreign_key& fk,
                         const std::string& name, std::int32_t) {
      const auto& t = *v.table;
      constraints.add(
          {db_.name, t.schema, name, db_.name, t.schema, t.name, text("FOREIGN KEY"), text("NO"), text("NO")});
      for (std::size_t i = 0; i < fk.columns.size(); ++i)
        usage.add({db_.name, t.schema, name, db_.name, t.schema, t.name, fk.columns[i],
                   number(static_cast<std::int64_t>(i) + 1)});
      referential.add({db_.name, t.schema, name, db_.name, other.table->schema, key_name(*other.table), text("SIMPLE"),
                       text("NO ACTION"), text("NO ACTION")});
    });
    for (auto* one : {&tables, &views, &columns, &constraints, &usage, &referential}) views_.push_back(std::move(*one));
  }

  void procedures() {
    view& types =
        make("catalogue", "datatypes",
             "TYPE_NAME sysname!, odbc3 smallint!, odbc2 smallint!, PRECISION int, LITERAL_PREFIX varchar(32), "
             "LITERAL_SUFFIX varchar(32), CREATE_PARAMS "
             "varchar(32), NULLABLE smallint!, CASE_SENSITIVE smallint!, SEARCHABLE smallint!, UNSIGNED_ATTRIBUTE "
             "smallint, MONEY smallint!, "
             "AUTO_INCREMENT smallint, LOCAL_TYPE_NAME sysname, MINIMUM_SCALE smallint, MAXIMUM_SCALE smallint, "
             "SQL_DATA_TYPE smallint!, "
             "SQL_DATETIME_SUB smallint, NUM_PREC_RADIX int, INTERVAL_PRECISION smallint, USERTYPE smallint!");
    for (const char* name : type_names) {
      sql_type t = parse_sql_type(name).value();
      if (t.id == sql_type_id::varchar || t.id == sql_type_id::char_ || t.id == sql_type_id::binary ||
          t.id == sql_type_id::varbinary)
        t.length = 8000;
      if (t.id == sql_type_id::nvarchar || t.id == sql_type_id::nchar) t.length = 4000;
      const bool exact = t.id == sql_type_id::decimal || t.id == sql_type_id::numeric;
      if (exact) t.precision = 38;
      const auto f = facts_of(t);
      const bool numeric = is_numeric(t.id);
      const bool quoted_type =
          is_character(t.id) || is_temporal(t.id) || t.id == sql_type_id::uniqueidentifier || t.id == sql_type_id::xml;
      const char* prefix = is_unicode(t.id) ? "N'" : quoted_type ? "'" : is_binary(t.id) ? "0x" : nullptr;
      const char* parameters =
          exact ? "precision,scale"
          : t.length > 0 && t.id != sql_type_id::sysname
              ? (t.id == sql_type_id::varchar || t.id == sql_type_id::nvarchar || t.id == sql_type_id::varbinary
                     ? "max length"
                     : "length")
          : t.id == sql_type_id::datetime2 || t.id == sql_type_id::time || t.id == sql_type_id::datetimeoffset
              ? "scale"
              : nullptr;
      const bool scaled =
          t.id == sql_type_id::datetime2 || t.id == sql_type_id::time || t.id == sql_type_id::datetimeoffset;
      types.add({text(name),
                 number(f.odbc3),
                 number(f.odbc2),
                 number(f.column_size),
                 prefix == nullptr ? null() : text(prefix),
                 quoted_type ? text("'") : null(),
                 parameters == nullptr ? null() : text(parameters),
                 number(1),
                 number(0),
                 number(is_binary(t.id) || t.id == sql_type_id::xml ? 2 : 3),
                 numeric ? number(t.id == sql_type_id::tinyint || t.id == sql_type_id::bit ? 1 : 0) : null(),
                 number(t.id == sql_type_id::money || t.id == sql_type_id::smallmoney ? 1 : 0),
                 numeric ? number(0) : null(),
                 text(name),
                 exact || scaled ? number(0) : number(f.digits),
                 exact    ? number(38)
                 : scaled ? number(7)
                          : number(f.digits),
                 number(f.sql_data_type),
                 number(f.datetime_sub),
                 number(f.radix),
                 null(),
                 number(f.user_type_id == 256 ? 18 : 0)});
    }
  }

  engine& home_;
  const catalog_scope& scope_;
  const catalog::database& db_;
  std::vector<std::pair<std::string, std::int32_t>> schemas_;
  std::vector<visible_table> tables_;
  std::deque<view> views_;  // references stay valid while it grows
};

}  // namespace

result<void> install_catalog(engine& home, const catalog_scope& scope) {
  return installer(home, scope).run();
}

}  // namespace dragoman::sandbox
