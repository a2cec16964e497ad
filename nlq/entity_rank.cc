// Order and rank: "ordered by", "the youngest", "the most models", "top 3".

#include <algorithm>

#include "nlq/entity_frame.h"

namespace dragoman::nlq {

void entity_reader::take_order() {
  for (index i = 0; i < m_.size(); ++i) {
    auto directs = [&](index k) {
      return m_[k].is(word_kind::order_by) || m_[k].is(word_kind::ordered) || m_[k].is(word_kind::ascending) ||
             m_[k].is(word_kind::descending) || m_[k].is(word_kind::alphabetical) || m_[k].is(word_kind::reverse);
    };
    if (m_[i].used || !directs(i)) continue;
    if (!f_.order.empty()) fail("two orders are asked for", i);
    bool down = false, target_follows = false;
    index k = i, last = i;
    auto take = [&](index at) {
      if (m_[at].is(word_kind::descending) || m_[at].is(word_kind::reverse)) down = true;
      if (m_[at].is(word_kind::order_by) || m_[at].raw.ends_with(" of") || m_[at].raw.ends_with(" by"))
        target_follows = true;
      use(at);
      last = at;
    };
    for (; k < m_.size(); ++k) {
      if (directs(k)) {
        take(k);
      } else if (m_[k].is(word_kind::of) || (m_[k].is(word_kind::in) && m_[k].raw == "by")) {
        use(k);
        target_follows = true;
      } else if (!skip(k) && !(m_[k].is(word_kind::in) && !m_[k].used && k + 1 < m_.size())) {
        break;
      } else if (m_[k].is(word_kind::in)) {
        use(k);
      }
    }
    // "Sort all the shops by …": the target stands behind the things.
    index target = nowhere;
    if (!target_follows && (m_[i].is(word_kind::ordered))) {
      for (index b = k; b < m_.size(); ++b) {
        if (m_[b].is(word_kind::in) && m_[b].raw == "by") {
          target = next_noun(b);
          use(b);
          break;
        }
      }
    } else if (target_follows) {
      target = k < m_.size() ? (m_[k].noun() ? k : next_noun(k - 1)) : nowhere;
      if (target == nowhere) fail("it is not clear what to order by", i);
    }
    entity_order order;
    if (target != nowhere) {
      // "of the teacher's name"
      if (is_entity(target) && target + 1 < m_.size() && is_field(target + 1)) ++target;
      const index counted = previous(target);
      const bool count = counted != nowhere && counted >= i && m_[counted].is(word_kind::how_many);
      if (is_field(target)) {
        order.by.field = resolve(target, false);
        if (count) use(counted);
      } else if (count && is_entity(target)) {
        order.by.kind = entity_output::what::count;
        order.by.entity = m_[target].entities.front();
        use(counted);
      } else {
        fail("it is not clear what to order by", target);
      }
      order.by.mark = target;
      if (target > 0 && is_entity(target - 1)) use(target - 1);
      use(target);
      // The direction may follow.
      for (index d = target + 1; d < m_.size(); ++d) {
        if (directs(d)) {
          take(d);
        } else if (m_[d].is(word_kind::in) && d + 1 < m_.size() && (directs(d + 1) || skip(d + 1))) {
          use(d);
        } else if (!skip(d) && !m_[d].is(word_kind::and_)) {
          break;
        }
      }
    } else {
      order.by.mark = nowhere;  // the first column
    }
    order.descending = down;
    f_.order.push_back(order);
  }
}

// "the 3 doctors with the highest salary": the number says how many of what is ranked behind it.
bool entity_reader::ranks_so_many(index number) const {
  const index things = next(number);
  const index before = previous(number);
  if (things == nowhere || !is_entity(things) || m_[things].entities.front() != f_.subject || f_.subject < 0)
    return false;
  const bool who = before != nowhere && m_[before].is(word_kind::with) && previous(before) == nowhere;
  if (before != nowhere && !who && !m_[before].is(word_kind::of) && !m_[before].is(word_kind::which)) return false;
  index k = next(things);
  while (k != nowhere && (m_[k].is(word_kind::with) || m_[k].is(word_kind::relation))) k = next(k);
  return k != nowhere && m_[k].is(word_kind::superlative);
}

void entity_reader::take_superlatives() {
  // "the car with the minimum weight" ranks, "the minimum weight of cars" is a figure.
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::aggregate) || (m_[i].text != "MAX" && m_[i].text != "MIN")) continue;
    const index before = previous(i);
    const index j = next_noun(i);
    if (before == nowhere || j == nowhere || !is_field(j)) continue;
    if (!m_[before].is(word_kind::with) && !m_[before].is(word_kind::relation)) continue;
    m_[i].kind = word_kind::superlative;
    m_[i].text = m_[i].text == "MAX" ? "DESC" : "ASC";
  }
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used) continue;
    if (m_[i].is(word_kind::most_common)) {
      index j = next_noun(i);
      // "the nationality that is most common"
      for (index k = i; (j == nowhere || !is_field(j)) && k-- > 0;) {
        if (is_field(k) && !m_[k].used) j = k;
      }
      if (j == nowhere || !is_field(j)) fail("it is not clear what is common", i);
      if (!f_.order.empty() || common_ != nowhere) fail("two rankings are asked for", i);
      use(i);
      common_ = j;
      f_.limit = 1;
      if (const index n = previous(i); n != nowhere && !m_[n].number.empty() && !m_[n].used) {
        f_.limit = std::strtol(m_[n].number.c_str(), nullptr, 10);
        use(n);
      }
      entity_order order;
      order.by.kind = entity_output::what::count;
      order.by.mark = i;
      order.descending = m_[i].text == "DESC";
      f_.order.push_back(order);
      counted_order_ = true;
      continue;
    }
    if (!m_[i].is(word_kind::superlative)) continue;
    if (scope_[i] != 0) fail("a ranking inside a condition", i);
    std::int64_t rows = 1;
    bool numbered = false;
    if (const index n = previous(i); n != nowhere && !m_[n].number.empty() && !m_[n].used) {
      rows = std::strtol(m_[n].number.c_str(), nullptr, 10);
      numbered = true;
      use(n);
      if (const index t = previous(n); t != nowhere && m_[t].is(word_kind::top)) use(t);
    }
    for (index n = 0; n < i && !numbered; ++n) {
      if (m_[n].used || m_[n].number.empty() || !m_[n].is(word_kind::none) || !ranks_so_many(n)) continue;
      rows = std::strtol(m_[n].number.c_str(), nullptr, 10);
      numbered = true;
      use(n);
    }
    const index before = previous(i);
    const bool clause = before != nowhere && (m_[before].is(word_kind::with) || m_[before].is(word_kind::relation) ||
                                              m_[before].is(word_kind::in) || m_[before].is(word_kind::order_by));
    const index j = next_noun(i);
    entity_order order;
    order.descending = m_[i].text == "DESC";
    order.by.mark = i;
    bool adjective = !m_[i].heads.empty();
    if (adjective) {
      int e = f_.subject;
      if (j != nowhere && is_entity(j)) e = m_[j].entities.front();
      std::optional<field_ref> f;
      // "the most recent air date" names the column itself.
      if (j != nowhere && is_field(j) && m_[i].heads.front() == "@date") {
        const field_ref named = resolve(j, false);
        if (field(named).kind == field_kind::date || field(named).kind == field_kind::year) {
          f = named;
          use(j);
        }
      }
      if (!f && e >= 0) f = m_[i].heads.front() == "@date" ? date_field(e, i) : by_heads_reached(m_[i].heads, e);
      if (!f) fail("there is no column that this could rank by", i);
      order.by.field = *f;
      use(i);
    } else {
      if (j == nowhere) fail("it is not clear what is ranked", i);
      use(i);
      if (is_field(j)) {
        order.by.field = resolve(j, false);
        const bool numeric = number_like(order.by.field) || field(order.by.field).kind == field_kind::date;
        if (!numeric) fail("this cannot be ranked", j);
        const bool had_verb = clause || (before != nowhere && m_[before].is(word_kind::and_));
        use(j);
        if (!had_verb && !numbered) {
          // "What is the largest capacity?" is an aggregate, "the stadium with the largest capacity" a ranking; which
          // of them is known when the rest of the question is.
          entity_output o;
          o.kind = entity_output::what::aggregate;
          o.aggregate = order.descending ? "MAX" : "MIN";
          o.field = order.by.field;
          o.mark = j;
          ranked_.push_back(o);
          ranked_down_.push_back(order.descending);
          continue;
        }
      } else {
        order.by.kind = entity_output::what::count;
        order.by.entity = m_[j].entities.front();
        order.by.mark = j;
        use(j);
        counted_order_ = true;
      }
    }
    if (!f_.order.empty()) fail("two rankings are asked for", i);
    f_.order.push_back(order);
    f_.limit = rows;
  }
  // "top 3 stadiums by capacity"
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::top)) continue;
    const index n = next(i);
    if (n == nowhere || m_[n].number.empty()) fail("how many is not said", i);
    index by = nowhere;
    for (index k = n; k != nowhere && by == nowhere; k = next(k)) {
      if (m_[k].is(word_kind::in) && m_[k].raw == "by") by = k;
    }
    const index target = by == nowhere ? nowhere : next_noun(by);
    if (target == nowhere || !is_field(target) || !f_.order.empty()) fail("by what is not said", i);
    entity_order order;
    order.by.field = resolve(target, false);
    order.by.mark = target;
    order.descending = true;
    f_.order.push_back(order);
    f_.limit = std::strtol(m_[n].number.c_str(), nullptr, 10);
    use(i);
    use(n);
    use(by);
    use(target);
  }
}

}  // namespace dragoman::nlq
