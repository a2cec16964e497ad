// Questions: carries out what the pipeline asks for, and tells the client how it ended.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/log.h"
#include "guard/tsql/parser.h"
#include "proxy/one_shot.h"
#include "proxy/question_text.h"
#include "proxy/session.h"

namespace dragoman::proxy {
namespace {

using std::chrono::steady_clock;

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count();
}

nlq::ran not_run(failure why) {
  nlq::ran out;
  out.reason = why.code;
  out.number = why.number;
  out.message = std::move(why.message);
  return out;
}

std::string path_name(nlq::answer_path path) {
  switch (path) {
    case nlq::answer_path::semantic_layer: return "semantic";
    case nlq::answer_path::model: return "model";
    case nlq::answer_path::catalogue: return "catalogue";
    case nlq::answer_path::given: return "given";
    case nlq::answer_path::previous: return "previous";
    case nlq::answer_path::none: break;
  }
  return "none";
}

std::string name_of_turn(nlq::turn kind) {
  switch (kind) {
    case nlq::turn::refine: return "refine";
    case nlq::turn::drill_down: return "drill_down";
    case nlq::turn::fresh: break;
  }
  return "fresh";
}

}  // namespace

nlq::source_view gateway_session::view_of(data_source& from) {
  nlq::source_view source;
  source.name = from.name();
  const day_number today = shared_.time().today();
  prompt_shelf::entry told = from.told(view());
  const bool goes_on = from.number() == talk_source_;
  if (auto known = from.knowledge(view())) {
    source.layer = from.semantics();
    if (told.plan != nullptr) {
      source.plan = told.plan;
      source.read_plan = [known, plan = told.plan, today](std::string_view json, nlq::language lang) {
        return nlq::query_of_frame(json, *plan, *known, lang, today);
      };
    }
    source.understand =
        understand_for(std::move(known), view(), from.number(), today, goes_on ? talk_ : nlq::conversation());
  } else {
    source.understand = [](std::string_view) { return nlq::understanding(nlq::needs_model{}); };
  }
  source.prompt = std::move(told.prompt);
  if (goes_on && !talk_.last_question.empty()) source.conversation = talk_.last_question + "\n" + talk_last_sql_;
  return source;
}

// The source of the conversation is tried first, then that of the current database, then the others in their order. A
// principal is not asked about a source of which it may read nothing, unless there is no other.
std::shared_ptr<nlq::environment> gateway_session::make_environment(std::optional<std::size_t> only) {
  auto environment = std::make_shared<nlq::environment>();
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t number) {
    if (std::find(order.begin(), order.end(), number) == order.end()) order.push_back(number);
  };
  if (only) {
    add(*only);
  } else {
    if (!talk_.last_question.empty() || !talk_.pending.empty()) add(talk_source_);
    add(current_);
    for (std::size_t i = 0; i < shared_.sources().size(); ++i) add(i);
    if (order.size() > 1) std::erase_if(order, [&](std::size_t i) { return view().shares[i].empty(); });
    if (order.empty()) add(current_);
  }
  for (const std::size_t number : order) {
    environment->sources.push_back(view_of(shared_.source(number)));
    environment->has_model = environment->has_model || environment->sources.back().prompt != nullptr;
  }
  environment->has_model = environment->has_model && shared_.model() != nullptr;
  const nlq_config& asking = shared_.settings().nlq;
  environment->generate = shared_.settings().llm.mode;
  environment->insight = shared_.settings().llm.insight;
  // What nobody will read is not asked for.
  if (environment->insight == nlq::insight_by::model && !options_.messages)
    environment->insight = nlq::insight_by::templates;
  environment->insight_time = shared_.settings().llm.insight_timeout;
  environment->today = shared_.time().today();
  environment->row_cap = view().policy->row_cap_generated;
  environment->corrections_max = asking.corrections_max;
  environment->clarify_rounds_max = asking.clarify_rounds_max;
  environment->costs = {asking.cost.notice, asking.cost.confirm, asking.cost.confirm_rows};
  environment->milliseconds_now = milliseconds_now;
  return environment;
}

