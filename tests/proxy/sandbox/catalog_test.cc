// sys.*, INFORMATION_SCHEMA.* and the catalogue procedures over a small catalogue of which one column is hidden.
#include "fixture.h"
#include "proxy/sandbox/catalog_views.h"

using namespace dragoman;
using namespace dragoman::sandbox;

namespace {

struct with_catalogue : small_database {
  catalog::database described;

  with_catalogue() {
    described.name = "Shop";
    catalog::table owner;
    owner.schema = "dbo";
    owner.name = "Owner";
    owner.columns = {column("ID", "int", false), column("Name", "nvarchar(50)", true),
                     column("Secret", "varchar(10)", true)};
    owner.primary_key = {"ID"};
    catalog::table pet;
    pet.schema = "zoo";
    pet.name = "Pet";
    pet.columns = {column("PetID", "bigint", false), column("OwnerID", "int", false),
                   column("Price", "decimal(18,2)", true), column("Born", "datetime2(3)", true)};
    pet.primary_key = {"PetID"};
    catalog::foreign_key fk;
    fk.name = "FK_Pet_Owner";
    fk.columns = {"OwnerID"};
    fk.schema = "dbo";
    fk.table = "Owner";
    fk.referenced_columns = {"ID"};
    pet.foreign_keys.push_back(fk);
    described.tables = {owner, pet};
    BOOST_REQUIRE(described.index().has_value());
    e->facts().database = "Shop";
    const auto installed = install_catalog(
        *e, {&described, {}, [](const catalog::table&, const catalog::column& c) { return c.name != "Secret"; }});
    BOOST_REQUIRE_MESSAGE(installed.has_value(), (installed ? std::string() : installed.error().message));
  }
  static catalog::column column(const char* name, const char* type, bool nullable) {
    catalog::column c;
    c.name = name;
    c.type = parse_sql_type(type).value();
    c.nullable = nullable;
    return c;
  }
  std::string call(const char* procedure, const parameters& arguments) {
    auto c = call_catalog_procedure(*e, procedure, arguments);
    if (!c) return "error " + std::to_string(c.error().error_number());
    std::string out;
    std::vector<sql_value> row(c->columns().size());
    while (c->next(row).value()) {
      if (!out.empty()) out += "/";
      for (std::size_t i = 0; i < row.size(); ++i)
        out += (i > 0 ? "|" : "") + (is_null(row[i]) ? std::string("~") : text_of(row[i], c->columns()[i].type));
    }
    return out;
  }
  static parameter text(const char* name, const char* value) {
    return {name, {sql_type_id::nvarchar, 128}, std::string(value)};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(catalogue_views, with_catalogue)

BOOST_AUTO_TEST_CASE(views) {
  const sql_case table[] = {
      {"SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES ORDER BY TABLE_NAME",
       "dbo|Owner|BASE TABLE/zoo|Pet|BASE TABLE"},
      {"SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, "
       "DATETIME_PRECISION FROM "
       "INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Pet' ORDER BY ORDINAL_POSITION",
       "PetID|bigint|NO|~|19|0|~/OwnerID|int|NO|~|10|0|~/Price|decimal|YES|~|18|2|~/Born|datetime2|YES|~|~|~|3"},
      {"SELECT COUNT(*) FROM sys.columns WHERE name = 'Secret'", "0"},
      {"SELECT s.name, t.name FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id ORDER BY t.name",
       "dbo|Owner/zoo|Pet"},
      {"SELECT c.name, TYPE_NAME(c.system_type_id), c.max_length FROM sys.columns AS c WHERE c.object_id = "
       "OBJECT_ID('zoo.Pet') ORDER BY "
       "c.column_id",
       "PetID|bigint|8/OwnerID|int|4/Price|decimal|9/Born|datetime2|7"},
      {"SELECT f.CONSTRAINT_NAME, f.TABLE_NAME, f.COLUMN_NAME, p.TABLE_NAME, p.COLUMN_NAME FROM "
       "INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS AS r "
       "JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS f ON f.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND "
       "f.CONSTRAINT_NAME = r.CONSTRAINT_NAME JOIN "
       "INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS p ON p.CONSTRAINT_SCHEMA = r.UNIQUE_CONSTRAINT_SCHEMA AND "
       "p.CONSTRAINT_NAME = "
       "r.UNIQUE_CONSTRAINT_NAME",
       "FK_Pet_Owner|Pet|OwnerID|Owner|ID"},
      {"SELECT name FROM sys.databases ORDER BY database_id", "master/tempdb/Shop"},
      {"SELECT name FROM master.sys.databases WHERE name = DB_NAME()", "Shop"},
      {"SELECT OBJECT_NAME(OBJECT_ID('dbo.Owner')), SCHEMA_NAME(1), OBJECT_ID('nothing')", "Owner|dbo|~"}};
  for (const auto& row : table) {
    BOOST_TEST_INFO(row.sql);
    BOOST_TEST(run(row.sql) == row.expected);
  }
}

BOOST_AUTO_TEST_CASE(procedures) {
  BOOST_TEST(call("sp_tables", {}) == "Shop|dbo|Owner|TABLE|~/Shop|zoo|Pet|TABLE|~");
  BOOST_TEST(call("sp_tables", {text("@table_type", "'VIEW'")}).empty());
  BOOST_TEST(call("sp_tables", {text("", "P%"), text("", "zoo")}) == "Shop|zoo|Pet|TABLE|~");
  BOOST_TEST(call("SP_PKEYS", {text("@table_name", "pet")}) == "Shop|zoo|Pet|PetID|1|PK_Pet");
  BOOST_TEST(call("sp_fkeys", {text("@pktable_name", "Owner")}) ==
             "Shop|dbo|Owner|ID|Shop|zoo|Pet|OwnerID|1|1|1|FK_Pet_Owner|PK_Owner|7");
  BOOST_TEST(call("sp_columns", {text("@table_name", "Owner")}) ==
             "Shop|dbo|Owner|ID|4|int|10|4|0|10|0|~|~|4|~|~|1|NO|56/"
             "Shop|dbo|Owner|Name|-9|nvarchar|50|100|~|~|1|~|~|-9|~|100|2|YES|39");
  const auto columns = call_catalog_procedure(*e, "sp_columns_170", {text("@table_name", "Pet")});
  BOOST_REQUIRE(columns.has_value());
  BOOST_TEST(columns->columns().size() == 29);
  BOOST_TEST(call("sp_statistics_100", {text("@table_name", "Owner")}) ==
             "Shop|dbo|Owner|~|~|~|0|~|~|~|~|~|~/Shop|dbo|Owner|0|Owner|PK_Owner|1|1|ID|A|~|~|~");
  BOOST_TEST(call("sp_special_columns", {text("@table_name", "Owner")}) == "1|ID|4|int|10|4|0|1");
  BOOST_TEST(call_catalog_procedure(*e, "sp_datatype_info_100", {})->columns().size() == 20);
  BOOST_TEST(call("sp_databases", {}).starts_with("master|"));
  BOOST_TEST(call("sp_tables", {text("@wrong", "x")}) == "error 8145");
  BOOST_TEST(call("sp_nothing", {}) == "error 2812");
}

BOOST_AUTO_TEST_SUITE_END()
