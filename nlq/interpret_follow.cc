// Follow-ups: a copy of the last frame in which the named slots are replaced and nothing else.

#include <algorithm>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

// It names its own measure and its own time.
bool interpreter::stands_alone() const {
  const bool measured = std::any_of(m_.begin(), m_.end(), [](const mark& m) { return m.filter < 0 && m.metric >= 0; });
  return measured && !periods_.empty();
}

bool interpreter::follow_up_cue() const {
  index first = nowhere;
  for (index i = 0; i < m_.size(); ++i) {
    if (!filler(i) && !m_[i].is(gram::greeting)) {
      first = i;
      break;
    }
  }
  if (first == nowhere) return true;
  const mark& m = m_[first];
  if (m.filter < 0) {
    for (gram g : {gram::what_about, gram::only, gram::same, gram::instead, gram::also, gram::and_, gram::breakdown,
                   gram::but, gram::drill, gram::roll_up}) {
      // "for each segment show …": a whole question may begin so.
      if (m.is(g)) return g != gram::breakdown || !stands_alone();
    }
    if (m.is(gram::by) && !m.has_noun()) return true;
  }
  for (const mark& x : m_) {
    if (x.filter >= 0) continue;
    if ((x.is(gram::pronoun) || x.is(gram::of_those)) && !has_antecedent(static_cast<index>(&x - m_.data())))
      return true;
    if (x.is(gram::same) || x.is(gram::instead) || x.is(gram::what_about)) return true;
    if (x.is(gram::also)) return true;
  }
  return false;
}

