// Conditions of a question about entities: comparisons, stored values, thresholds on counts, what must not exist.

#include <algorithm>

#include "nlq/entity_frame.h"

namespace dragoman::nlq {
std::string inverted_comparison(const std::string& op) {
  if (op == ">") return "<=";
  if (op == ">=") return "<";
  if (op == "<") return ">=";
  if (op == "<=") return ">";
  if (op == "=") return "<>";
  return "=";
}

bool may_be_year(const std::string& number) {
  return number.size() == 4 && (number[0] == '1' || number[0] == '2') && number.find('.') == std::string::npos;
}

// "the halls except for halls having a concert": the things said again only carry their clause.
bool entity_reader::excepted_again(index exception, index things) const {
  const std::string& word = m_[exception].text;
  if (word != "except" || m_[things].entities.size() != 1 || !m_[things].fields.empty()) return false;
  for (index i = 0; i < exception; ++i) {
    if (m_[i].entities == m_[things].entities) return true;
  }
  return false;
}

// "without any concert", "do not have a cat": what follows, up to "but" or the next sentence, belongs to what must not
// exist. A "not" before a comparison or a value turns only that one round.
void entity_reader::take_absences() {
  for (index i = 0; i < m_.size(); ++i) {
    const bool none = m_[i].is(word_kind::no);
    if (m_[i].used || (!none && !m_[i].is(word_kind::not_))) continue;
    index j = i;
    bool verb = false;
    int entity = -1;
    for (++j; j < m_.size(); ++j) {
      if (skip(j)) continue;
      if (excepted_again(i, j)) {
        m_[j].entities.clear();
        m_[j].kind = word_kind::filler;
        continue;
      }
      if (m_[j].is(word_kind::relation)) {
        verb = true;
        continue;
      }
      if (m_[j].noun() || !m_[j].values.empty() || m_[j].quoted || m_[j].is(word_kind::compare) ||
          m_[j].is(word_kind::more))
        break;
      if (m_[j].is(word_kind::in) || m_[j].is(word_kind::of) || m_[j].is(word_kind::with)) continue;
      if (m_[j].is(word_kind::none) && !m_[j].hints.empty()) {
        verb = true;
        continue;
      }
      break;
    }
    if (j >= m_.size()) {
      // "that were never hired": the verb itself speaks of the thing.
      for (index k = i + 1; k < m_.size() && none; ++k) {
        for (const field_ref& h : m_[k].hints) {
          if (h.field >= 0 || (entity >= 0 && entity != h.entity)) continue;
          entity = h.entity;
        }
        if (entity >= 0) {
          j = k;
          break;
        }
      }
      if (entity < 0) fail("it is not clear what does not exist", i);
    }
    if (entity < 0 && (m_[j].is(word_kind::compare) || m_[j].is(word_kind::more))) continue;  // compare_at
    if (entity < 0 && m_[j].entities.empty() && !none && !m_[j].values.empty()) continue;     // take_values
    if (entity < 0 && m_[j].entities.empty() && !none && (m_[j].quoted || is_field(j))) continue;
    if (entity < 0 && m_[j].entities.empty() && m_[j].fields.empty() && !m_[j].values.empty()) {
      // "without a cat": the value stands for the thing.
      entity = m_[j].values.front().where.entity;
      for (const stored_value& v : m_[j].values) {
        if (v.where.entity != entity) fail("it is not clear what does not exist", j);
      }
      // "a cat pet"
    }
    if (entity < 0) {
      if (m_[j].entities.size() != 1) fail("it is not clear what does not exist", i);
      entity = m_[j].entities.front();
    }
    (void)verb;
    f_.absences.emplace_back(entity, i);
    const int id = static_cast<int>(f_.absences.size());
    m_[i].used = true;
    for (index k = i; k < m_.size(); ++k) {
      if (m_[k].is(word_kind::but)) break;
      if (k > i && m_[k].break_before && (m_[k].is(word_kind::which) || m_[k].is(word_kind::and_))) break;
      if (m_[k].is(word_kind::order_by)) break;
      scope_[k] = id;
    }
  }
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is(word_kind::but)) use(i);
  }
}