awaitable<void> gateway_session::ask(std::string question, nlq::ask_mode mode, std::optional<std::size_t> source,
                                     response& out) {
  if (!admit_question(question, out)) co_return;
  record_.question = question;
  restore_conversation();
  std::optional<nlq::discussed> previous = about_last_answer(question, mode, source);
  // What the rows of this session say is nobody else's answer.
  const std::vector<std::string> keys = previous ? std::vector<std::string>() : cache_keys(question, mode, source);
  if (!keys.empty())
    if (cached_answer_ptr hit = shared_.answers().find(keys, steady_clock::now())) {
      co_await write_cached(std::move(hit), question, mode, out);
      co_return;
    }
  kept_.reset();
  keep_rows_ = mode != nlq::ask_mode::sql && !previous;
  auto environment = make_environment(previous ? std::optional(talk_source_) : source);
  environment->previous = std::move(previous);
  environment->estimate = mode == nlq::ask_mode::sql || shared_.settings().nlq.cost.wanted();
  if (goes_on_after_clarification(question))
    environment->clarify_rounds = static_cast<unsigned>(std::max(talk_.clarify_rounds, 0));
  nlq::pipeline pipeline(std::move(environment), question, mode);
  nlq::action first = pipeline.start();
  co_await drive(pipeline, std::move(first), &out);
  keep_rows_ = false;
  keep_answer(pipeline.report(), keys);
  write_outcome(pipeline.report(), question, mode, out);
  remember(pipeline.report(), question);
}

awaitable<void> gateway_session::run_confirmed(pending_confirmation pending, response& out) {
  record_.question = pending.question;
  kept_.reset();
  keep_rows_ = true;
  nlq::pipeline pipeline(make_environment(shared_.find_source(pending.source)), pending.question,
                         nlq::ask_mode::result);
  nlq::action first = pipeline.start_given(pending.sql, pending.interpretation, true);
  co_await drive(pipeline, std::move(first), &out);
  keep_rows_ = false;
  keep_answer(pipeline.report(), {});
  write_outcome(pipeline.report(), pending.question, nlq::ask_mode::result, out);
  remember(pipeline.report(), pending.question);
}

// `out` is null where nothing is run (the question stands in FROM).
awaitable<void> gateway_session::drive(nlq::pipeline& pipeline, nlq::action action, response* out) {
  while (!std::holds_alternative<nlq::finish>(action)) {
    nlq::pipeline_event event;
    if (interrupted_ || (out != nullptr && out->cancelled())) {
      event = nlq::interrupted{};
    } else if (const auto* model = std::get_if<nlq::call_model>(&action)) {
      if (model->attempt == 0 && out != nullptr) {
        rows_told_ = steady_clock::now();
        co_await out->flush();
      }
      nlq::model_answered answered = co_await call_model(*model);
      event = std::move(answered);
    } else if (const auto* text = std::get_if<nlq::embed_question>(&action)) {
      nlq::embedded vector = co_await embed(*text);
      event = std::move(vector);
    } else if (const auto* sql = std::get_if<nlq::check_sql>(&action)) {
      event = check(*sql);
    } else if (const auto* plan = std::get_if<nlq::estimate_cost>(&action)) {
      const nlq::estimated cost = co_await estimate(*plan);
      event = cost;
    } else if (const auto* statement = std::get_if<nlq::run_sql>(&action)) {
      if (out == nullptr)
        event = nlq::interrupted{};
      else {
        nlq::ran result = co_await run(*statement, pipeline.suggester(), *out);
        event = std::move(result);
      }
    }
    if (interrupted_) event = nlq::interrupted{};
    const auto begun = steady_clock::now();
    action = pipeline.resume(std::move(event));
    note_timing("question", begun);
  }
}

