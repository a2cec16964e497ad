// Measures by groups: their conditions, totals and rankings.

#include <algorithm>
#include <set>

#include "guard/tsql/printer.h"
#include "nlq/aggregate_compiler.h"
#include "nlq/compile_compose.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

namespace {

cannot_compile several_currencies(language lang) {
  return {lang == language::persian ? "مبالغ چند ارز در یک رقم" : "amounts of several currencies in one figure"};
}

}  // namespace

std::string aggregate_compiler::base_of(const metric_use& u) const {
  std::string own;
  if (const metric* m = layer_.find_metric(u.metric)) {
    own = m->base;
  } else if (const dimension* d = layer_.find_dimension(u.counted); d != nullptr && !d->roles.empty()) {
    own = u.counted_from_fact && !layer_.details.empty() ? layer_.details.front().role : d->roles.front();
  }
  if (own.empty()) throw cannot_compile{u.metric};
  return own;
}

std::vector<std::string> aggregate_compiler::base_roles() const {
  std::vector<std::string> bases;
  auto add = [&](const std::string& base) {
    if (std::find(bases.begin(), bases.end(), base) == bases.end()) bases.push_back(base);
  };
  for (const metric_use& u : q_.metrics) {
    add(base_of(u));
    if (u.per_metric.empty() || u.per_metric[0] == '@') continue;
    const metric* below = layer_.find_metric(u.per_metric);
    if (below == nullptr) throw cannot_compile{u.per_metric};
    add(below->base);
  }
  if (bases.empty()) throw cannot_compile{"no measure"};
  return bases;
}

std::vector<condition> aggregate_compiler::conditions_of(const std::vector<std::string>& required,
                                                         const std::vector<std::string>& defaults,
                                                         const std::vector<value_filter>& own) {
  std::vector<condition> out;
  auto named_by_question = [&](const std::string& dimension_id) {
    auto names = [&](const std::vector<value_filter>& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const value_filter& f) { return f.dimension == dimension_id && !f.negated; });
    };
    return names(q_.filters) || names(own) || names(q_.part);
  };
  auto grouped_by = [&](const std::string& dimension_id) {
    return std::any_of(q_.groups.begin(), q_.groups.end(), [&](const group& g) { return g.dimension == dimension_id; });
  };
  auto add = [&](const std::string& id) {
    const named_filter* f = layer_.find_filter(id);
    if (f == nullptr) return;
    if (!f->dimension.empty() && named_by_question(f->dimension)) {
      std::size_t named = 0;
      for (const auto* list : {&q_.filters, &own})
        for (const value_filter& x : *list)
          if (x.dimension == f->dimension && !x.negated) named += x.values.size();
      if (f->yields_to_grouping && named > 1 && !grouped_by(f->dimension)) throw several_currencies(q_.lang);
      return;
    }
    if (f->yields_to_grouping && grouped_by(f->dimension)) return;
    const auto widened =
        std::find_if(q_.opened.begin(), q_.opened.end(), [&](const auto& o) { return o.filter == id; });
    // "Not in rials": what is left are amounts of several currencies, which are not added.
    const bool opened = f->yields_to_grouping && std::any_of(q_.filters.begin(), q_.filters.end(), [&](const auto& x) {
                          return x.dimension == f->dimension && x.negated;
                        });
    if (opened || (f->yields_to_grouping && widened != q_.opened.end())) {
      throw several_currencies(q_.lang);
    }
    if (widened != q_.opened.end()) {
      if (!widened->also) return;
      out.push_back(b_->keyed(std::move(*make_or({b_->resolve(f->condition), b_->where_value(*widened->also)}))));
    } else {
      out.push_back(b_->keyed(b_->resolve(f->condition)));
    }
    applied_.push_back(id);
  };
  for (const std::string& id : required) add(id);
  for (const std::string& id : defaults) add(id);
  for (const value_filter& f : own) out.push_back(b_->keyed(b_->where_value(f)));
  return out;
}