// The comparison at mark i: what is compared stands before it ("age older than 20"), behind the number ("more than 4
// cylinders"), or in the adjective ("older than 20").
bool entity_reader::compare_at(index i) {
  entity_condition c;
  c.mark = i;
  word_mark& m = m_[i];
  std::string op = m.text;
  std::vector<std::string> heads = m.heads;
  index number = nowhere;
  std::optional<field_ref> between_field;  // "a greater weight than 10"
  index after = next(i);
  if (m.is(word_kind::more)) {
    if (after == nowhere) return false;
    index than = after;
    if (m_[after].noun()) than = next(after);
    if (than == nowhere || !m_[than].is(word_kind::than)) return false;
    if (than != after) {
      if (!is_field(after)) fail("counts cannot be compared so", after);
      between_field = resolve(after, true);
      use(after);
    }
    use(than);
    after = next(than);
  }
  if (after == nowhere) fail("compared with what is not said", i);
  index negation = i;
  while (negation-- > 0) {
    if (skip(negation) || m_[negation].is(word_kind::relation)) continue;
    break;
  }
  if (negation != nowhere && negation < i && m_[negation].is(word_kind::not_) && !m_[negation].used) {
    op = inverted_comparison(op);
    use(negation);
  } else {
    negation = nowhere;
  }
  use(i);
  // "above age 20"
  if (is_field(after) && !between_field) {
    const index n = next(after);
    if (n != nowhere && !m_[n].number.empty()) {
      between_field = resolve(after, true);
      use(after);
      after = n;
    }
  }
  // "above the average", "more than the minimum age"
  const bool extreme = m_[after].is(word_kind::superlative) && m_[after].heads.empty();
  if (m_[after].is(word_kind::aggregate) || extreme) {
    c.aggregate = extreme ? (m_[after].text == "DESC" ? "MAX" : "MIN") : m_[after].text;
    if (c.aggregate == "SUM") fail("this is no single row's figure", after);
    const index behind = next_noun(after);
    use(after);
    std::optional<field_ref> of;
    if (behind != nowhere && is_field(behind)) {
      of = resolve(behind, false);
      use(behind);
      // Of some rows only: that would be one more question.
      index rest = next(behind);
      while (rest != nowhere &&
             (m_[rest].is(word_kind::of) || (is_entity(rest) && m_[rest].entities.front() == of->entity)))
        rest = next(rest);
      if (rest != nowhere && !(m_[rest].break_before) && !m_[rest].is(word_kind::and_) &&
          !m_[rest].is(word_kind::which))
        fail("an average of some of the rows only", rest);
    }
    std::optional<field_ref> f = between_field;
    if (!f && !heads.empty()) {
      int e = entity_before(i);
      if (e < 0) e = f_.subject;
      if (e >= 0) f = by_heads(heads, e);
      if (f && of && !(*of == *f)) fail("two columns are compared", i);
    }
    const index before = previous(i);
    if (!f && before != nowhere && is_field(before) && !m_[before].used) {
      f = resolve(before, true);
      use(before);
    } else if (!f && before != nowhere && m_[before].is(word_kind::relation)) {
      f = of;
    }
    if (!f) f = of;
    if (!f) fail("what is compared is not said", i);
    if (of && !(*of == *f)) fail("two columns are compared", i);
    if (!number_like(*f)) fail("this has no average", i);
    c.field = *f;
    c.op = op;
    c.last = after;
    add_condition(std::move(c));
    return true;
  }
  if (m_[after].number.empty()) {
    // "other than X": a value that does not hold.
    if (m.text == "<>" && (!m_[after].values.empty() || m_[after].quoted)) {
      m_[i].used = true;
      m_[i].kind = word_kind::not_;
      m_[i].used = false;
      return true;
    }
    fail("compared with what is not said", after);
  }
  number = after;
  use(number);
  c.values = {m_[number].number};
  c.last = number;
  if (const index e = next(number); e != nowhere && m_[e].is(word_kind::years_old)) {
    heads = {"age"};
    use(e);
  } else if (e != nowhere && m_[e].is(word_kind::at_end)) {
    op = m_[e].text;
    use(e);
  }
  c.op = op;
  std::optional<field_ref> f = between_field;
  index before = previous(negation != nowhere ? negation : i);
  // "a population of at least 1000"
  if (before != nowhere && m_[before].is(word_kind::of) && previous(before) != nowhere && is_field(previous(before)))
    before = previous(before);
  bool linked = false;  // a verb or "with" stands between
  if (before != nowhere) linked = m_[before].is(word_kind::relation) || m_[before].is(word_kind::with);
  if (!f && before != nowhere && is_field(before) && !m_[before].used && !linked) {
    const field_ref named = resolve(before, true);
    if (number_like(named) || field(named).kind == field_kind::date) {
      f = named;
      use(before);
    }
  }
  // "whose number of products is more than 10": how many of a thing, counted
  if (!f && before != nowhere && is_entity(before)) {
    const index counted = previous(before);
    if (counted != nowhere && m_[counted].is(word_kind::how_many) && !m_[counted].used && heads.empty() &&
        m_[before].entities.front() != f_.subject) {
      f_.thresholds.push_back({m_[before].entities.front(), op, m_[number].number, i, scope_[i]});
      use(counted);
      use(before);
      return true;
    }
  }
  if (!f && !heads.empty() && heads.front() != "@date") {
    int e = entity_before(i);
    if (e < 0) e = f_.subject;
    if (e >= 0) f = by_heads_reached(heads, e);
    if (!f && f_.subject >= 0) f = by_heads_reached(heads, f_.subject);
    if (!f) fail("there is no column that this compares", i);
  }
  if (!f) {
    const index behind = next_noun(number);
    if (behind != nowhere && is_field(behind) && heads.empty()) {
      const field_ref named = resolve(behind, true);
      if (!number_like(named)) fail("this is no number", behind);
      f = named;
      use(behind);
    } else if (behind != nowhere && is_entity(behind) && heads.empty()) {
      const int counted = m_[behind].entities.front();
      f_.thresholds.push_back({counted, op, m_[number].number, i, scope_[i]});
      use(behind);
      return true;
    }
  }
  if (!f && !heads.empty()) f = dated(i);
  if (!f) fail("what is compared is not said", i);
  if ((field(*f).kind == field_kind::date) && !may_be_year(m_[number].number)) fail("this is no date", number);
  if (!number_like(*f) && field(*f).kind != field_kind::date && op != "=" && op != "<>") fail("this is no number", i);
  c.field = *f;
  add_condition(std::move(c));
  return true;
}

