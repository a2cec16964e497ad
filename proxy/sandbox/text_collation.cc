#include "proxy/sandbox/text_collation.h"

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>
#include <unicode/ucol.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace dragoman::sandbox {
namespace {

constexpr char32_t table_size = 0x10000;

// weight = rank of the primary key << 12 | rank of the secondary key among the same primary. Code points outside of the
// scripts below stand for themselves, above all ranks.
class weight_table {
 public:
  weight_table() : weights_(table_size) {
    for (char32_t c = 0; c < table_size; ++c) weights_[c] = high_bit | c;
    UErrorCode status = U_ZERO_ERROR;
    UCollator* collator = ucol_open("", &status);
    if (U_FAILURE(status)) return;
    std::map<std::string, std::map<std::string, std::vector<char32_t>>> order;
    const auto add = [&](char32_t first, char32_t last) {
      for (char32_t c = first; c <= last; ++c) {
        if (u_charType(static_cast<UChar32>(c)) == U_UNASSIGNED) continue;
        UChar unit = static_cast<UChar>(c);
        ucol_setStrength(collator, UCOL_PRIMARY);
        std::string primary = key(collator, unit);
        ucol_setStrength(collator, UCOL_SECONDARY);
        order[std::move(primary)][key(collator, unit)].push_back(c);
      }
    };
    add(0x0001, 0x058F);  // Latin, Greek, Cyrillic, Armenian
    add(0x0590, 0x08FF);  // Hebrew, Arabic and its supplements
    add(0x1E00, 0x206F);  // Latin additional, Greek extended, punctuation
    add(0x20A0, 0x20CF);  // currencies
    add(0xFB50, 0xFEFF);  // Arabic presentation forms
    weight primary_rank = 0;
    for (const auto& [primary, seconds] : order) {
      const bool ignored = primary.empty();
      if (!ignored) ++primary_rank;
      weight secondary_rank = 0;
      for (const auto& [secondary, members] : seconds) {
        for (const char32_t c : members) {
          // Marks without a letter of their own keep a weight; what has none at all (joiners, controls) is ignored.
          weights_[c] = ignored && secondary.size() <= 1 ? 0 : (primary_rank << 12) | (secondary_rank & 0xFFF);
        }
        ++secondary_rank;
      }
    }
    ucol_close(collator);
    weights_[' '] = 1;  // below everything that counts
  }

  weight operator[](char32_t c) const noexcept { return c < table_size ? weights_[c] : high_bit | c; }

 private:
  static constexpr weight high_bit = 0x8000'0000u;

  static std::string key(const UCollator* collator, UChar unit) {
    std::array<std::uint8_t, 64> buffer{};
    const int32_t size = ucol_getSortKey(collator, &unit, 1, buffer.data(), static_cast<int32_t>(buffer.size()));
    std::string out(reinterpret_cast<const char*>(buffer.data()),
                    static_cast<std::size_t>(std::min<int32_t>(size, static_cast<int32_t>(buffer.size()))));
    while (!out.empty() && (out.back() == '\0' || out.back() == '\1')) out.pop_back();
    return out;
  }

  std::vector<weight> weights_;
};

const weight_table& weights() {
  // Never destroyed: threads may still compare texts while the process ends.
  static const weight_table& table = *new weight_table;
  return table;
}

std::string_view without_trailing_blanks(std::string_view text) noexcept {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string mapped(std::string_view text, bool upper) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (ascii) {
    std::string out(text);
    for (char& c : out) {
      if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
      if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return out;
  }
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const auto m =
        static_cast<char32_t>(upper ? u_toupper(static_cast<UChar32>(c)) : u_tolower(static_cast<UChar32>(c)));
    if (m == c) {
      out.append(text.substr(begin, at - begin));
    } else {
      char buffer[4];
      int32_t size = 0;
      UBool failed = false;
      U8_APPEND(reinterpret_cast<uint8_t*>(buffer), size, 4, static_cast<UChar32>(m), failed);
      out.append(buffer, static_cast<std::size_t>(size));
    }
  }
  return out;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  const int size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (size == 0 || at + static_cast<std::size_t>(size) > text.size()) {
    ++at;
    return lead;
  }
  char32_t c = lead & (0x7Fu >> size);
  for (int i = 1; i < size; ++i)
    c = (c << 6) | (static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]) & 0x3F);
  at += static_cast<std::size_t>(size);
  return c;
}

weight weight_of(char32_t c) noexcept {
  return weights()[c];
}

int compare_text(std::string_view a, std::string_view b) noexcept {
  a = without_trailing_blanks(a);
  b = without_trailing_blanks(b);
  if (a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0) return 0;
  const weight_table& table = weights();
  int second = 0;  // the first difference that is one of accents only
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    weight x = 0;
    weight y = 0;
    while (x == 0 && i < a.size()) x = table[next_code_point(a, i)];
    while (y == 0 && j < b.size()) y = table[next_code_point(b, j)];
    if (x == 0 || y == 0) {
      // The shorter text is followed by blanks, which weigh 1.
      if (x == 0 && y == 0) return second;
      return x == 0 ? -1 : 1;
    }
    if (x == y) continue;
    if (x >> 12 != y >> 12) return x < y ? -1 : 1;
    if (second == 0) second = x < y ? -1 : 1;
  }
}

