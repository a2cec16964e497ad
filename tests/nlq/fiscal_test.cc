// Fiscal years: declared with either name and in either calendar, and asked about where none is declared.
#include "tests/nlq/shop.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

// Sales of the shop: 150 on 2023-07-10, 80 on 2024-01-05, 100 on 2024-06-30, 9 on 2024-07-01; today is 2024-08-20.
void check(nlq::testing::shop& shop, const std::vector<std::pair<std::string, std::string>>& table) {
  for (const auto& [question, expected] : table) {
    const std::string got = shop.rows(question);
    BOOST_TEST(got == expected, question << ": " << got << " from " << shop.sql(question));
  }
}

std::string mistake(const std::string& declared) {
  auto layer = parse_semantics(nlq::testing::shop_layer("fiscal_year: " + declared + "\n"), "shop.yaml");
  if (layer) return "loads";
  const std::string& m = layer.error().message;
  return m.substr(std::min(m.size(), m.find(": ") + 2));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fiscal_years)

BOOST_AUTO_TEST_CASE(named_by_their_end) {
  nlq::testing::shop shop("fiscal_year: {starts: \"07-01\", named_by: end}\n");
  check(shop, {
                  {"sales in fiscal year 2024", "330.00"},
                  {"sales in FY2024", "330.00"},
                  {"sales in FY24", "330.00"},
                  {"fiscal 2024 sales", "330.00"},
                  {"sales in the 2024 fiscal year", "330.00"},
                  {"sales in financial year 2025", "9.00"},
                  {"sales this fiscal year", "9.00"},
                  {"sales last fiscal year", "330.00"},
                  {"sales fiscal year to date", "9.00"},
                  {"فروش سال مالی ۲۰۲۴", "330.00"},
                  {"فروش سال مالی جاری", "9.00"},
                  {"فروش سال مالی گذشته", "330.00"},
                  {"sales in 2024", "189.00"},
              });
}

BOOST_AUTO_TEST_CASE(quarters_and_months_of_them) {
  nlq::testing::shop shop("fiscal_year: {starts: \"07-01\", named_by: end}\n");
  check(shop, {
                  {"sales in fiscal Q3 2024", "80.00"},
                  {"sales in Q4 of fiscal year 2024", "100.00"},
                  {"sales in the first quarter of FY2024", "150.00"},
                  {"sales in the third fiscal quarter of 2024", "80.00"},
                  {"sales this fiscal quarter", "9.00"},
                  {"sales last fiscal quarter", "100.00"},
                  {"sales in January of fiscal year 2024", "80.00"},
                  {"فروش سه‌ماهه اول سال مالی ۲۰۲۴", "150.00"},
                  {"sales in Q3 2024", "9.00"},
              });
}

BOOST_AUTO_TEST_CASE(series_of_them) {
  nlq::testing::shop shop("fiscal_year: {starts: \"07-01\", named_by: end}\n");
  check(shop, {
                  {"sales by fiscal year", "2024|330.00/2025|9.00"},
                  {"sales by fiscal quarter", "2024|1|150.00/2024|3|80.00/2024|4|100.00/2025|1|9.00"},
                  {"فروش به تفکیک سال مالی", "2024|330.00/2025|9.00"},
                  {"sales by customer and fiscal year", "Ann|2024|230.00/Bob|2024|100.00/Cyd|2025|9.00"},
                  {"sales and stock by fiscal year", "2024|330.00|100/2025|9.00|16"},
              });
}

BOOST_AUTO_TEST_CASE(named_by_their_start) {
  nlq::testing::shop shop("fiscal_year: {starts: \"07-01\", named_by: start}\n");
  check(shop, {{"sales in fiscal year 2023", "330.00"},
               {"sales this fiscal year", "9.00"},
               {"sales in fiscal Q4 2023", "100.00"},
               {"sales by fiscal year", "2023|330.00/2024|9.00"}});
}

BOOST_AUTO_TEST_CASE(of_the_persian_calendar) {
  // 1402/07/01 to 1403/06/31 is 2023-09-23 to 2024-09-21.
  nlq::testing::shop mehr("fiscal_year: {calendar: persian, starts: \"07-01\", named_by: end}\n");
  check(mehr, {{"فروش سال مالی ۱۴۰۳", "189.00"},
               {"فروش سال مالی جاری", "189.00"},
               {"sales in fiscal year 1402", "150.00"},
               {"فروش به تفکیک سال مالی", "1402|150.00/1403|189.00"}});
  BOOST_TEST(mehr.sql("sales in FY2024").find("Fiscal years of these data are years of the Persian") !=
             std::string::npos);
  nlq::testing::shop nowruz("fiscal_year: {calendar: persian, starts: \"01-01\"}\n");
  check(nowruz, {{"فروش سال مالی ۱۴۰۲", "230.00"}, {"فروش سال مالی جاری", "109.00"}});
}

