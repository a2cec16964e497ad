// SET, USE and transactions: the state of a session, none of which is the warehouse's business until a statement runs.
#include <fmt/format.h>

#include <array>

#include "guard/catalog/names.h"
#include "proxy/sandbox/languages.h"
#include "proxy/session.h"

namespace dragoman::proxy {
namespace {

bool is_on(const std::vector<std::string>& values) {
  return values.size() == 1 && catalog::same_name(values.front(), "ON");
}

// Options that change nothing of what a SELECT answers here: accepted and forgotten.
bool is_harmless(std::string_view option) {
  static constexpr std::array names{"ANSI_DEFAULTS",
                                    "CURSOR_CLOSE_ON_COMMIT",
                                    "DEADLOCK_PRIORITY",
                                    "FIPS_FLAGGER",
                                    "FORCEPLAN",
                                    "STATISTICS IO",
                                    "STATISTICS TIME",
                                    "STATISTICS XML",
                                    "STATISTICS PROFILE",
                                    "XACT_ABORT",
                                    "CONTEXT_INFO",
                                    "REMOTE_PROC_TRANSACTIONS",
                                    "ANSI_NULL_DFLT_ON",
                                    "ANSI_NULL_DFLT_OFF",
                                    "ANSI_PADDING",
                                    "NUMERIC_ROUNDABORT",
                                    "TRANSACTION ISOLATION LEVEL",
                                    "QUERY_GOVERNOR_COST_LIMIT",
                                    "RESULT_SET_CACHING"};
  for (const std::string_view name : names)
    if (catalog::same_name(name, option)) return true;
  return false;
}

}  // namespace

bool gateway_session::set_option(const tsql::set_option_statement& statement, response& out) {
  std::string value = statement.values.empty() ? std::string() : statement.values.front();
  for (const std::string& option : statement.options) {
    const auto is = [&](std::string_view name) { return catalog::same_name(option, name); };
    if (is("NOCOUNT")) {
      no_count_ = is_on(statement.values);
      continue;
    }
    if (is("IMPLICIT_TRANSACTIONS")) {
      implicit_transactions_ = is_on(statement.values);
      continue;
    }
    if (is("QUOTED_IDENTIFIER")) quoted_identifier_ = is_on(statement.values);
    if (is("FMTONLY")) {
      format_only_ = is_on(statement.values);
      continue;
    }
    if (is("NOEXEC") || is("PARSEONLY") || is("SHOWPLAN_XML") || is("SHOWPLAN_TEXT") || is("SHOWPLAN_ALL")) {
      if (!is_on(statement.values)) continue;
      fail(failure(errc::not_available, fmt::format("SET {} ON is not available here.", option)), out);
      return false;
    }
    if (is("NO_BROWSETABLE")) {
      browse_ = is_on(statement.values);
      continue;
    }
    if (is_harmless(option)) continue;
    const std::string language_before = language();
    if (is("LANGUAGE")) {
      const sandbox::language* named = sandbox::find_language(value);
      if (named == nullptr) {
        failure unknown(errc::bad_argument, fmt::format("SET LANGUAGE failed because '{}' is not an official language "
                                                        "name or a language alias on this SQL Server.",
                                                        value));
        unknown.number = 2740;
        fail(unknown, out);
        return false;
      }
      value = named->name;
    }
    const auto taken = settings_.set(option, value);
    if (!taken) {
      fail(taken.error(), out);
      return false;
    }
    if (is("LANGUAGE")) out.language_changed(value, language_before);
  }
  out.done(tds::command::set, std::nullopt);
  return true;
}

bool gateway_session::use(const tsql::use_statement& statement, response& out) {
  const std::string& name = statement.database.value;
  const auto source = find_database(shared_, view(), name);
  if (!source) {
    failure unknown(errc::database_unavailable,
                    fmt::format("Database '{}' does not exist. Make sure that the name is entered correctly.", name));
    unknown.number = 911;
    fail(unknown, out);
    return false;
  }
  if (*source != current_) {
    if (!table_variables_.empty()) {  // they live in the sandbox that is about to go
      fail(failure(errc::not_available, "USE of another data source is not available while there are table variables."),
           out);
      return false;
    }
    current_ = *source;
    home_.reset();  // its catalogue views are of the other one
  }
  if (talk_source_ != *source) forget_talk();
  restored_ = true;  // an earlier connection's conversation does not come before what was just chosen
  const std::string before = database_;
  database_ = catalog::same_name(name, "master") ? "master" : here().database().name;
  out.database_changed(database_, before);
  out.done(tds::command::use, std::nullopt);
  return true;
}

bool gateway_session::transaction(const tsql::transaction_statement& statement, response& out) {
  failure none(errc::syntax, "");
  switch (statement.kind) {
    case tsql::transaction_kind::begin:
      begin_transaction(out);
      out.done(tds::command::begin, std::nullopt);
      return true;
    case tsql::transaction_kind::commit:
      if (commit_transaction(out)) {
        out.done(tds::command::commit, std::nullopt);
        return true;
      }
      none.number = 3902;
      none.message = "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.";
      break;
    case tsql::transaction_kind::rollback:
      if (rollback_transaction(out)) {
        out.done(tds::command::rollback, std::nullopt);
        return true;
      }
      none.number = 3903;
      none.message = "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.";
      break;
    case tsql::transaction_kind::save: out.done(tds::command::none, std::nullopt); return true;
  }
  fail(none, out);
  return false;
}

}  // namespace dragoman::proxy
