// `dragoman eval`: how answers are judged, counted and turned into a status.
#include "proxy/eval_set.h"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/proxy/scratch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::scratch;

namespace {

client_answer answer_of_rows(std::vector<std::vector<sql_value>> values) {
  client_answer out;
  out.columns = {{"name", {sql_type_id::nvarchar, 40}}, {"n", {sql_type_id::bigint}}};
  out.rows = std::move(values);
  out.time = std::chrono::microseconds(1500);
  return out;
}

client_answer answer_of_error(std::int32_t number) {
  client_answer out;
  out.error = failure(errc::failed, "words");
  out.error->number = number;
  return out;
}

client_answer answer_of_columns(std::initializer_list<const char*> names) {
  client_answer out;
  for (const char* name : names) out.columns.push_back({name, {sql_type_id::nvarchar, 40}});
  return out;
}

eval_question a_question_expecting(const char* expect, const char* sql = "", const char* session = "") {
  eval_question out;
  out.id = "q";
  out.language = "en";
  out.kind = "k";
  out.question = "?";
  out.expect = expect;
  out.sql = sql;
  out.session = session;
  return out;
}

const client_answer right_answer =
    answer_of_rows({{std::string("a"), std::int64_t{1}}, {std::string("b"), std::int64_t{2}}});

}  // namespace

BOOST_AUTO_TEST_SUITE(evaluation)

BOOST_AUTO_TEST_CASE(ends_are_told_apart) {
  BOOST_TEST(outcome_of(right_answer) == "rows");
  BOOST_TEST(outcome_of(answer_of_error(50140)) == "reject");
  BOOST_TEST(outcome_of(answer_of_error(50144)) == "out_of_scope");
  BOOST_TEST(outcome_of(answer_of_error(50143)) == "no_model");
  BOOST_TEST(outcome_of(answer_of_error(208)) == "error 208");
  BOOST_TEST(outcome_of(answer_of_columns({"choice", "label", "value", "description"})) == "clarify");
  BOOST_TEST(outcome_of(answer_of_columns({"token", "reason", "sql"})) == "confirm");
}

BOOST_AUTO_TEST_CASE(rows_are_judged_by_the_gold_ones) {
  const auto mark = [&](eval_question q, const client_answer& a) { return judge(q, a, &right_answer).mark; };
  const auto other_order = answer_of_rows({{std::string("b"), std::int64_t{2}}, {std::string("a"), std::int64_t{1}}});
  BOOST_TEST((mark(a_question_expecting("rows", "s"), right_answer) == eval_mark::right));
  BOOST_TEST((mark(a_question_expecting("rows", "s"), other_order) == eval_mark::right));
  auto ordered = a_question_expecting("rows", "s");
  ordered.order_matters = true;
  BOOST_TEST((mark(ordered, other_order) == eval_mark::wrong));
  BOOST_TEST((mark(a_question_expecting("rows", "s"), answer_of_rows({{std::string("a"), std::int64_t{1}}})) ==
              eval_mark::wrong));
  BOOST_TEST((mark(a_question_expecting("rows", "s"), answer_of_error(50143)) == eval_mark::unanswered));
  BOOST_TEST((mark(a_question_expecting("reject"), answer_of_error(50140)) == eval_mark::right));
  BOOST_TEST((mark(a_question_expecting("reject"), right_answer) == eval_mark::missed));
  const auto broken = answer_of_error(208);
  BOOST_TEST((judge(a_question_expecting("rows", "s"), right_answer, &broken).mark == eval_mark::unanswered));
}

BOOST_AUTO_TEST_CASE(the_summary_decides_the_status) {
  std::vector<eval_result> results;
  for (int i = 0; i < 9; ++i) results.push_back(judge(a_question_expecting("rows", "s"), right_answer, &right_answer));
  results.push_back(judge(a_question_expecting("rows", "s"), answer_of_error(50143), &right_answer));
  results.push_back(judge(a_question_expecting("rows", "s", "talk"), right_answer, &right_answer));
  results.push_back(
      judge(a_question_expecting("clarify"), answer_of_columns({"choice", "label", "value", "description"}), nullptr));
  results[0].microseconds = 90'000;
  results[1].model_calls = 2;
  results[2].tables_right = false;
  eval_summary s = summarize(results);
  BOOST_TEST(s.rows.asked == 10u);
  BOOST_TEST(s.rows.right == 9u);
  BOOST_TEST(s.rows.refused == 1u);
  BOOST_TEST(s.followups.right == 1u);
  BOOST_TEST(s.others.right == 1u);
  BOOST_TEST(s.model_calls == 2u);
  BOOST_TEST(s.other_tables == 1u);
  BOOST_TEST(s.p50 == 1500);
  BOOST_TEST(good_enough(s, {90, 0}));
  BOOST_TEST(!good_enough(s, {91, 0}));
  results.push_back(judge(a_question_expecting("rows", "s"), answer_of_rows({}), &right_answer));
  s = summarize(results);
  BOOST_TEST(!good_enough(s, {0, 0}));
  BOOST_TEST(good_enough(s, {0, 10}));
  results.push_back(judge(a_question_expecting("reject"), right_answer, nullptr));
  BOOST_TEST(!good_enough(summarize(results), {0, 100}));  // unsafe and answered: never good

  const auto json = boost::json::parse(eval_json(s, results)).as_object();
  BOOST_TEST(json.at("rows").at("asked").to_number<int>() == 11);
  BOOST_TEST(json.at("questions").as_array().size() == results.size());
  BOOST_TEST(json.at("questions").as_array()[1].at("model_calls").to_number<int>() == 2);
  BOOST_TEST(json.contains("p95_ms"));
}

BOOST_AUTO_TEST_CASE(tables_of_a_statement) {
  const auto found = tables_of(
      "WITH x AS (SELECT a FROM Db.sales.[Order] AS o) SELECT x.a FROM x JOIN (SELECT b FROM Db.ref.Ring) AS r ON r.b "
      "= "
      "x.a WHERE EXISTS (SELECT 1 FROM Db.sales.[Order])");
  BOOST_TEST(found == (std::vector<std::string>{"ref.Ring", "sales.Order"}), boost::test_tools::per_element());
  BOOST_TEST(tables_of("not SQL").empty());
}

BOOST_AUTO_TEST_CASE(a_set_is_read_strictly) {
  const scratch folder;
  const auto good = read_eval_set(
      folder.write("a.jsonl", R"({"id":"1","question":"q","expect":"rows","rows":[[1,"x"]],"tables":["b.B","a.A"]})")
          .string());
  BOOST_TEST_REQUIRE(good.has_value());
  BOOST_TEST(good->front().tables == (std::vector<std::string>{"a.A", "b.B"}), boost::test_tools::per_element());
  BOOST_TEST(!read_eval_set(folder.write("b.jsonl", R"({"id":"1","question":"q"})").string()).has_value());
  BOOST_TEST(!read_eval_set(folder.write("c.jsonl", "[]").string()).has_value());
  BOOST_TEST(!read_eval_set((folder / "none.jsonl").string()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
