// Policies: what compiles, what does not and with which words; attributes, business rules, what a principal may know.
#include "guard/policy.h"

#include <boost/test/unit_test.hpp>

#include "demo_policy.h"
#include "guard/configured_name.h"
#include "guard/guard.h"

namespace {

using namespace dragoman;

std::string print_of(const guard::policy_definition& d, const std::string& statement) {
  const auto v = guard::check(statement, test::compiled(d));
  return v.kind == guard::verdict_kind::accept ? v.printed : std::string(name_of(v.code)) + ": " + v.message;
}

std::string error_of(const guard::policy_definition& d) {
  const auto p = guard::compile_policy(d, test::demo_catalog());
  return p ? std::string("compiles") : p.error().message;
}

guard::policy_definition rings() {
  guard::policy_definition d;
  d.allow = {{"ref.Ring", {}, "allow[0]"}};
  d.row_cap = 0;
  return d;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(guard_policy)

BOOST_AUTO_TEST_CASE(errors_name_the_key) {
  auto d = rings();
  d.allow.push_back({"ref.Rong", {}, "p.allow[1]"});
  BOOST_TEST(error_of(d) == "p.allow[1]: no table ref.Rong in the catalogue");
  d = rings();
  d.allow.push_back({"nothing.*", {}, "p.allow[1]"});
  BOOST_TEST(error_of(d) == "p.allow[1]: no table matches 'nothing.*'");
  d = rings();
  d.deny = {{"ref.Ring.Colour", "p.deny[0]"}};
  BOOST_TEST(error_of(d) == "p.deny[0]: ref.Ring has no column Colour");
  d.deny = {{"Ring", "p.deny[0]"}};
  BOOST_TEST(error_of(d) == "p.deny[0]: 'Ring' must be schema.table.column");
  d = rings();
  d.row_filters = {{"ref.Ring", "Colour = 1", "p.row_filters[0]"}};
  BOOST_TEST(error_of(d) == "p.row_filters[0]: 'Colour = 1': Invalid column name 'Colour'.");
  d.row_filters = {{"ref.Ring", "RingID", "p.row_filters[0]"}};
  BOOST_TEST(error_of(d) == "p.row_filters[0]: 'RingID' is no condition");
  d.row_filters = {{"ref.Ring", "RingID = @ring", "p.row_filters[0]"}};
  BOOST_TEST(error_of(d) == "p.row_filters[0]: 'RingID = @ring': the principal has no attribute @ring");
  d.row_filters = {{"ref.Ring", "dbo.f(RingID) = 1", "p.row_filters[0]"}};
  BOOST_TEST(error_of(d) == "p.row_filters[0]: 'dbo.f(RingID) = 1': the function dbo.f may not be used in a filter");
}

BOOST_AUTO_TEST_CASE(filters_use_attributes) {
  auto d = rings();
  d.attributes = {{"rings", {"1", "2"}}, {"code", {"0'7"}}, {"none", {}}};
  d.row_filters = {{"ref.Ring", "RingID IN (@rings)", ""}};
  BOOST_TEST(
      print_of(d, "SELECT Name FROM ref.Ring") ==
      "SELECT Name FROM (SELECT RingID, Name, NameEn, Code FROM SalesDb.ref.Ring WHERE RingID IN (1, 2)) AS Ring");
  d.row_filters = {{"ref.Ring", "Code = @code", ""}};
  BOOST_TEST(print_of(d, "SELECT Name FROM ref.Ring") ==
             "SELECT Name FROM (SELECT RingID, Name, NameEn, Code FROM SalesDb.ref.Ring WHERE Code = N'0''7') AS Ring");
  d.row_filters = {{"ref.Ring", "RingID IN (@none)", ""}};
  BOOST_TEST(
      print_of(d, "SELECT Name FROM ref.Ring") ==
      "SELECT Name FROM (SELECT RingID, Name, NameEn, Code FROM SalesDb.ref.Ring WHERE RingID IN (NULL)) AS Ring");
  // Two filters hold together; a mapping table need not be on the allowlist.
  d.row_filters = {{"ref.Ring", "RingID > 1 OR RingID = 0", ""},
                   {"ref.Ring", "EXISTS (SELECT 1 FROM hr.Salary WHERE EmployeeID = RingID)", ""}};
  BOOST_TEST(
      print_of(d, "SELECT Name FROM ref.Ring") ==
      "SELECT Name FROM (SELECT RingID, Name, NameEn, Code FROM SalesDb.ref.Ring WHERE (RingID > 1 OR RingID = 0) "
      "AND EXISTS (SELECT 1 FROM SalesDb.hr.Salary WHERE EmployeeID = Ring.RingID)) AS Ring");
}

BOOST_AUTO_TEST_CASE(columns_off_the_list_do_not_exist) {
  auto d = rings();
  d.allow = {{"ref.Ring", {"RingID", "Name"}, ""}};
  BOOST_TEST(print_of(d, "SELECT * FROM ref.Ring") ==
             "SELECT RingID, Name FROM (SELECT RingID, Name FROM SalesDb.ref.Ring) AS Ring");
  BOOST_TEST(print_of(d, "SELECT Code FROM ref.Ring") == "unknown_column: Invalid column name 'Code'.");
  // A name that an inner table hides is the outer one's.
  BOOST_TEST(
      print_of(d, "SELECT o.Code FROM (SELECT 1 AS Code) AS o WHERE EXISTS (SELECT 1 FROM ref.Ring WHERE Code = 1)") ==
      "SELECT o.Code FROM (SELECT 1 AS Code) AS o WHERE EXISTS (SELECT 1 FROM (SELECT RingID, Name FROM "
      "SalesDb.ref.Ring) AS Ring WHERE o.Code = 1)");
}

BOOST_AUTO_TEST_CASE(business_rules) {
  auto d = test::demo_definition("manager");
  d.row_cap = 0;
  d.require_filters = {{"ref.Symbol", "Category", "", "k"}};
  BOOST_TEST(print_of(d, "SELECT Code FROM ref.Symbol") ==
             "required_rule: A statement that reads ref.Symbol must filter by Category.");
  BOOST_TEST(print_of(d, "SELECT Code FROM ref.Symbol WHERE Category = N'Gold'") ==
             "SELECT Code FROM SalesDb.ref.Symbol WHERE Category = N'Gold'");
  // Inside an OR it filters nothing.
  BOOST_TEST(print_of(d, "SELECT Code FROM ref.Symbol WHERE Category = N'Gold' OR 1 = 1") ==
             "required_rule: A statement that reads ref.Symbol must filter by Category.");
  // What looks like a filter and leaves every row.
  for (const char* where : {
           "FROM ref.Symbol WHERE Category = Category",
           "FROM ref.Symbol WHERE Category <> N'x'",
           "FROM ref.Symbol WHERE NOT EXISTS (SELECT 1 FROM ref.Ring WHERE Category = N'x')",
           "FROM ref.Symbol WHERE Category IN (N'x', Category)",
           "FROM ref.Symbol WHERE Category BETWEEN N'x' AND Category + N'a'",
           "FROM ref.Symbol LEFT JOIN ref.Ring ON Category = N'x'",
           "FROM ref.Ring RIGHT JOIN ref.Symbol ON Category = N'x'",
           "FROM ref.Symbol FULL JOIN ref.Ring ON Category = N'x'",
       }) {
    BOOST_TEST(print_of(d, std::string("SELECT Unit ") + where) ==
                   "required_rule: A statement that reads ref.Symbol must filter by Category.",
               where);
  }
  BOOST_TEST(print_of(d, "SELECT r.Name FROM ref.Ring r LEFT JOIN ref.Symbol s ON s.Category = N'x'") ==
             "SELECT r.Name FROM SalesDb.ref.Ring AS r LEFT JOIN SalesDb.ref.Symbol AS s ON s.Category = N'x'");
  d.require_filters = {{"ref.Ring", "Code", "Code <> 'X'", "k"}};
  BOOST_TEST(print_of(d, "SELECT Name FROM ref.Ring") ==
             "SELECT Name FROM (SELECT RingID, Name, NameEn, Code FROM SalesDb.ref.Ring WHERE Code <> 'X') AS Ring");
  BOOST_TEST(print_of(d, "SELECT Name FROM ref.Ring WHERE Code = 'X'") ==
             "SELECT Name FROM SalesDb.ref.Ring WHERE Code = 'X'");
  d.require_filters.clear();
  d.require_joins = {{"ref.Symbol", "ref.Ring", "", "k"}};
  BOOST_TEST(print_of(d, "SELECT Code FROM ref.Symbol") ==
             "required_rule: A statement that reads ref.Symbol must join ref.Ring.");
  BOOST_TEST(print_of(d, "SELECT s.Code FROM ref.Symbol s JOIN ref.Ring r ON r.RingID = s.RingID") ==
             "SELECT s.Code FROM SalesDb.ref.Symbol AS s INNER JOIN SalesDb.ref.Ring AS r ON r.RingID = s.RingID");
  for (const char* from :
       {"FROM ref.Symbol s LEFT JOIN ref.Ring r ON r.RingID = s.RingID",
        "FROM ref.Ring r FULL JOIN ref.Symbol s ON r.RingID = s.RingID",
        "FROM ref.Symbol s WHERE NOT EXISTS (SELECT 1 FROM ref.Location l JOIN ref.Ring r ON r.RingID = "
        "s.RingID)"}) {
    BOOST_TEST(print_of(d, std::string("SELECT s.Code ") + from) ==
                   "required_rule: A statement that reads ref.Symbol must join ref.Ring.",
               from);
  }
  d.require_joins = {{"ref.Symbol", "ref.Ring", "Symbol.RingID = Ring.RingID", "k"}};
  BOOST_TEST(
      print_of(d, "SELECT s.Code FROM ref.Symbol s") ==
      "SELECT s.Code FROM (SELECT SymbolID, Code, Name, NameFa, Category, RingID, Unit FROM SalesDb.ref.Symbol WHERE "
      "EXISTS (SELECT 1 FROM SalesDb.ref.Ring WHERE Symbol.RingID = Ring.RingID)) AS s");
}

BOOST_AUTO_TEST_CASE(one_statement_one_datasource) {
  catalog::database other;
  other.datasource = "archive";
  other.name = "OldDb";
  catalog::table t;
  t.schema = "dbo";
  t.name = "Old";
  t.columns.push_back({"Id", *parse_sql_type("int")});
  other.tables.push_back(t);
  BOOST_TEST_REQUIRE(other.index().has_value());
  auto d = rings();
  d.allow.push_back({"OldDb.dbo.Old", {}, ""});
  const auto p = guard::compile_policy(d, {test::demo_catalog(), std::make_shared<const catalog::database>(other)});
  BOOST_TEST_REQUIRE(p.has_value());
  BOOST_TEST(guard::check("SELECT Id FROM OldDb.dbo.Old", *p).printed == "SELECT Id FROM OldDb.dbo.Old");
  BOOST_TEST(guard::check("SELECT Id FROM OldDb.dbo.Old", *p).datasource == "archive");
  const auto v = guard::check("SELECT Id FROM OldDb.dbo.Old JOIN ref.Ring ON RingID = Id", *p);
  BOOST_TEST((v.code == errc::cross_datasource));
}

BOOST_AUTO_TEST_CASE(a_name_without_a_database_is_of_the_first) {
  catalog::database other;
  other.datasource = "archive";
  other.name = "OldDb";
  for (const char* schema : {"ref", "old data"}) {
    catalog::table t;
    t.schema = schema;
    t.name = "Ring";
    t.columns.push_back({"Id", *parse_sql_type("int")});
    t.columns.push_back({"Secret", *parse_sql_type("int")});
    other.tables.push_back(t);
  }
  BOOST_TEST_REQUIRE(other.index().has_value());
  const std::vector<catalog::database_ptr> both{test::demo_catalog(), std::make_shared<const catalog::database>(other)};
  // Which tables of the second database a definition opens: "ref", "old data", both, or what is wrong.
  const auto opened = [&](guard::policy_definition d) {
    const auto p = guard::compile_policy(d, both);
    if (!p) return p.error().message;
    std::string out;
    for (std::size_t t = 0; t < 2; ++t)
      if (p->databases[1].tables[t].allowed) out += "[" + both[1]->tables[t].schema + "]";
    return out;
  };
  const auto allowing = [](const char* table) {
    guard::policy_definition d;
    d.allow = {{table, {}, "k"}};
    return d;
  };
  for (const char* first : {"*", "ref.*", "ref.Ring"}) BOOST_TEST(opened(allowing(first)) == "", first);
  BOOST_TEST(opened(allowing("OldDb.ref.Ring")) == "[ref]");
  BOOST_TEST(opened(allowing("olddb.ref.*")) == "[ref]");
  BOOST_TEST(opened(allowing("OldDb.[old data].*")) == "[old data]");
  BOOST_TEST(opened(allowing("OldDb.*.*")) == "[ref][old data]");
  BOOST_TEST(opened(allowing("Nowhere.ref.*")) == "k: no database Nowhere");
  BOOST_TEST(opened(allowing("Nowhere.*.*")) == "k: no database Nowhere");
  BOOST_TEST(opened(allowing("OldDb.none.*")) == "k: no table matches 'OldDb.none.*'");
  BOOST_TEST(opened(allowing("a.b.c.*")) == "k: 'a.b.c.*' must be schema.*, database.schema.* or database.*.*");
  // Nor does what is denied, filtered or hidden: each names its database.
  auto d = allowing("OldDb.ref.Ring");
  d.deny = {{"ref.Ring.Secret", "deny"}};
  BOOST_TEST(opened(d) == "deny: ref.Ring has no column Secret");
  d.deny = {{"OldDb.ref.Ring.Secret", "deny"}};
  const auto p = guard::compile_policy(d, both);
  BOOST_TEST_REQUIRE(p.has_value());
  BOOST_TEST((guard::check("SELECT Secret FROM OldDb.ref.Ring", *p).code == errc::denied_column));
  d.deny.clear();
  d.row_filters = {{"OldDb.ref.Ring", "Id = 7", "filter"}};
  d.row_cap = 0;
  const auto filtered = guard::compile_policy(d, both);
  BOOST_TEST_REQUIRE(filtered.has_value());
  guard::check_options there;
  there.database = "OldDb";
  BOOST_TEST(guard::check("SELECT Id FROM ref.Ring", *filtered, there).printed ==
             "SELECT Id FROM (SELECT Id, Secret FROM OldDb.ref.Ring WHERE Id = 7) AS Ring");
}

BOOST_AUTO_TEST_CASE(what_a_principal_may_know) {
  const auto& p = test::demo_policy("broker7");
  const auto seen = guard::visible_catalog(p, p.databases.front());
  BOOST_TEST(seen.find_table("hr", "Salary") == nullptr);
  const auto* customer = seen.find_table("sales", "Customer");
  BOOST_TEST_REQUIRE(customer != nullptr);
  BOOST_TEST(customer->find_column("NationalID") == nullptr);
  BOOST_TEST(customer->find_column("LocationID") == nullptr);
  BOOST_TEST(customer->foreign_keys.size() == 1u);
  BOOST_TEST(!seen.find_table("sales", "Order")->row_count.has_value());
}

// Whoever compares a configured name with a catalogue's own must not be led astray by its spelling.
BOOST_AUTO_TEST_CASE(a_column_has_one_path_however_it_is_written) {
  for (const char* text : {"sales.Order.Notes", "sales.[Order].Notes", "[sales].[Order].[Notes]",
                           "SalesDb.sales.Order.Notes", "[SalesDb].sales.\"Order\".Notes"})
    BOOST_TEST(guard::column_path(text).value_or("none") == "sales.Order.Notes", text);
  BOOST_TEST(guard::column_path("a.[b.c].[d]]e]").value_or("none") == "a.b.c.d]e");
  for (const char* text : {"", "Notes", "Order.Notes", "a.b.c.d.e", "a..b", "a.[b.c", "a.b."})
    BOOST_TEST(!guard::column_path(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