awaitable<nlq::model_answered> gateway_session::call_model(const nlq::call_model& action) {
  const auto begun = steady_clock::now();
  one_shot<llm::chat_result> answer(co_await boost::asio::this_coro::executor);
  llm::chat_request request;
  request.messages = action.messages;
  if (action.time_limit.count() > 0) request.time_limit = action.time_limit;
  request.json_schema = action.json_schema;
  request.grammar = action.grammar;
  const llm::call call = shared_.model()->submit(
      std::move(request), [put = answer.put()](llm::chat_result r) mutable { put(std::move(r)); });
  interrupt_ = [call] { call.cancel(); };
  if (interrupted_) interrupt_();
  // g++ 12 destroys a temporary twice when co_await stands inside an aggregate's braces.
  llm::chat_result reply = co_await answer.take();
  interrupt_ = nullptr;
  const bool about_rows = action.attempt == 0;
  note_timing(about_rows ? "insight" : "model", begun);
  if (!about_rows) record_.timings.push_back({"model_first_byte", reply.first_byte.count() * 1000});
  if (reply.status == llm::call_status::ok && !about_rows) {
    const auto seen = shared_.replies().judge(record_.question, reply.text, reply.elapsed);
    record_.suspected = record_.suspected || seen.suspected;
    if (seen.first_of_streak)
      log::warn("request {}: the model server gave the statement of another question in {} ms: does it cache?",
                record_.id, reply.elapsed.count());
  }
  if (!reply.error.empty()) log::warn("request {}: model: {}", record_.id, reply.error);
  nlq::model_answered out;
  out.result = std::move(reply);
  co_return out;
}

awaitable<nlq::embedded> gateway_session::embed(const nlq::embed_question& action) {
  one_shot<llm::embedding_result> answer(co_await boost::asio::this_coro::executor);
  llm::embedding_request request;
  request.texts = {action.text};
  const llm::call call = shared_.model()->submit(
      std::move(request), [put = answer.put()](llm::embedding_result r) mutable { put(std::move(r)); });
  interrupt_ = [call] { call.cancel(); };
  llm::embedding_result vectors = co_await answer.take();
  interrupt_ = nullptr;
  if (vectors.status == llm::call_status::ok && !vectors.vectors.empty())
    for (const auto& source : shared_.sources()) source->note_question_vector(vectors.vectors[0].size());
  nlq::embedded out;
  out.result = std::move(vectors);
  co_return out;
}

nlq::checked gateway_session::check(const nlq::check_sql& action) {
  const auto begun = steady_clock::now();
  guard::check_options options;
  options.profile = guard::profile::generated;
  const data_source& from = shared_.source_of(action.source);
  options.database = from.database().name;
  const guard::verdict verdict = action.tree ? guard::check(*action.tree, *view().policy, options)
                                             : guard::check(action.text, *view().policy, options);
  note_timing("guard", begun);
  nlq::checked out;
  out.accepted = verdict.kind == guard::verdict_kind::accept && verdict.reads_tables;
  out.printed = verdict.printed;
  out.tables = verdict.tables;
  if (out.accepted && verdict.datasource != from.name()) {  // it would run where it was not asked for
    out.accepted = false;
    out.reason = errc::cross_datasource;
    out.message = fmt::format("The statement reads {} and not {}.", verdict.datasource, from.name());
    return out;
  }
  if (out.accepted) {
    if (action.tree)
      approved_ = *action.tree;
    else if (auto parsed = tsql::parse_query(action.text))
      approved_ = std::move(*parsed);
  } else {
    out.reason = verdict.kind == guard::verdict_kind::refuse ? verdict.code : errc::system_object;
    out.message = verdict.kind == guard::verdict_kind::refuse ? verdict.message : "Only a SELECT on tables is allowed.";
  }
  return out;
}

