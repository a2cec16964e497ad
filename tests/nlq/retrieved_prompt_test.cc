// What retrieval puts into a prompt per question, and what no retriever may put into one.
#include <boost/test/unit_test.hpp>

#include "guard/policy.h"
#include "nlq/prompt_policy.h"
#include "tests/support/exchange_catalog.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

constexpr const char* exchange_layer = R"(version: 1
covers: {en: Orders of a commodity exchange.}
roles:
  fact: {table: sales.Order, alias: o}
  customer: {table: sales.Customer, alias: c, key: CustomerID}
  place: {table: ref.Location, alias: l}
  broker: {table: ref.Broker, alias: b}
  pay: {table: hr.Salary, alias: p}
joins:
  - {from: fact, to: customer, on: fact.CustomerID = customer.CustomerID}
dimensions:
  segment: {roles: [customer], name: Segment, words: {en: [segment, kind of buyer], fa: [بخش]}, values: {Trader: {words: {fa: [معامله‌گر]}}}}
  province: {roles: [place], name: Province, words: {en: [state], fa: [استان]}}
  nid: {roles: [customer], name: NationalID, words: {en: [identity card], fa: [کد ملی]}, values: {"0012345678": {words: {en: [peculiar holder]}}}}
metrics:
  sales: {base: fact, formula: SUM(fact.TotalPrice), unit: money, words: {en: [turnover], fa: [فروش]}, caveat: {en: prices are before tax}}
  volume: {base: fact, formula: SUM(fact.Quantity), unit: quantity, words: {en: [volume], fa: [حجم]}}
  payroll: {base: pay, formula: SUM(pay.Amount), unit: money, words: {en: [payroll]}, caveat: {en: wages are paid monthly}}
rules:
  currency: {says: {en: amounts are rials, fa: مبالغ به ریال است}, about: [sales.Order], always: true}
  halls: {says: {en: bitumen is traded in two halls}, words: {fa: [قیر]}, about: [ref.Symbol.Category]}
  wages: {says: {en: bonuses are no part of wages}, words: {en: [bonus]}, about: [hr.Salary]}
  ids: {says: {en: identities have ten digits}, words: {en: [identities]}, about: [sales.Customer.NationalID]}
  slip: {says: {en: join persons on NationalID}, words: {en: [persons]}, about: [sales.Customer]}
verified:
  by_segment: {questions: [turnover by segment, فروش هر بخش], sql: "SELECT c.Segment, SUM(o.TotalPrice) AS total FROM sales.[Order] AS o JOIN sales.Customer AS c ON o.CustomerID = c.CustomerID GROUP BY c.Segment"}
  by_identity: {questions: [turnover by identity], sql: "SELECT c.NationalID, SUM(o.TotalPrice) AS total FROM sales.[Order] AS o JOIN sales.Customer AS c ON o.CustomerID = c.CustomerID GROUP BY c.NationalID"}
  wages: {questions: [turnover of wages], sql: "SELECT SUM(s.Amount) AS total FROM hr.Salary AS s"}
  symbols: {questions: [turnover by symbol], sql: "SELECT y.Name, SUM(o.TotalPrice) AS total FROM sales.[Order] AS o JOIN ref.Symbol AS y ON o.SymbolID = y.SymbolID GROUP BY y.Name"}
  named: {questions: [turnover by NationalID], sql: "SELECT COUNT(*) AS n FROM sales.[Order] AS o"}
)";

std::shared_ptr<const semantic_layer> the_layer() {
  auto read = parse_semantics(exchange_layer, "layer.yaml");
  BOOST_TEST_REQUIRE(read.has_value(), (read ? "" : read.error().message));
  return std::make_shared<const semantic_layer>(std::move(*read));
}

guard::policy policy_of(const catalog::database_ptr& db, bool everything, const char* row_filter = nullptr) {
  guard::policy_definition d;
  d.principal = "somebody";
  if (everything) {
    d.allow.push_back({"*", {}, "allow"});
  } else {
    for (const char* table : {"sales.Order", "sales.Customer", "ref.Location", "ref.Broker", "ref.Symbol"})
      d.allow.push_back({table, {}, "allow"});
    d.deny = {{"sales.Customer.NationalID", "deny"}, {"ref.Broker.Phone", "deny"}};
  }
  if (row_filter != nullptr) d.row_filters.push_back({"sales.Customer", row_filter, "row_filters"});
  auto compiled = guard::compile_policy(d, db);
  BOOST_TEST_REQUIRE(compiled.has_value(), (compiled ? "" : compiled.error().message));
  return std::move(*compiled);
}

std::shared_ptr<const prompt_base> prompt_for(bool everything, std::size_t tokens, const char* row_filter = nullptr) {
  const auto db = test::exchange_catalog();
  return prompt_factory(db, the_layer(), tokens).prompt_of(policy_of(db, everything, row_filter));
}

