#include "retrieval/terms.h"

#include <boost/test/unit_test.hpp>

using namespace dragoman::retrieval;

BOOST_AUTO_TEST_SUITE(terms)

BOOST_AUTO_TEST_CASE(words_of_names_and_questions) {
  struct row {
    const char* text;
    std::vector<std::string> expected;
  };
  const row rows[] = {
      {"OrderDateID", {"order", "date", "id"}},
      {"XMLFile", {"xml", "file"}},
      {"customer_segments", {"customer", "segment"}},
      {"Total sales by categories, 2024!", {"total", "sale", "by", "category", "2024"}},
      {"address status boxes bus", {"address", "status", "box", "bus"}},
      {"TOP10 q3", {"top", "10", "q", "3"}},
      {"فروش كالاي سال ۱۴۰۲", {"فروش", "کالای", "سال", "1402"}},
      {"مشتری‌ها", {"مشتری", "ها"}},
      {"مشتریها سفارشهای", {"مشتری", "سفارش"}},
      {"آبان، أحمد", {"ابان", "احمد"}},
      {"فُروش", {"فروش"}},
      {"a\xFF"
       "b \xE0\x80",
       {"a", "b"}},
      {"", {}},
      {" ,.;", {}},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.text) {
      const auto got = terms_of(r.text);
      BOOST_TEST(got == r.expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(bigrams_follow) {
  const std::vector<std::string> expected = {"unit", "price", "list", "unit price", "price list"};
  BOOST_TEST(with_bigrams({"unit", "price", "list"}) == expected, boost::test_tools::per_element());
  BOOST_TEST(with_bigrams({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
