// Clarifications: every option that is offered is understood when it is taken, and choosing comes to an end.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>

#include "base/limits.h"
#include "nlq/clarify.h"
#include "nlq/pipeline.h"
#include "tests/nlq/demo_knowledge.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

understanding understood_in(std::string_view question, const conversation* talk) {
  question_context context;
  context.known = testing::demo_knowledge().get();
  context.today = to_day_number({2025, 3, 10});
  context.session = talk;
  return understand(question, context);
}

const understood_query* query_in(const understanding& said) {
  if (const auto* q = std::get_if<understood_query>(&said)) return q;
  const auto* unbounded = std::get_if<needs_confirmation>(&said);
  return unbounded != nullptr ? &unbounded->query : nullptr;
}

// Every way through the choices, at most so many rounds deep.
void follow(const clarification& c, const std::string& question, const conversation* talk, unsigned rounds,
            std::size_t& taken) {
  BOOST_TEST_CONTEXT(question) {
    BOOST_TEST(!c.message.empty());
    BOOST_TEST(c.options.size() >= 2U);
    std::set<std::string> values, labels;
    for (std::size_t i = 0; i < c.options.size(); ++i) {
      const clarify_option& o = c.options[i];
      BOOST_TEST(o.choice == static_cast<int>(i) + 1);
      BOOST_TEST(values.insert(o.value).second, "twice: " << o.value);
      BOOST_TEST(!o.label.empty());
      const understanding said = understood_in(o.value, talk);
      ++taken;
      if (query_in(said) != nullptr) continue;
      const auto* more = std::get_if<clarification>(&said);
      BOOST_TEST_REQUIRE(more != nullptr, "not understood: " << o.value);
      BOOST_TEST_REQUIRE(rounds > 1, "one more round than allowed: " << o.value);
      follow(*more, o.value, talk, rounds - 1, taken);
    }
  }
}

const char* const unclear[] = {
    "Alborz sales 1403",
    "فروش مهر چقدر بود؟",
    "Pars sales",
    "show growth",
    "sales of Tehran",
    "Pars orders in 2024",
    "sales in Aban",
    "sales in Mehr",
    "Nowruz sales",
    "فروش نوروز",
    "average sales",
    "average",
    "average orders",
    "میانگین",
    "میانگین سفارش",
    "what did they buy",
    "what did customers buy in 2024",
    "growth",
    "رشد",
    "رشد فروش",
    "sales growth",
    "Alborz",
    "Mehr orders",
    "فروش البرز",
    "فروش پارس",
    "تعداد سفارش مهر",
    "best brokers",
    "best customers",
    "بهترین کارگزار",
    "بهترین مشتری",
    "top customers of each month",
    "best month",
    "and by province?",
    "and for 1403?",
    "only that",
    "the same",
    "و همان",
    "فقط همین",
    "what about it?",
    "more",
    "compare",
    "مقایسه",
    "brokers",
    "customers",
    "orders",
    "مشتریان",
    "سفارش‌ها",
    "steel",
    "bitumen",
    "rebar sales",
    "فروش میلگرد",
    "Isfahan",
    "اصفهان",
    "sales by size",
    "list new customers in 2024",
    "which customers joined in 2024",
    "مشتریان جدید ۱۴۰۲",
    "Mehr and Aban sales",
    "brokers Mehr and Aban of 1402",
    "how is Tehran doing",
    "the best of each month",
    "good customers",
    "important brokers",
    "میانگین فروش",
    "sales versus before",
    "sales compared",
    "which is better",
    "how much",
    "چقدر",
    "چند تا",
};

conversation after(const std::string& question) {
  conversation talk;
  const understanding said = understood_in(question, nullptr);
  if (const understood_query* q = query_in(said)) talk.last = q->intent;
  talk.last_question = question;
  return talk;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clarifications)

BOOST_AUTO_TEST_CASE(every_option_is_understood_and_rounds_end) {
  std::vector<std::string> questions(std::begin(unclear), std::end(unclear));
  for (const char* first : {"البرز", "Alborz", "Pars", "Mehr", "Tehran", "پارس", "مهر"})
    for (const char* then : {" sales", " orders in 2024", " by month", " sales by hall in 1402", " growth"})
      questions.push_back(std::string(first) + then);
  std::size_t asked = 0, taken = 0;
  const std::vector<conversation> talks = {conversation(), after("sales by province in 1402"),
                                           after("top 5 brokers by sales in 2024"), after("فروش ماهانه ۱۴۰۲")};
  for (std::size_t t = 0; t < talks.size() + 1; ++t) {
    const conversation* talk = t == talks.size() ? nullptr : &talks[t];
    for (const std::string& question : questions) {
      const understanding said = understood_in(question, talk);
      if (const auto* c = std::get_if<clarification>(&said)) {
        ++asked;
        follow(*c, question, talk, limits::clarify_rounds_max + 1, taken);
      }
    }
  }
  BOOST_TEST_MESSAGE(asked << " clarifications, " << taken << " options taken");
  BOOST_TEST(asked >= 60U);
  BOOST_TEST(taken >= 150U);
}

BOOST_AUTO_TEST_CASE(nothing_to_choose_from_is_an_error_that_says_what_is_unclear) {
  const auto understood = [](std::string_view) -> understanding { return needs_model{{"x"}, ""}; };
  question_context context;
  context.known = testing::demo_knowledge().get();
  conversation talk;
  talk.last.emplace();
  context.session = &talk;
  const understanding none = with_real_options({"What do you mean?", {}}, "what", context, understood);
  BOOST_REQUIRE(std::holds_alternative<rejection>(none));
  BOOST_TEST(std::get<rejection>(none).message.starts_with("What do you mean?"));
  BOOST_TEST(std::get<rejection>(none).rule == "unclear");
  const auto one = [](std::string_view q) -> understanding {
    if (q == "a") return understood_query{};
    return needs_model{{"x"}, ""};
  };
  const clarification of_two{"Which?", {{1, "a", "a", ""}, {2, "b", "b", ""}}};
  BOOST_TEST(std::holds_alternative<rejection>(with_real_options(of_two, "what", context, one)));
  const auto both = [](std::string_view) -> understanding { return understood_query{}; };
  BOOST_TEST(std::holds_alternative<clarification>(with_real_options(of_two, "what", context, both)));
  const clarification twice{"Which?", {{1, "a", "a", ""}, {2, "b", "a", ""}}};
  BOOST_TEST(std::holds_alternative<rejection>(with_real_options(twice, "what", context, both)));
  const clarification itself{"Which?", {{1, "a", "a", ""}, {2, "b", "what", ""}}};
  BOOST_TEST(std::holds_alternative<rejection>(with_real_options(itself, "what", context, both)));
}

BOOST_AUTO_TEST_CASE(a_follow_up_that_says_nothing_offers_what_could_be_asked) {
  const conversation talk = after("sales by province in 1402");
  const understanding said = understood_in("the same", &talk);
  const auto* c = std::get_if<clarification>(&said);
  BOOST_REQUIRE(c != nullptr);
  BOOST_TEST(c->options.size() >= 2U);
}

BOOST_AUTO_TEST_SUITE_END()
