// The question pipeline: from a question to rows, or to one of eleven named ends.
//
//   sanitize → classify → understand ─ query ──────────────────────────┐
//                              │ needs a model                         v
//                              └→ retrieve → generate → clean → validate → estimate → execute → insight → done
//                                    ^          ^                  │           │         │
//                                    │          └── generate ──────┴───────────┴─────────┤
//                                    └───────────── retrieve (a name was missing) ───────┘
//
// An explicit state machine without sockets, threads or clocks: `start` and `resume` return the next action
// (nlq/action.h), the driver carries it out and resumes with its event. One budget of corrections
// (limits::corrections_max) is shared by all ways back; nlq/attempt.h has the table of what may go back at all.
// One object per question, used by one thread at a time; it holds references to nothing but the shared `environment`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/limits.h"
#include "base/question_limits.h"
#include "nlq/action.h"
#include "nlq/attempt.h"
#include "nlq/discuss.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {

class prompt_base;  // nlq/prompt.h
class plan_base;    // nlq/plan.h
struct planned;

enum class node : std::uint8_t {
  sanitize,
  classify,
  understand,
  retrieve,
  generate,
  clean,
  validate,
  estimate,
  execute,
  insight,
  done,
};
std::string_view name_of(node) noexcept;

enum class terminal : std::uint8_t {
  answered,
  clarification,
  confirmation,
  rejected,
  out_of_scope,
  no_model,
  model_error,
  failed,
  cancelled,
  timed_out,
  rate_limited,
};
std::string_view name_of(terminal) noexcept;

// ---- what a question is asked of ------------------------------------------------------------------------------------

// One data source as one principal sees it; made once per principal and configuration, shared by its questions.
struct source_view {
  std::string name;
  std::function<understanding(std::string_view question)> understand;  // never null; nlq::understand bound
  std::shared_ptr<const semantic_layer> layer;                         // may be null
  std::shared_ptr<const prompt_base> prompt;                           // null: no model path for this source
  // Both or neither: what the model is asked for a slot frame, and what becomes of its answer.
  std::shared_ptr<const plan_base> plan;
  std::function<planned(std::string_view json, language)> read_plan;
  std::string
      conversation;  // for the model: the question before and its SQL before narrowing; empty: none of this source
};

struct cost_thresholds {  // in the optimiser's units; 0: never
  double moderate = 0;    // a notice
  double high = 0;        // asked again of the model, else to be confirmed
  double rows_high = 0;

  bool is_high(double cost, double rows) const noexcept {
    return (high > 0 && cost >= high) || (rows_high > 0 && rows >= rows_high);
  }
};

// What a model is asked for. A frame is compiled by the same compiler as a question of the semantic layer.
enum class generation : std::uint8_t {
  sql,
  plan,         // a slot frame; what it cannot express ends out of scope
  plan_or_sql,  // a frame first; SQL where the frame cannot express it or was wrong
};

// Who writes the sentence about the rows.
enum class insight_by : std::uint8_t {
  nobody,
  templates,
  model,  // asked when the rows are with the client, and shown only what can be traced (insight_check.h)
};

struct environment {
  // In the order in which they are tried; one is the common case. Of several that know a question's words without a
  // model the first answers; for a model the one is chosen whose tables the words fit best.
  std::vector<source_view> sources;
  bool has_model = false;
  day_number today = 0;
  std::uint64_t row_cap = limits::row_cap_generated;
  cost_thresholds costs;
  bool estimate = false;  // ask for plans at all
  unsigned corrections_max = limits::corrections_max;
  nlq::generation generate = generation::sql;
  insight_by insight = insight_by::templates;
  std::chrono::milliseconds insight_time{5000};  // how long a model may think about rows
  // Clarifications of this same question so far, and after how many the first option is taken and said.
  unsigned clarify_rounds = 0;
  unsigned clarify_rounds_max = limits::clarify_rounds_max;
  // What the last answer's own rows say to this question: the end, without the guard, the warehouse or a model.
  std::optional<discussed> previous;
  std::function<std::int64_t()> milliseconds_now;  // monotonic, for the records' times; may be empty: all are 0
};
using environment_ptr = std::shared_ptr<const environment>;

