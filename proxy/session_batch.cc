// The statements of a person's batch, one after the other. What is not a SELECT is answered here or refused; nothing of
// it reaches the warehouse.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>

#include "guard/catalog/names.h"
#include "guard/tsql/lexer.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"
#include "guard/tsql/walk.h"
#include "proxy/procedures.h"
#include "proxy/sandbox/catalog_views.h"
#include "proxy/sandbox/languages.h"
#include "proxy/session.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

using std::chrono::steady_clock;

constexpr int exec_depth_max = 32;  // as SQL Server

struct nlq_finder {
  bool found = false;
  bool enter(const tsql::object_name& name) {
    found = found || catalog::same_name(name.schema.value, "nlq");
    return true;
  }
};

bool speaks_of_questions(const tsql::select_statement& statement) {
  nlq_finder finder;
  tsql::walk(statement, finder);
  return finder.found;
}

failure numbered(errc code, std::int32_t number, std::string message) {
  failure f(code, std::move(message));
  f.number = number;
  return f;
}

}  // namespace

awaitable<void> gateway_session::run_text(const std::string& text, response& out) {
  statement_key_.clear();
  if (!format_only_ && !browse_) {
    const auto begun = steady_clock::now();
    std::string key = shared_.statements().key_of(view().name, text, check_options());
    if (const auto known = shared_.statements().find(key)) {
      note_timing("guard", begun);
      co_await forward(known->verdict, known->computed, false, out);
      co_return;
    }
    statement_key_ = std::move(key);
  }
  if (const auto question = tsql::find_leading_ask(text)) {
    record_.kind = "question";
    if (question->trailing_text) {
      fail(failure(errc::syntax, "A question stands alone in its batch: there is text after it."), out);
      co_return;
    }
    co_await ask(question->question, nlq::ask_mode::result, std::nullopt, out);
    co_return;
  }
  const auto begun = steady_clock::now();
  auto batch = tsql::parse_batch(text, {quoted_identifier_});
  note_timing("parse", begun);
  if (!batch) {
    record_.rule = "parse";
    fail(batch.error(), out);
    co_return;
  }
  if (!admit(*batch, out)) co_return;
  if (batch->statements.size() != 1 || batch->statements.front().as<tsql::select_statement>() == nullptr)
    statement_key_.clear();
  if (batch->statements.empty()) out.done(tds::command::none, std::nullopt);
  co_await run_all(batch->statements, out);
}

// The whole batch is looked at before any of it runs: one refused statement refuses all.
bool gateway_session::admit(const tsql::batch& batch, response& out) {
  if (batch.statements.size() < 2) return true;  // it is checked when it runs, and nothing runs before it
  guard::check_options options = check_options();
  for (const tsql::statement& statement : batch.statements) {
    if (const auto* declared = statement.as<tsql::declare_statement>()) {
      for (const auto& variable : declared->variables)
        if (const auto type = parse_sql_type(tsql::print(variable.type)))
          options.parameters.push_back({variable.name, *type});
      continue;
    }
    if (const auto* use = statement.as<tsql::use_statement>()) {  // what follows speaks of that database
      if (const auto source = find_database(shared_, view(), use->database.value))
        options.database = shared_.source(*source).database().name;
    }
    const auto* select = statement.as<tsql::select_statement>();
    // These are not yet what will run, or run at home; they are checked when they do.
    if (fills_table_variable(statement)) continue;
    if (select != nullptr &&
        (reads_table_variables(*select) || speaks_of_questions(*select) || sandbox::assigns_variables(*select) ||
         (select->query.for_ && std::holds_alternative<tsql::for_browse>(*select->query.for_))))
      continue;
    if (statement.as<tsql::execute_statement>() != nullptr) continue;
    const guard::verdict verdict = guard::check(statement, *view().policy, options);
    if (verdict.kind != guard::verdict_kind::refuse) continue;
    record_.path = "guard";
    refuse(verdict, out);
    return false;
  }
  return true;
}

awaitable<gateway_session::flow> gateway_session::run_all(const std::vector<tsql::statement>& statements,
                                                          response& out) {
  for (const tsql::statement& statement : statements) {
    if (out.cancelled()) co_return flow::stop;
    const flow next = co_await run_one(statement, out);
    if (next != flow::next) co_return next;
  }
  co_return flow::next;
}

