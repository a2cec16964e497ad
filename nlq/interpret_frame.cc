// From marks to the frame of a question that stands alone: which shape it has.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

void interpreter::fresh_frame() {
  if (coverage_frame() || existence_frame() || vague_frame() || detail_frame() || list_frame()) return;
  aggregate_frame();
}

// Something to answer with is named: a measure, a thing to list, or facts.
bool interpreter::complete() const {
  bool subject = false, measure = false, verb = false;
  for (index i = 0; i < m_.size(); ++i) {
    const mark& m = m_[i];
    if (m.filter >= 0) continue;
    measure = measure || m.metric >= 0 || m.detail >= 0 || m.attribute >= 0;
    subject = subject || m.dimension >= 0;
    verb = verb || m.verb >= 0 || m.event >= 0 || m.negated_event >= 0;
    if (m.is(gram::schema_coverage)) return true;
  }
  if (measure || verb) return true;
  bool asks = any(gram::list) || any(gram::which) || any(gram::all) || any(gram::how_many);
  bool ranks = any(gram::top) || any(gram::bottom);
  return subject && (asks || ranks || q_.shape == query_shape::list || m_.size() == 1 || !follow_up_cue());
}

// "what period do the data cover": the dates of the first and of the last fact.
bool interpreter::coverage_frame() {
  index i = find(gram::schema_coverage);
  if (i == nowhere || layer_.details.empty()) return false;
  use_all(gram::schema_coverage);
  const std::string& role_id = layer_.details.front().role;
  for (const metric& x : layer_.metrics) {
    // The metrics that are dates of facts: the first and the last.
    if (x.base == role_id && x.unit == measure_unit::none && x.averaged) add_metric(x.id);
  }
  return !q_.metrics.empty();
}