enum class ask_mode : std::uint8_t { result, sql, full };  // sql: everything but the run

// ---- the end --------------------------------------------------------------------------------------------------------

enum class answer_path : std::uint8_t { none, semantic_layer, model, catalogue, given, previous };
std::string_view name_of(answer_path) noexcept;

struct report {
  terminal end = terminal::failed;
  errc code = errc::failed;   // of an end that is an error for the client, else without meaning
  errc cause = errc::failed;  // for the audit: what lies behind it, e.g. denied_column behind rejected
  std::int32_t number = 0;    // of the upstream where it replaces that of `code`
  std::string rule;           // rejected: of the gate, for the audit only
  std::string message;        // a sentence in the language of the question; empty for answered
  language lang = language::english;

  std::string source;
  answer_path path = answer_path::none;
  std::string interpretation;
  std::string sql;  // as printed by the guard
  // The same before the guard narrowed it: what may be told to a model or judged once more. Row filters with their
  // tables and values stand in `sql` only.
  std::string asked_sql;
  std::vector<std::string> tables;
  std::uint64_t rows = 0;
  bool executed = false;  // false in mode sql, and where no rows were asked for
  bool capped = false;
  std::vector<std::string> notices;
  std::string insight;  // empty: none
  bool insight_by_model = false;
  std::string insight_refused;  // why the model's own was not taken, for the log; empty: it was, or none was wanted
  std::vector<std::string> suggestions;

  std::vector<clarify_option> choices;      // clarification
  std::vector<std::string> unknown_words;   // no_model, model_error
  std::vector<std::string> answer_columns;  // paths catalogue and previous
  std::vector<bool> answer_numeric;         // path previous
  std::vector<std::vector<std::string>> answer_rows;
  bool cost_known = false;
  double estimated_cost = 0;
  double estimated_rows = 0;
  std::chrono::milliseconds retry_after{0};  // rate_limited

  std::vector<attempt> attempts;
  std::optional<query_intent> intent;  // of the semantic layer: what the next turn of the conversation refines
  std::vector<std::string> assumptions;
  turn kind = turn::fresh;                     // how it went on from the conversation
  bool general = false;                        // courtesy: no question at all, the conversation stands where it stood
  bool fresh = false;                          // understood without regard to what was asked before
  std::optional<std::chrono::seconds> cached;  // set by the driver: how old the answer was that it gave instead
  std::vector<node> visited;                   // in order, with repetitions
  unsigned model_calls = 0;
  unsigned checks = 0;
  unsigned runs = 0;
  std::string model;
  llm::token_usage tokens;  // of all calls
};

class pipeline {
 public:
  pipeline(environment_ptr, std::string question, ask_mode = ask_mode::result);
  ~pipeline();
  pipeline(pipeline&&) noexcept;
  pipeline& operator=(pipeline&&) noexcept;

  // Once. Runs through sanitize, classify and understand.
  action start();

  // Once, in place of start(): a statement that a person has seen, confirmed or edited. It is checked like generated
  // SQL; `confirmed` lets it run whatever it costs.
  action start_given(std::string sql, std::string interpretation, bool confirmed);

  // The event that belongs to the last action, or interrupted. An event of another kind ends in `failed` (internal).
  action resume(pipeline_event);

  // What finds the next questions to suggest after this one; empty where there will be none. It holds what it needs and
  // takes about a millisecond: a driver may call it on another thread while run_sql is under way, and hand over what
  // it found with `ran`. Otherwise the pipeline does it itself.
  std::function<std::vector<std::string>()> suggester() const;

  node at() const noexcept;
  // Complete after `finish`; before it, what is known so far.
  const nlq::report& report() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace dragoman::nlq
