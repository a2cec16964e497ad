#include "proxy/demo/warehouse_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <thread>

#include "guard/catalog/names.h"
#include "guard/tsql/parser.h"
#include "proxy/demo/bench_rows.h"
#include "proxy/demo/row_writer.h"
#include "proxy/sandbox/catalog_views.h"
#include "proxy/sandbox/convert.h"

namespace dragoman::demo {
namespace {

using catalog::same_name;
namespace asio = boost::asio;

failure numbered(errc code, std::int32_t number, std::string text) {
  failure f(code, std::move(text));
  f.number = number;
  return f;
}

// Waits, but not longer than the client does.
void pause(std::int64_t milliseconds, const std::atomic<bool>& cancelled, bool deaf) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < until && (deaf || !cancelled))
    std::this_thread::sleep_for(
        std::min<std::chrono::milliseconds>(std::chrono::milliseconds(10), std::chrono::milliseconds(milliseconds)));
}

}  // namespace

template <class F>
auto warehouse_session::aside(F work) -> awaitable<decltype(work())> {
  using T = decltype(work());
  running_ = true;
  T out = co_await asio::co_spawn(
      shared_.workers, [work = std::move(work)]() mutable -> asio::awaitable<T> { co_return work(); },
      asio::use_awaitable);
  running_ = false;
  co_return out;
}

warehouse_session::warehouse_session(warehouse::shared& shared, std::unique_ptr<sandbox::engine> engine,
                                     const tds::server::login_request& login)
    : shared_(shared),
      engine_(std::move(engine)),
      login_(login.user),
      host_(login.host),
      application_(login.application),
      spid_(login.spid),
      database_(shared.tables.catalog().name) {
  if (same_name(login.database, "master")) database_ = "master";
  engine_->facts() = {};
  refresh_facts();
}

warehouse_session::~warehouse_session() {
  shared_.give_back(std::move(engine_));
}

void warehouse_session::refresh_facts() {
  auto& facts = engine_->facts();
  facts.server_name = shared_.options.server_name;
  facts.machine_name = shared_.options.server_name;
  facts.database = database_;
  facts.database_id = same_name(database_, "master") ? 1 : 5;
  facts.login = login_;
  facts.host = host_;
  facts.application = application_;
  facts.spid = spid_;
  facts.utc_offset = shared_.options.utc_offset;
  facts.fixed_now = shared_.options.fixed_now;
  facts.trancount = transaction_count();
}

void warehouse_session::on_attention() noexcept {
  if (shared_.misbehaviour.ignore_attention != 0) return;
  cancelled_ = true;
  if (running_) engine_->interrupt();
}

void warehouse_session::on_reset(bool keep_transaction) {
  sql_session::on_reset(keep_transaction);
  options_ = {};
  database_ = shared_.tables.catalog().name;
  engine_->facts() = {};
  refresh_facts();
}

warehouse_session::flow warehouse_session::fail(const failure& why, response& out) {
  engine_->facts().error = why.error_number();
  if (caught_ != nullptr) {
    *caught_ = why;
  } else {
    out.error(why);
  }
  return flow::stop;
}

warehouse_session::awaitable<void> warehouse_session::execute(tds::server::statement& s, response& out) {
  cancelled_ = false;
  caught_ = nullptr;
  refresh_facts();
  auto batch = tsql::parse_batch(s.text, {options_.quoted_identifier});
  if (!batch) {
    fail(batch.error(), out);
    co_return;
  }
  sandbox::batch_state state(*engine_, options_);
  for (const auto& p : s.parameters) state.variables().push_back({p.name, p.type, p.value});
  if (batch->statements.empty()) {
    out.done(tds::command::none, std::nullopt);
  } else {
    co_await run_all(batch->statements, state, out);
  }
  for (auto& p : s.parameters) {
    if (!p.output) continue;
    if (const auto* v = state.find(p.name)) p.value = v->value;
  }
}

