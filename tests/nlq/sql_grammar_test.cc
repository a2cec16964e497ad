// What a model is held to: the grammar of one principal's SELECTs, read by a recogniser of the notation.
#include "nlq/sql_grammar.h"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <regex>

#include "base/question_limits.h"
#include "nlq/pipeline.h"
#include "nlq/prompt.h"
#include "retrieval/schema_text.h"
#include "tests/nlq/gbnf.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

std::string grammar_of(const catalog::database_ptr& db, const retrieval::visibility& visible) {
  const auto index = retrieval::table_index::build(db, {});
  const auto scope = index->scope(visible);
  const auto own = made_up_names_of(*db, scope);
  BOOST_TEST_REQUIRE(own.has_value());
  return sql_grammar(*db, scope, retrieval::visible_tables(*db, scope), *own);
}

const std::string& analysts_grammar() {
  static const std::string made = grammar_of(test::exchange_catalog(), test::analyst());
  return made;
}

prompt_material constrained(std::size_t budget) {
  prompt_material m;
  m.source = "exchange";
  m.tables = retrieval::table_index::build(test::exchange_catalog(), {});
  m.visible = test::analyst();
  m.prefix_tokens_max = budget;
  m.grammar = true;
  return m;
}

catalog::database_ptr with_columns(std::vector<std::string> columns) {
  auto db = std::make_shared<catalog::database>();
  db->tables = {test::make_table("dbo", "Thing", "", std::move(columns))};
  BOOST_TEST_REQUIRE(db->index().has_value());
  return db;
}

// The same statement with made-up names in the form that the prompt asks for: "AS sales" → "AS sales_x".
std::string in_the_form_asked_for(std::string sql) {
  static const std::regex alias(R"( AS ([a-z][a-z0-9]*)\b(?!\s*\())");
  std::set<std::string> made;
  for (std::sregex_iterator at(sql.begin(), sql.end(), alias), end; at != end; ++at) made.insert((*at)[1]);
  for (const std::string& name : made) {
    const auto count = [&](const std::string& pattern) {
      const std::regex wanted(pattern);
      return std::distance(std::sregex_iterator(sql.begin(), sql.end(), wanted), std::sregex_iterator());
    };
    // Of a table: it qualifies columns, and is not the schema of that name.
    if (count("\\b" + name + "\\.") > count("(FROM|JOIN) " + name + "\\.")) continue;
    sql = std::regex_replace(sql, std::regex("\\b" + name + "\\b(?!['.])"), name + "_x");
  }
  return sql;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sql_grammars)

