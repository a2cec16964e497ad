#include "retrieval/terms.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dragoman::retrieval {
namespace {

constexpr char32_t broken = 0xFFFD;

char32_t next(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 && lead < 0xF8   ? 3
                   : lead >= 0xE0 && lead < 0xF0 ? 2
                   : lead >= 0xC2 && lead < 0xE0 ? 1
                                                 : 0;
  if (more == 0) return broken;
  char32_t c = lead & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) return broken;
    c = c << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  }
  return c;
}

void put(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

enum class kind { separator, dropped, lower, upper, digit };

// The letter in its normal form, and what it is.
kind fold(char32_t& c) {
  if (c < 0x80) {
    if (c >= 'a' && c <= 'z') return kind::lower;
    if (c >= 'A' && c <= 'Z') return c += 32, kind::upper;
    if (c >= '0' && c <= '9') return kind::digit;
    return kind::separator;
  }
  if (c >= 0x06F0 && c <= 0x06F9) return c = '0' + (c - 0x06F0), kind::digit;
  if (c >= 0x0660 && c <= 0x0669) return c = '0' + (c - 0x0660), kind::digit;
  if (c == 0x064A || c == 0x0649) return c = 0x06CC, kind::lower;
  if (c == 0x0643) return c = 0x06A9, kind::lower;
  if (c == 0x0622 || c == 0x0623 || c == 0x0625) return c = 0x0627, kind::lower;
  if (c == 0x0629 || c == 0x06C0) return c = 0x0647, kind::lower;
  if ((c >= 0x064B && c <= 0x065F) || c == 0x0670 || c == 0x0640 || c == 0x200D || c == 0xFEFF) return kind::dropped;
  if (c == broken || c == 0x200C || c == 0x060C || c == 0x061B || c == 0x061F || (c >= 0x2000 && c <= 0x206F) ||
      (c >= 0x3000 && c <= 0x303F) || c == 0xA0 || c == 0xAB || c == 0xBB)
    return kind::separator;
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7)) return c += 32, kind::upper;
  if (c >= 0x0391 && c <= 0x03A9) return c += 32, kind::upper;
  if (c >= 0x0410 && c <= 0x042F) return c += 32, kind::upper;
  return kind::lower;
}

bool ascii(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string singular(std::string word) {
  if (!ascii(word) || word.size() < 4) return word;
  if (word.ends_with("ies")) return word.substr(0, word.size() - 3) + "y";
  for (std::string_view end : {"sses", "shes", "ches", "xes", "uses"})
    if (word.ends_with(end)) return word.substr(0, word.size() - 2);
  if (word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")) word.pop_back();
  return word;
}

constexpr auto stop_words = std::to_array<std::string_view>(
    {"a",     "about", "all", "an",     "and",   "any",   "are",  "as",   "at",    "be",    "been",  "by",    "can",
     "could", "did",   "do",  "doe",    "each",  "every", "find", "for",  "from",  "get",   "give",  "had",   "has",
     "have",  "how",   "i",   "in",     "is",    "it",    "list", "many", "me",    "much",  "my",    "of",    "on",
     "or",    "our",   "per", "please", "show",  "tell",  "that", "the",  "their", "them",  "there", "these", "they",
     "this",  "those", "to",  "us",     "was",   "we",    "were", "what", "when",  "where", "which", "who",   "whose",
     "with",  "you",   "است", "از",     "این",   "ان",    "با",   "به",   "بر",    "بده",   "برای",  "تا",    "در",
     "را",    "رو",    "شد",  "شده",    "شود",   "که",    "کدام", "کن",   "ما",    "من",    "می",    "نشان",  "و",
     "هر",    "همه",   "ها",  "های",    "هستند", "چقدر",  "چند",  "چه",   "چیست",  "یا",    "یک",    "کل"});

}  // namespace

std::vector<std::string> terms_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  kind before = kind::separator;
  auto end = [&] {
    if (!word.empty()) {
      // A Persian plural written onto its word.
      static constexpr std::string_view ha = "ها", haye = "های";
      if (word.size() > haye.size() + 2 && word.ends_with(haye))
        word.resize(word.size() - haye.size());
      else if (word.size() > ha.size() + 2 && word.ends_with(ha))
        word.resize(word.size() - ha.size());
      out.push_back(singular(std::move(word)));
    }
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    char32_t c = next(text, at);
    const kind now = fold(c);
    if (now == kind::dropped) continue;
    if (now == kind::separator) {
      end();
    } else {
      const bool digits_edge = (now == kind::digit) != (before == kind::digit) && before != kind::separator;
      bool hump = now == kind::upper && before == kind::lower;
      if (now == kind::upper && before == kind::upper && at < text.size()) {
        // The last capital of a run begins a word: "XMLFile" is xml, file.
        std::size_t peek = at;
        char32_t following = next(text, peek);
        hump = fold(following) == kind::lower && following != 's';
      }
      if (hump || digits_edge) end();
      put(word, c);
    }
    before = now;
  }
  end();
  return out;
}

std::vector<std::string> with_bigrams(const std::vector<std::string>& terms) {
  std::vector<std::string> out = terms;
  for (std::size_t i = 0; i + 1 < terms.size(); ++i) out.push_back(terms[i] + " " + terms[i + 1]);
  return out;
}

bool is_stop_word(std::string_view term) {
  return std::find(stop_words.begin(), stop_words.end(), term) != stop_words.end();
}

}  // namespace dragoman::retrieval
