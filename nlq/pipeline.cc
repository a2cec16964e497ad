#include "nlq/pipeline.h"

#include <utility>

#include "nlq/pipeline_state.h"
#include "nlq/pipeline_suggest.h"
#include "nlq/pipeline_text.h"
#include "nlq/prompt.h"

namespace dragoman::nlq {

std::string_view name_of(node n) noexcept {
  switch (n) {
    case node::sanitize: return "sanitize";
    case node::classify: return "classify";
    case node::understand: return "understand";
    case node::retrieve: return "retrieve";
    case node::generate: return "generate";
    case node::clean: return "clean";
    case node::validate: return "validate";
    case node::estimate: return "estimate";
    case node::execute: return "execute";
    case node::insight: return "insight";
    case node::done: return "done";
  }
  return "done";
}

std::string_view name_of(terminal t) noexcept {
  switch (t) {
    case terminal::answered: return "answered";
    case terminal::clarification: return "clarification";
    case terminal::confirmation: return "confirmation";
    case terminal::rejected: return "rejected";
    case terminal::out_of_scope: return "out_of_scope";
    case terminal::no_model: return "no_model";
    case terminal::model_error: return "model_error";
    case terminal::failed: return "failed";
    case terminal::cancelled: return "cancelled";
    case terminal::timed_out: return "timed_out";
    case terminal::rate_limited: return "rate_limited";
  }
  return "failed";
}

std::string_view name_of(answer_path p) noexcept {
  switch (p) {
    case answer_path::none: return "none";
    case answer_path::semantic_layer: return "semantic_layer";
    case answer_path::model: return "model";
    case answer_path::catalogue: return "catalogue";
    case answer_path::given: return "given";
    case answer_path::previous: return "previous";
  }
  return "none";
}

// ---- ends and attempts -------------------------------------------------------------------------------------------

action pipeline::state::end(terminal t, errc code, errc cause, std::string message) {
  out.end = t;
  out.code = code;
  out.cause = cause;
  out.message = std::move(message);
  enter(node::done);
  waiting = due::nothing;
  return finish{};
}

action pipeline::state::end_failed(errc cause, std::int32_t number, std::string_view error) {
  // The warehouse being away is its own error for the client; everything else is "failed after its retries".
  const bool own = cause == errc::upstream_unavailable || cause == errc::lease_timeout;
  out.number = number;
  return end(terminal::failed, own ? cause : errc::failed, cause,
             own ? std::string(error) : text::failed(out.lang, error));
}

action pipeline::state::end_interrupted(bool by_time_limit) {
  record(attempt_outcome::interrupted, by_time_limit ? "time limit" : "cancelled", false);
  return by_time_limit
             ? end(terminal::timed_out, errc::query_timeout, errc::query_timeout, text::question_timed_out(out.lang))
             : end(terminal::cancelled, errc::cancelled, errc::cancelled, text::cancelled(out.lang));
}

void pipeline::state::open_attempt() {
  attempt_began = now();
  attempt_open = true;
  candidate.clear();
}

void pipeline::state::record(attempt_outcome outcome, std::string error, bool will_retry) {
  if (!attempt_open) return;
  attempt_open = false;
  attempt a;
  a.number = static_cast<unsigned>(out.attempts.size()) + 1;
  a.outcome = outcome;
  a.sql = out.sql.empty() ? candidate : out.sql;
  a.error = std::move(error);
  a.will_retry = will_retry;
  a.milliseconds = now() - attempt_began;
  out.attempts.push_back(std::move(a));
}

action pipeline::state::failed_attempt(next_step next, attempt_outcome outcome, errc reason, std::int32_t number,
                                       std::string_view message) {
  const bool model_path = out.path == answer_path::model;
  const bool again = model_path && (next == next_step::generate || next == next_step::retrieve) && corrections_left > 0;
  record(outcome, std::string(name_of(reason)) + ": " + std::string(message), again);
  if (again) {
    --corrections_left;
    if (asked_plan && env->generate == generation::plan_or_sql) {
      // Another task: the frame and what was wrong with it say nothing about SQL.
      plan_given_up = true;
      turns.clear();
    } else {
      // What the model wrote: the guard's print holds row filters.
      for (llm::message& m : correction(candidate, message, hint_of(outcome, reason, number), asked_plan))
        turns.push_back(std::move(m));
    }
    out.sql.clear();
    out.asked_sql.clear();
    if (next == next_step::retrieve) missing = message;
    return next == next_step::retrieve ? retrieve() : generate();
  }
  switch (next) {
    case next_step::reject: return end(terminal::rejected, errc::rejected, reason, text::rejected(out.lang));
    case next_step::time_out: return end(terminal::timed_out, errc::query_timeout, reason, text::timed_out(out.lang));
    case next_step::cancel: return end(terminal::cancelled, errc::cancelled, reason, text::cancelled(out.lang));
    case next_step::fail:
    case next_step::generate:
    case next_step::retrieve: break;
  }
  return end_failed(reason, number, message);
}

std::string_view pipeline::state::hint_of(attempt_outcome outcome, errc reason, std::int32_t number) {
  switch (outcome) {
    case attempt_outcome::bad_frame: return "Answer with one JSON object of the schema, with its names only.";
    case attempt_outcome::no_sql:
    case attempt_outcome::empty_answer: return "Answer with one SELECT statement.";
    case attempt_outcome::truncated_answer: return "Answer with the statement alone, and keep it short.";
    case attempt_outcome::too_costly: return "Narrow the statement: a shorter period, fewer rows, fewer joins.";
    default: return hint_for(reason, number);
  }
}

// ---- the public face ---------------------------------------------------------------------------------------------

pipeline::pipeline(environment_ptr env, std::string question, ask_mode mode) : state_(std::make_unique<state>()) {
  state_->env = std::move(env);
  state_->question = std::move(question);
  state_->mode = mode;
}

pipeline::~pipeline() = default;
pipeline::pipeline(pipeline&&) noexcept = default;
pipeline& pipeline::operator=(pipeline&&) noexcept = default;

action pipeline::start() {
  return state_->begin();
}

action pipeline::start_given(std::string sql, std::string interpretation, bool confirmed) {
  state& s = *state_;
  s.out.lang = language_of(s.question);
  s.out.path = answer_path::given;
  s.out.interpretation = std::move(interpretation);
  if (s.env->sources.empty())
    return s.end_failed(errc::configuration, 0, "no data source is configured for this login");
  s.out.source = s.from().name;
  s.confirmed = confirmed;
  s.open_attempt();
  s.candidate = std::move(sql);
  return s.validate();
}

action pipeline::resume(pipeline_event event) {
  state& s = *state_;
  if (s.waiting == state::due::nothing) return finish{};
  if (auto* i = std::get_if<interrupted>(&event)) return s.on(*i);
  if (state::due_of(event) != s.waiting)
    return s.end_failed(errc::internal, 0, "the pipeline was told of what it had not asked for");
  return std::visit([&s](auto& e) { return s.on(e); }, event);
}

std::function<std::vector<std::string>()> pipeline::suggester() const {
  const state& s = *state_;
  if (!s.out.intent || s.env->sources.empty() || s.from().layer == nullptr) return {};
  return [env = s.env, at = s.source, intent = *s.out.intent] {
    const source_view& from = env->sources[at];
    return suggestions_for(intent, *from.layer, from.understand);
  };
}

node pipeline::at() const noexcept {
  return state_->at;
}

const report& pipeline::report() const noexcept {
  return state_->out;
}

}  // namespace dragoman::nlq
