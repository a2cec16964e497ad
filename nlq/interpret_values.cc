// Which stored value a word means: the kind word beside it, the exactness of the match and the layer's preferences
// decide; where they do not, the question is asked back.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

std::string interpreter::replaced(const mark& m, const std::string& by) const {
  std::string text;
  for (std::size_t i = 0; i < read_.words.size(); ++i) {
    if (i > m.at && i < m.at + m.length) continue;
    if (!text.empty()) text += read_.words[i].break_before ? (fa() ? "، " : ", ") : " ";
    text += i == m.at ? by : read_.words[i].raw;
  }
  return text;
}

void interpreter::resolve_value(index i) {
  mark& m = m_[i];
  const auto& values = lex_.values();
  struct candidate {
    match_level level = match_level::part;
    std::set<std::uint32_t> members;
    std::vector<std::uint32_t> values;
  };
  std::map<int, candidate> by_dimension;
  for (const sense& s : m.values) {
    const known_value& v = values[s.index];
    candidate& c = by_dimension[static_cast<int>(v.dimension)];
    if (c.values.empty() || s.level < c.level) {
      if (s.level < c.level) {
        c.members.clear();
        c.values.clear();
      }
      c.level = s.level;
    }
    if (s.level == c.level && c.members.insert(v.member).second) c.values.push_back(s.index);
  }

  // The kind word: "Mehr brokerage", "تالار صنعتی", "industrial customers".
  int kind = -1;
  index kind_mark = nowhere;
  auto consider = [&](index k, bool before) {
    if (kind >= 0 || k == nowhere || m_[k].dimension < 0 || m_[k].filter >= 0) return;
    const index low = std::min(i, k), high = std::max(i, k);
    for (index between = low + 1; between <= high; ++between) {
      if (m_[between].break_before) return;
      if (between < high && !m_[between].is(gram::stop) && m_[between].words != "of") return;
    }
    const int d = m_[k].dimension;
    bool own = by_dimension.contains(d);
    bool describes = std::any_of(by_dimension.begin(), by_dimension.end(), [&](const auto& c) {
      return dim(c.first).owner == dim(d).id || (dim(c.first).roles == dim(d).roles && dim(c.first).id != dim(d).id);
    });
    if (own && m_[k].plural && before && fa()) own = false;  // "کارگزاری‌های البرز": those of Alborz
    if (!own && !describes) return;
    kind = d;
    kind_mark = k;
  };
  index before = i > 0 ? i - 1 : nowhere;
  while (before != nowhere && before > 0 && filler(before)) --before;
  index after = i + 1 < m_.size() ? i + 1 : nowhere;
  if (before != nowhere && !filler(before)) consider(before, true);
  if (after != nowhere) consider(after, false);
  if (kind >= 0) {
    std::map<int, candidate> kept;
    bool exact_elsewhere = false;
    for (const auto& [d, c] : by_dimension) {
      bool same =
          d == kind || dim(d).owner == dim(kind).id || (dim(d).roles == dim(kind).roles && !dim(d).roles.empty());
      if (same) {
        kept.emplace(d, c);
      } else if (c.level == match_level::whole) {
        exact_elsewhere = true;
      }
    }
    bool exact =
        std::any_of(kept.begin(), kept.end(), [](const auto& c) { return c.second.level < match_level::part; });
    // "تالار صنعتی": names of halls are made with the word "hall", so it settles the matter even for a part of one.
    bool named_so = false;
    for (const auto* list : {&dim(kind).affixes.en, &dim(kind).affixes.fa}) {
      for (const std::string& a : *list) {
        const tokens affix = tokenise(a);
        named_so = named_so || (affix.size() == 1 && read_.words[m_[kind_mark].at].has_form(affix[0].text));
      }
    }
    if (!kept.empty() && (exact || !exact_elsewhere || (named_so && kept.contains(kind)))) {
      if (kept.contains(kind) && kept.size() > 1) {
        candidate own = kept[kind];
        kept.clear();
        kept.emplace(kind, own);
      }
      by_dimension = kept;
      if (by_dimension.contains(kind) || (by_dimension.size() == 1 && dim(by_dimension.begin()->first).owner.empty())) {
        // "each hall" is no kind word of a name, but then no name follows it.
        m_[kind_mark].used = true;
      }
    } else {
      kind = -1;
    }
  }

  // A word that names nothing alone ("white", "north") is a name only beside its kind.
  if (kind < 0) std::erase_if(by_dimension, [](const auto& c) { return c.second.level == match_level::weak; });
  for (auto& [d, c] : by_dimension) c.level = std::min(c.level, match_level::part);
  // Exactness.
  auto level_is = [&](match_level l) {
    return std::any_of(by_dimension.begin(), by_dimension.end(), [&](const auto& c) { return c.second.level == l; });
  };
  match_level worst = level_is(match_level::whole) ? match_level::core : match_level::part;
  std::erase_if(by_dimension, [&](const auto& c) { return c.second.level > worst; });
  // Words of grammar, nouns and times beat a word that is only a part of some name.
  // "ماهان" is a name, although it ends like a plural of "ماه".
  if (m.is_grain() && m.length == 1 && read_.words[m.at].text.ends_with("ان") &&
      (level_is(match_level::whole) || level_is(match_level::core))) {
    m.time.reset();
  }
  const bool otherwise_known = !m.grams.empty() || m.has_noun() || m.verb >= 0 || m.event >= 0 || m.unit >= 0;
  if (kind < 0 && (otherwise_known || (m.time && !m.time->weak))) {
    std::erase_if(by_dimension, [&](const auto& c) { return c.second.level != match_level::whole; });
  }
  if (m.time && m.time->weak) {
    std::erase_if(by_dimension, [&](const auto& c) { return c.second.level == match_level::part; });
  }
  // Preferences between dimensions.
  for (auto it = by_dimension.begin(); it != by_dimension.end();) {
    bool yields = std::any_of(by_dimension.begin(), by_dimension.end(), [&](const auto& other) {
      const auto& over = dim(other.first).prefer_over;
      return other.first != it->first && other.second.level == match_level::whole &&
             std::find(over.begin(), over.end(), dim(it->first).id) != over.end();
    });
    it = yields ? by_dimension.erase(it) : std::next(it);
  }
  if (by_dimension.empty()) {
    m.values.clear();
    return;
  }

  // "in Tehran": a place, when one of the candidates is a place.
  auto option = [&](int d, const known_value& v) {
    clarify_option o;
    const std::string& name = v.shown.in(lang_).empty() ? v.stored : v.shown.in(lang_);
    const std::string& label = dim(d).label.in(lang_);
    bool named = false;
    for (const auto* list : {&dim(d).affixes.en, &dim(d).affixes.fa}) {
      for (const std::string& a : *list) named = named || name.find(a) != std::string::npos;
    }
    o.label = named ? name : fa() ? label + " " + name : name + " (" + label + ")";
    std::string by = named ? name : label + " " + name;
    o.value = replaced(m, by);
    o.description = label;
    return o;
  };
  bool weak_month = m.time && m.time->weak && kind < 0;
  std::vector<clarify_option> options;
  bool ambiguous = by_dimension.size() > 1 || weak_month;
  for (const auto& [d, c] : by_dimension) {
    if (!dim(d).families && c.members.size() > 1 && (c.level == match_level::part || ambiguous)) ambiguous = true;
  }
  if (ambiguous) {
    if (weak_month) {
      const int year = to_persian(context_.today).year;
      for (int y : {year, year - 1}) {
        clarify_option o;
        const std::string name(month_name(m.time->when.calendar, *m.time->when.month_of_any_year, lang_));
        o.label = name + " " + std::to_string(y);
        o.value = replaced(m, o.label);
        o.description = say("the month", "ماه");
        options.push_back(std::move(o));
      }
    }
    for (const auto& [d, c] : by_dimension) {
      for (std::uint32_t v : c.values) {
        if (options.size() < 10) options.push_back(option(d, values[v]));
      }
    }
    ask(fa() ? "«" + m.words + "» چند معنا دارد؛ کدام منظور است؟"
             : "\"" + m.words + "\" can mean several things; which one do you mean?",
        std::move(options));
    return;
  }

  const auto& [d, c] = *by_dimension.begin();
  filter_slot slot;
  slot.mark = i;
  slot.filter.dimension = dim(d).id;
  std::set<std::string> stored;
  for (std::uint32_t v : c.values) {
    // The canonical column of the same member where it is known.
    const known_value* best = &values[v];
    for (std::uint32_t w = v;
         w-- > 0 && values[w].dimension == values[v].dimension && values[w].member == values[v].member;) {
      if (values[w].column == dim(d).value_column) best = &values[w];
    }
    for (std::uint32_t w = v;
         w < values.size() && values[w].dimension == values[v].dimension && values[w].member == values[v].member; ++w) {
      if (values[w].column == dim(d).value_column) best = &values[w];
    }
    slot.filter.column = best->column;
    if (stored.insert(best->stored).second) slot.filter.values.push_back(best->stored);
    const std::string& shown = best->shown.in(lang_).empty() ? best->stored : best->shown.in(lang_);
    slot.filter.label += (slot.filter.label.empty() ? "" : fa() ? " و " : ", ") + shown;
  }
  if (c.values.size() > 1) {
    assume(fa() ? "«" + m.words + "» همه این‌ها را در بر می‌گیرد: " + slot.filter.label
                : "\"" + m.words + "\" covers all of: " + slot.filter.label);
  }
  // "روز جمعه": the day is the kind of what is named.
  if (index p = previous(i); p != nowhere && p + 1 == i && free_grain(p) == grain::day && !m_[p].time->adjective &&
                             !dim(d).roles.empty() && !layer_.details.empty()) {
    const role* fact = layer_.find_role(layer_.details.front().role);
    if (fact != nullptr && fact->time == dim(d).roles.front()) m_[p].used = true;
  }
  m.filter = static_cast<int>(filters_.size());
  m.dimension = m.metric = m.attribute = m.detail = m.verb = m.event = -1;
  m.grams.clear();
  if (!m.time || m.time->kind != time_kind::period) m.time.reset();
  filters_.push_back(std::move(slot));
}

