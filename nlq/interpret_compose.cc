// "how many of them are in Tehran?", "which of those had more than 10 orders?", "their orders by month": asked only of
// what the last answer showed. A follow-up that merely names another slot ("only Tehran", "by volume instead") is not
// one.

#include <algorithm>
#include <set>

#include "base/question_limits.h"
#include "nlq/interpreter.h"

namespace dragoman::nlq {
namespace {

// Of people and things, never of the answer as a whole; Persian writes them with blanks, joiners or without.
bool members_word(std::string words) {
  for (std::size_t at; (at = words.find("\u200c")) != words.npos;) words.replace(at, 3, " ");
  for (char& c : words) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  static const std::set<std::string> known{"they",  "them",   "their", "آن ها", "آنها", "آنها را", "اون ها",
                                           "اونها", "این ها", "اینها", "اینا",  "اونا", "ایشان",   "آنان"};
  return known.contains(words);
}

// Plural words only: "it" and "that" are the answer as a whole.
bool points_at_members(const mark& m) {
  return members_word(m.words) || (m.is(gram::pronoun) && (m.words == "those" || m.words == "these"));
}

// "سفارش‌هایشان": the pronoun is the noun's ending.
bool owned_by_members(const mark& m) {
  if (m.metric < 0 && m.detail < 0) return false;
  return m.words.ends_with("شان") || m.words.ends_with("شون");
}

bool demonstrative(const mark& m) {
  static const std::set<std::string> words{"these", "those", "same", "the same", "این", "آن", "همین", "همان"};
  return words.contains(m.words);
}

std::size_t depth(const query_intent& q) {
  std::size_t out = 1;
  for (const query_intent* at = &q; !at->among.empty(); at = &at->among.front()) ++out;
  return out;
}

}  // namespace

// "customers who bought steel, and how many orders they placed": named in the question itself. What is counted or asked
// for in front of a verb ("how many brokers do they use", "which suppliers do they buy from"), what they own in Persian
// ("مشتریان آنها"), and orders, which place nothing, are not they.
bool interpreter::answers_within(index pronoun) const {
  const index before = previous(pronoun);
  for (index k = 0; k < pronoun; ++k) {
    if (m_[k].filter >= 0 || k == before || counting(k)) continue;
    if (m_[k].dimension >= 0) return true;
    if (m_[k].detail >= 0 && !fa() && m_[pronoun].words != "they") return true;
  }
  return false;
}

// A word for the members of the last answer that nothing has taken: an answer about everybody would be another one.
bool interpreter::forgets_members(const query_intent& last) const {
  const auto member = [&](const mark& m) {
    return m.dimension >= 0 && std::any_of(last.groups.begin(), last.groups.end(),
                                           [&](const group& g) { return g.dimension == dim(m.dimension).id; });
  };
  if (last.groups.empty()) return false;
  const bool asked = std::any_of(m_.begin(), m_.end(), [](const mark& m) {
    return m.filter < 0 && (m.metric >= 0 || m.detail >= 0 || m.dimension >= 0);
  });
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    if (asked && members_word(m_[i].words) && !answers_within(i)) return true;
    // "the others", "کارگزاران دیگر": everybody but those.
    if (m_[i].is(gram::pronoun) && m_[i].words.find("other") != std::string::npos) return true;
    if ((m_[i].words == "دیگر" || m_[i].words == "دیگه") && i > 0 && member(m_[i - 1])) return true;
  }
  return false;
}

