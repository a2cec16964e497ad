#include "nlq/reading.h"

#include <algorithm>
#include <limits>

namespace dragoman::nlq {
namespace {

// A longer phrase beats its parts, and a stored name of several words beats a time that would break it up.
constexpr int cost_mark = 10, cost_filler = 6, cost_name = 3, cost_partial_value = 14, cost_unknown = 200;

// "500", "500k", "5bn", "ten"
std::string number_text(const token& t) {
  if (t.is_number()) return t.text;
  if (t.text == "one" || t.text == "یک") return {};
  if (std::optional<long> n = small_number(t)) return std::to_string(*n);
  return {};
}

void put(mark& m, const sense& s) {
  auto first = [](int& slot, std::uint32_t index) {
    if (slot < 0) slot = static_cast<int>(index);
  };
  switch (s.kind) {
    case sense_kind::grammar:
      if (std::find(m.grams.begin(), m.grams.end(), s.word) == m.grams.end()) m.grams.push_back(s.word);
      break;
    case sense_kind::metric: first(m.metric, s.index); break;
    case sense_kind::verb: first(m.verb, s.index); break;
    case sense_kind::dimension: first(m.dimension, s.index); break;
    case sense_kind::attribute: first(m.attribute, s.index); break;
    case sense_kind::event: first(m.event, s.index); break;
    case sense_kind::negated_event: first(m.negated_event, s.index); break;
    case sense_kind::detail: first(m.detail, s.index); break;
    case sense_kind::unit: first(m.unit, s.index); break;
    case sense_kind::out_of_scope: first(m.out_of_scope, s.index); break;
    case sense_kind::off_topic: first(m.off_topic, s.index); break;
    case sense_kind::sensitive: first(m.sensitive, s.index); break;
    case sense_kind::value: m.values.push_back(s); break;
  }
}

// A word that is itself a noun of the layer is singular, whatever it ends in ("استان").
bool is_plural(const token& t, const lexicon& lex) {
  if (t.forms.size() < 2) return false;
  if (has_persian_letters(t.text)) {
    const std::vector<sense> own = lex.exactly(t.text);
    if (t.text.ends_with("ان") &&
        std::any_of(own.begin(), own.end(), [](const sense& s) { return s.kind == sense_kind::dimension; })) {
      return false;
    }
    for (std::string_view end : {"ها", "های", "هایی", "ان", "ات", "هایشان", "انی", "ایی", "یا"}) {
      if (t.text.size() > end.size() + 3 && t.text.ends_with(end)) return true;
    }
    return false;
  }
  return t.text.ends_with("s");
}

// Covers the tokens; positions that nothing covers become marks without any sense.
std::vector<mark> cover(const tokens& words, const lexicon& lex, const time_context& time) {
  const std::size_t n = words.size();
  std::vector<std::vector<mark>> candidates(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto at_length = [&](std::size_t length) -> mark& {
      for (mark& m : candidates[i]) {
        if (m.length == length) return m;
      }
      mark m;
      m.at = i;
      m.length = length;
      candidates[i].push_back(m);
      return candidates[i].back();
    };
    for (const phrase_match& p : lex.at(words, i)) {
      mark& m = at_length(p.length);
      for (const sense& s : p.senses) put(m, s);
    }
    if (std::optional<time_match> t = match_time(words, i, time)) at_length(t->length).time = t;
    // A grain alone stays possible where a longer time expression begins.
    if (std::string number = number_text(words[i]); !number.empty()) at_length(1).number = number;
  }
  std::vector<int> cost(n + 1, std::numeric_limits<int>::max());
  std::vector<const mark*> choice(n, nullptr);
  cost[n] = 0;
  for (std::size_t i = n; i-- > 0;) {
    cost[i] = cost[i + 1] + cost_unknown;
    for (const mark& m : candidates[i]) {
      bool partial =
          m.length == 1 && !m.values.empty() && m.grams.empty() && !m.has_noun() && !m.time &&
          std::all_of(m.values.begin(), m.values.end(), [](const sense& s) { return s.level >= match_level::part; });
      bool name = m.length > 1 && std::any_of(m.values.begin(), m.values.end(),
                                              [](const sense& s) { return s.level == match_level::whole; });
      int total = cost[i + m.length] + (partial         ? cost_partial_value
                                        : name          ? cost_name
                                        : m.is_filler() ? cost_filler
                                                        : cost_mark);
      if (total < cost[i] || (total == cost[i] && choice[i] != nullptr && m.length > choice[i]->length)) {
        cost[i] = total;
        choice[i] = &m;
      }
    }
  }
  std::vector<mark> out;
  for (std::size_t i = 0; i < n;) {
    mark m;
    if (choice[i] != nullptr) {
      m = *choice[i];
    } else {
      m.at = i;
      m.length = 1;
    }
    m.break_before = words[i].break_before;
    for (std::size_t k = i; k < i + m.length; ++k) m.words += (k > i ? " " : "") + words[k].raw;
    m.plural = is_plural(words[i + m.length - 1], lex) || (m.length > 1 && is_plural(words[i], lex));
    i += m.length;
    out.push_back(std::move(m));
  }
  return out;
}

bool senseless(const mark& m) {
  return m.grams.empty() && !m.has_noun() && m.verb < 0 && m.event < 0 && m.negated_event < 0 && m.unit < 0 &&
         m.out_of_scope < 0 && m.off_topic < 0 && m.sensitive < 0 && m.values.empty() && !m.time && m.number.empty();
}

}  // namespace

bool mark::is(gram g) const {
  return std::find(grams.begin(), grams.end(), g) != grams.end();
}

bool mark::is_filler() const {
  return !has_noun() && verb < 0 && event < 0 && negated_event < 0 && values.empty() && !time && number.empty() &&
         unit < 0 && !grams.empty() &&
         std::all_of(grams.begin(), grams.end(), [](gram g) { return g == gram::stop || g == gram::preposition; });
}

reading read_question(std::string_view question, const lexicon& lex, const time_context& time) {
  reading r;
  r.words = tokenise(question);
  r.marks = cover(r.words, lex, time);
  bool changed = false;
  for (const mark& m : r.marks) {
    if (!senseless(m)) continue;
    token& t = r.words[m.at];
    std::string better = lex.correct(t.text);
    for (std::size_t f = 1; better.empty() && f < t.forms.size(); ++f) better = lex.correct(t.forms[f]);
    if (better.empty()) continue;
    r.corrections.emplace_back(t.raw, better);
    t.text = better;
    t.forms = word_forms(better);
    t.corrected = true;
    changed = true;
  }
  if (changed) r.marks = cover(r.words, lex, time);
  for (const mark& m : r.marks) {
    if (senseless(m)) r.unknown.push_back(m.words);
  }
  return r;
}

}  // namespace dragoman::nlq
