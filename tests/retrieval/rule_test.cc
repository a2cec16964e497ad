// The rule retriever: business rules by the phrases they belong to, then by their words; and names that must not be in
// them.
#include <boost/test/unit_test.hpp>

#include "retrieval/hidden_names.h"
#include "retrieval/text_index.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::retrieval;

namespace {

std::shared_ptr<const text_index> some_rules() {
  return text_index::build({{{"amounts are rials; ten rials are one toman"}, {"toman", "تومان"}},
                            {{"a cancelled order was never delivered"}, {"delivery"}},
                            {{"the fiscal year begins in Farvardin"}, {"fiscal year", "سال مالی"}},
                            {{"orders of the last day are not settled yet"}, {}}},
                           likeness::mentions);
}

std::vector<std::size_t> entries(const std::vector<ranked_text>& found) {
  std::vector<std::size_t> out;
  for (const ranked_text& r : found) out.push_back(r.entry);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rule_retriever)

BOOST_AUTO_TEST_CASE(phrases_first_then_words) {
  const auto rules = some_rules();
  struct row {
    const char* question;
    std::vector<std::size_t> rules;
  };
  for (const row& r : {row{"sales in toman", {0}},
                       {"فروش سال مالی", {2}},
                       {"fiscal year of deliveries", {2, 1}},
                       {"cancelled orders", {1, 3}},
                       {"toman of cancelled orders", {0, 1, 3}},
                       {"customers by hall", {}},
                       {"", {}}})
    BOOST_TEST(entries(rules->find(r.question, 6)) == r.rules, r.question);
  BOOST_TEST(rules->find("toman of cancelled orders", 2).size() == 2u);
  BOOST_TEST(rules->find("sales in toman", 6)[0].by_phrase);
}

BOOST_AUTO_TEST_CASE(vectors_find_what_words_do_not) {
  const auto rules = some_rules()->with_vectors({{1, 0}, {0, 1}, {0, 2}, {}});
  const std::vector<float> question{3, 0};
  BOOST_TEST(entries(rules->find("what is it in dollars", 6, 0, &question)) == std::vector<std::size_t>{0});
  // Of another length: words alone count.
  const std::vector<float> other{1, 0, 0};
  BOOST_TEST(rules->find("what is it in dollars", 6, 0, &other).empty());
}

BOOST_AUTO_TEST_CASE(hidden_names_are_seen_where_they_are_written_as_names) {
  const auto db = test::exchange_catalog();
  const auto index = table_index::build(db, {});
  const hidden_names hidden(*db, index->scope(test::analyst()));
  for (const char* text : {"join on NationalID", "use [Phone]", "see hr.Salary", "sum hr.[Salary].Amount"})
    BOOST_TEST(hidden.stand_in(text), text);
  // Words of the language, names that are visible elsewhere, and nothing.
  for (const char* text : {"the amount is in rials", "phone orders count", "sales.Order.TotalPrice", "[Name]", "", "[",
                           "x.", "CustomerID"})
    BOOST_TEST(!hidden.stand_in(text), text);
  BOOST_TEST(!hidden_names(*db, index->scope(everything_visible())).stand_in("NationalID hr.Salary"));
}

BOOST_AUTO_TEST_SUITE_END()
