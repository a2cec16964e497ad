#include "proxy/demo/schema.h"

#include <initializer_list>

namespace dragoman::demo {
namespace {

struct column_text {
  const char* name;
  const char* type;  // a trailing '?' allows NULL
};

struct key_text {
  const char* column;
  const char* schema;
  const char* table;
  const char* referenced;
};

catalog::table table(const char* schema, const char* name, std::initializer_list<column_text> columns,
                     std::initializer_list<key_text> keys = {}) {
  catalog::table t;
  t.schema = schema;
  t.name = name;
  for (const auto& c : columns) {
    catalog::column column;
    column.name = c.name;
    std::string type = c.type;
    column.nullable = type.ends_with('?');
    if (column.nullable) type.pop_back();
    column.type = parse_sql_type(type).value();
    t.columns.push_back(std::move(column));
  }
  t.primary_key.push_back(t.columns.front().name);
  for (const auto& k : keys) {
    catalog::foreign_key fk;
    fk.name = std::string("FK_") + name + "_" + k.column;
    fk.columns = {k.column};
    fk.schema = k.schema;
    fk.table = k.table;
    fk.referenced_columns = {k.referenced};
    t.foreign_keys.push_back(std::move(fk));
  }
  return t;
}

}  // namespace

catalog::database demo_catalog() {
  catalog::database db;
  db.datasource = "demo";
  db.name = "SalesDb";
  db.tables = {
      table("ref", "Location",
            {{"LocationID", "int"},
             {"City", "nvarchar(50)"},
             {"CityFa", "nvarchar(50)"},
             {"Province", "nvarchar(50)"},
             {"ProvinceFa", "nvarchar(50)"},
             {"Country", "nvarchar(50)"}}),
      table("ref", "Currency", {{"CurrencyID", "int"}, {"Code", "char(3)"}, {"Name", "nvarchar(50)"}}),
      table("ref", "Ring",
            {{"RingID", "int"}, {"Name", "nvarchar(100)"}, {"NameEn", "nvarchar(100)"}, {"Code", "varchar(10)"}}),
      table("ref", "Symbol",
            {{"SymbolID", "int"},
             {"Code", "varchar(20)"},
             {"Name", "nvarchar(100)"},
             {"NameFa", "nvarchar(100)"},
             {"Category", "nvarchar(50)"},
             {"RingID", "int"},
             {"Unit", "nvarchar(20)"}},
            {{"RingID", "ref", "Ring", "RingID"}}),
      table("ref", "Supplier",
            {{"SupplierID", "int"}, {"Name", "nvarchar(100)"}, {"NameFa", "nvarchar(100)"}, {"LocationID", "int"}},
            {{"LocationID", "ref", "Location", "LocationID"}}),
      table("ref", "Broker",
            {{"BrokerID", "int"},
             {"Name", "nvarchar(100)"},
             {"NameFa", "nvarchar(100)"},
             {"Phone", "varchar(20)"},
             {"LicenseNo", "varchar(20)"},
             {"LocationID", "int"}},
            {{"LocationID", "ref", "Location", "LocationID"}}),
      table("sales", "Date",
            {{"DateID", "int"},
             {"FullDate", "date"},
             {"Year", "int"},
             {"Quarter", "int"},
             {"Month", "int"},
             {"MonthName", "nvarchar(20)"},
             {"DayOfMonth", "int"},
             {"DayOfWeek", "int"},
             {"DayName", "nvarchar(20)"},
             {"PersianYear", "int"},
             {"PersianMonth", "int"},
             {"PersianMonthName", "nvarchar(20)"},
             {"PersianDay", "int"},
             {"IsHoliday", "bit"}}),
      table("sales", "Customer",
            {{"CustomerID", "int"},
             {"Name", "nvarchar(200)"},
             {"NameFa", "nvarchar(200)"},
             {"Segment", "nvarchar(50)"},
             {"NationalID", "varchar(20)"},
             {"LocationID", "int"},
             {"JoinDateID", "int"},
             {"CreditLimit", "decimal(18,2)?"}},
            {{"LocationID", "ref", "Location", "LocationID"}, {"JoinDateID", "sales", "Date", "DateID"}}),
      table("sales", "OrderStatus", {{"StatusID", "int"}, {"Name", "nvarchar(30)"}, {"NameFa", "nvarchar(30)"}}),
      table("sales", "Order",
            {{"OrderID", "bigint"},
             {"CustomerID", "int"},
             {"BrokerID", "int"},
             {"RingID", "int"},
             {"SymbolID", "int"},
             {"SupplierID", "int"},
             {"CurrencyID", "int"},
             {"OrderDateID", "int"},
             {"DeliveryDateID", "int?"},
             {"StatusID", "int"},
             {"Quantity", "decimal(18,3)"},
             {"UnitPrice", "decimal(18,2)"},
             {"Discount", "decimal(5,4)"},
             {"TotalPrice", "decimal(19,4)"},
             {"IsExport", "bit"},
             {"Notes", "nvarchar(400)?"},
             {"CreatedAt", "datetime2(3)"}},
            {{"CustomerID", "sales", "Customer", "CustomerID"},
             {"BrokerID", "ref", "Broker", "BrokerID"},
             {"RingID", "ref", "Ring", "RingID"},
             {"SymbolID", "ref", "Symbol", "SymbolID"},
             {"SupplierID", "ref", "Supplier", "SupplierID"},
             {"CurrencyID", "ref", "Currency", "CurrencyID"},
             {"OrderDateID", "sales", "Date", "DateID"},
             {"DeliveryDateID", "sales", "Date", "DateID"},
             {"StatusID", "sales", "OrderStatus", "StatusID"}}),
      table("hr", "Salary", {{"EmployeeID", "int"}, {"Name", "nvarchar(100)"}, {"Amount", "decimal(18,2)"}}),
  };
  return db;
}

}  // namespace dragoman::demo
