#include "nlq/entity_frame.h"

#include <algorithm>
#include <set>

#include "nlq/entity_grammar.h"

namespace dragoman::nlq {
namespace {

template <class T>
bool among_framed(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

// One word may name a thing, a column and a value. Where another thing stands beside it that has such a column, it is
// the column; otherwise it is the thing.
void entity_reader::settle_nouns() {
  // "or older than 65": an alternative, unlike "65 or older".
  for (index i = 0; i + 1 < m_.size(); ++i) {
    if (!m_[i].is(word_kind::at_end) || !m_[i + 1].is(word_kind::than)) continue;
    const grammar_word* compared = find_grammar(m_[i].raw.substr(m_[i].raw.find(' ') + 1) + " than");
    if (compared == nullptr) continue;
    m_[i].kind = word_kind::or_;
    m_[i].raw = "or";
    m_[i + 1].kind = compared->kind;
    m_[i + 1].text = compared->text;
    m_[i + 1].heads = compared->heads;
  }
  // "after 2013 or before 2008": an alternative, unlike "2013 or before".
  for (index i = 0; i + 1 < m_.size(); ++i) {
    if (!m_[i].is(word_kind::at_end) || m_[i + 1].number.empty()) continue;
    const std::string text = m_[i].raw.substr(m_[i].raw.find(' ') + 1);
    word_mark compare = m_[i];
    compare.kind = word_kind::compare;
    compare.text = m_[i].text == ">=" ? ">" : "<";
    compare.raw = text;
    if (text == "before" || text == "after" || text == "later" || text == "earlier") compare.heads = {"@date"};
    if (text != "before" && text != "after" && text != "above" && text != "over" && text != "below" && text != "under")
      continue;
    m_[i].kind = word_kind::or_;
    m_[i].raw = "or";
    m_.insert(m_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(compare));
  }
  for (index i = 0; i < m_.size(); ++i) {
    word_mark& m = m_[i];
    if (m.kind == word_kind::which && m.noun()) m.kind = word_kind::none;
    // Grammar is grammar, whatever columns are called; but a filler or a verb may be somebody's column.
    if ((m.kind == word_kind::filler || m.kind == word_kind::relation) && m.noun()) m.kind = word_kind::none;
    if (m.kind != word_kind::none) {
      m.entities.clear();
      m.fields.clear();
      m.values.clear();
    }
    if (m.noun()) m.values.clear();
    if (m.entities.size() > 1) {
      // The thing whose name it is as a whole goes before one that only ends so.
      fail("several things are called so", i);
    }
    if (m.entities.empty() || m.fields.empty()) continue;
    const int own = m.entities.front();
    bool as_field = false;
    for (const word_mark& other : m_) {
      if (&other == &m || other.entities.size() != 1 || other.kind != word_kind::none) continue;
      const int e = other.entities.front();
      if (e == own || !other.fields.empty()) continue;
      // A reference column is the thing it refers to.
      if (std::any_of(m.fields.begin(), m.fields.end(), [&](const field_ref& f) { return f.entity == e; }))
        as_field = true;
    }
    if (as_field) {
      m.entities.clear();
    } else {
      m.fields.clear();
    }
  }
}

void entity_reader::find_subject() {
  // "car models" are models: the thing before only describes them.
  for (index i = 0; i + 1 < m_.size(); ++i) {
    if (m_[i].entities.size() != 1 || m_[i + 1].entities.size() != 1 || m_[i + 1].break_before) continue;
    if (m_[i].entities == m_[i + 1].entities || m_[i].raw.ends_with("s")) continue;
    f_.mentioned.push_back(m_[i].entities.front());
    m_[i].entities.clear();
    m_[i].kind = word_kind::filler;
  }
  int counted = -1;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].entities.size() != 1 || scope_[i] != 0) continue;
    const index before = previous(i);
    if (before != nowhere) {
      const word_mark& b = m_[before];
      if (b.is(word_kind::how_many)) {
        if (counted < 0) counted = m_[i].entities.front();
        continue;
      }
      if (b.is(word_kind::superlative) && b.heads.empty()) continue;
      if (b.is(word_kind::compare) || b.is(word_kind::more)) continue;
      if (!b.number.empty()) {
        const index earlier = previous(before);
        if (earlier != nowhere && (m_[earlier].is(word_kind::compare) || m_[earlier].is(word_kind::relation) ||
                                   m_[earlier].is(word_kind::with)))
          continue;
      }
    }
    // "the stadium name": the thing is the name's owner, and still what is spoken of.
    f_.subject = m_[i].entities.front();
    break;
  }
  if (f_.subject < 0) f_.subject = counted;
  if (f_.subject >= 0) return;
  // Columns alone name their thing when only one has them all.
  std::set<int> candidates;
  bool first = true;
  for (const word_mark& m : m_) {
    if (m.fields.empty()) continue;
    std::set<int> here, both;
    for (const field_ref& f : m.fields) here.insert(f.entity);
    if (first) {
      candidates = here;
      first = false;
      continue;
    }
    std::set_intersection(candidates.begin(), candidates.end(), here.begin(), here.end(),
                          std::inserter(both, both.end()));
    candidates = both;
  }
  if (candidates.size() == 1) f_.subject = *candidates.begin();
}

