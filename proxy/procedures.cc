#include "proxy/procedures.h"

#include <fmt/format.h>

#include <charconv>

#include "guard/catalog/names.h"
#include "proxy/sandbox/catalog_views.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

failure numbered(errc code, std::int32_t number, std::string message) {
  failure f(code, std::move(message));
  f.number = number;
  return f;
}

}  // namespace

const std::vector<procedure>& procedures() {
  static const std::vector<procedure> all = {
      {"ask",
       {{"question", true}, {"mode"}, {"source"}},
       "EXEC nlq.ask N'question' [, @mode = 'result' | 'sql' | 'full'] [, @source = N'source']",
       "Answers a question with rows.",
       nlq_ask},
      {"sql",
       {{"question", true}, {"source"}},
       "EXEC nlq.sql N'question' [, @source = N'source']",
       "Shows the SQL of a question without running it.",
       nlq_sql},
      {"choose", {{"choice", true}}, "EXEC nlq.choose number", "Continues after a clarification.", nlq_choose},
      {"confirm", {{"token", true}}, "EXEC nlq.confirm 'token'", "Runs what was to be confirmed.", nlq_confirm},
      {"attempts", {}, "EXEC nlq.attempts", "The timeline of the last question.", nlq_attempts},
      {"history", {{"top"}}, "EXEC nlq.history [number]", "Your last questions, newest first.", nlq_history},
      {"save",
       {{"name", true}, {"question"}},
       "EXEC nlq.save N'name' [, N'question']",
       "Saves a question, or the last one, as the view nlq.[name].",
       nlq_save},
      {"saved", {}, "EXEC nlq.saved", "Your saved questions.", nlq_saved},
      {"forget", {{"name", true}}, "EXEC nlq.forget N'name'", "Forgets a saved question.", nlq_forget},
      {"feedback",
       {{"score", true}, {"comment"}},
       "EXEC nlq.feedback 1 | -1 [, N'comment']",
       "Says whether the last answer was right.",
       nlq_feedback},
      {"tables", {}, "EXEC nlq.tables", "The tables that you may use.", nlq_tables},
      {"columns", {{"table"}}, "EXEC nlq.columns [N'schema.table']", "The columns that you may use.", nlq_columns},
      {"metrics", {}, "EXEC nlq.metrics", "The metrics and dimensions that questions may name.", nlq_metrics},
      {"examples", {}, "EXEC nlq.examples", "Questions that can be asked.", nlq_examples},
      {"why", {{"sql", true}}, "EXEC nlq.why N'SELECT …'", "What the guard says of a statement, and why.", nlq_why},
      {"set",
       {{"option", true}, {"value", true}},
       "EXEC nlq.set 'messages' | 'cache', 'on' | 'off'",
       "Sets an option of this session.",
       nlq_set},
      {"reset", {}, "EXEC nlq.reset", "Forgets the conversation and the options of this session.", nlq_reset},
      {"sources",
       {},
       "EXEC nlq.sources",
       "The data sources that you may ask: name for @source, database for USE.",
       nlq_sources},
      {"status", {}, "EXEC nlq.status", "Version, sources, model and limits.", nlq_status},
      {"help", {}, "EXEC nlq.help", "This list.", nlq_help},
  };
  return all;
}

const std::vector<procedure>& system_procedures() {
  static const std::vector<procedure> all = {
      {"sp_describe_first_result_set",
       {{"tsql", true}, {"params"}, {"include_browse_information"}},
       "EXEC sp_describe_first_result_set N'SELECT …' [, N'@p int, …']",
       "The columns that a statement returns.",
       describe_first_result_set},
      {"sp_describe_undeclared_parameters",
       {{"tsql", true}, {"params"}},
       "EXEC sp_describe_undeclared_parameters N'SELECT … @p …' [, N'@q int, …']",
       "The parameters that a statement lacks, with likely types.",
       describe_undeclared_parameters},
  };
  return all;
}

std::string procedure_arguments::text(std::size_t index) const {
  return given(index) ? value_text(*values_[index], sql_type{}) : std::string();
}

std::optional<std::int64_t> procedure_arguments::whole(std::size_t index) const {
  if (!given(index)) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(&*values_[index])) return *number;
  if (const auto* exact = std::get_if<decimal>(&*values_[index])) return exact->to_int();
  const std::string digits = text(index);
  std::int64_t number = 0;
  const char* begin = digits.c_str() + (digits.starts_with('+') ? 1 : 0);
  const auto [end, failed] = std::from_chars(begin, digits.c_str() + digits.size(), number);
  if (failed != std::errc{} || *end != '\0') return std::nullopt;
  return number;
}

