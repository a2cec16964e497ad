#include "retrieval/hidden_names.h"

#include "retrieval/terms.h"

namespace dragoman::retrieval {
namespace {

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return out;
}

bool of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

hidden_names::hidden_names(const catalog::database& db, const table_scope& scope) {
  std::unordered_set<std::string> seen;
  for (std::size_t t = 0; t < db.tables.size(); ++t) {
    (scope.sees(t) ? seen : names_).insert(small_letters(db.tables[t].name));
    for (std::size_t c = 0; c < db.tables[t].columns.size(); ++c)
      (scope.sees(t) && scope.sees(t, c) ? seen : names_).insert(small_letters(db.tables[t].columns[c].name));
  }
  for (const std::string& name : seen) names_.erase(name);
}

bool hidden_names::stand_in(std::string_view text) const {
  if (names_.empty()) return false;
  const auto known = [&](std::string_view name) { return names_.contains(small_letters(name)); };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      const std::size_t close = text.find(']', at);
      if (close != std::string_view::npos && known(text.substr(at + 1, close - at - 1))) return true;
      ++at;
      continue;
    }
    if (!of_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && of_name(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    // Part of a path: a full stop on either side with a name behind it.
    const bool path = (at > 0 && text[at - 1] == '.') ||
                      (end + 1 < text.size() && text[end] == '.' && (of_name(text[end + 1]) || text[end + 1] == '['));
    if ((path || terms_of(word).size() > 1) && known(word)) return true;
    at = end;
  }
  return false;
}

}  // namespace dragoman::retrieval
