#include "guard/configured_name.h"

namespace dragoman::guard {

std::optional<std::vector<std::string>> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      parts.emplace_back();
    } else if ((c == '[' || c == '"') && parts.back().empty()) {
      const char close = c == '[' ? ']' : '"';
      for (++i; i < text.size(); ++i) {
        if (text[i] == close && (i + 1 == text.size() || text[i + 1] != close)) break;
        if (text[i] == close) ++i;
        parts.back() += text[i];
      }
      if (i == text.size()) return std::nullopt;
    } else {
      parts.back() += c;
    }
  }
  for (const auto& part : parts) {
    if (part.empty()) return std::nullopt;
  }
  return parts;
}

std::optional<std::string> column_path(std::string_view text) {
  const auto parts = parts_of(text);
  if (!parts || parts->size() < 3 || parts->size() > 4) return std::nullopt;
  const std::size_t first = parts->size() - 3;
  return (*parts)[first] + "." + (*parts)[first + 1] + "." + (*parts)[first + 2];
}

}  // namespace dragoman::guard