awaitable<gateway_session::flow> gateway_session::run_one(const tsql::statement& statement, response& out) {
  if (const auto* select = statement.as<tsql::select_statement>()) co_return co_await run_select(*select, out);
  if (const auto* execute = statement.as<tsql::execute_statement>()) co_return co_await run_execute(*execute, out);
  if (const auto* block = statement.as<tsql::block_statement>()) co_return co_await run_all(block->statements, out);
  if (const auto* branch = statement.as<tsql::if_statement>()) co_return co_await run_if(*branch, out);
  if (const auto* loop = statement.as<tsql::while_statement>()) co_return co_await run_while(*loop, out);
  if (const auto* attempt = statement.as<tsql::try_catch_statement>())
    // Errors of a SELECT are the client's to see; nothing here can be caught half-way.
    co_return co_await run_all(attempt->body, out);
  if (const auto* jump = statement.as<tsql::flow_statement>()) {
    switch (jump->kind) {
      case tsql::flow_kind::break_: co_return flow::break_;
      case tsql::flow_kind::continue_: co_return flow::continue_;
      case tsql::flow_kind::return_: co_return flow::return_;
    }
  }
  const auto go_on = [](bool ok) { return ok ? flow::next : flow::stop; };
  using sandbox::batch_state;
  const auto quietly = [&](const result<void>& done, tds::command command) {
    if (!done) {
      fail(done.error(), out);
      return flow::stop;
    }
    if (command != tds::command::none) out.done(command, std::nullopt);
    return flow::next;
  };
  if (const auto* d = statement.as<tsql::declare_statement>()) {
    tsql::declare_statement scalars;
    for (const tsql::variable_declaration& variable : d->variables) {
      if (!variable.table) {
        scalars.variables.push_back(variable);
      } else if (const auto made = declare_table(variable); !made) {
        co_return quietly(made, tds::command::none);
      }
    }
    if (scalars.variables.empty()) co_return flow::next;
    co_return quietly(with_variables<void>([&](batch_state& state) { return state.declare(scalars); }),
                      tds::command::none);
  }
  if (fills_table_variable(statement)) {
    const auto filled = fill_table(*statement.as<tsql::insert_statement>());
    if (!filled) {
      fail(filled.error(), out);
      co_return flow::stop;
    }
    record_.kind = "catalogue";
    record_.path = "sandbox";
    out.done(tds::command::insert, no_count_ ? std::nullopt : std::optional(*filled));
    co_return flow::next;
  }
  if (const auto* s = statement.as<tsql::set_option_statement>()) co_return go_on(set_option(*s, out));
  if (const auto* u = statement.as<tsql::use_statement>()) co_return go_on(use(*u, out));
  if (const auto* t = statement.as<tsql::transaction_statement>()) co_return go_on(transaction(*t, out));
  if (const auto* p = statement.as<tsql::print_statement>()) co_return go_on(print(*p, out));
  if (const auto* r = statement.as<tsql::raiserror_statement>())
    co_return go_on(
        raise(with_variables<sandbox::raised_error>([&](batch_state& state) { return state.raise(*r); }), out));
  if (const auto* t = statement.as<tsql::throw_statement>()) {
    raise(with_variables<sandbox::raised_error>([&](batch_state& state) { return state.raise(*t); }), out);
    co_return flow::stop;
  }
  if (const auto* s = statement.as<tsql::set_variable_statement>())
    co_return quietly(
        with_variables<void>([&](batch_state& state) { return state.assign(s->variable, s->op, *s->value); }),
        tds::command::set);
  // Neither data nor session: the guard words the refusal.
  const guard::verdict verdict = guard::check(statement, *view().policy, check_options());
  record_.path = "guard";
  if (verdict.kind == guard::verdict_kind::refuse)
    refuse(verdict, out);
  else
    fail(failure(errc::unsupported_construct,
                 fmt::format("{} is not available through this gateway.", tsql::kind_name(statement))),
         out);
  co_return flow::stop;
}

awaitable<gateway_session::flow> gateway_session::run_if(const tsql::if_statement& statement, response& out) {
  const auto condition =
      with_variables<bool>([&](sandbox::batch_state& state) { return state.test(*statement.condition); });
  if (!condition) {
    fail(condition.error(), out);
    co_return flow::stop;
  }
  if (*condition) co_return co_await run_one(*statement.then, out);
  if (statement.otherwise) co_return co_await run_one(*statement.otherwise, out);
  out.done(tds::command::none, std::nullopt);
  co_return flow::next;
}

