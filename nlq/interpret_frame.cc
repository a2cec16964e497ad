// From marks to the frame of a question that stands alone: which shape it has, and what fills its slots.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

// ---- shapes --------------------------------------------------------------------------------------------------------

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
  const bool quantity = any(gram::top) || any(gram::bottom) || any(gram::share) || any(gram::growth) ||
                        any(gram::grew) || any(gram::fell) || any(gram::more) || any(gram::less) ||
                        any(gram::average) || any(gram::how_many) || any(gram::how_much) || any(gram::rank) ||
                        any(gram::each) || any(gram::breakdown) || any(gram::by) || any(gram::compare) ||
                        !amounts_.empty() || any(gram::percent) || any(gram::ratio) || any(gram::last) ||
                        any(gram::first);
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
          q_.filters.push_back(f.filter);
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
  // The earlier clause may have left its verb to the later one ("در الف و نه در ب خرید
  // کرده‌اند").
  if (q_.clauses.empty()) return false;
  use_all(gram::which);
  use_all(gram::that);
  use_all(gram::all);
  use_all(gram::list);
  return true;
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
  if (measure && !(any(gram::growth) && false)) {
    bool only_growth = false;
    (void)only_growth;
  }
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

// Single facts: "last 10 orders", "orders with a discount above 8 %", "the largest order of 1402".
bool interpreter::detail_frame() {
  index noun = nowhere;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].metric >= 0 && m_[i].detail < 0 && m_[i].attribute < 0) {
      // A measure before the noun makes it a measure question; behind "with" it is a column.
      if (noun == nowhere) return false;
    }
    if (m_[i].dimension >= 0 && noun == nowhere && !any(gram::top) && !any(gram::last)) return false;
    if (m_[i].detail >= 0) {
      noun = i;
      break;
    }
  }
  if (noun == nowhere || counting(noun)) return false;
  // "every order" is all of them; "کل تراکنش‌ها" too, where they are to be listed.
  index every = previous(noun);
  const bool all_of_them = every != nowhere && m_[every].is(gram::each) && !fa();
  if (all_of_them) m_[every].used = true;
  auto no_list = [&](bool value) {
    if (value && all_of_them) m_[every].used = false;
    return value;
  };
  if (no_list(any(gram::total) && !any(gram::list) && !any(gram::unlimited))) return false;
  if (any(gram::each) || any(gram::breakdown) || any(gram::share) || any(gram::growth) || any(gram::average) ||
      any(gram::rank) || any(gram::compare) || any(gram::how_many) || any(gram::running_total) ||
      any(gram::moving_average) || any(gram::percent) || any(gram::ratio) || any(gram::as_percent_of) ||
      any(gram::trend) || any(gram::median) || any(gram::by) || any(gram::how_much)) {
    return false;
  }
  const std::size_t which_detail = static_cast<std::size_t>(m_[noun].detail);
  const detail_list& list = layer_.details[which_detail];
  index ranks = find(gram::top);
  const bool smallest = ranks == nowhere && any(gram::bottom);
  if (smallest) ranks = find(gram::bottom);
  if (ranks != nowhere) {
    // "the brokers with the most orders" ranks brokers; only a superlative right before the noun ranks orders.
    index after = next(ranks);
    while (after != nowhere && (!m_[after].number.empty() || m_[after].filter >= 0)) after = next(after);
    index before = previous(ranks);
    bool direct = after == noun && (before == nowhere || m_[before].dimension < 0);
    bool persian_direct = false;
    if (!direct) {
      index a = next(noun);
      while (a != nowhere && m_[a].filter >= 0) a = next(a);
      persian_direct = a == ranks;
    }
    for (index i = 0; i < m_.size(); ++i) {
      bool entity_before = i < ranks && !m_[i].used && m_[i].filter < 0 && m_[i].dimension >= 0;
      if (entity_before) return false;
    }
    if (!direct && !persian_direct) return false;
    // "most orders" counts unless something ranks single ones ("largest").
    static const std::set<std::string> counting_words{"most", "fewest", "بیشترین", "کمترین", "least"};
    if (counting_words.contains(m_[ranks].words)) return false;
  }
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is_grain() && !m_[i].used && m_[i].filter < 0) return false;
    // Other measures beside it by "and" make a table of measures.
    if (i != noun && m_[i].metric >= 0 && m_[i].attribute < 0 && m_[i].detail < 0 && !m_[i].used && m_[i].filter < 0 &&
        !any(gram::with))
      return false;
  }

  // "orders in 2024" and no more: to be counted or to be listed?
  const bool plainly = filters_.empty() && amounts_.empty() && !periods_.empty() && ranks == nowhere &&
                       !any(gram::last) && !any(gram::first) && !any(gram::list) && !any(gram::which) &&
                       !any(gram::with) && !any(gram::that) && !any(gram::all) && !any(gram::total) && !all_of_them &&
                       std::none_of(m_.begin(), m_.end(), [&](const mark& m) {
                         return m.dimension >= 0 || !(m.number.empty() || m.is_period());
                       });
  if (plainly) {
    std::string rest;
    for (const token& t : read_.words) rest += (rest.empty() ? "" : " ") + t.raw;
    clarify_option count, listed;
    count.label = say("how many there are", "تعدادشان");
    count.value = fa() ? "تعداد " + rest : "number of " + rest;
    listed.label = say("the orders one by one", "یک‌به‌یک سفارش‌ها");
    listed.value = fa() ? "لیست " + rest : "list " + rest;
    ask(say("Their number, or the list of them?", "تعداد آن‌ها یا فهرست آن‌ها؟"),
        {count, listed});
    return true;
  }
  q_.shape = query_shape::detail;
  q_.base = list.role;
  use(noun);
  for (index i = noun + 1; i < m_.size(); ++i) {
    if (m_[i].detail >= 0 && m_[i].filter < 0) m_[i].used = true;
  }
  auto number_near = [&](index i) -> index {
    for (index k : {next(i), previous(i)}) {
      if (k != nowhere && !m_[k].number.empty() && !m_[k].used) return k;
    }
    index k = previous(noun);
    if (k != nowhere && !m_[k].number.empty() && !m_[k].used) return k;
    return nowhere;
  };
  auto rows_at = [&](index number) {
    if (number == nowhere) return std::int64_t{0};
    m_[number].used = true;
    std::erase_if(periods_, [&](const period_slot& p) { return p.mark == number; });
    return static_cast<std::int64_t>(std::strtoll(m_[number].number.c_str(), nullptr, 10));
  };
  if (ranks != nowhere) {
    ranking r;
    r.descending = !smallest;
    std::int64_t n = rows_at(number_near(ranks));
    r.rows = n > 0 ? n : m_[noun].plural ? 10 : 1;
    r.assumed_rows = n == 0 && m_[noun].plural;
    q_.top = r;
    q_.rank_attribute = list.rank_attribute;
    use(ranks);
  } else if (index l = find(gram::last); l != nowhere) {
    std::int64_t n = rows_at(number_near(l));
    ranking r;
    r.rows = n > 0 ? n : m_[noun].plural ? 10 : 1;
    r.assumed_rows = n == 0 && m_[noun].plural;
    q_.top = r;
    q_.newest_first = true;
    use(l);
  } else if (index f = find(gram::first); f != nowhere) {
    std::int64_t n = rows_at(number_near(f));
    ranking r;
    r.rows = n > 0 ? n : 1;
    q_.top = r;
    q_.oldest_first = true;
    use(f);
  } else if (index k = previous(noun); k != nowhere && !m_[k].number.empty() && !m_[k].used) {
    ranking r;
    r.rows = rows_at(k);
    q_.top = r;
    q_.newest_first = true;
    assume(say("the newest ones", "جدیدترین‌ها"));
  }

  // Thresholds on single rows: the attribute named before or behind the amount.
  for (amount_slot& a : amounts_) {
    index at = nowhere;
    for (index k = a.first; k-- > 0;) {
      if (m_[k].attribute >= 0 && m_[k].filter < 0) {
        at = k;
        break;
      }
    }
    if (at == nowhere) {
      index k = next(a.last);
      if (k != nowhere && m_[k].attribute >= 0) at = k;
    }
    attribute_filter f;
    if (at != nowhere) {
      f.attribute = layer_.attributes[static_cast<std::size_t>(m_[at].attribute)].id;
      m_[at].used = true;
    } else if (a.unit >= 0 || (!a.percent && !a.days)) {
      f.attribute = list.rank_attribute;
      if (a.unit < 0) assume(fa() ? "آستانه بر مبلغ سفارش است" : "the threshold is on the order's amount", 0.1);
    } else if (a.days) {
      for (const attribute& x : layer_.attributes) {
        if (x.unit == measure_unit::days) f.attribute = x.id;
      }
    }
    if (f.attribute.empty()) continue;
    const attribute& x = *layer_.find_attribute(f.attribute);
    f.op = a.op;
    f.low = a.percent && x.unit == measure_unit::fraction ? shift_decimal(a.low, -2) : a.low;
    f.high = a.percent && x.unit == measure_unit::fraction && !a.high.empty() ? shift_decimal(a.high, -2) : a.high;
    if (x.unit == measure_unit::money) {
      f.currency = a.unit >= 0 ? layer_.units[static_cast<std::size_t>(a.unit)].currency_value : "";
    }
    q_.attribute_filters.push_back(f);
    a.taken = true;
  }
  // Columns asked for by name: everything named behind the noun.
  for (index i = 0; i < m_.size(); ++i) {
    if (i == noun || m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].dimension >= 0) {
      q_.extra_columns.push_back(dim(m_[i].dimension).id);
      m_[i].used = true;
    } else if (m_[i].attribute >= 0) {
      q_.extra_columns.push_back(layer_.attributes[static_cast<std::size_t>(m_[i].attribute)].id);
      m_[i].used = true;
    }
  }
  for (gram g :
       {gram::all, gram::list, gram::which, gram::with, gram::unlimited, gram::output_file, gram::and_, gram::also})
    use_all(g);
  take_filters();
  take_periods();
  return true;
}

