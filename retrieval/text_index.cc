#include "retrieval/text_index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "retrieval/terms.h"

namespace dragoman::retrieval {
namespace {

constexpr double bigram_weight = 1.5;

// Words and bigrams that tell something; sums over them must not depend on a hash's order.
std::map<std::string, double> weighted_terms(const std::vector<std::string>& terms) {
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool stop = is_stop_word(terms[i]);
    if (!stop) out[terms[i]] += 1;
    if (i + 1 < terms.size() && !(stop && is_stop_word(terms[i + 1])))
      out[terms[i] + " " + terms[i + 1]] += bigram_weight;
  }
  return out;
}

float length_of(const std::vector<float>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0f));
}

}  // namespace

double text_index::idf(const std::vector<posting>& list) const noexcept {
  return std::log(1.0 + static_cast<double>(owner_.size()) / static_cast<double>(list.size()));
}

std::shared_ptr<const text_index> text_index::build(std::vector<text_entry> entries, likeness how) {
  auto index = std::make_shared<text_index>();
  index->likeness_ = how;
  index->entries_ = std::move(entries);
  std::vector<std::map<std::string, double>> words;
  for (std::uint32_t e = 0; e < index->entries_.size(); ++e) {
    const text_entry& entry = index->entries_[e];
    for (const std::string& text : entry.texts) {
      words.push_back(weighted_terms(terms_of(text)));
      for (const auto& [term, weight] : words.back())
        index->postings_[term].push_back(
            {static_cast<std::uint32_t>(index->owner_.size()), static_cast<float>(weight)});
      index->owner_.push_back(e);
    }
    for (const std::string& text : entry.phrases) {
      auto terms = terms_of(text);
      // A phrase of nothing but such words stands in every question.
      if (std::all_of(terms.begin(), terms.end(), [](const std::string& t) { return is_stop_word(t); })) continue;
      auto& list = index->phrases_[terms[0]];
      if (std::none_of(list.begin(), list.end(), [&](const phrase& p) { return p.entry == e && p.terms == terms; }))
        list.push_back({std::move(terms), e});
    }
  }
  for (const auto& of_text : words) {
    double sum = 0;
    for (const auto& [term, weight] : of_text) {
      const double w = weight * index->idf(index->postings_.at(term));
      sum += w * w;
    }
    index->length_.push_back(std::sqrt(sum));
  }
  return index;
}

std::vector<ranked_text> text_index::find(std::string_view question, std::size_t limit, double score_min,
                                          const std::vector<float>* question_vector) const {
  const auto terms = terms_of(question);
  std::vector<double> text_score(owner_.size(), 0);
  double asked_length = 0;
  for (const auto& [term, weight] : weighted_terms(terms)) {
    const auto found = postings_.find(term);
    // A word of no text counts against a likeness as a rare one does.
    const double rarity =
        found == postings_.end() ? std::log(1.0 + static_cast<double>(owner_.size())) : idf(found->second);
    const double asked = weight * rarity;
    asked_length += asked * asked;
    if (found == postings_.end()) continue;
    for (const posting& p : found->second)
      text_score[p.text] += likeness_ == likeness::nearest ? asked * p.weight * rarity : asked;
  }
  asked_length = std::sqrt(asked_length);
  std::vector<ranked_text> out(entries_.size());
  for (std::size_t e = 0; e < out.size(); ++e) out[e].entry = e;
  for (std::size_t t = 0; t < owner_.size(); ++t) {
    double score = text_score[t];
    if (likeness_ == likeness::nearest)
      score = score > 0 && length_[t] > 0 && asked_length > 0 ? score / (length_[t] * asked_length) : 0;
    double& best = out[owner_[t]].score;
    best = std::max(best, score);
  }
  for (std::size_t at = 0; at < terms.size(); ++at)
    if (const auto found = phrases_.find(terms[at]); found != phrases_.end())
      for (const phrase& p : found->second)
        if (at + p.terms.size() <= terms.size() &&
            std::equal(p.terms.begin(), p.terms.end(), terms.begin() + static_cast<std::ptrdiff_t>(at)))
          out[p.entry].by_phrase = true;
  if (question_vector != nullptr && !vectors_.empty()) {
    double scale = 1;
    if (likeness_ == likeness::mentions)
      for (const ranked_text& r : out) scale = std::max(scale, r.score);
    const float length = length_of(*question_vector);
    for (ranked_text& r : out) {
      const std::vector<float>& own = vectors_[r.entry];
      if (own.size() != question_vector->size() || length <= 0) continue;
      const double cosine =
          std::max(0.0f, std::inner_product(own.begin(), own.end(), question_vector->begin(), 0.0f) / length);
      r.score = likeness_ == likeness::nearest ? (r.score + cosine) / 2 : r.score + scale * cosine;
    }
  }
  std::erase_if(out, [&](const ranked_text& r) { return !r.by_phrase && (r.score <= 0 || r.score < score_min); });
  std::stable_sort(out.begin(), out.end(), [](const ranked_text& a, const ranked_text& b) {
    return a.by_phrase != b.by_phrase ? a.by_phrase : a.score > b.score;
  });
  if (out.size() > limit) out.resize(limit);
  return out;
}

std::vector<std::string> text_index::embedding_texts() const {
  std::vector<std::string> out;
  for (const text_entry& e : entries_) {
    std::string text;
    for (const std::string& t : e.texts) text += (text.empty() ? "" : "\n") + t;
    out.push_back(std::move(text));
  }
  return out;
}

std::shared_ptr<const text_index> text_index::with_vectors(std::vector<std::vector<float>> per_entry) const {
  auto out = std::make_shared<text_index>(*this);
  per_entry.resize(entries_.size());
  for (std::vector<float>& v : per_entry) {
    const float length = length_of(v);
    for (float& x : v) x = length > 0 ? x / length : 0;
  }
  out->vectors_ = std::move(per_entry);
  return out;
}

}  // namespace dragoman::retrieval
