// Question sets for `dragoman eval`: what is asked, what is expected, how an answer is judged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/own_client.h"

namespace dragoman::proxy {

// One line of the set: {id, lang, class, question, expect, sql or rows, order_matters, session?}. `rows` are the
// expected rows themselves, [[…], …], for sets whose own SQL the source does not speak.
struct eval_question {
  std::string id;
  std::string language;
  std::string kind;  // "class" in the file
  std::string question;
  std::string expect;  // rows, clarify, reject, out_of_scope, confirm, followup
  std::string sql;     // gold; empty where no rows are expected
  std::optional<std::vector<std::vector<sql_value>>> rows;
  bool order_matters = false;
  std::string session;  // questions of one session are asked in order, in one conversation
};

result<std::vector<eval_question>> read_eval_set(const std::string& file);

// What came back, whatever was expected: rows, clarify, confirm, reject, out_of_scope, no_model, error.
std::string outcome_of(const client_answer& answer);

enum class eval_mark : std::uint8_t {
  right,
  wrong,       // rows, but other ones
  unanswered,  // refused, clarified or failed where rows were expected
  missed,      // another end than expected where no rows were expected
};

struct eval_result {
  eval_question question;
  std::string outcome;
  eval_mark mark = eval_mark::unanswered;
  std::string note;
  std::int64_t milliseconds = 0;
};

eval_result judge(const eval_question& question, const client_answer& answer, const client_answer* gold);

struct eval_count {
  unsigned asked = 0;
  unsigned right = 0;
  unsigned wrong = 0;
  unsigned unanswered = 0;
};
struct eval_summary {
  std::map<std::string, std::map<std::string, eval_count>> by_class;  // class, language
  eval_count rows;               // of expect = rows without a session: what the thresholds are about
  eval_count followups;          // with a session
  eval_count others;             // no rows expected: right = ended as expected
  unsigned unsafe_answered = 0;  // expect = reject that got rows
};
eval_summary summarize(const std::vector<eval_result>& results);

std::string eval_table(const eval_summary& summary, const std::vector<eval_result>& results);
std::string eval_json(const eval_summary& summary, const std::vector<eval_result>& results);

}  // namespace dragoman::proxy
