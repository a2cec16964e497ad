// Stored values and plain numbers of a question about entities, and how several of them go together.

#include <algorithm>

#include "nlq/entity_frame.h"
#include "nlq/entity_grammar.h"

namespace dragoman::nlq {

void entity_reader::take_values() {
  for (index i = 0; i < m_.size(); ++i) {
    word_mark& m = m_[i];
    if (m.used || (m.values.empty() && !m.quoted)) continue;
    entity_condition c;
    c.mark = c.last = i;
    index before = previous(i);
    const bool named = before != nowhere && m_[before].is(word_kind::named);
    // The next words on the left that say what kind of thing the value is.
    index kind = before;
    bool negated = false;
    while (kind != nowhere) {
      if (m_[kind].is(word_kind::not_) && !m_[kind].used) {
        negated = true;
        use(kind);
        kind = previous(kind);
      } else if (m_[kind].is(word_kind::named) || m_[kind].is(word_kind::relation) || m_[kind].is(word_kind::in) ||
                 m_[kind].is(word_kind::both) || (m_[kind].is(word_kind::or_) && m_[kind].raw == "either")) {
        kind = previous(kind);
      } else if (m_[kind].is(word_kind::compare) && m_[kind].text == "=") {
        use(kind);
        kind = previous(kind);
      } else if (const index far = m_[kind].is(word_kind::of) ? previous(kind) : nowhere;
                 far != nowhere && is_field(far) && !m_[far].used && far + 1 == kind) {
        // "the city of Aberdeen", but "the name of Aberdeen" only where Aberdeen is one.
        bool holds_it = false;
        for (const field_ref& f : m_[far].fields)
          holds_it = holds_it ||
                     std::any_of(m.values.begin(), m.values.end(), [&](const stored_value& v) { return v.where == f; });
        if (!holds_it) break;
        kind = far;
      } else {
        break;
      }
    }
    std::optional<field_ref> where;
    auto offered = [&](const field_ref& f) {
      return std::any_of(m.values.begin(), m.values.end(), [&](const stored_value& v) { return v.where == f; });
    };
    // "language English", "series name 'Sky Radio'"
    if (kind != nowhere && is_field(kind) && !m_[kind].used && !m.break_before) {
      const field_ref f = resolve(kind, true);
      if (offered(f) || (m.quoted && m.values.empty())) {
        where = f;
        use(kind);
      }
    }
    // "Ben Jones or Brandon Vietti": as the value before it.
    if (!where && kind != nowhere && (m_[kind].is(word_kind::or_) || m_[kind].is(word_kind::and_))) {
      for (const entity_condition& earlier : f_.conditions) {
        if (earlier.last == previous(kind) && (earlier.op == "=" || earlier.op == "<>") && !earlier.aggregate.size() &&
            (offered(earlier.field) || (m.quoted && m.values.empty())))
          where = earlier.field;
      }
    }
    // "English language", "ASY airport"
    const index behind = i + 1 < m_.size() ? i + 1 : nowhere;
    if (!where && behind != nowhere && is_field(behind) && !m_[behind].used && !m_[behind].break_before) {
      for (const field_ref& f : m_[behind].fields) {
        if (!offered(f)) continue;
        if (where) {
          where.reset();
          break;
        }
        where = f;
      }
      if (where) use(behind);
    }
    if (!where) {
      std::vector<field_ref> fits;
      auto take = [&](int e) {
        if (!fits.empty() || e < 0) return;
        for (const stored_value& v : m.values) {
          if (v.where.entity != e || std::find(fits.begin(), fits.end(), v.where) != fits.end()) continue;
          fits.push_back(v.where);
        }
        if (named && fits.size() > 1) {
          std::erase_if(fits, [&](const field_ref& f) {
            const auto& d = thing(e).display;
            return std::find(d.begin(), d.end(), field(f).column) == d.end() && field(f).kind != field_kind::name;
          });
        }
      };
      if (kind != nowhere && is_entity(kind)) take(m_[kind].entities.front());
      if (behind != nowhere && is_entity(behind) && !m_[behind].break_before) take(m_[behind].entities.front());
      take(entity_before(i));
      take(f_.subject);
      if (fits.empty()) {
        for (const word_mark& other : m_) {
          for (const int e : other.entities) take(e);
        }
      }
      if (fits.empty()) {
        for (const stored_value& v : m.values) {
          if (std::find(fits.begin(), fits.end(), v.where) == fits.end()) fits.push_back(v.where);
        }
      }
      // "Alton airport": of what stands beside it, its name.
      const int beside = kind != nowhere && is_entity(kind) ? m_[kind].entities.front()
                         : behind != nowhere && is_entity(behind) && !m_[behind].break_before
                             ? m_[behind].entities.front()
                             : -1;
      if (fits.size() > 1 && beside >= 0) {
        std::vector<field_ref> names;
        for (const field_ref& f : fits) {
          if (f.entity == beside && field(f).kind == field_kind::name) names.push_back(f);
        }
        if (names.size() == 1) fits = names;
      }
      if (fits.size() > 1) fail("this is a value of several columns", i);
      if (fits.size() == 1) where = fits.front();
    }
    // A quoted text that is no stored value: of the named thing's name.
    if (!where && m.quoted && named && kind != nowhere && is_entity(kind) &&
        thing(m_[kind].entities.front()).display.size() == 1) {
      const int e = m_[kind].entities.front();
      for (std::size_t k = 0; k < thing(e).fields.size(); ++k)
        if (thing(e).fields[k].column == thing(e).display.front()) where = field_ref{e, static_cast<int>(k)};
    }
    if (!where) fail("no column holds this value", i);
    c.field = *where;
    c.op = negated ? "<>" : "=";
    for (const stored_value& v : m.values) {
      if (v.where == *where && std::find(c.values.begin(), c.values.end(), v.value) == c.values.end())
        c.values.push_back(v.value);
    }
    if (c.values.empty()) c.values = {m.text};
    if (named) use(before);
    use(i);
    add_condition(std::move(c));
  }
}

// Numbers that no comparison took: "4 cylinders", "age 20", "in 2014", "3 years old".
void entity_reader::take_numbers() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || m_[i].number.empty() || m_[i].kind != word_kind::none || m_[i].noun()) continue;
    const index before = previous(i);
    const index behind = next(i);
    if (before != nowhere && m_[before].is(word_kind::top)) continue;          // take_superlatives
    if (behind != nowhere && m_[behind].is(word_kind::superlative)) continue;  // "3 most …"
    if (ranks_so_many(i)) continue;                                            // "the 3 doctors with the highest …"
    if (behind != nowhere && m_[behind].is(word_kind::most_common)) continue;
    entity_condition c;
    c.mark = c.last = i;
    c.values = {m_[i].number};
    std::vector<std::string> heads;  // that "or older" speaks of
    if (behind != nowhere && m_[behind].is(word_kind::at_end)) {
      c.op = m_[behind].text;
      use(behind);
      const std::string& words = m_[behind].raw;
      if (const grammar_word* than = find_grammar(words.substr(words.find(' ') + 1) + " than")) heads = than->heads;
    }
    const index after = next(i);
    bool negated = false;
    index kind = before;
    while (kind != nowhere &&
           (m_[kind].is(word_kind::in) || m_[kind].is(word_kind::not_) || m_[kind].is(word_kind::both) ||
            (m_[kind].is(word_kind::compare) && m_[kind].text == "=") ||
            (m_[kind].is(word_kind::or_) && m_[kind].raw == "either") || m_[kind].is(word_kind::of))) {
      if (m_[kind].is(word_kind::not_) && !m_[kind].used) {
        negated = true;
        use(kind);
      }
      kind = previous(kind);
    }
    std::optional<field_ref> f;
    if (after != nowhere && m_[after].is(word_kind::years_old)) {
      int e = entity_before(i);
      if (e < 0) e = f_.subject;
      if (e >= 0) f = by_heads({"age"}, e);
      if (!f) fail("there is no age", after);
      use(after);
    }
    if (!f && after != nowhere && is_field(after) && after == i + 1) {
      const field_ref named = resolve(after, true);
      if (number_like(named)) {
        f = named;
        use(after);
      }
    }
    if (!f && kind != nowhere && is_field(kind) && !m_[kind].used) {
      const field_ref named = resolve(kind, true);
      const bool digits = number_like(named) || field(named).kind == field_kind::key ||
                          (field(named).kind == field_kind::date && may_be_year(m_[i].number)) ||
                          (before == kind && field(named).kind == field_kind::text);
      if (digits) {
        f = named;
        use(kind);
      }
    }
    if (!f && kind != nowhere && (m_[kind].is(word_kind::or_) || m_[kind].is(word_kind::and_))) {
      for (const entity_condition& earlier : f_.conditions) {
        if (earlier.last == previous(kind) && earlier.op == "=" && number_like(earlier.field)) f = earlier.field;
      }
    }
    if (!f && may_be_year(m_[i].number) && before != nowhere &&
        (m_[before].is(word_kind::in) || m_[before].is(word_kind::or_) || m_[before].is(word_kind::and_) ||
         m_[before].is(word_kind::both) || m_[before].is(word_kind::of)))
      f = dated(i);
    if (!f && !heads.empty() && heads.front() != "@date") {
      int e = entity_before(i);
      if (e < 0) e = f_.subject;
      if (e >= 0) f = by_heads(heads, e);
    }
    const bool so_many = c.op != "=" || (before != nowhere && m_[before].is(word_kind::relation));
    if (!f && after != nowhere && is_entity(after) && so_many &&
        (c.op != "=" || m_[after].entities.front() != f_.subject)) {
      f_.thresholds.push_back({m_[after].entities.front(), c.op, m_[i].number, i, scope_[i]});
      use(after);
      use(i);
      continue;
    }
    if (!f) fail("it is not clear what this number counts", i);
    c.field = *f;
    if (negated) c.op = inverted_comparison(c.op);
    use(i);
    add_condition(std::move(c));
  }
}