// Members of dimensions: "list all halls", "کارگزاری‌های اصفهان", "units used for agricultural
// commodities".
bool interpreter::list_frame() {
  std::vector<index> subjects;
  bool orders = false;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].dimension >= 0) subjects.push_back(i);
    orders = orders || m_[i].detail >= 0;
    if (m_[i].metric >= 0 && m_[i].detail < 0 && m_[i].attribute < 0) return false;
    if (m_[i].is_grain()) return false;
  }
  if (subjects.empty()) return false;
  if (any(gram::by) || any(gram::as_percent_of) || any(gram::ratio) || any(gram::trend) || any(gram::grew) ||
      any(gram::fell) || any(gram::total) || any(gram::running_total) || any(gram::moving_average)) {
    return false;
  }
  if (any(gram::top) || any(gram::bottom) || any(gram::each) || any(gram::breakdown) || any(gram::share) ||
      any(gram::how_many) || any(gram::first) || any(gram::how_much) || any(gram::growth) || any(gram::rank) ||
      any(gram::compare) || any(gram::average) || any(gram::median) || any(gram::percent) || any(gram::more) ||
      any(gram::last)) {
    return false;
  }
  bool attribute_threshold = false;
  for (amount_slot& a : amounts_) {
    for (index k = a.first; k-- > 0 && !attribute_threshold;) {
      attribute_threshold = m_[k].attribute >= 0 && m_[k].metric < 0 && m_[k].filter < 0;
    }
  }
  if (!amounts_.empty() && !attribute_threshold) return false;
  bool verbs = false;
  for (const mark& m : m_) verbs = verbs || ((m.verb >= 0 || m.event >= 0) && m.filter < 0);

  q_.shape = query_shape::list;
  // The most general thing named is what is listed; what describes it becomes a filter or a column.
  std::vector<index> shown;
  for (index i : subjects) {
    bool owner_of_other = std::any_of(subjects.begin(), subjects.end(), [&](index k) {
      return k != i && dim(m_[k].dimension).owner == dim(m_[i].dimension).id && k < i;
    });
    // "commodity categories", "units of commodities": the owner only says whose.
    if (owner_of_other || (i + 1 < m_.size() && std::find(subjects.begin(), subjects.end(), i + 1) != subjects.end() &&
                           dim(m_[i + 1].dimension).owner == dim(m_[i].dimension).id && !m_[i + 1].break_before)) {
      m_[i].used = true;
      continue;
    }
    shown.push_back(i);
  }
  // "which provinces do our customers come from": the customers only say whose provinces.
  std::map<index, std::string> whose;
  for (index place : shown) {
    const dimension& d = dim(m_[place].dimension);
    for (index k : shown) {
      if (k <= place || !d.owned_roles.contains(dim(m_[k].dimension).id)) continue;
      bool listed_too = false;
      for (index between = place + 1; between <= k; ++between) {
        listed_too = listed_too || m_[between].is(gram::and_) || m_[between].is(gram::with) || m_[between].break_before;
      }
      if (listed_too) continue;
      whose[place] = d.owned_roles.at(dim(m_[k].dimension).id);
      m_[k].used = true;
    }
  }
  for (index i : shown) {
    if (m_[i].used) continue;
    add_group(i);
    if (whose.contains(i)) q_.groups.back().role = whose[i];
  }
  if (q_.groups.empty()) return false;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].attribute >= 0 && m_[i].filter < 0 && !m_[i].used) {
      const attribute& x = layer_.attributes[static_cast<std::size_t>(m_[i].attribute)];
      bool threshold = false;
      for (amount_slot& a : amounts_) {
        if (a.taken || a.first < i) continue;
        attribute_filter f;
        f.attribute = x.id;
        f.op = a.op;
        f.low = a.low;
        f.high = a.high;
        q_.attribute_filters.push_back(f);
        a.taken = threshold = true;
        break;
      }
      q_.extra_columns.push_back(x.id);
      (void)threshold;
      m_[i].used = true;
    }
  }
  const dimension& head = *layer_.find_dimension(q_.groups[0].dimension);
  const std::string role_id = head.roles.empty() ? std::string{} : head.roles.front();
  bool needs_facts = orders || !periods_.empty() || (verbs && (!periods_.empty() || !filters_.empty()));
  for (const filter_slot& f : filters_) needs_facts = needs_facts || role_id.empty() || fact_level(f.filter, role_id);
  // A thing that only exists in facts (weekdays, export or domestic).
  if (role_id.empty()) return false;
  if (needs_facts) {
    q_.distinct_facts = true;
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].filter >= 0) continue;
      if (m_[i].detail >= 0) m_[i].used = true;
      int e = m_[i].event;
      if (e >= 0) q_.facts_event = layer_.events[static_cast<std::size_t>(e)].id;
    }
  }
  for (gram g : {gram::all, gram::list, gram::which, gram::with, gram::and_, gram::by, gram::distinct}) use_all(g);
  take_filters();
  take_periods();
  return true;
}

