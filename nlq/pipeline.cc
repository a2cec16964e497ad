#include "nlq/pipeline.h"

#include <algorithm>
#include <utility>

#include "nlq/clean.h"
#include "nlq/gate.h"
#include "nlq/insight.h"
#include "nlq/pipeline_suggest.h"
#include "nlq/pipeline_text.h"
#include "nlq/plan.h"
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
  }
  return "none";
}

namespace {
constexpr unsigned defaults_max = 4;  // choices of one question that are settled without asking
}

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
  bool switched_source = false;
  tree_ptr tree;            // semantic layer
  std::string confirm_why;  // the person is to confirm before it runs; empty: not
  bool confirmed = false;
  bool additive = false;
  std::vector<std::string> defaults;  // what was taken for granted after too many clarifications

  unsigned corrections_left = 0;
  std::string candidate;            // cleaned or given SQL
  std::vector<llm::message> turns;  // of this source: the corrections so far
  std::string missing;              // error text that widens retrieval
  std::vector<float> question_vector;
  bool embedding_asked = false;
  bool asked_plan = false;     // the model's last task
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

  action end(terminal t, errc code, errc cause, std::string message) {
    out.end = t;
    out.code = code;
    out.cause = cause;
    out.message = std::move(message);
    enter(node::done);
    waiting = due::nothing;
    return finish{};
  }

  action end_failed(errc cause, std::int32_t number, std::string_view error) {
    // The warehouse being away is its own error for the client; everything else is "failed after its retries".
    const bool own = cause == errc::upstream_unavailable || cause == errc::lease_timeout;
    out.number = number;
    return end(terminal::failed, own ? cause : errc::failed, cause,
               own ? std::string(error) : text::failed(out.lang, error));
  }

  action end_interrupted(bool by_time_limit) {
    record(attempt_outcome::interrupted, by_time_limit ? "time limit" : "cancelled", false);
    return by_time_limit
               ? end(terminal::timed_out, errc::query_timeout, errc::query_timeout, text::question_timed_out(out.lang))
               : end(terminal::cancelled, errc::cancelled, errc::cancelled, text::cancelled(out.lang));
  }

  // ---- attempts -----------------------------------------------------------------------------------------------------

  void open_attempt() {
    attempt_began = now();
    attempt_open = true;
    candidate.clear();
  }

  void record(attempt_outcome outcome, std::string error, bool will_retry) {
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

  // A failed attempt: the one place that decides whether there is another.
  action failed_attempt(next_step next, attempt_outcome outcome, errc reason, std::int32_t number,
                        std::string_view message) {
    const bool model_path = out.path == answer_path::model;
    const bool again =
        model_path && (next == next_step::generate || next == next_step::retrieve) && corrections_left > 0;
    record(outcome, std::string(name_of(reason)) + ": " + std::string(message), again);
    if (again) {
      --corrections_left;
      if (asked_plan && env->generate == generation::plan_or_sql) {
        // Another task: the frame and what was wrong with it say nothing about SQL.
        plan_given_up = true;
        turns.clear();
      } else {
        const std::string failed_sql = asked_plan || out.sql.empty() ? candidate : out.sql;
        for (llm::message& m : correction(failed_sql, message, hint_of(outcome, reason, number), asked_plan))
          turns.push_back(std::move(m));
      }
      out.sql.clear();
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

  static std::string_view hint_of(attempt_outcome outcome, errc reason, std::int32_t number) {
    switch (outcome) {
      case attempt_outcome::bad_frame: return "Answer with one JSON object of the schema, with its names only.";
      case attempt_outcome::no_sql:
      case attempt_outcome::empty_answer: return "Answer with one SELECT statement.";
      case attempt_outcome::truncated_answer: return "Answer with the statement alone, and keep it short.";
      case attempt_outcome::too_costly: return "Narrow the statement: a shorter period, fewer rows, fewer joins.";
      default: return hint_for(reason, number);
    }
  }

  // ---- sanitize, classify, understand -------------------------------------------------------------------------------

  action begin() {
    out.lang = language_of(question);
    enter(node::sanitize);
    if (env->sources.empty()) return end_failed(errc::configuration, 0, "no data source is configured for this login");
    // Here too and not only in understand(): a source without a semantic layer has none.
    if (auto rule = gate(question, tokenise(question))) {
      rejection refused{standard_refusal(out.lang), std::move(*rule)};
      return act_on(refused);
    }
    understanding said = from().understand(question);
    said = settle(std::move(said));
    if (!std::holds_alternative<rejection>(said)) {
      enter(node::classify);
      enter(node::understand);
      // Another source may know the words that the best one does not.
      for (std::size_t i = 1; i < env->sources.size() && undecided(said); ++i) {
        understanding other = env->sources[i].understand(question);
        if (!std::holds_alternative<understood_query>(other)) continue;
        said = std::move(other);
        source = i;
      }
    }
    out.source = from().name;
    return std::visit([this](auto& s) { return act_on(s); }, said);
  }

  // A person who was asked often enough gets the first option of each choice, and is told so.
  understanding settle(understanding said) {
    for (unsigned taken = 0; env->clarify_rounds >= env->clarify_rounds_max && taken < defaults_max; ++taken) {
      const auto* unclear = std::get_if<clarification>(&said);
      if (unclear == nullptr || unclear->options.empty()) break;
      const clarify_option first = unclear->options.front();
      // An option that leads back to its own question would never end.
      if (first.value.empty() || first.value == question) break;
      defaults.push_back(text::assumed(out.lang, first.label));
      question = first.value;
      said = from().understand(question);
    }
    return said;
  }

  static bool undecided(const understanding& u) {
    return std::holds_alternative<needs_model>(u) || std::holds_alternative<outside_scope>(u);
  }

  action act_on(rejection& r) {
    out.rule = std::move(r.rule);
    return end(terminal::rejected, errc::rejected, errc::rejected,
               r.message.empty() ? text::rejected(out.lang) : std::move(r.message));
  }

  action act_on(clarification& c) {
    out.choices = std::move(c.options);
    return end(terminal::clarification, errc::failed, errc::failed, std::move(c.message));
  }

  action act_on(outside_scope& o) {
    return end(terminal::out_of_scope, errc::out_of_scope, errc::out_of_scope, std::move(o.message));
  }

  action act_on(schema_answer& s) {
    out.path = answer_path::catalogue;
    out.answer_columns = std::move(s.columns);
    out.answer_rows = std::move(s.rows);
    out.rows = out.answer_rows.size();
    return end(terminal::answered, errc::failed, errc::failed, std::move(s.message));
  }

  action act_on(understood_query& q) {
    out.path = answer_path::semantic_layer;
    out.interpretation = std::move(q.interpretation);
    out.assumptions = std::move(q.assumptions);
    out.fresh = q.kind == turn::fresh && defaults.empty();
    for (std::string& said : defaults) {
      out.interpretation += (out.interpretation.empty() ? "" : " ") + said;
      out.assumptions.push_back(std::move(said));
    }
    if (from().layer != nullptr) additive = measure_is_additive(q.intent, *from().layer);
    out.intent = std::move(q.intent);
    tree = std::make_shared<const tsql::select_statement>(std::move(q.select));
    open_attempt();
    return validate();
  }

  action act_on(needs_confirmation& c) {
    confirm_why = std::move(c.reason);
    return act_on(c.query);
  }

  action act_on(needs_model& n) {
    out.unknown_words = std::move(n.words);
    if (!env->has_model || from().prompt == nullptr)
      return end(
          terminal::no_model, errc::no_model, errc::no_model,
          n.message.empty() || env->has_model ? text::no_model(out.lang, out.unknown_words) : std::move(n.message));
    out.path = answer_path::model;
    out.interpretation = text::model_interpretation(out.lang);
    corrections_left = env->corrections_max;
    return retrieve();
  }

  // ---- retrieve, generate, clean ------------------------------------------------------------------------------------

  action retrieve() {
    enter(node::retrieve);
    if (from().prompt->wants_embedding() && !embedding_asked) {
      embedding_asked = true;
      waiting = due::embedding;
      return embed_question{question};
    }
    return generate();
  }

  action on(embedded& e) {
    if (e.result.status == llm::call_status::cancelled) return end_interrupted(false);
    if (e.result.status == llm::call_status::ok && e.result.vectors.size() == 1)
      question_vector = std::move(e.result.vectors[0]);
    return generate();
  }

  bool wants_plan() const {
    return env->generate != generation::sql && !plan_given_up && from().plan != nullptr && from().read_plan;
  }

  action generate() {
    enter(node::generate);
    open_attempt();
    tree.reset();
    asked_plan = wants_plan();
    if (asked_plan) {
      call_model call;
      call.messages = from().plan->messages(question, env->conversation, env->today);
      call.messages.insert(call.messages.end(), turns.begin(), turns.end());
      call.attempt = static_cast<unsigned>(out.attempts.size()) + 1;
      call.json_schema = from().plan->schema();
      waiting = due::model;
      return call;
    }
    question_prompt q;
    q.question = question;
    q.conversation = env->conversation;
    q.today = env->today;
    q.missing = missing;
    q.more_tables = missing.empty() ? 0 : 2;
    q.question_vector = question_vector.empty() ? nullptr : &question_vector;
    call_model call;
    call.messages = from().prompt->messages(q);
    call.messages.insert(call.messages.end(), turns.begin(), turns.end());
    call.attempt = static_cast<unsigned>(out.attempts.size()) + 1;
    waiting = due::model;
    return call;
  }

  action on(model_answered& m) {
    llm::chat_result& r = m.result;
    ++out.model_calls;
    out.tokens.prompt += r.usage.prompt;
    out.tokens.completion += r.usage.completion;
    out.tokens.cached += r.usage.cached;
    if (!r.model.empty()) out.model = r.model;
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

  action read_frame(std::string_view answer) {
    enter(node::clean);
    candidate = std::string(answer);
    planned frame = from().read_plan(answer, out.lang);
    if (frame.query) {
      understood_query& q = *frame.query;
      out.interpretation = q.interpretation + " " + text::model_chose(out.lang);
      out.assumptions = std::move(q.assumptions);
      if (from().layer != nullptr) additive = measure_is_additive(q.intent, *from().layer);
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

  action clean(std::string_view answer) {
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

  action model_says_out_of_scope() {
    const bool another = !switched_source && source + 1 < env->sources.size() && env->sources[source + 1].prompt;
    record(attempt_outcome::out_of_scope, std::string(out_of_scope_sentinel), another);
    if (another) {
      // Once, and outside the budget: nothing was wrong with the attempt but its source.
      switched_source = true;
      ++source;
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

  // ---- validate, estimate, execute, insight -------------------------------------------------------------------------

  action validate() {
    enter(node::validate);
    ++out.checks;
    waiting = due::check;
    check_sql c;
    c.source = from().name;
    c.tree = tree;
    if (tree == nullptr) c.text = candidate;
    return c;
  }

  action on(checked& c) {
    if (!c.accepted) return failed_attempt(after_refusal(c.reason), attempt_outcome::refused, c.reason, 0, c.message);
    out.sql = std::move(c.printed);
    out.tables = std::move(c.tables);
    if (env->estimate) {
      enter(node::estimate);
      waiting = due::estimate;
      return estimate_cost{from().name, out.sql};
    }
    if (!confirm_why.empty() && !confirmed) return end_confirmation(confirm_why);
    return execute();
  }

  action end_confirmation(std::string why) {
    record(attempt_outcome::accepted, {}, false);
    return end(terminal::confirmation, errc::failed, errc::failed, std::move(why));
  }

  action on(estimated& e) {
    out.cost_known = e.known;
    if (e.known) {
      out.estimated_cost = e.cost;
      out.estimated_rows = e.rows;
    }
    if (!confirm_why.empty() && !confirmed) return end_confirmation(confirm_why);
    if (!e.known || confirmed) return execute();  // fails open: no plan is no reason to refuse
    const cost_thresholds& limit = env->costs;
    const bool high = (limit.high > 0 && e.cost >= limit.high) || (limit.rows_high > 0 && e.rows >= limit.rows_high);
    if (high) {
      if (out.path == answer_path::model && corrections_left > 0)
        return failed_attempt(next_step::generate, attempt_outcome::too_costly, errc::too_complex, 0,
                              "The statement's estimated cost is too high.");
      if (mode != ask_mode::sql) return end_confirmation(text::confirm_cost(out.lang, e.cost, e.rows));
    }
    if (limit.moderate > 0 && e.cost >= limit.moderate)
      out.notices.push_back(text::costly_notice(out.lang, e.cost, e.rows));
    return execute();
  }

  action execute() {
    if (mode == ask_mode::sql) {
      record(attempt_outcome::accepted, {}, false);
      return end(terminal::answered, errc::failed, errc::failed, {});
    }
    enter(node::execute);
    ++out.runs;
    waiting = due::run;
    return run_sql{from().name, out.sql, env->row_cap, out.interpretation};
  }

  action on(ran& r) {
    out.rows = r.rows;
    if (!r.ok) {
      next_step next = after_failed_run(r.reason, r.number);
      // The client has met this attempt's columns already: another one would be a second, different result.
      if (r.rows_sent && (next == next_step::generate || next == next_step::retrieve)) next = next_step::fail;
      out.rows = r.rows_sent ? r.rows : 0;
      return failed_attempt(next, attempt_outcome::execution_failed, r.reason, r.number, r.message);
    }
    out.executed = true;
    out.capped = r.capped;
    record(attempt_outcome::accepted, {}, false);
    enter(node::insight);
    if (tree != nullptr && !r.capped)
      if (auto sentence = insight_of(r.head, additive, out.lang)) out.insight = std::move(*sentence);
    if (out.intent && from().layer != nullptr)
      out.suggestions = suggestions_for(*out.intent, *from().layer, from().understand);
    return end(terminal::answered, errc::failed, errc::failed, {});
  }

  action on(interrupted& i) { return end_interrupted(i.by_time_limit); }

  static due due_of(const pipeline_event& e) {
    static constexpr due by_index[] = {due::model, due::embedding, due::check, due::estimate, due::run};
    return by_index[e.index()];
  }
};

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

node pipeline::at() const noexcept {
  return state_->at;
}

const report& pipeline::report() const noexcept {
  return state_->out;
}

}  // namespace dragoman::nlq
