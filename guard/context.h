// What a rule or a rewrite works on: one bound SELECT with the principal's rights beside each of its tables. Internal
// to guard/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/guard.h"
#include "guard/tsql/binder.h"

namespace dragoman::guard {

struct check_context {
  const policy& principal;
  const check_options& options;
  tsql::select_statement& statement;
  tsql::bound_statement bound;
  std::vector<const table_rights*> rights;  // by source; nullptr for what is no table
  verdict& out;

  bool generated() const noexcept { return options.profile == profile::generated; }
  const tsql::bound_source& source_of(const tsql::bound_reference& r) const { return bound.sources[r.source]; }
  void notice(std::string text) { out.notices.push_back(std::move(text)); }
};

inline failure refuse_at(errc code, std::string message, tsql::source_position at, std::int32_t number = 0) {
  failure f(code, std::move(message), at.line, at.column);
  f.number = number;
  return f;
}

// The parts of a name with dots between them, as messages and headings show it (rules/tables.cc).
std::string as_written(const tsql::object_name&);

// A rule looks and says nothing (it holds) or why the statement is refused. It may add notices and drop what the policy
// drops, but decides nothing that another rule decides.
using rule_function = std::optional<failure> (*)(check_context&);

struct rule {
  std::string_view name;
  rule_function check;
};

// `text` is what the tree was parsed from, empty where that is not known.
verdict check_select(tsql::select_statement, const policy&, const check_options&, std::string_view text);
verdict check_statement(const tsql::statement&, const policy&, const check_options&, std::string_view text);

// In the order in which they are asked (rules/rules.cc): the one list of rules.
const std::vector<rule>& rules();

// Names of tables for the binder: the allowlist (rules/tables.cc).
class allowlist final : public tsql::table_resolver {
 public:
  allowlist(const policy& principal, const check_options& options, std::string_view text)
      : principal_(principal), options_(options), text_(text) {}
  result<tsql::table_binding> resolve(const tsql::object_name&) const override;
  bool same_database(std::string_view name, const catalog::database&) const override;

 private:
  result<tsql::table_binding> resolve_bare(const tsql::object_name&, const database_policy&) const;

  const policy& principal_;
  const check_options& options_;
  std::string_view text_;
};

// sys.*, INFORMATION_SCHEMA.* and the old compatibility views (rules/system_objects.cc).
bool is_system_object(const tsql::object_name&);
// #temp: lives in the sandbox.
bool is_temporary(const tsql::object_name&);

// What a statement reads, by name only.
struct names_read {
  bool warehouse = false;  // anything that is neither a CTE, a system object nor a temporary table
  bool system = false;
  bool temporary = false;
  bool table_variable = false;
};
template <class Node>
names_read read_names(const Node&);
extern template names_read read_names(const tsql::select_statement&);
extern template names_read read_names(const tsql::expression&);

// ---- rewrites, in order (rewrite.cc) ------------------------------------------------------------------------------
void rewrite_names(check_context&);  // qualify, expand *, narrow (rewrite_names.cc, narrow.cc)
void apply_row_cap(check_context&);  // row_cap.cc

}  // namespace dragoman::guard