// ---- slots of an aggregate -----------------------------------------------------------------------------------------

void interpreter::aggregate_frame() {
  q_.shape = query_shape::aggregate;
  if (average_frame()) {
    if (out_.ask) return;
  }
  take_ranking();
  take_metrics();
  take_ratio();
  take_windows();
  take_share();
  take_groups();
  take_comparison();
  if (out_.ask) return;
  take_conditions();
  spread_values();
  take_filters();
  take_periods();
  if (out_.ask) return;
  find_units();
  if (q_.metrics.empty() && q_.median_attribute.empty()) {
    if (q_.top || q_.share != share_kind::none || q_.window == window_kind::rank) {
      add_metric(layer_.default_metric);
      const metric* x = layer_.find_metric(layer_.default_metric);
      if (x != nullptr)
        assume(fa() ? "شاخصی نام برده نشد: " + x->label.fa : "no measure was named: " + x->label.en, 0.1);
    } else {
      std::vector<clarify_option> options;
      for (const metric& x : layer_.metrics) {
        if (options.size() >= 5 || x.unit == measure_unit::none) continue;
        clarify_option o;
        o.label = x.label.in(lang_);
        std::string rest;
        for (const token& t : read_.words) rest += " " + t.raw;
        o.value = o.label + rest;
        o.description = x.definition.in(lang_);
        options.push_back(std::move(o));
      }
      ask(say("Which measure do you mean?", "کدام شاخص منظور است؟"), std::move(options));
    }
  }
}