awaitable<gateway_session::flow> gateway_session::run_while(const tsql::while_statement& statement, response& out) {
  const auto until = steady_clock::now() + shared_.settings().server.query_timeout;
  while (true) {
    const auto condition =
        with_variables<bool>([&](sandbox::batch_state& state) { return state.test(*statement.condition); });
    if (!condition) {
      fail(condition.error(), out);
      co_return flow::stop;
    }
    if (!*condition) co_return flow::next;
    const flow next = co_await run_one(*statement.body, out);
    if (next == flow::break_) co_return flow::next;
    if (next == flow::return_ || next == flow::stop) co_return next;
    // Sends what has gathered, and lets an attention through.
    co_await out.flush_if_needed();
    co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
    if (out.cancelled()) co_return flow::stop;
    if (steady_clock::now() > until) {
      fail(failure(errc::query_timeout, "The batch ran into its time limit."), out);
      co_return flow::stop;
    }
  }
}

bool gateway_session::print(const tsql::print_statement& statement, response& out) {
  const auto text =
      with_variables<std::string>([&](sandbox::batch_state& state) { return state.text(*statement.value); });
  if (!text) {
    fail(text.error(), out);
    return false;
  }
  out.info(0, 0, *text);
  return true;
}

bool gateway_session::raise(const result<sandbox::raised_error>& raised, response& out) {
  if (!raised) {
    fail(raised.error(), out);
    return false;
  }
  if (raised->severity <= 10) {
    out.info(raised->error.error_number(), raised->severity, raised->error.message);
    return true;
  }
  tds::message message;
  message.number = raised->error.error_number();
  message.severity = raised->severity;
  message.text = raised->error.message;
  out.error(message);
  return true;
}

result<sql_value> gateway_session::evaluate(const tsql::expression& value, sql_type* type) {
  // The commonest argument by far needs no engine.
  if (const auto* text = std::get_if<tsql::literal>(&value.node)) {
    if (text->kind == tsql::literal_kind::string || text->kind == tsql::literal_kind::unicode_string) {
      if (type != nullptr) *type = {sql_type_id::nvarchar, sql_type::max_length};
      return sql_value(text->text);
    }
  }
  if (const auto* name = std::get_if<tsql::variable>(&value.node)) {
    if (const sandbox::parameter* found = find_variable(name->name)) {
      if (type != nullptr) *type = found->type;
      return found->value;
    }
  }
  sandbox::engine* engine = home(nullptr);
  if (engine == nullptr) return failure(errc::internal, "The session's sandbox could not be made.");
  return engine->evaluate(value, variables_, type);
}

sandbox::parameter* gateway_session::find_variable(std::string_view name) {
  for (sandbox::parameter& variable : variables_)
    if (catalog::same_name(variable.name, name)) return &variable;
  return nullptr;
}