std::string told(const prompt_base& base, std::string_view question) {
  return base.messages({.question = question})[1].content;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::size_t small = 10, large = 60'000;

const char* const questions[] = {
    "turnover by segment", "turnover by identity",        "payroll and bonus",    "persons by identity card",
    "فروش هر کد ملی",      "turnover of peculiar holder", "identities of buyers", "turnover of wages by NationalID",
    "wages per employee",  "call number of brokers"};

}  // namespace

BOOST_AUTO_TEST_SUITE(retrieved_prompts)

BOOST_AUTO_TEST_CASE(definitions_and_rules_go_with_the_question_where_the_schema_does) {
  const auto base = prompt_for(true, small);
  BOOST_TEST_REQUIRE(!base->whole_schema());
  for (const char* part : {"DEFINITIONS", "SUM(", "halls:", "wages:", "EXAMPLES"})
    BOOST_TEST(!has(base->prefix(), part));
  BOOST_TEST(has(base->prefix(), "currency: amounts are rials"));  // always
  const std::string turnover = told(*base, "turnover by kind of buyer");
  for (const char* part : {"fact is sales.[Order]", "sales (turnover, فروش) = SUM(fact.TotalPrice)",
                           "segment (segment, kind of buyer, بخش) = customer.Segment", "sales: prices are before tax",
                           "sales.Order.CustomerID = sales.Customer.CustomerID"})
    BOOST_TEST(has(turnover, part), part << " in\n" << turnover);
  for (const char* part : {"payroll", "bitumen is traded", "amounts are rials"}) BOOST_TEST(!has(turnover, part), part);
  BOOST_TEST(has(told(*base, "قیمت قیر"), "halls: bitumen is traded in two halls"));
}

BOOST_AUTO_TEST_CASE(all_of_them_stand_in_the_prefix_while_there_is_room) {
  const auto base = prompt_for(true, large);
  BOOST_TEST_REQUIRE(base->whole_schema());
  for (const char* part : {"sales (turnover, فروش) = SUM(fact.TotalPrice)", "segment (", "payroll (payroll)",
                           "currency: amounts are rials", "halls: ", "wages: ", "sales: prices are before tax"})
    BOOST_TEST(has(base->prefix(), part), part << " in\n" << base->prefix());
  const std::string user = told(*base, "turnover by kind of buyer");
  for (const char* part : {"DEFINITIONS", "BUSINESS RULES", "SCHEMA\n"}) BOOST_TEST(!has(user, part), part);
}

BOOST_AUTO_TEST_CASE(the_prefix_is_the_same_bytes_for_every_question) {
  for (const std::size_t tokens : {small, large}) {
    const auto base = prompt_for(false, tokens);
    const std::string first = base->messages({.question = "x"})[0].content;
    for (const char* q : questions)
      BOOST_TEST((base->messages({.question = q, .conversation = "turnover"})[0].content == first));
    BOOST_TEST((prompt_for(false, tokens)->prefix() == first));
  }
}

BOOST_AUTO_TEST_CASE(examples_are_the_nearest_approved_questions) {
  for (const std::size_t tokens : {small, large}) {
    const auto base = prompt_for(false, tokens);
    const std::string user = told(*base, "turnover of every segment in 1402");
    const auto at = user.find("question: turnover by segment\nsql: SELECT c.Segment, SUM(o.TotalPrice) AS total FROM");
    BOOST_TEST(at != std::string::npos, user);
    BOOST_TEST(at < user.find("turnover by symbol"));
    BOOST_TEST(has(told(*base, "فروش بخش‌ها"), "question: turnover by segment"));
    BOOST_TEST(!has(told(*base, "list of all cities"), "EXAMPLES"));
  }
}

BOOST_AUTO_TEST_CASE(what_is_denied_reaches_no_prompt_by_any_retriever) {
  for (const std::size_t tokens : {small, large}) {
    const auto base = prompt_for(false, tokens);
    const auto everything = prompt_for(true, tokens);
    std::string all = base->prefix(), open = everything->prefix();
    for (const char* q : questions) {
      // The question itself may name what it likes.
      const std::string user = told(*base, q);
      all += user.substr(0, user.rfind("QUESTION\n"));
      open += told(*everything, q);
    }
    for (const std::string& text : base->embedding_texts()) all += text + "\n";
    for (const char* part :
         {"NationalID", "nid", "identity card", "کد ملی", "0012345678", "peculiar holder", "ten digits", "join persons",
          "payroll", "wages", "Salary", "Amount", "bonus", "by identity", "Phone"})
      BOOST_TEST(!has(all, part), part << " with " << tokens);
    for (const char* part : {"c.NationalID", "ten digits", "join persons", "bonuses are no part", "FROM hr.Salary",
                             "payroll (payroll)", "turnover by NationalID"})
      BOOST_TEST(has(open, part), part << " with " << tokens);
  }
}

BOOST_AUTO_TEST_CASE(denied_words_choose_no_table) {
  const auto base = prompt_for(false, small);
  for (const char* q : {"identity card", "کد ملی", "peculiar holder"}) {
    const std::string user = told(*base, q);
    BOOST_TEST(!has(user, "[sales].[Customer]"), user);
    BOOST_TEST(base->fit(q) == 0.0, q);
    BOOST_TEST(has(told(*prompt_for(true, small), q), "[sales].[Customer]"), q);
  }
}

