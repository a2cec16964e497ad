#include "nlq/interpreter.h"

#include <algorithm>
#include <set>

namespace dragoman::nlq {

interpreter::interpreter(const knowledge& known, reading r, language lang, const question_context& context)
    : layer_(known.layer()),
      lex_(known.words()),
      read_(std::move(r)),
      m_(read_.marks),
      lang_(lang),
      context_(context),
      time_{lang, context.today, layer_.fiscal ? &*layer_.fiscal : nullptr} {}

interpreter::index interpreter::next(index i) const {
  for (index k = i + 1; k < m_.size(); ++k) {
    if (!filler(k)) return k;
  }
  return nowhere;
}

interpreter::index interpreter::previous(index i) const {
  for (index k = i; k-- > 0;) {
    if (!filler(k)) return k;
  }
  return nowhere;
}

interpreter::index interpreter::find(gram g, index from) const {
  for (index k = from; k < m_.size(); ++k) {
    if (!m_[k].used && m_[k].filter < 0 && m_[k].is(g)) return k;
  }
  return nowhere;
}

bool interpreter::any(gram g) const {
  return find(g) != nowhere;
}

bool interpreter::use(index i) {
  if (i == nowhere) return false;
  m_[i].used = true;
  return true;
}

void interpreter::use_all(gram g) {
  for (mark& m : m_) {
    if (m.is(g)) m.used = true;
  }
}

void interpreter::assume(std::string sentence, double cost) {
  if (std::find(out_.assumptions.begin(), out_.assumptions.end(), sentence) == out_.assumptions.end()) {
    out_.assumptions.push_back(std::move(sentence));
    out_.confidence = std::max(0.1, out_.confidence - cost);
  }
}

void interpreter::ask(std::string message, std::vector<clarify_option> options) {
  if (out_.ask) return;
  for (std::size_t i = 0; i < options.size(); ++i) options[i].choice = static_cast<int>(i) + 1;
  out_.ask = clarification{std::move(message), std::move(options)};
}

std::optional<grain> interpreter::free_grain(index i) const {
  if (m_[i].used || !m_[i].is_grain() || m_[i].filter >= 0) return std::nullopt;
  return m_[i].time->unit;
}

bool interpreter::is_subject(index i) const {
  if (m_[i].used || m_[i].filter >= 0 || i == counted_behind_) return false;
  return m_[i].dimension >= 0 || (m_[i].is_grain() && !m_[i].time->adjective);
}

bool interpreter::counting(index i) const {
  if (i == counted_behind_) return true;
  // "more than 3 commodities": the amount counts them.
  for (const amount_slot& a : amounts_) {
    if (!a.taken && a.unit < 0 && !a.percent && !a.days && m_[i].dimension >= 0 && m_[i].metric < 0 &&
        next(a.last) == i)
      return true;
  }
  index p = previous(i);
  if (p != nowhere && m_[p].is(gram::and_) && m_[i].dimension >= 0) {
    // "number of orders and customers", "تعداد سفارش و مشتری"
    const index noun = previous(p);
    const index before = noun != nowhere ? previous(noun) : nowhere;
    if (noun != nowhere && (m_[noun].metric >= 0 || m_[noun].dimension >= 0) && m_[noun].filter < 0) {
      if (before != nowhere && m_[before].is(gram::how_many)) return true;
      if (m_[noun].words.starts_with("تعداد") || m_[noun].words.starts_with("number of")) return true;
    }
  }
  while (p != nowhere && (m_[p].filter >= 0 || m_[p].is_period() || m_[p].is(gram::distinct) || m_[p].is(gram::total) ||
                          m_[p].is(gram::all) || m_[p].is(gram::and_) || m_[p].is(gram::compare) ||
                          (m_[p].used && (m_[p].is(gram::except) || m_[p].is(gram::not_)))))
    p = previous(p);
  return p != nowhere && m_[p].is(gram::how_many) && !m_[p].used;
}

std::string interpreter::event_named() const {
  std::string found;
  for (const mark& m : m_) {
    if (m.filter >= 0) continue;
    int e = m.event;
    for (std::size_t k = 0; e < 0 && m.verb >= 0 && k < layer_.events.size(); ++k) {
      if (layer_.events[k].metric == met(m.verb).id) e = static_cast<int>(k);
    }
    if (e < 0) continue;
    const event& x = layer_.events[static_cast<std::size_t>(e)];
    if (found.empty() || !x.filters.empty()) found = x.id;
  }
  return found;
}

std::optional<std::size_t> interpreter::group_index(index mark) const {
  for (const auto& [at, g] : group_marks_) {
    if (at == mark) return g;
  }
  return std::nullopt;
}

void interpreter::add_group(index i, bool front) {
  mark& m = m_[i];
  group g;
  if (m.is_grain() && m.dimension < 0) {
    g.time = m.time->unit;
    g.fiscal = m.time->fiscal;
  } else {
    g.dimension = dim(m.dimension).id;
    if (std::string owner = owner_of(i); !owner.empty()) {
      g.role = dim(m.dimension).owned_roles.at(owner);
      // The entity beside it was only its owner.
      for (index k : {previous(i), next(i)}) {
        if (k != nowhere && m_[k].dimension >= 0 && !m_[k].used && dim(m_[k].dimension).id == owner) m_[k].used = true;
      }
    }
  }
  m.used = true;
  for (std::size_t k = 0; k < q_.groups.size(); ++k) {
    if (q_.groups[k] == g) {
      group_marks_.emplace_back(i, k);
      return;
    }
  }
  if (front) {
    q_.groups.insert(q_.groups.begin(), g);
    for (auto& [at, index] : group_marks_) ++index;
    if (q_.top && q_.top->within) ++*q_.top->within;
    group_marks_.emplace_back(i, 0);
  } else {
    q_.groups.push_back(g);
    group_marks_.emplace_back(i, q_.groups.size() - 1);
  }
}

std::size_t interpreter::add_metric(const std::string& id) {
  for (std::size_t k = 0; k < q_.metrics.size(); ++k) {
    if (q_.metrics[k].metric == id && q_.metrics[k].filters.empty() && q_.metrics[k].variant == metric_variant::plain)
      return k;
  }
  metric_use u;
  u.metric = id;
  q_.metrics.push_back(std::move(u));
  return q_.metrics.size() - 1;
}

// Whether a filter speaks of facts rather than of the entity. `strictly`: by the role it has beside facts, where the
// dimension has one; a symbol's home hall is not the hall it was traded in.
bool interpreter::fact_level(const value_filter& f, const std::string& entity_role, bool strictly) const {
  const dimension* d = layer_.find_dimension(f.dimension);
  if (d == nullptr) return true;
  if (!d->cases.empty()) return true;
  if (!f.role.empty()) return !layer_.path(entity_role, f.role).has_value();
  for (const std::string& r : d->roles) {
    if (layer_.path(entity_role, r)) return false;
    if (strictly) return true;
  }
  return true;
}

// Words whose meaning their neighbours decide before anything else is read.
void interpreter::settle_words() {
  for (index i = 0; i < m_.size() && !out_.ask; ++i) {
    if (!m_[i].is(gram::large) || m_[i].filter >= 0) continue;
    // "5 large orders" are the five largest; "large customers" are nobody knows which.
    index p = previous(i);
    if (p != nowhere && m_[p].number.empty() && (m_[p].dimension >= 0 || m_[p].detail >= 0)) p = previous(p);
    const index n = next(i);
    const bool counted = (p != nowhere && !m_[p].number.empty() && !m_[p].is_period()) ||
                         (n != nowhere && !m_[n].number.empty() && !m_[n].is_period());
    std::erase(m_[i].grams, gram::large);
    if (counted) m_[i].grams.push_back(gram::top);
  }
  // "هم فولاد و هم سیمان": both, not "too".
  std::vector<index> both;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is(gram::also) && m_[i].words == "هم") both.push_back(i);
  }
  if (both.size() > 1) {
    for (index i : both) m_[i].grams = {gram::stop};
  }
  // "which broker has the most customers": they are counted.
  for (index i = 0; i < m_.size(); ++i) {
    static const std::set<std::string> many{"most",
                                            "fewest",
                                            "the most",
                                            "بیشترین",
                                            "کمترین",
                                            "largest number of",
                                            "greatest number of",
                                            "highest number of"};
    const index n = next(i);
    if (!(m_[i].is(gram::top) || m_[i].is(gram::bottom)) || !many.contains(m_[i].words) || n == nowhere) continue;
    if (m_[n].dimension < 0 || m_[n].metric >= 0 || !m_[n].values.empty() || !dim(m_[n].dimension).entity) continue;
    const bool other = std::any_of(m_.begin(), m_.begin() + static_cast<std::ptrdiff_t>(i), [&](const mark& m) {
      return m.dimension >= 0 && m.dimension != m_[n].dimension && m.values.empty();
    });
    const bool measured =
        std::any_of(m_.begin(), m_.end(), [](const mark& m) { return m.metric >= 0 || m.attribute >= 0; });
    if (other && !measured) counted_behind_ = n;
  }
  // "cancelled orders in 2024, how many?": the count stands behind what it counts.
  const index last = previous(m_.size());
  if (last != nowhere && m_[last].is(gram::how_many) && m_[last].grams.size() == 1 && (m_[last].break_before || fa())) {
    for (index i = 0; i < last; ++i) {
      if (m_[i].detail < 0 && (m_[i].dimension < 0 || !dim(m_[i].dimension).entity)) continue;
      counted_behind_ = i;
      m_[last].used = true;
      break;
    }
  }
}

