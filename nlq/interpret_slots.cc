// The other slots of a measure question: groups, conditions, values, filters, periods.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

void interpreter::take_groups() {
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    const bool is_dimension = m.dimension >= 0;
    if (!is_dimension && !m.is_grain()) continue;
    index p = previous(i);
    while (p != nowhere && m_[p].filter >= 0 && !m_[i].break_before) p = previous(p);
    bool introduced = p != nowhere && (m_[p].is(gram::each) || m_[p].is(gram::breakdown) || m_[p].is(gram::by) ||
                                       m_[p].is(gram::which));
    if (!introduced && p != nowhere && m_[p].is(gram::and_)) {
      index before = previous(p);
      introduced = before != nowhere && group_index(before).has_value();
    }
    if (!introduced && m.break_before && i > 0) introduced = group_index(i - 1).has_value();
    if (is_dimension) {
      // The noun that a value describes ("industrial customers", "polymer commodities") groups only when it is asked
      // for.
      bool described = false;
      for (index k : {i > 0 ? i - 1 : nowhere, i + 1 < m_.size() ? i + 1 : nowhere}) {
        while (k != nowhere && k + 1 < m_.size() && k > i && m_[k].used && m_[k].is(gram::except)) ++k;
        if (k == nowhere || m_[k].filter < 0) continue;
        const dimension* d = layer_.find_dimension(filters_[static_cast<std::size_t>(m_[k].filter)].filter.dimension);
        described = described || (d != nullptr && (d->owner == dim(m.dimension).id || d->id == dim(m.dimension).id));
      }
      described = described || interpreter::described(i);
      // "orders by industrial customers" were placed by them: no "by" of a grouping names its own value in front.
      if (introduced && p != nowhere && m_[p].is(gram::by) && m_[p].words == "by" && i > 0 && p + 2 == i &&
          m_[i - 1].filter >= 0 && described && m.plural) {
        m.used = m_[p].used = true;
        continue;
      }
      // "customers in Tehran", "مشتریان استان فارس": the place describes them.
      index place = next(i);
      while (place != nowhere && m_[place].used && m_[place].dimension >= 0 && m_[place].filter < 0)
        place = next(place);
      if (place != nowhere && m_[place].filter >= 0 && !m_[place].break_before &&
          owner_of(place) == dim(m.dimension).id) {
        described = true;
      }
      // "all categories except steel": what is left out says how far "all" goes.
      const index left_out = next(i);
      if (p != nowhere && m_[p].is(gram::all) && left_out != nowhere && m_[left_out].used &&
          m_[left_out].is(gram::except)) {
        m.used = m_[p].used = true;
        continue;
      }
      if (described && !introduced) {
        m.used = true;
        continue;
      }
      // The next noun may own this one or be owned by it.
      if (!fa() && i + 1 < m_.size() && is_subject(i + 1) && m_[i + 1].dimension >= 0 && !m_[i + 1].break_before &&
          (dim(m_[i + 1].dimension).owner == dim(m.dimension).id ||
           dim(m_[i + 1].dimension).owned_roles.contains(dim(m.dimension).id))) {
        if (dim(m_[i + 1].dimension).owner == dim(m.dimension).id) {
          m.used = true;
          continue;
        }
        add_group(i + 1);
        if (introduced) m_[p].used = true;
        m.used = true;
        continue;
      }
      // Beside a ranking only what describes the ranked ("with their city"); another thing would be ranked with them.
      if (q_.top && top_entity_ != nowhere && m_[top_entity_].dimension >= 0) {
        const dimension &of = dim(m_[top_entity_].dimension), &d = dim(m.dimension);
        const bool describes =
            d.owner == of.id || d.owned_roles.contains(of.id) || d.id == of.id ||
            (!d.roles.empty() && !of.roles.empty() && layer_.path(of.roles.front(), d.roles.front()));
        if (!describes) continue;
      }
      add_group(i);
      if (introduced) m_[p].used = true;
      if (p != nowhere && m_[p].is(gram::and_)) m_[p].used = true;
      continue;
    }
    const bool again = std::any_of(q_.groups.begin(), q_.groups.end(), [&](const group& g) {
      return g.time == m.time->unit && g.fiscal == m.time->fiscal;
    });
    // "in the months of 1402", "در ماه‌های ۱۴۰۲"
    const index year = next(i);
    const bool months_of = m.plural && year != nowhere && m_[year].is_period() && m_[year].filter < 0 &&
                           m_[year].time->when.unit == grain::year && m.time->unit != grain::year;
    if (q_.top && top_entity_ != nowhere && m_[top_entity_].dimension >= 0 && !again) {
      ask(say("The best of each period, or the periods of the one that is best overall?",
              "برترینِ هر دوره، یا دوره‌های آن که در کل برترین است؟"));
      return;
    }
    if (months_of || again || m.time->adjective || introduced || any(gram::trend) || q_.window != window_kind::none) {
      add_group(i);
      if (introduced) m_[p].used = true;
    } else if (!amounts_.empty() || any(gram::compare)) {
      // "days with more than 6 orders"
      add_group(i);
    }
  }
  // Words that introduced something which is grouped now.
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !(m_[i].is(gram::each) || m_[i].is(gram::breakdown))) continue;
    index n = next(i);
    while (n != nowhere && m_[n].filter >= 0) n = next(n);
    if (n != nowhere && m_[n].used && !m_[n].is_period()) m_[i].used = true;
  }
  // A trend without a grain runs over months of one year, over years otherwise.
  if (any(gram::trend)) {
    bool timed = std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& g) { return g.time.has_value(); });
    if (!timed) {
      group g;
      g.time =
          periods_.size() == 1 && periods_[0].when.unit != grain::day && periods_[0].when.first && periods_[0].when.last
              ? grain::month
              : grain::year;
      if (periods_.size() == 1 && periods_[0].when.unit == grain::month) g.time = grain::day;
      q_.groups.push_back(g);
      assume(*g.time == grain::month  ? say("by month", "به تفکیک ماه")
             : *g.time == grain::year ? say("by year", "به تفکیک سال")
                                      : say("by day", "به تفکیک روز"));
    }
    use_all(gram::trend);
  }
  if (q_.window == window_kind::running_total || q_.window == window_kind::moving_average) {
    bool timed = std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& g) { return g.time.has_value(); });
    if (!timed) {
      group g;
      g.time = grain::month;
      q_.groups.push_back(g);
      assume(say("by month", "به تفکیک ماه"));
    }
  }
}

