// Which of a set of short texts a question is about: business rules, definitions, examples.
//
// Two tiers, as for tables: phrases that stand in the question whole, then TF-IDF over words and bigrams; vectors of an
// embedding model join the rank where there are any. What a principal may not know is not given to its index in the
// first place. Immutable, deterministic: equal scores keep the order of the entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::retrieval {

struct text_entry {
  std::vector<std::string> texts;    // its words; of several wordings the likest counts
  std::vector<std::string> phrases;  // a question that holds one of them whole is about it
};

enum class likeness : std::uint8_t {
  mentions,  // the more of the question's words it holds, the better: rules, definitions
  nearest    // the fewer other words, too: the cosine of both, from 0 to 1: questions like this one
};

struct ranked_text {
  std::size_t entry = 0;
  double score = 0;
  bool by_phrase = false;
};

class text_index {
 public:
  static std::shared_ptr<const text_index> build(std::vector<text_entry>, likeness);

  std::size_t size() const noexcept { return entries_.size(); }
  // Best first: those named by a phrase, then those that score at least `score_min`.
  std::vector<ranked_text> find(std::string_view question, std::size_t limit, double score_min = 0,
                                const std::vector<float>* question_vector = nullptr) const;

  // One text per entry, and the vectors that came back for them; an entry without one is ranked by words alone.
  std::vector<std::string> embedding_texts() const;
  std::shared_ptr<const text_index> with_vectors(std::vector<std::vector<float>> per_entry) const;
  bool has_vectors() const noexcept { return !vectors_.empty(); }

 private:
  struct posting {
    std::uint32_t text;
    float weight;
  };
  double idf(const std::vector<posting>&) const noexcept;

  std::vector<text_entry> entries_;
  likeness likeness_ = likeness::mentions;
  std::vector<std::uint32_t> owner_;  // of a text, its entry
  std::vector<double> length_;        // of a text's weighted words
  std::unordered_map<std::string, std::vector<posting>> postings_;
  struct phrase {
    std::vector<std::string> terms;
    std::uint32_t entry;
  };
  std::unordered_map<std::string, std::vector<phrase>> phrases_;  // by first term
  std::vector<std::vector<float>> vectors_;                       // of length one, or empty
};

}  // namespace dragoman::retrieval