// A pronoun that points at something named before it in the same question.
bool interpreter::has_antecedent(index i) const {
  for (index k = 0; k < i; ++k) {
    if (m_[k].dimension >= 0 || m_[k].filter >= 0 || m_[k].detail >= 0) return true;
  }
  return false;
}

// "وضعیت کارگزاری‌ها چطوره؟": the state of things, not the status of orders; "سال قبل
// چطور؟" goes on.
bool interpreter::asks_how_it_is() const {
  static const std::set<std::string> state{"وضعیت", "وضع", "اوضاع"};
  return !m_.empty() && state.contains(m_.front().words) && (any(gram::what_about) || any(gram::status_how)) &&
         std::none_of(m_.begin(), m_.end(), [](const mark& m) { return m.metric >= 0 && m.filter < 0; });
}

// "how is Isfahan doing?", "top 5" of one figure: what goes before does not say what is asked.
bool interpreter::vague_anyway(const query_intent& last) {
  if (asks_how_it_is()) return vague_frame();
  if (complete()) return false;
  bool subject = false;
  for (const mark& m : m_) subject = subject || (m.filter < 0 && m.dimension >= 0);
  const bool ranks = (any(gram::top) || any(gram::bottom)) && !subject && last.groups.empty();
  const bool mean = any(gram::average) && !filters_.empty();
  return (any(gram::status_how) || ranks || mean) && vague_frame();
}