void entity_reader::take_alternatives() {
  auto ending_at = [&](index before, index at) -> entity_condition* {
    entity_condition* found = nullptr;
    for (entity_condition& c : f_.conditions) {
      if (c.last <= before && c.mark <= before && c.last < at && (found == nullptr || found->last < c.last)) found = &c;
    }
    return found;
  };
  auto beginning_after = [&](index at) -> entity_condition* {
    entity_condition* found = nullptr;
    for (entity_condition& c : f_.conditions) {
      if (c.mark > at && (found == nullptr || c.mark < found->mark)) found = &c;
    }
    return found;
  };
  const bool both = std::any_of(m_.begin(), m_.end(), [](const word_mark& m) { return m.is(word_kind::both); });
  unsigned ors = 0;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::or_)) continue;
    if (m_[i].raw == "either" || m_[i].raw == "Either") {
      use(i);
      continue;
    }
    if (++ors > 2) fail("too many alternatives", i);
    entity_condition* left = ending_at(i, i);
    entity_condition* right = beginning_after(i);
    if (left == nullptr || right == nullptr || left->absence != right->absence)
      fail("alternatives of what is not clear", i);
    for (const entity_threshold& t : f_.thresholds) {
      if (t.mark > left->mark && t.mark < right->mark) fail("alternatives of what is not clear", i);
    }
    use(i);
    // "not from Lund or Malmo": the "not" is said of both.
    const bool neither = left->op == "<>" && (right->op == "=" || m_[i].raw == "nor" || m_[i].raw == "Nor");
    if (left->field == right->field && left->op != right->op && neither) right->op = "<>";
    if (left->op == "<>" && right->op == "<>" && !(left->field == right->field))
      fail("alternatives of what is not clear", i);
    if (left->field == right->field && left->op == right->op && (left->op == "=" || left->op == "<>") &&
        left->aggregate.empty() && right->aggregate.empty()) {
      left->values.insert(left->values.end(), right->values.begin(), right->values.end());
      left->last = right->last;
      f_.conditions.erase(f_.conditions.begin() + (right - f_.conditions.data()));
      continue;
    }
    // Of three conditions it would not be clear which two are alternatives.
    if (f_.conditions.size() != 2 || !f_.thresholds.empty() || !f_.absences.empty())
      fail("alternatives of what is not clear", i);
    left->alternative = right->alternative = 1;
  }
  // Two values of one column at once: of different rows, where there are several.
  int branch = 0;
  for (std::size_t a = 0; a < f_.conditions.size(); ++a) {
    for (std::size_t b = a + 1; b < f_.conditions.size(); ++b) {
      entity_condition &x = f_.conditions[a], &y = f_.conditions[b];
      if (!(x.field == y.field) || x.alternative != 0 || x.absence != y.absence) continue;
      // "from Aberdeen to Ashley": one column of two different things.
      auto chosen = [&](const entity_condition& c) -> std::optional<reference_ref> {
        std::optional<reference_ref> nearest;
        for (const auto& [reference, at] : f_.references) {
          if (at <= c.mark) nearest = reference;
        }
        return nearest;
      };
      if (auto first = chosen(x), second = chosen(y);
          first && second && !(*first == *second) && first->entity == second->entity && first->entity == f_.subject)
        continue;
      const bool range = x.op != "=" && y.op != "=" && !both;
      if (range) {
        const bool up = x.op.front() == '>' && x.op != "<>", down = y.op.front() == '<' && y.op != "<>";
        const entity_condition &low = up ? x : y, &high = up ? y : x;
        const bool opposite = (up && down) || (x.op.front() == '<' && x.op != "<>" && y.op.front() == '>');
        // "above 40 and below 30" speaks of two rows.
        if (opposite && low.aggregate.empty() && high.aggregate.empty() && x.op != "BETWEEN" && y.op != "BETWEEN" &&
            std::strtod(low.values.front().c_str(), nullptr) >= std::strtod(high.values.front().c_str(), nullptr))
          fail("one row cannot be both", y.mark);
        continue;
      }
      if (x.field.entity == f_.subject || x.absence != 0) fail("one row cannot be both", y.mark);
      if (x.branch == 0) x.branch = ++branch;
      y.branch = ++branch;
    }
  }
  for (index i = 0; i < m_.size(); ++i) {
    if (!m_[i].is(word_kind::both)) continue;
    // "both the name and the id" lists two columns.
    bool lists = branch == 0;
    const index j = next(i);
    if (lists && (j == nowhere || !is_field(j))) fail("both of what is not clear", i);
    use(i);
  }
}

}  // namespace dragoman::nlq
