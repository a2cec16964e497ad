// Sanitize, classify, understand: all that happens before any action.
#include <algorithm>
#include <utility>

#include "nlq/courtesy.h"
#include "nlq/gate.h"
#include "nlq/insight.h"
#include "nlq/pipeline_state.h"
#include "nlq/pipeline_text.h"
#include "nlq/prompt.h"

namespace dragoman::nlq {

namespace {

constexpr unsigned defaults_max = 4;  // choices of one question that are settled without asking

}  // namespace

action pipeline::state::begin() {
  out.lang = language_of(question);
  enter(node::sanitize);
  if (env->sources.empty()) return end_failed(errc::configuration, 0, "no data source is configured for this login");
  // Here too and not only in understand(): a source without a semantic layer has none.
  if (auto rule = gate(question, tokenise(question))) {
    rejection refused{standard_refusal(out.lang), std::move(*rule)};
    return act_on(refused);
  }
  if (auto kind_words = courtesy_answer(question, out.lang, from().layer.get())) {
    enter(node::classify);
    out.source = from().name;
    out.general = true;
    return act_on(*kind_words);
  }
  if (env->previous) {
    enter(node::classify);
    out.source = from().name;
    out.path = answer_path::previous;
    out.interpretation = env->previous->interpretation;
    out.answer_columns = env->previous->columns;
    out.answer_numeric = env->previous->numeric;
    out.answer_rows = env->previous->rows;
    out.rows = out.answer_rows.size();
    return end(terminal::answered, errc::failed, errc::failed, {});
  }
  understanding said = from().understand(question);
  said = settle(std::move(said));
  if (!std::holds_alternative<rejection>(said)) {
    enter(node::classify);
    enter(node::understand);
    // Another source may know the words that the first one does not.
    for (std::size_t i = 1; i < env->sources.size() && undecided(said); ++i) {
      understanding other = env->sources[i].understand(question);
      if (undecided(other) || std::holds_alternative<rejection>(other)) continue;
      said = std::move(other);
      source = i;
    }
  }
  out.source = from().name;
  return std::visit([this](auto& s) { return act_on(s); }, said);
}

understanding pipeline::state::settle(understanding said) {
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

bool pipeline::state::undecided(const understanding& u) {
  return std::holds_alternative<needs_model>(u) || std::holds_alternative<outside_scope>(u);
}

void pipeline::state::choose_source() {
  if (env->sources.size() == 1) return;
  std::vector<std::pair<double, std::size_t>> fits;
  for (std::size_t i = 0; i < env->sources.size(); ++i)
    if (env->sources[i].prompt != nullptr) fits.emplace_back(env->sources[i].prompt->fit(question), i);
  std::stable_sort(fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (fits.empty()) return;
  source = fits[0].second;
  out.source = from().name;
  if (fits.size() > 1) next_source = fits[1].second;
}

action pipeline::state::act_on(rejection& r) {
  out.rule = std::move(r.rule);
  return end(terminal::rejected, errc::rejected, errc::rejected,
             r.message.empty() ? text::rejected(out.lang) : std::move(r.message));
}

action pipeline::state::act_on(clarification& c) {
  out.choices = std::move(c.options);
  return end(terminal::clarification, errc::failed, errc::failed, std::move(c.message));
}

action pipeline::state::act_on(outside_scope& o) {
  return end(terminal::out_of_scope, errc::out_of_scope, errc::out_of_scope, std::move(o.message));
}

action pipeline::state::act_on(schema_answer& s) {
  out.path = answer_path::catalogue;
  out.answer_columns = std::move(s.columns);
  out.answer_rows = std::move(s.rows);
  out.rows = out.answer_rows.size();
  return end(terminal::answered, errc::failed, errc::failed, std::move(s.message));
}

action pipeline::state::act_on(understood_query& q) {
  out.path = answer_path::semantic_layer;
  out.interpretation = std::move(q.interpretation);
  out.assumptions = std::move(q.assumptions);
  if (!out.assumptions.empty()) out.interpretation += " " + text::noted(out.lang, out.assumptions);
  out.kind = q.kind;
  out.fresh = q.kind == turn::fresh && defaults.empty();
  for (std::string& said : defaults) {
    out.interpretation += (out.interpretation.empty() ? "" : " ") + said;
    out.assumptions.push_back(std::move(said));
  }
  if (from().layer != nullptr) reading = insight_reading_of(q.intent, *from().layer);
  out.intent = std::move(q.intent);
  tree = std::make_shared<const tsql::select_statement>(std::move(q.select));
  open_attempt();
  return validate();
}

action pipeline::state::act_on(needs_confirmation& c) {
  confirm_why = std::move(c.reason);
  return act_on(c.query);
}

action pipeline::state::act_on(needs_model& n) {
  out.unknown_words = std::move(n.words);
  if (env->has_model) choose_source();
  if (!env->has_model || from().prompt == nullptr)
    return end(
        terminal::no_model, errc::no_model, errc::no_model,
        n.message.empty() || env->has_model ? text::no_model(out.lang, out.unknown_words) : std::move(n.message));
  out.path = answer_path::model;
  corrections_left = env->corrections_max;
  return retrieve();
}

}  // namespace dragoman::nlq
