#include "proxy/session.h"

#include <fmt/format.h>

#include "base/log.h"
#include "guard/catalog/names.h"
#include "guard/tsql/lexer.h"
#include "proxy/one_shot.h"
#include "proxy/procedures.h"
#include "proxy/sandbox/catalog_views.h"
#include "proxy/sandbox/languages.h"

namespace dragoman::proxy {

using std::chrono::steady_clock;

std::optional<std::size_t> find_database(const service& shared, const principal_view& view, std::string_view name) {
  if (catalog::same_name(name, "master")) return 0;
  for (const auto& source : shared.sources()) {
    if (!catalog::same_name(name, source->database().name)) continue;
    if (source->number() > 0 && view.shares[source->number()].empty()) return std::nullopt;
    return source->number();
  }
  return std::nullopt;
}

void local_result::add_text_column(std::string name, std::int32_t characters) {
  columns.push_back({std::move(name), {sql_type_id::nvarchar, characters}});
}
void local_result::add_int_column(std::string name) {
  columns.push_back({std::move(name), {sql_type_id::bigint}});
}
void local_result::add_float_column(std::string name) {
  columns.push_back({std::move(name), {sql_type_id::float_}});
}

gateway_session::gateway_session(service& shared, service::identity who, tds::server::login_request login,
                                 std::string server_name)
    : shared_(shared), who_(std::move(who)), login_(std::move(login)), server_name_(std::move(server_name)) {
  begin_as_after_login();
}

gateway_session::~gateway_session() = default;

void gateway_session::begin_as_after_login() {
  current_ = 0;
  if (login_.database.empty()) {
    // The first that holds something for this principal.
    for (std::size_t i = view().shares.size(); i-- > 0;)
      if (!view().shares[i].empty()) current_ = i;
  } else if (const auto named = find_database(shared_, view(), login_.database)) {
    current_ = *named;
  }
  database_ = catalog::same_name(login_.database, "master") ? "master" : here().database().name;
  options_ = {};
  options_.messages = shared_.settings().nlq.messages;
  settings_.clear();
  // The answer to the login says which language it has become.
  if (const sandbox::language* asked = sandbox::find_language(login_.language);
      asked != nullptr && asked != &sandbox::default_language())
    (void)settings_.set("LANGUAGE", asked->name);
}

std::string gateway_session::language() const {
  const auto found = settings_.values().find("LANGUAGE");
  return found == settings_.values().end() ? std::string(sandbox::default_language().name) : found->second;
}

void gateway_session::on_reset(bool keep_transaction) {
  sql_session::on_reset(keep_transaction);
  begin_as_after_login();
  quoted_identifier_ = true;
  no_count_ = false;
  implicit_transactions_ = false;
  format_only_ = false;
  browse_ = false;
  home_.reset();
  table_variables_.clear();
  forget_talk();
  asked_.reset();
  tried_.clear();
  restored_ = true;  // a pooled connection's next user did not have the last one's conversation
}

void gateway_session::on_attention() noexcept {
  interrupted_ = true;
  if (interrupt_) interrupt_();
}

awaitable<void> gateway_session::on_transaction(tds::transaction_request request, response& out) {
  begin_record("transaction");
  co_await sql_session::on_transaction(std::move(request), out);
  record_.path = "none";
  end_record(out);
}

guard::check_options gateway_session::check_options() const {
  guard::check_options options;
  options.quoted_identifier = quoted_identifier_;
  if (database_ != "master") options.database = database_;
  for (const sandbox::parameter& variable : variables_) options.parameters.push_back({variable.name, variable.type});
  return options;
}

awaitable<void> gateway_session::execute(tds::server::statement& s, response& out) {
  const bool outermost = depth_ == 0;
  if (outermost) begin_record(s.from == tds::server::statement::origin::batch ? "batch" : "rpc");
  if (outermost) forwarded_.clear();
  const sandbox::parameters outer = std::move(variables_);
  variables_.clear();
  for (const tds::server::parameter& p : s.parameters) variables_.push_back({p.name, p.type, p.value});

  co_await run_text(s.text, out);

  for (tds::server::parameter& p : s.parameters)
    if (p.output)
      if (const sandbox::parameter* now = find_variable(p.name)) p.value = now->value;
  variables_ = outer;
  if (outermost) drop_tables();
  if (outermost) end_record(out);
}

awaitable<void> gateway_session::call(tds::rpc_call& procedure, response& out) {
  begin_record("rpc");
  const tds::procedure_name name = tds::split_procedure_name(procedure.name);
  std::vector<procedure_argument> arguments;
  for (tds::rpc_parameter& p : procedure.parameters)
    if (!p.use_default) arguments.push_back({p.name, p.type, std::move(p.value)});
  if (catalog::same_name(name.name, "sp_reset_connection")) {
    on_reset(false);
    out.done(tds::command::none, std::nullopt);
  } else if (!catalog::same_name(name.schema, "nlq") && sandbox::is_catalog_procedure(name.name)) {
    if (sandbox::engine* engine = home(&out))
      co_await answer_catalog_procedure(*this, *engine, name.name, std::move(arguments), out);
  } else {
    co_await call_procedure(*this, name, std::move(arguments), out);
  }
  end_record(out);
}

void gateway_session::write(const local_result& rows, response& out) {
  out.columns(rows.columns);
  for (const auto& row : rows.rows) out.row(row);
  rows_ += rows.rows.size();
  out.done(tds::command::select, rows.rows.size());
}

void gateway_session::fail(const failure& f, response& out) {
  out.error(f);
  if (record_.reason.empty()) {
    record_.reason = name_of(f.code);
    record_.error_number = f.error_number();
    switch (f.code) {
      case errc::cancelled: record_.verdict = "cancelled"; break;
      case errc::query_timeout:
      case errc::upstream_unavailable:
      case errc::lease_timeout:
      case errc::upstream_error:
      case errc::failed:
      case errc::model_error:
      case errc::internal: record_.verdict = "failed"; break;
      default: record_.verdict = "refuse";
    }
  }
}

void gateway_session::refuse(const guard::verdict& verdict, response& out) {
  if (record_.rule.empty()) record_.rule = verdict.rule;
  fail(verdict.as_failure(), out);
}

void gateway_session::begin_record(std::string kind) {
  interrupted_ = false;
  started_ = steady_clock::now();
  rows_told_.reset();
  rows_ = 0;
  record_ = {};
  record_.id = fmt::format("{}.{}", login_.spid, ++requests_);
  record_.login = who_.login;
  record_.principal = view().name;
  record_.client_application = login_.application;
  record_.client_host = login_.host;
  record_.client_address = login_.peer_address;
  record_.kind = std::move(kind);
  record_.path = "none";
}

void gateway_session::end_record(response& out) {
  if (out.cancelled()) {
    record_.verdict = "cancelled";
    record_.reason = name_of(errc::cancelled);
  } else if (record_.verdict.empty()) {
    record_.verdict = record_.path == "sandbox" || record_.path == "none" ? "local" : "accept";
  }
  record_.rows = rows_;
  record_.total_microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - started_).count();
  shared_.records().push(std::move(record_));
  record_ = {};
}

void gateway_session::note_timing(std::string stage, steady_clock::time_point since) {
  record_.timings.push_back(
      {std::move(stage), std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - since).count()});
}

}  // namespace dragoman::proxy