void interpreter::follow_frame(const query_intent& last) {
  q_ = last;
  q_.lang = lang_;
  out_.kind = turn::refine;
  if (persian_cue_ != gregorian_cue_) q_.calendar = persian_cue_ ? calendar_kind::persian : calendar_kind::gregorian;
  const query_intent before = q_;
  if (opens_filters(last)) open_filters();
  if (!change_level(last)) return;
  const bool adds = any(gram::also);
  const bool widened = widens();
  const bool replaces = any(gram::instead);
  use_all(gram::also);
  use_all(gram::instead);

  // Ranking.
  index t = find(gram::top);
  bool descending = true;
  if (t == nowhere) {
    t = find(gram::bottom);
    descending = t == nowhere;
  }
  if (t == nowhere) t = find(gram::first);
  index number = nowhere;
  for (index i = 0; i < m_.size(); ++i) {
    if (!m_[i].number.empty() && !m_[i].used && m_[i].filter < 0) number = i;
  }
  if (t != nowhere || (number != nowhere && (any(gram::only) || (replaces && last.top)))) {
    ranking r = q_.top ? *q_.top : ranking{};
    r.descending = t == nowhere ? r.descending : descending;
    r.assumed_rows = number == nowhere;
    if (number != nowhere) {
      r.rows = std::strtoll(m_[number].number.c_str(), nullptr, 10);
      m_[number].used = true;
    }
    if (t != nowhere) {
      m_[t].used = true;
      // The worst by a rate that should be low are those with the highest one.
      const metric* by = r.metric < q_.metrics.size() ? layer_.find_metric(q_.metrics[r.metric].metric) : nullptr;
      if (by != nullptr && by->lower_is_better && judges(m_[t].words)) r.descending = !r.descending;
    }
    q_.top = r;
    if (q_.shape == query_shape::existence || q_.shape == query_shape::list) q_.top.reset();
  }

  // Measures.
  std::vector<metric_use> named;
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    if (m.metric >= 0) {
      metric_use u;
      u.metric = met(m.metric).id;
      named.push_back(u);
      metric_marks_.emplace_back(i, 0);
      m.used = true;
      if (index p = previous(i); p != nowhere && (m_[p].is(gram::how_many) || m_[p].is(gram::average)))
        m_[p].used = true;
    } else if (m.dimension >= 0 && counting(i)) {
      for (const metric& x : layer_.metrics) {
        if (x.counts != dim(m.dimension).id) continue;
        metric_use u;
        u.metric = x.id;
        named.push_back(u);
        m.used = true;
        m_[previous(i)].used = true;
      }
    }
  }
  if (!named.empty()) {
    if (q_.shape != query_shape::aggregate && q_.shape != query_shape::existence) {
      q_.shape = query_shape::aggregate;
      q_.rank_attribute.clear();
      q_.newest_first = q_.oldest_first = q_.distinct_facts = false;
      q_.metrics.clear();
      q_.extra_columns.clear();
      q_.top.reset();
    }
    if (adds) {
      for (metric_use& u : named)
        if (std::find(q_.metrics.begin(), q_.metrics.end(), u) == q_.metrics.end()) q_.metrics.push_back(u);
    } else {
      q_.metrics = named;
      if (q_.top) q_.top->metric = 0;
      q_.conditions.clear();
      q_.pivot_values = false;
    }
  }

  const auto grouped_at = [&](const std::string& id) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < q_.groups.size(); ++i)
      if (q_.groups[i].dimension == id) return i;
    return std::nullopt;
  };

  // Groups: a subject behind "by" is added (in place of another of its kind when "instead" says so).
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    const bool time = m.is_grain() && m.dimension < 0;
    if (!time && m.dimension < 0) continue;
    index p = previous(i);
    const bool introduced = p != nowhere && (m_[p].is(gram::by) || m_[p].is(gram::breakdown) || m_[p].is(gram::each));
    if (!time && !introduced && described(i)) {
      // "only for government customers": the noun of a filter.
      m.used = true;
      continue;
    }
    group g;
    if (time) {
      g.time = m.time->unit;
      g.fiscal = m.time->fiscal;
    } else {
      g.dimension = dim(m.dimension).id;
      if (std::string owner = owner_of(i); !owner.empty()) g.role = dim(m.dimension).owned_roles.at(owner);
    }
    m.used = true;
    if (p != nowhere && (m_[p].is(gram::by) || m_[p].is(gram::breakdown) || m_[p].is(gram::each))) m_[p].used = true;
    if (std::find(q_.groups.begin(), q_.groups.end(), g) != q_.groups.end()) continue;
    if (q_.shape == query_shape::detail) {
      q_.extra_columns.push_back(g.dimension);
      continue;
    }
    auto same_kind =
        std::find_if(q_.groups.begin(), q_.groups.end(), [&](const group& x) { return x.time.has_value() == time; });
    if (same_kind != q_.groups.end() && (time || replaces)) {
      *same_kind = g;
    } else if (const dimension* above = time ? nullptr : layer_.level_beside(g.dimension, -1);
               above != nullptr && grouped_at(above->id)) {
      // "and by city?" behind provinces: a level goes behind the one above it, and a ranking holds in each of that.
      const std::size_t parent = *grouped_at(above->id);
      q_.groups.insert(q_.groups.begin() + static_cast<std::ptrdiff_t>(parent) + 1, g);
      if (q_.top && t == nowhere) q_.top->within = parent;
    } else if (q_.top && !time && !q_.groups.empty() && t == nowhere) {
      // "the top 5, by hall": so many in each of it.
      q_.groups.insert(q_.groups.begin(), g);
      q_.top->within = 0;
    } else {
      q_.groups.push_back(g);
    }
    if (q_.compare == compare_kind::side_by_side && before.groups.empty()) q_.compare = compare_kind::side_by_side;
    out_.kind = turn::drill_down;
  }

  // Periods.
  if (previous_step_ && !before.periods.empty() && periods_.empty()) {
    const bool compared = any(gram::compare) || any(gram::growth);
    period p = nlq::previous(before.periods.back(), *previous_step_);
    if (compared) {
      q_.periods = {p, before.periods.back()};
      q_.compare = any(gram::growth) ? compare_kind::change_percent : compare_kind::side_by_side;
      use_all(gram::compare);
      use_all(gram::growth);
    } else {
      q_.periods = {p};
      q_.compare = compare_kind::none;
    }
    previous_step_.reset();
  }
  if (!periods_.empty()) {
    const bool compared = any(gram::compare) && periods_.size() == 1 && before.periods.size() == 1;
    std::vector<period> now;
    for (period_slot& p : periods_) {
      p.taken = true;
      if (p.when.month_of_any_year && before.periods.size() == 1 && before.periods[0].first &&
          before.periods[0].calendar == p.when.calendar) {
        const int year = date_in(p.when.calendar, *before.periods[0].first).year;
        p.when = months_period(p.when.calendar, year, *p.when.month_of_any_year,
                               *p.when.month_of_any_year + p.when.month_count - 1);
      }
      now.push_back(p.when);
    }
    if (compared) {
      period other = before.periods[0];
      if (periods_[0].relative_year) now[0] = nlq::previous(other, grain::year);
      q_.periods = now[0].first < other.first ? std::vector<period>{now[0], other} : std::vector<period>{other, now[0]};
      q_.compare = compare_kind::side_by_side;
      use_all(gram::compare);
    } else {
      q_.periods = now;
      if (q_.compare != compare_kind::none && now.size() != 2) q_.compare = compare_kind::none;
    }
    if (q_.shape == query_shape::existence) {
      for (event_clause& c : q_.clauses) c.periods = q_.periods;
      q_.periods.clear();
    }
  }

  // Filters: a value replaces those of its dimension, a new dimension adds one.
  std::vector<std::string> replaced_dimensions;
  for (filter_slot& f : filters_) {
    if (f.taken) continue;
    f.taken = true;
    const dimension* d = layer_.find_dimension(f.filter.dimension);
    if (f.filter.role.empty() && d != nullptr) {
      for (const group& g : q_.groups) {
        if (auto owned = d->owned_roles.find(g.dimension); owned != d->owned_roles.end()) f.filter.role = owned->second;
      }
    }
    // What was opened is closed by whoever says it anew.
    std::erase_if(q_.opened, [&](const opened_filter& o) {
      const named_filter* own = layer_.find_filter(o.filter);
      return own != nullptr && own->dimension == f.filter.dimension;
    });
    auto same = std::find_if(q_.filters.begin(), q_.filters.end(),
                             [&](const value_filter& x) { return x.dimension == f.filter.dimension; });
    // "including Isfahan" adds to the values that are there; with none there it would narrow what it is to widen.
    if (widened && named.empty()) {
      if (same == q_.filters.end() || same->negated || f.filter.negated || same->column != f.filter.column) {
        out_.leftover.push_back(m_[f.mark].words);
        continue;
      }
      same->values.insert(same->values.end(), f.filter.values.begin(), f.filter.values.end());
      same->label += (fa() ? " و " : ", ") + f.filter.label;
      // "for the other hall too" wants both, not their sum.
      if (adds && !is_state(f.filter) && !grouped_at(f.filter.dimension) && q_.shape == query_shape::aggregate) {
        group both;
        both.dimension = f.filter.dimension;
        both.role = same->role;
        q_.groups.insert(q_.groups.begin(), both);
      }
      continue;
    }
    const bool second = std::find(replaced_dimensions.begin(), replaced_dimensions.end(), f.filter.dimension) !=
                        replaced_dimensions.end();
    if (same != q_.filters.end() && second && same->negated == f.filter.negated) {
      same->values.insert(same->values.end(), f.filter.values.begin(), f.filter.values.end());
      same->label += (fa() ? " و " : ", ") + f.filter.label;
    } else if (same != q_.filters.end() && !f.filter.negated) {
      *same = f.filter;
    } else {
      q_.filters.push_back(f.filter);
    }
    replaced_dimensions.push_back(f.filter.dimension);
  }
  if (!filters_.empty() && before.top)
    assume(say("the filter applies before the ranking",
               "شرط پیش از رتبه‌بندی اعمال می‌شود"));

  if (index s = find(gram::share); s != nowhere || any(gram::percent)) {
    if (!q_.groups.empty()) q_.share = share_kind::of_total;
    if (s != nowhere) m_[s].used = true;
    use_all(gram::percent);
    use_all(gram::total);
  }
  take_windows();
  take_conditions();
  if (out_.ask) return;
  find_units();

  for (gram g :
       {gram::what_about, gram::only, gram::same, gram::pronoun, gram::and_, gram::follow, gram::but, gram::all,
        gram::breakdown, gram::drill, gram::roll_up, gram::by, gram::each, gram::trend, gram::vague, gram::not_}) {
    if (g == gram::not_) continue;
    use_all(g);
  }
  if (q_ == before && !composed_on_) {
    ask(say("What should change in the last question: its period, its filter, its breakdown or its measure?",
            "چه چیزی در پرسش پیشین تغییر کند: دوره، شرط، تفکیک یا شاخص؟"));
  }
}

}  // namespace dragoman::nlq
