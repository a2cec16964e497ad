#include "retrieval/value_index.h"

#include <algorithm>
#include <optional>

#include "retrieval/terms.h"

namespace dragoman::retrieval {
namespace {

constexpr std::size_t words_max = 8;
constexpr std::size_t near_letters_min = 5;  // shorter words have too many neighbours
constexpr std::size_t near_letters_max = 40;
constexpr std::size_t near_max = 3;  // phrases that one slip may stand for

std::string joined(const std::vector<std::string>& terms, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = from; i < from + count; ++i) out += (i == from ? "" : " ") + terms[i];
  return out;
}

// Terms are well-formed UTF-8.
std::u32string letters_of(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t size = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    char32_t letter = size == 1 ? c : c & (0xFFu >> (size + 1));
    for (std::size_t k = 1; k < size && i + k < text.size(); ++k)
      letter = letter << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
    out += letter;
    i += size;
  }
  return out;
}

std::uint64_t hash_without(const std::u32string& letters, std::size_t left_out) {
  std::uint64_t h = 1469598103934665603ull;
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (i != left_out) h = (h ^ letters[i]) * 1099511628211ull;
  return h;
}

bool is_digit(char32_t c) noexcept {
  return c >= U'0' && c <= U'9';
}

std::u32string digits_of(const std::u32string& letters) {
  std::u32string out;
  std::copy_if(letters.begin(), letters.end(), std::back_inserter(out), is_digit);
  return out;
}

// One letter wrong, missing, too many, or two neighbours exchanged; digits as they are.
bool one_slip(const std::u32string& a, const std::u32string& b) {
  if (a.size() + 1 < b.size() || b.size() + 1 < a.size() || digits_of(a) != digits_of(b)) return false;
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const std::size_t left_a = a.size() - head - tail;
  const std::size_t left_b = b.size() - head - tail;
  if (left_a <= 1 && left_b <= 1) return true;
  return left_a == 2 && left_b == 2 && a[head] == b[head + 1] && a[head + 1] == b[head];
}

bool may_slip(const std::u32string& letters) {
  const auto plain = static_cast<std::size_t>(
      std::count_if(letters.begin(), letters.end(), [](char32_t c) { return c != U' ' && !is_digit(c); }));
  return plain >= near_letters_min && letters.size() <= near_letters_max;
}

}  // namespace

std::shared_ptr<const value_index> value_index::build(catalog::database_ptr database,
                                                      const std::vector<value_alias>& aliases) {
  auto index = std::make_shared<value_index>();
  for (std::size_t t = 0; t < database->tables.size(); ++t) {
    const auto& columns = database->tables[t].columns;
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (const std::string& sample : columns[c].samples) index->add(sample, {t, c, sample});
  }
  for (const value_alias& alias : aliases) {
    const std::size_t dot = alias.column.table.find('.');
    if (dot == std::string::npos) continue;
    const auto t = database->table_index(alias.column.table.substr(0, dot), alias.column.table.substr(dot + 1));
    const auto c = t ? database->tables[*t].column_index(alias.column.column) : std::nullopt;
    if (c) index->add(alias.phrase, {*t, *c, alias.value});
  }
  index->index_slips();
  return index;
}

void value_index::add(std::string_view phrase, value_match match) {
  const auto terms = terms_of(phrase);
  if (terms.empty() || terms.size() > words_max || (terms.size() == 1 && is_stop_word(terms[0]))) return;
  auto& found = by_words_[joined(terms, 0, terms.size())];
  if (std::find(found.begin(), found.end(), match) == found.end()) found.push_back(std::move(match));
  longest_ = std::max(longest_, terms.size());
}

void value_index::index_slips() {
  for (const auto& entry : by_words_) {
    const std::u32string letters = letters_of(entry.first);
    if (!may_slip(letters)) continue;
    const auto place = static_cast<std::uint32_t>(phrases_.size());
    phrases_.push_back(&entry);
    for (std::size_t left_out = 0; left_out <= letters.size(); ++left_out)
      slips_.emplace_back(hash_without(letters, left_out), place);
  }
  std::sort(slips_.begin(), slips_.end());
}

std::vector<const value_index::list*> value_index::near(const std::string& phrase) const {
  const std::u32string letters = letters_of(phrase);
  std::vector<std::uint32_t> found;
  if (!may_slip(letters)) return {};
  for (std::size_t left_out = 0; left_out <= letters.size(); ++left_out) {
    const std::uint64_t hash = hash_without(letters, left_out);
    for (auto at = std::lower_bound(slips_.begin(), slips_.end(), std::pair(hash, std::uint32_t{0}));
         at != slips_.end() && at->first == hash; ++at)
      if (std::find(found.begin(), found.end(), at->second) == found.end() &&
          one_slip(letters, letters_of(phrases_[at->second]->first)))
        found.push_back(at->second);
  }
  if (found.size() > near_max) return {};
  std::sort(found.begin(), found.end(),
            [&](std::uint32_t a, std::uint32_t b) { return phrases_[a]->first < phrases_[b]->first; });
  std::vector<const list*> out;
  for (const std::uint32_t place : found) out.push_back(&phrases_[place]->second);
  return out;
}

std::vector<value_match> value_index::find(std::string_view question, const table_scope& scope,
                                           std::size_t limit) const {
  const auto terms = terms_of(question);
  std::vector<value_match> out;
  const auto take = [&](const list& matches) {
    bool any = false;
    for (const value_match& m : matches) {
      if (scope.right(m.table, m.column) != column_right::visible || !scope.sees(m.table)) continue;
      any = true;
      if (out.size() < limit && std::find(out.begin(), out.end(), m) == out.end()) out.push_back(m);
    }
    return any;
  };
  const auto exact = [&](std::size_t at) -> std::size_t {
    for (std::size_t count = std::min(longest_, terms.size() - at); count > 0; --count)
      if (const auto found = by_words_.find(joined(terms, at, count)); found != by_words_.end() && take(found->second))
        return count;
    return 0;
  };
  const auto slipped = [&](std::size_t at) -> std::size_t {
    if (is_stop_word(terms[at])) return 0;
    for (std::size_t count = std::min(longest_, terms.size() - at); count > 0; --count) {
      bool any = false;
      for (const list* matches : near(joined(terms, at, count))) any = take(*matches) || any;
      if (any) return count;
    }
    return 0;
  };
  for (std::size_t at = 0; at < terms.size() && out.size() < limit;) {
    std::size_t taken = exact(at);
    if (taken == 0) taken = slipped(at);
    at += std::max<std::size_t>(taken, 1);
  }
  return out;
}

}  // namespace dragoman::retrieval