BOOST_AUTO_TEST_CASE(no_example_reads_rows_that_are_filtered) {
  for (const std::size_t tokens : {small, large}) {
    const auto base = prompt_for(false, tokens, "Segment = N'Retail'");
    const std::string user = told(*base, "turnover by segment");
    BOOST_TEST(!has(user, "question: turnover by segment"), user);
    BOOST_TEST(has(user, "question: turnover by symbol"), user);
    // Nor does a word of the layer tell which values there are.
    BOOST_TEST(!has(told(*base, "فروش معامله‌گر"), "\"Trader\""));
    BOOST_TEST(
        has(told(*prompt_for(false, tokens), "فروش معامله‌گر"), "sales.Customer.Segment: \"Trader\""));
  }
}

BOOST_AUTO_TEST_CASE(vectors_find_definitions_rules_and_examples) {
  const auto plain = prompt_for(true, small);
  const auto texts = plain->embedding_texts();
  std::vector<std::vector<float>> vectors;
  for (const std::string& t : texts) {
    const bool near = has(t, "bitumen is traded") || has(t, "payroll (payroll)") || has(t, "turnover by symbol");
    vectors.push_back(t.empty() ? std::vector<float>() : near ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
  }
  const auto base = plain->with_vectors(vectors);
  BOOST_TEST(base->wants_embedding());
  const std::vector<float> question{1, 0};
  const std::string user = base->messages({.question = "xyz", .question_vector = &question})[1].content;
  for (const char* part : {"bitumen is traded", "payroll (payroll)", "question: turnover by symbol"})
    BOOST_TEST(has(user, part), part << " in\n" << user);
  BOOST_TEST(!has(user, "question: turnover by segment"));
  // A schema that is told whole, with more examples than are shown: only these are worth a question's vector.
  const auto whole = prompt_for(true, large);
  const auto wanted = whole->embedding_texts();
  BOOST_TEST(std::count_if(wanted.begin(), wanted.end(), [](const std::string& t) { return !t.empty(); }) == 5);
  const auto few = prompt_for(false, large)->embedding_texts();
  BOOST_TEST(std::all_of(few.begin(), few.end(), [](const std::string& t) { return t.empty(); }));
}

BOOST_AUTO_TEST_CASE(a_rule_says_what_it_is_about) {
  const auto wrong = [](const char* rule) {
    const auto read = parse_semantics(std::string("version: 1\nrules:\n  r: ") + rule + "\n", "layer.yaml");
    return read ? std::string() : read.error().message;
  };
  BOOST_TEST(has(wrong("{says: {en: x}}"), "rules.r.about: is missing"));
  BOOST_TEST(has(wrong("{about: [a.b]}"), "rules.r.says: is missing"));
  BOOST_TEST(has(wrong("{says: {en: x}, about: [b]}"), "expected schema.table"));
  BOOST_TEST(has(wrong("{says: {en: x}, about: [a..b]}"), "expected schema.table"));
  BOOST_TEST(wrong("{says: {en: x}, about: [a.b, a.b.c]}").empty());
  auto read = parse_semantics("version: 1\nrules:\n  r: {says: {en: x}, about: [sales.Order.NoSuch, no.Table]}\n", "f");
  BOOST_TEST_REQUIRE(read.has_value());
  const auto mistakes = check_semantics(*read, *test::exchange_catalog());
  BOOST_TEST_REQUIRE(mistakes.size() == 2u);
  BOOST_TEST(mistakes[0] == "rules.r: sales.Order has no column NoSuch");
  BOOST_TEST(mistakes[1] == "rules.r: there is no table no.Table");
}

BOOST_AUTO_TEST_CASE(entities_feed_the_index_in_both_languages) {
  auto read = parse_semantics(
      "version: 1\nentities:\n  customer:\n    table: sales.Customer\n    words: {en: [client], fa: [مشتری]}\n"
      "    columns:\n      Segment: {kind: category, words: {en: [line of business], fa: [رسته]}}\n"
      "      NationalID: {kind: text, words: {en: [identity card], fa: [کد ملی]}}\n",
      "f");
  BOOST_TEST_REQUIRE(read.has_value(), (read ? "" : read.error().message));
  const auto index = retrieval::table_index::build(test::exchange_catalog(), index_sources_of(*read));
  const auto scope = index->scope(test::analyst());
  for (const char* q : {"clients", "مشتری‌ها", "line of business", "رسته"}) {
    const auto ranked = index->rank(q, scope);
    BOOST_TEST_REQUIRE(!ranked.empty(), q);
    BOOST_TEST(index->database().tables[ranked[0].table].name == "Customer", q);
  }
  for (const char* q : {"identity card", "کد ملی"}) BOOST_TEST(index->rank(q, scope).empty(), q);
}

BOOST_AUTO_TEST_SUITE_END()
