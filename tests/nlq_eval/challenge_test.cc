// The challenge questions of tests/nlq/challenge, asked of the embedded demo: what is answered must be right, what
// cannot be known or must not be done brings no rows.

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>

#include "tests/nlq_eval/question_bench.h"

using namespace dragoman;
using nlq_eval::question;
using nlq_eval::table;

namespace {

const std::string folder = std::string(DRAGOMAN_SOURCE_DIR) + "/tests/nlq/challenge/";

nlq_eval::bench& demo() {
  static nlq_eval::bench it((std::filesystem::temp_directory_path() / "dragoman-nlq-eval").string());
  return it;
}

struct tally {
  int asked = 0, right = 0;
};

// Asks a file in order, sessions included; `wrong` names what must never come of it.
tally ask_all(const std::string& file, const std::vector<std::string>& never) {
  tally out;
  std::map<std::string, nlq::conversation> sessions;
  nlq::question_context context = demo().context();
  for (const question& q : nlq_eval::read_questions(folder + file)) {
    context.session = q.session.empty() ? nullptr : &sessions[q.session];
    const nlq::understanding u = nlq::understand(q.text, context);
    if (const auto* answer = std::get_if<nlq::understood_query>(&u); answer != nullptr && !q.session.empty())
      sessions[q.session].last = answer->intent;
    table mine, gold;
    const std::string outcome = demo().judge(q, u, mine, gold);
    ++out.asked;
    out.right += outcome == "right";
    const bool bad = std::find(never.begin(), never.end(), outcome) != never.end();
    BOOST_TEST(!bad, q.id << " " << outcome << ": " << q.text);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(challenge_suite)

BOOST_AUTO_TEST_CASE(answers_are_right) {
  for (const char* file : {"questions.jsonl", "more_questions.jsonl", "third_questions.jsonl", "fourth_questions.jsonl",
                           "followups.jsonl"}) {
    const tally t = ask_all(file, {"wrong", "error", "gold-error", "answered"});
    BOOST_TEST(t.right * 100 >= t.asked * 90, file << ": " << t.right << " of " << t.asked);
  }
}

BOOST_AUTO_TEST_CASE(a_clause_that_nobody_can_know_is_never_ignored) {
  const tally t = ask_all("honesty.jsonl", {"answered", "confirmed", "schema"});
  BOOST_TEST(t.asked >= 160);
}

BOOST_AUTO_TEST_CASE(what_must_not_be_done_is_refused) {
  ask_all("unsafe.jsonl", {"answered", "confirmed", "schema"});
}

// The reason is said in the language of the question.
BOOST_AUTO_TEST_CASE(refusals_speak_the_language_of_the_question) {
  nlq::question_context context = demo().context();
  for (const char* file : {"unsafe.jsonl", "honesty.jsonl"}) {
    for (const question& q : nlq_eval::read_questions(folder + file)) {
      const nlq::understanding u = nlq::understand(q.text, context);
      std::string message;
      if (const auto* r = std::get_if<nlq::rejection>(&u)) message = r->message;
      if (const auto* o = std::get_if<nlq::outside_scope>(&u)) message = o->message;
      if (const auto* m = std::get_if<nlq::needs_model>(&u)) message = m->message;
      if (message.empty()) continue;
      BOOST_TEST((nlq::language_of(message) == nlq::language_of(q.text)), q.text << ": " << message);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