// A threshold in dollars is about dollar orders.
void interpreter::require_currency(const std::vector<std::string>& defaults, const std::string& currency) {
  const named_filter* f = currency.empty() || defaults.empty() ? nullptr : layer_.find_filter(defaults.front());
  const dimension* d = f != nullptr ? layer_.find_dimension(f->dimension) : nullptr;
  if (d == nullptr || currency == "IRR") return;
  value_filter v;
  v.dimension = d->id;
  v.column = d->value_column;
  v.values = {currency};
  v.label = currency;
  if (std::find(q_.filters.begin(), q_.filters.end(), v) == q_.filters.end()) q_.filters.push_back(std::move(v));
}

// Thresholds on single facts inside a measure: "number of orders with a discount above 5 %", "orders above 10 billion
// rials: how many".
void interpreter::take_row_conditions() {
  for (amount_slot& a : amounts_) {
    const index k = previous(a.first);
    if (a.taken || k == nowhere || m_[k].used || m_[k].filter >= 0) continue;
    const attribute* x = nullptr;
    if (m_[k].attribute >= 0 && a.percent) {
      x = &layer_.attributes[static_cast<std::size_t>(m_[k].attribute)];
      if (x->unit != measure_unit::fraction) x = nullptr;
    } else if (m_[k].detail >= 0 && a.unit >= 0 && counting(k)) {
      const bool members = std::any_of(m_.begin(), m_.end(), [&](const mark& m) {
        return !m.used && m.filter < 0 && m.dimension >= 0 && dim(m.dimension).entity;
      });
      if (!members) x = layer_.find_attribute(layer_.details[static_cast<std::size_t>(m_[k].detail)].rank_attribute);
    }
    if (x == nullptr) continue;
    attribute_filter f;
    f.attribute = x->id;
    f.op = a.op;
    const int places = x->unit == measure_unit::fraction ? -2 : 0;
    f.low = shift_decimal(a.low, places);
    f.high = a.high.empty() ? "" : shift_decimal(a.high, places);
    if (a.unit >= 0) f.currency = layer_.units[static_cast<std::size_t>(a.unit)].currency_value;
    require_currency(x->defaults, f.currency);
    q_.attribute_filters.push_back(f);
    if (m_[k].detail < 0) m_[k].used = true;
    a.taken = true;
  }
}

