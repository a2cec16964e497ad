#include "retrieval/table_index.h"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "retrieval/schema_text.h"
#include "retrieval/value_index.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::retrieval;
using test::analyst;
using test::exchange_catalog;

namespace {

std::vector<std::string> names(const table_index& index, const std::vector<ranked_table>& ranked) {
  std::vector<std::string> out;
  for (const ranked_table& r : ranked)
    out.push_back((r.bridge ? "+" : r.by_alias ? "!" : "") + index.database().tables[r.table].full_name());
  return out;
}

std::string text(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& s : list) out += (out.empty() ? "" : " ") + s;
  return out;
}

const index_sources words{{{"halls and goods", "ref.Symbol"}, {"کالا", "ref.Symbol"}, {"revenue", "sales.Order"}},
                          {{"turnover", "total price"}, {"استان", "province"}}};

// A chain a → b1 → c and a → b2 → c: two ways of one length between a and c.
catalog::database_ptr diamond() {
  auto db = std::make_shared<catalog::database>();
  auto a = test::make_table("s", "Alpha", "", {"AlphaID", "B1ID", "B2ID"});
  auto b1 = test::make_table("s", "Bridge1", "", {"B1ID", "GammaID"});
  auto b2 = test::make_table("s", "Bridge2", "", {"B2ID", "GammaID", "Shipment"});
  auto c = test::make_table("s", "Gamma", "", {"GammaID", "DeltaID"});
  auto d = test::make_table("s", "Delta", "", {"DeltaID", "EpsilonID"});
  auto e = test::make_table("s", "Epsilon", "", {"EpsilonID"});
  auto lonely = test::make_table("s", "Lonely", "", {"LonelyID"});
  test::refer(a, "B1ID", "s", "Bridge1");
  test::refer(a, "B2ID", "s", "Bridge2");
  test::refer(b1, "GammaID", "s", "Gamma");
  test::refer(b2, "GammaID", "s", "Gamma");
  test::refer(c, "DeltaID", "s", "Delta");
  test::refer(d, "EpsilonID", "s", "Epsilon");
  db->tables = {a, b1, b2, c, d, e, lonely};
  BOOST_TEST_REQUIRE(db->index().has_value());
  return db;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tables)

BOOST_AUTO_TEST_CASE(questions_find_their_tables) {
  const auto index = table_index::build(exchange_catalog(), words);
  const table_scope scope = index->scope(analyst());
  struct row {
    const char* question;
    const char* first;
  };
  const row rows[] = {
      {"how many orders", "!sales.Order"},      {"list of customers", "!sales.Customer"},
      {"revenue of last year", "!sales.Order"}, {"turnover", "sales.Order"},
      {"فروش هر کالا", "!ref.Symbol"},          {"به تفکیک استان", "ref.Location"},
      {"Trader segment", "sales.Customer"},     {"tehran", "ref.Location"},
      {"polymer and steel", "ref.Symbol"},      {"commodities", "ref.Symbol"},
      {"persian year", "sales.Date"},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.question) {
      const auto ranked = index->rank(r.question, scope);
      BOOST_TEST_REQUIRE(!ranked.empty());
      BOOST_TEST(names(*index, ranked)[0] == r.first);
    }
  }
  BOOST_TEST(index->rank("how are you", scope).empty());
  BOOST_TEST(index->select("", scope).empty());
}

BOOST_AUTO_TEST_CASE(the_longest_phrase_names_the_table) {
  auto db = std::make_shared<catalog::database>();
  db->tables = {test::make_table("s", "Order", "", {"OrderID"}),
                test::make_table("s", "OrderStatus", "", {"StatusID", "Name"})};
  BOOST_TEST_REQUIRE(db->index().has_value());
  const auto index = table_index::build(db, {});
  const auto scope = index->scope(everything_visible());
  BOOST_TEST(text(names(*index, index->rank("order status", scope))) == "!s.OrderStatus s.Order");
  BOOST_TEST(text(names(*index, index->rank("status of an order", scope))) == "!s.Order s.OrderStatus");
}

