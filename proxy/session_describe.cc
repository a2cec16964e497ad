// What a statement would return, told without running it: for sp_prepare, SET FMTONLY ON and
// sp_describe_first_result_set.
#include <algorithm>

#include "guard/tsql/parser.h"
#include "proxy/sandbox/batch.h"
#include "proxy/session.h"

namespace dragoman::proxy {

// The guard knows the type of nearly every expression; where it does not, the upstream is asked.
awaitable<result<std::vector<result_column>>> gateway_session::columns_of(const tsql::select_statement& statement,
                                                                          const guard::check_options& options) {
  const guard::verdict verdict = guard::check(statement, *view().policy, options);
  if (verdict.kind == guard::verdict_kind::refuse) co_return verdict.as_failure();
  if (verdict.kind == guard::verdict_kind::local || !verdict.reads_tables) {
    sandbox::engine* engine = home(nullptr);
    if (engine == nullptr) co_return failure(errc::internal, "The session's sandbox could not be made.");
    sandbox::parameters types = variables_;
    for (const auto& p : options.parameters) types.push_back({p.name, p.type, null_value{}});
    co_return engine->describe(statement, types);
  }
  const bool known = std::none_of(verdict.columns.begin(), verdict.columns.end(),
                                  [](const guard::output_column& c) { return c.type.id == sql_type_id::unknown; });
  if (known) {
    std::vector<result_column> columns;
    for (const guard::output_column& c : verdict.columns) columns.push_back({c.name, c.type, c.nullable});
    co_return columns;
  }
  upstream::statement question = upstream_statement("SET FMTONLY ON; " + verdict.printed + "; SET FMTONLY OFF;", 1);
  for (const std::string& name : verdict.parameters)
    for (const auto& p : options.parameters)
      if (p.name == name) question.parameters.push_back({p.name, p.type, null_value{}});
  auto table = std::make_shared<upstream::value_table>();
  const upstream::outcome outcome =
      co_await fetch(shared_.source_of(verdict.datasource).warehouse(), std::move(question), table);
  if (outcome.error) co_return presentable(outcome, verdict.has_row_filter);
  co_return std::move(table->columns);
}

awaitable<result<std::vector<result_column>>> gateway_session::columns_of(
    const std::string& text, const std::vector<guard::parameter>& parameters) {
  guard::check_options options = check_options();
  options.parameters.insert(options.parameters.end(), parameters.begin(), parameters.end());
  const auto batch = tsql::parse_batch(text, {quoted_identifier_});
  if (!batch) co_return batch.error();
  for (const tsql::statement& statement : batch->statements)
    if (const auto* select = statement.as<tsql::select_statement>())
      if (!sandbox::assigns_variables(*select)) co_return co_await columns_of(*select, options);
  co_return std::vector<result_column>{};
}

awaitable<std::vector<result_column>> gateway_session::describe(tds::server::statement& s) {
  std::vector<guard::parameter> parameters;
  for (const tds::server::parameter& p : s.parameters) parameters.push_back({p.name, p.type});
  auto columns = co_await columns_of(s.text, parameters);
  // What is wrong with the statement is said when it is run.
  co_return columns ? std::move(*columns) : std::vector<result_column>{};
}

awaitable<bool> gateway_session::answer_format_only(const tsql::select_statement& statement, bool browse,
                                                    response& out) {
  guard::check_options options = check_options();
  const auto columns = co_await columns_of(statement, options);
  if (!columns) {
    record_.path = "guard";
    fail(columns.error(), out);
    out.done(tds::command::select, std::nullopt);
    co_return false;
  }
  if (browse) out.browse(browse_of(guard::check(statement, *view().policy, options).printed, *columns));
  out.columns(*columns);
  out.done(tds::command::select, 0);
  co_return true;
}

}  // namespace dragoman::proxy
