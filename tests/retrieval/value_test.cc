// The value retriever: stored values of the question, as they are written and by the layer's words for them.
#include <boost/test/unit_test.hpp>

#include "retrieval/value_index.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::retrieval;

namespace {

const std::vector<value_alias> words_for_values{{"معامله‌گر", {"sales.Customer", "Segment"}, "Trader"},
                                                {"dealer", {"sales.Customer", "Segment"}, "Trader"},
                                                {"آذربایجان شرقی", {"ref.Location", "Province"}, "East Azerbaijan"},
                                                {"the known one", {"sales.Customer", "NationalID"}, "0012345678"},
                                                {"lost", {"no.Such", "Column"}, "x"},
                                                {"lost", {"ref.Location", "NoSuch"}, "x"}};

std::string found_values(const value_index& values, const table_index& index, const table_scope& scope,
                         std::string_view question) {
  std::string out;
  for (const value_match& m : values.find(question, scope))
    out += (out.empty() ? "" : " ") + index.database().tables[m.table].columns[m.column].name + "=" + m.value;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(value_retriever)

BOOST_AUTO_TEST_CASE(as_stored_by_other_words_and_with_a_slip) {
  const auto index = table_index::build(test::exchange_catalog(), {});
  const auto values = value_index::build(test::exchange_catalog(), words_for_values);
  const auto scope = index->scope(test::analyst());
  struct row {
    const char* question;
    const char* found;
  };
  for (const row& r : {row{"sales to traders", "Segment=Trader"},
                       {"فروش به معامله‌گرها", "Segment=Trader"},
                       {"dealers in isfahan", "Segment=Trader Province=Isfahan"},
                       {"فروش آذربایجان شرقی", "Province=East Azerbaijan"},
                       {"sales in Isfhan", "Province=Isfahan"},
                       {"فروش تهران", "ProvinceFa=تهران"},
                       {"lost and found", ""}})
    BOOST_TEST(found_values(*values, *index, scope, r.question) == r.found, r.question);
}

BOOST_AUTO_TEST_CASE(a_word_for_a_hidden_value_finds_nothing) {
  const auto index = table_index::build(test::exchange_catalog(), {});
  const auto values = value_index::build(test::exchange_catalog(), words_for_values);
  BOOST_TEST(found_values(*values, *index, index->scope(test::analyst()), "the known one").empty());
  BOOST_TEST(found_values(*values, *index, index->scope(everything_visible()), "the known one") ==
             "NationalID=0012345678");
}

BOOST_AUTO_TEST_SUITE_END()