BOOST_AUTO_TEST_CASE(what_is_hidden_has_no_weight) {
  const auto index = table_index::build(exchange_catalog(), words);
  const auto everything = index->scope(everything_visible());
  const auto scope = index->scope(analyst());
  BOOST_TEST(text(names(*index, index->rank("salary", everything))) == "!hr.Salary");
  BOOST_TEST(index->rank("salary", scope).empty());
  BOOST_TEST(index->rank("wages", scope).empty());
  BOOST_TEST(!index->rank("national", everything).empty());
  BOOST_TEST(index->rank("national", scope).empty());
  BOOST_TEST(index->rank("phone", scope).empty());
  BOOST_TEST(index->rank("secret number", scope).empty());
}

BOOST_AUTO_TEST_CASE(bridges_join_what_was_found) {
  const auto index = table_index::build(exchange_catalog(), words);
  const auto scope = index->scope(analyst());
  select_options two;
  two.top_k = 2;
  BOOST_TEST(text(names(*index, index->select("symbol of customer", scope, two))) ==
             "!ref.Symbol !sales.Customer +sales.Order");
  BOOST_TEST(text(names(*index, index->select("symbol and location", scope, two))) ==
             "!ref.Symbol !ref.Location +sales.Order +ref.Broker");
  BOOST_TEST(text(names(*index, index->select("order of customer", scope, two))) == "!sales.Order !sales.Customer");
}

BOOST_AUTO_TEST_CASE(of_equal_paths_the_better_scored_then_the_name) {
  const auto index = table_index::build(diamond(), {});
  const auto scope = index->scope(everything_visible());
  select_options two;
  two.top_k = 2;
  BOOST_TEST(text(names(*index, index->select("alpha gamma", scope, two))) == "!s.Alpha !s.Gamma +s.Bridge1");
  BOOST_TEST(text(names(*index, index->select("alpha gamma shipment", scope, two))) == "!s.Alpha !s.Gamma +s.Bridge2");
  // Hidden: not even as a bridge.
  const auto without = index->scope([](const catalog::table& t, const catalog::column&) {
    return t.name == "Bridge1" ? column_right::hidden : column_right::visible;
  });
  BOOST_TEST(text(names(*index, index->select("alpha gamma", without, two))) == "!s.Alpha !s.Gamma +s.Bridge2");
  // A key whose column is hidden joins nothing.
  const auto keyless = index->scope([](const catalog::table& t, const catalog::column& c) {
    return t.name == "Alpha" && c.name == "B1ID" ? column_right::hidden : column_right::visible;
  });
  BOOST_TEST(text(names(*index, index->select("alpha gamma", keyless, two))) == "!s.Alpha !s.Gamma +s.Bridge2");
}

BOOST_AUTO_TEST_CASE(caps_on_hops_and_bridges) {
  const auto index = table_index::build(diamond(), {});
  const auto scope = index->scope(everything_visible());
  select_options two;
  two.top_k = 2;
  BOOST_TEST(text(names(*index, index->select("alpha epsilon", scope, two))) ==
             "!s.Alpha !s.Epsilon +s.Bridge1 +s.Gamma +s.Delta");
  two.hops_max = 3;
  BOOST_TEST(text(names(*index, index->select("alpha epsilon", scope, two))) == "!s.Alpha !s.Epsilon");
  two.hops_max = 4;
  two.bridges_max = 2;
  BOOST_TEST(text(names(*index, index->select("alpha epsilon", scope, two))) == "!s.Alpha !s.Epsilon");
  BOOST_TEST(text(names(*index, index->select("alpha lonely", scope, two))) == "!s.Alpha !s.Lonely");
}

