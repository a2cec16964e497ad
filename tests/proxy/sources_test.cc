// Several data sources behind one gateway: which one a statement or a question goes to, and that none is reached by
// whoever has no rights there.
#include <boost/test/unit_test.hpp>

#include "proxy/value_text.h"
#include "tests/proxy/two_sources.h"
#include "tests/support/model_server.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::two_sources;
using dragoman::test::model_rule;
using dragoman::test::model_server;

namespace {

two_sources& two_warehouses() {
  static two_sources gateway("nlq:\n  cache:\n    lifetime: 0s\n");
  return gateway;
}

// The rows in one text: "Ada,Oslo;Bo,Bergen".
std::string rows_as_text(const client_answer& answer) {
  std::string out;
  for (const auto& row : answer.rows) {
    if (!out.empty()) out += ";";
    for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + value_text(row[i], answer.columns[i].type);
  }
  return answer.error ? "error " + std::to_string(error_of(answer)) + ": " + answer.error->message : out;
}

bool some_message_says(const client_answer& answer, std::string_view words) {
  for (const std::string& m : answer.messages)
    if (m.find(words) != std::string::npos) return true;
  return false;
}

// Whether the source line of an answer names that source.
bool names_its_source(const client_answer& answer, const std::string& name) {
  return some_message_says(answer, "Source: " + name + ",");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sources)

BOOST_AUTO_TEST_CASE(a_statement_goes_where_its_tables_are) {
  auto c = two_warehouses().client("keeper");
  BOOST_TEST(rows_as_text(c.run("SELECT Name FROM dbo.Member ORDER BY Name")) == "Ada;Bo;Cy");
  BOOST_TEST(rows_as_text(c.run("SELECT Label FROM shop.dbo.Product ORDER BY Label")) == "Chair;Lamp");
  BOOST_TEST(rows_as_text(c.run("DECLARE @n int; SELECT @n = COUNT(*) FROM shop.dbo.Purchase; SELECT @n AS n")) == "5");
  BOOST_TEST(error_of(c.run("SELECT Label FROM dbo.Product")) == 208);
  const auto joined = c.run("SELECT 1 AS x FROM dbo.Member m JOIN shop.dbo.Product p ON p.ProductID = m.MemberID");
  BOOST_TEST(error_of(joined) == 50116);
  BOOST_TEST(error_of(c.run("SELECT 1 AS x FROM dbo.Member UNION ALL SELECT ProductID FROM shop.dbo.Product")) ==
             50116);
}

BOOST_AUTO_TEST_CASE(a_source_may_be_read_without_locks) {
  auto c = two_warehouses().client("keeper");
  const auto hinted = rows_as_text(c.run("EXEC nlq.why N'SELECT p.Label FROM shop.dbo.Product p'"));
  BOOST_TEST(hinted.find("shop.dbo.Product AS p WITH (NOLOCK)") != std::string::npos, hinted);
  const auto plain = rows_as_text(c.run("EXEC nlq.why N'SELECT m.Name FROM dbo.Member m'"));
  BOOST_TEST(plain.find("NOLOCK") == std::string::npos, plain);
}

BOOST_AUTO_TEST_CASE(use_changes_the_current_database) {
  auto c = two_warehouses().client("keeper");
  BOOST_TEST(rows_as_text(c.run("USE shop; SELECT Label FROM Product ORDER BY Label")) == "Chair;Lamp");
  BOOST_TEST(rows_as_text(c.run("USE shop; SELECT DB_NAME() AS d")) == "shop");
  BOOST_TEST(rows_as_text(c.run("USE shop; SELECT name FROM sys.tables ORDER BY name")) == "Product;Purchase");
  BOOST_TEST(rows_as_text(c.run("USE library; SELECT name FROM sys.tables ORDER BY name")) == "Book;Loan;Member");
  BOOST_TEST(rows_as_text(c.run("USE shop; USE master; SELECT DB_NAME() AS d")) == "master");
  BOOST_TEST(rows_as_text(c.run(
                 "USE master; SELECT DB_ID() AS a, DB_ID('library') AS b, HAS_DBACCESS('library') AS c")) == "1,5,1");
  // A conversation about another source ends with it.
  c.run("EXEC nlq.ask N'how many products are there?', @source = N'goods'");
  BOOST_TEST(names_its_source(c.run("USE library; EXEC nlq.ask N'how many members are there?'"), "library"));
  BOOST_TEST(error_of(c.run("USE goods")) == 911);  // a source's name is no database
  BOOST_TEST(error_of(c.run("DECLARE @t TABLE (a int); USE shop")) != 0);
  auto logged_in_there = two_warehouses().client("keeper", "shop");
  BOOST_TEST(rows_as_text(logged_in_there.run("SELECT COUNT(*) AS n FROM Purchase")) == "5");
}

BOOST_AUTO_TEST_CASE(databases_that_are_listed) {
  BOOST_TEST(rows_as_text(two_warehouses().client("keeper").run(
                 "SELECT name FROM sys.databases WHERE database_id > 4 ORDER BY name")) == "library;shop");
  BOOST_TEST(rows_as_text(two_warehouses().client("reader").run(
                 "SELECT name FROM sys.databases WHERE database_id > 4")) == "library");
  auto keeper = two_warehouses().client("keeper");
  BOOST_TEST(rows_as_text(keeper.run("SELECT name FROM sys.databases WHERE HAS_DBACCESS(name) = 1 ORDER BY name")) ==
             "library;master;shop;tempdb");
  BOOST_TEST(rows_as_text(keeper.run("SELECT DB_ID('shop') AS a, DB_NAME(6) AS b, HAS_DBACCESS('attic') AS c")) ==
             "6,shop,0");
  const auto listed = keeper.run("EXEC nlq.sources");
  BOOST_TEST(listed.rows.size() == 2u);
  BOOST_TEST(rows_as_text(listed).find("goods,shop") != std::string::npos);
  BOOST_TEST(rows_as_text(two_warehouses().client("reader").run("EXEC nlq.sources")).find("shop") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_source_without_rights_does_not_exist) {
  auto c = two_warehouses().client("reader");
  BOOST_TEST(error_of(c.run("SELECT Label FROM shop.dbo.Product")) == 208);
  BOOST_TEST(error_of(c.run("USE shop")) == 911);
  BOOST_TEST(error_of(c.run("EXEC nlq.ask N'how many products are there?', @source = N'goods'")) == 8145);
  BOOST_TEST(rows_as_text(c.run("-- ASK: how many products are there?")).starts_with("error "));
  auto no_entry = two_warehouses().client("reader", "shop");
  BOOST_TEST(no_entry.run("SELECT 1 AS x").error.has_value());
}

BOOST_AUTO_TEST_CASE(rights_without_a_database_are_of_the_first) {
  // "dbo.*" of the keeper's deny and the reader's allow must not reach into the shop; the clerk has only the shop.
  auto c = two_warehouses().client("clerk", "");
  BOOST_TEST(rows_as_text(c.run("SELECT DB_NAME() AS d")) == "shop");
  BOOST_TEST(error_of(c.run("SELECT Name FROM library.dbo.Member")) == 208);
  BOOST_TEST(rows_as_text(c.run("SELECT COUNT(*) AS n FROM dbo.Purchase")) == "2");
  BOOST_TEST(rows_as_text(c.run("-- ASK: how many purchases are there?")) == "2");
}

BOOST_AUTO_TEST_CASE(a_question_goes_to_the_source_that_knows_its_words) {
  auto c = two_warehouses().client("keeper");
  const auto members = c.run("-- ASK: how many members are there?");
  BOOST_TEST(rows_as_text(members) == "3");
  BOOST_TEST(names_its_source(members, "library"));
  const auto products = c.run("-- ASK: how many products are there?");
  BOOST_TEST(rows_as_text(products) == "2");
  BOOST_TEST(names_its_source(products, "goods"));
  BOOST_TEST(rows_as_text(c.run("EXEC nlq.ask N'how many products are there?', @source = N'goods'")) == "2");
  BOOST_TEST(rows_as_text(c.run("EXEC nlq.ask N'how many products are there?', @source = N'shop'")) == "2");
  BOOST_TEST(
      rows_as_text(c.run("EXEC nlq.ask N'how many products are there?', @source = N'library'")).starts_with("error "));
  BOOST_TEST(error_of(c.run("EXEC nlq.ask N'how many products are there?', @source = N'attic'")) == 8145);
  const auto told = c.run("EXEC nlq.sql N'how many products are there?'");
  BOOST_TEST(rows_as_text(told).find("shop.dbo.Product") != std::string::npos);
  BOOST_TEST(two_warehouses().audit_text().find("\"source\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_question_in_from_reads_its_own_source) {
  auto c = two_warehouses().client("keeper");
  BOOST_TEST(rows_as_text(c.run("SELECT * FROM nlq.ask(N'how many products are there?') AS a")) == "2");
  BOOST_TEST(rows_as_text(c.run("SELECT * FROM nlq.ask(N'how many members are there?') AS a")) == "3");
  // Not a join over two sources by the back door.
  BOOST_TEST(error_of(c.run(
                 "SELECT m.Name FROM dbo.Member m CROSS JOIN nlq.ask(N'how many products are there?') AS a")) == 50116);
}

BOOST_AUTO_TEST_CASE(answers_of_conversations_about_different_sources_are_kept_apart) {
  two_sources gateway;
  auto c = gateway.client("keeper");
  // The same words after a conversation about either source: what is kept for one is not the other's.
  c.run("EXEC nlq.ask N'how many members are there?', @source = N'library'");
  BOOST_TEST(names_its_source(c.run("-- ASK: how many books are there?"), "library"));
  c.run("EXEC nlq.reset");
  c.run("EXEC nlq.ask N'how many products are there?', @source = N'goods'");
  const auto other = c.run("-- ASK: how many books are there?");
  BOOST_TEST(names_its_source(other, "library"));
  BOOST_TEST(!some_message_says(other, "from the cache"));
}

BOOST_AUTO_TEST_CASE(a_source_that_is_down_leaves_the_other_alone) {
  two_sources gateway;
  gateway.stop_shop();
  auto c = gateway.client("keeper");
  BOOST_TEST(rows_as_text(c.run("SELECT COUNT(*) AS n FROM dbo.Member")) == "3");
  BOOST_TEST(c.run("SELECT COUNT(*) AS n FROM shop.dbo.Product").error.has_value());
  BOOST_TEST(rows_as_text(c.run("-- ASK: how many books are there?")) == "2");
  BOOST_TEST(rows_as_text(c.run("SELECT COUNT(*) AS n FROM dbo.Loan")) == "4");
}

BOOST_AUTO_TEST_CASE(the_model_is_told_of_the_source_that_fits_and_then_of_the_next) {
  const auto rule = [](const char* match, const char* content, int times = -1) {
    model_rule out;
    out.match = match;
    out.content = content;
    out.times = times;
    return out;
  };
  model_server model({rule("how heavy is a product label", "OUT_OF_SCOPE", 1),
                      rule("how heavy is a product label", "SELECT COUNT(*) AS n FROM dbo.Loan"),
                      rule("frobnicate the price of a chair", "SELECT MAX(Price) AS p FROM dbo.Product"),
                      rule("zorble the labels", "SELECT Label FROM Product"),
                      rule("reach over", "SELECT COUNT(*) AS n FROM shop.dbo.Product")});
  two_sources gateway("llm:\n  base_url: " + model.base_url() + "\n  model: scripted\n");
  auto c = gateway.client("keeper");
  const auto price = c.run("-- ASK: frobnicate the price of a chair");
  BOOST_TEST(rows_as_text(price) == "90");
  BOOST_TEST(names_its_source(price, "goods"));
  BOOST_REQUIRE(model.count() == 1u);
  BOOST_TEST(model.requests()[0].body.find("Purchase") != std::string::npos);
  BOOST_TEST(model.requests()[0].body.find("Member") == std::string::npos);  // one source's schema, not both

  c.run("EXEC nlq.reset");
  const auto second = c.run("-- ASK: how heavy is a product label");
  BOOST_TEST(rows_as_text(second) == "4");
  BOOST_TEST(names_its_source(second, "library"));
  BOOST_TEST(model.count() == 3u);

  // A name without a schema means a table of the source that was asked, and nothing else where the answer is used.
  BOOST_TEST(rows_as_text(c.run("EXEC nlq.ask N'zorble the labels', @source = N'goods'")).find("Lamp") !=
             std::string::npos);
  BOOST_TEST(error_of(c.run("SELECT * FROM nlq.ask(N'zorble the labels') AS a")) == 50119);
  BOOST_TEST(rows_as_text(c.run("USE shop; SELECT COUNT(*) AS n FROM nlq.ask(N'zorble the labels') AS a")) == "2");

  // What one principal may not see is in no prompt, whatever the other sources are.
  auto reader = gateway.client("reader");
  reader.run("-- ASK: frobnicate the price of a chair");
  BOOST_TEST(model.requests().back().body.find("Purchase") == std::string::npos);
  // SQL for another source than the one that was asked is not run.
  c.run("EXEC nlq.reset");
  BOOST_TEST(error_of(c.run("EXEC nlq.ask N'reach over', @source = N'library'")) != 0);
}

BOOST_AUTO_TEST_SUITE_END()
