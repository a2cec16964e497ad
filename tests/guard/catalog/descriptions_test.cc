// Descriptions of a file of the site's own, laid over those of the catalogue.
#include "guard/catalog/descriptions.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::catalog;

BOOST_AUTO_TEST_SUITE(descriptions)

BOOST_AUTO_TEST_CASE(tables_and_columns_get_their_words) {
  database db = *test::exchange_catalog();
  const auto read = parse_descriptions(
      "tables:\n  sales.order: what was bought\n  ref.Location:\n    description: places\n    columns:\n"
      "      city: name of the town\n",
      "words.yaml", db);
  BOOST_TEST_REQUIRE(read.has_value(), (read ? "" : read.error().message));
  BOOST_TEST(read->size() == 3u);
  const std::string before = db.fingerprint();
  lay_over(db, *read);
  BOOST_TEST(db.find_table("sales", "Order")->description == "what was bought");
  BOOST_TEST(db.find_table("ref", "Location")->description == "places");
  BOOST_TEST(db.find_table("ref", "Location")->find_column("City")->description == "name of the town");
  BOOST_TEST(db.find_table("ref", "Broker")->description == "brokerage houses");  // as it was
  BOOST_TEST(db.fingerprint() == before);
  BOOST_TEST(parse_descriptions("", "words.yaml", db)->empty());
}

BOOST_AUTO_TEST_CASE(every_mistake_names_file_line_and_key) {
  const database_ptr exchange = test::exchange_catalog();
  const database& db = *exchange;
  const std::pair<const char*, const char*> rows[] = {
      {"table:\n  sales.Order: x\n", "words.yaml:1: table: unknown key"},
      {"tables:\n  sales.Nothing: x\n", "words.yaml:2: tables.sales.Nothing: the catalogue has no such table"},
      {"tables:\n  Order: x\n", "words.yaml:2: tables.Order: the catalogue has no such table"},
      {"tables:\n  sales.Order:\n    columns:\n      Nothing: x\n",
       "words.yaml:4: tables.sales.Order.columns.Nothing: the table has no such column"},
      {"tables:\n  sales.Order:\n    comment: x\n", "words.yaml:3: tables.sales.Order.comment: unknown key"},
      {"tables:\n  sales.Order: [x]\n", "must be a text, or a mapping"},
      {"tables:\n  sales.Order:\n    description: [x]\n", "must be a text"},
      {"tables: x\n", "must be a mapping"},
      {"- x\n", "must be a mapping"},
      {"tables: {\n", "(syntax)"},
  };
  for (const auto& [text, words] : rows) {
    const auto read = parse_descriptions(text, "words.yaml", db);
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST_REQUIRE(!read.has_value());
      BOOST_TEST((read.error().code == errc::configuration));
      BOOST_TEST(read.error().message.find(words) != std::string::npos, read.error().message);
    }
  }
  BOOST_TEST(!load_descriptions("/no/such/file.yaml", db).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
