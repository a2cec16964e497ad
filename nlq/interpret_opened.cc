// "include all statuses", "of all halls", "for all years", "including cancelled orders", "with pending orders too":
// what the last question took for granted, or was asked for, is opened again.

#include <algorithm>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {
namespace {

// Of the conditions that a frame's measures have by themselves, those on a dimension.
std::vector<std::string> own_filters(const query_intent& q, const semantic_layer& layer, const std::string& dimension) {
  std::vector<std::string> out;
  for (const metric_use& u : q.metrics) {
    const metric* m = layer.find_metric(u.metric);
    if (m == nullptr) continue;
    for (const auto* ids : {&m->filters, &m->defaults})
      for (const std::string& id : *ids) {
        const named_filter* f = layer.find_filter(id);
        if (f != nullptr && f->dimension == dimension && std::find(out.begin(), out.end(), id) == out.end())
          out.push_back(id);
      }
  }
  return out;
}

bool filters_on(const query_intent& q, const std::string& dimension) {
  return std::any_of(q.filters.begin(), q.filters.end(),
                     [&](const value_filter& f) { return f.dimension == dimension && !f.negated; });
}

}  // namespace

// "too", "include"; "including", but not the plain "with", which narrows.
bool interpreter::widens() const {
  static const std::set<std::string> words{"including", "along with", "together with",
                                           "شامل",      "با احتساب",  "با در نظر گرفتن"};
  return std::any_of(m_.begin(), m_.end(),
                     [](const mark& x) { return x.is(gram::also) || (x.is(gram::with) && words.contains(x.words)); });
}

// Every noun of the question must belong to such a phrase: anything else asks for something new.
bool interpreter::opens_filters(const query_intent& last) const {
  if (last.shape != query_shape::aggregate || !periods_.empty()) return false;
  bool opens = false;
  const bool also = widens();
  for (index i = 0; i < m_.size(); ++i) {
    const mark& m = m_[i];
    const index p = previous(i);
    const index pp = p == nowhere ? nowhere : previous(p);
    const bool all_before =
        (p != nowhere && m_[p].is(gram::all)) || (pp != nowhere && m_[pp].is(gram::all) && m_[p].is(gram::stop));
    if (m.filter >= 0) {
      const value_filter& f = filters_[static_cast<std::size_t>(m.filter)].filter;
      if (f.negated || own_filters(last, layer_, f.dimension).empty()) return false;
      if (!also) return false;
      opens = true;
      continue;
    }
    if (m.is_grain() && m.dimension < 0) {
      // Of all months of a year one asks in order to see them apart.
      if (!all_before || m.time->unit != grain::year || last.periods.empty() || last.compare != compare_kind::none)
        return false;
      opens = true;
      continue;
    }
    if (m.dimension >= 0) {
      const std::string& id = dim(m.dimension).id;
      if (!all_before || (own_filters(last, layer_, id).empty() && !filters_on(last, id))) return false;
      opens = true;
      continue;
    }
    // "cancelled orders", «سفارش‌های لغو شده»: the things themselves, beside what they are.
    const index n = next(i);
    const bool things = (p != nowhere && m_[p].filter >= 0) || (n != nowhere && m_[n].filter >= 0);
    if (m.has_noun() && !things) return false;
    if (!m.number.empty() || m.is(gram::by) || m.is(gram::breakdown) || m.is(gram::each) || m.is(gram::how_many) ||
        m.is(gram::list) || m.is(gram::top) || m.is(gram::bottom) || m.is(gram::which))
      return false;
  }
  return opens;
}

void interpreter::open_filters() {
  const auto open = [&](const std::string& dimension, const value_filter* also) {
    for (const std::string& id : own_filters(q_, layer_, dimension)) {
      auto known =
          std::find_if(q_.opened.begin(), q_.opened.end(), [&](const opened_filter& o) { return o.filter == id; });
      if (known == q_.opened.end())
        known = q_.opened.insert(q_.opened.end(), opened_filter{id, std::nullopt});
      else if (!known->also)
        continue;  // it holds no longer at all
      if (also == nullptr) {
        known->also.reset();
      } else if (!known->also) {
        known->also = *also;
      } else {
        known->also->values.insert(known->also->values.end(), also->values.begin(), also->values.end());
        known->also->label += (fa() ? " و " : ", ") + also->label;
      }
    }
  };
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (m.filter >= 0) {
      filter_slot& slot = filters_[static_cast<std::size_t>(m.filter)];
      open(slot.filter.dimension, &slot.filter);
      slot.taken = true;
    } else if (m.is_grain() && m.dimension < 0) {
      q_.periods.clear();
    } else if (m.dimension >= 0) {
      const std::string& id = dim(m.dimension).id;
      open(id, nullptr);
      std::erase_if(q_.filters, [&](const value_filter& f) { return f.dimension == id && !f.negated; });
    }
    m.used = true;
  }
}

}  // namespace dragoman::nlq