awaitable<gateway_session::flow> gateway_session::run_execute(const tsql::execute_statement& statement, response& out) {
  if (!statement.strings.empty() || !statement.procedure_variable.empty()) {
    fail(failure(errc::not_read_only, "EXEC of a text or of a variable is not allowed; use sp_executesql."), out);
    co_return flow::stop;
  }
  std::vector<procedure_argument> arguments;
  for (const tsql::execute_argument& given : statement.arguments) {
    if (const auto* literal = given.value ? std::get_if<tsql::literal>(&given.value->node) : nullptr)
      if (literal->kind == tsql::literal_kind::default_value) continue;
    procedure_argument argument{given.parameter, {}, null_value{}};
    auto value = evaluate(*given.value, &argument.type);
    if (!value) {
      fail(value.error(), out);
      co_return flow::stop;
    }
    argument.value = std::move(*value);
    arguments.push_back(std::move(argument));
  }
  if (format_only_) {  // what a procedure returns is not known before it runs
    out.done(tds::command::none, std::nullopt);
    co_return flow::next;
  }
  const tds::procedure_name name{statement.procedure.database.value, statement.procedure.schema.value,
                                 statement.procedure.name.value};
  if (!statement.procedure.server.empty()) {
    fail(failure(errc::not_read_only, "Procedures of other servers are not allowed."), out);
    co_return flow::stop;
  }
  if (catalog::same_name(name.name, "sp_executesql") && !catalog::same_name(name.schema, "nlq")) {
    if (depth_ >= exec_depth_max) {
      fail(numbered(errc::too_complex, 217, "Maximum stored procedure nesting level exceeded (limit 32)."), out);
      co_return flow::stop;
    }
    auto inner = executesql_statement(arguments);
    if (!inner) {
      fail(inner.error(), out);
      co_return flow::stop;
    }
    ++depth_;
    co_await execute(*inner, out);
    --depth_;
    co_return out.failed() ? flow::stop : flow::next;
  }
  // mssql-jdbc gives handles back in a text, many at a time.
  if (catalog::same_name(name.name, "sp_unprepare") || catalog::same_name(name.name, "sp_cursorunprepare")) {
    const auto* handle = arguments.size() == 1 ? std::get_if<std::int64_t>(&arguments.front().value) : nullptr;
    if (handle == nullptr || !prepared().remove(static_cast<std::int32_t>(*handle))) {
      fail(numbered(errc::bad_argument, 8179,
                    fmt::format("Could not find prepared statement with handle {}.", handle ? *handle : 0)),
           out);
      co_return flow::stop;
    }
    out.done(tds::command::execute, std::nullopt);
    co_return flow::next;
  }
  if (!catalog::same_name(name.schema, "nlq") && sandbox::is_catalog_procedure(name.name)) {
    if (sandbox::engine* engine = home(&out))
      co_await answer_catalog_procedure(*this, *engine, name.name, std::move(arguments), out);
    co_return out.failed() ? flow::stop : flow::next;
  }
  co_await call_procedure(*this, name, std::move(arguments), out);
  co_return out.failed() ? flow::stop : flow::next;
}

// The first four are master, tempdb, model and msdb.
static std::int32_t database_id_of(std::size_t source) {
  return static_cast<std::int32_t>(source) + 5;
}

std::vector<sandbox::session_facts::known_database> gateway_session::other_databases() const {
  std::vector<sandbox::session_facts::known_database> out;
  for (const auto& source : shared_.sources())
    if ((source->number() != current_ || database_ == "master") &&
        find_database(shared_, view(), source->database().name))
      out.push_back({source->database().name, database_id_of(source->number())});
  return out;
}

sandbox::engine* gateway_session::home(response* out) {
  if (!home_) {
    auto made = sandbox::engine::open_memory();
    if (!made) {
      if (out != nullptr) fail(made.error(), *out);
      return nullptr;
    }
    // The catalogue of this principal and nothing else: what is not allowed is not there to be listed.
    sandbox::catalog_scope scope;
    scope.database = share().visible.get();
    scope.database_id = database_id_of(current_);
    scope.other_databases = other_databases();
    std::erase_if(scope.other_databases, [&](const auto& d) { return d.id == scope.database_id; });
    scope.session_id = login_.spid;
    scope.login = who_.login;
    scope.host = login_.host;
    scope.application = login_.application;
    if (auto installed = sandbox::install_catalog(**made, scope); !installed) {
      if (out != nullptr) fail(installed.error(), *out);
      return nullptr;
    }
    home_ = std::move(*made);
  }
  sandbox::session_facts& facts = home_->facts();
  facts.server_name = server_name_;
  facts.machine_name = server_name_;
  facts.database = database_;
  facts.database_id = database_ == "master" ? 1 : database_id_of(current_);
  facts.other_databases = other_databases();
  facts.language = language();
  if (const auto first = settings_.values().find("DATEFIRST"); first != settings_.values().end())
    facts.date_first = std::stoi(first->second);  // 1 to 7, as it was checked when it was set
  else if (const sandbox::language* spoken = sandbox::find_language(facts.language); spoken != nullptr)
    facts.date_first = spoken->first_day;
  if (const auto order = settings_.values().find("DATEFORMAT"); order != settings_.values().end())
    facts.date_style = sandbox::style_of_date_order(order->second);
  else if (const sandbox::language* spoken = sandbox::find_language(facts.language); spoken != nullptr)
    facts.date_style = sandbox::style_of_date_order(spoken->date_order);
  facts.login = who_.login;
  facts.user = who_.login;
  facts.host = login_.host;
  facts.application = login_.application;
  facts.spid = login_.spid;
  facts.trancount = transaction_count();
  facts.fixed_now = shared_.time().now();  // one moment per statement, and --now holds here too
  facts.collation = here().database().collation;
  facts.default_schema = here().database().default_schema;
  return home_.get();
}

}  // namespace dragoman::proxy
