#include "tests/nlq/shop.h"

#include "guard/policy.h"
#include "guard/tsql/printer.h"

namespace dragoman::nlq::testing {

std::string shop_layer(const std::string& more) {
  return R"yaml(version: 1
title: {en: the shop}
covers: {en: "Orders, stock and returns."}
default_metric: sales
dates: {table: dbo.Day, column: FullDate, key: DateID, alias: day, first: 2022-01-01, last: 2025-12-31}
roles:
  header: {table: dbo.OrderHeader, alias: h, key: OrderID, time: header_date}
  line: {table: dbo.OrderLine, alias: l, time: header_date}
  stock: {table: dbo.Stock, alias: s, key: StockID, time: stock_date}
  returned: {table: dbo.Returned, alias: r, key: ReturnID, time: return_date}
  account: {table: dbo.Account, alias: a, key: AccountID}
  owner: {table: dbo.AccountOwner, alias: ow}
  product: {table: dbo.Product, alias: p, key: ProductID}
  customer: {table: dbo.Customer, alias: c, key: CustomerID}
  region: {table: dbo.Region, alias: g, key: RegionID}
  header_date: {table: dbo.Day, alias: hd, key: DateID}
  stock_date: {table: dbo.Day, alias: sd, key: DateID}
  return_date: {table: dbo.Day, alias: rd, key: DateID}
joins:
  - {from: line, to: header, on: "header.OrderID = line.OrderID"}
  - {from: line, to: product, on: "product.ProductID = line.ProductID"}
  - {from: header, to: customer, on: "customer.CustomerID = header.CustomerID"}
  - {from: header, to: header_date, on: "header_date.DateID = header.DateID"}
  - {from: customer, to: region, on: "region.RegionID = customer.RegionID", optional: true}
  - {from: stock, to: product, on: "product.ProductID = stock.ProductID"}
  - {from: stock, to: region, on: "region.RegionID = stock.RegionID"}
  - {from: stock, to: stock_date, on: "stock_date.DateID = stock.DateID"}
  - {from: returned, to: product, on: "product.ProductID = returned.ProductID"}
  - {from: returned, to: customer, on: "customer.CustomerID = returned.CustomerID"}
  - {from: returned, to: return_date, on: "return_date.DateID = returned.DateID"}
  - {from: owner, to: account, on: "account.AccountID = owner.AccountID"}
  - {from: owner, to: customer, on: "customer.CustomerID = owner.CustomerID"}
calendars:
  gregorian:
    year: Year
    month: Month
    grains:
      day: {number: FullDate, alias: day}
      month: {number: Month, alias: month_no}
      quarter: {number: "(Month + 2) / 3", alias: quarter}
      year: {number: Year, alias: year}
  persian:
    year: PersianYear
    month: PersianMonth
    grains:
      day: {number: FullDate, alias: day}
      month: {number: PersianMonth, alias: month_no}
      quarter: {number: "(PersianMonth + 2) / 3", alias: quarter}
      year: {number: PersianYear, alias: year}
dimensions:
  product:
    entity: true
    roles: [product]
    key: ProductID
    name: {en: Name}
    label: {en: product, fa: کالا}
    words: {en: [product], fa: [کالا]}
  category:
    roles: [product]
    name: {en: Category}
    owner: product
    label: {en: category, fa: دسته}
    words: {en: [category], fa: [دسته]}
  customer:
    entity: true
    roles: [customer]
    key: CustomerID
    name: {en: Name}
    label: {en: customer, fa: مشتری}
    words: {en: [customer], fa: [مشتری]}
  region:
    entity: true
    roles: [region]
    key: RegionID
    name: {en: Name}
    label: {en: region, fa: منطقه}
    words: {en: [region], fa: [منطقه]}
metrics:
  sales:
    label: {en: sales, fa: فروش}
    base: line
    formula: "SUM(line.Amount)"
    unit: money
    words: {en: [sales], fa: [فروش]}
  freight:
    label: {en: freight, fa: کرایه}
    base: header
    formula: "SUM(header.Freight)"
    unit: money
    words: {en: [freight], fa: [کرایه]}
  orders:
    label: {en: orders, fa: تعداد سفارش}
    base: header
    formula: "COUNT(*)"
    unit: count
    words: {en: ["order[s]"], fa: [سفارش, تعداد سفارش]}
  distinct_orders:
    label: {en: orders with it, fa: سفارش‌های دارای آن}
    base: line
    formula: "COUNT(DISTINCT line.OrderID)"
    unit: count
    words: {en: [distinct orders], fa: [سفارش‌های متمایز]}
  stock:
    label: {en: stock, fa: موجودی}
    base: stock
    formula: "SUM(stock.OnHand)"
    unit: quantity
    words: {en: [stock, inventory], fa: [موجودی]}
  returns:
    label: {en: returns, fa: تعداد مرجوعی}
    base: returned
    formula: "COUNT(*)"
    unit: count
    words: {en: ["return[s]"], fa: [مرجوعی, تعداد مرجوعی]}
  returned_amount:
    label: {en: returned amount, fa: مبلغ مرجوعی}
    base: returned
    formula: "SUM(returned.Amount)"
    unit: money
    words: {en: [returned amount], fa: [مبلغ مرجوعی]}
  last_return:
    label: {en: last return date}
    base: returned
    formula: "MAX(return_date.FullDate)"
    averaged: true
    words: {en: [last return date], fa: [تاریخ آخرین مرجوعی]}
  balance:
    label: {en: balance, fa: مانده}
    base: account
    formula: "SUM(account.Balance)"
    unit: money
    words: {en: [balance], fa: [مانده]}
)yaml" + more;
}

