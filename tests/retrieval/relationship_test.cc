// The relationship retriever: how the chosen tables join, and the tables in between that join them.
#include <boost/test/unit_test.hpp>

#include "retrieval/table_index.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::retrieval;

namespace {

std::vector<std::size_t> places(const table_index& index, std::initializer_list<const char*> names) {
  std::vector<std::size_t> out;
  for (const char* name : names)
    for (std::size_t t = 0; t < index.database().tables.size(); ++t)
      if (index.database().tables[t].name == name) out.push_back(t);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(relationship_retriever)

BOOST_AUTO_TEST_CASE(one_condition_per_key) {
  const auto index = table_index::build(test::exchange_catalog(), {});
  const table_scope scope = index->scope(test::analyst());
  const std::vector<std::string> wanted{"sales.Order.CustomerID = sales.Customer.CustomerID",
                                        "sales.Order.OrderDateID = sales.Date.DateID",
                                        "sales.Customer.LocationID = ref.Location.LocationID"};
  const auto found = index->relationships(places(*index, {"Order", "Customer", "Date", "Location"}), scope);
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
  BOOST_TEST(index->relationships(places(*index, {"Customer", "Symbol"}), scope).empty());
}

BOOST_AUTO_TEST_CASE(keys_of_several_columns_are_one_condition) {
  auto db = std::make_shared<catalog::database>();
  auto line = test::make_table("s", "Line", "", {"LineID", "OrderID", "PartID"});
  auto part = test::make_table("s", "Part", "", {"OrderID", "PartID"});
  line.foreign_keys.push_back({"", {"OrderID", "PartID"}, "s", "Part", {"OrderID", "PartID"}});
  db->tables = {line, part};
  BOOST_TEST_REQUIRE(db->index().has_value());
  const auto index = table_index::build(db, {});
  const auto found = index->relationships({1, 0}, index->scope(everything_visible()));
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0] == "s.Line.OrderID = s.Part.OrderID AND s.Line.PartID = s.Part.PartID");
  // A key of which one column is hidden joins nothing.
  const auto scope = index->scope([](const catalog::table& t, const catalog::column& c) {
    return t.name == "Line" && c.name == "PartID" ? column_right::hidden : column_right::visible;
  });
  BOOST_TEST(index->relationships({0, 1}, scope).empty());
}

BOOST_AUTO_TEST_CASE(bridges_come_with_their_joins) {
  const auto index = table_index::build(test::exchange_catalog(), {});
  const table_scope scope = index->scope(test::analyst());
  std::vector<std::size_t> chosen;
  select_options two;
  two.top_k = 2;
  for (const ranked_table& r : index->select("symbol of customer", scope, two)) chosen.push_back(r.table);
  const auto joins = index->relationships(chosen, scope);
  BOOST_TEST(std::count(joins.begin(), joins.end(), "sales.Order.SymbolID = ref.Symbol.SymbolID") == 1);
  BOOST_TEST(std::count(joins.begin(), joins.end(), "sales.Order.CustomerID = sales.Customer.CustomerID") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