awaitable<nlq::estimated> gateway_session::estimate(const nlq::estimate_cost& action) {
  const auto begun = steady_clock::now();
  using plan = std::optional<upstream::pool::estimate>;
  one_shot<plan> answer(co_await boost::asio::this_coro::executor);
  // The plan cannot be called back; whoever puts first is heard.
  auto put = std::make_shared<std::function<void(plan)>>(
      [once = std::make_shared<std::atomic_flag>(),
       sender = std::make_shared<one_shot<plan>::sender>(answer.put())](plan p) {
        if (!once->test_and_set()) (*sender)(p);
      });
  upstream::statement statement = upstream_statement(action.sql, 0);
  statement.timeout = statement.lease_timeout = shared_.settings().nlq.cost.timeout;
  shared_.source_of(action.source).warehouse().estimate_cost(std::move(statement), [put](plan p) { (*put)(p); });
  interrupt_ = [put] { (*put)(std::nullopt); };
  if (interrupted_) interrupt_();
  const plan known = co_await answer.take();
  interrupt_ = nullptr;
  note_timing("estimate", begun);
  co_return known ? nlq::estimated{true, known->cost, known->rows} : nlq::estimated{};
}

awaitable<nlq::ran> gateway_session::run(const nlq::run_sql& action, std::function<std::vector<std::string>()> suggest,
                                         response& out) {
  write_messages_before(action.interpretation, pretty_sql(action.sql), out);
  // Meanwhile the next questions are looked for. It is always waited for: it reads this session's conversation.
  one_shot<std::vector<std::string>> suggested(co_await boost::asio::this_coro::executor);
  const bool suggests = static_cast<bool>(suggest);
  if (suggests) shared_.run_soon([suggest = std::move(suggest), put = suggested.put()]() mutable { put(suggest()); });
  auto head =
      std::make_shared<head_collector>(keep_rows_ ? shared_.answers().settings().answer_bytes_max : std::size_t{0});
  const upstream::outcome outcome = co_await relay(shared_.source_of(action.source).warehouse(),
                                                   upstream_statement(action.sql, action.row_cap), head, out);
  std::vector<std::string> found;
  if (suggests) found = co_await suggested.take();
  if (outcome.error) {
    nlq::ran failed = not_run(presentable(outcome, true));
    failed.rows_sent = outcome.rows_begun;
    failed.rows = outcome.rows;
    co_return failed;
  }
  nlq::ran done;
  done.ok = true;
  done.rows = outcome.rows;
  done.rows_sent = true;
  // The cap stands in the SQL too, so the warehouse sends no row beyond it: as many rows as there may be are perhaps
  // not all.
  done.capped = outcome.rows_cut || (action.row_cap != 0 && outcome.rows >= action.row_cap);
  done.head = head->take(!done.capped);
  if (suggests) done.suggestions = std::move(found);
  if (auto values = head->take_values()) {
    kept_.emplace();
    kept_->columns = head->columns();
    kept_->values = std::move(*values);
  }
  co_return done;
}

void gateway_session::write_messages_before(std::string_view interpretation, std::string_view sql, response& out) {
  if (!options_.messages) return;
  if (!interpretation.empty()) out.info(0, 0, interpretation);
  if (!sql.empty()) out.info(0, 0, sql);
}

void gateway_session::write_messages_after(const nlq::report& report, response& out) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(rows_told_.value_or(steady_clock::now()) - started_)
          .count();
  rows_told_.reset();
  if (options_.messages) out.info(0, 0, source_line(report, milliseconds));
  for (const std::string& notice : report.notices) out.info(0, 0, notice);  // warnings are never silenced
  if (report.capped) out.info(0, 0, cut_line(report));
  if (!options_.messages) return;
  if (!report.insight.empty()) out.info(0, 0, report.insight);
  for (const std::string& suggestion : report.suggestions) out.info(0, 0, suggestion_line(suggestion, report.lang));
}