BOOST_AUTO_TEST_CASE(selects_of_every_shape_are_sentences) {
  const test::gbnf grammar(analysts_grammar());
  for (const char* sql : {
           "OUT_OF_SCOPE",
           "SELECT COUNT(*) FROM sales.[Order]",
           "SELECT COUNT(*) AS order_count FROM sales.[Order] AS o;",
           "SELECT COUNT(*) AS [Number of orders, 1402] FROM [sales].[Order] AS o",
           "SELECT DISTINCT TOP (5) c.Segment FROM sales.Customer AS c ORDER BY c.Segment DESC",
           "SELECT TOP 3 WITH TIES s.Name, SUM(o.TotalPrice) AS total_price\nFROM sales.[Order] AS o\n    INNER JOIN "
           "ref.Symbol AS s ON s.SymbolID = o.SymbolID\nWHERE s.Category IN (N'Steel', N'Poly''mer') AND o.Quantity > "
           "-2.5\nGROUP BY s.Name\nHAVING SUM(o.TotalPrice) > 0\nORDER BY total_price DESC, s.Name",
           "SELECT o.OrderID FROM sales.[Order] AS o ORDER BY o.OrderID OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY",
           "WITH per_broker AS (SELECT o.BrokerID, SUM(o.TotalPrice) AS sales_sum FROM sales.[Order] AS o GROUP BY "
           "o.BrokerID), named_ones AS (SELECT b.Name, p.sales_sum FROM per_broker AS p LEFT JOIN ref.Broker AS b ON "
           "b.BrokerID = p.BrokerID) SELECT Name, sales_sum FROM named_ones ORDER BY sales_sum",
           "SELECT CASE WHEN o.Quantity > 10 THEN N'large' WHEN o.Quantity > 5 THEN N'some' ELSE N'few' END AS size_of "
           "FROM sales.[Order] AS o",
           "SELECT CASE c.Segment WHEN N'Trader' THEN 1 ELSE 0 END AS is_trader FROM sales.Customer AS c",
           "SELECT CAST(o.Quantity AS DECIMAL(18, 2)) / NULLIF(o.TotalPrice, 0) AS per_unit, CONVERT(NVARCHAR(10), "
           "d.FullDate, 23) AS day_text, TRY_CAST(d.Year AS int) AS year_no FROM sales.[Order] AS o JOIN sales.[Date] "
           "AS d ON d.DateID = o.OrderDateID",
           "SELECT d.PersianYear, SUM(SUM(o.TotalPrice)) OVER (ORDER BY d.PersianYear ROWS BETWEEN UNBOUNDED PRECEDING "
           "AND CURRENT ROW) AS running_total, RANK() OVER (PARTITION BY d.PersianYear ORDER BY SUM(o.Quantity) DESC) "
           "AS rank_no, LAG(SUM(o.TotalPrice), 1) OVER (ORDER BY d.PersianYear) AS year_before FROM sales.[Order] AS o "
           "JOIN sales.[Date] AS d ON d.DateID = o.OrderDateID GROUP BY d.PersianYear",
           "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY o.TotalPrice) OVER (PARTITION BY o.BrokerID) AS "
           "mid_price "
           "FROM sales.[Order] AS o",
           "SELECT c.Name FROM sales.Customer AS c WHERE NOT EXISTS (SELECT 1 FROM sales.[Order] AS o WHERE "
           "o.CustomerID = c.CustomerID) AND (c.Name LIKE N'%تهران%' OR c.Segment IS NOT NULL)",
           "SELECT o.OrderID FROM sales.[Order] AS o WHERE o.TotalPrice > (SELECT AVG(x.TotalPrice) FROM sales.[Order] "
           "AS x) AND o.Quantity BETWEEN 1 AND 5",
           "SELECT DATEDIFF(day, d.FullDate, GETDATE()) AS days_ago, IIF(d.Year > 2000, 1, 0) AS is_new FROM "
           "sales.Date "
           "AS d",
           "SELECT Name FROM ref.Broker UNION ALL SELECT Name FROM ref.Symbol",
           "SELECT c.Name, l.City FROM sales.Customer AS c JOIN ref.Location AS l ON c.LocationID = l.LocationID AND "
           "l.City <> N'Qom'",
           "SELECT 100.0 * COUNT(DISTINCT o.CustomerID) / COUNT(*) AS share_of FROM sales.[Order] AS o",
           "SELECT c.Name, t.OrderID FROM sales.Customer AS c CROSS APPLY (SELECT TOP (1) o.OrderID FROM sales.[Order] "
           "AS o WHERE o.CustomerID = c.CustomerID ORDER BY o.TotalPrice DESC) AS t",
       })
    BOOST_TEST(grammar.accepts(sql), sql << "\nas far as: " << std::string(sql).substr(0, grammar.reaches(sql)));
}

BOOST_AUTO_TEST_CASE(what_is_no_sentence) {
  const test::gbnf grammar(analysts_grammar());
  for (const char* sql : {
           "",
           "SELECT",
           "Here is the query: SELECT Name FROM ref.Broker",
           "```sql\nSELECT Name FROM ref.Broker\n```",
           "SELECT Name FROM ref.Broker -- all of them",
           "SELECT Name /* all */ FROM ref.Broker",
           "SELECT Quantity--1\nFROM sales.[Order]",
           "SELECT Quantity/*1 FROM sales.[Order]",
           "SELECT Name FROM ref.Broker; DROP TABLE ref.Broker",
           "SELECT Name FROM ref.Broker;;",
           "SELECT Name INTO ref.Copy FROM ref.Broker",
           "INSERT INTO ref.Broker (Name) SELECT Name FROM ref.Broker",
           "DELETE FROM ref.Broker",
           "EXEC sp_who",
           "SELECT * FROM sales.Customer",
           "SELECT c.* FROM sales.Customer AS c",
           "SELECT NationalID FROM sales.Customer",
           "SELECT c.NationalID FROM sales.Customer AS c",
           "SELECT c.[NationalID] FROM sales.Customer AS c",
           "SELECT c.Name FROM sales.Customer AS c ORDER BY nationalid",
           "SELECT c.Name FROM sales.Customer AS c WHERE c.Phone = N'1'",
           "SELECT Amount FROM hr.Salary",
           "SELECT Name FROM hr.Salary",
           "SELECT Name FROM Broker",
           "SELECT name FROM sys.objects",
           "SELECT Name FROM OtherDb.ref.Broker",
           "SELECT c.LocationID FROM sales.Warehouse AS c",
           "SELECT SUSER_NAME() FROM ref.Broker",
           "SELECT NEWID() FROM ref.Broker",
           "SELECT dbo.f(Name) FROM ref.Broker",
           "SELECT @@VERSION FROM ref.Broker",
           "SELECT Name FROM ref.Broker LIMIT 5",
           "SELECT Name FROM ref.Broker WHERE Name = N'O'Brien'",
           "OUT_OF_SCOPE because",
       })
    BOOST_TEST(!grammar.accepts(sql), sql);
  for (const char* hidden : {"NationalID", "National", "Phone", "Salary", "Amount", "Employee", "hr"})
    BOOST_TEST(analysts_grammar().find(std::string("\"") + hidden) == std::string::npos, hidden);
}

