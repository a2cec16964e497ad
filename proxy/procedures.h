// The procedures of schema nlq, and those few others that a client may call: one table of names, parameters and usage
// lines, one function each (procedures_*.cc).
//
// To add one: a function, and a line in the table of procedures.cc; nlq.help and docs list it from there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/session.h"
#include "tds/rpc_request.h"

namespace dragoman::proxy {

// As sent: named (with its @) or by position (empty name).
struct procedure_argument {
  std::string name;
  sql_type type;
  sql_value value;
};

// Bound to the procedure's own parameters.
class procedure_arguments {
 public:
  explicit procedure_arguments(std::size_t count) : values_(count) {}
  void set(std::size_t index, sql_value value) { values_[index] = std::move(value); }
  bool given(std::size_t index) const noexcept { return values_[index] && !is_null(*values_[index]); }
  // Texts as they are, numbers in digits; empty where absent.
  std::string text(std::size_t index) const;
  std::optional<std::int64_t> whole(std::size_t index) const;  // also of a text of digits

 private:
  std::vector<std::optional<sql_value>> values_;
};

struct procedure_parameter {
  std::string_view name;  // without its @
  bool required = false;
};

struct procedure {
  std::string_view name;
  std::vector<procedure_parameter> parameters;
  std::string_view usage;    // "EXEC nlq.ask N'question' [, @mode = 'result' | 'sql' | 'full'] …"
  std::string_view purpose;  // one line, for nlq.help
  std::function<awaitable<void>(gateway_session&, const procedure_arguments&, response&)> run;
};

const std::vector<procedure>& procedures();         // of schema nlq
const std::vector<procedure>& system_procedures();  // of schema sys

// Runs the procedure or writes the error: 2812 for one that does not exist or is not allowed, 201 and 8145 with the
// usage line for a wrong call.
awaitable<void> call_procedure(gateway_session& session, const tds::procedure_name& name,
                               std::vector<procedure_argument> arguments, response& out);

// sp_tables, sp_columns and their like, from the session's own catalogue; is_catalog_procedure() says which they are.
awaitable<void> answer_catalog_procedure(gateway_session& session, sandbox::engine& home, const std::string& name,
                                         std::vector<procedure_argument> arguments, response& out);

// The statement of EXEC sp_executesql N'…', N'@p int', @p = 1 inside a batch.
result<tds::server::statement> executesql_statement(std::vector<procedure_argument>& arguments);

// procedures_questions.cc
awaitable<void> nlq_ask(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_sql(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_choose(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_confirm(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_attempts(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_history(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_save(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_saved(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_forget(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_feedback(gateway_session&, const procedure_arguments&, response&);
// procedures_describe.cc
awaitable<void> describe_first_result_set(gateway_session&, const procedure_arguments&, response&);
awaitable<void> describe_undeclared_parameters(gateway_session&, const procedure_arguments&, response&);
// procedures_catalog.cc
awaitable<void> nlq_help(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_tables(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_columns(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_metrics(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_examples(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_why(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_set(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_reset(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_sources(gateway_session&, const procedure_arguments&, response&);
awaitable<void> nlq_status(gateway_session&, const procedure_arguments&, response&);

}  // namespace dragoman::proxy