std::optional<like_pattern> like_pattern::compile(std::string_view pattern, std::string_view escape) {
  char32_t escape_character = 0;
  if (!escape.empty()) {
    std::size_t at = 0;
    escape_character = next_code_point(escape, at);
    if (at != escape.size()) return std::nullopt;
  }
  like_pattern out;
  const auto literal = [&](char32_t c) {
    if (const weight w = weight_of(c); w != 0) out.elements_.push_back({kind::literal, w, false, {}});
  };
  for (std::size_t at = 0; at < pattern.size();) {
    const char32_t c = next_code_point(pattern, at);
    if (escape_character != 0 && c == escape_character) {
      if (at >= pattern.size()) break;
      literal(next_code_point(pattern, at));
    } else if (c == '%') {
      if (out.elements_.empty() || out.elements_.back().what != kind::any_run)
        out.elements_.push_back({kind::any_run, 0, false, {}});
    } else if (c == '_') {
      out.elements_.push_back({kind::any_one, 0, false, {}});
    } else if (c == '[') {
      std::size_t inside = at;
      element set{kind::set, 0, false, {}};
      if (inside < pattern.size() && pattern[inside] == '^') {
        set.negated = true;
        ++inside;
      }
      bool closed = false;
      bool first = true;
      while (inside < pattern.size()) {
        char32_t low = next_code_point(pattern, inside);
        if (low == ']' && !first) {
          closed = true;
          break;
        }
        first = false;
        if (escape_character != 0 && low == escape_character && inside < pattern.size())
          low = next_code_point(pattern, inside);
        char32_t high = low;
        if (inside + 1 < pattern.size() && pattern[inside] == '-' && pattern[inside + 1] != ']') {
          ++inside;
          high = next_code_point(pattern, inside);
        }
        set.ranges.push_back({weight_of(low), weight_of(high)});
      }
      if (!closed)
        return out.elements_.clear(), out.elements_.push_back({kind::set, 0, false, {}}), out;  // matches nothing
      at = inside;
      out.elements_.push_back(std::move(set));
    } else {
      literal(c);
    }
  }
  return out;
}

bool like_pattern::accepts(const element& e, weight w) const noexcept {
  switch (e.what) {
    case kind::literal: return e.value == w;
    case kind::any_one: return true;
    case kind::any_run: return false;
    case kind::set: break;
  }
  const bool found =
      std::any_of(e.ranges.begin(), e.ranges.end(), [w](const range& r) { return w >= r.low && w <= r.high; });
  return found != e.negated;
}

// The usual two-pointer match: on a mismatch, the last % takes one character more.
bool like_pattern::match(const std::vector<weight>& text, std::size_t from, std::size_t first_element) const {
  std::size_t t = from;
  std::size_t p = first_element;
  std::size_t star = std::string::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < elements_.size() && elements_[p].what == kind::any_run) {
      star = p++;
      star_text = t;
    } else if (p < elements_.size() && accepts(elements_[p], text[t])) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      // Trailing blanks of the text need no match.
      return p == elements_.size() &&
             std::all_of(text.begin() + static_cast<std::ptrdiff_t>(t), text.end(), [](weight w) { return w == 1; });
    }
  }
  while (p < elements_.size() && elements_[p].what == kind::any_run) ++p;
  return p == elements_.size();
}

namespace {
std::vector<weight> weights_of(std::string_view text) {
  std::vector<weight> out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const weight w = weight_of(next_code_point(text, at)); w != 0) out.push_back(w);
  }
  return out;
}
}  // namespace

bool like_pattern::matches(std::string_view text) const {
  return match(weights_of(text), 0, 0);
}

std::int64_t like_pattern::find(std::string_view text) const {
  if (elements_.empty()) return 0;
  const bool anchored = elements_.front().what != kind::any_run;
  const std::size_t first = anchored ? 0 : 1;
  std::size_t at = 0;
  std::int64_t position = 1;
  for (;;) {
    if (match(weights_of(text.substr(at)), 0, first)) return position;
    if (anchored || at >= text.size()) return 0;
    position += next_code_point(text, at) > 0xFFFF ? 2 : 1;
  }
}

std::string upper_case(std::string_view text) {
  return mapped(text, true);
}
std::string lower_case(std::string_view text) {
  return mapped(text, false);
}

std::size_t length_of(std::string_view text) noexcept {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

std::string_view slice(std::string_view text, std::int64_t from, std::int64_t count) noexcept {
  if (count <= 0) return {};
  std::int64_t unit = 0;
  std::size_t at = 0;
  while (at < text.size() && unit < from) unit += next_code_point(text, at) > 0xFFFF ? 2 : 1;
  const std::size_t begin = at;
  const std::int64_t end = unit + count;
  while (at < text.size() && unit < end) {
    const std::size_t before = at;
    unit += next_code_point(text, at) > 0xFFFF ? 2 : 1;
    if (unit > end) return text.substr(begin, before - begin);
  }
  return text.substr(begin, at - begin);
}

}  // namespace dragoman::sandbox
