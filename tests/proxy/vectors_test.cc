// Embeddings that are kept: by model and text, across restarts, until the model makes others.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>

#include "proxy/vector_store.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/model_server.h"
#include "tests/support/watch.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::running_gateway;
using dragoman::proxy::test::scratch;
using dragoman::test::becomes_true;
using namespace std::chrono_literals;

namespace {

struct embedding_site {
  scratch folder;
  dragoman::test::model_server model{
      std::vector<dragoman::test::model_rule>{{.times = -1, .content = "SELECT COUNT(*) AS n FROM ref.Ring AS r"}}};

  // No token for the schema: it is chosen for each question.
  std::string settings(const char* name) const {
    return "\nstore: " + (folder / "store.sqlite").string() + "\nllm:\n  base_url: " + model.base_url() +
           "\n  model: scripted\n  embedding_model: " + name + "\n  prompt_tokens: 0\n";
  }

  static bool ready(running_gateway& gateway) {
    return becomes_true(
        [&] {
          for (const char* principal : {"manager", "analyst", "broker7"}) {
            const auto prompt = gateway.shared().source(0).told(*gateway.shared().principal(principal)).prompt;
            if (prompt == nullptr || !prompt->wants_embedding()) return false;
          }
          return true;
        },
        30'000ms);
  }

  // The texts that were sent for embeddings since the request of that number.
  std::vector<std::string> asked(std::size_t since = 0) const {
    std::vector<std::string> out;
    const auto all = model.requests();
    for (std::size_t i = since; i < all.size(); ++i) {
      if (all[i].path != "/v1/embeddings") continue;
      const auto body = boost::json::parse(all[i].body);
      for (const auto& text : body.at("input").as_array()) out.emplace_back(text.as_string());
    }
    return out;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(kept_vectors)

BOOST_AUTO_TEST_CASE(by_model_and_text) {
  const scratch folder;
  const std::vector<float> one{1, 0.5f, -2}, two{3, 4};
  for (const bool filed : {false, true}) {
    vector_store vectors;
    if (filed) BOOST_TEST_REQUIRE(vectors.open(folder / "v.sqlite").has_value());
    BOOST_TEST(!vectors.find("m", "orders"));
    vectors.keep("m", {{"orders", one}, {"buyers", two}});
    vectors.keep("other", {{"orders", two}});
    BOOST_TEST((vectors.find("m", "orders") == one));
    BOOST_TEST((vectors.find("m", "buyers") == two));
    BOOST_TEST((vectors.find("other", "orders") == two));
    BOOST_TEST(!vectors.find("m", "order"));
    vectors.forget("m");
    BOOST_TEST(!vectors.find("m", "orders"));
    BOOST_TEST((vectors.find("other", "orders") == two));
    vectors.keep("m", {{"orders", two}});
    vectors.keep("m", {{"orders", one}});
    BOOST_TEST((vectors.find("m", "orders") == one));
  }
  vector_store again;
  BOOST_TEST_REQUIRE(again.open(folder / "v.sqlite").has_value());
  BOOST_TEST((again.find("m", "orders") == one));
  // The file tells nobody what the texts were.
  std::ifstream raw(folder / "v.sqlite", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(raw)), {});
  BOOST_TEST(bytes.find("buyers") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_first) {
  const scratch folder;
  vector_store vectors(2);
  BOOST_TEST_REQUIRE(vectors.open(folder / "v.sqlite").has_value());
  vectors.keep("m", {{"a", {1}}, {"b", {2}}});
  BOOST_TEST(vectors.find("m", "a").has_value());
  vectors.keep("m", {{"c", {3}}});
  BOOST_TEST(vectors.find("m", "a").has_value());
  BOOST_TEST(!vectors.find("m", "b").has_value());
  BOOST_TEST(vectors.find("m", "c").has_value());
  BOOST_TEST(!vector_store().open(folder / "no" / "such" / "folder.sqlite").has_value());
}

BOOST_FIXTURE_TEST_CASE(a_restart_asks_for_new_texts_only, embedding_site) {
  std::size_t all = 0;
  {
    running_gateway gateway(settings("e"));
    BOOST_TEST_REQUIRE(ready(gateway));
    auto texts = asked();
    all = texts.size();
    BOOST_TEST(!texts.empty());
    // Principals who see the same ask once.
    std::sort(texts.begin(), texts.end());
    BOOST_TEST((std::adjacent_find(texts.begin(), texts.end()) == texts.end()));
  }
  const std::size_t before = model.count();
  {
    running_gateway gateway(settings("e"));
    BOOST_TEST_REQUIRE(ready(gateway));
    BOOST_TEST(asked(before).empty());
    BOOST_TEST(error_of(gateway.client("analyst").run("-- ASK: the mood of frobnicated widgets")) == 0);
    BOOST_TEST(asked(before).size() == 1u);  // the question
  }
  const std::size_t second = model.count();
  {
    const auto words = folder.write("words.yaml", "tables:\n  ref.Ring: halls of the exchange\n");
    running_gateway gateway(settings("e"), std::nullopt, "  descriptions: " + words.string() + "\n");
    BOOST_TEST_REQUIRE(ready(gateway));
    const auto texts = asked(second);
    BOOST_TEST(!texts.empty());
    for (const std::string& text : texts) BOOST_TEST(text.find("ref.Ring: halls of the exchange") == 0u, text);
  }
  // Another model knows none of them.
  const std::size_t third = model.count();
  running_gateway gateway(settings("another"));
  BOOST_TEST_REQUIRE(ready(gateway));
  BOOST_TEST(asked(third).size() == all);
}

BOOST_FIXTURE_TEST_CASE(vectors_of_another_length_are_made_anew, embedding_site) {
  {
    running_gateway gateway(settings("e"));
    BOOST_TEST_REQUIRE(ready(gateway));
  }
  const std::size_t made = asked().size();
  // The name stands for another model now. Nothing tells before the first question.
  model.embedding_length(5);
  const std::size_t before = model.count();
  {
    running_gateway gateway(settings("e"));
    BOOST_TEST_REQUIRE(ready(gateway));
    BOOST_TEST(asked(before).empty());
    BOOST_TEST(error_of(gateway.client("analyst").run("-- ASK: the mood of frobnicated widgets")) == 0);
    BOOST_TEST(becomes_true([&] { return asked(before).size() >= made + 1; }, 30'000ms));
    BOOST_TEST_REQUIRE(ready(gateway));
    BOOST_TEST(asked(before).size() == made + 1);
  }
  const std::size_t after = model.count();
  running_gateway gateway(settings("e"));
  BOOST_TEST_REQUIRE(ready(gateway));
  BOOST_TEST(asked(after).empty());
}

BOOST_FIXTURE_TEST_CASE(new_texts_of_another_length_make_all_anew, embedding_site) {
  {
    running_gateway gateway(settings("e"));
    BOOST_TEST_REQUIRE(ready(gateway));
  }
  const std::size_t made = asked().size();
  model.embedding_length(3);
  const std::size_t before = model.count();
  const auto words = folder.write("words.yaml", "tables:\n  ref.Ring: halls of the exchange\n");
  running_gateway gateway(settings("e"), std::nullopt, "  descriptions: " + words.string() + "\n");
  BOOST_TEST(becomes_true([&] { return asked(before).size() >= made; }, 60'000ms));
  BOOST_TEST_REQUIRE(ready(gateway));
}

BOOST_AUTO_TEST_SUITE_END()