// "average orders per customer", "average monthly sales", "average quantity per order", "average price".
bool interpreter::average_frame() {
  index a = find(gram::average);
  if (a == nowhere) return false;
  // Its measure: the nearest behind it, else before it.
  index measure = nowhere;
  for (index i = a + 1; i < m_.size() && measure == nowhere; ++i) {
    if (m_[i].filter < 0 && !m_[i].used && (m_[i].metric >= 0 || m_[i].attribute >= 0)) measure = i;
  }
  for (index i = a; i-- > 0 && measure == nowhere;) {
    if (m_[i].filter < 0 && !m_[i].used && (m_[i].metric >= 0 || m_[i].attribute >= 0)) measure = i;
  }
  if (measure == nowhere) return false;
  const bool metric_known = m_[measure].metric >= 0;
  if (metric_known && met(m_[measure].metric).averaged) {
    m_[a].used = true;
    return false;
  }
  if (metric_known) {
    const metric& x = met(m_[measure].metric);
    // Per what? A grain ("monthly", "per month") or a thing ("per customer", "per order").
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].used || m_[i].filter >= 0 || i == measure) continue;
      index p = previous(i);
      bool each_before = p != nowhere && (m_[p].is(gram::each) || m_[p].is(gram::breakdown));
      if (m_[i].is_grain() && m_[i].dimension < 0 && (m_[i].time->adjective || each_before)) {
        metric_use u;
        u.metric = x.id;
        u.averaged_over = m_[i].time->unit;
        q_.metrics.push_back(u);
        metric_marks_.emplace_back(measure, q_.metrics.size() - 1);
        m_[i].used = m_[a].used = m_[measure].used = true;
        if (each_before) m_[p].used = true;
        return true;
      }
      if (each_before && m_[i].detail >= 0) {
        metric_use u;
        u.metric = x.id;
        u.per_metric = layer_.details[static_cast<std::size_t>(m_[i].detail)].entity;
        q_.metrics.push_back(u);
        metric_marks_.emplace_back(measure, q_.metrics.size() - 1);
        m_[i].used = m_[a].used = m_[measure].used = m_[p].used = true;
        return true;
      }
      if (each_before && m_[i].dimension >= 0 && dim(m_[i].dimension).entity) {
        metric_use u;
        u.metric = x.id;
        u.per_metric = "@" + dim(m_[i].dimension).id;
        q_.metrics.push_back(u);
        metric_marks_.emplace_back(measure, q_.metrics.size() - 1);
        m_[i].used = m_[a].used = m_[measure].used = m_[p].used = true;
        return true;
      }
    }
  }
  // The average of an order's own value is its total per order.
  if (!metric_known) {
    const attribute& x = layer_.attributes[static_cast<std::size_t>(m_[measure].attribute)];
    const metric* total = layer_.find_metric(x.total_metric);
    if (total != nullptr) {
      metric_use u;
      u.metric = total->id;
      if (!total->averaged) {
        for (const detail_list& list : layer_.details) {
          if (list.role == total->base) u.per_metric = list.entity;
        }
      }
      q_.metrics.push_back(u);
      metric_marks_.emplace_back(measure, q_.metrics.size() - 1);
      m_[a].used = m_[measure].used = true;
      for (index i = 0; i + 1 < m_.size(); ++i) {
        if ((m_[i].is(gram::each) || m_[i].is(gram::breakdown)) && next(i) != nowhere && m_[next(i)].detail >= 0)
          m_[i].used = m_[next(i)].used = true;
      }
      return true;
    }
  }
  // An average of something that can be averaged over periods, orders or members: ask which.
  const std::string name = metric_known ? met(m_[measure].metric).label.in(lang_) : m_[measure].words;
  std::vector<clarify_option> options;
  auto add = [&](const std::string& label) {
    clarify_option o;
    o.label = label;
    std::string rest;
    for (std::size_t t = 0; t < read_.words.size(); ++t) {
      bool in_average = t >= m_[a].at && t < m_[a].at + m_[a].length;
      bool in_measure = t >= m_[measure].at && t < m_[measure].at + m_[measure].length;
      if (!in_average && !in_measure) rest += " " + read_.words[t].raw;
    }
    o.value = label + rest;
    options.push_back(std::move(o));
  };
  add(say("average ", "میانگین ") + name + say(" per order", " به ازای هر سفارش"));
  add(say("average ", "میانگین ") + name + say(" per month", " به ازای هر ماه"));
  add(say("average ", "میانگین ") + name + say(" per customer", " به ازای هر مشتری"));
  ask(fa() ? "میانگین " + name + " به ازای چه چیزی؟" : "Average " + name + " per what?", std::move(options));
  return true;
}

void interpreter::take_ranking() {
  index t = nowhere;
  bool descending = true;
  for (index i = 0; i < m_.size() && t == nowhere; ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].is(gram::top)) t = i;
    if (m_[i].is(gram::bottom)) {
      t = i;
      descending = false;
    }
  }
  auto grouped_by_word = [&](index i) {
    index p = previous(i);
    return p != nowhere && (m_[p].is(gram::each) || m_[p].is(gram::breakdown) || m_[p].is(gram::by));
  };
  // "ten first customers", "ده مشتری اول"
  if (t == nowhere) {
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].used || !m_[i].is(gram::first)) continue;
      index p = previous(i), n = next(i);
      bool beside = (p != nowhere && is_subject(p)) || (n != nowhere && (is_subject(n) || !m_[n].number.empty()));
      if (beside) t = i;
    }
  }
  if (t == nowhere) return;

  std::vector<index> subjects;
  for (index i = 0; i < m_.size(); ++i) {
    if (is_subject(i) && !(counting(i) && m_[i].dimension >= 0)) subjects.push_back(i);
  }
  std::vector<index> plain;
  for (index i : subjects) {
    if (!grouped_by_word(i)) plain.push_back(i);
  }
  // "lowest and highest price … in each year": no member is ranked, the measure itself has an extreme.
  if (plain.empty()) {
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].used || m_[i].filter >= 0 || m_[i].metric < 0) continue;
      const metric& x = met(m_[i].metric);
      if (!x.minimum || !x.maximum) continue;
      bool taken = false;
      for (index k = i; k-- > 0;) {
        if (filler(k) || m_[k].is(gram::and_)) continue;
        bool low = m_[k].is(gram::bottom), high = m_[k].is(gram::top);
        if (!low && !high) break;
        metric_use u;
        u.metric = x.id;
        u.variant = low ? metric_variant::minimum : metric_variant::maximum;
        q_.metrics.insert(q_.metrics.begin(), u);
        m_[k].used = true;
        taken = true;
      }
      if (taken) {
        m_[i].used = true;
        use_all(gram::and_);
        return;
      }
    }
  }
  if (subjects.empty()) return;
  auto directly = [&](index from, bool forward) -> index {
    for (index k = forward ? next(from) : previous(from); k != nowhere; k = forward ? next(k) : previous(k)) {
      if (is_subject(k)) return k;
      bool passes = !m_[k].number.empty() || m_[k].filter >= 0 || (m_[k].verb >= 0 && m_[k].metric < 0) ||
                    m_[k].is(gram::which) || m_[k].is(gram::that);
      if (!passes) return nowhere;
    }
    return nowhere;
  };
  index entity = directly(t, true);
  if (entity != nowhere && grouped_by_word(entity) && plain.size() > 0) entity = nowhere;
  if (entity == nowhere) entity = directly(t, false);
  if (entity != nowhere && grouped_by_word(entity) && plain.size() > 0) entity = nowhere;
  if (entity == nowhere) {
    for (index i : plain) {
      if (i < t) entity = i;
    }
  }
  if (entity == nowhere && !plain.empty()) entity = plain.front();
  if (entity == nowhere) entity = subjects.back();
  // "top customer provinces": the last noun of the chain is what is ranked.
  while (entity + 1 < m_.size() && is_subject(entity + 1) && !m_[entity + 1].break_before && !fa() &&
         m_[entity].dimension >= 0 && m_[entity + 1].dimension >= 0)
    ++entity;

  ranking r;
  r.descending = descending;
  index number = nowhere;
  for (index k : {next(t), previous(t), previous(entity), next(entity)}) {
    if (k != nowhere && !m_[k].number.empty() && !m_[k].used) {
      number = k;
      break;
    }
    if (k != nowhere && !m_[k].number.empty() && m_[k].used && m_[k].is_period() && m_[k].length == 1) continue;
  }
  if (number != nowhere) {
    r.rows = std::strtoll(m_[number].number.c_str(), nullptr, 10);
    m_[number].used = true;
  } else if (m_[entity].plural) {
    r.assumed_rows = true;
    r.rows = 10;
    assume(say("no number was given: 10", "تعدادی گفته نشد: ۱۰"), 0.05);
  } else {
    r.rows = 1;
  }
  // "The worst by cancellation rate" are those with the highest one; "lowest" and "highest" speak of the figure itself.
  static const std::set<std::string> judging{
      "best", "worst", "بهترین", "بدترین", "برترین", "برتر", "ضعیف‌ترین"};
  std::string judged = m_[t].words;
  for (char& c : judged) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  judged_ranking_ = judging.contains(judged);
  m_[t].used = true;
  // A second superlative is the same one said again ("top 5 brokers with the highest sales").
  for (index i = 0; i < m_.size(); ++i) {
    if (i != t && !m_[i].used && m_[i].filter < 0 && (m_[i].is(gram::top) || m_[i].is(gram::bottom))) {
      if (m_[i].is(gram::bottom)) r.descending = false;
      m_[i].used = true;
    }
  }
  top_entity_ = entity;
  q_.top = r;
  add_group(entity);
  for (index i : subjects) {
    if (i == entity || m_[i].used || !grouped_by_word(i)) continue;
    add_group(i, true);
    m_[previous(i)].used = true;
    q_.top->within = 0;
    break;
  }
}

