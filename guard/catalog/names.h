// How names are compared: without regard to ASCII case where the catalogue's collation says CI, exactly where it says
// CS. Only ASCII folds: a wider fold would let look-alike names (dotless i, long s, full-width letters) pass for
// others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::catalog {

constexpr char fold(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && fold(a[i]) != fold(b[i])) return false;
  }
  return true;
}

inline std::string folded(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = fold(c);
  return out;
}

// Transparent hash and equality for containers keyed by name.
struct name_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const noexcept {
    std::size_t h = 1469598103934665603ull;
    for (char c : name) h = (h ^ static_cast<unsigned char>(fold(c))) * 1099511628211ull;
    return h;
  }
};

struct name_equal {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const noexcept { return same_name(a, b); }
};

}  // namespace dragoman::catalog