// "The content of the series X": asked of what the columns belong to, and once, however many rows refer to it.
void entity_reader::settle_owner() {
  if (f_.outputs.empty() || f_.conditions.empty() || f_.subject < 0 || !f_.references.empty()) return;
  if (!f_.thresholds.empty() || !f_.absences.empty() || !f_.order.empty() || counted_order_) return;
  const int shown = f_.outputs.front().field.entity;
  if (shown < 0 || shown == f_.subject || !refers_to(f_.subject, shown)) return;
  for (const entity_output& o : f_.outputs) {
    if (o.kind != entity_output::what::column || o.field.entity != shown) return;
  }
  for (const entity_condition& c : f_.conditions) {
    if (c.field.entity != shown || c.branch != 0) return;
  }
  f_.subject = shown;
}

// What no rows can answer, or what an answer would only repeat.
void entity_reader::check_sense() const {
  if (m_.empty()) return;
  std::string first = m_.front().raw.substr(0, m_.front().raw.find(' '));
  for (char& c : first) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (first == "where") fail("it is not clear which place is meant", 0);
  for (const char* asks :
       {"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "can", "could", "will"}) {
    if (first == asks) fail("a question of yes or no", 0);
  }
  // "The name of the series called X" is X, whoever is meant by it.
  const bool said =
      !f_.outputs.empty() && std::all_of(f_.outputs.begin(), f_.outputs.end(), [&](const entity_output& o) {
        return o.kind == entity_output::what::column &&
               std::any_of(f_.conditions.begin(), f_.conditions.end(), [&](const entity_condition& c) {
                 return c.field == o.field && c.op == "=" && c.aggregate.empty() && c.values.size() == 1 &&
                        c.alternative == 0 && c.absence == 0;
               });
      });
  if (said) fail("the question itself says what it asks for", f_.outputs.front().mark);
}

// ---- all together --------------------------------------------------------------------------------------------------

entity_frame entity_reader::read() {
  settle_nouns();
  scope_.assign(m_.size(), 0);
  for (index i = 0; i < m_.size(); ++i) {
    for (const reference_ref& r : m_[i].references) {
      f_.references.emplace_back(r, i);
    }
    if (m_[i].is(word_kind::distinct)) f_.distinct = true;
  }
  take_absences();
  find_subject();
  bool everything = false;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is(word_kind::everything)) {
      everything = true;
      use(i);
    }
  }
  take_order();
  take_flags();
  take_contains();
  take_comparisons();
  take_values();
  take_numbers();
  take_alternatives();
  take_superlatives();
  take_groups();
  take_aggregates();
  take_counts();
  take_outputs();
  take_relations();
  if (everything) {
    if (!f_.outputs.empty() || f_.subject < 0) fail("it is not clear what everything is about");
    for (std::size_t k = 0; k < thing(f_.subject).fields.size(); ++k) {
      entity_output o;
      o.field = {f_.subject, static_cast<int>(k)};
      add_output(o);
    }
  }
  settle_groups();
  for (index i = 0; i < m_.size(); ++i) {
    const word_mark& m = m_[i];
    if (m.used) continue;
    switch (m.kind) {
      case word_kind::filler:
      case word_kind::relation:
      case word_kind::distinct:
      case word_kind::of:
      case word_kind::with:
      case word_kind::in:
      case word_kind::and_:
      case word_kind::which:
      case word_kind::each: continue;
      case word_kind::none:
        if (!m.references.empty() || !m.hints.empty()) continue;  // check_hints
        break;
      default: break;
    }
    fail("this word has no place in the question", i);
  }
  // "Who is enrolled in a programme? List the names": asked of those whose columns are shown.
  if (!f_.outputs.empty() && f_.subject >= 0) {
    const int shown = f_.outputs.front().field.entity;
    const bool alone = std::all_of(f_.outputs.begin(), f_.outputs.end(), [&](const entity_output& o) {
      return o.kind == entity_output::what::column && o.field.entity == shown;
    });
    if (alone && !counted_order_ && f_.order.empty() && shown != f_.subject && !refers_to(f_.subject, shown))
      f_.subject = shown;
  }
  settle_owner();
  check_sense();
  // "Which countries' channels do not …": of the countries or of the channels?
  if (!f_.absences.empty() && f_.outputs.size() == 1 && f_.outputs.front().kind == entity_output::what::column) {
    const field_ref asked = f_.outputs.front().field;
    const index at = f_.outputs.front().mark;
    bool of = field(asked).kind == field_kind::name || field(asked).kind == field_kind::key || at >= m_.size();
    for (index k = at; k < m_.size() && !of; ++k) {
      of = m_[k].is(word_kind::of) || m_[k].is(word_kind::in);
      if (!m_[k].entities.empty()) break;
    }
    if (!of && (at == 0 || m_[at - 1].entities.empty())) fail("it is not clear of what this is asked", at);
  }
  if (f_.subject < 0 && f_.outputs.empty()) fail("nothing of these data is spoken of");
  return std::move(f_);
}

