// Words of a question read against the entities of a semantic layer: which span names a thing, a column, a stored
// value, a reference, or is grammar. Internal to nlq/; entity_frame.h makes a query of the marks.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/semantics.h"
#include "nlq/text_tokens.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {

enum class word_kind {
  none,
  filler,       // says nothing by itself
  relation,     // "have", "own", "offer": things that belong together, whatever the verb
  how_many,     // "how many", "number of"
  distinct,     // "different"
  aggregate,    // `text` is AVG, MIN, MAX, SUM
  superlative,  // "highest", "youngest": `text` is DESC or ASC, `heads` the columns an adjective speaks of
  most_common,
  top,      // "top" before a number
  compare,  // "more than": `text` is the operator
  more,     // "more", with "than" further on: `text` is > or <
  than,
  at_end,  // "or more" behind a number: `text` is >= or <=
  between,
  each,
  of,
  with,  // opens a clause: who, that, whose, with, where
  in,
  and_,
  or_,
  not_,
  no,  // "no", "without", "never": nothing of what follows exists
  both,
  but,
  order_by,
  ordered,  // "in … order"
  ascending,
  descending,
  alphabetical,
  reverse,
  years_old,
  contains,  // "containing the word"
  named,
  measure,    // "how old": `heads` are the columns that answer it
  which,      // "what", "which": what follows is asked for
  everything  // "all the information"
};

struct field_ref {
  int entity = -1;
  int field = -1;
  bool operator==(const field_ref&) const = default;
};
struct stored_value {
  field_ref where;
  std::string value;
  bool operator==(const stored_value&) const = default;
};
struct reference_ref {
  int entity = -1;
  int reference = -1;
  bool operator==(const reference_ref&) const = default;
};

struct word_mark {
  std::size_t first = 0, count = 1;  // tokens
  std::string raw;
  bool break_before = false;
  word_kind kind = word_kind::none;
  std::string text;                // argument of the kind
  std::vector<std::string> heads;  // columns an adjective speaks of
  std::vector<int> entities;
  std::vector<field_ref> fields;
  std::vector<stored_value> values;
  std::vector<reference_ref> references;
  std::vector<field_ref> hints;  // a verb that shares its stem with a name: field -1 means the entity itself
  std::string number;            // decimal digits
  bool quoted = false;           // `text` as written between quotes
  bool used = false;

  bool is(word_kind k) const noexcept { return kind == k; }
  bool noun() const noexcept { return !entities.empty() || !fields.empty(); }
  bool known() const noexcept {
    return kind != word_kind::none || noun() || !values.empty() || !references.empty() || !hints.empty() ||
           !number.empty() || quoted;
  }
};

// Built once per data source.
class entity_lexicon {
 public:
  entity_lexicon(const semantic_layer& layer, const std::vector<value_rows>& values);
  // `corrections` receives one sentence per word that was read as another one.
  std::vector<word_mark> read(std::string_view question, std::vector<std::string>* corrections = nullptr) const;
  bool empty() const noexcept { return empty_; }
  // Whether any of the words of a field is (or ends in) this word.
  bool speaks_of(const field_ref& f, std::string_view head) const;

 private:
  struct meaning {
    std::vector<int> entities;
    std::vector<field_ref> fields;
    std::vector<reference_ref> references;
  };
  void spread_heads(std::vector<token>& words) const;
  std::optional<std::string> corrected(const std::string& word) const;
  void add_phrase(const std::string& phrase, int entity, int field, int reference);
  void add_values(const value_rows& rows);

  const semantic_layer& layer_;
  bool empty_ = true;
  std::map<std::string, meaning, std::less<>> nouns_;                 // canonical words
  std::map<std::string, std::string, std::less<>> squashed_;          // without spaces → canonical words
  std::map<std::string, meaning, std::less<>> stems_;                 // the same by stems, for whole phrases
  std::map<std::string, std::vector<field_ref>, std::less<>> hints_;  // stem of any one word
  std::map<std::string, std::vector<stored_value>, std::less<>> values_;
  std::set<std::string, std::less<>> value_words_;
  std::set<std::string, std::less<>> vocabulary_;  // words of names, for slips of fingers
  std::size_t longest_ = 7;                        // words of the longest phrase; grammar has some of seven
};

// "countries" → "country", "people" → "person".
std::string singular(const std::string& folded_word);
// "opening", "opened", "opens" → "open". Empty for words too short to have one.
std::string verb_stem(const std::string& folded_word);

// The value query of one entity field has this as its dimension.
std::string value_source_of(const entity& e, const entity_field& f);

}  // namespace dragoman::nlq
