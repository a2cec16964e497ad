// Numbers with their words: "more than 20", "between 100 and 500 billion toman", "above 8 %", "in million rials".

#include <algorithm>
#include <cstdlib>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

std::string shift_decimal(std::string digits, int places) {
  std::size_t dot = digits.find('.');
  std::string whole = dot == std::string::npos ? digits : digits.substr(0, dot);
  std::string part = dot == std::string::npos ? "" : digits.substr(dot + 1);
  for (; places > 0; --places) {
    whole += part.empty() ? '0' : part[0];
    if (!part.empty()) part.erase(0, 1);
  }
  for (; places < 0; ++places) {
    part.insert(part.begin(), whole.empty() ? '0' : whole.back());
    if (!whole.empty()) whole.pop_back();
  }
  while (!part.empty() && part.back() == '0') part.pop_back();
  std::size_t zero = 0;
  while (zero + 1 < whole.size() && whole[zero] == '0') ++zero;
  whole.erase(0, zero);
  if (whole.empty()) whole = "0";
  return part.empty() ? whole : whole + "." + part;
}

namespace {

int scale_of(const mark& m) {
  if (m.is(gram::thousand)) return 3;
  if (m.is(gram::million)) return 6;
  if (m.is(gram::billion)) return 9;
  if (m.is(gram::trillion)) return 12;
  return 0;
}

// A power of ten as a number of places; factors of other kinds are not offered by any unit that scales.
int places_of(const std::string& factor) {
  int places = 0;
  for (std::size_t i = 1; i < factor.size(); ++i) {
    if (factor[i] == '0') ++places;
  }
  return places;
}

}  // namespace

void interpreter::find_amounts() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    const mark& c = m_[i];
    bool comparator = c.is(gram::more_than) || c.is(gram::less_than) || c.is(gram::at_least) || c.is(gram::at_most) ||
                      c.is(gram::between) || c.is(gram::equals);
    if (!comparator) continue;
    amount_slot a;
    a.first = i;
    index k = next(i);
    auto number_at = [&](index at) { return at != nowhere && !m_[at].number.empty(); };
    if (c.is(gram::between)) {
      a.op = comparison::between;
      if (!number_at(k)) continue;
      index joint = next(k);
      int first_scale = 0;
      a.low = m_[k].number;
      index low_mark = k, low_scale = nowhere;
      if (joint != nowhere && scale_of(m_[joint]) > 0) {
        first_scale = scale_of(m_[joint]);
        low_scale = joint;
        joint = next(joint);
      }
      if (joint == nowhere || !(m_[joint].is(gram::and_) || m_[joint].is(gram::to)) || !number_at(next(joint)))
        continue;
      k = next(joint);
      a.high = m_[k].number;
      m_[low_mark].used = m_[joint].used = true;
      if (low_scale != nowhere) m_[low_scale].used = true;
      if (first_scale > 0) a.low = shift_decimal(a.low, first_scale);
      index s = next(k);
      if (s != nowhere && scale_of(m_[s]) > 0) {
        a.high = shift_decimal(a.high, scale_of(m_[s]));
        if (first_scale == 0) a.low = shift_decimal(a.low, scale_of(m_[s]));
        m_[s].used = true;
        m_[k].used = true;
        k = s;
      }
      m_[k].used = true;
    } else {
      a.op = c.is(gram::at_least)    ? comparison::greater_or_equal
             : c.is(gram::at_most)   ? comparison::less_or_equal
             : c.is(gram::less_than) ? comparison::less
             : c.is(gram::equals)    ? comparison::equal
                                     : comparison::greater;
      // "500 orders or more": the word stands behind its number.
      if (!number_at(k) && (c.is(gram::at_least) || c.is(gram::at_most))) {
        index back = previous(i);
        if (number_at(back) && !m_[back].used) k = back;
      }
      // "less in 1403 than in 1402": a year beside another period, with nothing counted behind it, stays a year.
      if (k != nowhere && m_[k].is_period() && m_[k].time->when.unit == grain::year && periods_.size() > 1) {
        const index behind = next(k);
        const bool counted = behind != nowhere && (scale_of(m_[behind]) > 0 || m_[behind].unit >= 0 ||
                                                   m_[behind].is(gram::percent) || m_[behind].detail >= 0);
        if (!counted) continue;
      }
      if (!number_at(k) || m_[k].used) continue;
      a.low = m_[k].number;
      m_[k].used = true;
      index s = next(k);
      if (s != nowhere && scale_of(m_[s]) > 0 && k != previous(i)) {
        a.low = shift_decimal(a.low, scale_of(m_[s]));
        m_[s].used = true;
        k = s;
        // "هزار میلیارد"
        index s2 = next(k);
        if (s2 != nowhere && scale_of(m_[s2]) > 0) {
          a.low = shift_decimal(a.low, scale_of(m_[s2]));
          m_[s2].used = true;
          k = s2;
        }
      }
    }
    a.last = k;
    // The number's own mark is a number now, whatever year it might have been.
    std::erase_if(periods_, [&](const period_slot& p) { return p.mark == k || (p.mark > i && p.mark <= k); });
    if (index u = next(k); u != nowhere) {
      if (m_[u].is(gram::percent)) {
        a.percent = true;
        m_[u].used = true;
        a.last = u;
      } else if (m_[u].unit >= 0 && m_[u].filter < 0) {
        a.unit = m_[u].unit;
        m_[u].used = true;
        a.last = u;
        const int places = places_of(layer_.units[static_cast<std::size_t>(a.unit)].factor);
        a.low = shift_decimal(a.low, places);
        if (!a.high.empty()) a.high = shift_decimal(a.high, places);
      } else if (m_[u].is_grain() && m_[u].time->unit == grain::day && !m_[u].time->adjective) {
        a.days = true;
        m_[u].used = true;
        a.last = u;
      } else if (m_[u].words == "تا" || m_[u].words == "عدد") {
        m_[u].used = true;
        a.last = u;
      }
    }
    m_[i].used = true;
    amounts_.push_back(std::move(a));
  }
}

// "به میلیارد تومان", "in million rials": the unit of what is shown.
void interpreter::find_units() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used) continue;
    int scale = scale_of(m_[i]);
    index u = i;
    if (scale > 0) {
      index before = previous(i);
      if (before != nowhere && before + 1 == i && !m_[before].number.empty() && !m_[before].is_period()) continue;
      u = next(i);
    }
    const bool has_unit = u != nowhere && m_[u].unit >= 0 && m_[u].filter < 0 && !m_[u].used;
    const bool has_currency_value = u != nowhere && m_[u].filter >= 0 && m_[u].unit >= 0 && scale > 0;
    if (scale == 0 && !has_unit) continue;
    for (metric_use& m : q_.metrics) {
      const metric* x = layer_.find_metric(m.metric);
      if (x == nullptr) continue;
      const bool money = x->unit == measure_unit::money || x->unit == measure_unit::money_per_quantity;
      if (has_unit && !money) continue;
      if (has_unit) m.unit = layer_.units[static_cast<std::size_t>(m_[u].unit)].id;
      if (scale > 0) {
        m.scale = "1" + std::string(static_cast<std::size_t>(scale), '0');
        m.scale_name = scale == 3 ? "thousand" : scale == 6 ? "million" : scale == 9 ? "billion" : "trillion";
      }
      m_[i].used = true;
      if (has_unit || has_currency_value) m_[u].used = true;
    }
  }
}

}  // namespace dragoman::nlq
