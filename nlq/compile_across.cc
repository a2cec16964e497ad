// Measures of several tables in one answer.
//
// Joining two tables of facts through what they share multiplies the rows of both (a chasm trap). So each table is
// totalled by itself, under its own conditions and dates, the totals are put one under the other, and what belongs to
// one member of the shared dimensions is brought together:
//
//   SELECT x.province, MAX(x.v1) AS sales, MAX(x.v2) AS stock
//   FROM (SELECT … AS province, SUM(…) AS v1, NULL AS v2 FROM … GROUP BY …
//         UNION ALL SELECT … AS province, NULL, SUM(…) FROM … GROUP BY …) AS x GROUP BY x.province
//
// GROUP BY takes two NULLs for one and keeps members that only one table knows, as a FULL JOIN on every key would do
// only with conditions that no server can hash. A member that a table does not know has 0 of what is counted there and
// no value of what is added up.

#include <algorithm>
#include <set>

#include "guard/tsql/printer.h"
#include "nlq/aggregate_compiler.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

namespace {

// A measure, or one side of a ratio between tables, as a column of the totals.
struct total_column {
  std::size_t base = 0;   // whose table it is of
  std::size_t place = 0;  // among the measures of that table
  std::string name;
  bool counted = false;
};

bool is_count(const expression& value) {
  const function_call* call = value.as<function_call>();
  return call != nullptr && (call->name.name.value == "COUNT" || call->name.name.value == "COUNT_BIG");
}

expression whole(const total_column& c) {
  expression value = make_call("MAX", {make_column("x", c.name)});
  return c.counted ? make_call("COALESCE", {std::move(value), make_int(0)}) : value;
}

// Every condition and group of the question has to hold for every table, so each must lead to what they speak of.
class reach_check {
 public:
  reach_check(const query_intent& q, const semantic_layer& layer) : q_(q), layer_(layer) {}

  void all(const std::vector<std::string>& bases) const {
    for (const group& g : q_.groups) {
      if (g.time) {
        for (const std::string& base : bases) dated(base);
      } else {
        shared(bases, g.dimension, g.role);
      }
    }
    for (const value_filter& f : q_.filters) shared(bases, f.dimension, f.role);
    if (!q_.among.empty()) shared(bases, q_.among_dimension, q_.among_role);
    if (!q_.periods.empty()) {
      for (const std::string& base : bases) dated(base);
    }
    for (const attribute_filter& f : q_.attribute_filters) {
      const attribute* a = layer_.find_attribute(f.attribute);
      for (const std::string& base : bases) {
        if (a == nullptr || !layer_.path(base, a->role)) unreachable(base, a != nullptr ? a->label.in(q_.lang) : "");
      }
    }
  }

 private:
  bool fa() const { return q_.lang == language::persian; }

  std::string measure_of(const std::string& base) const {
    for (const metric_use& u : q_.metrics) {
      const metric *m = layer_.find_metric(u.metric), *below = layer_.find_metric(u.per_metric);
      const dimension* d = layer_.find_dimension(u.counted);
      if (m != nullptr && m->base == base) return m->label.in(q_.lang);
      if (below != nullptr && below->base == base) return below->label.in(q_.lang);
      if (m == nullptr && d != nullptr && std::find(d->roles.begin(), d->roles.end(), base) != d->roles.end())
        return (fa() ? "تعداد " : "number of ") + d->label.in(q_.lang);
    }
    return base;
  }

  [[noreturn]] void unreachable(const std::string& base, const std::string& what) const {
    const std::string measure = measure_of(base);
    throw cannot_compile{fa() ? "«" + measure + "» را نمی‌توان بر پایه «" + what +
                                    "» گفت: ردیف‌های آن به آن نمی‌رسند."
                              : "\"" + measure + "\" cannot be told by " + what + ": its rows do not lead there.",
                         true};
  }

  void dated(const std::string& base) const {
    const role* r = layer_.find_role(base);
    if (r == nullptr || r->time.empty()) unreachable(base, fa() ? "تاریخ" : "date");
  }

  // One dimension in all tables: the same part of a table, or parts that the layer lists as one dimension. The city of
  // a broker and that of a customer are two things although one table holds both.
  void shared(const std::vector<std::string>& bases, const std::string& dimension_id, const std::string& wanted) const {
    const dimension* d = layer_.find_dimension(dimension_id);
    if (d == nullptr) throw cannot_compile{dimension_id};
    const std::string label = d->label.in(q_.lang);
    for (const std::string& base : bases) {
      bool reached = false;
      if (!d->cases.empty()) {
        select_builder probe(layer_, base);
        try {
          for (const dimension_case& c : d->cases) probe.resolve(c.condition);
          reached = true;
        } catch (const cannot_compile&) {
        }
      } else if (!wanted.empty()) {
        reached = layer_.path(base, wanted).has_value();
      } else {
        reached = std::any_of(d->roles.begin(), d->roles.end(),
                              [&](const std::string& r) { return layer_.path(base, r).has_value(); });
      }
      if (!reached) unreachable(base, label);
    }
  }

