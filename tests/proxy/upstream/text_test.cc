// What happens to texts before they reach the driver and after they come back: no server needed.
#include <boost/test/unit_test.hpp>

#include "proxy/upstream/errors.h"
#include "proxy/upstream/options.h"
#include "proxy/upstream/parameters.h"
#include "proxy/upstream/showplan.h"
#include "proxy/upstream/text_encoding.h"

using namespace dragoman;
using namespace dragoman::upstream;

BOOST_AUTO_TEST_SUITE(upstream_text)

BOOST_AUTO_TEST_CASE(connection_string_quotes_every_value) {
  options o;
  o.server = "db.example";
  o.port = 1499;
  o.user = "a;b";
  o.password = secret("x};PWD={y");
  o.database = "Sales}Db";
  o.encryption = encryption_mode::require;
  BOOST_REQUIRE(!connection_string(o));  // FreeTDS cannot take "};"
  BOOST_TEST(connection_string(o).error().message.find("{y") == std::string::npos);
  o.password = secret("x};PWD={y");
  o.driver = "ODBC Driver 18 for SQL Server";
  const std::string doubled(connection_string(o)->reveal());
  BOOST_TEST(doubled.find("PWD={x}};PWD={y};") != std::string::npos);
  o.driver = options().driver;
  o.password = secret("x}PWD;=y}");
  const std::string text(connection_string(o)->reveal());
  BOOST_TEST(text.find("PWD={x}PWD;=y}};") != std::string::npos);
  BOOST_TEST(text.find("UID={a;b};") != std::string::npos);
  BOOST_TEST(text.find("Database={Sales}Db};") != std::string::npos);
  BOOST_TEST(text.find("Encryption={require};") != std::string::npos);
  BOOST_TEST(text.find("Port={1499};") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(markers) {
  const auto p = [](std::string name, std::string_view type) {
    return parameter{std::move(name), *parse_sql_type(type), null_value{}};
  };
  const std::vector<parameter> known{p("@a", "int"), p("@B", "nvarchar(10)"), p("@d", "datetime"), p("@m", "money")};
  struct row {
    std::string sql;
    std::string expected;
    std::vector<std::size_t> order;
  };
  const std::vector<row> table{
      {"SELECT @a", "SELECT ?", {0}},
      {"SELECT @b, @A, @b", "SELECT ?, ?, @P1", {1, 0}},
      {"SELECT '@a', [@a], \"@a\", @a", "SELECT '@a', [@a], \"@a\", ?", {0}},
      {"SELECT 'it''s @a' + @b", "SELECT 'it''s @a' + ?", {1}},
      {"SELECT [x]]@a], @a", "SELECT [x]]@a], ?", {0}},
      {"SELECT @@ROWCOUNT, @a", "SELECT @@ROWCOUNT, ?", {0}},
      {"SELECT N'@b', a@a, @a", "SELECT N'@b', a@a, ?", {0}},
      {"WHERE x = @d AND y = @d", "WHERE x = CAST(? AS datetime) AND y = CAST(@P1 AS datetime)", {2}},
      {"TOP (@a) @m", "TOP (?) CAST(? AS money)", {0, 3}},
      {"no parameter", "no parameter", {}},
  };
  for (const row& r : table) {
    const auto got = mark_parameters(r.sql, known);
    BOOST_REQUIRE_MESSAGE(got, r.sql);
    BOOST_TEST(got->sql == r.expected);
    BOOST_TEST(got->order == r.order, boost::test_tools::per_element());
  }
  const auto unknown = mark_parameters("SELECT @zz", known);
  BOOST_REQUIRE(!unknown);
  BOOST_TEST(unknown.error().number == 137);
}

BOOST_AUTO_TEST_CASE(settings_are_checked) {
  session_settings s;
  BOOST_TEST(s.set("datefirst", "1").has_value());
  BOOST_TEST(s.set("ANSI_NULLS", "off").has_value());
  BOOST_TEST(s.set("LANGUAGE", "Français").has_value());
  BOOST_TEST(!s.set("LANGUAGE", "x'; DROP TABLE t --").has_value());
  BOOST_TEST(!s.set("DATEFIRST", "8").has_value());
  BOOST_TEST(!s.set("DATEFIRST", "1; DROP").has_value());
  BOOST_TEST(!s.set("DATEFORMAT", "xyz").has_value());
  BOOST_TEST(!s.set("IDENTITY_INSERT", "ON").has_value());
}

BOOST_AUTO_TEST_CASE(settings_are_brought_where_they_differ) {
  struct row {
    std::vector<std::pair<std::string, std::string>> from, to;
    std::string expected;
  };
  const std::vector<row> table{
      {{}, {}, ""},
      {{}, {{"DATEFIRST", "7"}}, ""},
      {{}, {{"DATEFIRST", "1"}}, "SET DATEFIRST 1;"},
      {{{"DATEFIRST", "1"}}, {}, "SET DATEFIRST 7;"},
      {{{"ANSI_NULLS", "OFF"}}, {{"ANSI_NULLS", "OFF"}}, ""},
      {{}, {{"LANGUAGE", "Deutsch"}}, "SET LANGUAGE N'Deutsch';"},
      {{}, {{"LANGUAGE", "Deutsch"}, {"DATEFIRST", "7"}}, "SET LANGUAGE N'Deutsch';SET DATEFIRST 7;"},
      // The language alone brings Monday; a session that wants Sunday says so although 7 is the usual value.
      {{{"LANGUAGE", "Deutsch"}}, {{"LANGUAGE", "Deutsch"}, {"DATEFIRST", "7"}}, "SET DATEFIRST 7;"},
      {{{"LANGUAGE", "Deutsch"}, {"DATEFIRST", "7"}}, {{"LANGUAGE", "Deutsch"}}, "SET LANGUAGE N'Deutsch';"},
      {{{"LANGUAGE", "Deutsch"}}, {}, "SET LANGUAGE N'us_english';"},
      {{{"LANGUAGE", "Deutsch"}}, {{"DATEFIRST", "1"}}, "SET LANGUAGE N'us_english';SET DATEFIRST 1;"},
      {{{"ROWCOUNT", "5"}}, {}, "SET ROWCOUNT 0;"},
  };
  for (const row& r : table) {
    session_settings from, to;
    for (const auto& [k, v] : r.from) BOOST_REQUIRE(from.set(k, v));
    for (const auto& [k, v] : r.to) BOOST_REQUIRE(to.set(k, v));
    BOOST_TEST(to.difference_from(from) == r.expected);
  }
}

BOOST_AUTO_TEST_CASE(errors_are_relayed_reworded_or_withheld) {
  const auto of = [](int number, std::string text) {
    return classify({{"01000", 5701, "noise"}, {"42000", number, std::move(text)}});
  };
  const classified own = of(8134, "Divide by zero error encountered.");
  BOOST_TEST(own.error.error_number() == 8134);
  BOOST_TEST(own.error.message == "Divide by zero error encountered.");
  BOOST_TEST(own.error_id.empty());

  const classified value =
      of(245, "Conversion failed when converting the nvarchar value 'secret name' to data type int.");
  BOOST_TEST(value.error.error_number() == 245);
  BOOST_TEST(value.error.message.find("secret name") == std::string::npos);

  const classified name = of(229, "The SELECT permission was denied on the object 'Salary', database 'Hr'.");
  BOOST_TEST(name.error.error_number() == 50135);
  BOOST_TEST(name.error.message.find("Salary") == std::string::npos);
  BOOST_TEST(name.error.message.find(name.error_id) != std::string::npos);
  BOOST_TEST(name.error_id.size() == 8U);
  BOOST_TEST(new_error_id() != new_error_id());
}

BOOST_AUTO_TEST_CASE(code_pages) {
  const collation persian = collation_named("Persian_100_CI_AS");
  const std::vector<std::uint8_t> salam{0xD3, 0xE1, 0xC7, 0xE3};  // windows-1256
  BOOST_TEST(to_utf8(salam, persian) == "سلام");
  BOOST_TEST((collation_named("SQL_Latin1_General_CP1_CI_AS") == collation{}));
  BOOST_TEST(collation_named("Latin1_General_100_CI_AS_SC_UTF8").utf8());
  BOOST_TEST(to_utf8(std::vector<std::uint8_t>{0xE9}, collation{}) == "é");
}

BOOST_AUTO_TEST_CASE(plans) {
  const auto e = read_showplan(
      "<ShowPlanXML><StmtSimple StatementText=\"SELECT 1\" StatementEstRows=\"120.5\" StatementSubTreeCost=\"0.25\"/>"
      "<StmtSimple StatementEstRows=\"7\" StatementSubTreeCost=\"1e-1\"/></ShowPlanXML>");
  BOOST_REQUIRE(e);
  BOOST_TEST(e->cost == 0.35, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(e->rows == 120.5);
  BOOST_TEST(!read_showplan("<ShowPlanXML/>").has_value());
  statement s;
  s.sql = "SELECT @n";
  s.parameters.push_back({"@n", *parse_sql_type("decimal(9,2)"), null_value{}});
  BOOST_TEST(showplan_text(s) == "DECLARE @n decimal(9,2);\nSELECT @n");
}

BOOST_AUTO_TEST_SUITE_END()