// "customers that bought in A but never in B", "brokers without orders in 1403", "days on which nothing was ordered"
bool interpreter::existence_frame() {
  index subject = nowhere;
  for (index i = 0; i < m_.size() && subject == nowhere; ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].dimension >= 0 && dim(m_[i].dimension).entity) subject = i;
    if (m_[i].is_grain() && !m_[i].time->adjective && m_[i].dimension < 0 && m_[i].time->unit == grain::day)
      subject = i;
  }
  if (subject == nowhere) return false;
  bool negative = false, happened = false, measured = false;
  for (index i = 0; i < m_.size(); ++i) {
    const mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    negative = negative || m.is(gram::not_) || m.is(gram::without) || m.negated_event >= 0;
    happened = happened || m.event >= 0 || m.negated_event >= 0 || m.verb >= 0 || m.detail >= 0;
    if (m.metric >= 0) {
      // "no purchases": the measure of an event, denied, is the event.
      bool of_event = std::any_of(layer_.events.begin(), layer_.events.end(),
                                  [&](const event& e) { return e.metric == met(m.metric).id; });
      happened = happened || of_event;
      measured = measured || (!of_event && m.attribute < 0);
    }
  }
  // "sales of customers that never bought": a measure of such members, not the members.
  for (index i = 0; i < subject; ++i) {
    const mark& m = m_[i];
    if (!m.used && m.filter < 0 && (m.metric >= 0 || m.detail >= 0)) return false;
  }
  const bool quantity = any(gram::top) || any(gram::bottom) || any(gram::share) || any(gram::growth) ||
                        any(gram::grew) || any(gram::fell) || any(gram::more) || any(gram::less) ||
                        any(gram::more_than) || any(gram::less_than) || any(gram::average) || any(gram::how_many) ||
                        any(gram::how_much) || any(gram::rank) || any(gram::each) || any(gram::breakdown) ||
                        any(gram::by) || any(gram::compare) || !amounts_.empty() || any(gram::percent) ||
                        any(gram::ratio) || any(gram::last) || any(gram::first);
  if (!happened || measured) return false;
  if (!negative) {
    // Without a "not" only a verb, or orders behind their subject, make an existence question.
    bool verb = false;
    for (index i = 0; i < m_.size(); ++i) {
      const mark& m = m_[i];
      if (m.used || m.filter >= 0) continue;
      if (m.metric >= 0 && m.detail < 0 && m.event < 0) return false;
      if (i > subject && (m.event >= 0 || m.verb >= 0)) verb = true;
      if (m.detail >= 0 && i > subject) verb = true;
      if (m.detail >= 0 && i < subject) return false;
    }
    if (!verb || quantity) return false;
    if (m_[subject].is_grain() && m_[subject].dimension < 0) return false;
    if (m_[subject].dimension >= 0 && dim(m_[subject].dimension).key.empty()) return false;
    if (!m_[subject].plural && !any(gram::which) && !any(gram::list) && !any(gram::that)) return false;
  } else if (any(gram::top) || any(gram::bottom) || any(gram::share) || any(gram::how_much) || any(gram::average) ||
             !amounts_.empty()) {
    return false;
  }

  q_.shape = query_shape::existence;
  q_.groups.clear();
  add_group(subject);
  const bool of_days = q_.groups[0].time.has_value();
  std::string entity_role = of_days ? std::string{} : layer_.find_dimension(q_.groups[0].dimension)->roles.front();

  // Clauses part at "but" and at "and never".
  std::vector<index> starts{0};
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is(gram::but) && !m_[i].used) {
      starts.push_back(i);
      m_[i].used = true;
    } else if (m_[i].is(gram::and_) && next(i) != nowhere &&
               (m_[next(i)].is(gram::not_) || m_[next(i)].is(gram::without))) {
      starts.push_back(i);
    }
  }
  std::string last_event;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    const index from = starts[c], to = c + 1 < starts.size() ? starts[c + 1] : m_.size();
    event_clause clause;
    bool content = false;
    for (index i = from; i < to; ++i) {
      mark& m = m_[i];
      if (m.filter >= 0) {
        filter_slot& f = filters_[static_cast<std::size_t>(m.filter)];
        f.taken = true;
        if (!of_days && fact_level(f.filter, entity_role, true)) {
          clause.filters.push_back(f.filter);
          content = true;
        } else if (of_days) {
          clause.filters.push_back(f.filter);
        } else {
          // "customers in Tehran and Isfahan": either place.
          auto same = std::find_if(q_.filters.begin(), q_.filters.end(), [&](const value_filter& x) {
            return x.dimension == f.filter.dimension && x.role == f.filter.role && x.negated == f.filter.negated;
          });
          if (same == q_.filters.end()) {
            q_.filters.push_back(f.filter);
          } else {
            same->values.insert(same->values.end(), f.filter.values.begin(), f.filter.values.end());
            same->label += (fa() ? " و " : ", ") + f.filter.label;
          }
        }
        continue;
      }
      for (period_slot& p : periods_) {
        if (p.mark != i || p.taken) continue;
        p.taken = true;
        if (of_days) {
          q_.periods.push_back(p.when);
        } else {
          clause.periods.push_back(p.when);
          content = true;
        }
      }
      if (m.used) continue;
      int e = m.negated_event >= 0 ? m.negated_event : m.event;
      if (m.negated_event >= 0) clause.negated = true;
      if (m.is(gram::not_) || m.is(gram::without)) {
        clause.negated = true;
        m.used = true;
      }
      if (e < 0 && (m.metric >= 0 || m.verb >= 0)) {
        const std::string& metric_id = met(m.metric >= 0 ? m.metric : m.verb).id;
        for (std::size_t k = 0; k < layer_.events.size(); ++k) {
          if (layer_.events[k].metric == metric_id) e = static_cast<int>(k);
        }
      }
      if (e >= 0) {
        // A verb of buying is stricter than the noun "order" beside it.
        const std::string& id = layer_.events[static_cast<std::size_t>(e)].id;
        if (clause.event.empty() || !layer_.events[static_cast<std::size_t>(e)].filters.empty()) clause.event = id;
        content = true;
        m.used = true;
      }
    }
    if (!content && !clause.negated) continue;
    if (clause.event.empty()) clause.event = last_event;
    if (clause.event.empty()) continue;
    last_event = clause.event;
    q_.clauses.push_back(std::move(clause));
  }
  share_clauses(starts);
  part_clauses();
  if (index h = find(gram::how_many); h != nowhere && h < subject) {
    q_.count_members = true;
    m_[h].used = true;
  }
  // The earlier clause may have left its verb to the later one ("در الف و نه در ب خرید
  // کرده‌اند").
  if (q_.clauses.empty()) return false;
  use_all(gram::which);
  use_all(gram::that);
  use_all(gram::all);
  use_all(gram::list);
  return true;
}

// "bought steel in 2024 but not in 2023": what a clause does not say again is the same as before. "Never" is any time.
void interpreter::share_clauses(const std::vector<index>& starts) {
  if (q_.clauses.size() != 2 || starts.size() != 2) return;
  event_clause &a = q_.clauses[0], &b = q_.clauses[1];
  bool any_time = false;
  for (index i = starts[1]; i < m_.size(); ++i) {
    for (std::size_t k = m_[i].at; k < m_[i].at + m_[i].length; ++k)
      any_time = any_time || read_.words[k].is("never") || read_.words[k].is("ever") || read_.words[k].is("هرگز") ||
                 read_.words[k].is("هیچوقت") || read_.words[k].is("وقت") || read_.words[k].is("تاکنون");
  }
  if (b.filters.empty() && !b.periods.empty() && !a.filters.empty() && !a.periods.empty()) b.filters = a.filters;
  if (any_time || b.filters.empty() || a.periods.empty() == b.periods.empty()) return;
  if (a.filters.empty()) return;
  if (b.periods.empty()) {
    b.periods = a.periods;
  } else {
    a.periods = b.periods;
  }
  assume(say("the period holds for both", "دوره برای هر دو است"));
}