// Thresholds on the measure of each group, bound to the measure that they stand beside.
void interpreter::take_conditions() {
  for (amount_slot& a : amounts_) {
    if (a.taken) continue;
    // The measure right behind the amount ("more than 20 orders"), else the nearest before it ("sales above …").
    std::optional<std::size_t> metric_at;
    index behind = next(a.last);
    while (behind != nowhere && m_[behind].filter >= 0) behind = next(behind);
    for (const auto& [i, at] : metric_marks_) {
      if (i == behind && a.unit < 0 && !a.percent && !a.days) metric_at = at;
    }
    if (!metric_at) {
      index nearest = nowhere;
      for (const auto& [i, at] : metric_marks_) {
        if (i < a.first && (nearest == nowhere || i > nearest)) {
          nearest = i;
          metric_at = at;
        }
      }
    }
    if (!metric_at) {
      for (const auto& [i, at] : metric_marks_) {
        if (i > a.last && !metric_at) metric_at = at;
      }
    }
    if (!metric_at && q_.metrics.empty() && a.unit >= 0 && !layer_.default_metric.empty()) {
      metric_at = add_metric(layer_.default_metric);
    }
    if (!metric_at || q_.groups.empty()) continue;
    const metric_use& u = q_.metrics[*metric_at];
    const metric* x = layer_.find_metric(u.metric);
    const measure_unit unit = x != nullptr ? x->unit : measure_unit::count;
    if (a.percent && unit != measure_unit::percent) continue;
    if (a.unit >= 0 && unit != measure_unit::money && unit != measure_unit::money_per_quantity) continue;
    if (a.days && unit != measure_unit::days) continue;
    group_condition cond;
    cond.metric = *metric_at;
    cond.op = a.op;
    cond.low = a.low;
    cond.high = a.high;
    if (a.unit >= 0) {
      if (x != nullptr) require_currency(x->defaults, layer_.units[static_cast<std::size_t>(a.unit)].currency_value);
    }
    q_.conditions.push_back(cond);
    a.taken = true;
  }
}