interpreted interpreter::run() {
  settle_words();
  resolve_values();
  if (out_.ask) return out_;
  resolve_owners();
  resolve_times();
  if (out_.ask) return out_;
  find_amounts();

  const query_intent* last = context_.session != nullptr && context_.session->last ? &*context_.session->last : nullptr;
  const bool cue = follow_up_cue() || (last != nullptr && opens_filters(*last));
  if (last != nullptr && composes(*last)) {
    compose(*last);
  } else if (last != nullptr && forgets_members(*last)) {
    for (const mark& m : m_) {
      if (!m.is_filler()) out_.leftover.push_back(m.words);
    }
    return out_;
  } else if (last != nullptr && (!cue || asks_how_it_is()) && vague_anyway(*last)) {
    // As unclear inside of a conversation as without one.
  } else if (last != nullptr && (cue || !complete())) {
    follow_frame(*last);
  } else if (last == nullptr && cue && !complete() && context_.session != nullptr &&
             !context_.session->last_question.empty()) {
    // What it goes on from has no frame (a model's SQL): a model is told of both.
    for (const mark& m : m_) out_.leftover.push_back(m.words);
    return out_;
  } else if (last == nullptr && cue && !complete()) {
    ask(say("This seems to go on from an earlier question, but there is none yet. What would you like to know?",
            "این ادامه پرسش پیشین به نظر می‌رسد، ولی هنوز پرسشی نبوده "
            "است. "
            "چه "
            "می‌خواهید "
            "بدانید؟"));
  } else {
    fresh_frame();
    // "sales including cancelled ones" would be read as those alone.
    for (const filter_slot& f : filters_) {
      const index before = previous(static_cast<index>(f.mark));
      if (before != nowhere && m_[before].is(gram::with) && m_[before].words == "including")
        out_.leftover.push_back(m_[before].words + " " + m_[f.mark].words);
    }
  }
  if (!out_.ask) finish();
  out_.intent = q_;
  return out_;
}

