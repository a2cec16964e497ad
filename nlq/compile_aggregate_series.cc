// Measures against each other: two periods, and series with running figures, ranks or growth.

#include <algorithm>
#include <set>

#include "guard/tsql/printer.h"
#include "nlq/aggregate_compiler.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

compiled aggregate_compiler::compared() {
  const std::string date_role = b_->time_role();
  const period &first = q_.periods[0], &second = q_.periods[1];
  expression in_first = b_->where_period(first, date_role), in_second = b_->where_period(second, date_role);
  const calendar_kind cal = q_.calendar;
  const civil_date a = date_in(cal, *first.first), b = date_in(cal, *second.first);
  const bool aligned = first.calendar_aligned && second.calendar_aligned && first.calendar == cal &&
                       second.calendar == cal && first.unit == second.unit && !first.fiscal && !second.fiscal;
  compiled out;
  std::vector<select_item> items;
  std::vector<expression> keys;
  std::vector<std::string> names;
  const calendar_columns* columns = layer_.find_calendar(cal);

  if (q_.compare == compare_kind::side_by_side && q_.groups.empty()) {
    // Rows for each period, told apart by what differs between them.
    std::vector<expression> order;
    auto show = [&](grain g, bool with_name) {
      const grain_columns& c = columns->grains.at(g);
      expression number = b_->over_date(c.number, date_role);
      items.push_back(make_item(number, c.number_alias));
      names.push_back(c.number_alias);
      keys.push_back(number);
      order.push_back(number);
      if (with_name && !c.name.empty()) {
        expression name = b_->over_date(c.name, date_role);
        items.push_back(make_item(name, c.name_alias));
        names.push_back(c.name_alias);
        keys.push_back(name);
      }
    };
    const bool same_months = aligned && a.month == b.month && a.year != b.year &&
                             date_in(cal, *first.last).month == date_in(cal, *second.last).month;
    if (aligned && (first.unit == grain::year || same_months)) {
      show(grain::year, false);
    } else if (aligned && (first.unit == grain::month || first.unit == grain::quarter) && first.first &&
               date_in(cal, *first.last).month - a.month < 3) {
      const bool one_year = a.year == b.year;
      if (!one_year) show(grain::year, false);
      show(first.unit, one_year);
    } else {
      expression label =
          make_case({{in_first, make_string(period_text(first, q_.lang))}}, make_string(period_text(second, q_.lang)));
      items.push_back(make_item(label, "period"));
      names.push_back("period");
      keys.push_back(label);
      order.push_back(make_call("MIN", {b_->column(date_role, layer_.date_column)}));
    }
    add_where(*make_or({in_first, in_second}));
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      items.push_back(make_item(final_value(measures_[i], q_.metrics[i], narrowed(measures_[i], nullptr, false)),
                                measures_[i].alias));
      names.push_back(measures_[i].alias);
    }
    query_expression e = grouped(std::move(items), std::move(keys));
    for (expression& o : order) e.order_by.push_back(make_order(std::move(o)));
    place(out, std::move(e), std::move(names), false);
    return out;
  }

  std::vector<group_columns> groups = group_list();
  for (const group_columns& g : groups) {
    for (const shown_column& c : g.shown) {
      items.push_back(make_item(c.value, c.alias));
      names.push_back(c.alias);
    }
    keys.insert(keys.end(), g.keys.begin(), g.keys.end());
  }
  auto suffix = [&](const civil_date& d, const period& p) {
    std::string s = "_" + std::to_string(d.year);
    if (p.unit != grain::year || !aligned) s += (d.month < 10 ? "_0" : "_") + std::to_string(d.month);
    if (!p.calendar_aligned) s += (d.day < 10 ? "_0" : "_") + std::to_string(d.day);
    return s;
  };
  add_where(*make_or({in_first, in_second}));
  std::vector<expression> having;
  expression order_value = make_int(1);
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    expression before = final_value(measures_[i], q_.metrics[i], narrowed(measures_[i], &in_first, true));
    expression after = final_value(measures_[i], q_.metrics[i], narrowed(measures_[i], &in_second, true));
    expression change = divide(multiply(make_decimal("100.0"), make_binary(binary_operator::subtract, after, before)),
                               nullif_zero(before));
    const bool amounts = q_.compare != compare_kind::change_percent;
    const bool percent = q_.compare == compare_kind::change_percent || q_.compare == compare_kind::change_and_amounts;
    if (amounts) {
      names.push_back(measures_[i].alias + suffix(a, first));
      items.push_back(make_item(before, names.back()));
      names.push_back(measures_[i].alias + suffix(b, second));
      items.push_back(make_item(after, names.back()));
      order_value = after;
    }
    if (percent) {
      names.push_back(measures_.size() == 1 ? "growth_pct" : measures_[i].alias + "_growth_pct");
      items.push_back(make_item(change, names.back()));
      order_value = change;
    }
    if (i == 0 && q_.compare == compare_kind::second_greater)
      having.push_back(make_comparison(comparison_operator::greater, after, before));
    if (i == 0 && q_.compare == compare_kind::second_less)
      having.push_back(make_comparison(comparison_operator::less, after, before));
    if (i == 0 && q_.change_op) having.push_back(compare_numbers(*q_.change_op, change, q_.change_threshold, ""));
  }
  query_expression e = grouped(std::move(items), std::move(keys));
  e.specification()->having = make_and(std::move(having));
  if (q_.top) e.specification()->top = make_top(q_.top->rows);
  if (!groups.empty()) {
    e.order_by.push_back(make_order(order_value, !q_.top || q_.top->descending));
    for (const expression& o : groups.front().order) e.order_by.push_back(make_order(o));
  }
  place(out, std::move(e), std::move(names), q_.top.has_value());
  return out;
}

