// The procedures that show what there is: tables, columns, metrics, examples, the guard's mind, the gateway's state.
#include <fmt/format.h>

#include "base/limits.h"
#include "guard/catalog/names.h"
#include "guard/guard_lines.h"
#include "nlq/semantics.h"
#include "proxy/procedures.h"

namespace dragoman::proxy {
namespace {

std::string first_words(const nlq::phrases& words) {
  std::string out;
  const auto add = [&](const std::vector<std::string>& list) {
    for (std::size_t i = 0; i < list.size() && i < 6; ++i) out += (out.empty() ? "" : ", ") + list[i];
  };
  add(words.en);
  add(words.fa);
  return out;
}

}  // namespace

awaitable<void> nlq_help(gateway_session& session, const procedure_arguments&, response& out) {
  local_result rows;
  rows.add_text_column("procedure", 40);
  rows.add_text_column("usage", 400);
  rows.add_text_column("purpose", 400);
  rows.rows.push_back({std::string("-- ASK:"), std::string("-- ASK: question"),
                       std::string("A batch that begins so is a question; following -- lines continue it.")});
  for (const procedure& p : procedures())
    rows.rows.push_back({"nlq." + std::string(p.name), std::string(p.usage), std::string(p.purpose)});
  rows.rows.push_back({std::string("nlq.ask( )"), std::string("SELECT … FROM nlq.ask(N'question') AS a"),
                       std::string("A question as a table: join it, filter it, aggregate it.")});
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_tables(gateway_session& session, const procedure_arguments&, response& out) {
  local_result rows;
  rows.add_text_column("schema", 128);
  rows.add_text_column("table", 128);
  rows.add_int_column("columns");
  rows.add_int_column("approximate_rows");
  rows.add_text_column("description");
  for (const catalog::table& t : session.share().visible->tables)
    rows.rows.push_back({t.schema, t.name, static_cast<std::int64_t>(t.columns.size()),
                         t.row_count ? sql_value(static_cast<std::int64_t>(*t.row_count)) : sql_value(null_value{}),
                         session.here().description_of(t)});
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_columns(gateway_session& session, const procedure_arguments& arguments, response& out) {
  const std::string wanted = arguments.text(0);
  std::string plain;
  for (const char c : wanted)
    if (c != '[' && c != ']') plain += c;
  local_result rows;
  rows.add_text_column("schema", 128);
  rows.add_text_column("table", 128);
  rows.add_text_column("column", 128);
  rows.add_text_column("type", 60);
  rows.columns.push_back({"nullable", {sql_type_id::bit}});
  rows.add_text_column("description");
  rows.add_text_column("sensitive", 40);
  // The site's reason why its values are told to nobody; NULL: they are not kept back.
  const auto reason = [&](const catalog::table& t, const catalog::column& c) -> sql_value {
    const auto& layer = session.here().semantics();
    const nlq::sensitive_column* s = layer ? layer->find_sensitive(t.schema, t.name, c.name) : nullptr;
    if (s == nullptr) return null_value{};
    return s->kind.empty() ? std::string("listed") : s->kind;
  };
  bool found = wanted.empty();
  for (const catalog::table& t : session.share().visible->tables) {
    if (!plain.empty() && !catalog::same_name(t.full_name(), plain) && !catalog::same_name(t.name, plain)) continue;
    found = true;
    for (const catalog::column& c : t.columns)
      rows.rows.push_back({t.schema, t.name, c.name, to_string(c.type), std::int64_t{c.nullable ? 1 : 0},
                           session.here().description_of(t, &c), reason(t, c)});
  }
  if (!found) {
    session.fail(failure(errc::unknown_table, fmt::format("Invalid object name '{}'.", wanted)), out);
    co_return;
  }
  session.write(rows, out);
}

awaitable<void> nlq_metrics(gateway_session& session, const procedure_arguments&, response& out) {
  local_result rows;
  rows.add_text_column("kind", 20);
  rows.add_text_column("name", 128);
  rows.add_text_column("label", 200);
  rows.add_text_column("label_fa", 200);
  rows.add_text_column("definition");
  rows.add_text_column("words");
  if (const auto known = session.here().knowledge(session.view())) {
    for (const nlq::metric& m : known->layer().metrics)
      rows.rows.push_back({std::string("metric"), m.id, m.label.en, m.label.fa, m.definition.en, first_words(m.words)});
    for (const nlq::dimension& d : known->layer().dimensions)
      rows.rows.push_back(
          {std::string("dimension"), d.id, d.label.en, d.label.fa, std::string(), first_words(d.words)});
  }
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_examples(gateway_session& session, const procedure_arguments&, response& out) {
  local_result rows;
  rows.add_text_column("question");
  rows.add_text_column("question_fa");
  if (const auto known = session.here().knowledge(session.view()))
    for (const auto& [id, example] : known->layer().examples) rows.rows.push_back({example.en, example.fa});
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_why(gateway_session& session, const procedure_arguments& arguments, response& out) {
  const guard::explanation e = guard::explain(arguments.text(0), *session.view().policy, session.check_options());
  local_result rows;
  rows.add_text_column("verdict", 20);
  rows.add_text_column("reason", 40);
  rows.add_text_column("rule", 40);
  rows.add_int_column("line");
  rows.add_int_column("column");
  rows.add_text_column("explanation");
  rows.add_text_column("sql");
  rows.rows.push_back({e.verdict, e.reason, e.rule, static_cast<std::int64_t>(e.line),
                       static_cast<std::int64_t>(e.column), e.words,
                       e.rewritten.empty() ? sql_value(null_value{}) : sql_value(e.rewritten)});
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_set(gateway_session& session, const procedure_arguments& arguments, response& out) {
  const std::string option = arguments.text(0);
  const std::string value = arguments.text(1);
  const bool messages = catalog::same_name(option, "messages");
  if (!messages && !catalog::same_name(option, "cache")) {
    session.fail(
        failure(errc::bad_argument, fmt::format("There is no option '{}'; there are: messages, cache.", option)), out);
    co_return;
  }
  const bool on = catalog::same_name(value, "on");
  if (!on && !catalog::same_name(value, "off")) {
    session.fail(failure(errc::bad_argument, fmt::format("'{}' is neither on nor off.", value)), out);
    co_return;
  }
  (messages ? session.options().messages : session.options().cache) = on;
  local_result rows;
  rows.add_text_column("option", 40);
  rows.add_text_column("value", 40);
  rows.rows.push_back({std::string(messages ? "messages" : "cache"), std::string(on ? "on" : "off")});
  session.write(rows, out);
}

awaitable<void> nlq_reset(gateway_session& session, const procedure_arguments&, response& out) {
  session.forget_conversation();
  session.options() = {};
  session.options().messages = session.shared().settings().nlq.messages;
  local_result rows;
  rows.add_text_column("option", 40);
  rows.add_text_column("value", 40);
  rows.rows.push_back({std::string("messages"), std::string(session.options().messages ? "on" : "off")});
  rows.rows.push_back({std::string("conversation"), std::string("new")});
  session.write(rows, out);
  co_return;
}

awaitable<void> nlq_sources(gateway_session& session, const procedure_arguments&, response& out) {
  local_result rows;
  rows.add_text_column("source", 128);
  rows.add_text_column("database", 128);
  rows.add_int_column("tables");
  rows.add_text_column("semantic_layer", 10);
  rows.columns.push_back({"current", {sql_type_id::bit}});
  for (const auto& source : session.shared().sources()) {
    const source_share& share = session.view().shares[source->number()];
    if (share.empty() && source->number() > 0) continue;
    rows.rows.push_back(
        {source->name(), source->database().name, static_cast<std::int64_t>(share.visible->tables.size()),
         std::string(source->semantics() ? "loaded" : "none"), std::int64_t{source.get() == &session.here() ? 1 : 0}});
  }
  session.write(rows, out);
  co_return;
}

namespace {

constexpr std::size_t differences_told = 20;

// Names of tables that not everybody may know of: for operators.
void add_comparison(const data_source& source, bool several, local_result& rows) {
  const std::string whose = several ? source.name() + ": " : "";
  const auto add = [&](const char* item, std::string value) { rows.rows.push_back({whose + item, std::move(value)}); };
  const auto& compared = source.compared();
  if (!compared) {
    add("catalogue drift", source.settings().catalog.introspect ? "not compared: only one of the two could be read"
                                                                : "not compared: catalog.introspect is off");
    return;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(compared->when.time_since_epoch()).count();
  const auto day = static_cast<day_number>(seconds / 86400 + to_day_number({1970, 1, 1}));
  const auto time = seconds % 86400;
  add("catalogue drift", fmt::format("{} {} between snapshot and warehouse", compared->differences.size(),
                                     compared->differences.size() == 1 ? "difference" : "differences"));
  add("catalogue compared",
      fmt::format("{} {:02}:{:02}:{:02} UTC", date_text(day), time / 3600, time / 60 % 60, time % 60));
  for (std::size_t i = 0; i < compared->differences.size() && i < differences_told; ++i)
    add("catalogue difference", compared->differences[i]);
}

}  // namespace

awaitable<void> nlq_status(gateway_session& session, const procedure_arguments&, response& out) {
  service& shared = session.shared();
  local_result rows;
  rows.add_text_column("item", 60);
  rows.add_text_column("value");
  const auto add = [&](const char* item, std::string value) {
    rows.rows.push_back({std::string(item), std::move(value)});
  };
  add("version", DRAGOMAN_VERSION);
  add("login", session.login());
  add("principal", session.view().name);
  add("source", session.here().name());
  add("tables", std::to_string(session.share().visible->tables.size()));
  add("semantic layer", session.here().semantics() ? "loaded" : "none");
  add("model", shared.model() != nullptr ? shared.settings().llm.model : "none");
  add("today", date_text(shared.time().today()));
  const answer_cache& cache = shared.answers();
  if (const answer_cache::counts kept = cache.status(); !cache.enabled())
    add("cache", "off");
  else
    add("cache",
        fmt::format("{} of {} answers, {} KiB of {}, {} hits, {} misses, kept for {} s", kept.answers,
                    cache.settings().answers_max, kept.bytes / 1024, cache.settings().bytes_max / 1024, kept.hits,
                    kept.misses, std::chrono::duration_cast<std::chrono::seconds>(cache.settings().lifetime).count()));
  const question_budget& budget = shared.budget();
  const auto add_spent = [&](const std::string& whose, const question_budget::spent& s) {
    add((whose + "questions").c_str(), std::to_string(s.questions));
    add((whose + "questions over the limit").c_str(), std::to_string(s.refused));
    add((whose + "model calls").c_str(), std::to_string(s.model_calls));
    add((whose + "model tokens").c_str(),
        fmt::format("{} read, {} of them cached, {} written", s.tokens.prompt, s.tokens.cached, s.tokens.completion));
    if (budget.prices().known())
      add((whose + "model cost").c_str(), fmt::format("{:.4f}", budget.prices().of(s.tokens)));
  };
  add_spent("", budget.of(session.view().name));
  const nlq_config& asking = shared.settings().nlq;
  add("questions a minute",
      asking.questions_per_minute > 0 ? fmt::format("{}", asking.questions_per_minute) : "no limit");
  add("row cap", std::to_string(session.view().policy->row_cap));
  add("row cap of answers", std::to_string(session.view().policy->row_cap_generated));
  add("query time limit", fmt::format("{} s", shared.settings().server.query_timeout.count()));
  add("question length", std::to_string(shared.settings().nlq.question_chars_max));
  if (session.view().policy->operator_rights) {
    add_spent("all principals: ", budget.total());
    for (const auto& source : shared.sources()) add_comparison(*source, shared.sources().size() > 1, rows);
    for (const auto& source : shared.sources()) {
      const upstream::pool_status pool = source->warehouse().status();
      const std::string whose = shared.sources().size() > 1 ? source->name() + ": " : "";
      add((whose + "upstream connections").c_str(), std::to_string(pool.connections));
      add((whose + "upstream busy").c_str(), std::to_string(pool.busy));
      add((whose + "upstream statements").c_str(), std::to_string(pool.statements));
    }
    add("audit records lost", std::to_string(shared.records().lost()));
  }
  session.write(rows, out);
  co_return;
}

}  // namespace dragoman::proxy