// Several values of one dimension: columns, rows, or one figure over all of them.
void interpreter::spread_values() {
  std::vector<std::string> seen;
  const bool timed = std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& x) { return x.time.has_value(); });
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (filters_[i].taken || filters_[i].filter.negated) continue;
    std::vector<filter_slot*> same;
    for (filter_slot& f : filters_) {
      if (!f.taken && !f.filter.negated && f.filter.dimension == filters_[i].filter.dimension &&
          f.filter.role == filters_[i].filter.role)
        same.push_back(&f);
    }
    if (same.size() < 2 || q_.metrics.empty()) continue;
    const dimension* d = layer_.find_dimension(filters_[i].filter.dimension);
    const bool compared = std::any_of(m_.begin(), m_.end(), [](const mark& m) { return m.is(gram::compare); });
    const bool one_figure = (any(gram::total) && !compared) || any(gram::or_) || q_.top ||
                            q_.share != share_kind::none || q_.compare != compare_kind::none;
    bool grouped =
        std::any_of(q_.groups.begin(), q_.groups.end(), [&](const group& x) { return x.dimension == d->id; });
    // Beside the noun that counts facts, each value becomes a count of its own.
    const bool counts =
        q_.metrics.size() == 1 &&
        std::any_of(layer_.details.begin(), layer_.details.end(),
                    [&](const detail_list& l) { return l.entity == q_.metrics[0].metric; }) &&
        q_.metrics[0].filters.empty() && d->owner.empty() && (d->entity || !d->cases.empty()) &&
        layer_.path(layer_.details.front().role, d->roles.empty() ? std::string_view(layer_.details.front().role)
                                                                  : std::string_view(d->roles.front())) &&
        std::any_of(layer_.filters.begin(), layer_.filters.end(),
                    [&](const named_filter& f) { return f.dimension == d->id && !f.yields_to_grouping; });
    if (!one_figure && !grouped && (counts || (!d->cases.empty() && timed && q_.metrics.size() == 1))) {
      metric_use base = q_.metrics[0];
      q_.metrics.clear();
      for (filter_slot* f : same) {
        metric_use u = base;
        u.filters.push_back(f->filter);
        q_.metrics.push_back(u);
        f->taken = true;
      }
      q_.pivot_values = true;
    } else {
      value_filter merged = same[0]->filter;
      for (std::size_t k = 1; k < same.size(); ++k) {
        for (const std::string& v : same[k]->filter.values) {
          if (std::find(merged.values.begin(), merged.values.end(), v) == merged.values.end())
            merged.values.push_back(v);
        }
        merged.label += (fa() ? " و " : ", ") + same[k]->filter.label;
      }
      for (filter_slot* f : same) f->taken = true;
      const bool whole = !d->cases.empty() && merged.values.size() == d->cases.size();
      if (!whole) q_.filters.push_back(merged);
      bool spread = !one_figure && !grouped && (compared || q_.groups.empty() || whole);
      if (spread && !timed) {
        group x;
        x.dimension = d->id;
        x.role = merged.role;
        q_.groups.push_back(x);
        if (!compared && !whole) assume(say("shown for each of them", "برای هر یک جداگانه"));
      } else if (spread) {
        group x;
        x.dimension = d->id;
        x.role = merged.role;
        q_.groups.push_back(x);
      }
      if (compared) use_all(gram::compare);
    }
    use_all(gram::and_);
    use_all(gram::compare);
    use_all(gram::or_);
  }
}

// "orders and cancelled orders", "فروش کل و فروش صادراتی": one measure twice, the second time of less.
void interpreter::part_measures() {
  const auto beside = [&](index i) {
    std::vector<filter_slot*> out;
    for (filter_slot& f : filters_) {
      if (!f.taken && is_state(f.filter) && (f.mark + 1 == i || i + 1 == f.mark)) out.push_back(&f);
    }
    return out;
  };
  for (std::size_t a = 0; a < metric_marks_.size(); ++a) {
    for (std::size_t b = 0; b < metric_marks_.size(); ++b) {
      const auto [plain, at] = metric_marks_[a];
      const auto [narrow, same] = metric_marks_[b];
      if (a == b || at != same || at >= q_.metrics.size() || plain == narrow) continue;
      if (!beside(plain).empty()) continue;
      const bool joined = std::any_of(m_.begin() + static_cast<std::ptrdiff_t>(std::min(plain, narrow)),
                                      m_.begin() + static_cast<std::ptrdiff_t>(std::max(plain, narrow)) + 1,
                                      [](const mark& m) { return m.is(gram::and_) || m.break_before; });
      std::vector<filter_slot*> own = beside(narrow);
      if (!joined || own.empty() || q_.metrics[at].metric.empty() || !q_.metrics[at].filters.empty()) continue;
      metric_use less = q_.metrics[at];
      for (filter_slot* f : own) {
        less.filters.push_back(f->filter);
        f->taken = true;
      }
      q_.metrics.push_back(std::move(less));
      metric_marks_[b].second = q_.metrics.size() - 1;
      // "total" only says that the other one is of everything.
      for (const index near : {previous(plain), next(plain)}) {
        if (near != nowhere && (m_[near].is(gram::total) || m_[near].is(gram::all))) m_[near].used = true;
      }
    }
  }
}

