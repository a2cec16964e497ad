// Measures of parts: means over periods, members without any, shares, the first of each group.

#include <algorithm>
#include <set>

#include "guard/tsql/printer.h"
#include "nlq/aggregate_compiler.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

// "average monthly sales": the measure of each period, then their mean.
compiled aggregate_compiler::mean_over_periods() {
  const metric_use& u = q_.metrics[0];
  query_intent inner_intent = q_;
  group time;
  time.time = u.averaged_over;
  std::vector<group_columns> groups = group_list();
  group_columns period_columns = columns_of(time, q_, layer_, *b_, true);
  std::vector<select_item> items, outer;
  std::vector<expression> keys, outer_keys;
  std::vector<std::string> names;
  for (const group_columns& g : groups) {
    for (const shown_column& c : g.shown) {
      items.push_back(make_item(c.value, c.alias));
      outer.push_back(make_item(make_column("x", c.alias), c.alias));
      outer_keys.push_back(make_column("x", c.alias));
      names.push_back(c.alias);
    }
    keys.insert(keys.end(), g.keys.begin(), g.keys.end());
  }
  keys.insert(keys.end(), period_columns.keys.begin(), period_columns.keys.end());
  items.push_back(make_item(final_value(measures_[0], u, narrowed(measures_[0], nullptr, false)), "v"));
  query_expression inner = grouped(std::move(items), std::move(keys));
  const std::string alias = "average_" + measures_[0].alias;
  outer.push_back(make_item(make_call("AVG", {multiply(make_decimal("1.0"), make_column("x", "v"))}), alias));
  names.push_back(alias);
  std::vector<table_source> from;
  from.push_back(make_derived(std::move(inner), "x"));
  query_expression e = make_select(std::move(outer), std::move(from));
  if (!outer_keys.empty()) {
    group_by_clause by;
    for (expression& k : outer_keys) by.elements.push_back(make_grouping(k));
    e.specification()->group_by = by;
    e.order_by.push_back(make_order(outer_keys.front()));
  }
  compiled out;
  place(out, std::move(e), std::move(names), false);
  return out;
}

// "fewer than N": members without any row count as zero, so they come from their own table.
compiled aggregate_compiler::with_missing() {
  const dimension& d = *layer_.find_dimension(q_.groups[0].dimension);
  const std::string role_id = b_->role_of(d, q_.groups[0].role);
  expression key = b_->column(role_id, d.key);
  query_expression inner =
      grouped({make_item(key, "k"), make_item(narrowed(measures_[0], nullptr, false), "v")}, {key});
  select_builder entity(layer_, role_id);
  expression value = make_call("COALESCE", {make_column("x", "v"), make_int(0)});
  expression name = entity.column(role_id, d.name.in(q_.lang));
  std::vector<select_item> items{make_item(name, d.alias), make_item(value, measures_[0].alias)};
  std::vector<expression> where{
      compare_numbers(q_.conditions[0].op, value, q_.conditions[0].low, q_.conditions[0].high)};
  for (const value_filter& f : q_.filters) {
    const dimension* fd = layer_.find_dimension(f.dimension);
    if (fd == nullptr || !fd->cases.empty()) continue;
    std::string wanted = f.role;
    if (wanted.empty() && !fd->roles.empty()) wanted = fd->roles.front();
    if (layer_.path(role_id, wanted)) where.push_back(entity.where_value(f));
  }
  expression key_outer = entity.column(role_id, d.key);
  std::vector<table_source> from = entity.from();
  from[0] = make_join(join_kind::left, std::move(from[0]), make_derived(std::move(inner), "x"),
                      make_equal(make_column("x", "k"), std::move(key_outer)));
  query_expression e = make_select(std::move(items), std::move(from));
  e.specification()->where = make_and(std::move(where));
  e.order_by.push_back(make_order(value, true));
  e.order_by.push_back(make_order(name));
  compiled out;
  place(out, std::move(e), {d.alias, measures_[0].alias}, false);
  return out;
}