// Takes the words that say so. False: the question is about something else, or the last answer has no members.
bool interpreter::composes(const query_intent& last) {
  std::vector<const group*> members;
  for (const group& g : last.groups) {
    if (!g.time) members.push_back(&g);
  }
  if (members.empty() || last.count_members) return false;
  const bool chosen = last.top || !last.conditions.empty() || !last.among.empty() || last.change_op ||
                      last.compare == compare_kind::second_greater || last.compare == compare_kind::second_less ||
                      last.shape == query_shape::existence || last.shape == query_shape::list;

  index words = nowhere, noun = nowhere;
  for (index i = 0; i < m_.size() && words == nowhere; ++i) {
    const mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    const index after = i + 1;
    const bool member_noun = after < m_.size() && m_[after].dimension >= 0 && m_[after].plural &&
                             m_[after].filter < 0 && !m_[after].break_before &&
                             std::any_of(members.begin(), members.end(),
                                         [&](const group* g) { return g->dimension == dim(m_[after].dimension).id; });
    if (m.is(gram::of_those) && !has_antecedent(i)) {
      words = i;
      if (member_noun) noun = after;
    } else if (member_noun && demonstrative(m)) {
      words = i;
      noun = after;
    }
  }
  bool counts = words != nowhere && m_[words].is(gram::how_many);
  if (words != nowhere && !counts) {
    const index before = previous(words);
    counts = before != nowhere && m_[before].is(gram::how_many) && !m_[before].used;
    if (counts) m_[before].used = true;
  }
  if (words == nowhere && chosen && !any(gram::also) && !any(gram::instead) && !widens()) {
    // "how many orders did they place": of the five that were shown, not of everybody anew.
    for (index i = 0; i < m_.size() && words == nowhere; ++i) {
      if (owned_by_members(m_[i])) {
        composed_on_ = *members.front();
        return members.size() == 1 && depth(last) <= limits::composed_questions_max;
      }
      if (m_[i].used || m_[i].filter >= 0 || !points_at_members(m_[i])) continue;
      if (answers_within(i)) continue;
      const bool asked = std::any_of(m_.begin(), m_.end(), [](const mark& m) {
        return m.filter < 0 && (m.metric >= 0 || m.verb >= 0 || m.detail >= 0 || m.dimension >= 0);
      });
      if (asked) words = i;
    }
    if (words != nowhere && members.size() != 1) return false;
  }
  if (words == nowhere) return false;
  const group* on = members.size() == 1 ? members.front() : nullptr;
  for (const group* g : members) {
    if (noun != nowhere && g->dimension == dim(m_[noun].dimension).id) on = g;
  }
  if (on == nullptr || depth(last) > limits::composed_questions_max) return false;
  composed_on_ = *on;
  count_composed_ = counts;
  m_[words].used = true;
  if (noun != nowhere) m_[noun].used = true;
  return true;
}

// The last question with its choice of members taken out of it and put below it.
query_intent interpreter::narrowed(const query_intent& last) const {
  query_intent out = last;
  out.among = {last};
  out.among_dimension = composed_on_->dimension;
  out.among_role = composed_on_->role;
  out.top.reset();
  out.conditions.clear();
  out.groups = {*composed_on_};
  out.share = share_kind::none;
  out.window = window_kind::none;
  out.compare = compare_kind::none;
  out.change_op.reset();
  return out;
}

void interpreter::compose(const query_intent& answered) {
  // After "how many of them", they are still those that were counted.
  query_intent last = answered;
  last.count_rows = false;
  const bool measured = std::any_of(m_.begin(), m_.end(), [&](const mark& m) {
    return !m.used && m.filter < 0 &&
           (m.metric >= 0 || m.detail >= 0 || (m.dimension >= 0 && dim(m.dimension).id != composed_on_->dimension));
  });
  const bool chosen = last.top || !last.conditions.empty() || !last.among.empty() || last.compare != compare_kind::none;
  if (!measured) {
    // Nothing new is measured: the same rows, or their number, under one more condition. Those of a list or of an
    // existence question hold that condition themselves.
    query_intent base = chosen ? narrowed(last) : last;
    follow_frame(base);
    q_.count_rows = count_composed_;
    return;
  }
  // Of members, single orders are asked for as their number.
  for (mark& m : m_) {
    if (m.used || m.filter >= 0 || m.detail < 0) continue;
    const std::string& counted = layer_.details[static_cast<std::size_t>(m.detail)].entity;
    for (std::size_t k = 0; k < layer_.metrics.size() && m.metric < 0; ++k) {
      if (layer_.metrics[k].id == counted) m.metric = static_cast<int>(k);
    }
    if (m.metric >= 0) m.detail = -1;
  }
  fresh_frame();
  if (out_.ask) return;
  q_.among = {last};
  q_.among_dimension = composed_on_->dimension;
  q_.among_role = composed_on_->role;
  out_.kind = turn::refine;
  q_.lang = lang_;
  if (q_.periods.empty() && !last.periods.empty() && last.compare == compare_kind::none) {
    q_.periods = last.periods;
    assume(say("the period of the last question is kept", "دوره پرسش پیشین حفظ شد"));
  }
  for (const value_filter& f : last.filters) {
    const bool named = std::any_of(q_.filters.begin(), q_.filters.end(),
                                   [&](const value_filter& x) { return x.dimension == f.dimension; });
    if (!named) q_.filters.push_back(f);
  }
  // Whose figures they are is shown, unless they are asked for as one.
  bool together = any(gram::total);
  for (const mark& m : m_) together = together || m.is(gram::total);
  if (q_.shape == query_shape::aggregate && q_.groups.empty() && !together && !count_composed_)
    q_.groups.push_back(*composed_on_);
  if (count_composed_) {
    if (q_.groups.empty()) q_.groups.push_back(*composed_on_);
    q_.count_rows = true;
  }
  take_conditions();  // "more than 10 orders" is a threshold on each of them
}

}  // namespace dragoman::nlq