// Every mark must have had an effect or be one that may be left out.
void interpreter::finish() {
  auto harmless = [](gram g) {
    switch (g) {
      case gram::stop:
      case gram::preposition:
      case gram::list:
      case gram::which:
      case gram::how_much:
      case gram::and_:
      case gram::that:
      case gram::greeting:
      case gram::thanks:
      case gram::by:
      case gram::breakdown:
      case gram::trend:
      case gram::with:
      case gram::distinct:
      case gram::located:
      case gram::follow:
      case gram::total:
      case gram::output_file:
      case gram::to: return true;
      default: return false;
    }
  };
  for (const mark& m : m_) {
    if (m.used || m.filter >= 0) continue;
    if ((m.is(gram::breakdown) || m.is(gram::each)) && !m.has_noun()) {
      // "in each of the last 3 years": every period for itself, which no frame does.
      const index n = next(static_cast<index>(&m - m_.data()));
      if (n != nowhere && m_[n].is_period() && m_[n].filter < 0) {
        out_.leftover.push_back(m.words);
        continue;
      }
    }
    if (m.is(gram::only) && !m.has_noun()) {
      // "only for government customers": a filter narrows anyway.
      const index n = next(static_cast<index>(&m - m_.data()));
      if (n != nowhere && (m_[n].filter >= 0 || m_[n].is_period())) continue;
    }
    if ((m.is(gram::pronoun) || m.is(gram::of_those)) && !m.is(gram::how_many) && !m.has_noun() &&
        has_antecedent(static_cast<index>(&m - m_.data())))
      continue;
    if (!m.grams.empty() && std::any_of(m.grams.begin(), m.grams.end(), harmless) && !m.has_noun() && m.number.empty())
      continue;
    if (m.verb >= 0 || m.event >= 0) continue;  // a verb beside its noun
    out_.leftover.push_back(m.words);
  }
  for (const filter_slot& f : filters_) {
    if (!f.taken) out_.leftover.push_back(m_[f.mark].words);
  }
  for (const period_slot& p : periods_) {
    if (!p.taken) out_.leftover.push_back(p.when.words);
  }
  for (const amount_slot& a : amounts_) {
    if (!a.taken) out_.leftover.push_back(m_[a.first].words + " " + m_[a.last].words);
  }
  for (const auto& [written, read] : read_.corrections) {
    assume(fa() ? "«" + written + "» به «" + read + "» خوانده شد" : "read \"" + written + "\" as \"" + read + "\"");
  }
}

}  // namespace dragoman::nlq
