// Expressions of time against the clock 2025-03-10, which is 20 Esfand 1403.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "nlq/text_tokens.h"
#include "nlq/time_expression.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

std::string resolved(const std::string& text) {
  time_context context{has_persian_letters(text) ? language::persian : language::english, to_day_number({2025, 3, 10})};
  tokens words = tokenise(text);
  auto m = match_time(words, 0, context);
  if (!m || m->length != words.size() || m->kind != time_kind::period) return "-";
  if (m->when.month_of_any_year) return "month " + std::to_string(*m->when.month_of_any_year);
  return (m->when.first ? date_text(*m->when.first) : "") + ".." + (m->when.last ? date_text(*m->when.last) : "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(time_expressions)

BOOST_AUTO_TEST_CASE(spans) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"1402", "2023-03-21..2024-03-19"},
      {"2024", "2024-01-01..2024-12-31"},
      {"this year", "2025-01-01..2025-12-31"},
      {"امسال", "2024-03-20..2025-03-20"},
      {"سال گذشته", "2023-03-21..2024-03-19"},
      {"پارسال", "2023-03-21..2024-03-19"},
      {"last month", "2025-02-01..2025-02-28"},
      {"this quarter", "2025-01-01..2025-03-31"},
      {"last 30 days", "2025-02-09..2025-03-10"},
      {"۳۰ روز گذشته", "2025-02-09..2025-03-10"},
      {"last 6 months", "2024-09-10..2025-03-10"},
      {"yesterday", "2025-03-09..2025-03-09"},
      {"March 2024", "2024-03-01..2024-03-31"},
      {"Bahman 1403", "2025-01-20..2025-02-18"},
      {"بهمن ماه ۱۴۰۳", "2025-01-20..2025-02-18"},
      {"march", "month 3"},
      {"Q1 2024", "2024-01-01..2024-03-31"},
      {"first half of 1402", "2023-03-21..2023-09-22"},
      {"سه‌ماهه اول 1403", "2024-03-20..2024-06-20"},
      {"زمستان ۱۴۰۲", "2023-12-22..2024-03-19"},
      {"between 1 January 2024 and 31 March 2024", "2024-01-01..2024-03-31"},
      {"از فروردین تا شهریور ۱۴۰۲", "2023-03-21..2023-09-22"},
      {"از ۱۵ فروردین تا ۲۰ خرداد ۱۴۰۳", "2024-04-03..2024-06-09"},
      {"since last Nowruz", "2024-03-20..2025-03-10"},
      {"از نوروز امسال تا امروز", "2024-03-20..2025-03-10"},
      {"از اول ۱۴۰۲ به بعد", "2023-03-21.."},
      {"before 2022", "..2021-12-31"},
      {"2024-01-31", "2024-01-31..2024-01-31"},
      {"1402/01/15", "2023-04-04..2023-04-04"},
      {"2022-2024", "2022-01-01..2024-12-31"},
      {"60/70", "-"},
      {"1402/13/01", "-"},
  };
  for (const auto& [text, expected] : table)
    BOOST_TEST(resolved(text) == expected, text << " is " << resolved(text) << ", not " << expected);
}

BOOST_AUTO_TEST_CASE(folding) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"كارگزاري", "کارگزاری"},  // Arabic kaf and yeh
      {"تأمین‌کننده", "تامین کننده"},
      {"سفارش های", "سفارشهای"},
      {"١٤٠٢", "1402"},
      {"۶۰/۷۰", "60/70"},
      {"ＳＡＬＥＳ", "sales"},
      {"broker's haven't", "broker have not"},
      {"1,000,000", "1000000"},
      {"8%", "8 %"},
  };
  for (const auto& [text, expected] : table) BOOST_TEST(fold_text(text) == expected, text << " is " << fold_text(text));
  BOOST_TEST(edit_distance("slaes", "sales", 2) == 1u);
  BOOST_TEST(edit_distance("revnue", "revenue", 2) == 1u);
  BOOST_TEST(edit_distance("hall", "sales", 1) == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
