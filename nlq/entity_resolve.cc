// What a word of a question about entities refers to: whose column, which date, the thing spoken of before.

#include <algorithm>
#include <deque>
#include <set>

#include "nlq/entity_frame.h"

namespace dragoman::nlq {
namespace {

template <class T>
bool among_resolved(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

void entity_reader::fail(const std::string& why, index at) const {
  cannot_read out{why, {}};
  if (at != nowhere) out.words.push_back(m_[at].raw);
  throw out;
}

bool entity_reader::skip(index i) const {
  return m_[i].is(word_kind::filler);
}

entity_reader::index entity_reader::next(index i) const {
  for (++i; i < m_.size(); ++i) {
    if (!m_[i].used && !skip(i)) return i;
  }
  return nowhere;
}

entity_reader::index entity_reader::previous(index i) const {
  while (i-- > 0) {
    if (!skip(i)) return i;
  }
  return nowhere;
}

entity_reader::index entity_reader::next_noun(index i) const {
  for (index k = next(i); k != nowhere; k = next(k)) {
    if (m_[k].noun()) return k;
    const word_kind kind = m_[k].kind;
    if (kind == word_kind::none && !m_[k].references.empty()) continue;  // "arriving flights"
    if (kind != word_kind::of && kind != word_kind::how_many && kind != word_kind::distinct &&
        kind != word_kind::which && kind != word_kind::relation)
      return nowhere;
  }
  return nowhere;
}

std::optional<field_ref> entity_reader::field_in(int entity, index i) const {
  for (const field_ref& f : m_[i].fields) {
    if (f.entity == entity) return f;
  }
  return std::nullopt;
}

bool entity_reader::has_field(int entity, index i) const {
  return field_in(entity, i).has_value();
}

std::optional<field_ref> entity_reader::field_reached(int entity, index i) const {
  if (auto own = field_in(entity, i)) return own;
  // What its rows refer to describes it too; the nearest, and only when it is one.
  std::set<int> seen{entity};
  std::vector<int> level{entity};
  while (!level.empty()) {
    std::vector<int> deeper;
    std::vector<field_ref> found;
    for (const int e : level) {
      for (const entity_reference& r : thing(e).references) {
        for (std::size_t to = 0; to < layer_.entities.size(); ++to) {
          if (layer_.entities[to].id != r.to || !seen.insert(static_cast<int>(to)).second) continue;
          deeper.push_back(static_cast<int>(to));
          if (auto f = field_in(static_cast<int>(to), i)) found.push_back(*f);
        }
      }
    }
    if (found.size() == 1) return found.front();
    if (found.size() > 1) return std::nullopt;
    level = std::move(deeper);
  }
  return std::nullopt;
}

bool entity_reader::refers_to(int from, int to) const {
  std::set<int> seen{from};
  std::deque<int> open{from};
  while (!open.empty()) {
    const int at = open.front();
    open.pop_front();
    if (at == to) return true;
    for (const entity_reference& r : thing(at).references) {
      for (std::size_t k = 0; k < layer_.entities.size(); ++k) {
        if (layer_.entities[k].id == r.to && seen.insert(static_cast<int>(k)).second)
          open.push_back(static_cast<int>(k));
      }
    }
  }
  return false;
}

bool entity_reader::number_like(const field_ref& f) const {
  const field_kind kind = field(f).kind;
  return kind == field_kind::number || kind == field_kind::year;
}

std::optional<field_ref> entity_reader::by_heads(const std::vector<std::string>& heads, int entity) const {
  std::optional<field_ref> found;
  for (const std::string& head : heads) {
    for (std::size_t k = 0; k < thing(entity).fields.size(); ++k) {
      const field_ref f{entity, static_cast<int>(k)};
      if (!number_like(f) && field(f).kind != field_kind::date) continue;
      if (!words_.speaks_of(f, head)) continue;
      if (found) return std::nullopt;
      found = f;
    }
    if (found) return found;
  }
  return found;
}

std::optional<field_ref> entity_reader::by_heads_reached(const std::vector<std::string>& heads, int entity) const {
  if (auto own = by_heads(heads, entity)) return own;
  std::optional<field_ref> found;
  for (const entity_reference& r : thing(entity).references) {
    for (std::size_t to = 0; to < layer_.entities.size(); ++to) {
      if (layer_.entities[to].id != r.to) continue;
      auto f = by_heads(heads, static_cast<int>(to));
      if (f && found && !(*f == *found)) return std::nullopt;
      if (f) found = f;
    }
  }
  return found;
}

std::optional<field_ref> entity_reader::date_field(int entity, index at) const {
  std::vector<field_ref> all;
  for (std::size_t k = 0; k < thing(entity).fields.size(); ++k) {
    const field_ref f{entity, static_cast<int>(k)};
    if (field(f).kind == field_kind::year || field(f).kind == field_kind::date) all.push_back(f);
  }
  if (all.size() == 1) return all.front();
  // "opened before 2009": the verb tells which.
  std::optional<field_ref> hinted;
  for (index i = at == nowhere ? 0 : (at > 4 ? at - 4 : 0); i < m_.size() && (at == nowhere || i <= at + 3); ++i) {
    for (const field_ref& f : all) {
      if (!among_resolved(m_[i].hints, f) && !among_resolved(m_[i].fields, f)) continue;
      if (hinted && !(*hinted == f)) return std::nullopt;
      hinted = f;
    }
  }
  return hinted;
}

int entity_reader::entity_before(index i) const {
  while (i-- > 0) {
    if (m_[i].entities.size() == 1) return m_[i].entities.front();
    if (m_[i].entities.empty() && m_[i].fields.empty() && !m_[i].values.empty()) {
      const int e = m_[i].values.front().where.entity;
      if (std::all_of(m_[i].values.begin(), m_[i].values.end(),
                      [&](const stored_value& v) { return v.where.entity == e; }))
        return e;
    }
  }
  return -1;
}

field_ref entity_reader::dated(index at) const {
  const int before = entity_before(at);
  if (before >= 0) {
    if (auto f = date_field(before, at)) return *f;
  }
  if (f_.subject >= 0) {
    if (auto f = date_field(f_.subject, at)) return *f;
  }
  std::optional<field_ref> only;
  std::vector<int> all = f_.mentioned;
  for (const word_mark& m : m_) all.insert(all.end(), m.entities.begin(), m.entities.end());
  for (const int e : all) {
    auto f = date_field(e, at);
    if (!f) continue;
    if (only && !(*only == *f)) fail("it is not clear which date is meant", at);
    only = f;
  }
  if (!only) fail("there is no date that this could mean", at);
  return *only;
}

field_ref entity_reader::resolve(index i, bool condition) const {
  const word_mark& m = m_[i];
  // "stadium name", "the students' first names"
  if (i > 0 && m_[i - 1].entities.size() == 1 && !m.break_before) {
    if (auto f = field_in(m_[i - 1].entities.front(), i)) return *f;
  }
  if (condition) {
    if (const int before = entity_before(i); before >= 0) {
      if (auto f = field_in(before, i)) return *f;
      if (auto f = field_reached(before, i)) return *f;
    }
  }
  // "name and age of the visitors", "id of the pet owned by …"
  bool of = false;
  for (index k = i + 1; k < m_.size(); ++k) {
    if (skip(k) || m_[k].is(word_kind::and_) || m_[k].is(word_kind::distinct) || m_[k].is(word_kind::both)) continue;
    if (m_[k].break_before && m_[k].is(word_kind::which)) break;
    if (m_[k].is(word_kind::of) || m_[k].is(word_kind::each)) {
      of = true;
      continue;
    }
    if (m_[k].is(word_kind::superlative) || m_[k].is(word_kind::top) || !m_[k].number.empty()) {
      if (of) continue;  // "of the youngest singer"
      break;
    }
    // "the name of the song": of something that is no thing here.
    if (of && m_[k].is(word_kind::none) && !m_[k].noun() && m_[k].values.empty() && !m_[k].hints.empty() && !condition)
      fail("it is not clear whose this is", i);
    if (of && m_[k].entities.size() == 1) {
      if (auto f = field_in(m_[k].entities.front(), i)) return *f;
      if (auto f = field_reached(m_[k].entities.front(), i)) return *f;
      break;
    }
    if (!is_field(k) && !m_[k].is(word_kind::how_many) && !m_[k].is(word_kind::aggregate)) break;
  }
  if (f_.subject >= 0) {
    if (auto f = field_in(f_.subject, i)) return *f;
    if (auto f = field_reached(f_.subject, i)) return *f;
  }
  std::vector<field_ref> spoken;
  for (const field_ref& f : m.fields) {
    for (const word_mark& other : m_) {
      if (among_resolved(other.entities, f.entity) && !among_resolved(spoken, f)) spoken.push_back(f);
    }
  }
  if (spoken.empty()) {
    // "the weight of the Steel Door": of what the value names.
    for (const field_ref& f : m.fields) {
      for (const word_mark& other : m_) {
        const bool its =
            !other.values.empty() && std::all_of(other.values.begin(), other.values.end(),
                                                 [&](const stored_value& v) { return v.where.entity == f.entity; });
        if (its && !among_resolved(spoken, f)) spoken.push_back(f);
      }
    }
  }
  if (spoken.size() == 1) return spoken.front();
  if (spoken.empty() && m.fields.size() == 1) return m.fields.front();
  fail("it is not clear whose this is", i);
}

void entity_reader::add_output(entity_output o) {
  if (std::find(f_.outputs.begin(), f_.outputs.end(), o) == f_.outputs.end()) f_.outputs.push_back(std::move(o));
}

void entity_reader::add_condition(entity_condition c) {
  c.absence = scope_[c.mark];
  f_.conditions.push_back(std::move(c));
}

}  // namespace dragoman::nlq
