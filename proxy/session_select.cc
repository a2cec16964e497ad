// SELECT: questions in FROM are put in, the guard decides, the warehouse or the sandbox answers.
#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "guard/catalog/names.h"
#include "guard/tsql/walk.h"
#include "nlq/pipeline_text.h"
#include "proxy/lent_relay.h"
#include "proxy/one_shot.h"
#include "proxy/session.h"

namespace dragoman::proxy {
namespace {

using std::chrono::steady_clock;

bool is_nlq(const tsql::object_name& name) {
  return name.server.empty() && catalog::same_name(name.schema.value, "nlq");
}

// A question in FROM: the place in the tree and what it asks.
struct question_place {
  tsql::table_source* source = nullptr;
  const tsql::expression* question = nullptr;  // of nlq.ask(…)
  std::string saved;                           // of nlq.[name]
  tsql::table_alias alias;
};

struct question_finder {
  std::vector<question_place> found;
  bool enter(tsql::table_source& source) {
    if (const auto* function = source.as<tsql::function_table>()) {
      const auto* call = function->call ? std::get_if<tsql::function_call>(&function->call->node) : nullptr;
      if (call != nullptr && is_nlq(call->name) && catalog::same_name(call->name.name.value, "ask"))
        found.push_back({&source, call->arguments.empty() ? nullptr : &call->arguments.front(), {}, function->alias});
    } else if (const auto* table = source.as<tsql::named_table>()) {
      if (is_nlq(table->name)) found.push_back({&source, nullptr, table->name.name.value, table->alias});
    }
    return true;
  }
};

// Which of the columns are no plain columns of a table. Empty where that cannot be told from the SELECT list alone.
std::vector<bool> computed_columns(const tsql::select_statement& statement, std::size_t width) {
  const tsql::query_specification* body = statement.query.specification();
  if (body == nullptr) return {};
  const auto is_star = [](const tsql::select_item& item) { return item.as<tsql::select_star>() != nullptr; };
  const auto stars = std::count_if(body->items.begin(), body->items.end(), is_star);
  if (stars > 1 || body->items.size() > width + 1 || (stars == 0 && body->items.size() != width)) return {};
  std::vector<bool> out;
  for (const tsql::select_item& item : body->items) {
    const auto* value = item.as<tsql::select_expression>();
    if (value == nullptr)
      out.resize(out.size() + width + 1 - body->items.size(), false);
    else
      out.push_back(!std::holds_alternative<tsql::column_ref>(value->value.node));
  }
  return out;
}

// schema.table becomes database.schema.table. False: there is a name without a schema that is no common table
// expression; in another database it could mean another table.
struct table_qualifier {
  const std::string& database;
  const std::vector<std::string>& expressions;
  bool complete = true;
  bool enter(tsql::table_source& source) {
    auto* table = source.as<tsql::named_table>();
    if (table == nullptr) return true;
    if (table->name.schema.empty())
      complete = complete && table->name.database.empty() &&
                 std::any_of(expressions.begin(), expressions.end(),
                             [&](const std::string& e) { return catalog::same_name(e, table->name.name.value); });
    else if (table->name.database.empty())
      table->name.database.value = database;
    return true;
  }
};

bool qualify_tables(tsql::select_statement& statement, const std::string& database) {
  std::vector<std::string> expressions;
  for (const auto& cte : statement.ctes) expressions.push_back(cte.name.value);
  table_qualifier qualifier{database, expressions};
  tsql::walk(statement, qualifier);
  return qualifier.complete;
}

// Whatever happens, nothing that is gone is interrupted.
struct scoped_interrupt {
  explicit scoped_interrupt(std::function<void()>& i) : interrupt(i) {}
  scoped_interrupt(const scoped_interrupt&) = delete;
  scoped_interrupt& operator=(const scoped_interrupt&) = delete;
  ~scoped_interrupt() { interrupt = nullptr; }
  std::function<void()>& interrupt;
};

}  // namespace

upstream::statement gateway_session::upstream_statement(std::string sql, std::uint64_t row_cap) const {
  upstream::statement out;
  out.sql = std::move(sql);
  out.row_cap = row_cap;
  out.timeout = shared_.settings().server.query_timeout;
  out.settings = settings_;
  return out;
}

awaitable<upstream::outcome> gateway_session::relay(upstream::pool& warehouse, upstream::statement statement,
                                                    std::shared_ptr<head_collector> head, response& out,
                                                    std::vector<bool> computed) {
  const auto begun = steady_clock::now();
  // A cancel that came already is the pool's to deal with.
  if (!head && !interrupted_ && !out.diverted()) {
    if (auto lent = warehouse.try_lease(statement)) {
      lent_relay here(std::move(*lent), out, computed);
      interrupt_ = [&here] { here.interrupt(); };
      const scoped_interrupt until_done(interrupt_);
      std::optional<upstream::outcome> outcome = co_await here.run(statement);
      if (outcome) {
        note_outcome(*outcome, begun);
        co_return std::move(*outcome);
      }
    }
  }
  auto sink = out.open_rows();
  one_shot<upstream::outcome> end(co_await boost::asio::this_coro::executor);
  const upstream::handle handle = warehouse.execute(
      std::move(statement), std::make_shared<sink_receiver>(sink, std::move(head), std::move(computed)),
      [sink, put = end.put()](upstream::outcome outcome) mutable {
        sink->close();
        put(std::move(outcome));
      });
  interrupt_ = [&warehouse, handle] { warehouse.cancel(handle); };
  if (interrupted_) interrupt_();
  co_await out.relay(*sink);
  upstream::outcome outcome = co_await end.take();
  interrupt_ = nullptr;
  note_outcome(outcome, begun);
  co_return outcome;
}

void gateway_session::note_outcome(const upstream::outcome& outcome, steady_clock::time_point begun) {
  rows_ += outcome.rows;
  note_timing("upstream", begun);
  record_.timings.push_back({"lease", outcome.lease_time.count()});
  record_.timings.push_back({"first_row", outcome.first_time.count()});
}

awaitable<upstream::outcome> gateway_session::fetch(upstream::pool& warehouse, upstream::statement statement,
                                                    std::shared_ptr<upstream::value_table> into) {
  one_shot<upstream::outcome> end(co_await boost::asio::this_coro::executor);
  const auto handle = warehouse.execute(std::move(statement), std::move(into),
                                        [put = end.put()](upstream::outcome o) mutable { put(std::move(o)); });
  interrupt_ = [&warehouse, handle] { warehouse.cancel(handle); };
  if (interrupted_) interrupt_();
  upstream::outcome outcome = co_await end.take();
  interrupt_ = nullptr;
  co_return outcome;
}

failure gateway_session::presentable(const upstream::outcome& outcome, bool has_row_filter) {
  failure shown = *outcome.error;
  // A conversion or overflow text quotes values, and with a row filter they may be of rows that are not this person's.
  if (has_row_filter && shown.code == errc::upstream_error && outcome.error_id.empty()) {
    log::warn("request {}: the warehouse said: {}", record_.id, shown.message);
    shown.message = fmt::format("The warehouse could not run this statement (request {}).", record_.id);
  }
  return shown;
}

awaitable<bool> gateway_session::forward(const guard::verdict& verdict, std::vector<bool> computed, bool browse,
                                         response& out) {
  record_.path = "guard";
  record_.source = verdict.datasource;
  record_.sql.push_back(verdict.printed);
  for (const std::string& table : verdict.tables)
    if (std::find(record_.tables.begin(), record_.tables.end(), table) == record_.tables.end())
      record_.tables.push_back(table);
  upstream::statement statement = upstream_statement(verdict.printed, verdict.row_cap);
  for (const std::string& name : verdict.parameters)
    if (const sandbox::parameter* value = find_variable(name))
      statement.parameters.push_back({name, value->type, value->value});
  if (implicit_transactions_ && transaction_count() == 0) begin_transaction(out);
  forwarded_ = verdict.printed;
  if (browse) {
    std::vector<result_column> columns;
    for (const guard::output_column& c : verdict.columns) columns.push_back({c.name, c.type, c.nullable});
    out.browse(browse_of(verdict.printed, columns));
  }
  const upstream::outcome outcome = co_await relay(shared_.source_of(verdict.datasource).warehouse(),
                                                   std::move(statement), nullptr, out, std::move(computed));
  for (const upstream::message& message : outcome.messages) out.info(message.number, 0, message.text);
  if (options_.messages)
    for (const std::string& notice : verdict.notices) out.info(0, 0, notice);
  // The cap stands in the SQL too, so the warehouse sends no row beyond it.
  if (outcome.rows_cut || (!outcome.error && verdict.row_cap != 0 && outcome.rows >= verdict.row_cap))
    out.info(0, 0,
             fmt::format("The result ends after {} rows, the limit of this login; there may be more.", outcome.rows));
  if (outcome.error) {
    fail(presentable(outcome, verdict.has_row_filter), out);
    out.done(tds::command::select, std::nullopt);
    co_return false;
  }
  out.done(tds::command::select, no_count_ ? std::nullopt : std::optional(outcome.rows));
  co_return true;
}

awaitable<bool> gateway_session::answer_at_home(const tsql::select_statement& statement, response& out) {
  if (record_.path == "none") record_.path = "sandbox";
  sandbox::engine* engine = home(&out);
  if (engine == nullptr) co_return false;
  // Its own thread: a cross join of catalogue views may take its time, and other sessions share ours.
  auto sink = out.open_rows();
  using ended = result<std::uint64_t>;
  one_shot<ended> end(co_await boost::asio::this_coro::executor);
  shared_.run_aside([engine, sink, &statement, values = variables_, put = end.put()]() mutable {
    ended outcome = std::uint64_t{0};
    auto cursor = engine->prepare(statement, values);
    if (!cursor) {
      outcome = cursor.error();
    } else {
      sink->columns(cursor->columns());
      std::vector<sql_value> row(cursor->columns().size());
      while (true) {
        const auto more = cursor->next(row);
        if (!more) {
          outcome = more.error();
          break;
        }
        if (!*more) break;
        ++*outcome;
        if (!sink->row(row)) break;
      }
    }
    sink->close();
    put(std::move(outcome));
  });
  interrupt_ = [engine] { engine->interrupt(); };
  co_await out.relay(*sink);
  const ended outcome = co_await end.take();
  interrupt_ = nullptr;
  if (!outcome) {
    fail(outcome.error(), out);
    out.done(tds::command::select, std::nullopt);
    co_return false;
  }
  rows_ += *outcome;
  engine->facts().rowcount = static_cast<std::int64_t>(*outcome);
  out.done(tds::command::select, no_count_ ? std::nullopt : std::optional(*outcome));
  co_return true;
}

awaitable<bool> gateway_session::inline_questions(tsql::select_statement& statement, response& out) {
  question_finder finder;
  tsql::walk(statement, finder);
  for (question_place& place : finder.found) {
    std::string question;
    if (place.question != nullptr) {
      const auto value = evaluate(*place.question);
      if (!value || !std::holds_alternative<std::string>(*value)) {
        fail(failure(errc::bad_argument, "nlq.ask takes one question: SELECT … FROM nlq.ask(N'question') AS a."), out);
        co_return false;
      }
      question = std::get<std::string>(*value);
    } else {
      const auto saved = shared_.notes().find_saved(who_.login, place.saved);
      if (!saved) {
        failure unknown(errc::unknown_table, fmt::format("Invalid object name 'nlq.{}'.", place.saved));
        fail(unknown, out);
        co_return false;
      }
      question = saved->question;
    }
    if (!admit_question(question, out)) co_return false;
    record_.question = question;
    restore_conversation();
    auto environment = make_environment();
    environment->estimate = shared_.settings().nlq.cost.wanted();
    const nlq::cost_thresholds costs = environment->costs;
    nlq::pipeline pipeline(std::move(environment), question, nlq::ask_mode::sql);
    nlq::action first = pipeline.start();
    co_await drive(pipeline, std::move(first), nullptr);
    const nlq::report& report = pipeline.report();
    account(report);
    if (report.end != nlq::terminal::answered || report.sql.empty()) {
      failure why(report.end == nlq::terminal::answered ? errc::out_of_scope : report.code,
                  report.message.empty() ? "This question has no table for an answer." : report.message);
      fail(why, out);
      co_return false;
    }
    if (report.cost_known && costs.is_high(report.estimated_cost, report.estimated_rows)) {
      fail(failure(errc::too_complex, nlq::text::too_costly(report.lang, report.estimated_cost, report.estimated_rows)),
           out);
      co_return false;
    }
    if (options_.messages && !report.interpretation.empty()) out.info(0, 0, report.interpretation);
    for (const std::string& notice : report.notices) out.info(0, 0, notice);
    tsql::select_statement answer = approved_;
    // Its names are of the source that answered; the statement's are of the session's database.
    if (const data_source& from = shared_.source_of(report.source);
        from.number() != current_ && !qualify_tables(answer, from.database().name)) {
      fail(failure(errc::not_available, fmt::format("In FROM this question can be asked in its own database: USE {}.",
                                                    from.database().name)),
           out);
      co_return false;
    }
    if (!answer.ctes.empty()) {
      // A derived table has no WITH of its own: the question's expressions move up to the statement.
      for (auto& cte : answer.ctes) statement.ctes.push_back(std::move(cte));
    }
    // ORDER BY in a derived table is an error unless it decides which rows there are.
    const tsql::query_specification* body = answer.query.specification();
    if (!answer.query.offset && (body == nullptr || !body->top)) answer.query.order_by.clear();
    tsql::table_alias alias = place.alias;
    if (alias.name.empty()) alias.name.value = place.saved.empty() ? "answer" : place.saved;
    place.source->node = tsql::derived_table{std::move(answer.query), std::move(alias)};
  }
  co_return true;
}

awaitable<gateway_session::flow> gateway_session::run_select(const tsql::select_statement& given, response& out) {
  tsql::select_statement statement = given;
  std::string key = std::exchange(statement_key_, {});
  const bool had_questions = [&] {
    question_finder finder;
    tsql::walk(statement, finder);
    return !finder.found.empty();
  }();
  if (had_questions && !co_await inline_questions(statement, out)) co_return flow::stop;

  // The clause asks for the tables of the columns, which is the gateway's to tell; the rows are those of the SELECT.
  const bool for_browse = statement.query.for_ && std::holds_alternative<tsql::for_browse>(*statement.query.for_);
  if (for_browse) statement.query.for_ = {};
  const bool browse = browse_ || for_browse;

  if (format_only_ && !sandbox::assigns_variables(statement))
    co_return co_await answer_format_only(statement, browse, out) ? flow::next : flow::stop;
  if (sandbox::assigns_variables(statement))
    co_return co_await assign_from(std::move(statement), out) ? flow::next : flow::stop;

  if (reads_table_variables(statement)) co_return co_await answer_at_home(statement, out) ? flow::next : flow::stop;
  const auto begun = steady_clock::now();
  const guard::verdict verdict = guard::check(statement, *view().policy, check_options());
  note_timing("guard", begun);
  switch (verdict.kind) {
    case guard::verdict_kind::refuse:
      record_.path = "guard";
      refuse(verdict, out);
      out.done(tds::command::select, std::nullopt);
      co_return flow::stop;
    case guard::verdict_kind::accept:
      if (verdict.reads_tables) {
        std::vector<bool> computed = computed_columns(statement, verdict.columns.size());
        if (!had_questions && !browse)
          shared_.statements().put(std::move(key),
                                   std::make_shared<const approved_statement>(approved_statement{verdict, computed}));
        co_return co_await forward(verdict, std::move(computed), browse, out) ? flow::next : flow::stop;
      }
      [[fallthrough]];
    case guard::verdict_kind::local: break;
  }
  co_return co_await answer_at_home(statement, out) ? flow::next : flow::stop;
}

// SELECT @a = x, @b = y FROM …: the values of the last row, as SQL Server does it.
awaitable<bool> gateway_session::assign_from(tsql::select_statement statement, response& out) {
  const tsql::select_statement given = statement;
  auto* body = statement.query.specification();
  std::vector<std::string> targets;
  for (tsql::select_item& item : body->items) {
    auto* assignment = item.as<tsql::select_assignment>();
    if (assignment == nullptr || assignment->op != tsql::assignment_operator::assign) {
      failure mixed(errc::syntax, "A SELECT that assigns variables may do nothing else.");
      mixed.number = 141;
      fail(mixed, out);
      co_return false;
    }
    if (find_variable(assignment->variable) == nullptr) {
      failure unknown(errc::syntax, fmt::format("Must declare the scalar variable \"{}\".", assignment->variable));
      unknown.number = 137;
      fail(unknown, out);
      co_return false;
    }
    targets.push_back(assignment->variable);
    item.node = tsql::select_expression{std::move(assignment->value), {}};
  }
  const guard::verdict verdict = guard::check(statement, *view().policy, check_options());
  if (verdict.kind == guard::verdict_kind::refuse) {
    refuse(verdict, out);
    co_return false;
  }
  std::vector<sql_value> last;
  if (verdict.kind == guard::verdict_kind::accept && verdict.reads_tables) {
    record_.path = "guard";
    record_.source = verdict.datasource;
    record_.sql.push_back(verdict.printed);
    upstream::statement query = upstream_statement(verdict.printed, verdict.row_cap);
    for (const std::string& name : verdict.parameters)
      if (const sandbox::parameter* value = find_variable(name))
        query.parameters.push_back({name, value->type, value->value});
    auto table = std::make_shared<upstream::value_table>();
    const upstream::outcome outcome =
        co_await fetch(shared_.source_of(verdict.datasource).warehouse(), std::move(query), table);
    if (outcome.error) {
      fail(presentable(outcome, verdict.has_row_filter), out);
      co_return false;
    }
    if (!table->rows.empty()) last = std::move(table->rows.back());
  } else {
    const auto done =
        with_variables<std::int64_t>([&](sandbox::batch_state& state) { return state.assign_from(given); });
    if (!done) {
      fail(done.error(), out);
      co_return false;
    }
  }
  for (std::size_t i = 0; i < last.size() && i < targets.size(); ++i) find_variable(targets[i])->value = last[i];
  out.done(tds::command::select, std::nullopt);
  co_return true;
}

}  // namespace dragoman::proxy