BOOST_AUTO_TEST_CASE(the_same_question_gives_the_same_tables) {
  const auto a = table_index::build(exchange_catalog(), words);
  const auto b = table_index::build(exchange_catalog(), words);
  for (const char* q : {"customers in tehran by segment and symbol", "broker location order date", "name"}) {
    BOOST_TEST(text(names(*a, a->select(q, a->scope(analyst())))) ==
               text(names(*b, b->select(q, b->scope(analyst())))));
  }
}

BOOST_AUTO_TEST_CASE(embeddings_reorder) {
  const auto plain = table_index::build(exchange_catalog(), {});
  const auto scope = plain->scope(analyst());
  const auto texts = plain->embedding_texts(scope);
  BOOST_TEST_REQUIRE(texts.size() == plain->database().tables.size());
  BOOST_TEST(texts[6].empty());  // hr.Salary
  for (const std::string& t : texts) BOOST_TEST(t.find("NationalID") == std::string::npos);
  std::vector<std::vector<float>> vectors(texts.size(), std::vector<float>{0, 1});
  vectors[4] = {1, 0};  // ref.Symbol
  const auto index = plain->with_vectors(vectors);
  const std::vector<float> question = {1, 0.1f};
  select_options options;
  options.question_vector = &question;
  BOOST_TEST(!plain->has_vectors());
  BOOST_TEST(index->has_vectors());
  BOOST_TEST(names(*index, index->rank("what is traded", scope, options))[0] == "ref.Symbol");
  BOOST_TEST(plain->rank("what is traded", scope).empty());
}

BOOST_AUTO_TEST_CASE(values_are_found) {
  const auto db = exchange_catalog();
  const auto index = table_index::build(db, {});
  const auto scope = index->scope(analyst());
  const auto values = value_index::build(db);
  auto found = [&](const char* q) {
    std::string out;
    for (const value_match& m : values->find(q, scope))
      out += (out.empty() ? "" : " ") + db->tables[m.table].name + "." + db->tables[m.table].columns[m.column].name +
             "=" + m.value;
    return out;
  };
  BOOST_TEST(found("sales to traders in east azerbaijan") ==
             "Customer.Segment=Trader Location.Province=East Azerbaijan");
  BOOST_TEST(found("فروش تهران") == "Location.ProvinceFa=تهران");
  BOOST_TEST(found("customer 0012345678") == "");  // of a hidden column
  BOOST_TEST(found("") == "");
}