void interpreter::resolve_values() {
  for (index i = 0; i < m_.size() && !out_.ask; ++i) {
    // After a number a unit is a unit: "500 billion rials" filters nothing by itself.
    if (m_[i].unit >= 0) {
      index p = previous(i);
      bool amount = p != nowhere && (!m_[p].number.empty() || m_[p].is(gram::thousand) || m_[p].is(gram::million) ||
                                     m_[p].is(gram::billion) || m_[p].is(gram::trillion));
      if (amount) {
        m_[i].values.clear();
        continue;
      }
    }
    // "export all orders to excel" tells what to do with the rows, "export orders" which rows.
    if (!m_[i].values.empty() && m_[i].is(gram::list)) {
      index n = next(i);
      bool verb = any(gram::output_file) ||
                  (previous(i) == nowhere && n != nowhere &&
                   (m_[n].is(gram::all) || m_[n].is(gram::each) || m_[n].is(gram::list) || m_[n].is(gram::total)));
      if (verb) {
        m_[i].values.clear();
        continue;
      }
    }
    if (!m_[i].values.empty()) resolve_value(i);
  }
  negate_values();
}

// What happened to facts rather than what they are of: cancelled, exported, delivered. "Not" before it is its opposite.
bool interpreter::is_state(const value_filter& f) const {
  const dimension* d = layer_.find_dimension(f.dimension);
  return d != nullptr &&
         (!d->cases.empty() || std::any_of(layer_.filters.begin(), layer_.filters.end(), [&](const named_filter& n) {
           return n.dimension == d->id && !n.yields_to_grouping;
         }));
}

