// Slot frames from a model: the schema, what is compiled from them, and the ways through the pipeline.
#include "nlq/plan.h"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "guard/tsql/printer.h"
#include "nlq/pipeline.h"
#include "nlq/prompt.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

struct planning_world {
  catalog::database_ptr db;
  std::shared_ptr<const semantic_layer> layer;
  std::shared_ptr<const knowledge> known;
};

const planning_world& planned_world() {
  static const planning_world made = [] {
    planning_world e;
    const std::string folder = std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/";
    auto db = catalog::load_snapshot(folder + "catalog.yaml");
    auto layer = load_semantics(folder + "semantics.yaml");
    BOOST_TEST_REQUIRE(db.has_value());
    BOOST_TEST_REQUIRE(layer.has_value());
    e.db = std::make_shared<const catalog::database>(std::move(*db));
    e.layer = std::make_shared<const semantic_layer>(std::move(*layer));
    e.known = knowledge::build(e.layer, e.db, {});
    return e;
  }();
  return made;
}

std::shared_ptr<const plan_base> plan_for(const retrieval::visibility& visible) {
  const auto index = retrieval::table_index::build(planned_world().db, {});
  return plan_base::build(planned_world().layer, *planned_world().db, index->scope(visible));
}

planned read_frame(std::string_view json, language lang = language::english) {
  static const auto plan = plan_for(retrieval::everything_visible());
  return query_of_frame(json, *plan, *planned_world().known, lang, to_day_number({2025, 3, 10}));
}

std::string frame_sql(const planned& p) {
  return p.query ? tsql::print(p.query->select) : "error: " + p.error;
}

// What the same question compiles to without a model.
std::string sql_without_model(std::string_view question) {
  question_context context;
  context.known = planned_world().known.get();
  context.today = to_day_number({2025, 3, 10});
  const understanding said = understand(question, context);
  const auto* query = std::get_if<understood_query>(&said);
  BOOST_TEST_REQUIRE(query != nullptr);
  return tsql::print(query->select);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plans)

