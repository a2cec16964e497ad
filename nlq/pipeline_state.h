// The inside of a pipeline: its slots and its steps. Internal to nlq/; pipeline.h is what others see.
//
//   pipeline.cc             the public face, ends, attempts
//   pipeline_understand.cc  sanitize, classify, understand
//   pipeline_generate.cc    retrieve, generate, clean
//   pipeline_run.cc         validate, estimate, execute, insight
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/insight.h"
#include "nlq/pipeline.h"

namespace dragoman::nlq {

struct pipeline::state {
  // Which event is due.
  enum class due : std::uint8_t { start, model, embedding, check, estimate, run, nothing };

  environment_ptr env;
  std::string question;
  ask_mode mode;
  nlq::report out;
  node at = node::sanitize;
  due waiting = due::start;

  std::size_t source = 0;
  std::optional<std::size_t> next_source;  // the second best for the model
  bool switched_source = false;
  tree_ptr tree;            // semantic layer
  std::string confirm_why;  // the person is to confirm before it runs; empty: not
  bool confirmed = false;
  insight_reading reading;
  std::vector<std::string> defaults;  // what was taken for granted after too many clarifications

  unsigned corrections_left = 0;
  std::string candidate;            // cleaned or given SQL
  std::vector<llm::message> turns;  // of this source: the corrections so far
  std::string missing;              // error text that widens retrieval
  std::vector<float> question_vector;
  bool embedding_asked = false;
  bool asked_plan = false;     // the model's last task
  bool asked_insight = false;  // the model was asked about the rows, and the answer stands without it
  result_head head;            // those rows
  bool plan_given_up = false;  // of this source: SQL from now on
  std::int64_t attempt_began = 0;
  bool attempt_open = false;

  const source_view& from() const { return env->sources[source]; }
  std::int64_t now() const { return env->milliseconds_now ? env->milliseconds_now() : 0; }

  void enter(node n) {
    at = n;
    out.visited.push_back(n);
  }

  // ---- ends ---------------------------------------------------------------------------------------------------------

  action end(terminal t, errc code, errc cause, std::string message);
  action end_failed(errc cause, std::int32_t number, std::string_view error);
  action end_interrupted(bool by_time_limit);

  // ---- attempts -----------------------------------------------------------------------------------------------------

  void open_attempt();
  void record(attempt_outcome outcome, std::string error, bool will_retry);

  // A failed attempt: the one place that decides whether there is another.
  action failed_attempt(next_step next, attempt_outcome outcome, errc reason, std::int32_t number,
                        std::string_view message);
  static std::string_view hint_of(attempt_outcome outcome, errc reason, std::int32_t number);

  // ---- sanitize, classify, understand -------------------------------------------------------------------------------

  action begin();

  // A person who was asked often enough gets the first option of each choice, and is told so.
  understanding settle(understanding said);
  static bool undecided(const understanding& u);
  // Of the sources that a model may be told of, the one whose tables the words fit best, and the next to it.
  void choose_source();
  action act_on(rejection& r);
  action act_on(clarification& c);
  action act_on(outside_scope& o);
  action act_on(schema_answer& s);
  action act_on(understood_query& q);
  action act_on(needs_confirmation& c);
  action act_on(needs_model& n);

  // ---- retrieve, generate, clean ------------------------------------------------------------------------------------

  action retrieve();
  action on(embedded& e);
  bool wants_plan() const;
  action generate();
  action on(model_answered& m);
  action read_frame(std::string_view answer);
  action clean(std::string_view answer);
  action model_says_out_of_scope();

  // ---- validate, estimate, execute, insight -------------------------------------------------------------------------

  action validate();
  action on(checked& c);
  action end_confirmation(std::string why);
  action on(estimated& e);
  action execute();
  action on(ran& r);
  action ask_insight(result_head rows);
  action on_insight(llm::chat_result& r);
  bool sums_hold() const;
  action on(interrupted& i);
  static due due_of(const pipeline_event& e) {
    static constexpr due by_index[] = {due::model, due::embedding, due::check, due::estimate, due::run};
    return by_index[e.index()];
  }
};

}  // namespace dragoman::nlq