void shop::table(const std::string& name, const std::vector<std::pair<std::string, std::string>>& columns,
                 const std::string& values) {
  add("dbo", name, columns, "INSERT INTO \"dbo." + name + "\" VALUES" + values);
  catalog::table t;
  t.schema = "dbo";
  t.name = name;
  for (const auto& [column, type] : columns) {
    catalog::column c;
    c.name = column;
    c.type = parse_sql_type(type).value();
    t.columns.push_back(std::move(c));
  }
  described_.tables.push_back(std::move(t));
}

shop::shop(const std::string& more) {
  described_.name = "Shop";
  e->facts().database = "Shop";
  auto day = [](int y, int m, int d) { return std::to_string(to_day_number({y, m, d})); };
  std::string days;
  for (day_number n = to_day_number({2022, 1, 1}); n <= to_day_number({2025, 12, 31}); ++n) {
    const civil_date g = to_civil(n), p = to_persian(n);
    if (!days.empty()) days += ",";
    days += "(" + std::to_string(n) + "," + std::to_string(n) + "," + std::to_string(g.year) + "," +
            std::to_string(g.month) + "," + std::to_string(p.year) + "," + std::to_string(p.month) + ")";
  }
  table("Day",
        {{"DateID", "int"},
         {"FullDate", "date"},
         {"Year", "int"},
         {"Month", "int"},
         {"PersianYear", "int"},
         {"PersianMonth", "int"}},
        days);
  table("Region", {{"RegionID", "int"}, {"Name", "nvarchar(20)"}}, "(1,'North'),(2,'South'),(3,'West')");
  table("Product", {{"ProductID", "int"}, {"Name", "nvarchar(20)"}, {"Category", "nvarchar(20)"}},
        "(1,'Pen','Writing'),(2,'Pad','Paper'),(3,'Ink','Writing'),(4,'Box',NULL)");
  table("Customer", {{"CustomerID", "int"}, {"Name", "nvarchar(20)"}, {"RegionID", "int"}},
        "(1,'Ann',1),(2,'Bob',2),(3,'Cyd',NULL)");
  table("OrderHeader", {{"OrderID", "int"}, {"CustomerID", "int"}, {"DateID", "int"}, {"Freight", "decimal(18,2)"}},
        "(1,1," + day(2023, 7, 10) + ",1000),(2,1," + day(2024, 1, 5) + ",2000),(3,2," + day(2024, 6, 30) +
            ",500),(4,3," + day(2024, 7, 1) + ",700)");
  table("OrderLine", {{"OrderID", "int"}, {"ProductID", "int"}, {"Amount", "decimal(18,2)"}},
        "(1,1,10000),(1,2,5000),(2,1,5000),(2,3,3000),(3,2,10000),(4,4,900)");
  table("Stock", {{"StockID", "int"}, {"ProductID", "int"}, {"RegionID", "int"}, {"DateID", "int"}, {"OnHand", "int"}},
        "(1,1,1," + day(2024, 1, 5) + ",40),(2,1,2," + day(2024, 1, 5) + ",60),(3,3,1," + day(2024, 7, 1) +
            ",5),(4,2,3," + day(2024, 7, 1) + ",11)");
  table(
      "Returned",
      {{"ReturnID", "int"},
       {"ProductID", "int"},
       {"CustomerID", "int"},
       {"DateID", "int"},
       {"Amount", "decimal(18,2)"}},
      "(1,1,1," + day(2024, 1, 5) + ",1000),(2,1,2," + day(2024, 7, 1) + ",2000),(3,4,3," + day(2024, 8, 15) + ",900)");
  table("Account", {{"AccountID", "int"}, {"Balance", "decimal(18,2)"}}, "(1,100000),(2,50000)");
  table("AccountOwner", {{"AccountID", "int"}, {"CustomerID", "int"}}, "(1,1),(1,2),(2,2)");
  BOOST_REQUIRE(described_.index().has_value());
  database = std::make_shared<const catalog::database>(described_);
  auto layer = parse_semantics(shop_layer(more), "shop.yaml");
  BOOST_REQUIRE_MESSAGE(layer.has_value(), (layer ? "" : layer.error().message));
  for (const std::string& mistake : check_semantics(*layer, *database)) BOOST_ERROR(mistake);
  known = knowledge::build(std::make_shared<const semantic_layer>(std::move(*layer)), database,
                           {{"product", {"Name"}, {{"Pen"}, {"Pad"}, {"Ink"}, {"Box"}}},
                            {"category", {"Category"}, {{"Writing"}, {"Paper"}}},
                            {"customer", {"Name"}, {{"Ann"}, {"Bob"}, {"Cyd"}}},
                            {"region", {"Name"}, {{"North"}, {"South"}, {"West"}}}});
}

