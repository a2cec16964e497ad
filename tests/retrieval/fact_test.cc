// The fact retriever: tables of events, found by their shape and by the measures that the semantic layer has of them.
#include <boost/test/unit_test.hpp>

#include "retrieval/table_index.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::retrieval;

namespace {

const index_sources fact_words{{{"turnover", "sales.Order", {{"sales.Order", "TotalPrice"}}, true},
                                {"فروش", "sales.Order", {{"sales.Order", "TotalPrice"}}, true},
                                {"payroll", "hr.Salary", {{"hr.Salary", "Amount"}}, true},
                                {"identities", "sales.Customer", {{"sales.Customer", "NationalID"}}}},
                               {}};

std::string first_fact(const table_index& index, const table_scope& scope, std::string_view question) {
  const auto found = index.facts(question, scope, 1);
  return found.empty() ? "" : (found[0].by_alias ? "!" : "") + index.database().tables[found[0].table].full_name();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fact_retriever)

BOOST_AUTO_TEST_CASE(shape_tells_events_from_things) {
  const auto index = table_index::build(test::exchange_catalog(), {});
  for (std::size_t t = 0; t < index->database().tables.size(); ++t)
    BOOST_TEST(index->is_fact(t) == (index->database().tables[t].name == "Order"), index->database().tables[t].name);
}

BOOST_AUTO_TEST_CASE(measures_find_what_they_measure) {
  const auto index = table_index::build(test::exchange_catalog(), fact_words);
  const table_scope scope = index->scope(test::analyst());
  for (const char* question : {"turnover of last year", "فروش ماهانه", "how many orders"})
    BOOST_TEST(first_fact(*index, scope, question) == "!sales.Order", question);
  BOOST_TEST(first_fact(*index, scope, "total price") == "sales.Order");
  BOOST_TEST(first_fact(*index, scope, "names of cities").empty());
  // Measured, so a fact, whatever it refers to.
  const table_scope everything = index->scope(everything_visible());
  BOOST_TEST(first_fact(*index, everything, "payroll") == "!hr.Salary");
}

BOOST_AUTO_TEST_CASE(a_measure_of_hidden_columns_finds_nothing) {
  const auto index = table_index::build(test::exchange_catalog(), fact_words);
  const table_scope scope = index->scope(test::analyst());
  BOOST_TEST(index->rank("payroll", scope).empty());
  // The table is seen, the column is not: the word must not pull its table up.
  BOOST_TEST(index->rank("identities", scope).empty());
  BOOST_TEST(index->known_terms("identities", scope).empty());
  BOOST_TEST(!index->rank("identities", index->scope(everything_visible())).empty());
}

BOOST_AUTO_TEST_SUITE_END()