void interpreter::take_filters() {
  part_measures();
  // With several measures a value beside the noun that counts belongs to that count alone.
  if (q_.metrics.size() > 1) {
    for (filter_slot& f : filters_) {
      if (f.taken) continue;
      const dimension* d = layer_.find_dimension(f.filter.dimension);
      bool status_like = std::any_of(layer_.filters.begin(), layer_.filters.end(), [&](const named_filter& n) {
        return d != nullptr && n.dimension == d->id && !n.yields_to_grouping;
      });
      if (!status_like) continue;
      for (const auto& [i, at] : metric_marks_) {
        if (i >= m_.size() || at >= q_.metrics.size()) continue;
        bool count = std::any_of(layer_.details.begin(), layer_.details.end(),
                                 [&](const detail_list& l) { return l.entity == q_.metrics[at].metric; });
        if (count && (f.mark + 1 == i || i + 1 == f.mark) && !f.taken) {
          q_.metrics[at].filters.push_back(f.filter);
          f.taken = true;
        }
      }
    }
  }
  for (filter_slot& f : filters_) {
    if (f.taken) continue;
    f.taken = true;
    // The same dimension twice: values join (or exclusions do).
    bool merged = false;
    for (value_filter& have : q_.filters) {
      if (have.dimension != f.filter.dimension || have.role != f.filter.role || have.negated != f.filter.negated ||
          have.column != f.filter.column)
        continue;
      for (const std::string& v : f.filter.values) {
        if (std::find(have.values.begin(), have.values.end(), v) == have.values.end()) have.values.push_back(v);
      }
      have.label += (fa() ? " و " : ", ") + f.filter.label;
      merged = true;
      use_all(gram::or_);
    }
    if (!merged) q_.filters.push_back(f.filter);
  }
}

void interpreter::take_periods() {
  for (period_slot& p : periods_) {
    if (p.taken) continue;
    p.taken = true;
    if (p.when.month_of_any_year) {
      bool by_year =
          std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& g) { return g.time == grain::year; });
      if (!by_year) {
        std::vector<clarify_option> options;
        const int year = date_in(p.when.calendar, context_.today).year;
        const std::string name(month_name(p.when.calendar, *p.when.month_of_any_year, lang_));
        for (int y : {year, year - 1}) {
          clarify_option o;
          o.label = p.when.words + " " + std::to_string(y);
          const mark& m = m_[p.mark];
          o.value = replaced(m, m.words + " " + std::to_string(y));
          options.push_back(std::move(o));
        }
        ask(fa() ? "«" + p.when.words + "» کدام سال؟" : "\"" + p.when.words + "\" of which year?", std::move(options));
        return;
      }
    }
    q_.periods.push_back(p.when);
  }
  // Several periods without a comparison: rows for each, when they are of one size and nothing else parts the rows.
  if (q_.shape == query_shape::aggregate && q_.compare == compare_kind::side_by_side && q_.groups.empty()) return;
  if (q_.shape == query_shape::aggregate && q_.periods.size() > 2 && q_.compare == compare_kind::none && !q_.top &&
      !any(gram::total)) {
    bool timed = std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& g) { return g.time.has_value(); });
    grain unit = q_.periods[0].unit;
    bool same = std::all_of(q_.periods.begin(), q_.periods.end(), [&](const period& p) {
      return p.unit == unit && p.calendar_aligned && p.fiscal == q_.periods[0].fiscal;
    });
    if (!timed && same) {
      group g;
      g.time = unit;
      g.fiscal = q_.periods[0].fiscal && (unit == grain::year || unit == grain::quarter);
      q_.groups.push_back(g);
    }
  }
  if (q_.periods.size() > 1) use_all(gram::and_);
}

}  // namespace dragoman::nlq
