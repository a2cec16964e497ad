// Measures divided: averages per month, order or customer, and one measure as a percentage of another.

#include <algorithm>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

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
      // Averages over fiscal periods are not told, and calendar ones would be other figures.
      if (m_[i].is_grain() && m_[i].time->fiscal) continue;
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

// "orders per customer by segment": among groups of their own, a ratio rather than one more grouping.
void interpreter::take_per_member() {
  if (q_.metrics.size() != 1 || metric_marks_.empty() || q_.top) return;
  metric_use& u = q_.metrics[0];
  const metric* x = layer_.find_metric(u.metric);
  if (x == nullptr || x->averaged || !u.per_metric.empty() || u.variant != metric_variant::plain) return;
  for (index i = 1; i < m_.size(); ++i) {
    const mark& per = m_[i - 1];
    if (m_[i].used || m_[i].filter >= 0 || m_[i].dimension < 0 || !dim(m_[i].dimension).entity) continue;
    if (per.used || (per.words != "per" && per.words != "به ازای هر") || previous(i - 1) != metric_marks_[0].first)
      continue;
    bool grouped = false;
    for (index k = i + 1; k < m_.size(); ++k) {
      if (m_[k].used || m_[k].filter >= 0 || (m_[k].dimension < 0 && !m_[k].is_grain())) continue;
      const index p = previous(k);
      grouped = grouped || (p != nowhere && p > i && (m_[p].is(gram::by) || m_[p].is(gram::breakdown)));
    }
    if (!grouped || dim(m_[i].dimension).key.empty()) continue;
    u.per_metric = "@" + dim(m_[i].dimension).id;
    m_[i].used = m_[i - 1].used = true;
    return;
  }
}

// "returned orders as a % of completed orders", "نسبت مرجوعی به تکمیل‌شده"
void interpreter::take_ratio() {
  take_per_member();
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
  use_all(gram::all);
}

}  // namespace dragoman::nlq
