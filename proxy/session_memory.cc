// What a session remembers between questions: the conversation, answers of a moment ago, how much was asked.
#include <fmt/format.h>

#include <algorithm>

#include "guard/tsql/characters.h"
#include "guard/tsql/printer.h"
#include "nlq/pipeline_text.h"
#include "nlq/text_tokens.h"
#include "proxy/question_text.h"
#include "proxy/session.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {

using std::chrono::steady_clock;

namespace {
// Of an answer that a session holds for questions about it: there may be thousands of sessions.
constexpr std::size_t discussed_bytes_max = 128 * 1024;
}  // namespace

bool gateway_session::admit_question(const std::string& question, response& out) {
  // Before anybody takes it apart, and before its text is kept anywhere: a request may bring megabytes.
  if (const std::size_t most = shared_.settings().nlq.question_chars_max; nlq::code_points(question) > most) {
    record_.question = question.substr(0, tsql::utf8_prefix(question, most)) + "…";
    fail(failure(errc::rejected, nlq::text::question_too_long(nlq::language_of(record_.question), most)), out);
    return false;
  }
  const auto wait = shared_.budget().take(view().name, steady_clock::now());
  if (wait.count() == 0) return true;
  fail(failure(errc::rate_limited, nlq::text::too_many_questions(nlq::language_of(question), wait)), out);
  return false;
}

// ---- the conversation -----------------------------------------------------------------------------------------------

// Programs that open a connection for each request are the same client as long as they say the same of themselves.
std::string gateway_session::client_name() const {
  return login_.application + "\n" + login_.host;
}

std::optional<history_entry> gateway_session::last_question() const {
  return asked_ ? asked_ : shared_.notes().last(who_.login);
}

std::vector<nlq::attempt> gateway_session::last_attempts() const {
  return asked_ ? tried_ : shared_.notes().attempts(who_.login);
}

void gateway_session::forget_talk() {
  talk_ = {};
  talk_source_ = current_;
  talk_last_sql_.clear();
  turns_.clear();
  unclear_.clear();
  last_answer_.reset();
}

void gateway_session::forget_conversation() {
  forget_talk();
  restored_ = true;  // what the store has is forgotten too
  if (shared_.settings().nlq.memory.count() > 0) shared_.notes().forget_conversation(who_.login, client_name());
}

void gateway_session::restore_conversation() {
  if (restored_) return;
  restored_ = true;
  const auto memory = shared_.settings().nlq.memory;
  if (memory.count() == 0 || !talk_.last_question.empty()) return;
  const auto kept = shared_.notes().conversation(who_.login, client_name());
  if (!kept || kept->turns.empty() || std::chrono::system_clock::now() - kept->time > memory) return;
  const auto source = kept->source.empty() ? std::optional<std::size_t>(0) : shared_.find_source(kept->source);
  if (!source || (*source > 0 && view().shares[*source].empty())) return;
  if (!login_.database.empty() && *source != current_) return;  // whoever names a database means that one
  const auto known = shared_.source(*source).knowledge(view());
  // The questions are understood once more rather than their meaning stored: rights and layer may have changed since.
  nlq::conversation replayed;
  std::string sql;
  for (const conversation_turn& turn : kept->turns) {
    replayed.last_question = turn.question;
    sql.clear();
    if (!known) continue;
    const auto said = understand_for(known, view(), *source, turn.day, replayed)(turn.question);
    const auto* query = std::get_if<nlq::understood_query>(&said);
    if (const auto* unbounded = std::get_if<nlq::needs_confirmation>(&said)) query = &unbounded->query;
    if (query != nullptr) {
      replayed.last = query->intent;
      sql = tsql::print(query->select);
    } else {
      replayed.last.reset();
    }
  }
  talk_ = std::move(replayed);
  talk_source_ = *source;
  talk_last_sql_ = std::move(sql);
  turns_ = kept->turns;
}

bool gateway_session::goes_on_after_clarification(const std::string& question) const {
  if (unclear_.empty()) return false;
  const bool cased = here().database().case_sensitive();
  if (nlq::question_form(question, cased) == unclear_) return true;
  return std::any_of(talk_.pending.begin(), talk_.pending.end(),
                     [&](const nlq::clarify_option& o) { return o.value == question; });
}

void gateway_session::note_turn(const nlq::report& report, const std::string& question) {
  if (report.end != nlq::terminal::clarification && report.end != nlq::terminal::answered) return;
  if (report.path == nlq::answer_path::previous || report.general) return;  // the conversation stands where it stood
  // A question about another source begins a conversation of its own.
  if (const std::size_t source = shared_.source_of(report.source).number(); source != talk_source_) {
    forget_talk();
    talk_source_ = source;
  }
  if (report.end == nlq::terminal::clarification) {
    talk_.clarify_rounds = goes_on_after_clarification(question) ? talk_.clarify_rounds + 1 : 1;
    talk_.pending = report.choices;
    unclear_ = nlq::question_form(question, here().database().case_sensitive());
    return;
  }
  const bool goes_on = !report.fresh && report.intent && !turns_.empty();
  talk_.last = report.intent;
  talk_.last_question = question;
  talk_last_sql_ = report.asked_sql;
  last_answer_.reset();
  if (answered_ && answered_->bytes() <= discussed_bytes_max) last_answer_ = std::move(answered_);
  answered_.reset();
  talk_.pending.clear();
  talk_.clarify_rounds = 0;
  unclear_.clear();
  if (!goes_on) turns_.clear();
  turns_.push_back({question, shared_.time().today()});
  if (turns_.size() > limits::conversation_turns_kept) turns_.clear();  // its beginning is lost: nothing to go on from
  if (shared_.settings().nlq.memory.count() > 0)
    shared_.notes().set_conversation(who_.login, client_name(),
                                     {std::chrono::system_clock::now(), turns_, report.source});
}

