// Questions whose answer is rows rather than measures: single facts and members of dimensions.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

// "which customer", "کدام مشتری": the answer that is wanted.
bool interpreter::asked_for(index i) const {
  const index p = previous(i);
  return p != nowhere && m_[p].is(gram::which) && m_[i].dimension >= 0;
}

// A noun that a value beside it describes: "government customers", "customers in Tehran".
bool interpreter::described(index i) const {
  const std::string& noun = dim(m_[i].dimension).id;
  index behind = next(i);
  // "brokers based in Isfahan", "suppliers from Kerman province"
  while (behind != nowhere && m_[behind].filter < 0 && !m_[behind].break_before &&
         (m_[behind].is(gram::located) || m_[behind].words == "from" || (m_[behind].used && m_[behind].dimension >= 0)))
    behind = next(behind);
  for (index k : {previous(i), behind}) {
    if (k == nowhere || m_[k].filter < 0 || m_[std::max(i, k)].break_before) continue;
    const dimension* d = layer_.find_dimension(filters_[static_cast<std::size_t>(m_[k].filter)].filter.dimension);
    if (d == nullptr) continue;
    if (d->owner == noun || d->id == noun) return true;
    // A place says whose it is by where it stands: "Tehran customers", "customers in Tehran".
    if (k > i && owner_of(k) == noun) return true;
    if (k + 1 == i && d->owned_roles.contains(noun)) return true;
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
    const bool ends = any(gram::top) || any(gram::bottom) || any(gram::last) || any(gram::first);
    if (m_[i].dimension >= 0 && noun == nowhere && !ends) return false;
    // "customers whose first order was in 2024" are customers.
    if (m_[i].dimension >= 0 && noun == nowhere && !(asked_for(i) && !m_[i].plural) && !any(gram::top) &&
        !any(gram::bottom) && !described(i))
      return false;
    if (m_[i].detail >= 0) {
      noun = i;
      break;
    }
  }
  if (noun == nowhere || counting(noun)) return false;
  // "value of the cancelled orders" is one figure.
  for (index i = 0; i < noun; ++i) {
    if (m_[i].used || m_[i].filter >= 0 || m_[i].attribute < 0) continue;
    if (!layer_.attributes[static_cast<std::size_t>(m_[i].attribute)].sum_metric.empty() && amounts_.empty())
      return false;
  }
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
      // "سفارش بزرگ" but not "سفارش بزرگ‌ترین مشتری"
      persian_direct = fa() && a == ranks && !(after != nowhere && is_subject(after));
    }
    for (index i = 0; i < m_.size(); ++i) {
      bool entity_before = i < ranks && !m_[i].used && m_[i].filter < 0 && m_[i].dimension >= 0;
      // "which customer placed the largest order" asks whose one order is.
      if (entity_before && !(asked_for(i) && after == noun && !m_[i].plural && !m_[noun].plural)) return false;
    }
    if (!direct && !persian_direct && after != noun) return false;
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
    // "customers with more than 100 orders": a count, which single orders do not have.
    if (const index behind = next(a.last); behind != nowhere && m_[behind].detail >= 0 && m_[behind].filter < 0)
      continue;
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
      require_currency(x.defaults, f.currency);
    }
    q_.attribute_filters.push_back(f);
    a.taken = true;
  }
  // Columns asked for by name: everything named behind the noun.
  for (index i = 0; i < m_.size(); ++i) {
    if (i == noun || m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].dimension >= 0 && described(i)) {
      m_[i].used = true;  // "of government customers": whose the value is
    } else if (m_[i].dimension >= 0) {
      (q_.top && asked_for(i) ? q_.asked : q_.extra_columns).push_back(dim(m_[i].dimension).id);
      m_[i].used = true;
    } else if (m_[i].attribute >= 0) {
      q_.extra_columns.push_back(layer_.attributes[static_cast<std::size_t>(m_[i].attribute)].id);
      m_[i].used = true;
    } else if (m_[i].metric >= 0 && i > noun) {
      // Of a single order a measure is its own value.
      for (const attribute& x : layer_.attributes) {
        if (x.role != list.role || x.total_metric != met(m_[i].metric).id) continue;
        q_.extra_columns.push_back(x.id);
        m_[i].used = true;
        break;
      }
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
  // "brokers except cement": those that sold anything else, or those that never sold it?
  for (const filter_slot& f : filters_) {
    const dimension& d = dim(m_[subjects.front()].dimension);
    if (f.filter.negated && !d.roles.empty() && fact_level(f.filter, d.roles.front())) return false;
  }
  if (any(gram::by) || any(gram::as_percent_of) || any(gram::ratio) || any(gram::trend) || any(gram::grew) ||
      any(gram::fell) || any(gram::total) || any(gram::running_total) || any(gram::moving_average)) {
    return false;
  }
  if (any(gram::top) || any(gram::bottom) || any(gram::each) || any(gram::breakdown) || any(gram::share) ||
      any(gram::how_many) || any(gram::first) || any(gram::how_much) || any(gram::growth) || any(gram::rank) ||
      any(gram::compare) || any(gram::average) || any(gram::median) || any(gram::percent) || any(gram::more) ||
      any(gram::less) || any(gram::more_than) || any(gram::less_than) || any(gram::last)) {
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
    if (!whose.contains(i)) continue;
    q_.groups.back().role = whose[i];
    // Through the owner: only the places that some member of it has.
    for (const auto& [owner, r] : dim(m_[i].dimension).owned_roles) {
      if (r == whose[i]) q_.base = layer_.find_dimension(owner)->roles.front();
    }
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

}  // namespace dragoman::nlq