measure aggregate_compiler::measure_of(const metric_use& u) {
  measure out;
  const metric* m = layer_.find_metric(u.metric);
  if (m == nullptr) {
    const dimension* d = layer_.find_dimension(u.counted);
    if (d == nullptr) throw cannot_compile{u.counted};
    const std::string role_id = b_->role_of(*d, "");
    if (role_id == b_->base() && !d->key.empty()) {
      out.value = make_count_star();
    } else {
      function_call count =
          *make_call("COUNT", {b_->column(role_id, d->key.empty() ? d->value_column : d->key)}).as<function_call>();
      count.quantifier = set_quantifier::distinct;
      out.value = make(count);
    }
    out.alias = d->alias + "_count";
    const event* happened = layer_.find_event(u.counted_event);
    out.when = conditions_of(happened != nullptr ? happened->filters : std::vector<std::string>{}, {}, u.filters);
    return out;
  }
  const expression& formula = u.variant == metric_variant::minimum && m->minimum   ? *m->minimum
                              : u.variant == metric_variant::maximum && m->maximum ? *m->maximum
                                                                                   : m->formula;
  out.value = b_->resolve(formula);
  out.additive = !m->averaged;
  out.money = m->unit == measure_unit::money || m->unit == measure_unit::money_per_quantity;
  out.alias = m->alias;
  if (u.variant == metric_variant::minimum)
    out.alias = "min_" + (m->id == "average_price" ? std::string("price") : m->alias);
  if (u.variant == metric_variant::maximum)
    out.alias = "max_" + (m->id == "average_price" ? std::string("price") : m->alias);
  out.when = conditions_of(m->filters, m->defaults, u.filters);
  if (u.filters.size() == 1) {
    std::string word = u.filters[0].values.front();
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c == ' ' ? '_' : c);
    out.alias = word + "_" + out.alias;
  }
  if (!u.per_metric.empty()) {
    out.has_ratio = true;
    out.as_percent = u.as_percent;
    if (u.per_metric[0] == '@') {
      const dimension* d = layer_.find_dimension(u.per_metric.substr(1));
      if (d == nullptr) throw cannot_compile{u.per_metric};
      function_call count = *make_call("COUNT", {b_->column(b_->role_of(*d, ""), d->key)}).as<function_call>();
      count.quantifier = set_quantifier::distinct;
      out.below = make(count);
      out.alias += "_per_" + d->alias;
      out.below_when = out.when;
    } else {
      const metric* below = layer_.find_metric(u.per_metric);
      if (below == nullptr) throw cannot_compile{u.per_metric};
      out.below = b_->resolve(below->formula);
      out.below_when = u.per_shares_filters ? out.when : conditions_of(below->filters, below->defaults, u.per_filters);
      out.alias = u.as_percent ? out.alias + "_pct" : "average_" + out.alias + "_per_" + below->alias;
    }
  }
  return out;
}

// What every measure demands goes to WHERE; what only some demand stays with them.
void aggregate_compiler::share_conditions(std::vector<measure>& all) {
  std::vector<std::vector<condition>*> sets;
  for (measure& m : all) {
    sets.push_back(&m.when);
    if (m.has_ratio) sets.push_back(&m.below_when);
  }
  if (sets.empty()) return;
  std::vector<condition> common;
  for (const condition& c : *sets[0]) {
    bool everywhere = std::all_of(sets.begin(), sets.end(), [&](const auto* s) {
      return std::any_of(s->begin(), s->end(), [&](const condition& x) { return x.first == c.first; });
    });
    if (everywhere) common.push_back(c);
  }
  for (const condition& c : common) {
    for (auto* s : sets) std::erase_if(*s, [&](const condition& x) { return x.first == c.first; });
    add_where(c.second);
  }
}

expression aggregate_compiler::narrowed(const measure& m, const expression* extra, bool zero) const {
  auto narrow = [&](const expression& value, const std::vector<condition>& when) {
    std::vector<expression> all;
    for (const condition& c : when) all.push_back(c.second);
    if (extra != nullptr) all.push_back(*extra);
    box<expression> condition_all = make_and(std::move(all));
    return condition_all ? under(value, *condition_all, zero) : value;
  };
  expression value = narrow(m.value, m.when);
  if (!m.has_ratio) return value;
  expression below = nullif_zero(narrow(*m.below, m.below_when));
  return divide(multiply(make_decimal(m.as_percent ? "100.0" : "1.0"), std::move(value)), std::move(below));
}