compiled aggregate_compiler::part_share() {
  std::vector<expression> part;
  for (const value_filter& f : q_.part) part.push_back(b_->where_value(f));
  // Values of one dimension are alternatives, of several they all hold.
  bool one_dimension = std::all_of(q_.part.begin(), q_.part.end(),
                                   [&](const value_filter& f) { return f.dimension == q_.part[0].dimension; });
  expression condition_part = one_dimension ? *make_or(std::move(part)) : *make_and(std::move(part));
  const measure& m = measures_.front();
  if (!m.additive) throw cannot_compile{"a share of " + m.alias};
  expression value = divide(multiply(make_decimal("100.0"), narrowed(m, &condition_part, true)),
                            nullif_zero(narrowed(m, nullptr, false)));
  std::vector<group_columns> groups = group_list();
  auto [items, keys, names, timed] = selected(groups);
  items.push_back(make_item(value, "share_pct"));
  names.push_back("share_pct");
  query_expression e = grouped(std::move(items), std::move(keys));
  if (q_.top) e.specification()->top = make_top(q_.top->rows);
  if (timed) {
    for (const group_columns& g : groups) {
      for (const expression& o : g.order) e.order_by.push_back(make_order(o));
    }
  } else if (!groups.empty()) {
    e.order_by.push_back(make_order(value, !q_.top || q_.top->descending));
    for (const expression& o : groups.front().order) e.order_by.push_back(make_order(o));
  }
  compiled out;
  place(out, std::move(e), std::move(names), q_.top.has_value() || (timed && groups.size() == 1));
  return out;
}

// One figure: what the first N have of the whole.
compiled aggregate_compiler::top_share() {
  std::vector<group_columns> groups = group_list();
  if (groups.empty() || !measures_.front().additive) throw cannot_compile{"a share of the first"};
  expression value = narrowed(measures_.front(), nullptr, false);
  expression rank = windowed_call(make_call("ROW_NUMBER"), {}, {make_order(value, q_.top->descending)});
  query_expression inner = grouped({make_item(value, "v"), make_item(rank, "rn")}, groups.front().keys);
  expression first =
      make_case({{make_comparison(comparison_operator::less_or_equal, make_column("x", "rn"), make_int(q_.top->rows)),
                  make_column("x", "v")}},
                make_int(0));
  if (q_.share == share_kind::top_sum) {
    const std::string name = "top" + std::to_string(q_.top->rows) + "_" + measures_.front().alias;
    std::vector<table_source> of;
    of.push_back(make_derived(std::move(inner), "x"));
    expression sum = final_value(measures_.front(), q_.metrics.front(), make_call("SUM", {std::move(first)}));
    compiled one;
    place(one, make_select({make_item(std::move(sum), name)}, std::move(of)), {name}, false);
    return one;
  }
  expression share = divide(multiply(make_decimal("100.0"), make_call("SUM", {std::move(first)})),
                            nullif_zero(make_call("SUM", {make_column("x", "v")})));
  const std::string alias = "top" + std::to_string(q_.top->rows) + "_share_pct";
  std::vector<table_source> from;
  from.push_back(make_derived(std::move(inner), "x"));
  compiled out;
  place(out, make_select({make_item(std::move(share), alias)}, std::move(from)), {alias}, false);
  return out;
}

// "top 3 customers in each hall"
compiled aggregate_compiler::top_within() {
  std::vector<group_columns> groups = group_list();
  const std::size_t outer_group = *q_.top->within;
  std::vector<select_item> items, shown;
  std::vector<expression> keys, partition;
  std::vector<std::string> names;
  std::vector<order_item> order;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const shown_column& c : groups[g].shown) {
      items.push_back(make_item(c.value, c.alias));
      shown.push_back(make_item(make_column("x", c.alias), c.alias));
      names.push_back(c.alias);
    }
    keys.insert(keys.end(), groups[g].keys.begin(), groups[g].keys.end());
    if (g == outer_group) {
      partition.insert(partition.end(), groups[g].keys.begin(), groups[g].keys.end());
      order.push_back(make_order(make_column("x", groups[g].shown.front().alias)));
    }
  }
  std::vector<expression> values;
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    values.push_back(final_value(measures_[i], q_.metrics[i], narrowed(measures_[i], nullptr, false)));
    items.push_back(make_item(values.back(), measures_[i].alias));
    shown.push_back(make_item(make_column("x", measures_[i].alias), measures_[i].alias));
    names.push_back(measures_[i].alias);
  }
  std::vector<order_item> by{make_order(values[q_.top->metric], q_.top->descending)};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (g == outer_group) continue;
    for (const expression& o : groups[g].order) by.push_back(make_order(o));
  }
  items.push_back(make_item(windowed_call(make_call("ROW_NUMBER"), partition, std::move(by)), "rn"));
  query_expression inner = grouped(std::move(items), std::move(keys));
  std::vector<table_source> from;
  from.push_back(make_derived(std::move(inner), "x"));
  query_expression e = make_select(std::move(shown), std::move(from));
  e.specification()->where =
      make_comparison(comparison_operator::less_or_equal, make_column("x", "rn"), make_int(q_.top->rows));
  order.push_back(make_order(make_column("x", "rn")));
  e.order_by = std::move(order);
  compiled out;
  place(out, std::move(e), std::move(names), true);
  return out;
}

}  // namespace dragoman::nlq