warehouse_session::awaitable<std::vector<result_column>> warehouse_session::describe(tds::server::statement& s) {
  auto query = tsql::parse_query(s.text);
  if (!query) co_return std::vector<result_column>{};
  sandbox::parameters types;
  for (const auto& p : s.parameters) types.push_back({p.name, p.type, null_value{}});
  if (auto bench = read_bench_query(*query, types); bench && *bench) co_return bench_columns(**bench);
  auto columns = engine_->describe(*query, types);
  co_return columns ? std::move(*columns) : std::vector<result_column>{};
}

warehouse_session::awaitable<warehouse_session::flow> warehouse_session::run_all(
    const std::vector<tsql::statement>& statements, sandbox::batch_state& state, response& out) {
  for (const auto& statement : statements) {
    if (cancelled_ || out.cancelled()) co_return flow::stop;
    const flow next = co_await run_one(statement, state, out);
    if (next != flow::next) co_return next;
  }
  co_return flow::next;
}

warehouse_session::awaitable<warehouse_session::flow> warehouse_session::run_one(const tsql::statement& statement,
                                                                                 sandbox::batch_state& state,
                                                                                 response& out) {
  if (const auto* select = statement.as<tsql::select_statement>()) co_return co_await run_select(*select, state, out);
  if (const auto* execute = statement.as<tsql::execute_statement>())
    co_return co_await run_execute(*execute, state, out);
  if (const auto* block = statement.as<tsql::block_statement>())
    co_return co_await run_all(block->statements, state, out);
  if (const auto* attempt = statement.as<tsql::try_catch_statement>()) co_return co_await run_try(*attempt, state, out);
  if (const auto* branch = statement.as<tsql::if_statement>()) {
    const auto yes = co_await aside([&] { return state.test(*branch->condition); });
    if (!yes) co_return fail(yes.error(), out);
    if (*yes) co_return co_await run_one(*branch->then, state, out);
    if (branch->otherwise) co_return co_await run_one(*branch->otherwise, state, out);
    co_return flow::next;
  }
  if (const auto* loop = statement.as<tsql::while_statement>()) {
    for (;;) {
      if (cancelled_ || out.cancelled()) co_return flow::stop;
      const auto yes = co_await aside([&] { return state.test(*loop->condition); });
      if (!yes) co_return fail(yes.error(), out);
      if (!*yes) co_return flow::next;
      const flow next = co_await run_one(*loop->body, state, out);
      if (next == flow::break_) co_return flow::next;
      if (next == flow::return_ || next == flow::stop) co_return next;
    }
  }
  if (const auto* jump = statement.as<tsql::flow_statement>())
    co_return jump->kind == tsql::flow_kind::break_ ? flow::break_
    : jump->kind == tsql::flow_kind::continue_      ? flow::continue_
                                                    : flow::return_;
  if (const auto* declare = statement.as<tsql::declare_statement>()) {
    const auto done = co_await aside([&] { return state.declare(*declare); });
    co_return done ? flow::next : fail(done.error(), out);
  }
  if (const auto* assign = statement.as<tsql::set_variable_statement>()) {
    const auto done = co_await aside([&] { return state.assign(assign->variable, assign->op, *assign->value); });
    if (!done) co_return fail(done.error(), out);
    out.done(tds::command::set, std::nullopt);
    co_return flow::next;
  }
  if (const auto* set = statement.as<tsql::set_option_statement>()) {
    const std::string before = engine_->facts().language;
    if (auto done = state.set_option(*set); !done) co_return fail(done.error(), out);
    if (engine_->facts().language != before) out.language_changed(engine_->facts().language, before);
    out.done(tds::command::set, std::nullopt);
    co_return flow::next;
  }
  if (const auto* print = statement.as<tsql::print_statement>()) {
    const auto text = co_await aside([&] { return state.text(*print->value); });
    if (!text) co_return fail(text.error(), out);
    out.info(0, 0, *text);
    out.done(tds::command::none, std::nullopt);
    co_return flow::next;
  }
  if (const auto* raise = statement.as<tsql::raiserror_statement>())
    co_return finish_raise(co_await aside([&] { return state.raise(*raise); }), out);
  if (const auto* thrown = statement.as<tsql::throw_statement>()) {
    const auto raised = co_await aside([&] { return state.raise(*thrown); });
    co_return fail(raised ? raised->error : raised.error(), out);
  }
  if (const auto* use_database = statement.as<tsql::use_statement>()) co_return use(*use_database, out);
  if (const auto* t = statement.as<tsql::transaction_statement>()) co_return transaction(*t, out);
  co_return fail(failure(errc::not_available, fmt::format("This server cannot run {}.", tsql::kind_name(statement)),
                         statement.pos.line, statement.pos.column),
                 out);
}

