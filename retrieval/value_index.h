// Values of the question found in the catalogue's samples: "Trader" is a Segment of sales.Customer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
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

class value_index {
 public:
  static std::shared_ptr<const value_index> build(catalog::database_ptr);
  // Longest matches first where they overlap; only of visible columns; at most `limit`, in the order of the question.
  std::vector<value_match> find(std::string_view question, const table_scope&, std::size_t limit = 12) const;

 private:
  std::unordered_map<std::string, std::vector<value_match>> by_words_;  // normal form of the whole value
  std::size_t longest_ = 0;                                             // in words
};

}  // namespace dragoman::retrieval