BOOST_AUTO_TEST_CASE(columns_for_joins_only_stand_in_on) {
  const auto join_only = [](const catalog::table&, const catalog::column& c) {
    return c.name == "SecretKey" ? retrieval::column_right::join_only : retrieval::column_right::visible;
  };
  auto db = std::make_shared<catalog::database>();
  db->tables = {test::make_table("dbo", "A", "", {"Id", "SecretKey"}),
                test::make_table("dbo", "B", "", {"Id", "SecretKey"})};
  BOOST_TEST_REQUIRE(db->index().has_value());
  const test::gbnf grammar(grammar_of(db, join_only));
  BOOST_TEST(grammar.accepts("SELECT a.Id FROM dbo.A AS a JOIN dbo.B AS b ON a.SecretKey = b.SecretKey"));
  BOOST_TEST(grammar.accepts("SELECT a.Id FROM dbo.A AS a JOIN dbo.B AS b ON a.SecretKey = b.SecretKey AND a.Id > 1"));
  for (const char* sql : {"SELECT a.SecretKey FROM dbo.A AS a",
                          "SELECT a.Id FROM dbo.A AS a JOIN dbo.B AS b ON a.SecretKey > b.SecretKey",
                          "SELECT a.Id FROM dbo.A AS a JOIN dbo.B AS b ON a.SecretKey = N'x'",
                          "SELECT a.Id FROM dbo.A AS a WHERE a.SecretKey = a.SecretKey"})
    BOOST_TEST(!grammar.accepts(sql), sql);
}

BOOST_AUTO_TEST_CASE(made_up_names_look_like_nothing_hidden) {
  const auto hides_all_but_id = [](const catalog::table&, const catalog::column& c) {
    return c.name == "Id" ? retrieval::column_right::visible : retrieval::column_right::hidden;
  };
  struct row {
    std::vector<std::string> columns;
    const char* prefix;
  };
  for (const row& r : {row{{"Id", "CreditLimit"}, ""}, row{{"Id", "Credit_Limit"}, "x_"},
                       row{{"Id", "credit_limit", "X_Ray"}, "za_"}, row{{"Id", "Credit Limit"}, ""}}) {
    const auto db = with_columns(r.columns);
    const auto scope = retrieval::table_index::build(db, {})->scope(hides_all_but_id);
    const auto own = made_up_names_of(*db, scope);
    BOOST_TEST_REQUIRE(own.has_value());
    BOOST_TEST(own->prefix == r.prefix);
    const test::gbnf grammar(sql_grammar(*db, scope, {0}, *own));
    BOOST_TEST(grammar.accepts("SELECT COUNT(*) AS " + own->prefix + "a_b FROM dbo.Thing"));
    for (std::size_t k = 1; k < r.columns.size(); ++k)
      for (const std::string& name : {r.columns[k], catalog::folded(r.columns[k]), "[" + r.columns[k] + "]"})
        BOOST_TEST(!grammar.accepts("SELECT " + name + " FROM dbo.Thing"), name);
    BOOST_TEST((own->rule().find(own->prefix + (own->prefix.empty() ? "total_sales" : "total")) != std::string::npos));
  }
}

BOOST_AUTO_TEST_CASE(names_are_quoted_for_both_languages) {
  const test::gbnf grammar(grammar_of(
      with_columns({"Id", "Na\"me", "back\\slash", "with ]bracket", "Order", "نام", "نامه", "Name", "Names", "a\nb"}),
      retrieval::everything_visible()));
  for (const char* name : {"Id", "[Na\"me]", "[back\\slash]", "[with ]]bracket]", "[Order]", "[نام]", "[نامه]", "Name",
                           "Names", "[Names]"})
    BOOST_TEST(grammar.accepts("SELECT " + std::string(name) + " FROM dbo.Thing"), name);
  for (const char* name : {"Order", "[with ]bracket]", "[a\nb]", "Nam", "[نا]", "Namesx"})
    BOOST_TEST(!grammar.accepts("SELECT " + std::string(name) + " FROM dbo.Thing"), name);
}