understanding shop::ask(const std::string& question, const conversation* session) const {
  question_context context;
  context.known = known.get();
  context.today = today;
  context.session = session;
  return understand(question, context);
}

std::string shop::sql(const std::string& question) const {
  const understanding u = ask(question);
  if (const auto* q = std::get_if<understood_query>(&u)) return tsql::print(q->select);
  if (const auto* m = std::get_if<needs_model>(&u)) return "refused: " + m->message;
  if (const auto* c = std::get_if<clarification>(&u)) return "clarify: " + c->message;
  if (const auto* r = std::get_if<rejection>(&u)) return "refused: " + r->message;
  return "other";
}

std::string shop::rows(const std::string& question) {
  const std::string text = sql(question);
  return text.starts_with("SELECT") ? run(text) : text;
}

std::string shop::rows_of_one(const std::string& question) {
  const understanding u = ask(question);
  const auto* q = std::get_if<understood_query>(&u);
  if (q == nullptr) return sql(question);
  guard::policy_definition d;
  d.principal = "one";
  d.key = "principals.one";
  d.allow = {{"dbo.*", {}, "allow[0]"}};
  d.row_filters = {{"dbo.OrderHeader", "CustomerID = 1", "row_filters[0]"},
                   {"dbo.Stock", "RegionID = 1", "row_filters[1]"}};
  auto policy = guard::compile_policy(d, database);
  BOOST_REQUIRE_MESSAGE(policy.has_value(), (policy ? "" : policy.error().message));
  guard::check_options options;
  options.profile = guard::profile::generated;
  const guard::verdict v = guard::check(q->select, *policy, options);
  if (v.kind != guard::verdict_kind::accept) return "guard: " + v.message;
  BOOST_TEST(v.has_row_filter);
  return run(v.printed);
}

}  // namespace dragoman::nlq::testing
