// Any SQLite file: declared types are mapped, and what the values really are has the last word.
#include <filesystem>

#include "fixture.h"

using namespace dragoman;
using namespace dragoman::sandbox;

namespace {

struct foreign_file {
  std::string path = (std::filesystem::temp_directory_path() / "dragoman-foreign.sqlite").string();
  std::unique_ptr<engine> e;

  foreign_file() {
    std::filesystem::remove(path);
    auto db = connection::open(path, false).value();
    BOOST_REQUIRE(
        db->execute(
              "CREATE TABLE Owner(ID INTEGER PRIMARY KEY, Name VARCHAR(20) NOT NULL, Born DATE, Seen DATETIME, "
              "Money DECIMAL(10,2), Active BOOLEAN, Code INT, Mixed INT);"
              "CREATE TABLE Pet(PetID INTEGER PRIMARY KEY, OwnerID INT REFERENCES owner, Weight REAL, Big INTEGER);"
              "CREATE VIEW Names AS SELECT Name FROM Owner;"
              "INSERT INTO Owner VALUES(1,'Ann','1990-02-03','2020-01-02 03:04:05',12.5,1,7,1),"
              "(2,'bob',NULL,'2020-01-02 03:04:06.250',0.1,0,NULL,'x');"
              "INSERT INTO Pet VALUES(1,1,2.5,5000000000),(2,2,NULL,1);")
            .has_value());
    e = engine::open(path).value();
  }
  ~foreign_file() {
    e.reset();
    std::filesystem::remove(path);
  }
  std::string types(const char* table) {
    std::string out;
    for (const auto& c : e->tables().find("dbo", table)->columns)
      out += (out.empty() ? "" : ", ") + c.name + " " + to_string(c.type);
    return out;
  }
  std::string run(const std::string& sql) {
    auto c = e->prepare(sql);
    if (!c) return c.error().message;
    std::string out;
    std::vector<sql_value> row(c->columns().size());
    while (c->next(row).value()) {
      if (!out.empty()) out += "/";
      for (std::size_t i = 0; i < row.size(); ++i)
        out += (i > 0 ? "|" : "") + (is_null(row[i]) ? std::string("~") : text_of(row[i], c->columns()[i].type));
    }
    return out;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(foreign_files, foreign_file)

BOOST_AUTO_TEST_CASE(types_follow_declarations_and_values) {
  BOOST_TEST(types("Owner") ==
             "ID int, Name nvarchar(4000), Born date, Seen datetime2(3), Money decimal(10,2), Active bit, Code int, "
             "Mixed nvarchar(max)");
  BOOST_TEST(types("Pet") == "PetID int, OwnerID int, Weight float, Big bigint");
  BOOST_TEST((e->tables().find("dbo", "Names")->kind == catalog::table_kind::view));
  const auto& pet = *e->tables().find("dbo", "pet");
  BOOST_REQUIRE(pet.foreign_keys.size() == 1);
  BOOST_TEST(pet.foreign_keys[0].table == "Owner");
  BOOST_TEST(pet.foreign_keys[0].referenced_columns[0] == "ID");
}

BOOST_AUTO_TEST_CASE(values_are_converted_as_they_are_read) {
  BOOST_TEST(run("SELECT Born, Seen, Money, Active, Mixed FROM Owner ORDER BY ID") ==
             "1990-02-03|2020-01-02 03:04:05.000|12.50|1|1/~|2020-01-02 03:04:06.250|0.10|0|x");
  BOOST_TEST(run("SELECT SUM(Money), YEAR(MIN(Born)) FROM dbo.Owner") == "12.60|1990");
  BOOST_TEST(run("SELECT o.Name, p.Big FROM Pet AS p JOIN Owner AS o ON o.ID = p.OwnerID WHERE o.Name = 'BOB'") ==
             "bob|1");
}

BOOST_AUTO_TEST_SUITE_END()
