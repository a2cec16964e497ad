// Questions about the answer before: every form in both languages with its values, and what must not be read so.
#include "nlq/discuss.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "nlq/insight.h"

using namespace dragoman::nlq;

namespace {

// Sales by province: 100, 50.5, 49.5, 200; mean 100.
last_result by_province(bool persian = false) {
  last_result out;
  out.rows.columns = {{persian ? "استان" : "Province", false}, {persian ? "فروش" : "Sales", true}};
  const std::vector<std::pair<std::string, std::string>> rows =
      persian ? std::vector<std::pair<std::string, std::string>>{{"تهران", "100"},
                                                                 {"البرز", "50.5"},
                                                                 {"یزد", "49.5"},
                                                                 {"فارس", "200"}}
              : std::vector<std::pair<std::string, std::string>>{
                    {"Tehran", "100"}, {"Alborz", "50.5"}, {"Yazd", "49.5"}, {"East Fars", "200"}};
  for (const auto& [name, value] : rows) out.rows.rows.push_back({{name, false}, {value, false}});
  out.rows.complete = true;
  query_intent intent;
  intent.metrics.emplace_back().metric = "sales";
  intent.groups.emplace_back().dimension = "province";
  out.intent = intent;
  out.additive = true;
  out.question = "sales by province in 1402";
  out.interpretation = "Sales by province, 1402";
  out.assumptions = {"only completed orders"};
  out.sql = "SELECT 1";
  return out;
}

// Rows joined by ";", cells by "|"; "-" where the question is no such question.
std::string told(const std::string& question, const last_result& last) {
  const auto said = discuss(question, last);
  if (!said) return "-";
  BOOST_TEST(may_discuss(question), question);
  BOOST_TEST(!said->interpretation.empty());
  std::string out;
  for (const auto& row : said->rows) {
    if (!out.empty()) out += ";";
    for (std::size_t c = 0; c < row.size(); ++c) out += (c > 0 ? "|" : "") + row[c];
    BOOST_TEST(row.size() == said->columns.size(), question);
    BOOST_TEST(said->numeric.size() == said->columns.size(), question);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(discuss_suite)

BOOST_AUTO_TEST_CASE(english_forms) {
  const last_result last = by_province();
  const std::vector<std::pair<const char*, const char*>> table{
      {"what was the total?", "400.0"},
      {"the sum of these", "400.0"},
      {"the average of these", "100.00"},
      {"which was the highest?", "East Fars|200"},
      {"only the top one", "East Fars|200"},
      {"which province was the lowest?", "Yazd|49.5"},
      {"which was the second highest", "Tehran|100"},
      {"the third one", "Yazd|49.5"},
      {"the last one", "East Fars|200"},
      {"how many rows?", "4"},
      {"how many are there in this result?", "4"},
      {"which ones are above average?", "East Fars|200"},
      {"which are below the average?", "Alborz|50.5;Yazd|49.5"},
      {"how many are below average?", "2"},
      {"which of these are above 99.5?", "Tehran|100;East Fars|200"},
      {"which are more than 1 thousand", ""},
      {"what share is East Fars?", "East Fars|200|400.0|50.00"},
      {"what is the share of Tehran in the total", "Tehran|100|400.0|25.00"},
      {"change between the first and the last", "100|200|100|100.00"},
      {"change from Tehran to Alborz", "100|50.5|-49.5|-49.50"},
      {"difference between Tehran and Alborz", "100|50.5|49.5"},
  };
  for (const auto& [question, wanted] : table)
    BOOST_TEST(told(question, last) == wanted, question << ": " << told(question, last));
}

BOOST_AUTO_TEST_CASE(persian_forms) {
  const last_result last = by_province(true);
  const std::vector<std::pair<const char*, const char*>> table{
      {"مجموع چقدر بود؟", "400.0"},
      {"میانگین اینها", "100.00"},
      {"کدام بیشترین بود؟", "فارس|200"},
      {"کمترین کدام است؟", "یزد|49.5"},
      {"کدام استان بیشترین بود؟", "فارس|200"},
      {"دومی کدام بود؟", "البرز|50.5"},
      {"چند ردیف بود؟", "4"},
      {"کدام‌ها بالای میانگین هستند؟", "فارس|200"},
      {"کدام زیر میانگین بودند؟", "البرز|50.5;یزد|49.5"},
      {"کدام بیشتر از ۹۹ بود", "تهران|100;فارس|200"},
      {"سهم تهران چقدر است؟", "تهران|100|400.0|25.00"},
      {"سهم تهران از کل", "تهران|100|400.0|25.00"},
      {"اختلاف تهران و البرز", "100|50.5|49.5"},
      {"تغییر از اولین تا آخرین چقدر بود؟", "100|200|100|100.00"},
  };
  for (const auto& [question, wanted] : table)
    BOOST_TEST(told(question, last) == wanted, question << ": " << told(question, last));
}

BOOST_AUTO_TEST_CASE(an_explanation_says_reading_assumptions_and_sql) {
  for (const char* question : {"explain this", "why?", "how was this calculated?"})
    BOOST_TEST(told(question, by_province()) ==
                   "question|sales by province in 1402;reading|Sales by province, 1402;assumed|only completed orders;"
                   "SQL|SELECT 1;rows|4",
               question);
  for (const char* question : {"توضیح بده", "چرا؟"})
    BOOST_TEST(told(question, by_province()).find("SQL|SELECT 1") != std::string::npos, question);
}

BOOST_AUTO_TEST_CASE(new_questions_are_not_about_the_last_answer) {
  for (const char* question : {"total sales in 1402",
                               "total sales",
                               "average price",
                               "top 5 instead",
                               "only for 1401",
                               "and by province?",
                               "how many customers?",
                               "which province had the highest sales?",
                               "which broker was the highest",
                               "sales in Tehran",
                               "only the top 3",
                               "total in 1402",
                               "hello",
                               "thanks",
                               "how many",
                               "first",
                               "مجموع فروش ۱۴۰۲",
                               "میانگین قیمت",
                               "فقط تهران",
                               "تعداد مشتریان",
                               "how many are cancelled",
                               "the average of Tehran",
                               "share of Isfahan",
                               "",
                               "?"})
    BOOST_TEST(told(question, by_province()) == "-", question << ": " << told(question, by_province()));
}

BOOST_AUTO_TEST_CASE(what_the_rows_cannot_say_exactly_is_left_alone) {
  last_result last = by_province();
  last.additive = false;
  BOOST_TEST(told("what was the total?", last) == "-");
  BOOST_TEST(told("share of Tehran", last) == "-");
  BOOST_TEST(told("which was the highest?", last) == "East Fars|200");
  last = by_province();
  last.rows.complete = false;
  BOOST_TEST(told("which was the highest?", last) == "-");
  BOOST_TEST(told("explain this", last) == "-");
  last = by_province();
  last.rows.rows.resize(1);  // a single value: its "average" would be of something else
  BOOST_TEST(told("what was the average?", last) == "-");
  last = by_province();
  last.rows.rows[0][1].text = "1e30";
  BOOST_TEST(told("what was the total?", last) == "-");
  last = by_province();
  last.rows.rows[3][1] = {"", true};  // NULL counts for nothing
  BOOST_TEST(told("the average of these", last) == "66.67");
  BOOST_TEST(told("which was the highest?", last) == "Tehran|100");
  last = by_province();
  last.rows.rows[0][1].text = "200.0";  // ties come together
  BOOST_TEST(told("which was the highest?", last) == "Tehran|200.0;East Fars|200");
}

BOOST_AUTO_TEST_CASE(several_measures_and_numeric_labels) {
  last_result last = by_province();
  last.rows.columns = {{"Year", true}, {"Sales", true}, {"Orders", true}};
  last.rows.rows.clear();
  for (const char* year : {"1401", "1402"})
    last.rows.rows.push_back(
        {{year, false}, {year[3] == '1' ? "10" : "30", false}, {year[3] == '1' ? "7" : "3", false}});
  last.intent->metrics.emplace_back().metric = "orders";
  BOOST_TEST(told("the total of these", last) == "40|10");
  BOOST_TEST(told("which was the highest?", last) == "Sales|1402|30|3;Orders|1401|10|7");
  BOOST_TEST(told("which are above average?", last) == "-");  // of which measure?
  last.intent.reset();  // a model's SQL: which of the numbers measure is not known
  BOOST_TEST(told("which was the highest?", last) == "-");
  BOOST_TEST(told("how many rows are there", last) == "2");
}

BOOST_AUTO_TEST_SUITE_END()
