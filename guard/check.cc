// One SELECT on its way through the guard: bind, rules, rewrites, print.
#include <fmt/format.h>

#include "guard/context.h"
#include "guard/statement_kind.h"
#include "guard/tsql/printer.h"

namespace dragoman::guard {
namespace {

using tsql::function_access;
using tsql::source_kind;

bool not_hidden(const void* context, const tsql::table_binding& t, std::size_t column) {
  const table_rights* r = static_cast<const policy*>(context)->rights(*t.table);
  return r == nullptr || r->columns[column] != column_right::hidden;
}

bool shown_by_star(const void* context, const tsql::table_binding& t, std::size_t column) {
  return static_cast<const policy*>(context)->may_see(*t.table, column);
}

// A SELECT that failed to bind may still be one for the sandbox: it reads nothing but what lives there.
std::optional<verdict> at_home(const tsql::select_statement& s, const failure& f, const check_options& options) {
  if (options.profile == profile::generated) return std::nullopt;
  const names_read names = read_names(s);
  if (names.warehouse || (names.table_variable && options.table_variables.empty())) return std::nullopt;
  if (names.system) return answer_at_home("bind", "answers from the catalogue that this login may see");
  if (names.temporary || names.table_variable) return answer_at_home("bind", "reads the session's temporary tables");
  if (f.code != errc::not_read_only) return std::nullopt;
  const auto* spec = s.query.specification();
  const bool other_table = spec != nullptr && !spec->into.empty() && !is_session_table(spec->into);
  if (other_table) return std::nullopt;
  return answer_at_home("bind", "assigns the session's variables or temporary tables");
}

// SELECT @@VERSION, SELECT DB_NAME(): nothing of it is in the warehouse.
bool asks_the_session(const tsql::bound_statement& b) {
  bool asks = false;
  for (const auto& call : b.calls) {
    if (call.info == nullptr || call.info->access == function_access::external ||
        call.info->access == function_access::forbidden) {
      return false;
    }
    asks = asks || call.info->access == function_access::session || call.info->access == function_access::metadata;
  }
  if (!asks) return false;
  for (const auto& s : b.sources) {
    if (s.kind == source_kind::table) return false;
  }
  return true;
}

void describe(check_context& c) {
  verdict& out = c.out;
  for (std::size_t s = 0; s < c.bound.sources.size(); ++s) {
    const auto& source = c.bound.sources[s];
    if (source.kind != source_kind::table) continue;
    out.reads_tables = true;
    out.datasource = source.binding.database->datasource;
    out.database = source.binding.database->name;
    out.has_row_filter = out.has_row_filter || c.rights[s]->filter;
    std::string name = source.binding.table->full_name();
    bool known = false;
    for (const auto& t : out.tables) known = known || t == name;
    if (!known) out.tables.push_back(std::move(name));
  }
  out.columns.reserve(c.bound.columns.size());
  for (const auto& col : c.bound.columns) out.columns.push_back({std::string(col.name), col.type, col.nullable});
  for (const auto& v : c.bound.variables) {
    bool known = false;
    for (const auto& p : out.parameters) known = known || p == v.name;
    if (!known) out.parameters.emplace_back(v.name);
  }
}

}  // namespace

verdict refused_by(const failure& f, std::string_view rule) {
  verdict v;
  v.kind = verdict_kind::refuse;
  v.code = f.code;
  v.number = f.number;
  v.message = f.message;
  v.line = f.line;
  v.column = f.column;
  v.rule = rule;
  return v;
}

verdict answer_at_home(std::string_view rule, std::string action) {
  verdict v;
  v.kind = verdict_kind::local;
  v.rule = rule;
  v.action = std::move(action);
  return v;
}

failure verdict::as_failure() const {
  failure f(code, message, line, column);
  f.number = number;
  return f;
}

verdict check(tsql::select_statement s, const policy& principal, const check_options& options) {
  return check_select(std::move(s), principal, options, {});
}

verdict check_select(tsql::select_statement s, const policy& principal, const check_options& options,
                     std::string_view text) {
  const allowlist tables(principal, options, text);
  tsql::bind_options binding;
  binding.variables.reserve(options.parameters.size());
  for (const auto& p : options.parameters) binding.variables.push_back({p.name, p.type});
  binding.exists = not_hidden;
  binding.star_shows = shown_by_star;
  binding.context = &principal;
  auto bound = tsql::bind(s, tables, binding);
  if (!bound) {
    if (auto home = at_home(s, bound.error(), options)) return std::move(*home);
    return refused_by(bound.error(), "bind");
  }
  if (options.profile == profile::sql && asks_the_session(*bound)) {
    return answer_at_home("functions", "answers from the session");
  }
  verdict out;
  out.kind = verdict_kind::accept;
  check_context c{principal, options, s, std::move(*bound), {}, out};
  c.rights.reserve(c.bound.sources.size());
  for (const auto& source : c.bound.sources) {
    c.rights.push_back(source.kind == source_kind::table ? principal.rights(*source.binding.table) : nullptr);
  }
  for (const auto& r : rules()) {
    if (auto refused = r.check(c)) return refused_by(*refused, r.name);
  }
  // What the result looks like is told before the rewrites move the names that it points to.
  describe(c);
  rewrite_names(c);
  apply_row_cap(c);
  out.printed = tsql::print(s);
  return out;
}

}  // namespace dragoman::guard
