// A small catalogue for tests of retrieval, prompts and the pipeline: a commodity exchange, shaped like the demo's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "guard/catalog/catalog.h"
#include "retrieval/visibility.h"

namespace dragoman::test {

inline catalog::table make_table(std::string schema, std::string name, std::string description,
                                 std::vector<std::string> columns) {
  catalog::table t;
  t.schema = std::move(schema);
  t.name = std::move(name);
  t.description = std::move(description);
  for (std::string& c : columns) {
    catalog::column column;
    column.name = std::move(c);
    const bool key = column.name.size() > 2 && column.name.ends_with("ID");
    column.type.id = key ? sql_type_id::int_ : sql_type_id::nvarchar;
    if (!key) column.type.length = 50;
    t.columns.push_back(std::move(column));
  }
  if (!t.columns.empty()) t.primary_key = {t.columns[0].name};
  return t;
}

// table.column refers to the column of the same name in schema.other.
inline void refer(catalog::table& t, const std::string& column, const std::string& schema, const std::string& other,
                  const std::string& target = {}) {
  t.foreign_keys.push_back({"", {column}, schema, other, {target.empty() ? column : target}});
}

inline catalog::database_ptr exchange_catalog() {
  auto db = std::make_shared<catalog::database>();
  db->datasource = "exchange";
  db->name = "SalesDb";
  auto order = make_table("sales", "Order", "one line per order",
                          {"OrderID", "CustomerID", "BrokerID", "SymbolID", "OrderDateID", "Quantity", "TotalPrice"});
  refer(order, "CustomerID", "sales", "Customer");
  refer(order, "BrokerID", "ref", "Broker");
  refer(order, "SymbolID", "ref", "Symbol");
  refer(order, "OrderDateID", "sales", "Date", "DateID");
  auto customer =
      make_table("sales", "Customer", "buyers", {"CustomerID", "Name", "Segment", "NationalID", "LocationID"});
  customer.columns[2].samples = {"Industrial", "Retail", "Trader"};
  customer.columns[3].samples = {"0012345678"};
  customer.columns[3].description = "secret number";
  refer(customer, "LocationID", "ref", "Location");
  auto broker = make_table("ref", "Broker", "brokerage houses", {"BrokerID", "Name", "Phone", "LocationID"});
  refer(broker, "LocationID", "ref", "Location");
  auto location = make_table("ref", "Location", "", {"LocationID", "City", "Province", "ProvinceFa"});
  location.columns[2].samples = {"Tehran", "Isfahan", "East Azerbaijan"};
  location.columns[3].samples = {"تهران", "اصفهان"};
  auto symbol = make_table("ref", "Symbol", "commodities", {"SymbolID", "Code", "Name", "Category"});
  symbol.columns[3].samples = {"Polymer", "Bitumen", "Steel"};
  auto date = make_table("sales", "Date", "calendar", {"DateID", "FullDate", "Year", "PersianYear", "PersianMonth"});
  auto salary = make_table("hr", "Salary", "wages", {"EmployeeID", "Name", "Amount"});
  db->tables = {order, customer, broker, location, symbol, date, salary};
  if (!db->index()) return nullptr;
  return db;
}

// As the demo's analyst: no hr, no NationalID, no Phone, LocationID of customers for joins only.
inline retrieval::visibility analyst() {
  return [](const catalog::table& t, const catalog::column& c) {
    if (t.schema == "hr" || c.name == "NationalID" || c.name == "Phone") return retrieval::column_right::hidden;
    if (t.name == "Customer" && c.name == "LocationID") return retrieval::column_right::join_only;
    return retrieval::column_right::visible;
  };
}

}  // namespace dragoman::test