expression aggregate_compiler::final_value(const measure& m, const metric_use& u, expression value) const {
  if (!m.money && u.scale.empty()) return value;
  std::string divisor = "1";
  int zeros = 0;
  if (const unit_word* unit = layer_.find_unit(u.unit)) zeros += static_cast<int>(unit->factor.size()) - 1;
  if (!u.scale.empty()) zeros += static_cast<int>(u.scale.size()) - 1;
  if (zeros == 0) return value;
  divisor += std::string(static_cast<std::size_t>(zeros), '0') + ".0";
  return divide(std::move(value), make_decimal(divisor));
}

std::vector<group_columns> aggregate_compiler::group_list(bool force_year) {
  std::vector<group_columns> out;
  const bool has_year_group =
      std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& g) { return g.time == grain::year; });
  for (const group& g : q_.groups) {
    bool any_month = std::any_of(q_.periods.begin(), q_.periods.end(),
                                 [](const period& p) { return p.month_of_any_year.has_value(); });
    bool with_year = force_year || (!has_year_group && !any_month && !within_one_year(q_.periods, q_.calendar));
    out.push_back(columns_of(g, q_, layer_, *b_, with_year));
  }
  return out;
}

void aggregate_compiler::group_by_keys(query_specification& s, std::vector<expression> keys) {
  if (keys.empty()) return;
  group_by_clause by;
  std::set<std::string> seen;
  for (expression& k : keys) {
    if (seen.insert(print(k)).second) by.elements.push_back(make_grouping(std::move(k)));
  }
  s.group_by = std::move(by);
}

query_expression aggregate_compiler::grouped(std::vector<select_item> items, std::vector<expression> keys) {
  query_expression e = make_select(std::move(items), b_->from());
  query_specification& s = *e.specification();
  s.where = make_and(where_);
  group_by_keys(s, std::move(keys));
  return e;
}

void aggregate_compiler::place(compiled& out, query_expression e, std::vector<std::string> names, bool ordered) {
  out.select.query = std::move(e);
  out.output_names = std::move(names);
  out.order_matters = ordered;
}

void aggregate_compiler::prepare(const std::string& base) {
  b_.emplace(layer_, base);
  if (q_.metrics.size() > 1) b_->outer_optional();
  for (const metric_use& u : q_.metrics) measures_.push_back(measure_of(u));
  // Aliases must differ.
  std::set<std::string> aliases;
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const metric_use& u = q_.metrics[i];
    if (!u.scale_name.empty()) measures_[i].alias += "_" + u.scale_name;
    if (const unit_word* unit = layer_.find_unit(u.unit); unit != nullptr && measures_[i].money)
      measures_[i].alias += "_" + unit->alias;
    while (!aliases.insert(measures_[i].alias).second) measures_[i].alias += "_2";
  }
  for (const value_filter& f : q_.filters) add_where(b_->where_value(f));
  if (!q_.among.empty()) add_where(among_condition(q_, layer_, *b_));
  share_conditions(measures_);
  for (const attribute_filter& f : q_.attribute_filters) {
    const attribute* a = layer_.find_attribute(f.attribute);
    if (a == nullptr) throw cannot_compile{f.attribute};
    add_where(compare_numbers(f.op, b_->resolve(a->value), f.low, f.high));
    // A threshold in money compares amounts of one currency.
    if (a->unit == measure_unit::money) {
      for (const condition& c : conditions_of({}, a->defaults, {})) add_where(c.second);
    }
  }
  if (q_.compare == compare_kind::none && !q_.periods.empty()) add_where(b_->where_any(q_.periods, b_->time_role()));
}

compiled aggregate_compiler::run() {
  const std::vector<std::string> bases = base_roles();
  if (bases.size() > 1) return across(bases);
  prepare(bases.front());

  compiled out;
  const bool few =
      !q_.conditions.empty() && q_.groups.size() == 1 && !q_.groups[0].dimension.empty() &&
      std::any_of(
          q_.conditions.begin(), q_.conditions.end(),
          [](const group_condition& c) { return c.op == comparison::less || c.op == comparison::less_or_equal; }) &&
      q_.metrics.size() == 1 && q_.conditions.size() == 1 && layer_.find_metric(q_.metrics[0].metric) != nullptr &&
      layer_.find_metric(q_.metrics[0].metric)->unit == measure_unit::count &&
      !layer_.find_dimension(q_.groups[0].dimension)->key.empty() && !q_.top;
  // Members without a row would come from outside of what the question is limited to.
  if (few && !q_.among.empty()) throw cannot_compile{"fewer than so many of an earlier answer"};
  if (std::any_of(q_.metrics.begin(), q_.metrics.end(),
                  [](const metric_use& u) { return u.averaged_over.has_value(); })) {
    out = mean_over_periods();
  } else if (few) {
    out = with_missing();
  } else if (q_.share == share_kind::part_of_whole) {
    out = part_share();
  } else if (q_.share == share_kind::top_of_total || q_.share == share_kind::top_sum) {
    out = top_share();
  } else if (q_.compare != compare_kind::none) {
    out = compared();
  } else if (q_.window != window_kind::none) {
    out = windowed();
  } else if (q_.top && q_.top->within) {
    out = top_within();
  } else {
    out = plain();
  }
  out.applied_filters = applied_;
  return out;
}