awaitable<void> call_procedure(gateway_session& session, const tds::procedure_name& name,
                               std::vector<procedure_argument> arguments, response& out) {
  const procedure* found = nullptr;
  const bool ours = catalog::same_name(name.schema, "nlq");
  for (const procedure& p : ours ? procedures() : system_procedures())
    if (catalog::same_name(p.name, name.name)) found = &p;
  if (found == nullptr) {
    const std::string full = name.schema.empty() ? name.name : name.schema + "." + name.name;
    session.fail(failure(errc::unknown_procedure, fmt::format("Could not find stored procedure '{}'.", full)), out);
    co_return;
  }
  const std::string shown = (ours ? "nlq." : "") + std::string(found->name);
  procedure_arguments bound(found->parameters.size());
  const auto wrong = [&](std::int32_t number, std::string text) {
    session.fail(numbered(errc::bad_argument, number, fmt::format("{} Usage: {}", text, found->usage)), out);
  };
  std::size_t position = 0;
  for (procedure_argument& argument : arguments) {
    std::size_t index = found->parameters.size();
    if (argument.name.empty()) {
      index = position++;
      if (index >= found->parameters.size()) {
        wrong(8144, fmt::format("Procedure or function {} has too many arguments specified.", shown));
        co_return;
      }
    } else {
      const std::string_view bare = std::string_view(argument.name).substr(argument.name.starts_with('@') ? 1 : 0);
      for (std::size_t i = 0; i < found->parameters.size(); ++i)
        if (catalog::same_name(found->parameters[i].name, bare)) index = i;
      if (index == found->parameters.size()) {
        wrong(8145, fmt::format("{} is not a parameter for procedure {}.", argument.name, shown));
        co_return;
      }
    }
    bound.set(index, std::move(argument.value));
  }
  for (std::size_t i = 0; i < found->parameters.size(); ++i)
    if (found->parameters[i].required && !bound.given(i)) {
      wrong(201, fmt::format("Procedure or function '{}' expects parameter '@{}', which was not supplied.", shown,
                             found->parameters[i].name));
      co_return;
    }
  if (session.record().kind != "question") session.record().kind = "procedure";
  co_await found->run(session, bound, out);
}

awaitable<void> answer_catalog_procedure(gateway_session& session, sandbox::engine& home, const std::string& name,
                                         std::vector<procedure_argument> arguments, response& out) {
  sandbox::parameters values;
  for (procedure_argument& a : arguments) values.push_back({a.name, a.type, std::move(a.value)});
  session.record().kind = "catalogue";
  session.record().path = "sandbox";
  auto rows = sandbox::call_catalog_procedure(home, name, values);
  if (!rows) {
    session.fail(rows.error(), out);
    co_return;
  }
  out.columns(rows->columns());
  std::vector<sql_value> row(rows->columns().size());
  std::uint64_t count = 0;
  while (true) {
    const auto more = rows->next(row);
    if (!more) {
      session.fail(more.error(), out);
      co_return;
    }
    if (!*more) break;
    out.row(row);
    ++count;
    co_await out.flush_if_needed();
  }
  out.done(tds::command::select, count);
}

result<tds::server::statement> executesql_statement(std::vector<procedure_argument>& arguments) {
  const auto text_of = [&](std::size_t i) {
    return arguments.size() > i ? std::get_if<std::string>(&arguments[i].value) : nullptr;
  };
  const std::string* text = text_of(0);
  if (text == nullptr)
    return numbered(errc::bad_argument, 214,
                    "Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.");
  tds::server::statement out;
  out.from = tds::server::statement::origin::executesql;
  out.text = *text;
  if (arguments.size() < 2) return out;
  const std::string* declared = text_of(1);
  if (declared == nullptr)
    return numbered(errc::bad_argument, 214, "Procedure expects parameter '@params' of type 'ntext/nchar/nvarchar'.");
  auto declarations = tds::server::parse_parameter_declarations(*declared);
  if (!declarations) return declarations.error();
  std::vector<tds::rpc_parameter> sent;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    tds::rpc_parameter p;
    p.name = arguments[i].name;
    p.type = arguments[i].type;
    p.value = std::move(arguments[i].value);
    sent.push_back(std::move(p));
  }
  auto bound = tds::server::bind_parameters(*declarations, sent, "sp_executesql");
  if (!bound) return bound.error();
  out.parameters = std::move(*bound);
  return out;
}

}  // namespace dragoman::proxy
