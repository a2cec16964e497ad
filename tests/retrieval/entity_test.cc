// The entity retriever: things that questions name by their own names, by words of the semantic layer, or by less.
#include <boost/test/unit_test.hpp>

#include "retrieval/table_index.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::retrieval;

namespace {

const index_sources entity_words{
    {{"buyer", "sales.Customer"}, {"مشتری", "sales.Customer"}, {"کارگزار", "ref.Broker"}, {"bourse", "no.Such"}},
    {{"استان", {}, {"ref.Location", "Province"}},
     {"state", {}, {"ref.Location", "Province"}},
     {"call number", {}, {"ref.Broker", "Phone"}},
     {"nothing", {}, {"ref.Location", "NoSuch"}}}};

std::string first_entity(const table_index& index, const table_scope& scope, std::string_view question) {
  const auto found = index.entities(question, scope, 1);
  return found.empty() ? "" : (found[0].by_alias ? "!" : "") + index.database().tables[found[0].table].full_name();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(entity_retriever)

BOOST_AUTO_TEST_CASE(phrases_first_then_words) {
  const auto index = table_index::build(test::exchange_catalog(), entity_words);
  const table_scope scope = index->scope(test::analyst());
  struct row {
    const char* question;
    const char* entity;
  };
  for (const row& r : {row{"how many buyers", "!sales.Customer"},
                       {"مشتری‌های تهران", "!sales.Customer"},
                       {"هر کارگزار", "!ref.Broker"},
                       {"brokerage houses", "ref.Broker"},
                       {"by state", "ref.Location"},
                       {"به تفکیک استان", "ref.Location"},
                       {"polymer", "ref.Symbol"},
                       {"who are you", ""}})
    BOOST_TEST(first_entity(*index, scope, r.question) == r.entity, r.question);
}

BOOST_AUTO_TEST_CASE(facts_are_none_of_them) {
  const auto index = table_index::build(test::exchange_catalog(), entity_words);
  const table_scope scope = index->scope(test::analyst());
  for (const ranked_table& r : index->entities("orders of customers by broker", scope, 10))
    BOOST_TEST(!index->is_fact(r.table));
}

BOOST_AUTO_TEST_CASE(words_of_a_hidden_column_find_nothing) {
  const auto index = table_index::build(test::exchange_catalog(), entity_words);
  BOOST_TEST(first_entity(*index, index->scope(test::analyst()), "call number").empty());
  BOOST_TEST(first_entity(*index, index->scope(everything_visible()), "call number") == "ref.Broker");
}

BOOST_AUTO_TEST_SUITE_END()
