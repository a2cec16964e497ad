#include "retrieval/value_index.h"

#include <algorithm>

#include "retrieval/terms.h"

namespace dragoman::retrieval {
namespace {

constexpr std::size_t words_max = 8;

std::string joined(const std::vector<std::string>& terms, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = from; i < from + count; ++i) out += (i == from ? "" : " ") + terms[i];
  return out;
}

}  // namespace

std::shared_ptr<const value_index> value_index::build(catalog::database_ptr database) {
  auto index = std::make_shared<value_index>();
  for (std::size_t t = 0; t < database->tables.size(); ++t) {
    const auto& columns = database->tables[t].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (const std::string& sample : columns[c].samples) {
        const auto terms = terms_of(sample);
        if (terms.empty() || terms.size() > words_max || (terms.size() == 1 && is_stop_word(terms[0]))) continue;
        auto& list = index->by_words_[joined(terms, 0, terms.size())];
        const value_match match{t, c, sample};
        if (std::find(list.begin(), list.end(), match) == list.end()) list.push_back(match);
        index->longest_ = std::max(index->longest_, terms.size());
      }
    }
  }
  return index;
}

std::vector<value_match> value_index::find(std::string_view question, const table_scope& scope,
                                           std::size_t limit) const {
  const auto terms = terms_of(question);
  std::vector<value_match> out;
  for (std::size_t at = 0; at < terms.size() && out.size() < limit;) {
    std::size_t advance = 1;
    for (std::size_t count = std::min(longest_, terms.size() - at); count > 0; --count) {
      const auto found = by_words_.find(joined(terms, at, count));
      if (found == by_words_.end()) continue;
      bool any = false;
      for (const value_match& m : found->second) {
        if (scope.right(m.table, m.column) != column_right::visible || !scope.sees(m.table)) continue;
        any = true;
        if (out.size() < limit && std::find(out.begin(), out.end(), m) == out.end()) out.push_back(m);
      }
      if (any) {
        advance = count;
        break;
      }
    }
    at += advance;
  }
  return out;
}

}  // namespace dragoman::retrieval