void interpreter::take_metrics() {
  auto fact_metric = [&](const mark& m) { return m.detail >= 0 && m.metric >= 0; };
  index last_metric = nowhere;
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    if (m.is(gram::median)) {
      for (index k = next(i); k != nowhere; k = next(k)) {
        if (m_[k].attribute >= 0 && m_[k].filter < 0) {
          q_.median_attribute = layer_.attributes[static_cast<std::size_t>(m_[k].attribute)].id;
          m_[k].used = m.used = true;
          break;
        }
      }
      continue;
    }
    if (m.metric >= 0) {
      // "value of cancelled orders": the orders are what the value is of.
      if (fact_metric(m) && !counting(i) && last_metric != nowhere) {
        bool beside = true, of = false;
        for (index k = last_metric + 1; k < i; ++k) {
          if (m_[k].is(gram::and_) || m_[k].break_before || m_[k].is(gram::compare)) beside = false;
          if (m_[k].is(gram::preposition)) of = true;
          const bool between = m_[k].is(gram::total) || (m_[k].is_grain() && m_[k].time->adjective);
          if (!filler(k) && m_[k].filter < 0 && !between) beside = false;
        }
        if (beside && !m.break_before && (of || fa())) {
          m.used = true;
          continue;
        }
      }
      // "first and last order date": the earlier word shares the rest of the phrase.
      if (m.length > 1 && i >= 2 && m_[i - 1].is(gram::and_) && m_[i - 2].length == 1 && !m_[i - 2].used) {
        const std::string key = read_.words[m_[i - 2].at].text + squash(read_.words, m.at + 1, m.length - 1);
        for (const sense& x : lex_.exactly(key)) {
          if (x.kind != sense_kind::metric) continue;
          add_metric(layer_.metrics[x.index].id);
          m_[i - 2].used = m_[i - 1].used = true;
          break;
        }
      }
      // "first and last order of each broker": their dates.
      if (fact_metric(m) && (any(gram::each) || any(gram::breakdown))) {
        const detail_list& list = layer_.details[static_cast<std::size_t>(m.detail)];
        std::vector<std::string> ends;
        for (index k = previous(i); k != nowhere && !list.first_metric.empty(); k = previous(k)) {
          if (m_[k].is(gram::and_)) continue;
          if (m_[k].used || !(m_[k].is(gram::first) || m_[k].is(gram::last))) break;
          ends.insert(ends.begin(), m_[k].is(gram::first) ? list.first_metric : list.last_metric);
          m_[k].used = true;
        }
        if (!ends.empty()) {
          for (const std::string& end : ends) metric_marks_.emplace_back(i, add_metric(end));
          use_all(gram::and_);
          m.used = true;
          continue;
        }
      }
      const std::string id = met(m.metric).id;
      std::size_t at = add_metric(id);
      metric_marks_.emplace_back(i, at);
      m.used = true;
      last_metric = i;
      if (counting(i)) {
        index h = previous(i);
        while (h != nowhere && !m_[h].is(gram::how_many)) h = previous(h);
        if (h != nowhere) m_[h].used = true;
      }
      continue;
    }
    if (m.dimension >= 0 && counting(i)) {
      index h = previous(i);
      while (h != nowhere && !m_[h].is(gram::how_many)) h = previous(h);
      const dimension& d = dim(m.dimension);
      const metric* counts = nullptr;
      for (const metric& x : layer_.metrics) {
        if (x.counts == d.id) counts = &x;
      }
      if (counts != nullptr) {
        metric_marks_.emplace_back(i, add_metric(counts->id));
      } else {
        metric_use u;
        u.counted = d.id;
        const std::string role_id = d.roles.empty() ? std::string{} : d.roles.front();
        bool facts = role_id.empty() || !periods_.empty();
        for (const filter_slot& f : filters_) facts = facts || fact_level(f.filter, role_id);
        for (const mark& x : m_) facts = facts || ((x.event >= 0 || x.verb >= 0 || x.detail >= 0) && x.filter < 0);
        u.counted_from_fact = facts;
        q_.metrics.push_back(u);
        metric_marks_.emplace_back(i, q_.metrics.size() - 1);
      }
      m.used = true;
      if (h != nowhere) m_[h].used = true;
    }
  }
  if (q_.metrics.empty() && q_.median_attribute.empty()) {
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].verb >= 0 && m_[i].filter < 0) {
        metric_marks_.emplace_back(i, add_metric(met(m_[i].verb).id));
        m_[i].used = true;
        break;
      }
      if (m_[i].event >= 0 && m_[i].filter < 0) {
        metric_marks_.emplace_back(i, add_metric(layer_.events[static_cast<std::size_t>(m_[i].event)].metric));
        m_[i].used = true;
        break;
      }
    }
  }
  // "how many days": the unit of what is measured, asked for by name.
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is_grain() || m_[i].time->unit != grain::day || !counting(i)) continue;
    bool days = std::any_of(q_.metrics.begin(), q_.metrics.end(), [&](const metric_use& u) {
      const metric* x = layer_.find_metric(u.metric);
      return x != nullptr && x->unit == measure_unit::days;
    });
    if (!days) continue;
    m_[previous(i)].used = true;
    m_[i].used = true;
  }
  if (q_.top && !q_.metrics.empty()) {
    // Ranked by the measure behind "by", else by the first.
    for (const auto& [i, at] : metric_marks_) {
      index p = previous(i);
      if (p != nowhere && m_[p].is(gram::by)) q_.top->metric = at;
    }
    const metric* by = layer_.find_metric(q_.metrics[q_.top->metric].metric);
    if (judged_ranking_ && by != nullptr && by->lower_is_better) q_.top->descending = !q_.top->descending;
  }
}