void entity_reader::take_comparisons() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used) continue;
    if (m_[i].is(word_kind::between)) {
      const index low = next(i);
      index high = low == nowhere ? nowhere : next(low);
      if (high != nowhere && m_[high].is(word_kind::and_)) {
        use(high);
        high = next(high);
      }
      const index before = previous(i);
      if (low == nowhere || high == nowhere || m_[low].number.empty() || m_[high].number.empty())
        fail("between what is not said", i);
      entity_condition c;
      c.mark = i;
      c.last = high;
      c.op = "BETWEEN";
      c.values = {m_[low].number, m_[high].number};
      if (before != nowhere && is_field(before) && !m_[before].used) {
        c.field = resolve(before, true);
        use(before);
      } else if (may_be_year(m_[low].number) && may_be_year(m_[high].number)) {
        c.field = dated(i);
      } else {
        fail("what lies between is not said", i);
      }
      if (!number_like(c.field) && field(c.field).kind != field_kind::date) fail("this is no number", i);
      use(i);
      use(low);
      use(high);
      add_condition(std::move(c));
      continue;
    }
    if (m_[i].is(word_kind::compare) || m_[i].is(word_kind::more)) compare_at(i);
  }
}

// "official languages", "that are full time", "not active": a yes or no that stands as an adjective.
void entity_reader::take_flags() {
  bool clause = false;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is(word_kind::with)) clause = true;
    if (m_[i].is(word_kind::which) && m_[i].break_before) clause = false;
    if (m_[i].used || !is_field(i)) continue;
    const bool flag = std::all_of(m_[i].fields.begin(), m_[i].fields.end(),
                                  [&](const field_ref& f) { return field(f).kind == field_kind::flag; });
    if (!flag) continue;
    const index before = previous(i);
    const bool negated = before != nowhere && m_[before].is(word_kind::not_) && !m_[before].used;
    const bool adjective = i + 1 < m_.size() && m_[i + 1].noun() && !m_[i + 1].break_before;
    const bool beside = i + 1 < m_.size() && m_[i + 1].quoted;
    // "Which stages are covered?": said of the things, not asked for.
    bool predicate = i > 0 && is_entity(previous(i)) && !m_[i].break_before;
    if (predicate) {
      const std::string& verb = m_[i - 1].raw;
      predicate = verb == "is" || verb == "are" || verb == "was" || verb == "were";
    }
    if (beside || (!clause && !negated && !adjective && !predicate)) continue;
    entity_condition c;
    if (adjective && is_entity(i + 1) && has_field(m_[i + 1].entities.front(), i))
      c.field = *field_in(m_[i + 1].entities.front(), i);
    else
      c.field = resolve(i, true);
    c.op = negated ? "<>" : "=";
    c.values = {field(c.field).yes};
    c.mark = c.last = i;
    if (negated) use(before);
    use(i);
    add_condition(std::move(c));
  }
}

// "whose name contains 'Hey'", "having 'Hey' in its name"
void entity_reader::take_contains() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::contains)) continue;
    const index value = next(i);
    if (value == nowhere ||
        (!m_[value].quoted && m_[value].is(word_kind::none) && m_[value].values.empty() && m_[value].known()))
      fail("what it contains is not said", i);
    std::string text = m_[value].quoted ? m_[value].text : m_[value].raw;
    if (!m_[value].quoted && (m_[value].kind != word_kind::none || m_[value].noun()))
      fail("what it contains is not said", i);
    entity_condition c;
    c.mark = i;
    c.last = value;
    c.op = "LIKE";
    c.values = {std::move(text)};
    const index before = previous(i);
    const index behind = next(value);
    index at = nowhere;
    if (before != nowhere && is_field(before) && !m_[before].used) {
      at = before;
    } else if (behind != nowhere && m_[behind].is(word_kind::in)) {
      at = next_noun(behind);
      if (at != nowhere) use(behind);
    } else if (before != nowhere && m_[before].is(word_kind::with)) {
      const index earlier = previous(before);
      if (earlier != nowhere && is_field(earlier)) at = earlier;
    }
    if (at == nowhere || !is_field(at)) fail("which column contains it is not said", i);
    c.field = resolve(at, true);
    use(at);
    use(i);
    m_[value].kind = word_kind::none;
    m_[value].hints.clear();
    use(value);
    add_condition(std::move(c));
  }
}

}  // namespace dragoman::nlq