void entity_reader::check_hints(const std::vector<int>& tables, const std::vector<reference_ref>& references,
                                const entity_frame& frame) const {
  for (const word_mark& m : m_) {
    if (!m.used && m.kind == word_kind::none && m.hints.empty() && !m.references.empty() && m.values.empty() &&
        !m.noun()) {
      const bool followed = std::any_of(m.references.begin(), m.references.end(),
                                        [&](const reference_ref& r) { return among_framed(references, r); });
      if (!followed) throw cannot_read{"a direction that the data do not hold here", {m.raw}};
    }
    if (m.used || m.kind != word_kind::none || m.hints.empty()) continue;
    bool met = false;
    for (const field_ref& h : m.hints) {
      if (h.field < 0) {
        met = met || among_framed(tables, h.entity);
        continue;
      }
      // "never won an award in the evaluations": what the related rows hold anyway.
      if (h.entity != frame.subject && among_framed(tables, h.entity) && among_framed(frame.mentioned, h.entity))
        met = true;
      for (const entity_output& o : frame.outputs) met = met || o.field == h;
      for (const entity_condition& c : frame.conditions) met = met || c.field == h;
      for (const entity_order& o : frame.order) met = met || o.by.field == h;
      met = met || among_framed(frame.group_fields, h);
    }
    if (!met) throw cannot_read{"a verb that the data do not hold", {m.raw}};
  }
}

}  // namespace dragoman::nlq