// "bought steel and cement": each of them happened, though hardly in one order. "Or" and a denial are of any of them.
void interpreter::part_clauses() {
  const bool either = any(gram::or_);
  std::vector<event_clause> out;
  for (const event_clause& c : q_.clauses) {
    std::vector<value_filter> merged;
    for (const value_filter& f : c.filters) {
      auto same = std::find_if(merged.begin(), merged.end(), [&](const value_filter& x) {
        return x.dimension == f.dimension && x.role == f.role && x.negated == f.negated;
      });
      if (same == merged.end()) {
        merged.push_back(f);
      } else {
        same->values.insert(same->values.end(), f.values.begin(), f.values.end());
        same->label += (fa() ? " و " : ", ") + f.label;
      }
    }
    const bool several = merged.size() < c.filters.size();
    event_clause joined = c;
    joined.filters = merged;
    if (c.periods.size() > 1 && !c.negated && !either) {
      // "both in 1402 and in 1403"
      for (const period& p : c.periods) {
        event_clause one = joined;
        one.periods = {p};
        out.push_back(std::move(one));
      }
      continue;
    }
    if (!several || c.negated || either) {
      out.push_back(std::move(joined));
      continue;
    }
    for (const value_filter& f : c.filters) {
      const auto is_same = [&](const value_filter& x) { return x.dimension == f.dimension && x.role == f.role; };
      if (std::count_if(c.filters.begin(), c.filters.end(), is_same) < 2) continue;
      event_clause one = c;
      one.filters.clear();
      for (const value_filter& x : c.filters) {
        if (!is_same(x)) one.filters.push_back(x);
      }
      one.filters.push_back(f);
      out.push_back(std::move(one));
    }
  }
  q_.clauses = std::move(out);
  use_all(gram::or_);
  use_all(gram::and_);
}

// Nothing that could be measured: ask what is meant.
bool interpreter::vague_frame() {
  bool measure = false, subject = false, value = !filters_.empty();
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].filter >= 0 || m_[i].used) continue;
    measure = measure || m_[i].metric >= 0 || m_[i].verb >= 0 || m_[i].attribute >= 0 || m_[i].event >= 0 ||
              m_[i].detail >= 0;
    subject = subject || m_[i].dimension >= 0;
  }
  const bool how = any(gram::status_how) || any(gram::what_about);
  const bool ranks = any(gram::top) || any(gram::bottom);
  auto offer = [&](const std::string& message) {
    std::vector<clarify_option> options;
    const std::string question = [&] {
      std::string t;
      for (const filter_slot& f : filters_) t += (t.empty() ? "" : " ") + m_[f.mark].words;
      return t;
    }();
    for (const metric& x : layer_.metrics) {
      if (options.size() >= 5) break;
      if (x.unit == measure_unit::none) continue;
      clarify_option o;
      o.label = x.label.in(lang_);
      o.description = x.definition.in(lang_);
      o.value = question.empty() ? o.label : fa() ? o.label + " " + question : o.label + " of " + question;
      for (index i = 0; i < m_.size(); ++i) {
        if (m_[i].dimension >= 0 && m_[i].filter < 0 && !m_[i].used) {
          o.value = fa() ? o.label + " به تفکیک " + dim(m_[i].dimension).label.fa
                         : o.label + " by " + dim(m_[i].dimension).label.en;
          break;
        }
      }
      options.push_back(std::move(o));
    }
    ask(message, std::move(options));
  };
  if (!measure && (any(gram::growth) || any(gram::trend) || any(gram::compare) || (any(gram::share) && !subject))) {
    offer(say("Of which measure, and for which period?", "از کدام شاخص و برای کدام دوره؟"));
    return true;
  }
  if (!measure && any(gram::average) && !any(gram::which)) {
    std::vector<clarify_option> options;
    std::string of;
    for (const filter_slot& f : filters_) of += " " + m_[f.mark].words;
    for (const metric& x : layer_.metrics) {
      if (!x.averaged || x.unit == measure_unit::none || x.unit == measure_unit::percent) continue;
      clarify_option o;
      o.label = x.label.in(lang_);
      o.value = o.label + (of.empty() ? "" : (fa() ? "" : " of") + of);
      o.description = x.definition.in(lang_);
      options.push_back(std::move(o));
    }
    ask(say("The average of what?", "میانگین چه چیزی؟"), std::move(options));
    return true;
  }
  if (!measure && (how || any(gram::vague))) {
    offer(say("Which measure do you mean, and for which period?", "کدام شاخص و کدام دوره منظور است؟"));
    return true;
  }
  if (!measure && ranks && !subject &&
      !std::any_of(m_.begin(), m_.end(), [&](const mark& m) { return m.is_grain() && !m.time->adjective; })) {
    offer(say("The best of what, and by which measure?", "برترینِ چه چیزی و بر پایه کدام شاخص؟"));
    return true;
  }
  if (!measure && value && !subject && filters_.size() == 1 && !any(gram::list) && !any(gram::which)) {
    offer(fa() ? "درباره «" + m_[filters_[0].mark].words + "» چه می‌خواهید بدانید؟"
               : "What about \"" + m_[filters_[0].mark].words + "\" would you like to know?");
    return true;
  }
  return false;
}

}  // namespace dragoman::nlq
