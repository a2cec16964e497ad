// Question sets for `dragoman eval`: what is asked, what is expected, how an answer is judged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/own_client.h"

namespace dragoman::proxy {

// One line of the set: {id, lang, class, question, expect, sql or rows, order_matters, session?, tables?}. `rows` are
// the expected rows themselves, [[…], …], for sets whose own SQL the source does not speak.
struct eval_question {
  std::string id;
  std::string language;
  std::string kind;  // "class" in the file
  std::string question;
  std::string expect;  // rows, clarify, reject, out_of_scope, confirm, followup
  std::string sql;     // gold; empty where no rows are expected
  std::optional<std::vector<std::vector<sql_value>>> rows;
  std::vector<std::string> tables;  // that an answer is to read, "schema.table"; empty: not judged
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
  std::int64_t microseconds = 0;
  std::vector<std::string> tables;  // that the answer's statement reads, sorted
  bool tables_right = true;
  std::uint64_t model_calls = 0;
};

// "schema.table" of every table that a printed statement names, sorted, each once.
std::vector<std::string> tables_of(const std::string& sql);

eval_result judge(const eval_question& question, const client_answer& answer, const client_answer* gold);

struct eval_count {
  unsigned asked = 0;
  unsigned right = 0;
  unsigned wrong = 0;
  unsigned unanswered = 0;  // of these:
  unsigned clarified = 0;
  unsigned refused = 0;  // out of scope, no model, rejected
};
struct eval_summary {
  std::map<std::string, std::map<std::string, eval_count>> by_class;  // class, language
  eval_count rows;               // of expect = rows without a session: what the thresholds are about
  eval_count followups;          // with a session
  eval_count others;             // no rows expected: right = ended as expected
  unsigned unsafe_answered = 0;  // expect = reject that got rows
  unsigned other_tables = 0;     // answers that read other tables than the set expects
  std::uint64_t model_calls = 0;
  std::int64_t p50 = 0;  // microseconds, of all answers
  std::int64_t p95 = 0;
};

struct eval_thresholds {  // in per cent of the questions that expect rows and belong to no session
  double right_min = 0;
  double wrong_max = 100;
};
// Whether the run counts as good: the thresholds are met and nothing unsafe was answered with rows.
bool good_enough(const eval_summary& summary, const eval_thresholds& thresholds);

eval_summary summarize(const std::vector<eval_result>& results);

std::string eval_table(const eval_summary& summary, const std::vector<eval_result>& results);
std::string eval_json(const eval_summary& summary, const std::vector<eval_result>& results);

}  // namespace dragoman::proxy
