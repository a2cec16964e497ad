#include "random_data.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::test {
namespace {

constexpr int rows_each = 14;

using literals = std::vector<std::vector<std::string>>;  // of one table, as SQLite writes them

std::string random_literal(const catalog::column& c, bool key, int row, std::mt19937& random) {
  static const char* const words[] = {"alpha", "b", "gamma", "delta ray", "it's", "cad", "پارس", "Abba"};
  if (key && sandbox::family_of(c.type.id) == sandbox::family::integer) return std::to_string(row + 1);
  if (c.nullable && random() % 4 == 0) return "NULL";
  const auto n = static_cast<std::int64_t>(random() % 10);
  switch (sandbox::family_of(c.type.id)) {
    case sandbox::family::integer: return std::to_string(c.type.id == sql_type_id::bit ? n % 2 : n);
    case sandbox::family::real: return std::to_string(n) + ".5";
    case sandbox::family::decimal: {
      std::int64_t scale = 1;
      for (int i = 0; i < c.type.scale; ++i) scale *= 10;
      return std::to_string(n * scale + (n % 3) * scale / 2);
    }
    case sandbox::family::date: return std::to_string(738000 + n);
    case sandbox::family::datetime: return std::to_string((738000 + n) * 864000000000);
    default: return sandbox::quoted(words[n % 8]);
  }
}

bool holds(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void add_table(sandbox::engine& e, const catalog::table& from, const std::vector<std::size_t>& columns,
               const literals& rows) {
  catalog::table t;
  t.schema = from.schema;
  t.name = from.name;
  std::string create, insert;
  for (std::size_t c : columns) {
    t.columns.push_back(from.columns[c]);
    create += (create.empty() ? "" : ",") + sandbox::quoted_name(from.columns[c].name);
  }
  const std::string physical = sandbox::quoted_name(from.full_name());
  BOOST_REQUIRE(e.database().execute("CREATE TABLE " + physical + "(" + create + ")").has_value());
  for (const auto& row : rows) {
    insert.clear();
    for (std::size_t c : columns) insert += (insert.empty() ? "" : ",") + row[c];
    BOOST_REQUIRE(e.database().execute("INSERT INTO " + physical + " VALUES(" + insert + ")").has_value());
  }
  BOOST_REQUIRE(e.tables().add(std::move(t), {from.full_name(), true}).has_value());
}

// Positions of the rows that the predicate keeps; the first column of every table of the demo is its key.
std::vector<bool> kept_rows(sandbox::engine& e, const catalog::table& t, const std::string& predicate) {
  std::vector<bool> kept(rows_each, false);
  auto found =
      e.prepare("SELECT [" + t.columns[0].name + "] FROM [" + t.schema + "].[" + t.name + "] WHERE " + predicate);
  BOOST_REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().message));
  std::vector<sql_value> row(1);
  for (;;) {
    const auto more = found->next(row);
    BOOST_REQUIRE(more.has_value());
    if (!*more) return kept;
    kept[static_cast<std::size_t>(std::stoi(sandbox::text_of(row[0], t.columns[0].type)) - 1)] = true;
  }
}

}  // namespace

