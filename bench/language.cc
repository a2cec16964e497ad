// The guard's work per statement: parse, print, check. No server.
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string>

#include "bench/measures.h"
#include "guard/guard.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::bench {
namespace {

struct sample {
  const char* name;
  const char* sql;
};

constexpr sample samples[] = {
    {"one table",
     "SELECT TOP 10 OrderID, TotalPrice FROM sales.[Order] WHERE CustomerID = 17 ORDER BY TotalPrice DESC"},
    {"join and group",
     "SELECT c.Name, d.PersianYear, SUM(o.TotalPrice) AS sales, COUNT(*) AS orders FROM sales.[Order] AS o "
     "JOIN sales.Customer AS c ON c.CustomerID = o.CustomerID JOIN sales.[Date] AS d ON d.DateID = o.OrderDateID "
     "JOIN sales.OrderStatus AS s ON s.StatusID = o.StatusID WHERE s.Name = N'Completed' AND d.PersianYear BETWEEN "
     "1400 "
     "AND 1403 AND c.Segment IN (N'Retail', N'Trader') GROUP BY c.Name, d.PersianYear HAVING SUM(o.TotalPrice) > "
     "1000000 "
     "ORDER BY sales DESC OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY"},
    {"window over CTE",
     "WITH m AS (SELECT o.SymbolID, d.Year, d.Month, SUM(o.Quantity) AS q FROM sales.[Order] AS o JOIN sales.[Date] AS "
     "d "
     "ON d.DateID = o.OrderDateID GROUP BY o.SymbolID, d.Year, d.Month) SELECT m.SymbolID, m.Year, m.Month, m.q, "
     "SUM(m.q) OVER (PARTITION BY m.SymbolID ORDER BY m.Year, m.Month ROWS BETWEEN 11 PRECEDING AND CURRENT ROW) AS "
     "roll, "
     "CASE WHEN m.q > 100 THEN 'high' ELSE 'low' END AS band FROM m WHERE EXISTS (SELECT 1 FROM ref.Symbol AS s WHERE "
     "s.SymbolID = m.SymbolID AND s.Category = N'Polymer')"},
};

template <class F>
double microseconds_each(F f, int times) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) f();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / times;
}

}  // namespace

void measure_language(const settings& s, figures& out) {
  auto loaded = catalog::load_snapshot(DRAGOMAN_SOURCE_DIR "/conf/demo/catalog.yaml");
  if (!loaded) throw std::runtime_error(loaded.error().message);
  guard::policy_definition rights;
  rights.principal = "bench";
  rights.key = "bench";
  for (const char* table : {"sales.*", "ref.*"}) rights.allow.push_back({table, {}, "bench.allow"});
  rights.row_filters.push_back({"sales.Order", "BrokerID = 7", "bench.row_filters"});
  rights.deny.push_back({"sales.Customer.NationalID", "bench.deny"});
  const auto policy = guard::compile_policy(rights, std::make_shared<const catalog::database>(std::move(*loaded)));
  if (!policy) throw std::runtime_error(policy.error().message);
  const int times = s.quick ? 200 : 5000;
  for (const sample& one : samples) {
    const auto tree = tsql::parse_query(one.sql);
    if (!tree) throw std::runtime_error(std::string(one.name) + ": " + tree.error().message);
    if (const auto v = guard::check(one.sql, *policy); v.kind != guard::verdict_kind::accept)
      throw std::runtime_error(std::string(one.name) + ": " + v.message);
    const std::string name = one.name;
    std::vector<double> parse, print, check;
    for (int i = 0; i < s.runs; ++i) {
      parse.push_back(microseconds_each([&] { return tsql::parse_query(one.sql).has_value(); }, times));
      print.push_back(microseconds_each([&] { return tsql::print(*tree).size(); }, times));
      check.push_back(microseconds_each([&] { return guard::check(one.sql, *policy).printed.size(); }, times));
    }
    out.add("parse, " + name, median(parse), "us");
    out.add("print, " + name, median(print), "us");
    out.add("guard (parse to print), " + name, median(check), "us");
  }
}

}  // namespace dragoman::bench