// What describes a thing rather than being one: a place, a segment, a category. "Customers not in Tehran".
bool interpreter::describes(const value_filter& f) const {
  const dimension* d = layer_.find_dimension(f.dimension);
  return d != nullptr && !d->entity && (!d->owner.empty() || !d->owned_roles.empty());
}

// "excluding export", "به جز سیمان", "orders that were not cancelled", "صادراتی نیستند"
void interpreter::negate_values() {
  static const std::set<std::string> copulas{"نیست",
                                             "نیستند",
                                             "نبوده",
                                             "نبود",
                                             "نباشد",
                                             "نباشند",
                                             "نبوده‌اند",
                                             "نبودند",
                                             "نشده",
                                             "نشده‌اند",
                                             "نشده است",
                                             "نشدند",
                                             "نشد",
                                             "نشده اند"};
  bool none = false;  // "هیچ": it denies that there was any
  for (const mark& m : m_) none = none || m.words.starts_with("هیچ");
  auto denied = [&](index i) {
    const filter_slot& own = filters_[static_cast<std::size_t>(m_[i].filter)];
    index p = previous(i);
    while (p != nowhere && m_[p].used && m_[p].dimension >= 0) p = previous(p);  // kind word between
    if (p != nowhere && m_[p].is(gram::except)) return p;
    if (p != nowhere && m_[p].is(gram::not_) && m_[p].words == "not" &&
        (is_state(own.filter) || describes(own.filter))) {
      index before = previous(p);
      const bool clause = before != nowhere && (m_[before].is(gram::but) || m_[before].is(gram::and_));
      if (!clause) return p;
    }
    if (p != nowhere && m_[p].is(gram::without)) {
      // "sales without export" but not "customers without export orders".
      index behind = next(i);
      const bool noun = behind != nowhere && m_[behind].filter < 0 &&
                        (m_[behind].has_noun() || m_[behind].verb >= 0 || m_[behind].event >= 0);
      const bool measured = std::any_of(m_.begin(), m_.begin() + static_cast<std::ptrdiff_t>(p),
                                        [](const mark& m) { return m.metric >= 0 && m.filter < 0; });
      const index owner = previous(p);  // "suppliers without export" are suppliers that never exported
      const bool of_member =
          owner != nowhere && m_[owner].filter < 0 && m_[owner].dimension >= 0 && dim(m_[owner].dimension).entity;
      if (!noun && measured && !of_member) return p;
    }
    if (!none && i + 1 < m_.size() && m_[i + 1].filter < 0 && copulas.contains(m_[i + 1].words) &&
        is_state(own.filter)) {
      return i + 1;
    }
    return nowhere;
  };
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].filter < 0) continue;
    filter_slot& own = filters_[static_cast<std::size_t>(m_[i].filter)];
    if (index p = denied(i); p != nowhere) {
      own.filter.negated = true;
      m_[p].used = true;
      continue;
    }
    index p = previous(i);
    while (p != nowhere && m_[p].used && m_[p].dimension >= 0) p = previous(p);
    if (p == nowhere || !(m_[p].is(gram::and_) || m_[p].is(gram::or_))) continue;
    index q = previous(p);
    if (q == nowhere || m_[q].filter < 0) continue;
    const filter_slot& earlier = filters_[static_cast<std::size_t>(m_[q].filter)];
    if (earlier.filter.negated && earlier.filter.dimension == own.filter.dimension) own.filter.negated = true;
  }
}