selected_groups aggregate_compiler::selected(const std::vector<group_columns>& groups) {
  selected_groups out;
  for (const group_columns& g : groups) {
    for (const shown_column& c : g.shown) {
      out.items.push_back(make_item(c.value, c.alias));
      out.names.push_back(c.alias);
    }
    out.keys.insert(out.keys.end(), g.keys.begin(), g.keys.end());
    out.timed = out.timed || g.time;
  }
  return out;
}

compiled aggregate_compiler::plain() {
  compiled out;
  std::vector<group_columns> groups = group_list();
  auto [items, keys, names, timed] = selected(groups);
  std::vector<expression> values;
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    expression value = narrowed(measures_[i], nullptr, false);
    if (q_.share == share_kind::of_total) {
      if (!measures_[i].additive) throw cannot_compile{"a share of " + measures_[i].alias};
      // Of two groups the second is the whole that the first has a share of.
      std::vector<expression> partition;
      if (groups.size() == 2) {
        for (const shown_column& c : groups[1].shown) partition.push_back(c.value);
      }
      expression whole = windowed_call(make_call("SUM", {value}), std::move(partition), {});
      value = divide(multiply(make_decimal("100.0"), value), nullif_zero(std::move(whole)));
      measures_[i].alias = measures_.size() == 1 ? "share_pct" : measures_[i].alias + "_share_pct";
    } else {
      value = final_value(measures_[i], q_.metrics[i], std::move(value));
    }
    values.push_back(value);
    items.push_back(make_item(std::move(value), measures_[i].alias));
    names.push_back(measures_[i].alias);
  }
  query_expression e = grouped(std::move(items), std::move(keys));
  query_specification& s = *e.specification();
  std::vector<expression> having;
  for (const group_condition& c : q_.conditions) {
    having.push_back(compare_numbers(c.op, narrowed(measures_[c.metric], nullptr, false), c.low, c.high));
  }
  if (q_.median_attribute.empty()) s.having = make_and(std::move(having));
  if (q_.top) {
    s.top = make_top(q_.top->rows);
    e.order_by.push_back(make_order(values[std::min(q_.top->metric, values.size() - 1)], q_.top->descending));
    for (const group_columns& g : groups) {
      for (const expression& o : g.order) e.order_by.push_back(make_order(o));
    }
  } else if (timed) {
    for (const group_columns& g : groups) {
      if (!g.time) continue;
      for (const expression& o : g.order) e.order_by.push_back(make_order(o));
    }
    for (const group_columns& g : groups) {
      if (g.time) continue;
      for (const expression& o : g.order) e.order_by.push_back(make_order(o));
    }
  } else if (!groups.empty()) {
    if (groups.size() > 1 || (!groups[0].order.empty() && q_.groups[0].dimension != "" &&
                              !layer_.find_dimension(q_.groups[0].dimension)->sort.empty())) {
      for (std::size_t i = 0; i + 1 < groups.size() || i == 0; ++i) {
        for (const expression& o : groups[i].order) e.order_by.push_back(make_order(o));
      }
    }
    e.order_by.push_back(make_order(values.front(), true));
    for (const expression& o : groups.back().order) e.order_by.push_back(make_order(o));
  }
  const bool ordered = q_.top.has_value() || (timed && groups.size() == 1);
  place(out, std::move(e), std::move(names), ordered);
  return out;
}

compiled compile_aggregate(const query_intent& q, const semantic_layer& layer) {
  return aggregate_compiler(q, layer).run();
}

}  // namespace dragoman::nlq
