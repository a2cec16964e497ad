#include "tds/server/sql_session.h"

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/limits.h"
#include "tds/server/call_arguments.h"

namespace dragoman::tds::server {
namespace {

// What a statement may not be given, whatever procedure brings it.
std::optional<failure> refused_parameters(const rpc_call& call) {
  for (const rpc_parameter& p : call.parameters) {
    if (p.table_valued)
      return failure(errc::unsupported_construct, "Table-valued parameters are not supported by this server.");
    if (p.encrypted)
      return failure(errc::unsupported_construct, "Encrypted parameters are not supported by this server.");
  }
  return std::nullopt;
}

bool is_reset(std::string_view procedure) {
  constexpr std::string_view name = "sp_reset_connection";
  return procedure.size() == name.size() && std::equal(name.begin(), name.end(), procedure.begin(), [](char a, char b) {
           return a == b || (b >= 'A' && b <= 'Z' && a == b + 32);
         });
}

}  // namespace

result<std::int32_t> prepared_statements::add(prepared_statement statement) {
  if (statements_.size() >= limits::prepared_handles_max)
    return failure(errc::too_complex, "The session has too many prepared statements; unprepare some.");
  const std::int32_t handle = next_++;
  statements_.emplace(handle, std::make_shared<prepared_statement>(std::move(statement)));
  return handle;
}

prepared_statement* prepared_statements::find(std::int32_t handle) noexcept {
  const auto found = statements_.find(handle);
  return found == statements_.end() ? nullptr : found->second.get();
}

std::shared_ptr<prepared_statement> prepared_statements::share(std::int32_t handle) noexcept {
  const auto found = statements_.find(handle);
  return found == statements_.end() ? nullptr : found->second;
}

bool prepared_statements::remove(std::int32_t handle) noexcept {
  return statements_.erase(handle) != 0;
}

// What a reset has ended is told to the client before anything else: it gives descriptors back in its headers.
void sql_session::begin_request(response& out) {
  if (rolled_back_by_reset_ != 0) out.transaction_rolled_back(std::exchange(rolled_back_by_reset_, 0));
  out.set_in_transaction(transaction_count_ > 0);
}

asio::awaitable<void> sql_session::on_batch(std::string sql, response& out) {
  begin_request(out);
  statement s;
  s.text = std::move(sql);
  co_await execute(s, out);
}

asio::awaitable<void> sql_session::on_rpc(rpc_call call, bool, response& out) {
  begin_request(out);
  if (const auto refused = refused_parameters(call)) {
    fail_call(out, *refused);
    co_return;
  }
  switch (call.id) {
    case proc_id::sp_executesql: co_return co_await execute_sql(call, out);
    case proc_id::sp_prepare: co_return co_await prepare(call, out, false);
    case proc_id::sp_prepexec: co_return co_await prepare(call, out, true);
    case proc_id::sp_execute: co_return co_await execute_prepared(call, out);
    case proc_id::sp_unprepare: co_return unprepare(call, out);
    case proc_id::none: break;
    case proc_id::sp_prepexecrpc:
      fail_call(out, {errc::unsupported_construct, "sp_prepexecrpc is not supported by this server."});
      co_return;
    case proc_id::sp_cursor:
    case proc_id::sp_cursoropen:
    case proc_id::sp_cursorprepare:
    case proc_id::sp_cursorexecute:
    case proc_id::sp_cursorprepexec:
    case proc_id::sp_cursorunprepare:
    case proc_id::sp_cursorfetch:
    case proc_id::sp_cursoroption:
    case proc_id::sp_cursorclose: co_return co_await cursor_call(call, out);
    default: break;
  }
  if (!call.by_name) {
    failure f(errc::unknown_procedure, "Could not find stored procedure '" + call.name + "'.");
    fail_call(out, f);
    co_return;
  }
  if (is_reset(split_procedure_name(call.name).name)) {
    on_reset(false);
    begin_request(out);
    co_return;
  }
  co_await this->call(call, out);
}

// @stmt, @params, values. The first two by position; what names them is not looked at.
asio::awaitable<void> sql_session::execute_sql(rpc_call& call, response& out) {
  auto text = text_of(call, 0, "@statement");
  if (!text) co_return fail_call(out, text.error());
  statement s;
  s.from = statement::origin::executesql;
  s.text = std::move(*text);
  if (call.parameters.size() > 1) {
    const auto declared = text_of(call, 1, "@parameters");
    if (!declared) co_return fail_call(out, declared.error());
    auto declarations = parse_parameter_declarations(*declared);
    if (!declarations) co_return fail_call(out, declarations.error());
    auto bound = bind_parameters(*declarations, std::span(call.parameters).subspan(2), call.name);
    if (!bound) co_return fail_call(out, bound.error());
    s.parameters = std::move(*bound);
  }
  co_await run(s, 2, out);
}

// @handle OUT, @params, @stmt, then options (sp_prepare) or values (sp_prepexec).
asio::awaitable<void> sql_session::prepare(rpc_call& call, response& out, bool run_now) {
  if (call.parameters.empty()) co_return fail_call(out, missing_argument(call.name, "@handle"));
  const auto declared = text_of(call, 1, "@params");
  if (!declared) co_return fail_call(out, declared.error());
  auto text = text_of(call, 2, "@stmt");
  if (!text) co_return fail_call(out, text.error());
  auto declarations = parse_parameter_declarations(*declared);
  if (!declarations) co_return fail_call(out, declarations.error());

  statement s;
  s.from = statement::origin::prepared;
  s.text = *text;
  if (run_now) {
    auto bound = bind_parameters(*declarations, std::span(call.parameters).subspan(3), call.name);
    if (!bound) co_return fail_call(out, bound.error());
    s.parameters = std::move(*bound);
    // A driver gives the handle that the new one replaces.
    if (const auto old = integer_of(call, 0)) prepared_.remove(*old);
  } else {
    for (const parameter_declaration& d : *declarations) s.parameters.push_back({d.name, d.type, null_value{}, false});
  }
  const auto handle = prepared_.add({std::move(*text), std::move(*declarations), nullptr});
  if (!handle) co_return fail_call(out, handle.error());
  out.return_value(0, handle_name, handle_type(), std::int64_t{*handle});
  const auto kept = prepared_.share(*handle);  // a reset from inside must not take it away
  s.prepared = kept.get();
  if (run_now) co_return co_await run(s, 3, out);
  const auto columns = co_await describe(s);
  if (!columns.empty()) {
    out.columns(columns);
    out.done(command::select, std::nullopt);
  }
}

asio::awaitable<void> sql_session::execute_prepared(rpc_call& call, response& out) {
  const auto handle = integer_of(call, 0);
  const auto kept = handle ? prepared_.share(*handle) : nullptr;
  if (!kept) co_return fail_call(out, no_such_handle(handle.value_or(0)));
  auto bound = bind_parameters(kept->declarations, std::span(call.parameters).subspan(1), call.name);
  if (!bound) co_return fail_call(out, bound.error());
  statement s;
  s.from = statement::origin::prepared;
  s.text = kept->text;
  s.parameters = std::move(*bound);
  s.prepared = kept.get();
  co_await run(s, 1, out);
}

void sql_session::unprepare(rpc_call& call, response& out) {
  const auto handle = integer_of(call, 0);
  if (!handle || !prepared_.remove(*handle)) fail_call(out, no_such_handle(handle.value_or(0)));
}

asio::awaitable<void> sql_session::run(statement& s, std::size_t first_ordinal, response& out) {
  co_await execute(s, out);
  if (out.failed()) out.return_status(1);
  for (std::size_t i = 0; i < s.parameters.size(); ++i) {
    const parameter& p = s.parameters[i];
    if (p.output) out.return_value(static_cast<std::uint16_t>(first_ordinal + i), p.name, p.type, p.value);
  }
}

asio::awaitable<void> sql_session::call(rpc_call& procedure, response& out) {
  fail_call(out, {errc::unknown_procedure, "Could not find stored procedure '" + procedure.name + "'."});
  co_return;
}

asio::awaitable<std::vector<result_column>> sql_session::describe(statement&) {
  co_return std::vector<result_column>{};
}

// --- transactions ----------------------------------------------------------------------------------------------------

void sql_session::begin_transaction(response& out) {
  if (transaction_count_++ > 0) return;  // a nested one has no descriptor of its own
  descriptor_ = ++next_descriptor_;
  out.transaction_begun(descriptor_);
  out.set_in_transaction(true);
}

bool sql_session::commit_transaction(response& out) {
  if (transaction_count_ == 0) return false;
  if (--transaction_count_ > 0) return true;
  out.transaction_committed(descriptor_);
  out.set_in_transaction(false);
  return true;
}

bool sql_session::rollback_transaction(response& out) {
  if (transaction_count_ == 0) return false;
  transaction_count_ = 0;
  out.transaction_rolled_back(descriptor_);
  out.set_in_transaction(false);
  return true;
}

asio::awaitable<void> sql_session::on_transaction(transaction_request request, response& out) {
  begin_request(out);
  const auto refuse = [&out](std::int32_t number, std::string text) {
    failure f(errc::bad_argument, std::move(text));
    f.number = number;
    out.error(f);
  };
  switch (request.operation) {
    case transaction_operation::begin:
      begin_transaction(out);
      out.done(command::begin, std::nullopt);
      co_return;
    case transaction_operation::commit:
      if (!commit_transaction(out)) {
        refuse(3902, "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.");
        co_return;
      }
      if (request.begin_next) begin_transaction(out);
      out.done(command::commit, std::nullopt);
      co_return;
    case transaction_operation::rollback:
      // With a name: back to a savepoint, which ends nothing.
      if (!request.name.empty() && transaction_count_ > 0 && savepoints_.contains(request.name)) {
        out.done(command::rollback, std::nullopt);
        co_return;
      }
      if (!rollback_transaction(out)) {
        refuse(3903, "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.");
        co_return;
      }
      savepoints_.clear();
      if (request.begin_next) begin_transaction(out);
      out.done(command::rollback, std::nullopt);
      co_return;
    case transaction_operation::save:
      if (transaction_count_ == 0) {
        refuse(628, "Cannot issue SAVE TRANSACTION when there is no active transaction.");
        co_return;
      }
      if (savepoints_.size() < 1024) savepoints_.insert(request.name);
      out.done(command::none, std::nullopt);
      co_return;
    default: refuse(8501, "Distributed transactions are not supported by this server."); co_return;
  }
}

void sql_session::on_reset(bool keep_transaction) {
  prepared_.clear();
  cursors_.clear();
  if (keep_transaction) return;
  rolled_back_by_reset_ = transaction_descriptor();
  transaction_count_ = 0;
  savepoints_.clear();
}

}  // namespace dragoman::tds::server