// The entity whose place a location word speaks of: "broker city", "suppliers in Khuzestan", "استان
// تأمین‌کننده".
std::string interpreter::owner_of(index i) const {
  const dimension* d = m_[i].filter >= 0
                           ? layer_.find_dimension(filters_[static_cast<std::size_t>(m_[i].filter)].filter.dimension)
                       : m_[i].dimension >= 0 ? &dim(m_[i].dimension)
                                              : nullptr;
  if (d == nullptr || d->owned_roles.empty()) return {};
  auto owner_at = [&](index k) -> std::string {
    if (k == nowhere || m_[k].dimension < 0 || m_[k].filter >= 0) return {};
    const std::string& id = dim(m_[k].dimension).id;
    return d->owned_roles.contains(id) ? id : std::string{};
  };
  auto skip_located = [&](index k, bool back) {
    while (k != nowhere && (m_[k].is(gram::located) || m_[k].is(gram::that) ||
                            (m_[k].used && m_[k].dimension >= 0 && owner_at(k).empty()))) {
      k = back ? previous(k) : next(k);
    }
    return k;
  };
  index p = skip_located(previous(i), true), n = skip_located(next(i), false);
  if (m_[i].filter >= 0) {
    // A value: "suppliers in Khuzestan" and "Khuzestan suppliers"; else the one entity that the question speaks of.
    if (std::string o = owner_at(p); !o.empty()) return o;
    // "active customers in Tehran": a measure that counts members is of them.
    if (p != nowhere && m_[p].metric >= 0 && m_[p].filter < 0 && d->owned_roles.contains(met(m_[p].metric).counts))
      return met(m_[p].metric).counts;
    // "sales to Tehran": where they went, whoever else is spoken of.
    if (i > 0 && m_[i - 1].words == "to" && owner_at(n).empty()) return {};
    if (n != nowhere && n == i + 1) {
      if (std::string o = owner_at(n); !o.empty()) return o;
    }
    std::set<std::string> named;
    for (index k = 0; k < m_.size(); ++k) {
      if (std::string o = owner_at(k); !o.empty() && !m_[k].used) named.insert(o);
    }
    return named.size() == 1 ? *named.begin() : std::string{};
  }
  // A dimension: only directly beside it.
  if (p != nowhere && p + 1 == i && !m_[i].break_before) {
    if (std::string o = owner_at(p); !o.empty() && !fa()) return o;
  }
  if (n != nowhere && (n == i + 1 || (n == i + 2 && (m_[i + 1].words == "of" || m_[i + 1].words == "of the"))) &&
      !m_[n].break_before) {
    if (std::string o = owner_at(n); !o.empty()) return o;
  }
  return {};
}

void interpreter::resolve_owners() {
  for (filter_slot& f : filters_) {
    std::string owner = owner_of(f.mark);
    const dimension* d = layer_.find_dimension(f.filter.dimension);
    if (owner.empty() || d == nullptr) continue;
    f.filter.role = d->owned_roles.at(owner);
  }
}

}  // namespace dragoman::nlq
