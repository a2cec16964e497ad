// Validate, estimate, execute, insight.
#include <utility>

#include "guard/tsql/printer.h"
#include "nlq/clean.h"
#include "nlq/discuss.h"
#include "nlq/insight.h"
#include "nlq/insight_check.h"
#include "nlq/insight_prompt.h"
#include "nlq/pipeline_state.h"
#include "nlq/pipeline_suggest.h"
#include "nlq/pipeline_text.h"

namespace dragoman::nlq {

action pipeline::state::validate() {
  enter(node::validate);
  ++out.checks;
  waiting = due::check;
  check_sql c;
  c.source = from().name;
  c.tree = tree;
  if (tree == nullptr) c.text = candidate;
  return c;
}

action pipeline::state::on(checked& c) {
  if (!c.accepted) {
    if (tree == nullptr)
      return failed_attempt(after_refusal(c.reason), attempt_outcome::refused, c.reason, 0, c.message);
    // The compiler's own tables and columns, of which the person may not know: no name is told, and neither the person
    // nor a model could choose others. SQL of its own may be asked for where that is allowed.
    const next_step next = after_refusal(c.reason);
    const bool rewritable = next == next_step::generate || next == next_step::retrieve;
    const bool sql_instead = asked_plan && env->generate == generation::plan_or_sql;
    return failed_attempt(rewritable && !sql_instead ? next_step::fail : next, attempt_outcome::refused, c.reason, 0,
                          text::not_available(out.lang));
  }
  out.sql = std::move(c.printed);
  out.asked_sql = tree != nullptr ? tsql::print(*tree) : candidate;
  out.tables = std::move(c.tables);
  if (env->estimate) {
    enter(node::estimate);
    waiting = due::estimate;
    return estimate_cost{from().name, out.sql};
  }
  if (!confirm_why.empty() && !confirmed) return end_confirmation(confirm_why);
  return execute();
}

action pipeline::state::end_confirmation(std::string why) {
  record(attempt_outcome::accepted, {}, false);
  return end(terminal::confirmation, errc::failed, errc::failed, std::move(why));
}

action pipeline::state::on(estimated& e) {
  out.cost_known = e.known;
  if (e.known) {
    out.estimated_cost = e.cost;
    out.estimated_rows = e.rows;
  }
  if (!confirm_why.empty() && !confirmed) return end_confirmation(confirm_why);
  if (!e.known || confirmed) return execute();  // fails open: no plan is no reason to refuse
  const cost_thresholds& limit = env->costs;
  if (limit.is_high(e.cost, e.rows)) {
    if (out.path == answer_path::model && corrections_left > 0)
      return failed_attempt(next_step::generate, attempt_outcome::too_costly, errc::too_complex, 0,
                            "The statement's estimated cost is too high.");
    if (mode != ask_mode::sql) return end_confirmation(text::confirm_cost(out.lang, e.cost, e.rows));
  }
  if (limit.moderate > 0 && e.cost >= limit.moderate)
    out.notices.push_back(text::costly_notice(out.lang, e.cost, e.rows));
  return execute();
}

action pipeline::state::execute() {
  if (mode == ask_mode::sql) {
    record(attempt_outcome::accepted, {}, false);
    return end(terminal::answered, errc::failed, errc::failed, {});
  }
  enter(node::execute);
  ++out.runs;
  waiting = due::run;
  return run_sql{from().name, out.sql, env->row_cap, out.interpretation};
}

action pipeline::state::on(ran& r) {
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
  if (env->insight != insight_by::nobody && tree != nullptr && !r.capped)
    if (auto sentence = insight_of(r.head, reading, out.lang)) out.insight = std::move(*sentence);
  if (r.suggestions)
    out.suggestions = std::move(*r.suggestions);
  else if (out.intent && from().layer != nullptr)
    out.suggestions = suggestions_for(*out.intent, *from().layer, from().understand);
  if (env->insight == insight_by::model && env->has_model && from().prompt != nullptr && !r.capped)
    return ask_insight(std::move(r.head));
  return end(terminal::answered, errc::failed, errc::failed, {});
}

action pipeline::state::ask_insight(result_head rows) {
  call_model call;
  call.messages = insight_messages(question, rows, out.lang);
  if (call.messages.empty()) return end(terminal::answered, errc::failed, errc::failed, {});
  call.attempt = 0;
  call.time_limit = env->insight_time;
  head = std::move(rows);
  asked_insight = true;
  waiting = due::model;
  return call;
}

// Of a statement that a model wrote nobody knows; there the rows are taken as they are.
bool pipeline::state::sums_hold() const {
  return tree == nullptr || !out.intent || from().layer == nullptr || measures_add_up(*out.intent, *from().layer);
}

// Whatever went wrong, the question is answered.
action pipeline::state::on_insight(llm::chat_result& r) {
  if (r.status != llm::call_status::ok) {
    out.insight_refused = r.error.empty() ? std::string(llm::name_of(r.status)) : r.error;
  } else {
    const std::string said = without_thinking(r.text);
    const std::string_view shown = out.path == answer_path::model ? std::string_view() : out.interpretation;
    if (auto objection = insight_objection(said, {head, question, shown, out.lang, sums_hold()})) {
      out.insight_refused = std::move(*objection);
    } else {
      out.insight = text::model_said(out.lang, said);
      out.insight_by_model = true;
    }
  }
  return end(terminal::answered, errc::failed, errc::failed, {});
}

action pipeline::state::on(interrupted& i) {
  // The rows were there in time.
  if (asked_insight && i.by_time_limit) return end(terminal::answered, errc::failed, errc::failed, {});
  return end_interrupted(i.by_time_limit);
}

}  // namespace dragoman::nlq