compiled aggregate_compiler::windowed() {
  compiled out;
  std::vector<group_columns> groups = group_list();
  std::vector<select_item> items, shown;
  std::vector<expression> keys;
  std::vector<std::string> names;
  std::vector<expression> partition, time_order;
  bool timed = false;
  for (const group_columns& g : groups) timed = timed || g.time;
  if (q_.window == window_kind::rank) {
    // The first thing that is no time is ranked, within everything else.
    std::size_t ranked = groups.size();
    for (std::size_t g = 0; g < groups.size() && ranked == groups.size(); ++g) {
      if (!groups[g].time) ranked = g;
    }
    if (ranked == groups.size()) ranked = 0;
    std::vector<order_item> order;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const shown_column& c : groups[g].shown) {
        items.push_back(make_item(c.value, c.alias));
        names.push_back(c.alias);
        if (g != ranked) partition.push_back(c.value);
      }
      keys.insert(keys.end(), groups[g].keys.begin(), groups[g].keys.end());
      if (g != ranked) {
        for (const expression& o : groups[g].order) order.push_back(make_order(o));
      }
    }
    expression value = final_value(measures_[0], q_.metrics[0], narrowed(measures_[0], nullptr, false));
    expression rank = windowed_call(make_call("RANK"), partition, {make_order(value, true)});
    items.push_back(make_item(value, measures_[0].alias));
    names.push_back(measures_[0].alias);
    items.push_back(make_item(rank, measures_[0].alias + "_rank"));
    names.push_back(measures_[0].alias + "_rank");
    query_expression e = grouped(std::move(items), std::move(keys));
    order.push_back(make_order(value, true));
    if (ranked < groups.size()) {
      for (const expression& o : groups[ranked].order) order.push_back(make_order(o));
    }
    e.order_by = std::move(order);
    place(out, std::move(e), std::move(names), true);
    return out;
  }

  std::vector<order_item> final_order;
  for (const group_columns& g : groups) {
    for (const shown_column& c : g.shown) {
      items.push_back(make_item(c.value, c.alias));
      shown.push_back(make_item(make_column("x", c.alias), c.alias));
      names.push_back(c.alias);
      if (!g.time) partition.push_back(make_column("x", c.alias));
    }
    keys.insert(keys.end(), g.keys.begin(), g.keys.end());
    if (!g.time) continue;
    for (const expression& o : g.order) {
      for (const shown_column& c : g.shown) {
        if (c.value == o) time_order.push_back(make_column("x", c.alias));
      }
    }
  }
  if (time_order.empty()) throw cannot_compile{"a running figure without time"};
  items.push_back(
      make_item(final_value(measures_[0], q_.metrics[0], narrowed(measures_[0], nullptr, false)), measures_[0].alias));
  shown.push_back(make_item(make_column("x", measures_[0].alias), measures_[0].alias));
  names.push_back(measures_[0].alias);
  query_expression inner = grouped(std::move(items), std::move(keys));
  std::vector<order_item> order;
  for (const expression& o : time_order) order.push_back(make_order(o));
  expression value = make_column("x", measures_[0].alias);
  auto rows_until_now = [&](bool unbounded, int preceding) {
    window_frame f;
    f.unit = frame_unit::rows;
    f.start.kind = unbounded ? frame_bound_kind::unbounded_preceding : frame_bound_kind::preceding;
    if (!unbounded) f.start.offset = make_int(preceding);
    f.end = frame_bound{frame_bound_kind::current_row, {}};
    return f;
  };
  std::string alias;
  expression extra;
  if (q_.window == window_kind::running_total) {
    alias = "running_total";
    extra = windowed_call(make_call("SUM", {value}), partition, order, rows_until_now(true, 0));
  } else if (q_.window == window_kind::moving_average) {
    alias = "moving_average_" + std::to_string(q_.window_rows);
    extra = windowed_call(make_call("AVG", {value}), partition, order,
                          rows_until_now(false, std::max(0, q_.window_rows - 1)));
  } else {
    alias = "growth_pct";
    expression before = windowed_call(make_call("LAG", {value}), partition, order);
    extra = divide(multiply(make_decimal("100.0"), make_binary(binary_operator::subtract, value, before)),
                   nullif_zero(before));
  }
  shown.push_back(make_item(std::move(extra), alias));
  names.push_back(alias);
  std::vector<table_source> from;
  from.push_back(make_derived(std::move(inner), "x"));
  query_expression e = make_select(std::move(shown), std::move(from));
  for (const expression& p : partition) e.order_by.push_back(make_order(p));
  for (order_item& o : order) e.order_by.push_back(std::move(o));
  place(out, std::move(e), std::move(names), partition.empty());
  return out;
}

}  // namespace dragoman::nlq