warehouse_session::flow warehouse_session::finish_raise(const result<sandbox::raised_error>& raised, response& out) {
  if (!raised) return fail(raised.error(), out);
  if (raised->severity > 10) return fail(raised->error, out);
  out.info(raised->error.number, raised->severity, raised->error.message);
  out.done(tds::command::none, std::nullopt);
  return flow::next;
}

// An error inside goes to the handler instead of to the client; rows that were sent stay sent.
warehouse_session::awaitable<warehouse_session::flow> warehouse_session::run_try(
    const tsql::try_catch_statement& statement, sandbox::batch_state& state, response& out) {
  failure caught;
  failure* outer = std::exchange(caught_, &caught);
  const flow next = co_await run_all(statement.body, state, out);
  caught_ = outer;
  if (next != flow::stop || cancelled_ || out.cancelled()) co_return next;
  co_return co_await run_all(statement.handler, state, out);
}

warehouse_session::flow warehouse_session::use(const tsql::use_statement& statement, response& out) {
  const std::string& own = shared_.tables.catalog().name;
  const bool master = same_name(statement.database.value, "master");
  if (!master && !same_name(statement.database.value, own))
    return fail(numbered(errc::database_unavailable, 911,
                         fmt::format("Database '{}' does not exist. Make sure that the name is entered correctly.",
                                     statement.database.value)),
                out);
  const std::string before = std::exchange(database_, master ? "master" : own);
  refresh_facts();
  out.database_changed(database_, before);
  out.done(tds::command::use, std::nullopt);
  return flow::next;
}

warehouse_session::flow warehouse_session::transaction(const tsql::transaction_statement& statement, response& out) {
  switch (statement.kind) {
    case tsql::transaction_kind::begin:
      begin_transaction(out);
      out.done(tds::command::begin, std::nullopt);
      break;
    case tsql::transaction_kind::commit:
      if (!commit_transaction(out))
        return fail(numbered(errc::bad_argument, 3902,
                             "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION."),
                    out);
      out.done(tds::command::commit, std::nullopt);
      break;
    case tsql::transaction_kind::rollback:
      if (!rollback_transaction(out))
        return fail(numbered(errc::bad_argument, 3903,
                             "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION."),
                    out);
      out.done(tds::command::rollback, std::nullopt);
      break;
    case tsql::transaction_kind::save: out.done(tds::command::none, std::nullopt); break;
  }
  engine_->facts().trancount = transaction_count();
  return flow::next;
}

warehouse_session::awaitable<warehouse_session::flow> warehouse_session::run_select(
    const tsql::select_statement& statement, sandbox::batch_state& state, response& out) {
  if (sandbox::assigns_variables(statement)) {
    const auto count = co_await aside([&] { return state.assign_from(statement); });
    if (!count) co_return fail(count.error(), out);
    engine_->facts().rowcount = *count;
    out.done(tds::command::select, std::nullopt);
    co_return flow::next;
  }
  if (options_.no_exec) {
    out.done(tds::command::select, std::nullopt);
    co_return flow::next;
  }
  if (options_.implicit_transactions && transaction_count() == 0) begin_transaction(out);
  std::optional<result<bench_query>> bench;
  if (shared_.options.bench_rows) {
    bench = read_bench_query(statement, state.variables());
    if (bench && !*bench) co_return fail(bench->error(), out);
  }
  const bool with_tables = !statement.query.specification() || !statement.query.specification()->from.empty();
  auto work = [&](outcome& o, tds::server::row_sink& sink) {
    if (bench) {
      sink.columns(bench_columns(**bench));
      o.rows = write_bench_rows(**bench, sink);
    } else {
      pull(engine_->prepare(statement, state.variables()), with_tables, o, sink);
    }
  };
  co_return co_await stream(std::move(work), out);
}

