// Makes a bound statement stand on its own: columns are qualified by what their table is called after the rewrite, `*`
// is spelled out, tables get their full names and are narrowed. The order matters: column references first, while every
// pointer of the binder holds; then the select lists; the tables last.
#include <algorithm>
#include <functional>
#include <span>

#include "guard/context.h"
#include "guard/narrow.h"
#include "guard/tsql/build.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;
using tsql::nothing;
using tsql::source_kind;

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
    } else if (r.outer && can_be_qualified(c, plans, r.source)) {
      qualifier.name.value = plan.visible;
    }
  }
}

std::vector<tsql::select_item> expanded(const check_context& c, const tsql::bound_star& star,
                                        const std::vector<table_plan>& plans) {
  std::vector<tsql::select_item> items;
  if (star.in_exists) {
    items.push_back(tsql::make_item(tsql::make_int(1)));
    return items;
  }
  const auto& spec = c.bound.specifications[star.specification];
  std::size_t visible_sources = 0;
  for (std::uint32_t s : spec.sources) visible_sources += c.bound.sources[s].consumed ? 0 : 1;
  items.reserve(star.columns.size());
  for (const auto& [s, column] : star.columns) {
    const auto& source = c.bound.sources[s];
    const std::string_view name = source.kind == source_kind::table
                                      ? std::string_view(source.binding.table->columns[column].name)
                                      : source.columns[column].name;
    const bool qualify = visible_sources != 1 || source.specification != star.specification;
    items.push_back(tsql::make_item(qualify && !plans[s].visible.empty() ? tsql::make_column(plans[s].visible, name)
                                                                         : tsql::make_column(name)));
  }
  return items;
}

// All stars of one select list, in their order; the list is made anew once, however many it has.
void expand_stars(std::span<const tsql::bound_star* const> stars, const check_context& c,
                  const std::vector<table_plan>& plans) {
  auto& items = stars.front()->query->items;
  std::vector<tsql::select_item> out;
  std::size_t next = 0;
  for (const tsql::bound_star* star : stars) {
    for (; next < star->item; ++next) out.push_back(std::move(items[next]));
    for (auto& item : expanded(c, *star, plans)) out.push_back(std::move(item));
    ++next;
  }
  for (; next < items.size(); ++next) out.push_back(std::move(items[next]));
  items = std::move(out);
}

}  // namespace

void rewrite_names(check_context& c) {
  std::vector<table_plan> plans = plan_tables(c);
  rewrite_references(c, plans);
  for (tsql::expression* method : c.bound.column_methods) tsql::join_column_method(*method);
  std::vector<const tsql::bound_star*> stars;
  for (const auto& star : c.bound.stars) stars.push_back(&star);
  std::stable_sort(stars.begin(), stars.end(),
                   [](const auto* a, const auto* b) { return std::less<>()(a->query, b->query); });
  for (auto first = stars.begin(); first != stars.end();) {
    const auto end = std::find_if(first, stars.end(), [&](const auto* s) { return s->query != (*first)->query; });
    expand_stars({first, end}, c, plans);
    first = end;
  }
  for (std::uint32_t s = 0; s < plans.size(); ++s) {
    if (c.bound.sources[s].kind == source_kind::table) narrow_table(c, s, plans[s]);
  }
}

}  // namespace dragoman::guard
