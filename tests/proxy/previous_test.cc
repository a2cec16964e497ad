// Questions about the answer before, as a client asks them: the warehouse need not be there.
#include <boost/test/unit_test.hpp>

#include "proxy/value_text.h"
#include "tests/proxy/running_gateway.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::running_gateway;

namespace {

decimal number_in_cell(const client_answer& answer, std::size_t row, std::size_t column) {
  BOOST_TEST_REQUIRE(answer.rows.size() > row);
  BOOST_TEST_REQUIRE(answer.rows[row].size() > column);
  const auto read = decimal::parse(value_text(answer.rows[row][column], answer.columns[column].type));
  BOOST_TEST_REQUIRE(read.has_value());
  return *read;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(previous_answers)

BOOST_AUTO_TEST_CASE(the_last_answer_is_asked_about_without_the_warehouse) {
  running_gateway gateway;
  auto client = gateway.client();
  const client_answer first = client.run("-- ASK: sales by province in 1402");
  BOOST_TEST_REQUIRE(error_of(first) == 0);
  BOOST_TEST_REQUIRE(first.rows.size() > 2u);
  decimal sum = decimal::from_int(0), most = number_in_cell(first, 0, 1);
  for (std::size_t r = 0; r < first.rows.size(); ++r) {
    sum = *accumulate(sum, number_in_cell(first, r, 1));
    if (compare(number_in_cell(first, r, 1), most) > 0) most = number_in_cell(first, r, 1);
  }
  gateway.stop_warehouse();
  for (const char* question : {"-- ASK: what was the total?", "EXEC nlq.ask N'مجموع چقدر بود؟'"}) {
    const client_answer total = client.run(question);
    BOOST_TEST_REQUIRE(error_of(total) == 0);
    BOOST_TEST((compare(number_in_cell(total, 0, 0), sum) == 0));
    BOOST_TEST_REQUIRE(!total.messages.empty());
  }
  const client_answer highest = client.run("EXEC nlq.ask N'which was the highest?', @mode = 'full'");
  BOOST_TEST_REQUIRE(error_of(highest) == 0);
  BOOST_TEST((compare(number_in_cell(highest, 0, 1), most) == 0));
  BOOST_TEST(error_of(client.run("-- ASK: explain this")) == 0);
  BOOST_TEST(gateway.audit_text().find("\"previous\"") != std::string::npos);
  // Nobody else's, and not after it was forgotten.
  auto other = gateway.client();
  BOOST_TEST(other.run("-- ASK: explain this").rows.empty());
  client.run("EXEC nlq.reset");
  BOOST_TEST(client.run("-- ASK: explain this").rows.empty());
  gateway.start_warehouse();
}

BOOST_AUTO_TEST_CASE(an_answer_from_the_cache_is_asked_about_too) {
  running_gateway gateway;
  const client_answer first = gateway.client().run("-- ASK: sales by province in 1402");
  BOOST_TEST_REQUIRE(error_of(first) == 0);
  gateway.stop_warehouse();
  auto client = gateway.client();
  const client_answer again = client.run("-- ASK: sales by province in 1402");
  BOOST_TEST_REQUIRE(error_of(again) == 0);
  const client_answer count = client.run("-- ASK: how many rows are there?");
  BOOST_TEST_REQUIRE(error_of(count) == 0);
  BOOST_TEST(
      (compare(number_in_cell(count, 0, 0), decimal::from_int(static_cast<std::int64_t>(first.rows.size()))) == 0));
  // The conversation stands where it stood: what goes on from it still means the first question.
  BOOST_TEST(error_of(client.run("-- ASK: what was the total?")) == 0);
  gateway.start_warehouse();
  const client_answer next = client.run("-- ASK: only for 1401");
  BOOST_TEST_REQUIRE(error_of(next) == 0);
  BOOST_TEST(next.rows.size() > 1u);
}

BOOST_AUTO_TEST_SUITE_END()