// The year in front of its quarter or half is the same one.
BOOST_AUTO_TEST_CASE(quarters_and_halves_behind_the_year) {
  nlq::testing::shop shop("fiscal_year: {starts: \"07-01\", named_by: end}\n");
  for (const auto& [behind, before] : std::vector<std::pair<std::string, std::string>>{
           {"sales in FY2024 Q1", "sales in Q1 of FY2024"},
           {"sales in FY2024 Q2", "sales in fiscal Q2 2024"},
           {"sales in fiscal year 2024 Q3", "sales in Q3 of FY2024"},
           {"sales in FY2024 H1", "sales in H1 of FY2024"},
           {"فروش سال مالی ۲۰۲۴ سه‌ماهه دوم", "sales in fiscal Q2 2024"}}) {
    const understanding one = shop.ask(behind), other = shop.ask(before);
    const auto *a = std::get_if<understood_query>(&one), *b = std::get_if<understood_query>(&other);
    BOOST_TEST_REQUIRE((a != nullptr && b != nullptr), behind);
    BOOST_REQUIRE(a->intent.periods.size() == 1 && b->intent.periods.size() == 1);
    BOOST_TEST((a->intent.periods[0].first == b->intent.periods[0].first), behind);
    BOOST_TEST((a->intent.periods[0].last == b->intent.periods[0].last), behind);
  }
}

BOOST_AUTO_TEST_CASE(undeclared_ones_are_asked_about) {
  nlq::testing::shop shop;
  for (const char* question : {"sales in fiscal year 2024", "sales in FY2024", "sales this fiscal year",
                               "sales by fiscal quarter", "fiscal 2024 sales", "sales in Q1 of fiscal 2024"}) {
    const std::string got = shop.sql(question);
    BOOST_TEST(got.find("The semantic layer does not say when the fiscal year starts") != std::string::npos,
               question << ": " << got);
  }
  for (const char* question : {"فروش سال مالی ۱۴۰۲", "فروش سال مالی جاری", "فروش به تفکیک سال مالی"}) {
    const std::string got = shop.sql(question);
    BOOST_TEST(got.find("لایه معنایی سال مالی را تعریف نکرده") != std::string::npos, question << ": " << got);
  }
}

BOOST_AUTO_TEST_CASE(what_is_read_is_said) {
  nlq::testing::shop shop("fiscal_year: {starts: \"07-01\", named_by: end}\n");
  auto said = [&](const std::string& question) {
    const understanding u = shop.ask(question);
    const auto* q = std::get_if<understood_query>(&u);
    return q != nullptr ? q->interpretation : std::string();
  };
  BOOST_TEST(said("sales in FY2024").find("fiscal year 2024 (2023-07-01 to 2024-06-30") != std::string::npos);
  BOOST_TEST(said("sales in fiscal Q2 2024").find("Q2 of fiscal year 2024 (2023-10-01 to 2023-12-31") !=
             std::string::npos);
  BOOST_TEST(said("sales by fiscal year").find("by fiscal year") != std::string::npos);
  BOOST_TEST(said("فروش به تفکیک سال مالی").find("به تفکیک سال مالی") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(declarations_are_read_strictly) {
  BOOST_TEST(mistake("{starts: \"07-01\", named_by: end}") == "loads");
  BOOST_TEST(mistake("{starts: \"01-01\"}") == "loads");
  BOOST_TEST(mistake("{named_by: end}") == "fiscal_year.starts: is missing");
  BOOST_TEST(mistake("{starts: \"13-01\", named_by: end}") ==
             "fiscal_year.starts: expected a month and day as \"07-01\"");
  BOOST_TEST(mistake("{starts: July, named_by: end}") == "fiscal_year.starts: expected a month and day as \"07-01\"");
  BOOST_TEST(mistake("{starts: \"04-06\", named_by: end}") ==
             "fiscal_year.starts: a fiscal year starts on the first day of a month");
  BOOST_TEST(mistake("{starts: \"07-01\"}") == "fiscal_year.named_by: is missing");
  BOOST_TEST(mistake("{starts: \"07-01\", named_by: middle}") == "fiscal_year.named_by: expected start or end");
  BOOST_TEST(mistake("{calendar: julian, starts: \"07-01\", named_by: end}") ==
             "fiscal_year.calendar: calendars are gregorian and persian");
  BOOST_TEST(mistake("{starts: \"07-01\", named_by: end, ends: \"06-30\"}") == "fiscal_year.ends: unknown key");
}

BOOST_AUTO_TEST_SUITE_END()