// "returned orders as a % of completed orders", "نسبت مرجوعی به تکمیل‌شده"
void interpreter::take_ratio() {
  index r = find(gram::as_percent_of);
  const bool percent = r != nowhere;
  if (!percent) r = find(gram::ratio);
  if (r == nowhere) return;
  // The sides: what stands before and behind the word (for "ratio of A to B": before and behind its "to").
  index border = r;
  if (!percent) {
    for (index i = r + 1; i < m_.size(); ++i) {
      bool to = m_[i].is(gram::to) || m_[i].words == "to" || m_[i].words == "به";
      if (to && i > r + 1) {
        border = i;
        break;
      }
    }
    if (border == r) return;
  }
  std::vector<filter_slot*> above, below;
  for (filter_slot& f : filters_) (f.mark < border ? above : below).push_back(&f);
  std::string upper, lower;
  for (const auto& [i, at] : metric_marks_) {
    std::string& side = i < border ? upper : lower;
    if (side.empty()) side = q_.metrics[at].metric;
  }
  if (upper.empty()) upper = lower;
  if (lower.empty()) lower = upper;
  if (upper.empty()) {
    // "ratio of returned to completed": of facts.
    if (layer_.details.empty()) return;
    upper = lower = layer_.details.front().entity;
  }
  metric_use u;
  u.metric = upper;
  u.per_metric = lower;
  u.as_percent = true;
  u.per_shares_filters = false;
  auto local = [&](const filter_slot* f) {
    // Filters of the same dimension on both sides part the ratio; others hold for both.
    auto& other = f->mark < border ? below : above;
    if (above.size() == 1 && below.empty()) return true;
    return std::any_of(other.begin(), other.end(),
                       [&](const filter_slot* o) { return o->filter.dimension == f->filter.dimension; });
  };
  std::vector<value_filter> up, low;
  for (filter_slot* f : above) {
    if (local(f)) up.push_back(f->filter), f->taken = true;
  }
  for (filter_slot* f : below) {
    if (local(f)) low.push_back(f->filter), f->taken = true;
  }
  u.filters = std::move(up);
  u.per_filters = std::move(low);
  q_.metrics = {u};
  metric_marks_.clear();
  m_[r].used = true;
  m_[border].used = true;
  use_all(gram::percent);
}

void interpreter::take_windows() {
  if (index i = find(gram::running_total); i != nowhere) {
    q_.window = window_kind::running_total;
    m_[i].used = true;
  } else if (index a = find(gram::moving_average); a != nowhere) {
    q_.window = window_kind::moving_average;
    q_.window_rows = 3;
    bool given = false;
    for (index k : {previous(a), next(a)}) {
      // "3 month moving average", "میانگین متحرک ۳ ماهه": the number and its grain stand together.
      if (k == nowhere) continue;
      if (m_[k].is_grain() && m_[k].time->unit == grain::quarter && !m_[k].time->adjective && !m_[k].used) {
        m_[k].used = true;  // "سه‌ماهه": three months in one word
        group months;
        months.time = grain::month;
        q_.groups.push_back(months);
        given = true;
        break;
      }
      index number = !m_[k].number.empty()                                       ? k
                     : previous(k) != nowhere && !m_[previous(k)].number.empty() ? previous(k)
                                                                                 : nowhere;
      if (number == nowhere || m_[number].used) continue;
      index unit = next(number);
      if (unit == nowhere) continue;
      std::optional<grain> g = free_grain(unit);
      if (!g) continue;
      q_.window_rows = std::atoi(m_[number].number.c_str());
      m_[number].used = m_[unit].used = true;
      group time;
      time.time = *g;
      q_.groups.push_back(time);
      given = true;
      break;
    }
    if (!given) assume(say("over 3 periods", "روی ۳ دوره"), 0.1);
    m_[a].used = true;
  } else if (index r = find(gram::rank); r != nowhere && !q_.top) {
    q_.window = window_kind::rank;
    m_[r].used = true;
  }
  if (index p = find(gram::period_over_period); p != nowhere) {
    q_.window = window_kind::growth;
    const token& w = read_.words[m_[p].at];
    grain g = w.is("year") || w.is("yoy") || w.is("سال")      ? grain::year
              : w.is("quarter") || w.is("qoq") || w.is("فصل") ? grain::quarter
              : w.is("day") || w.is("روز")                    ? grain::day
                                                              : grain::month;
    group time;
    time.time = g;
    q_.groups.push_back(time);
    m_[p].used = true;
    use_all(gram::growth);
    use_all(gram::percent);
  }
}

