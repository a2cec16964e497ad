// Makes a bound statement stand on its own: columns are qualified by what their table is called after the rewrite, `*`
// is spelled out, tables get their full names and are narrowed. The order matters: column references first, while every
// pointer of the binder holds; then the select lists; the tables last.
#include "guard/context.h"
#include "guard/narrow.h"
#include "guard/tsql/build.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;
using tsql::nothing;
using tsql::source_kind;

// A name that an inner query resolved in an outer one is qualified, so that no column that the inner tables may have
// upstream can take it.
bool shadowed(const check_context& c, const std::vector<table_plan>& plans, std::uint32_t source) {
  for (std::uint32_t s = 0; s < plans.size(); ++s) {
    if (s != source && same_name(plans[s].visible, plans[source].visible)) return true;
  }
  return c.bound.sources[source].consumed;
}

void rewrite_references(check_context& c, const std::vector<table_plan>& plans) {
  for (const auto& r : c.bound.references) {
    const table_plan& plan = plans[r.source];
    tsql::object_name& qualifier = r.node->table;
    if (!qualifier.empty()) {
      if (c.bound.sources[r.source].kind == source_kind::table &&
          (!qualifier.one_part() || qualifier.name.value != plan.visible)) {
        qualifier = {};
        qualifier.name.value = plan.visible;
      }
    } else if (r.outer && !plan.visible.empty() && !shadowed(c, plans, r.source)) {
      qualifier.name.value = plan.visible;
    }
  }
}

void expand_star(const check_context& c, const tsql::bound_star& star, const std::vector<table_plan>& plans) {
  auto& items = star.query->items;
  const auto at = items.begin() + static_cast<std::ptrdiff_t>(star.item);
  if (star.in_exists) {
    *at = tsql::make_item(tsql::make_int(1));
    return;
  }
  const auto& spec = c.bound.specifications[star.specification];
  std::size_t visible_sources = 0;
  for (std::uint32_t s : spec.sources) visible_sources += c.bound.sources[s].consumed ? 0 : 1;
  std::vector<tsql::select_item> expanded;
  expanded.reserve(star.columns.size());
  for (const auto& [s, column] : star.columns) {
    const auto& source = c.bound.sources[s];
    const std::string_view name = source.kind == source_kind::table
                                      ? std::string_view(source.binding.table->columns[column].name)
                                      : source.columns[column].name;
    const bool qualify = visible_sources != 1 || source.specification != star.specification;
    expanded.push_back(tsql::make_item(qualify && !plans[s].visible.empty() ? tsql::make_column(plans[s].visible, name)
                                                                            : tsql::make_column(name)));
  }
  const auto next = items.erase(at);
  items.insert(next, std::make_move_iterator(expanded.begin()), std::make_move_iterator(expanded.end()));
}

}  // namespace

void rewrite_names(check_context& c) {
  std::vector<table_plan> plans = plan_tables(c);
  rewrite_references(c, plans);
  for (tsql::expression* method : c.bound.column_methods) tsql::join_column_method(*method);
  // From the last to the first, so that the positions of those before stay right.
  for (auto star = c.bound.stars.rbegin(); star != c.bound.stars.rend(); ++star) expand_star(c, *star, plans);
  for (std::uint32_t s = 0; s < plans.size(); ++s) {
    if (c.bound.sources[s].kind == source_kind::table) narrow_table(c, s, plans[s]);
  }
}

}  // namespace dragoman::guard
