// Measures by groups: totals, rankings, shares, comparisons, series with running figures.

#include <algorithm>

#include "guard/tsql/printer.h"
#include "nlq/compile_builder.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

namespace {

struct measure {
  expression value;  // resolved, without conditions
  std::vector<condition> when;
  std::optional<expression> below;  // a ratio's denominator with its own conditions
  std::vector<condition> below_when;
  bool as_percent = false;
  bool has_ratio = false;
  std::string alias;
  bool additive = true;
  bool money = false;
};

class aggregate_compiler {
 public:
  aggregate_compiler(const query_intent& q, const semantic_layer& layer) : q_(q), layer_(layer) {}

  compiled run();

 private:
  std::string base_role() const;
  std::vector<condition> conditions_of(const std::vector<std::string>& required,
                                       const std::vector<std::string>& defaults, const std::vector<value_filter>& own);
  measure measure_of(const metric_use&);
  void share_conditions(std::vector<measure>&);
  expression narrowed(const measure&, const expression* extra, bool zero) const;
  expression final_value(const measure& m, const metric_use& u, expression value) const;
  void add_where(expression e) { where_.push_back(std::move(e)); }
  query_expression grouped(std::vector<select_item> items, std::vector<expression> keys);

  compiled plain();
  compiled compared();
  compiled part_share();
  compiled top_share();
  compiled top_within();
  compiled windowed();
  compiled with_missing();
  compiled mean_over_periods();

  std::vector<group_columns> group_list(bool force_year = false);
  void place(compiled& out, query_expression e, std::vector<std::string> names, bool ordered);

  const query_intent& q_;
  const semantic_layer& layer_;
  std::optional<select_builder> b_;
  std::vector<measure> measures_;
  std::vector<expression> where_;
  std::vector<std::string> applied_;
};

expression divide(expression a, expression b) {
  return make_binary(binary_operator::divide, std::move(a), std::move(b));
}
expression multiply(expression a, expression b) {
  return make_binary(binary_operator::multiply, std::move(a), std::move(b));
}
expression nullif_zero(expression e) {
  return make_call("NULLIF", {std::move(e), make_int(0)});
}

expression windowed_call(expression call, std::vector<expression> partition, std::vector<order_item> order,
                         std::optional<window_frame> frame = {}) {
  function_call* f = call.as<function_call>();
  over_clause over;
  over.definition.partition_by = std::move(partition);
  over.definition.order_by = std::move(order);
  over.definition.frame = std::move(frame);
  f->over = over;
  return call;
}

std::string aggregate_compiler::base_role() const {
  std::string base;
  for (const metric_use& u : q_.metrics) {
    std::string own;
    if (const metric* m = layer_.find_metric(u.metric)) {
      own = m->base;
    } else if (const dimension* d = layer_.find_dimension(u.counted)) {
      own = u.counted_from_fact && !layer_.details.empty() ? layer_.details.front().role : d->roles.front();
    }
    if (own.empty()) throw cannot_compile{u.metric};
    if (!base.empty() && base != own) throw cannot_compile{"measures of different tables in one table"};
    base = own;
  }
  return base;
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
    if (!f->dimension.empty() && named_by_question(f->dimension)) return;
    if (f->yields_to_grouping && grouped_by(f->dimension)) return;
    // "Not in rials": what is left are amounts of several currencies, which are not added.
    const bool opened = f->yields_to_grouping && std::any_of(q_.filters.begin(), q_.filters.end(), [&](const auto& x) {
                          return x.dimension == f->dimension && x.negated;
                        });
    if (opened) {
      throw cannot_compile{q_.lang == language::persian ? "مبالغ چند ارز در یک رقم"
                                                        : "amounts of several currencies in one figure"};
    }
    out.push_back(b_->keyed(b_->resolve(f->condition)));
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

query_expression aggregate_compiler::grouped(std::vector<select_item> items, std::vector<expression> keys) {
  query_expression e = make_select(std::move(items), b_->from());
  query_specification& s = *e.specification();
  s.where = make_and(where_);
  if (!keys.empty()) {
    group_by_clause by;
    std::set<std::string> seen;
    for (expression& k : keys) {
      if (seen.insert(print(k)).second) by.elements.push_back(make_grouping(std::move(k)));
    }
    s.group_by = by;
  }
  return e;
}

void aggregate_compiler::place(compiled& out, query_expression e, std::vector<std::string> names, bool ordered) {
  out.select.query = std::move(e);
  out.output_names = std::move(names);
  out.order_matters = ordered;
}

compiled aggregate_compiler::run() {
  b_.emplace(layer_, base_role());
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

  compiled out;
  const bool few =
      !q_.conditions.empty() && q_.groups.size() == 1 && !q_.groups[0].dimension.empty() &&
      std::any_of(
          q_.conditions.begin(), q_.conditions.end(),
          [](const group_condition& c) { return c.op == comparison::less || c.op == comparison::less_or_equal; }) &&
      q_.metrics.size() == 1 && q_.conditions.size() == 1 && layer_.find_metric(q_.metrics[0].metric) != nullptr &&
      layer_.find_metric(q_.metrics[0].metric)->unit == measure_unit::count &&
      !layer_.find_dimension(q_.groups[0].dimension)->key.empty() && !q_.top;
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

compiled aggregate_compiler::plain() {
  compiled out;
  std::vector<group_columns> groups = group_list();
  std::vector<select_item> items;
  std::vector<expression> keys;
  std::vector<std::string> names;
  bool timed = false;
  for (const group_columns& g : groups) {
    for (const shown_column& c : g.shown) {
      items.push_back(make_item(c.value, c.alias));
      names.push_back(c.alias);
    }
    keys.insert(keys.end(), g.keys.begin(), g.keys.end());
    timed = timed || g.time;
  }
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
  std::vector<select_item> items;
  std::vector<expression> keys;
  std::vector<std::string> names;
  bool timed = false;
  for (const group_columns& g : groups) {
    for (const shown_column& c : g.shown) {
      items.push_back(make_item(c.value, c.alias));
      names.push_back(c.alias);
    }
    keys.insert(keys.end(), g.keys.begin(), g.keys.end());
    timed = timed || g.time;
  }
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

compiled aggregate_compiler::compared() {
  const std::string date_role = b_->time_role();
  const period &first = q_.periods[0], &second = q_.periods[1];
  expression in_first = b_->where_period(first, date_role), in_second = b_->where_period(second, date_role);
  const calendar_kind cal = q_.calendar;
  const civil_date a = date_in(cal, *first.first), b = date_in(cal, *second.first);
  const bool aligned = first.calendar_aligned && second.calendar_aligned && first.calendar == cal &&
                       second.calendar == cal && first.unit == second.unit;
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

}  // namespace

compiled compile_aggregate(const query_intent& q, const semantic_layer& layer) {
  return aggregate_compiler(q, layer).run();
}

}  // namespace dragoman::nlq