void warehouse_session::pull(result<sandbox::cursor> rows, bool may_misbehave, outcome& o,
                             tds::server::row_sink& sink) {
  if (!rows) {
    o.why = rows.error();
    return;
  }
  const trouble& t = shared_.misbehaviour;
  const bool behave = !shared_.options.allow_trouble || !may_misbehave;
  const bool deaf = t.ignore_attention != 0;
  if (!behave && t.first_row_ms > 0) pause(t.first_row_ms, cancelled_, deaf);
  sink.columns(rows->columns());
  if (options_.format_only) return;
  row_writer writer(rows->columns(), sink);
  const std::uint64_t most = options_.row_count > 0 ? static_cast<std::uint64_t>(options_.row_count) : UINT64_MAX;
  while (o.rows < most) {
    if (!behave) {
      const auto done = static_cast<std::int64_t>(o.rows);
      if (t.drop_after >= 0 && done >= t.drop_after) {
        o.drop = true;
        return;
      }
      if (t.error_after >= 0 && done >= t.error_after) {
        o.why = numbered(errc::internal, 50001, "The warehouse was told to fail here.");
        return;
      }
      if (t.row_ms > 0) {
        sink.offer();
        pause(t.row_ms, cancelled_, deaf);
      }
    }
    const auto row = rows->advance();
    if (!row) {
      o.why = row.error();
      return;
    }
    if (*row == nullptr) break;
    writer.write(**row);
    ++o.rows;
    if (!sink.end_row() && !deaf) break;
  }
}

// The worker writes while relay() sends. Closing the sink is the last thing that the worker does, whatever happened.
template <class F>
warehouse_session::awaitable<warehouse_session::flow> warehouse_session::stream(F work, response& out) {
  auto sink = out.open_rows();
  const auto end = std::make_shared<outcome>();
  running_ = true;
  asio::post(shared_.workers, [end, sink, &work] {
    try {
      work(*end, *sink);
    } catch (...) {
      end->defect = std::current_exception();
    }
    sink->close();
  });
  co_await out.relay(*sink);
  running_ = false;
  if (end->defect) std::rethrow_exception(end->defect);
  if (end->drop) {
    out.disconnect();
    co_return flow::stop;
  }
  engine_->facts().rowcount = static_cast<std::int64_t>(end->rows);
  engine_->facts().error = 0;
  if (end->why) co_return fail(*end->why, out);
  out.done(tds::command::select, options_.no_count ? std::nullopt : std::optional(end->rows));
  co_return flow::next;
}

