// The example retriever: approved questions like the one that is asked.
#include <boost/test/unit_test.hpp>

#include "retrieval/text_index.h"

using namespace dragoman;
using namespace dragoman::retrieval;

namespace {

std::shared_ptr<const text_index> some_examples() {
  return text_index::build({{{"total sales by customer segment", "فروش هر بخش مشتری"}, {}},
                            {{"how many orders were cancelled last month"}, {}},
                            {{"top ten brokers by number of orders"}, {}},
                            {{"average price of bitumen per month in every hall of the exchange"}, {}}},
                           likeness::nearest);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(example_retriever)

BOOST_AUTO_TEST_CASE(the_nearest_come_first) {
  const auto examples = some_examples();
  const auto first = [&](const char* question) {
    const auto found = examples->find(question, 3, 0.15);
    return found.empty() ? -1 : static_cast<int>(found[0].entry);
  };
  BOOST_TEST(first("sales by segment in 1402") == 0);
  BOOST_TEST(first("فروش بخش‌های مشتری در سال ۱۴۰۲") == 0);
  BOOST_TEST(first("cancelled orders of last month") == 1);
  BOOST_TEST(first("top five brokers") == 2);
  BOOST_TEST(first("average price of bitumen") == 3);
  BOOST_TEST(first("list all suppliers of cement") == -1);
  BOOST_TEST(first("") == -1);
}

BOOST_AUTO_TEST_CASE(likeness_is_between_none_and_the_same) {
  const auto examples = some_examples();
  const auto same = examples->find("total sales by customer segment", 3);
  BOOST_TEST_REQUIRE(!same.empty());
  BOOST_TEST(same[0].score == 1.0, boost::test_tools::tolerance(1e-6));
  const auto near = examples->find("sales by customer segment and by hall", 3);
  BOOST_TEST_REQUIRE(!near.empty());
  BOOST_TEST(near[0].score < 1.0);
  // A long example that holds one word of the question is not like it.
  BOOST_TEST(examples->find("list of the halls", 3, 0.15).empty());
}

BOOST_AUTO_TEST_CASE(at_most_so_many_in_one_order) {
  const auto examples = some_examples();
  const auto some = examples->find("orders by month", 2);
  BOOST_TEST(some.size() == 2u);
  for (int i = 0; i < 3; ++i) {
    const auto again = examples->find("orders by month", 2);
    BOOST_TEST(again[0].entry == some[0].entry);
    BOOST_TEST(again[1].entry == some[1].entry);
  }
}

BOOST_AUTO_TEST_CASE(vectors_join_the_words) {
  const auto examples = some_examples()->with_vectors({{1, 0}, {0, 1}, {0, 1}, {-1, 0}});
  const std::vector<float> question{2, 0};
  const auto found = examples->find("turnover of every kind of buyer", 3, 0.15, &question);
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].entry == 0u);
  BOOST_TEST(found[0].score == 0.5, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_SUITE_END()