void gateway_session::write_outcome(const nlq::report& report, const std::string& question, nlq::ask_mode mode,
                                    response& out) {
  switch (report.end) {
    case nlq::terminal::answered:
      if (mode == nlq::ask_mode::sql) {
        write_messages_before(report.interpretation, {}, out);
        write(sql_result(report), out);
        return;
      }
      if (report.path == nlq::answer_path::catalogue || report.path == nlq::answer_path::previous) {
        if (options_.messages && !report.interpretation.empty()) out.info(0, 0, report.interpretation);
        if (options_.messages && !report.message.empty()) out.info(0, 0, report.message);
        write(catalogue_result(report), out);
        return;
      }
      // Messages stand between the rows and their DONE, so that the answer stays one result.
      write_messages_after(report, out);
      out.done(tds::command::select, report.rows);
      if (mode == nlq::ask_mode::full) write(attempts_result(report.attempts), out);
      return;
    case nlq::terminal::clarification:
      if (!report.message.empty()) out.info(0, 0, report.message);
      record_.verdict = "clarify";
      write(choices_result(report.choices), out);
      return;
    case nlq::terminal::confirmation: {
      record_.verdict = "confirm";
      pending_confirmation pending;
      pending.question = question;
      pending.sql = report.asked_sql;
      pending.interpretation = report.interpretation;
      pending.source = report.source;
      const auto token = shared_.notes().put_confirmation(who_.login, std::move(pending));
      if (!token) {
        fail(token.error(), out);
        return;
      }
      if (!report.message.empty()) out.info(0, 0, report.message);
      if (options_.messages) out.info(0, 0, confirm_line(*token, report.lang));
      write(confirmation_result(report, *token), out);
      return;
    }
    default: {
      failure why(report.code, report.message);
      why.number = report.number;
      record_.reason = std::string(name_of(report.cause));
      record_.error_number = why.error_number();
      record_.verdict = report.end == nlq::terminal::cancelled || report.end == nlq::terminal::timed_out  ? "cancelled"
                        : report.end == nlq::terminal::failed || report.end == nlq::terminal::model_error ? "failed"
                                                                                                          : "refuse";
      out.error(why);
      if (mode == nlq::ask_mode::full) write(attempts_result(report.attempts), out);
    }
  }
}

// Several questions may stand in one statement's FROM.
void gateway_session::account(const nlq::report& report) {
  if (!report.model.empty()) record_.model = report.model;
  record_.model_calls += report.model_calls;
  record_.prompt_tokens += report.tokens.prompt;
  record_.completion_tokens += report.tokens.completion;
  record_.cached_tokens += report.tokens.cached;
  record_.cost += shared_.budget().prices().of(report.tokens);
  if (report.model_calls > 0) shared_.budget().add_model_use(view().name, report.model_calls, report.tokens);
}

void gateway_session::remember(const nlq::report& report, const std::string& question) {
  record_.path = path_name(report.path);
  record_.source = report.source;
  if (report.intent) record_.turn = name_of_turn(report.kind);
  if (report.general) record_.turn = "general";
  if (!report.sql.empty()) record_.sql = {report.sql};
  record_.tables = report.tables;
  account(report);
  if (!report.insight_refused.empty())
    log::info("request {}: what the model said about the rows is not shown: {}", record_.id, report.insight_refused);
  record_.cached = report.cached.has_value();

  history_entry entry;
  entry.time = std::chrono::system_clock::now();
  entry.question = question;
  entry.outcome = std::string(name_of(report.end));
  entry.sql = report.sql;
  entry.rows = report.rows;
  entry.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - started_).count();
  asked_ = entry;
  tried_ = report.attempts;
  shared_.notes().add_history(who_.login, std::move(entry));
  shared_.notes().set_attempts(who_.login, report.attempts);

  note_turn(report, question);
}

}  // namespace dragoman::proxy