BOOST_AUTO_TEST_CASE(a_frame_compiles_like_the_question_it_stands_for) {
  const std::tuple<const char*, const char*, language> rows[] = {
      {R"({"answerable": true, "metrics": ["sales"], "periods": ["1402"]})", "total sales in 1402", language::english},
      {R"(```json
{"answerable": true, "metrics": ["sales"], "group_by": ["segment"], "filters": [], "periods": ["1402"], "limit": 0,
 "order": "most", "share": "none", "window": "none"}
```)",
       "sales by customer segment in 1402", language::english},
      {R"({"metrics": ["sales"], "group_by": ["time:month"], "periods": ["۱۴۰۲"]})", "فروش ماهانه ۱۴۰۲",
       language::persian},
      {R"({"metrics": ["sales"], "group_by": ["broker"], "limit": 5, "order": "most", "periods": ["1402"]})",
       "top 5 brokers by sales in 1402", language::english},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": ["trader"], "negated": false}],
          "periods": ["1402"]})",
       "total sales to traders in 1402", language::english},
  };
  for (const auto& [frame, question, lang] : rows)
    BOOST_TEST_CONTEXT(question) BOOST_TEST(frame_sql(read_frame(frame, lang)) == sql_without_model(question));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_and_compiles_to_nothing) {
  const std::pair<const char*, const char*> rows[] = {
      {"no JSON", "no JSON object"},
      {"[1, 2]", "no JSON object"},
      {R"({"metrics": []})", "at least one metric"},
      {R"({"metrics": ["salary"]})", "no metric \"salary\""},
      {R"({"metrics": "sales"})", "must be a list"},
      {R"({"metrics": ["sales"], "sql": "DROP TABLE x"})", "no slot \"sql\""},
      {R"({"metrics": ["sales"], "group_by": ["hr.Salary"]})", "no dimension \"hr.Salary\""},
      {R"({"metrics": ["sales"], "group_by": ["time:decade"]})", "no grain"},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": ["x' OR 1=1"]}]})", "is no value of"},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": []}]})", "has no values"},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": ["trader"], "negated": "true"}]})",
       "\"negated\" must be true or false"},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": ["trader"], "negated": 1}]})",
       "\"negated\" must be true or false"},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": ["trader"], "negated": null}]})",
       "\"negated\" must be true or false"},
      {R"({"metrics": ["sales"], "filters": [{"dimension": "segment", "values": ["trader"], "not": true}]})",
       "no slot \"not\""},
      {R"({"metrics": ["sales"], "answerable": "no"})", "\"answerable\" must be true or false"},
      {R"({"metrics": ["sales"], "answerable": 0})", "\"answerable\" must be true or false"},
      {R"({"metrics": ["sales"], "periods": ["1; DROP"]})", "is no period"},
      {R"({"metrics": ["sales"], "limit": -1})", "number from 0"},
      {R"({"metrics": ["sales"], "share": "all"})", "must be \"none\""},
  };
  for (const auto& [frame, words] : rows) {
    BOOST_TEST_CONTEXT(frame) {
      const planned p = read_frame(frame);
      BOOST_TEST(!p.query.has_value());
      BOOST_TEST(!p.out_of_scope);
      BOOST_TEST(p.error.find(words) != std::string::npos, p.error);
    }
  }
  BOOST_TEST(read_frame(R"({"answerable": false})").out_of_scope);
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{\"a\":";
  BOOST_TEST(!read_frame(deep + "1" + std::string(5000, '}')).error.empty());
}

BOOST_AUTO_TEST_CASE(any_bytes_are_survived) {
  const std::string seed =
      R"({"answerable": true, "metrics": ["sales", "orders"], "group_by": ["segment", "time:month"], "filters": )"
      R"([{"dimension": "segment", "values": ["trader"], "negated": false}], "periods": ["1402", "last month"], )"
      R"("limit": 5, "order": "most", "share": "none", "window": "growth"})";
  const char pieces[] = "{}[]\",:0-9eE.truefalsnu \x80\xD9\x81\\";
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string text = seed;
    for (unsigned k = 0; k <= random() % 6; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, random() % 12);
      else
        text.insert(at, 1, pieces[random() % (sizeof pieces - 1)]);
      if (text.empty()) text = "{";
    }
    const planned p = read_frame(text);
    BOOST_TEST_REQUIRE((p.query ? 1 : 0) + (p.out_of_scope ? 1 : 0) + (p.error.empty() ? 0 : 1) == 1, text);
  }
}

BOOST_AUTO_TEST_CASE(names_are_those_of_the_principal) {
  const auto all = plan_for(retrieval::everything_visible());
  const auto some = plan_for([](const catalog::table& t, const catalog::column& c) {
    return t.name == "Broker" || c.name == "Segment" ? retrieval::column_right::hidden
                                                     : retrieval::column_right::visible;
  });
  for (const char* word : {"\"broker\"", "\"segment\""}) {
    BOOST_TEST(all->schema().find(word) != std::string::npos);
    BOOST_TEST(some->schema().find(word) == std::string::npos);
  }
  for (const std::string& name : some->names().dimensions) BOOST_TEST(name != "broker");
  const planned refused = query_of_frame(R"({"metrics": ["sales"], "group_by": ["broker"]})", *some,
                                         *planned_world().known, language::english, 0);
  BOOST_TEST(refused.error.find("no dimension") != std::string::npos);
  BOOST_TEST((plan_for([](const catalog::table&, const catalog::column&) { return retrieval::column_right::hidden; }) ==
              nullptr));
}

BOOST_AUTO_TEST_CASE(the_schema_is_a_strict_one) {
  const auto plan = plan_for(retrieval::everything_visible());
  const auto schema = boost::json::parse(plan->schema()).as_object();
  BOOST_TEST(schema.at("additionalProperties").as_bool() == false);
  BOOST_TEST(schema.at("required").as_array().size() == schema.at("properties").as_object().size());
}

BOOST_AUTO_TEST_CASE(the_prefix_is_the_same_for_every_question) {
  const auto plan = plan_for(retrieval::everything_visible());
  const auto one = plan->messages("sales", "", to_day_number({2025, 3, 10}));
  const auto two = plan->messages("orders by broker", "sales\nSELECT 1", to_day_number({2025, 3, 11}));
  BOOST_TEST((one[0] == two[0]));
  BOOST_TEST(one[1].content != two[1].content);
  BOOST_TEST(one[0].content == plan_for(retrieval::everything_visible())->prefix());
}

// ---- through the pipeline -------------------------------------------------------------------------------------------

struct plan_trace {
  report end;
  std::string actions;
  std::vector<call_model> calls;
};

// The model says these in turn; every statement is accepted and runs, unless `checks` says otherwise.
plan_trace ask_for(generation mode, std::vector<std::string> answers, std::vector<checked> checks = {}) {
  environment e;
  source_view s;
  s.name = "exchange";
  s.layer = planned_world().layer;
  s.understand = [](std::string_view) -> understanding { return needs_model{{"foo"}, ""}; };
  const auto index = retrieval::table_index::build(planned_world().db, {});
  prompt_material m;
  m.source = "exchange";
  m.tables = index;
  m.visible = retrieval::everything_visible();
  m.layer = planned_world().layer;
  s.prompt = prompt_base::build(std::move(m));
  s.plan = plan_for(retrieval::everything_visible());
  s.read_plan = [plan = s.plan](std::string_view json, language lang) {
    return query_of_frame(json, *plan, *planned_world().known, lang, to_day_number({2025, 3, 10}));
  };
  e.sources = {std::move(s)};
  e.has_model = true;
  e.generate = mode;
  pipeline p(std::make_shared<const environment>(std::move(e)), "foo sales by segment");
  plan_trace out;
  action a = p.start();
  while (!std::holds_alternative<finish>(a)) {
    if (auto* call = std::get_if<call_model>(&a)) {
      out.actions += call->json_schema.empty() ? "sql " : "plan ";
      out.calls.push_back(*call);
      BOOST_TEST_REQUIRE(!answers.empty());
      llm::chat_result r;
      r.status = llm::call_status::ok;
      r.text = answers.front();
      answers.erase(answers.begin());
      a = p.resume(model_answered{std::move(r)});
    } else if (std::holds_alternative<check_sql>(a)) {
      out.actions += std::get<check_sql>(a).tree != nullptr ? "tree " : "text ";
      checked c{true, errc::internal, "", "PRINTED", {}};
      if (!checks.empty()) {
        c = checks.front();
        checks.erase(checks.begin());
      }
      a = p.resume(std::move(c));
    } else {
      out.actions += "run ";
      ran r;
      r.ok = true;
      a = p.resume(std::move(r));
    }
  }
  BOOST_TEST(answers.empty());
  out.end = p.report();
  return out;
}

constexpr const char* good_frame = R"({"metrics": ["sales"], "group_by": ["segment"]})";
constexpr const char* bad_frame = R"({"metrics": ["mood"]})";
constexpr const char* no_frame = R"({"answerable": false})";
constexpr const char* plain_statement = "SELECT COUNT(*) AS n FROM sales.Customer AS c";

BOOST_AUTO_TEST_CASE(every_way_through_the_pipeline) {
  struct row {
    const char* name;
    generation mode;
    std::vector<std::string> answers;
    std::vector<checked> checks;
    const char* actions;
    terminal end;
  };
  const checked unknown{false, errc::unknown_column, "Invalid column name 'x'.", "", {}};
  const checked denied{false, errc::denied_column, "denied", "", {}};
  const checked misses{false, errc::required_rule, "Table 'hr.Salary' demands 'x = 1'.", "", {}};
  const checked fine{true, errc::internal, "", "PRINTED", {}};
  const row rows[] = {
      {"a frame", generation::plan, {good_frame}, {}, "plan tree run ", terminal::answered},
      {"a frame, auto", generation::plan_or_sql, {good_frame}, {}, "plan tree run ", terminal::answered},
      {"only SQL", generation::sql, {plain_statement}, {}, "sql text run ", terminal::answered},
      {"a bad frame is corrected",
       generation::plan,
       {bad_frame, good_frame},
       {},
       "plan plan tree run ",
       terminal::answered},
      {"bad to the end", generation::plan, {bad_frame, bad_frame, bad_frame}, {}, "plan plan plan ", terminal::failed},
      {"a bad frame, auto: SQL",
       generation::plan_or_sql,
       {bad_frame, plain_statement},
       {},
       "plan sql text run ",
       terminal::answered},
      {"auto shares the budget",
       generation::plan_or_sql,
       {bad_frame, plain_statement, plain_statement},
       {unknown, unknown},
       "plan sql text sql text ",
       terminal::failed},
      {"not expressible", generation::plan, {no_frame}, {}, "plan ", terminal::out_of_scope},
      {"not expressible, auto: SQL",
       generation::plan_or_sql,
       {no_frame, plain_statement},
       {},
       "plan sql text run ",
       terminal::answered},
      {"not expressible costs no correction",
       generation::plan_or_sql,
       {no_frame, "x", "x", plain_statement},
       {},
       "plan sql sql sql text run ",
       terminal::answered},
      {"policy is never asked again", generation::plan, {good_frame}, {denied}, "plan tree ", terminal::rejected},
      {"what was compiled is not asked for again",
       generation::plan,
       {good_frame},
       {unknown},
       "plan tree ",
       terminal::failed},
      {"nor where a rule is missed", generation::plan, {good_frame}, {misses}, "plan tree ", terminal::failed},
      {"a refused frame, auto: SQL",
       generation::plan_or_sql,
       {good_frame, plain_statement},
       {unknown, fine},
       "plan tree sql text run ",
       terminal::answered},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      const plan_trace t = ask_for(r.mode, r.answers, r.checks);
      BOOST_TEST(t.actions == r.actions);
      BOOST_TEST(name_of(t.end.end) == name_of(r.end), t.end.message);
      BOOST_TEST(t.end.model_calls == r.answers.size());
      BOOST_TEST((t.end.path == answer_path::model));
    }
  }
  const plan_trace corrected = ask_for(generation::plan, {bad_frame, good_frame});
  BOOST_TEST(std::string(name_of(corrected.end.attempts.at(0).outcome)) == "bad_frame");
  BOOST_TEST(corrected.end.attempts[0].will_retry);
  BOOST_TEST(corrected.end.attempts[0].sql == bad_frame);
  BOOST_TEST(corrected.calls.at(1).messages.size() == 4u);
  BOOST_TEST(corrected.calls[1].messages[3].content.find("no metric") != std::string::npos);
  BOOST_TEST(corrected.end.intent.has_value());
  // Nobody is told which of the compiler's names were refused.
  const plan_trace refused = ask_for(generation::plan, {good_frame}, {unknown});
  BOOST_TEST(refused.end.message.find("This combination is not available here.") != std::string::npos);
  for (const std::string& text : {refused.end.message, refused.end.attempts.at(0).error})
    BOOST_TEST(text.find("'x'") == std::string::npos, text);
  // What was said of a refused frame does not stand over the SQL that came instead.
  for (const checked& no : {unknown, misses}) {
    const plan_trace t = ask_for(generation::plan_or_sql, {good_frame, plain_statement}, {no, fine});
    BOOST_TEST(t.end.interpretation.find("A language model wrote this query") != std::string::npos,
               t.end.interpretation);
    BOOST_TEST(t.end.assumptions.empty());
    BOOST_TEST(!t.end.intent.has_value());
    BOOST_TEST(t.end.asked_sql == plain_statement);
    for (const llm::message& m : t.calls.at(1).messages) {
      BOOST_TEST(m.content.find("'x'") == std::string::npos);
      BOOST_TEST(m.content.find("demands") == std::string::npos);
    }
  }
  // SQL is a new task: the frame's mistake is not part of its conversation.
  BOOST_TEST(ask_for(generation::plan_or_sql, {bad_frame, plain_statement}).calls.at(1).messages.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