  const query_intent& q_;
  const semantic_layer& layer_;
};

}  // namespace

compiled aggregate_compiler::across(const std::vector<std::string>& bases) {
  const bool fa = q_.lang == language::persian;
  const bool averaged = std::any_of(q_.metrics.begin(), q_.metrics.end(),
                                    [](const metric_use& u) { return u.averaged_over.has_value(); });
  const bool part = q_.share != share_kind::none && q_.share != share_kind::of_total;
  if (q_.window != window_kind::none || q_.compare != compare_kind::none || part || averaged ||
      (q_.top && q_.top->within)) {
    throw cannot_compile{fa ? "شاخص‌های چند جدول" : "measures of several tables"};
  }
  reach_check(q_, layer_).all(bases);

  // Each table's own question. A ratio between tables is two measures until the totals are together.
  std::vector<query_intent> questions(bases.size(), q_);
  for (query_intent& own : questions) {
    own.metrics.clear();
    own.conditions.clear();
    own.top.reset();
  }
  auto place_of = [&](const std::string& base) {
    return static_cast<std::size_t>(std::find(bases.begin(), bases.end(), base) - bases.begin());
  };
  std::vector<total_column> columns;
  auto add = [&](metric_use u, const std::string& base) {
    total_column c;
    c.base = place_of(base);
    c.place = questions[c.base].metrics.size();
    c.name = "v" + std::to_string(columns.size() + 1);
    questions[c.base].metrics.push_back(std::move(u));
    columns.push_back(std::move(c));
    return columns.size() - 1;
  };
  struct shown_measure {
    std::size_t above = 0;
    std::optional<std::size_t> below;
  };
  std::vector<shown_measure> shown;
  for (const metric_use& u : q_.metrics) {
    const metric* below = u.per_metric.empty() || u.per_metric[0] == '@' ? nullptr : layer_.find_metric(u.per_metric);
    shown_measure s;
    metric_use above = u;
    above.unit.clear();
    above.scale.clear();
    if (below != nullptr && below->base != base_of(u)) {
      metric_use under;
      under.metric = below->id;
      under.filters = u.per_shares_filters ? u.filters : u.per_filters;
      query_intent alone = q_;
      alone.filters = under.filters;
      reach_check(alone, layer_).all({below->base});
      above.per_metric.clear();
      above.per_filters.clear();
      above.as_percent = false;
      s.above = add(std::move(above), base_of(u));
      s.below = add(std::move(under), below->base);
    } else {
      s.above = add(std::move(above), base_of(u));
    }
    shown.push_back(s);
  }

  // A typed column under two bare NULLs would be of their type on the server; only numbers bear that.
  for (const total_column& c : columns) {
    const metric* m = layer_.find_metric(questions[c.base].metrics[c.place].metric);
    if (c.base > 1 && m != nullptr && m->unit == measure_unit::none) throw cannot_compile{m->label.in(q_.lang)};
  }

  compiled out;
  std::vector<aggregate_compiler> own;
  own.reserve(bases.size());
  for (std::size_t b = 0; b < bases.size(); ++b) {
    own.emplace_back(questions[b], layer_);
    own[b].prepare(bases[b]);
    own[b].b_->outer_optional();  // members that are not known are a group too
    for (const std::string& id : own[b].applied_) {
      if (std::find(out.applied_filters.begin(), out.applied_filters.end(), id) == out.applied_filters.end())
        out.applied_filters.push_back(id);
    }
  }
  for (total_column& c : columns) {
    const measure& m = own[c.base].measures_[c.place];
    c.counted = is_count(m.value) && !m.has_ratio;
  }

  // The totals of each table. What is grouped by without being shown travels as k1, k2, …
  std::vector<group_columns> groups;
  std::optional<query_expression> all;
  for (std::size_t b = 0; b < bases.size(); ++b) {
    std::vector<group_columns> mine = own[b].group_list();
    std::vector<select_item> items;
    std::vector<expression> keys;
    std::size_t hidden = 0;
    for (std::size_t g = 0; g < mine.size(); ++g) {
      for (const shown_column& c : mine[g].shown) items.push_back(make_item(c.value, c.alias));
      for (const expression& k : mine[g].keys) {
        const bool is_shown = std::any_of(mine[g].shown.begin(), mine[g].shown.end(),
                                          [&](const shown_column& c) { return c.value == k; });
        if (!is_shown) items.push_back(make_item(k, "k" + std::to_string(++hidden)));
        keys.push_back(k);
      }
    }
    for (const total_column& c : columns) {
      items.push_back(
          make_item(c.base == b ? own[b].narrowed(own[b].measures_[c.place], nullptr, false) : make_null(), c.name));
    }
    query_expression totals = own[b].grouped(std::move(items), std::move(keys));
    all = all ? make_set_operation(set_operator::union_all, std::move(*all), std::move(totals)) : std::move(totals);
    if (b == 0) groups = std::move(mine);
  }

  // The same groups, as columns of what lies below.
  std::vector<select_item> items;
  std::vector<expression> keys;
  std::vector<std::string> names;
  std::size_t hidden = 0;
  bool timed = false;
  for (group_columns& g : groups) {
    std::vector<std::pair<expression, expression>> become;
    for (shown_column& c : g.shown) {
      expression outer = make_column("x", c.alias);
      become.emplace_back(c.value, outer);
      items.push_back(make_item(outer, c.alias));
      names.push_back(c.alias);
      keys.push_back(std::move(outer));
    }
    for (const expression& k : g.keys) {
      if (std::any_of(become.begin(), become.end(), [&](const auto& p) { return p.first == k; })) continue;
      expression outer = make_column("x", "k" + std::to_string(++hidden));
      become.emplace_back(k, outer);
      keys.push_back(std::move(outer));
    }
    for (expression& o : g.order) {
      for (const auto& [inner, outer] : become) {
        if (inner == o) {
          o = outer;
          break;
        }
      }
    }
    timed = timed || g.time;
  }

  std::vector<expression> bare, values;
  std::set<std::string> aliases(names.begin(), names.end());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const metric_use& u = q_.metrics[i];
    const total_column& top = columns[shown[i].above];
    measure m = own[top.base].measures_[top.place];
    expression value = whole(top);
    if (shown[i].below) {
      const total_column& low = columns[*shown[i].below];
      const measure& below = own[low.base].measures_[low.place];
      value = divide(multiply(make_decimal(u.as_percent ? "100.0" : "1.0"), std::move(value)), nullif_zero(whole(low)));
      m.alias = u.as_percent ? m.alias + "_pct" : "average_" + m.alias + "_per_" + below.alias;
      m.additive = false;
    }
    bare.push_back(value);
    if (q_.share == share_kind::of_total) {
      if (!m.additive || m.has_ratio) throw cannot_compile{"a share of " + m.alias};
      std::vector<expression> partition;
      if (groups.size() == 2) {
        for (const shown_column& c : groups[1].shown) partition.push_back(make_column("x", c.alias));
      }
      expression sum = windowed_call(make_call("SUM", {value}), std::move(partition), {});
      value = divide(multiply(make_decimal("100.0"), value), nullif_zero(std::move(sum)));
      m.alias += "_share_pct";
    } else {
      value = final_value(m, u, std::move(value));
      if (!u.scale_name.empty()) m.alias += "_" + u.scale_name;
      if (const unit_word* unit = layer_.find_unit(u.unit); unit != nullptr && m.money) m.alias += "_" + unit->alias;
    }
    while (!aliases.insert(m.alias).second) m.alias += "_2";
    items.push_back(make_item(value, m.alias));
    names.push_back(m.alias);
    values.push_back(std::move(value));
  }

  std::vector<table_source> from;
  from.push_back(make_derived(std::move(*all), "x"));
  query_expression e = make_select(std::move(items), std::move(from));
  query_specification& s = *e.specification();
  group_by_keys(s, std::move(keys));
  std::vector<expression> having;
  for (const group_condition& c : q_.conditions)
    having.push_back(compare_numbers(c.op, bare.at(c.metric), c.low, c.high));
  s.having = make_and(std::move(having));
  if (q_.top) {
    s.top = make_top(q_.top->rows);
    e.order_by.push_back(make_order(values[std::min(q_.top->metric, values.size() - 1)], q_.top->descending));
  } else if (!timed && !groups.empty()) {
    e.order_by.push_back(make_order(values.front(), true));
  }
  for (const bool time : {true, false}) {
    for (const group_columns& g : groups) {
      if (g.time != time) continue;
      for (const expression& o : g.order) e.order_by.push_back(make_order(o));
    }
  }
  // The lines of an order are dated by the order, so they have one date.
  const bool one_date = std::all_of(bases.begin(), bases.end(), [&](const std::string& base) {
    return layer_.find_role(base)->time == layer_.find_role(bases.front())->time;
  });
  out.own_dates = !one_date && (timed || !q_.periods.empty());
  place(out, std::move(e), std::move(names), q_.top.has_value() || (timed && groups.size() == 1));
  return out;
}

}  // namespace dragoman::nlq
