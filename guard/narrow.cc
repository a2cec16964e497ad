#include "guard/narrow.h"

#include "guard/required.h"
#include "guard/tsql/build.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;
using tsql::bound_source;
using tsql::source_kind;

// Whether the name means something else too: another source of the same FROM, or another table anywhere in the
// statement (schema.table in front of a column tells them apart, the alias that replaces it would not).
bool taken(const check_context& c, std::uint32_t self, const std::string& name) {
  const bound_source& own = c.bound.sources[self];
  for (std::uint32_t s = 0; s < c.bound.sources.size(); ++s) {
    const bound_source& other = c.bound.sources[s];
    if (s == self || !same_name(other.exposed, name)) continue;
    if (other.specification == own.specification || other.binding.table != own.binding.table) return true;
  }
  return false;
}

// The alias for a table that has none, where it needs one.
std::string new_alias(const check_context& c, std::uint32_t s, bool narrow) {
  const bound_source& source = c.bound.sources[s];
  const auto& named = *source.node->as<tsql::named_table>();
  const std::string exposed(source.exposed);
  if (taken(c, s, exposed)) {
    std::string alias = source.binding.table->schema + "_" + source.binding.table->name;
    while (taken(c, s, alias)) alias += "_";
    return alias;
  }
  if (c.bound.specifications[source.specification].for_auto) return as_written(named.name);
  return narrow ? exposed : std::string();
}

tsql::box<tsql::expression> condition_of(const check_context& c, std::uint32_t s) {
  const table_rights& rights = *c.rights[s];
  std::vector<tsql::expression> all;
  if (rights.filter) all.push_back(*rights.filter);
  for (const auto& f : rights.required_filters) {
    if (f.predicate && !has_required_filter(c, s, f)) all.push_back(*f.predicate);
  }
  for (const auto& j : rights.required_joins) {
    if (j.on && !has_required_join(c, s, j)) all.push_back(*j.on);
  }
  return tsql::make_and(std::move(all));
}

bool is_used(const check_context& c, std::uint32_t source, std::size_t column) {
  for (const auto& r : c.bound.references) {
    if (r.source == source && r.column == column) return true;
  }
  return false;
}

bool reads_uncommitted(const std::vector<tsql::table_hint>& hints) {
  for (const auto& h : hints) {
    if (h.name == "NOLOCK" || h.name == "READUNCOMMITTED") return true;
  }
  return false;
}

void plan_table(const check_context& c, std::uint32_t s, table_plan& plan) {
  const bound_source& source = c.bound.sources[s];
  plan.alias = source.aliased ? std::string(source.exposed) : new_alias(c, s, plan.narrow);
  if (!plan.alias.empty()) plan.visible = plan.alias;
}

}  // namespace

bool can_be_qualified(const check_context& c, const std::vector<table_plan>& plans, std::uint32_t source) {
  if (plans[source].visible.empty()) return false;
  for (std::uint32_t s = 0; s < plans.size(); ++s) {
    if (s != source && same_name(plans[s].visible, plans[source].visible)) return false;
  }
  return !c.bound.sources[source].consumed;
}

std::vector<table_plan> plan_tables(const check_context& c) {
  std::vector<table_plan> plans(c.bound.sources.size());
  for (std::uint32_t s = 0; s < plans.size(); ++s) {
    const bound_source& source = c.bound.sources[s];
    table_plan& plan = plans[s];
    plan.visible = std::string(source.exposed);
    if (source.kind != source_kind::table) continue;
    plan.condition = condition_of(c, s);
    // PIVOT groups by every column that it is given, so it is given none that the catalogue does not know.
    plan.narrow = c.rights[s]->restricted || plan.condition || source.consumed;
    plan_table(c, s, plan);
  }
  // A bare name that means an outer query's column and has to stay bare could be taken by a column that an inner table
  // has upstream and the catalogue does not know: then every table shows only what the catalogue knows.
  bool bare = false;
  for (const auto& r : c.bound.references) {
    bare = bare || (r.outer && r.node->table.empty() && !can_be_qualified(c, plans, r.source));
  }
  for (std::uint32_t s = 0; bare && s < plans.size(); ++s) {
    if (c.bound.sources[s].kind != source_kind::table || plans[s].narrow) continue;
    plans[s].narrow = true;
    plan_table(c, s, plans[s]);
  }
  return plans;
}

void narrow_table(check_context& c, std::uint32_t s, table_plan& plan) {
  const bound_source& source = c.bound.sources[s];
  const catalog::table& table = *source.binding.table;
  auto& named = *source.node->as<tsql::named_table>();
  named.name = tsql::make_name(source.binding.database->name, table.schema, table.name);
  if ((c.options.nolock || c.rights[s]->nolock) && !reads_uncommitted(named.hints)) {
    tsql::table_hint nolock;
    nolock.name = "NOLOCK";
    named.hints.push_back(std::move(nolock));
  }
  if (!plan.narrow) {
    named.alias.name.value = plan.alias;
    return;
  }
  std::vector<tsql::select_item> items;
  items.reserve(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const column_right right = c.rights[s]->columns[i];
    // A join-only column is there only for the join that passed its rule.
    const bool shown = right == column_right::allowed || (right == column_right::join_only && is_used(c, s, i));
    if (shown) items.push_back(tsql::make_item(tsql::make_column(table.columns[i].name)));
  }
  if (items.empty()) items.push_back(tsql::make_item(tsql::make_int(1), "_"));
  tsql::named_table inner = std::move(named);
  inner.alias = {};
  std::vector<tsql::table_source> from;
  from.push_back(tsql::table_source{tsql::table_node(std::move(inner)), {}});
  tsql::query_expression query = tsql::make_select(std::move(items), std::move(from));
  query.specification()->where = std::move(plan.condition);
  tsql::derived_table derived;
  derived.query = std::move(query);
  derived.alias.name.value = plan.alias;
  source.node->node = std::move(derived);
}

}  // namespace dragoman::guard
