#include <boost/test/unit_test.hpp>

#include "nlq/pipeline_suggest.h"

using namespace dragoman;
using namespace dragoman::nlq;

namespace {

struct demo {
  std::shared_ptr<const semantic_layer> layer;
  std::shared_ptr<const knowledge> known;

  demo() {
    auto l = load_semantics(DRAGOMAN_SOURCE_DIR "/conf/demo/semantics.yaml");
    BOOST_TEST_REQUIRE(l.has_value(), l.error().message);
    auto db = catalog::load_snapshot(DRAGOMAN_SOURCE_DIR "/conf/demo/catalog.yaml");
    BOOST_TEST_REQUIRE(db.has_value(), db.error().message);
    layer = std::make_shared<const semantic_layer>(std::move(*l));
    known = knowledge::build(layer, std::make_shared<const catalog::database>(std::move(*db)), {});
  }

  understanding understand(std::string_view question) const {
    question_context c;
    c.known = known.get();
    c.today = to_day_number({2025, 3, 10});
    return nlq::understand(question, c);
  }

  std::vector<std::string> suggest(std::string_view question) const {
    const understanding said = understand(question);
    const auto* query = std::get_if<understood_query>(&said);
    BOOST_TEST_REQUIRE(query != nullptr, question);
    return suggestions_for(query->intent, *layer, [this](std::string_view q) { return understand(q); });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(suggestions)

BOOST_AUTO_TEST_CASE(each_is_answerable_and_keeps_the_period) {
  const demo d;
  for (const char* question : {"total sales", "sales in 1402", "sales by province in 2024", "فروش سال ۱۴۰۲",
                               "حجم به تفکیک استان در سال ۱۴۰۲"}) {
    BOOST_TEST_CONTEXT(question) {
      const understanding asked = d.understand(question);
      const auto& intent = std::get<understood_query>(asked).intent;
      const auto next = d.suggest(question);
      BOOST_TEST(next.size() == suggestions_max);
      for (const std::string& text : next) {
        const understanding said = d.understand(text);
        const auto* query = std::get_if<understood_query>(&said);
        BOOST_TEST_REQUIRE(query != nullptr, text);
        BOOST_TEST((query->intent.periods == intent.periods), text);
        BOOST_TEST(query->intent.metrics[0].metric == intent.metrics[0].metric, text);
        BOOST_TEST((query->intent.lang == intent.lang), text);
        BOOST_TEST((query->intent != intent), text);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(none_where_a_part_would_be_dropped) {
  const demo d;
  for (const char* question : {"cancelled orders in 2024", "sales in 2024 compared to 2023"})
    BOOST_TEST(d.suggest(question).empty(), question);
}

// What a follow-up in the other language leaves: its period is still in the words of the first question.
BOOST_AUTO_TEST_CASE(none_in_two_languages_at_once) {
  const demo d;
  for (const auto& [question, then] : {std::pair{"فروش به تفکیک استان در سال ۱۴۰۲", language::english},
                                       {"sales by province in March 2024", language::persian}}) {
    query_intent intent = std::get<understood_query>(d.understand(question)).intent;
    const auto suggest = [&] {
      return suggestions_for(intent, *d.layer, [&](std::string_view q) { return d.understand(q); });
    };
    BOOST_TEST(!suggest().empty(), question);
    intent.lang = then;
    BOOST_TEST(suggest().empty(), question);
  }
}

BOOST_AUTO_TEST_SUITE_END()
