#include "guard/catalog/catalog.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace {

using namespace dragoman;
using namespace dragoman::catalog;

constexpr const char* small = R"yaml(version: 1
datasource: w
database: D
tables:
  - schema: s
    name: Parent
    rows: 3
    columns:
      - {name: Id, type: int, nullable: false, identity: true}
      - {name: Kind, type: "nvarchar(10)", samples: ["a", "b\"c"], description: "what: it is"}
    primary_key: [Id]
  - schema: s
    name: Child
    kind: view
    columns:
      - {name: Id, type: bigint}
      - {name: ParentId, type: int}
    foreign_keys:
      - {columns: [ParentId], references: {schema: s, table: Parent, columns: [Id]}}
)yaml";

database parsed(const std::string& text) {
  auto db = parse_snapshot(text, "x.yaml");
  BOOST_REQUIRE_MESSAGE(db.has_value(), (db ? "" : db.error().message));
  return std::move(*db);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(catalog_model)

BOOST_AUTO_TEST_CASE(finds_names_without_regard_to_case) {
  const database db = parsed(small);
  BOOST_TEST(db.find_table("S", "PARENT") == &db.tables[0]);
  BOOST_TEST(db.find_table("s", "Nobody") == nullptr);
  BOOST_TEST(db.tables[0].find_column("kIND") == &db.tables[0].columns[1]);
  BOOST_TEST(db.tables_named("child").size() == 1u);
  // Only ASCII folds: a dotless i is another letter.
  BOOST_TEST(db.tables[0].find_column("K\xC4\xB1nd") == nullptr);
}

BOOST_AUTO_TEST_CASE(survives_the_disk) {
  const database db = parsed(small);
  const database again = parsed(write_snapshot(db));
  BOOST_TEST((again.tables == db.tables));
  BOOST_TEST(again.fingerprint() == db.fingerprint());
  BOOST_TEST(drift(db, again).empty());
}

BOOST_AUTO_TEST_CASE(errors_name_file_line_and_key) {
  const struct {
    std::string from, to, expected;
  } cases[] = {
      {"version: 1", "version: 9", "x.yaml:1: version: this release reads version 1"},
      {"database: D\n", "", "x.yaml:1: database: is missing"},
      {"database: D", "databse: D", "x.yaml:3: databse: unknown key"},
      {"type: int, nullable", "type: number, nullable",
       "x.yaml:9: tables[0].columns[0].type: no SQL Server type: number"},
      {"nullable: false", "nullable: nope", "x.yaml:9: tables[0].columns[0].nullable: must be true or false"},
      {"rows: 3", "rows: -3", "x.yaml:7: tables[0].rows: must be a count of rows"},
      {"kind: view", "kind: thing", "x.yaml:14: tables[1].kind: must be table or view"},
      {"primary_key: [Id]", "primary_key: [No]", "x.yaml: s.Parent: primary_key names no column: No"},
      {"columns: [Id]}", "columns: [No]}", "x.yaml: s.Parent: a foreign key of s.Child names no column: No"},
  };
  for (const auto& c : cases) {
    auto db = parse_snapshot(replaced(small, c.from, c.to), "x.yaml");
    BOOST_REQUIRE_MESSAGE(!db.has_value(), c.expected);
    BOOST_TEST(db.error().message == c.expected);
    BOOST_TEST((db.error().code == errc::configuration));
  }
}

BOOST_AUTO_TEST_CASE(drift_tells_every_change) {
  const database before = parsed(small);
  std::string text = replaced(small, "type: \"nvarchar(10)\"", "type: \"nvarchar(20)\"");
  text = replaced(text, "{name: Id, type: bigint}", "{name: Id2, type: bigint}");
  text = replaced(text, "name: Child", "name: Kid");
  const auto changes = drift(before, parsed(text));
  BOOST_TEST_REQUIRE(changes.size() == 3u);
  BOOST_TEST(changes[0].text == "s.Parent.Kind: type was nvarchar(10), is nvarchar(20)");
  BOOST_TEST(changes[1].text == "s.Child: table is gone");
  BOOST_TEST(changes[2].text == "s.Kid: new table");
}

BOOST_AUTO_TEST_CASE(demo_snapshot_loads) {
  auto db = load_snapshot(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/catalog.yaml");
  BOOST_TEST_REQUIRE(!!db);
  BOOST_TEST(db->name == "SalesDb");
  BOOST_TEST(db->tables.size() == 11u);
}

BOOST_AUTO_TEST_SUITE_END()