// ---- the last answer ------------------------------------------------------------------------------------------------

std::optional<nlq::discussed> gateway_session::about_last_answer(const std::string& question, nlq::ask_mode mode,
                                                                 std::optional<std::size_t> source) const {
  if (!last_answer_ || last_answer_->report.capped || mode == nlq::ask_mode::sql) return std::nullopt;
  if (source && *source != talk_source_) return std::nullopt;
  if (!talk_.pending.empty() || !nlq::may_discuss(question)) return std::nullopt;  // "the first one" of the choices
  const cached_answer& answer = *last_answer_;
  if (answer.rows() > limits::discussed_rows_max) return std::nullopt;
  nlq::last_result last;
  for (const result_column& column : answer.columns)
    last.rows.columns.push_back({column.name, is_numeric(column.type.id)});
  const std::size_t width = answer.columns.size();
  for (std::size_t at = 0; at + width <= answer.values.size() && width > 0; at += width) {
    last.rows.rows.emplace_back();
    for (std::size_t c = 0; c < width; ++c) {
      const sql_value& value = answer.values[at + c];
      last.rows.rows.back().push_back(is_null(value)
                                          ? nlq::result_head::cell{"", true}
                                          : nlq::result_head::cell{value_text(value, answer.columns[c].type), false});
    }
  }
  last.rows.complete = true;
  last.intent = answer.report.intent;
  if (const auto& layer = shared_.source(talk_source_).semantics(); layer && last.intent)
    last.additive = nlq::measures_add_up(*last.intent, *layer);
  last.question = talk_.last_question;
  last.interpretation = answer.report.interpretation;
  last.assumptions = answer.report.assumptions;
  last.sql = answer.pretty_sql;
  return nlq::discuss(question, last);
}

// ---- answers of a moment ago ----------------------------------------------------------------------------------------

std::vector<std::string> gateway_session::cache_keys(const std::string& question, nlq::ask_mode mode,
                                                     std::optional<std::size_t> source) const {
  if (!shared_.answers().enabled() || !options_.cache || mode == nlq::ask_mode::sql) return {};
  // A question that waits for a choice means what its choices say.
  if (!talk_.pending.empty()) return {};
  const catalog::database& database = here().database();
  answer_key key;
  key.question = nlq::question_form(question, database.case_sensitive());
  key.mode = mode;
  key.scope = view().scope;
  key.source = source ? shared_.source(*source).name() : "any, from " + here().name();
  key.version = shared_.version();
  key.today = shared_.time().today();
  for (const auto& [name, value] : settings_.values()) key.session_options += name + "=" + value + ";";
  if (talk_.last_question.empty()) return {key.text()};
  // A question that stands alone is answered alike after any other; one that goes on, only after the same. What looks
  // like going on ("and total sales in 1402") stands alone where nothing was understood before.
  // The source of the conversation is tried first, whoever else knows the words.
  key.source += ", after " + shared_.source(talk_source_).name();
  answer_key alone = key;
  alone.conversation = !talk_.last                   ? "after no meaning"
                       : talk_.last->periods.empty() ? "after a question"
                                                     : "after a period";
  key.conversation = nlq::question_form(talk_.last_question, database.case_sensitive()) + "\n" + talk_last_sql_;
  for (const conversation_turn& turn : turns_) key.conversation += "\n" + turn.question;
  return {alone.text(), key.text()};
}

void gateway_session::keep_answer(const nlq::report& report, const std::vector<std::string>& keys) {
  std::optional<cached_answer> kept = std::move(kept_);
  kept_.reset();
  answered_.reset();
  if (!kept || report.end != nlq::terminal::answered || !report.executed || kept->rows() != report.rows) return;
  kept->report = report;
  kept->report.model_calls = 0;
  kept->report.tokens = {};
  kept->pretty_sql = pretty_sql(report.sql);
  kept->shrink_to_fit();
  const auto now = steady_clock::now();
  kept->made = now;
  answered_ = std::make_shared<const cached_answer>(std::move(*kept));
  if (keys.empty() || depends_on_the_moment(report.sql)) return;
  if (report.path != nlq::answer_path::semantic_layer && report.path != nlq::answer_path::model) return;
  // The first key is that of questions that stand alone, where there are two.
  const std::string& key = keys.size() > 1 && !report.fresh ? keys[1] : keys[0];
  shared_.answers().put(key, answered_, now);
}

awaitable<void> gateway_session::write_cached(cached_answer_ptr hit, const std::string& question, nlq::ask_mode mode,
                                              response& out) {
  nlq::report report = hit->report;
  report.cached = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - hit->made);
  write_messages_before(report.interpretation, hit->pretty_sql, out);
  out.columns(hit->columns);
  const std::size_t width = hit->columns.size();
  for (std::size_t at = 0; at + width <= hit->values.size() && width > 0; at += width) {
    out.row(std::span<const sql_value>(hit->values.data() + at, width));
    if (out.flush_due()) co_await out.flush_if_needed();
  }
  rows_ += hit->rows();
  answered_ = std::move(hit);
  write_outcome(report, question, mode, out);
  remember(report, question);
}

}  // namespace dragoman::proxy