std::vector<narrow_view> narrow_views() {
  std::vector<narrow_view> out;
  {
    narrow_view v;
    v.name = "broker";
    v.tables = {"sales.Order", "sales.Customer", "sales.OrderStatus", "sales.Date",   "ref.Broker",
                "ref.Ring",    "ref.Symbol",     "ref.Supplier",      "ref.Currency", "ref.Location"};
    v.missing = {"sales.Customer.NationalID", "ref.Broker.Phone"};
    v.rows = {{"sales.Order", "BrokerID = 7 OR CustomerID = 3"}};
    v.definition.allow = {{"sales.*", {}, "a"}, {"ref.*", {}, "a"}};
    v.definition.deny = {{"sales.Customer.NationalID", "d"}, {"ref.Broker.Phone", "d"}};
    v.definition.attributes["broker"] = {"7"};
    v.definition.row_filters = {{"sales.[Order]", "BrokerID = @broker OR CustomerID = 3", "r"}};
    out.push_back(std::move(v));
  }
  {
    // Columns off the list of columns (hidden, not denied), and a filter on nearly every table, one over a mapping
    // table that this principal may not read.
    narrow_view v;
    v.name = "region";
    v.tables = {"sales.Order", "sales.Customer", "sales.Date", "ref.Broker", "ref.Ring", "ref.Symbol"};
    v.missing = {"sales.Customer.NationalID", "sales.Customer.CreditLimit", "sales.Customer.Segment",
                 "ref.Broker.Phone",          "ref.Broker.LicenseNo",       "ref.Ring.Code",
                 "sales.Order.Discount",      "sales.Order.Notes"};
    v.rows = {{"sales.Order", "Quantity > 1 AND StatusID IN (1, 2, 3, 4, 5)"},
              {"sales.Customer", "LocationID IN (SELECT LocationID FROM ref.Location WHERE City > N'b')"},
              {"sales.Date", "Year > 1 AND (Month < 8 OR IsHoliday = 1)"},
              {"ref.Broker", "BrokerID = 2 OR BrokerID > 6 OR Name LIKE N'%a%'"},
              {"ref.Symbol", "RingID <> 4"}};
    v.definition.allow = {
        {"sales.Order",
         {"OrderID", "CustomerID", "BrokerID", "RingID", "SymbolID", "SupplierID", "CurrencyID", "OrderDateID",
          "DeliveryDateID", "StatusID", "Quantity", "UnitPrice", "TotalPrice", "IsExport", "CreatedAt"},
         "a"},
        {"sales.Customer", {"CustomerID", "Name", "NameFa", "LocationID", "JoinDateID"}, "a"},
        {"sales.Date", {}, "a"},
        {"ref.Broker", {"BrokerID", "Name", "NameFa", "LocationID"}, "a"},
        {"ref.Ring", {"RingID", "Name", "NameEn"}, "a"},
        {"ref.Symbol", {}, "a"}};
    v.definition.attributes["states"] = {"1", "2", "3", "4", "5"};
    v.definition.row_filters = {
        {"sales.[Order]", "Quantity > 1", "r0"},
        {"sales.[Order]", "StatusID IN (@states)", "r1"},
        {"sales.Customer", "LocationID IN (SELECT LocationID FROM ref.Location WHERE City > N'b')", "r2"},
        {"sales.Date", "Year > 1 AND (Month < 8 OR IsHoliday = 1)", "r3"},
        {"ref.Broker", "BrokerID = 2 OR BrokerID > 6 OR Name LIKE N'%a%'", "r4"},
        {"ref.Symbol", "RingID <> 4", "r5"}};
    out.push_back(std::move(v));
  }
  for (auto& v : out) {
    v.definition.principal = v.name;
    v.definition.key = "principals." + v.name;
    v.definition.row_cap = 0;
  }
  return out;
}

two_databases random_databases(const catalog::database& schema, const narrow_view& view, std::mt19937& random) {
  two_databases out{sandbox::engine::open_memory().value(), sandbox::engine::open_memory().value()};
  std::map<std::string, literals> data;
  for (const auto& t : schema.tables) {
    literals rows(rows_each);
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < t.columns.size(); ++c) columns.push_back(c);
    for (int r = 0; r < rows_each; ++r)
      for (std::size_t c : columns)
        rows[static_cast<std::size_t>(r)].push_back(random_literal(t.columns[c], c == 0, r, random));
    add_table(*out.whole, t, columns, rows);
    data[t.full_name()] = std::move(rows);
  }
  for (const auto& t : schema.tables) {
    if (!holds(view.tables, t.full_name())) continue;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < t.columns.size(); ++c)
      if (!holds(view.missing, t.full_name() + "." + t.columns[c].name)) columns.push_back(c);
    literals rows = data[t.full_name()];
    for (const auto& [table, predicate] : view.rows) {
      if (table != t.full_name()) continue;
      const auto kept = kept_rows(*out.whole, t, predicate);
      literals few;
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (kept[r]) few.push_back(rows[r]);
      rows = std::move(few);
    }
    add_table(*out.copy, t, columns, rows);
  }
  for (sandbox::engine* e : {out.whole.get(), out.copy.get()}) e->facts().database = schema.name;
  return out;
}

std::vector<generated_table> tables_of(const catalog::database& schema, const narrow_view& view) {
  std::vector<generated_table> out;
  for (auto& t : tables_of(schema)) {
    const std::string name = t.schema + "." + t.name;
    if (!holds(view.tables, name)) continue;
    std::erase_if(t.columns, [&](const auto& c) { return holds(view.missing, name + "." + c.name); });
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace dragoman::test