BOOST_AUTO_TEST_CASE(the_same_bytes_for_every_question_of_a_prefix) {
  const auto a = prompt_base::build(constrained(6000)), b = prompt_base::build(constrained(6000));
  const std::string first = a->grammar({.question = "sales"});
  BOOST_TEST((first == analysts_grammar()));
  for (const char* q : {"", "فروش تهران", "customers by segment"})
    for (const auto& base : {a, b})
      BOOST_TEST((base->grammar({.question = q, .conversation = q, .today = 739000}) == first));
  BOOST_TEST(a->prefix().find("total_sales") != std::string::npos);

  const auto cut = prompt_base::build(constrained(10));
  BOOST_TEST(!cut->whole_schema());
  const test::gbnf one(cut->grammar({.question = "brokers"}));
  BOOST_TEST(one.accepts("SELECT b.Name FROM ref.Broker AS b"));
  BOOST_TEST(!one.accepts("SELECT s.Name FROM ref.Symbol AS s"));

  prompt_material free = constrained(6000);
  free.grammar = false;
  const auto without = prompt_base::build(free);
  BOOST_TEST(without->grammar({.question = "sales"}).empty());
  BOOST_TEST(without->prefix().find("total_sales") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(too_large_a_schema_has_none) {
  std::vector<std::string> columns;
  for (std::size_t k = 0; k < limits::grammar_names_max; ++k) columns.push_back("Column" + std::to_string(k));
  BOOST_TEST(grammar_of(with_columns(columns), retrieval::everything_visible()).empty());
  BOOST_TEST(grammar_of(with_columns({"Only"}), [](const auto&, const auto&) {
               return retrieval::column_right::join_only;
             }).empty());
  BOOST_TEST(analysts_grammar().size() < limits::grammar_bytes_max / 4, analysts_grammar().size());
}

BOOST_AUTO_TEST_CASE(statements_that_people_wrote_are_sentences) {
  const std::string root = DRAGOMAN_SOURCE_DIR;
  auto read = catalog::load_snapshot(root + "/conf/demo/catalog.yaml");
  BOOST_TEST_REQUIRE(read.has_value());
  const test::gbnf grammar(
      grammar_of(std::make_shared<const catalog::database>(std::move(*read)), retrieval::everything_visible()));
  std::size_t all = 0, accepted = 0;
  for (const char* file : {"questions.jsonl", "more_questions.jsonl", "third_questions.jsonl"}) {
    std::ifstream in(root + "/tests/nlq/challenge/" + file);
    for (std::string line; std::getline(in, line);) {
      const auto row = boost::json::parse(line);
      const auto* sql = row.as_object().if_contains("sql");
      if (sql == nullptr || !sql->is_string() || sql->as_string().empty()) continue;
      ++all;
      const std::string text = in_the_form_asked_for(std::string(sql->as_string()));
      if (grammar.accepts(text))
        ++accepted;
      else
        BOOST_TEST_MESSAGE("not a sentence: " << text.substr(0, grammar.reaches(text)) << " <HERE> "
                                              << text.substr(grammar.reaches(text)));
    }
  }
  BOOST_TEST_MESSAGE(accepted << " of " << all << " statements are sentences");
  BOOST_TEST(all > 300u);
  BOOST_TEST(accepted == all, accepted << " of " << all);
}

BOOST_AUTO_TEST_CASE(the_model_is_asked_with_it) {
  environment env;
  env.has_model = true;
  source_view view;
  view.name = "exchange";
  view.understand = [](std::string_view) -> understanding { return needs_model{}; };
  view.prompt = prompt_base::build(constrained(6000));
  env.sources = {view};
  pipeline p(std::make_shared<const environment>(std::move(env)), "what do brokers do", ask_mode::result);
  const action asked = p.start();
  const auto* call = std::get_if<call_model>(&asked);
  BOOST_TEST_REQUIRE(call != nullptr);
  BOOST_TEST((call->grammar == analysts_grammar()));
  BOOST_TEST(call->json_schema.empty());
}

BOOST_AUTO_TEST_SUITE_END()