BOOST_AUTO_TEST_CASE(values_are_found_in_spite_of_a_slip) {
  const auto db = exchange_catalog();
  const auto scope = table_index::build(db, {})->scope(analyst());
  const auto values = value_index::build(db);
  const std::pair<const char*, std::vector<std::string>> rows[] = {
      {"sales in Ifsahan", {"Isfahan"}},   // two exchanged
      {"sales in Isfhan", {"Isfahan"}},    // one missing
      {"sales in Isfahann", {"Isfahan"}},  // one too many
      {"sales in Izfahan", {"Isfahan"}},   // one wrong
      {"sales in Izfahn", {}},             // two
      {"east azerbaijam by trader", {"East Azerbaijan", "Trader"}},
      {"فروش اصفهات", {"اصفهان"}},
      {"فروش تهران‌ها", {"تهران"}},  // an ending is no slip
      {"steal", {"Steel"}},
      {"stee", {}},                 // short words have too many neighbours
      {"customer 0012345679", {}},  // digits are never guessed, and the column is hidden
  };
  for (const auto& [question, wanted] : rows) {
    std::vector<std::string> got;
    for (const value_match& m : values->find(question, scope)) got.push_back(m.value);
    BOOST_TEST(got == wanted, boost::test_tools::per_element());
    BOOST_TEST_CONTEXT(question) {
      BOOST_TEST(got.size() == wanted.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(schema_text_shows_what_may_be_known) {
  const auto db = exchange_catalog();
  const auto index = table_index::build(db, {});
  const auto scope = index->scope(analyst());
  const std::string all = schema_text(*db, scope, visible_tables(*db, scope));
  BOOST_TEST(all == schema_text(*db, scope, visible_tables(*db, scope)));
  for (const char* part : {"[sales].[Order] -- one line per order\n", "  OrderID int primary key\n",
                           "  CustomerID int -> [sales].[Customer].CustomerID\n",
                           "  Segment nvarchar(50) -- values: \"Industrial\", \"Retail\", \"Trader\"\n",
                           "  LocationID int -> [ref].[Location].LocationID (join only)\n", "\"تهران\""})
    BOOST_TEST(all.find(part) != std::string::npos, part << " in\n" << all);
  for (const char* part : {"NationalID", "Phone", "Salary", "[hr]", "0012345678", "secret"})
    BOOST_TEST(all.find(part) == std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(schema_text_keeps_data_on_its_line) {
  auto db = std::make_shared<catalog::database>();
  auto t = test::make_table("dbo", "T]x", "first\nsecond\x01", {"Odd name", "A"});
  t.columns[1].samples = {"with \"quotes\"", "two\nlines", std::string(100, 'x'), "fine"};
  db->tables = {t};
  BOOST_TEST_REQUIRE(db->index().has_value());
  const auto index = table_index::build(db, {});
  const auto scope = index->scope(everything_visible());
  BOOST_TEST(schema_text(*db, scope, {0}) ==
             "[dbo].[T]]x] -- first second \n  [Odd name] nvarchar(50) primary key\n"
             "  A nvarchar(50) -- values: \"with \"\"quotes\"\"\", \"fine\"\n");
}

BOOST_AUTO_TEST_CASE(five_thousand_tables) {
  auto db = std::make_shared<catalog::database>();
  const char* nouns[] = {"order",    "invoice", "customer", "payment", "stock", "item",  "ledger", "vendor", "branch",
                         "contract", "asset",   "claim",    "policy",  "route", "batch", "lot",    "price",  "plan"};
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::string> columns = {"Row" + std::to_string(i) + "ID"};
    for (int c = 0; c < 19; ++c)
      columns.push_back(std::string(nouns[(i * 7 + c) % 18]) + "_" + nouns[(i + c * 5) % 18] + std::to_string(c));
    auto t = test::make_table("s" + std::to_string(i % 20),
                              std::string(nouns[i % 18]) + nouns[(i / 18) % 18] + std::to_string(i), "", columns);
    if (i > 0) {
      const int to = i / 3;
      t.columns.push_back(t.columns[0]);
      t.columns.back().name = "Parent";
      test::refer(t, "Parent", db->tables[static_cast<std::size_t>(to)].schema,
                  db->tables[static_cast<std::size_t>(to)].name, "Row" + std::to_string(to) + "ID");
    }
    db->tables.push_back(std::move(t));
  }
  BOOST_TEST_REQUIRE(db->index().has_value());
  using steady = std::chrono::steady_clock;
  const auto t0 = steady::now();
  const auto index = table_index::build(db, {});
  const auto t1 = steady::now();
  const auto scope = index->scope(everything_visible());
  std::chrono::nanoseconds worst{0};
  for (int i = 0; i < 200; ++i) {
    const std::string q = std::string("total ") + nouns[i % 18] + " price of each " + nouns[(i * 5) % 18] + " by " +
                          nouns[(i * 11) % 18] + " in branch " + std::to_string(i);
    const auto a = steady::now();
    BOOST_TEST(!index->select(q, scope).empty());
    worst = std::max<std::chrono::nanoseconds>(worst, steady::now() - a);
  }
  const std::chrono::duration<double, std::milli> build_ms = t1 - t0, worst_ms = worst;
  BOOST_TEST_MESSAGE("build " << build_ms.count() << " ms, worst selection " << worst_ms.count() << " ms");
  BOOST_TEST((t1 - t0 < std::chrono::seconds(10)));
  BOOST_TEST((worst < std::chrono::milliseconds(50)));  // the goal of 5 ms is a benchmark's, not a shared machine's
}

BOOST_AUTO_TEST_SUITE_END()
