// Values of the question found in the catalogue's samples, and by the words that the semantic layer has for them:
// "Trader" is a Segment of sales.Customer.
//
// Both sides go through the same normal form (terms.h), so that Arabic and Persian letters, digits of any script and
// plurals meet. A word that is no value is tried once more with one letter wrong, missing, too many or two of them
// exchanged; digits are never guessed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "guard/catalog/catalog.h"
#include "retrieval/table_index.h"

namespace dragoman::retrieval {

struct value_match {
  std::size_t table = 0;
  std::size_t column = 0;
  std::string value;  // as stored
  bool operator==(const value_match&) const = default;
};

// Words of people for a stored value: "معامله‌گر" for "Trader".
struct value_alias {
  std::string phrase;
  column_name column;
  std::string value;  // as stored
};

class value_index {
 public:
  // An alias of a column that the catalogue does not have is left out.
  static std::shared_ptr<const value_index> build(catalog::database_ptr, const std::vector<value_alias>& = {});
  // Longest matches first where they overlap, exact ones before near ones; only of visible columns; at most `limit`, in
  // the order of the question.
  std::vector<value_match> find(std::string_view question, const table_scope&, std::size_t limit = 12) const;

 private:
  using list = std::vector<value_match>;
  void add(std::string_view phrase, value_match);
  void index_slips();
  // The stored phrases one slip away; none for short ones and where more than a few would fit.
  std::vector<const list*> near(const std::string& phrase) const;

  std::unordered_map<std::string, list> by_words_;  // normal form of the whole value
  std::vector<const std::pair<const std::string, list>*> phrases_;
  // Hashes of a phrase and of all it becomes without one letter, each with its place in phrases_; sorted. Two phrases
  // one slip apart share one.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> slips_;
  std::size_t longest_ = 0;  // in words
};

}  // namespace dragoman::retrieval
