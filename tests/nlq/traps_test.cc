// Joins that would count a row more than once, and what is answered instead. Every figure is added up by hand from the
// rows in shop.h.
#include "tests/nlq/shop.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

struct shop_fixture : nlq::testing::shop {
  void check(const std::vector<std::pair<std::string, std::string>>& table) {
    for (const auto& [question, expected] : table) {
      const std::string got = rows(question);
      BOOST_TEST(got == expected, question << ": " << got << " from " << sql(question));
    }
  }
  // Refused, and the reason names both the measure and what it cannot be told by.
  void refused(const std::string& question, const std::vector<std::string>& names) {
    const std::string got = sql(question);
    BOOST_TEST(got.starts_with("refused: "), question << ": " << got);
    for (const std::string& name : names)
      BOOST_TEST(got.find(name) != std::string::npos, question << ": no \"" << name << "\" in " << got);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(traps, shop_fixture)

// Chasm: lines and stock both refer to products. Joined row by row the pen's two lines would meet its two stocks.
BOOST_AUTO_TEST_CASE(two_tables_that_share_a_dimension) {
  check({
      {"sales and stock by product", "Pad|150.00|11/Pen|150.00|100/Ink|30.00|5/Box|9.00|~"},
      {"فروش و موجودی به تفکیک کالا", "Pad|150.00|11/Pen|150.00|100/Ink|30.00|5/Box|9.00|~"},
      {"sales and stock", "339.00|116"},
      {"orders and stock by region", "North|2|45/~|1|~/South|1|60/West|0|11"},
  });
}

BOOST_AUTO_TEST_CASE(three_tables_at_once) {
  check({{"sales, stock and returned amount by product",
          "Pad|150.00|11|~/Pen|150.00|100|30.00/Ink|30.00|5|~/Box|9.00|~|9.00"},
         {"orders, freight, stock and returns by region",
          "North|2|30.00|45|1/~|1|7.00|~|1/South|1|5.00|60|1/West|0|~|11|0"}});
}

// The box has no category in either table: one row, not two, and not none.
BOOST_AUTO_TEST_CASE(members_that_are_not_known_are_one_group) {
  check({{"sales and returned amount by category", "Writing|180.00|30.00/Paper|150.00|~/~|9.00|9.00"}});
}

BOOST_AUTO_TEST_CASE(conditions_and_periods_hold_for_each_table) {
  check({
      {"sales and stock in 2024", "189.00|116"},
      {"sales and stock of pen", "150.00|100"},
      {"sales and stock by product in July 2024", "Box|9.00|~/Ink|~|5/Pad|~|11"},
      {"orders and returns by month in 2024", "1|1|1/6|1|0/7|1|1/8|0|1"},
  });
  refused("sales and stock by customer", {"stock", "customer"});
  refused("sales and stock of Ann by product", {"stock", "customer"});
  refused("فروش و موجودی به تفکیک مشتری", {"موجودی", "مشتری"});
  refused("sales and balance in 2024", {"balance", "date"});
}

BOOST_AUTO_TEST_CASE(ranking_and_thresholds_stand_above_the_totals) {
  check({
      {"top 2 products by stock and sales", "Pen|100|150.00/Pad|11|150.00"},
      {"regions with more than 1 orders and stock", "North|2|45"},
      {"share of sales and stock by product in 2023", "Pen|66.666666|~/Pad|33.333333|~"},
  });
}

BOOST_AUTO_TEST_CASE(ratios_across_tables) {
  check({
      {"returns per order", "0.750000000000"},
      {"returns per order by region", "~|1.000000000000/South|1.000000000000/North|0.500000000000"},
      {"sales per return by product", "Pen|75.000000/Box|9.000000/Ink|~/Pad|~"},
  });
}

// Fan-out: freight is kept once per order, and an order has several lines.
BOOST_AUTO_TEST_CASE(a_header_is_never_repeated_by_its_lines) {
  check({
      {"freight", "42.00"},
      {"freight and sales", "42.00|339.00"},
      {"freight and sales by customer", "Ann|30.00|230.00/Cyd|7.00|9.00/Bob|5.00|100.00"},
  });
  refused("freight by product", {"product"});
  refused("freight and sales by product", {"freight", "product"});
}

// Counting headers from their lines: order 2 has two lines of Writing and is one order.
BOOST_AUTO_TEST_CASE(distinct_counts_over_lines) {
  check({{"distinct orders by category", "Paper|2/Writing|2/~|1"}, {"distinct orders", "4"}});
}

// Many to many: account 1 has two owners, and its balance belongs to neither alone.
BOOST_AUTO_TEST_CASE(a_bridge_is_not_crossed) {
  check({{"balance", "1500.00"}});
  refused("balance by customer", {"customer"});
  refused("balance and sales by customer", {"balance", "customer"});
}

BOOST_AUTO_TEST_CASE(rights_narrow_every_table) {
  BOOST_TEST(rows_of_one("orders and stock by region") == "North|2|45");
  BOOST_TEST(rows_of_one("sales and stock in 2024") == "80.00|45");
  BOOST_TEST(rows_of_one("returns per order") == "1.500000000000");
}

BOOST_AUTO_TEST_CASE(what_was_taken_for_granted_is_said) {
  auto said = [&](const std::string& question) {
    const understanding u = ask(question);
    std::string all;
    if (const auto* q = std::get_if<understood_query>(&u)) {
      for (const std::string& a : q->assumptions) all += a + ";";
    }
    return all;
  };
  BOOST_TEST(said("sales and stock in 2024") == "each measure by its own date;");
  BOOST_TEST(said("فروش و موجودی در ۲۰۲۴") == "هر شاخص بر پایه تاریخ خودش;");
  BOOST_TEST(said("sales and stock by product") == "");
  BOOST_TEST(said("sales and freight in 2024") == "");
}

BOOST_AUTO_TEST_CASE(what_is_not_combined_says_so) {
  refused("growth of sales and stock in 2024 compared to 2023", {"several tables"});
}

BOOST_AUTO_TEST_SUITE_END()
