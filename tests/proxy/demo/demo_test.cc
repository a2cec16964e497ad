// The demo's data: what demo readers rely on, the same rows every time, and every reference statement runs.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "proxy/demo/dimensions.h"
#include "proxy/demo/generator.h"
#include "proxy/demo/market.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/engine.h"

using namespace dragoman;

namespace {

struct small_demo {
  std::unique_ptr<sandbox::engine> e;
  std::string directory = (std::filesystem::temp_directory_path() / "dragoman-demo-test").string();

  small_demo() {
    const auto path = demo::ensure_demo(directory, {demo::demo_size::small});
    BOOST_REQUIRE_MESSAGE(path.has_value(), (path ? std::string() : path.error().message));
    auto opened = sandbox::engine::open(*path);
    BOOST_REQUIRE_MESSAGE(opened.has_value(), (opened ? std::string() : opened.error().message));
    e = std::move(*opened);
  }

  result<std::string> rows(const std::string& sql) {
    auto c = e->prepare(sql);
    if (!c) return c.error();
    std::string out;
    std::vector<sql_value> row(c->columns().size());
    for (;;) {
      auto more = c->next(row);
      if (!more) return more.error();
      if (!*more) return out;
      if (!out.empty()) out += "/";
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) out += "|";
        out += is_null(row[i]) ? "~" : sandbox::text_of(row[i], c->columns()[i].type);
      }
    }
  }
  std::string run(const std::string& sql) {
    auto r = rows(sql);
    return r ? *r : "error: " + r.error().message;
  }
  double share(const std::string& condition, const std::string& of = "1 = 1") {
    return std::stod(
        run("SELECT 100.0 * SUM(CASE WHEN " + condition +
            " THEN 1 ELSE 0 END) / COUNT(*) FROM sales.[Order] AS o JOIN sales.OrderStatus AS st ON st.StatusID = "
            "o.StatusID JOIN ref.Currency AS cu ON cu.CurrencyID = o.CurrencyID WHERE " +
            of));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(demo_data, small_demo)

BOOST_AUTO_TEST_CASE(sizes) {
  const std::pair<const char*, const char*> counts[] = {
      {"sales.[Order]", "20000"}, {"sales.Customer", "400"},  {"ref.Broker", "40"},
      {"ref.Ring", "8"},          {"ref.Symbol", "60"},       {"ref.Supplier", "50"},
      {"ref.Currency", "4"},      {"sales.OrderStatus", "4"}, {"sales.[Date]", "1827"}};
  for (const auto& [table, count] : counts) BOOST_TEST(run(std::string("SELECT COUNT(*) FROM ") + table) == count);
  BOOST_TEST(run("SELECT COUNT(DISTINCT Province) FROM ref.Location WHERE Country = 'Iran'") == "31");
  BOOST_TEST(run("SELECT MIN(FullDate), MAX(FullDate) FROM sales.[Date]") == "2020-03-20|2025-03-20");
}

BOOST_AUTO_TEST_CASE(shares) {
  const auto near = [](double value, double wanted, double slack) {
    return value > wanted - slack && value < wanted + slack;
  };
  BOOST_TEST(near(share("st.Name = 'Completed'"), 80, 1.5), share("st.Name = 'Completed'"));
  BOOST_TEST(near(share("st.Name = 'Pending'"), 6, 1), share("st.Name = 'Pending'"));
  BOOST_TEST(near(share("st.Name = 'Cancelled'"), 9, 1), share("st.Name = 'Cancelled'"));
  BOOST_TEST(near(share("st.Name = 'Returned'"), 5, 1), share("st.Name = 'Returned'"));
  BOOST_TEST(near(share("cu.Code = 'IRR'"), 98, 0.5), share("cu.Code = 'IRR'"));
  BOOST_TEST(near(share("o.Notes IS NULL"), 90, 1), share("o.Notes IS NULL"));
  BOOST_TEST(share("o.RingID = 7", "o.IsExport = 1") > 70);
  BOOST_TEST(share("cu.Code <> 'IRR'", "o.IsExport = 1") > 60);
}

BOOST_AUTO_TEST_CASE(rules_of_the_data) {
  // A pending or cancelled order has no delivery, all others have one on or after the order.
  BOOST_TEST(run("SELECT COUNT(*) FROM sales.[Order] WHERE (StatusID IN (2, 3) AND DeliveryDateID IS NOT NULL) OR "
                 "(StatusID IN (1, 4) "
                 "AND (DeliveryDateID IS NULL OR DeliveryDateID < OrderDateID))") == "0");
  BOOST_TEST(run("SELECT COUNT(*) FROM sales.[Order] WHERE TotalPrice <> CAST(CAST(Quantity AS decimal(12,3)) * "
                 "CAST(UnitPrice AS "
                 "decimal(18,2)) * (1 - Discount) AS decimal(19,4))") == "0");
  BOOST_TEST(run("SELECT COUNT(*) FROM sales.[Order] WHERE Quantity <= 0 OR UnitPrice <= 0 OR Discount < 0 OR Discount "
                 ">= 1") == "0");
  BOOST_TEST(
      run("SELECT COUNT(*) FROM ref.Broker AS b WHERE NOT EXISTS (SELECT 1 FROM sales.[Order] AS o WHERE o.BrokerID = "
          "b.BrokerID)") == "1");
  BOOST_TEST(
      run("SELECT COUNT(*) FROM ref.Symbol AS s WHERE NOT EXISTS (SELECT 1 FROM sales.[Order] AS o WHERE o.SymbolID = "
          "s.SymbolID)") == "1");
  const int idle =
      std::stoi(run("SELECT COUNT(*) FROM sales.Customer AS c WHERE NOT EXISTS (SELECT 1 FROM sales.[Order] AS o WHERE "
                    "o.CustomerID = c.CustomerID)"));
  BOOST_TEST(idle >= 3);
  BOOST_TEST(idle <= 40);
  BOOST_TEST(std::stoi(run("SELECT COUNT(*) FROM sales.[Order] WHERE BrokerID = 7")) > 100);
  BOOST_TEST(run("SELECT COUNT(*) FROM sales.[Order] AS o JOIN sales.Customer AS c ON c.CustomerID = o.CustomerID "
                 "WHERE o.OrderDateID < "
                 "c.JoinDateID") == "0");
  // Prices rise over the years for every symbol that is traded.
  BOOST_TEST(run("SELECT COUNT(*) FROM (SELECT o.SymbolID, AVG(CASE WHEN d.PersianYear = 1399 THEN o.UnitPrice END) AS "
                 "f, AVG(CASE WHEN "
                 "d.PersianYear = 1403 THEN o.UnitPrice END) AS l FROM sales.[Order] AS o JOIN sales.[Date] AS d ON "
                 "d.DateID = "
                 "o.OrderDateID WHERE o.CurrencyID = 1 GROUP BY o.SymbolID) AS x WHERE x.l <= x.f * 2") == "0");
  // Holidays are quiet.
  BOOST_TEST(
      std::stod(
          run("SELECT 100.0 * SUM(CASE WHEN d.IsHoliday = 1 THEN 1 ELSE 0 END) / COUNT(*) FROM sales.[Order] AS o JOIN "
              "sales.[Date] AS d ON d.DateID = o.OrderDateID")) < 3);
  BOOST_TEST(
      run("SELECT COUNT(*) FROM sales.[Order] AS o LEFT JOIN sales.[Date] AS d ON d.DateID = o.DeliveryDateID WHERE "
          "o.DeliveryDateID IS NOT NULL AND d.DateID IS NULL") == "0");
}

BOOST_AUTO_TEST_CASE(calendar) {
  BOOST_TEST(run("SELECT PersianYear, PersianMonth, PersianDay, PersianMonthName, MonthName, DayName, DayOfWeek, "
                 "IsHoliday FROM "
                 "sales.[Date] WHERE DateID = 20250310") == "1403|12|20|اسفند|March|Monday|1|0");
  BOOST_TEST(
      run("SELECT FullDate FROM sales.[Date] WHERE PersianYear = 1399 AND PersianMonth = 1 AND PersianDay = 1") ==
      "2020-03-20");
  BOOST_TEST(
      run("SELECT FullDate FROM sales.[Date] WHERE PersianYear = 1403 AND PersianMonth = 12 AND PersianDay = 30") ==
      "2025-03-20");
  BOOST_TEST(run("SELECT MIN(CAST(IsHoliday AS int)) FROM sales.[Date] WHERE DayOfWeek = 5") == "1");
}

// The rows of the small demo, whatever machine they were made on.
BOOST_AUTO_TEST_CASE(determinism) {
  BOOST_TEST(run("SELECT SUM(TotalPrice), SUM(Quantity), SUM(CAST(OrderID AS decimal(19,0)) * CustomerID), "
                 "SUM(CAST(BrokerID AS bigint) * "
                 "SymbolID * SupplierID * RingID), SUM(CAST(OrderDateID AS bigint)), SUM(CAST(DeliveryDateID AS "
                 "bigint)) FROM sales.[Order]") ==
             "506190389864031.8590|10418088.289|42232073663|1786778940|404503082841|345448313535");
  const std::string other = directory + "/again.sqlite";
  BOOST_REQUIRE(demo::generate(other, {demo::demo_size::small}).has_value());
  auto opened = sandbox::engine::open(other);
  BOOST_REQUIRE(opened.has_value());
  std::swap(e, *opened);
  const std::string all = "SELECT TOP 3000 * FROM sales.[Order] ORDER BY OrderID DESC";
  const std::string second = run(all);
  std::swap(e, *opened);
  BOOST_TEST((run(all) == second));
}

BOOST_AUTO_TEST_CASE(reference_statements_run) {
  std::ifstream file(std::string(DRAGOMAN_SOURCE_DIR) + "/../shared/data/demo_questions.jsonl");
  if (!file) {
    std::cout << "reference statements: not run, ../shared is absent\n";
    return;
  }
  std::string line;
  int ran = 0;
  while (std::getline(file, line)) {
    const auto question = boost::json::parse(line).as_object();
    const auto* sql = question.if_contains("sql");
    if (sql == nullptr || !sql->is_string() || sql->as_string().empty()) continue;
    const auto r = rows(std::string(sql->as_string()));
    BOOST_TEST_INFO(question.at("id").as_string());
    BOOST_TEST_INFO(sql->as_string());
    BOOST_TEST(r.has_value(), (r ? std::string() : r.error().message));
    // A question that expects rows has some.
    if (r && r->empty()) std::cout << "no rows: " << question.at("id").as_string() << " " << sql->as_string() << "\n";
    ++ran;
  }
  BOOST_TEST(ran > 100);
}

BOOST_AUTO_TEST_SUITE_END()
