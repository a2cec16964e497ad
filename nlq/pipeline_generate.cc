// Retrieve, generate, clean: what a model is asked, and what its answer is taken for.
#include <utility>

#include "nlq/clean.h"
#include "nlq/insight.h"
#include "nlq/pipeline_state.h"
#include "nlq/pipeline_text.h"
#include "nlq/plan.h"
#include "nlq/prompt.h"

namespace dragoman::nlq {

action pipeline::state::retrieve() {
  enter(node::retrieve);
  if (from().prompt->wants_embedding() && !embedding_asked) {
    embedding_asked = true;
    waiting = due::embedding;
    return embed_question{question};
  }
  return generate();
}

action pipeline::state::on(embedded& e) {
  if (e.result.status == llm::call_status::cancelled) return end_interrupted(false);
  if (e.result.status == llm::call_status::ok && e.result.vectors.size() == 1)
    question_vector = std::move(e.result.vectors[0]);
  return generate();
}

bool pipeline::state::wants_plan() const {
  return env->generate != generation::sql && !plan_given_up && from().plan != nullptr && from().read_plan;
}

action pipeline::state::generate() {
  enter(node::generate);
  open_attempt();
  tree.reset();
  // What was said of a frame that was not accepted says nothing of what comes instead.
  out.interpretation = text::model_interpretation(out.lang);
  out.assumptions.clear();
  out.intent.reset();
  reading = {};
  asked_plan = wants_plan();
  if (asked_plan) {
    call_model call;
    call.messages = from().plan->messages(question, from().conversation, env->today);
    call.messages.insert(call.messages.end(), turns.begin(), turns.end());
    call.attempt = static_cast<unsigned>(out.attempts.size()) + 1;
    call.json_schema = from().plan->schema();
    waiting = due::model;
    return call;
  }
  question_prompt q;
  q.question = question;
  q.conversation = from().conversation;
  q.today = env->today;
  q.missing = missing;
  q.more_tables = missing.empty() ? 0 : 2;
  q.question_vector = question_vector.empty() ? nullptr : &question_vector;
  call_model call;
  call.messages = from().prompt->messages(q);
  call.grammar = from().prompt->grammar(q);
  call.messages.insert(call.messages.end(), turns.begin(), turns.end());
  call.attempt = static_cast<unsigned>(out.attempts.size()) + 1;
  waiting = due::model;
  return call;
}

action pipeline::state::on(model_answered& m) {
  llm::chat_result& r = m.result;
  ++out.model_calls;
  out.tokens.prompt += r.usage.prompt;
  out.tokens.completion += r.usage.completion;
  out.tokens.cached += r.usage.cached;
  if (!r.model.empty()) out.model = r.model;
  if (asked_insight && r.status != llm::call_status::cancelled) return on_insight(r);
  switch (r.status) {
    case llm::call_status::ok: return asked_plan ? read_frame(r.text) : clean(r.text);
    case llm::call_status::empty:
      return failed_attempt(next_step::generate, attempt_outcome::empty_answer, errc::model_error, 0, r.error);
    case llm::call_status::truncated: {
      // Cut off before any statement: the next answer would spend its tokens on the same words.
      const bool begun =
          asked_plan ? r.text.find('{') != std::string::npos : clean_reply(r.text).kind == reply_kind::sql;
      if (begun) candidate = r.text;
      return failed_attempt(begun ? next_step::generate : next_step::fail, attempt_outcome::truncated_answer,
                            errc::model_error, 0, r.error);
    }
    case llm::call_status::cancelled: return end_interrupted(false);
    case llm::call_status::rate_limited:
      record(attempt_outcome::model_failed, r.error, false);
      out.retry_after = r.retry_after;
      return end(terminal::rate_limited, errc::rate_limited, errc::rate_limited,
                 text::rate_limited(out.lang, r.retry_after));
    case llm::call_status::no_model:
      record(attempt_outcome::model_failed, r.error, false);
      return end(terminal::no_model, errc::no_model, errc::no_model, text::no_model(out.lang, out.unknown_words));
    case llm::call_status::timed_out:
    case llm::call_status::unreachable:
    case llm::call_status::remote_refused:
    case llm::call_status::refused:
    case llm::call_status::server_error:
    case llm::call_status::malformed:
    case llm::call_status::reply_too_large: break;
  }
  record(attempt_outcome::model_failed, r.error, false);
  return end(terminal::model_error, errc::model_error, errc::model_error,
             text::model_error(out.lang, r.error, out.unknown_words));
}

action pipeline::state::read_frame(std::string_view answer) {
  enter(node::clean);
  candidate = std::string(answer);
  planned frame = from().read_plan(answer, out.lang);
  if (frame.query) {
    understood_query& q = *frame.query;
    out.interpretation = q.interpretation + " " + text::model_chose(out.lang);
    out.assumptions = std::move(q.assumptions);
    if (!out.assumptions.empty()) out.interpretation += " " + text::noted(out.lang, out.assumptions);
    if (from().layer != nullptr) reading = insight_reading_of(q.intent, *from().layer);
    out.intent = std::move(q.intent);
    tree = std::make_shared<const tsql::select_statement>(std::move(q.select));
    return validate();
  }
  if (!frame.out_of_scope)
    return failed_attempt(next_step::generate, attempt_outcome::bad_frame, errc::syntax, 0, frame.error);
  if (env->generate == generation::plan) return model_says_out_of_scope();
  // Frames say less than SQL can: outside the budget, once.
  record(attempt_outcome::out_of_scope, "the frame cannot express it", true);
  plan_given_up = true;
  turns.clear();
  return generate();
}

action pipeline::state::clean(std::string_view answer) {
  enter(node::clean);
  cleaned_reply reply = clean_reply(answer);
  switch (reply.kind) {
    case reply_kind::out_of_scope: return model_says_out_of_scope();
    case reply_kind::none:
      return failed_attempt(next_step::generate, attempt_outcome::no_sql, errc::syntax, 0,
                            "The answer held no SQL statement.");
    case reply_kind::sql: break;
  }
  candidate = std::move(reply.sql);
  return validate();
}

action pipeline::state::model_says_out_of_scope() {
  const bool another = !switched_source && next_source.has_value();
  record(attempt_outcome::out_of_scope, std::string(out_of_scope_sentinel), another);
  if (another) {
    // Once, and outside the budget: nothing was wrong with the attempt but its source.
    switched_source = true;
    source = *next_source;
    out.source = from().name;
    turns.clear();
    plan_given_up = false;
    missing.clear();
    question_vector.clear();
    embedding_asked = false;
    return retrieve();
  }
  return end(terminal::out_of_scope, errc::out_of_scope, errc::out_of_scope,
             text::out_of_scope(out.lang, from().layer != nullptr ? &from().layer->covers : nullptr));
}

}  // namespace dragoman::nlq
