// Every phrase that means something, and where it stands in a question.
//
// Built once per knowledge: the words of grammar, the semantic layer's words and the stored values. Phrases are kept
// squashed (folded, no spaces), sorted, and matched token by token through all forms of each word, so that
// "سفارش‌های لغو شده" and "سفارشهای لغوشده" meet the same entry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "nlq/grammar.h"
#include "nlq/semantics.h"
#include "nlq/text_tokens.h"

namespace dragoman::nlq {

struct value_rows;

enum class sense_kind : std::uint8_t {
  grammar,
  metric,
  verb,
  dimension,
  value,
  attribute,
  event,
  negated_event,
  detail,
  unit,
  out_of_scope,
  off_topic,
  sensitive,
};

// How exactly a phrase names a stored value.
enum class match_level : std::uint8_t { whole, core, part, weak };

struct sense {
  sense_kind kind = sense_kind::grammar;
  gram word = gram::none;
  std::uint32_t index = 0;  // into the layer's list of that kind, or into values()
  match_level level = match_level::whole;
};

// One stored value of a dimension, or one of its cases.
struct known_value {
  std::uint32_t dimension = 0;
  std::string column;  // where `stored` stands; empty for a case
  std::string stored;  // the value, or the case's id
  localized shown;
  std::uint32_t member = 0;  // values of one member (its names and codes) share it
};

struct phrase_match {
  std::size_t length = 0;  // tokens
  std::vector<sense> senses;
};

class lexicon {
 public:
  lexicon(const semantic_layer&, const std::vector<value_rows>&);

  // All phrases that begin at a token, shortest first. A phrase does not cross a comma.
  std::vector<phrase_match> at(const tokens&, std::size_t from) const;
  // The senses of one squashed phrase.
  std::vector<sense> exactly(const std::string& key) const;
  const std::vector<known_value>& values() const noexcept { return values_; }

  // The one known word that an unknown one is a slip for (spelling.h); empty when none or several fit.
  std::string correct(const std::string& folded) const;

 private:
  void add(std::string_view phrase, sense);
  void add_all(const std::vector<std::string>& phrases, sense);
  void add_words(const phrases& words, sense s);
  void add_value(const semantic_layer&, std::uint32_t dimension, const std::string& column, const std::string& stored,
                 const localized& shown, std::uint32_t member, bool is_name);
  void add_name(const dimension&, std::string_view name, std::uint32_t value);

  struct entry {
    std::string key;
    std::vector<sense> senses;
  };
  std::vector<entry> entries_;  // sorted by key once built
  std::unordered_map<std::string, std::vector<sense>> building_;
  std::vector<known_value> values_;
  std::unordered_set<std::string> weak_;       // words that alone name nothing, folded
  std::vector<std::string> vocabulary_;        // words of phrases
  std::vector<std::string> value_vocabulary_;  // words of stored names
};

}  // namespace dragoman::nlq