void interpreter::take_share() {
  index s = find(gram::share);
  bool percent_form = false;
  if (s == nowhere) {
    index p = find(gram::percent);
    if (p == nowhere) return;
    // "in percent" beside growth or a rate only names the unit.
    bool rate = any(gram::growth) || any(gram::grew) || any(gram::fell) || q_.window == window_kind::growth;
    for (const metric_use& u : q_.metrics) {
      const metric* x = layer_.find_metric(u.metric);
      rate = rate || u.as_percent || (x != nullptr && x->unit == measure_unit::percent);
    }
    if (rate) return;
    s = p;
    percent_form = true;
  }
  m_[s].used = true;
  use_all(gram::percent);
  use_all(gram::total);
  use_all(gram::all);
  if (q_.top && top_entity_ != nowhere && top_entity_ > s && !q_.top->within) {
    // "what share do the top 10 customers have" is one figure; "top 10 brokers by share" is a list.
    index p = previous(top_entity_);
    (void)p;
    q_.share = share_kind::top_of_total;
    return;
  }
  // What stands beside the word decides: members share the whole, a value is a part of it.
  index after = next(s);
  while (after != nowhere && (m_[after].is(gram::total) || m_[after].is(gram::all))) after = next(after);
  index before = previous(s);
  std::vector<filter_slot*> free;
  for (filter_slot& f : filters_) {
    if (!f.taken) free.push_back(&f);
  }
  filter_slot* part = nullptr;
  auto filter_at = [&](index i) -> filter_slot* {
    if (i == nowhere || m_[i].filter < 0) return nullptr;
    return &filters_[static_cast<std::size_t>(m_[i].filter)];
  };
  bool members_beside =
      (after != nowhere && (is_subject(after) || m_[after].is(gram::each) || m_[after].is(gram::breakdown)) &&
       (filter_at(next(after)) == nullptr || !is_subject(after))) ||
      (before != nowhere && is_subject(before)) || q_.top.has_value();
  if (filter_slot* f = filter_at(after); f != nullptr && !percent_form) {
    part = f;
  } else if (filter_slot* b = filter_at(before); b != nullptr && !percent_form) {
    part = b;
  } else if (after != nowhere && is_subject(after) && filter_at(next(after)) != nullptr && m_[after].plural &&
             next(after) == after + 1) {
    // "سهم مشتریان دولتی": the noun belongs to the value.
    part = filter_at(next(after));
    m_[after].used = true;
  } else if (!members_beside && !free.empty()) {
    part = percent_form ? free.back() : free.front();
  }
  if (part != nullptr) {
    q_.share = share_kind::part_of_whole;
    for (filter_slot& f : filters_) {
      bool same_chain = &f == part;
      if (!same_chain && f.filter.dimension == part->filter.dimension && !f.taken) {
        index low = std::min(f.mark, part->mark), high = std::max(f.mark, part->mark);
        same_chain = true;
        for (index k = low + 1; k < high; ++k) {
          if (!filler(k) && !m_[k].is(gram::and_) && m_[k].filter < 0) same_chain = false;
        }
      }
      if (same_chain) {
        q_.part.push_back(f.filter);
        f.taken = true;
      }
    }
    // The noun that the value describes ("government customers").
    const dimension* d = layer_.find_dimension(part->filter.dimension);
    for (index k : {part->mark > 0 ? part->mark - 1 : nowhere, part->mark + 1 < m_.size() ? part->mark + 1 : nowhere}) {
      if (k != nowhere && is_subject(k) && m_[k].dimension >= 0 && d != nullptr &&
          d->owner == dim(m_[k].dimension).id) {
        index p = previous(k);
        if (p == nowhere || !m_[p].is(gram::each)) m_[k].used = true;
      }
    }
  } else {
    q_.share = share_kind::of_total;
  }
}

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
        if (k == nowhere || m_[k].filter < 0) continue;
        const dimension* d = layer_.find_dimension(filters_[static_cast<std::size_t>(m_[k].filter)].filter.dimension);
        described = described || (d != nullptr && (d->owner == dim(m.dimension).id || d->id == dim(m.dimension).id));
      }
      // "customers in Tehran", "مشتریان استان فارس": the place describes them.
      index place = next(i);
      while (place != nowhere && m_[place].used && m_[place].dimension >= 0 && m_[place].filter < 0)
        place = next(place);
      if (place != nowhere && m_[place].filter >= 0 && !m_[place].break_before &&
          owner_of(place) == dim(m.dimension).id) {
        described = true;
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
      add_group(i);
      if (introduced) m_[p].used = true;
      if (p != nowhere && m_[p].is(gram::and_)) m_[p].used = true;
      continue;
    }
    const bool again =
        std::any_of(q_.groups.begin(), q_.groups.end(), [&](const group& g) { return g.time == m.time->unit; });
    if (again || m.time->adjective || introduced || any(gram::trend) || q_.window != window_kind::none) {
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
    if (n != nowhere && m_[n].used) m_[i].used = true;
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

void interpreter::take_comparison() {
  if (q_.window == window_kind::growth) return;
  index g = find(gram::growth);
  index up = find(gram::grew), down = find(gram::fell), more = find(gram::more), less = find(gram::less),
        c = find(gram::compare);
  const bool growth = g != nowhere || up != nowhere || down != nowhere;
  const bool timed = std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& x) { return x.time.has_value(); });
  const bool signal = growth || c != nowhere || previous_step_.has_value();

  if (g != nowhere && timed && periods_.size() < 2 && !previous_step_) {
    // "yearly growth of sales": against the period before, row by row.
    q_.window = window_kind::growth;
    m_[g].used = true;
    use_all(gram::percent);
    use_all(gram::compare);
    return;
  }
  // A range between whose ends something changed.
  if (signal && periods_.size() == 1 && periods_[0].from && periods_[0].to && !previous_step_ && !timed) {
    period_slot second = periods_[0];
    second.when = *periods_[0].to;
    periods_[0].when = *periods_[0].from;
    periods_[0].from = periods_[0].to = std::nullopt;
    second.from = second.to = std::nullopt;
    periods_.push_back(second);
  }
  // "last year" beside a named period is the year before that one.
  if (signal && periods_.size() == 2) {
    for (std::size_t k = 0; k < 2; ++k) {
      period_slot& rel = periods_[k];
      const period_slot& other = periods_[1 - k];
      if (rel.relative_year && !other.relative_year && other.when.first && other.when.last) {
        period p = nlq::previous(other.when, grain::year);
        p.words = rel.when.words;
        rel.when = p;
        rel.relative_year = false;
      }
    }
  }
  if (previous_step_ && periods_.size() == 1 && periods_[0].when.first && periods_[0].when.last) {
    period_slot second = periods_[0];
    grain step = *previous_step_;
    if (step == grain::day && periods_[0].when.calendar_aligned) step = periods_[0].when.unit;
    second.when = nlq::previous(periods_[0].when, step);
    second.from = second.to = std::nullopt;
    periods_.push_back(second);
    previous_step_.reset();
  } else if (previous_step_ && periods_.empty()) {
    // "compared to the previous month" with nothing named: the current one.
    const calendar_kind cal = q_.calendar;
    civil_date d = date_in(cal, context_.today);
    period now =
        *previous_step_ == grain::month ? months_period(cal, d.year, d.month, d.month) : year_period(cal, d.year);
    period_slot a, b;
    a.when = now;
    b.when = nlq::previous(now, *previous_step_ == grain::month ? grain::month : grain::year);
    periods_.push_back(a);
    periods_.push_back(b);
    assume(fa() ? "دوره جاری با دوره پیش از آن" : "the current period against the one before");
    previous_step_.reset();
  }
  if (growth && periods_.size() == 1 && periods_[0].when.first && periods_[0].when.last) {
    period_slot second = periods_[0];
    second.when = nlq::previous(periods_[0].when, periods_[0].when.unit == grain::month ? grain::month : grain::year);
    second.from = second.to = std::nullopt;
    periods_.push_back(second);
    assume(say("compared with the period before", "در مقایسه با دوره پیش از آن"), 0.1);
  }
  if (growth && periods_.empty()) {
    std::vector<clarify_option> options;
    const int year = date_in(q_.calendar, context_.today).year;
    std::string rest;
    for (const token& t : read_.words) rest += (rest.empty() ? "" : " ") + t.raw;
    for (int y : {year, year - 1}) {
      clarify_option o;
      o.label = std::to_string(y) + say(" against ", " نسبت به ") + std::to_string(y - 1);
      o.value =
          rest + say(" in ", " در ") + std::to_string(y) + say(" compared to ", " نسبت به ") + std::to_string(y - 1);
      options.push_back(std::move(o));
    }
    clarify_option yearly;
    yearly.label = say("year by year", "سال به سال");
    yearly.value = rest + say(" by year", " به تفکیک سال");
    options.push_back(std::move(yearly));
    ask(say("Between which periods?", "میان کدام دوره‌ها؟"), std::move(options));
    return;
  }
  if (periods_.size() != 2 || timed || periods_[0].when.month_of_any_year || periods_[1].when.month_of_any_year) {
    if (c != nowhere && (filters_.size() >= 2 || !q_.groups.empty() || periods_.size() >= 2)) use_all(gram::compare);
    return;
  }
  if (q_.window != window_kind::none || q_.share != share_kind::none || !q_.median_attribute.empty()) return;
  if ((q_.top || any(gram::total)) && !signal && more == nowhere && less == nowhere) return;

  // In the order of time; which side was named first decides "more in A than in B".
  const bool swapped = periods_[0].when.first > periods_[1].when.first;
  if (swapped) std::swap(periods_[0], periods_[1]);
  const bool first_named_later = swapped;
  q_.compare = compare_kind::side_by_side;
  if (more != nowhere && c != nowhere) {
    q_.compare = first_named_later ? compare_kind::second_greater : compare_kind::second_less;
    m_[more].used = true;
  } else if (less != nowhere && c != nowhere) {
    q_.compare = first_named_later ? compare_kind::second_less : compare_kind::second_greater;
    m_[less].used = true;
  } else if (g != nowhere) {
    const std::string& w = m_[g].words;
    bool change = w.find("chang") != std::string::npos || w.find("تغییر") != std::string::npos;
    q_.compare = change ? compare_kind::change_and_amounts : compare_kind::change_percent;
  } else if (up != nowhere || down != nowhere) {
    const bool asks_which = std::any_of(m_.begin(), m_.end(), [](const mark& m) {
      return m.is(gram::which) || m.is(gram::that) || m.is(gram::list) || m.is(gram::with);
    });
    const bool of_groups = !q_.groups.empty() && asks_which;
    q_.compare = !of_groups      ? compare_kind::change_percent
                 : up != nowhere ? compare_kind::second_greater
                                 : compare_kind::second_less;
  }
  for (index k : {g, up, down, c}) use(k);
  use_all(gram::compare);
  use_all(gram::percent);
  use_all(gram::and_);
  // "growth above 10 %"
  for (amount_slot& a : amounts_) {
    if (a.taken || !a.percent || !growth || q_.groups.empty()) continue;
    q_.change_op = a.op;
    bool falling = down != nowhere && up == nowhere;
    q_.change_threshold = falling ? "-" + a.low : a.low;
    if (falling)
      q_.change_op = a.op == comparison::greater ? comparison::less
                     : a.op == comparison::less  ? comparison::greater
                                                 : a.op;
    q_.compare = compare_kind::change_percent;
    a.taken = true;
  }
}

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
      const std::string& currency = layer_.units[static_cast<std::size_t>(a.unit)].currency_value;
      // A threshold in dollars is about dollar orders.
      if (!currency.empty() && x != nullptr && !x->defaults.empty()) {
        const named_filter* f = layer_.find_filter(x->defaults.front());
        const dimension* d = f != nullptr ? layer_.find_dimension(f->dimension) : nullptr;
        if (d != nullptr && currency != "IRR") {
          value_filter v;
          v.dimension = d->id;
          v.column = d->value_column;
          v.values = {currency};
          v.label = currency;
          q_.filters.push_back(v);
        }
      }
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

void interpreter::take_filters() {
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
    bool same = std::all_of(q_.periods.begin(), q_.periods.end(),
                            [&](const period& p) { return p.unit == unit && p.calendar_aligned; });
    if (!timed && same) {
      group g;
      g.time = unit;
      q_.groups.push_back(g);
    }
  }
  if (q_.periods.size() > 1) use_all(gram::and_);
}

}  // namespace dragoman::nlq