warehouse_session::awaitable<warehouse_session::flow> warehouse_session::run_execute(
    const tsql::execute_statement& statement, sandbox::batch_state& state, response& out) {
  if (!statement.strings.empty() || !statement.procedure_variable.empty()) {
    if (statement.strings.empty())
      co_return fail(failure(errc::not_available, "This server cannot run EXEC of a variable."), out);
    std::string text;
    for (const auto& e : statement.strings) {
      auto part = co_await aside([&] { return state.text(e); });
      if (!part) co_return fail(part.error(), out);
      text += *part;
    }
    auto batch = tsql::parse_batch(text, {options_.quoted_identifier});
    if (!batch) co_return fail(batch.error(), out);
    sandbox::batch_state inner(*engine_, options_);
    const flow next = co_await run_all(batch->statements, inner, out);
    co_return next == flow::return_ ? flow::next : next;
  }
  std::vector<sandbox::parameter> arguments;
  for (const auto& a : statement.arguments) {
    sandbox::parameter p;
    p.name = a.parameter;
    if (a.value) {
      auto v = engine_->evaluate(*a.value, state.variables(), &p.type);
      if (!v) co_return fail(v.error(), out);
      p.value = std::move(*v);
    }
    arguments.push_back(std::move(p));
  }
  std::string name = statement.procedure.name.value;
  if (!statement.procedure.schema.empty()) name = statement.procedure.schema.value + "." + name;
  if (same_name(statement.procedure.name.value, "sp_executesql") && !arguments.empty()) {
    // In text, as tools write it: the same as the RPC.
    const auto* text = std::get_if<std::string>(&arguments[0].value);
    auto batch = tsql::parse_batch(text == nullptr ? std::string() : *text, {options_.quoted_identifier});
    if (!batch) co_return fail(batch.error(), out);
    sandbox::batch_state inner(*engine_, options_);
    if (arguments.size() > 1) {
      const auto* declarations = std::get_if<std::string>(&arguments[1].value);
      auto declared = tsql::parse_parameters(declarations == nullptr ? std::string() : *declarations);
      if (!declared) co_return fail(declared.error(), out);
      for (std::size_t i = 0; i < declared->size(); ++i) {
        auto& d = (*declared)[i];
        if (auto done = inner.declare({{d}}); !done) co_return fail(done.error(), out);
        for (std::size_t k = 2; k < arguments.size(); ++k) {
          const bool mine = arguments[k].name.empty() ? k - 2 == i : same_name(arguments[k].name, d.name);
          if (!mine) continue;
          auto converted = sandbox::convert(arguments[k].value, arguments[k].type, inner.find(d.name)->type);
          if (!converted) co_return fail(converted.error(), out);
          inner.find(d.name)->value = std::move(*converted);
        }
      }
    }
    const flow next = co_await run_all(batch->statements, inner, out);
    co_return next == flow::return_ ? flow::next : next;
  }
  if (co_await procedure(name, std::move(arguments), out)) co_return flow::next;
  co_return fail(failure(errc::unknown_procedure, fmt::format("Could not find stored procedure '{}'.", name)), out);
}

warehouse_session::awaitable<void> warehouse_session::call(tds::rpc_call& rpc, response& out) {
  cancelled_ = false;
  refresh_facts();
  std::vector<sandbox::parameter> arguments;
  for (auto& p : rpc.parameters) arguments.push_back({p.name, p.type, std::move(p.value)});
  const auto name = tds::split_procedure_name(rpc.name);
  const std::string shown = name.schema.empty() ? name.name : name.schema + "." + name.name;
  if (!co_await procedure(shown, std::move(arguments), out)) {
    out.error(failure(errc::unknown_procedure, fmt::format("Could not find stored procedure '{}'.", rpc.name)));
    out.return_status(2812);
  }
}

warehouse_session::awaitable<bool> warehouse_session::procedure(std::string_view name,
                                                                std::vector<sandbox::parameter> arguments,
                                                                response& out) {
  const auto dot = name.find('.');
  if (dot != std::string_view::npos && same_name(name.substr(0, dot), "test")) {
    if (!shared_.options.allow_trouble) co_return false;
    const auto* value = arguments.empty() ? nullptr : std::get_if<std::int64_t>(&arguments[0].value);
    std::string what(name.substr(dot + 1));
    for (char& c : what) c = catalog::fold(c);
    if (!shared_.misbehaviour.set(what, value == nullptr ? 1 : *value)) co_return false;
    out.done(tds::command::execute, std::nullopt);
    co_return true;
  }
  const std::string_view plain = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const bool own_schema =
      dot == std::string_view::npos || same_name(name.substr(0, dot), "sys") || same_name(name.substr(0, dot), "dbo");
  if (!own_schema || !sandbox::is_catalog_procedure(plain)) co_return false;
  auto work = [&](outcome& o, tds::server::row_sink& sink) {
    pull(sandbox::call_catalog_procedure(*engine_, plain, arguments), false, o, sink);
  };
  co_await stream(std::move(work), out);
  co_return true;
}

}  // namespace dragoman::demo
