#include "proxy/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace dragoman::proxy {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  if (node.IsNull()) return "nothing";
  return "a text";
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t d = edit_distance(word, name);
    if (d < distance) {
      distance = d;
      best = name;
    }
  }
  return best;
}

section::section(YAML::Node node, std::string path, config_errors& errors, std::uint32_t line_if_absent)
    : node_(std::move(node)), path_(std::move(path)), errors_(errors) {
  line_ = node_.IsDefined() ? line_of_node(node_) : 0;
  if (line_ == 0) line_ = line_if_absent;
  if (!node_.IsDefined() || node_.IsNull()) {
    node_ = YAML::Node(YAML::NodeType::Undefined);
    return;
  }
  if (!node_.IsMap()) {
    errors_.add(line_, path_.empty() ? "(file)" : path_, fmt::format("expected a mapping, found {}", kind_of(node_)));
    node_ = YAML::Node(YAML::NodeType::Undefined);
    return;
  }
  std::set<std::string> seen;
  for (const auto& entry : node_)
    if (entry.first.IsScalar() && !seen.insert(entry.first.Scalar()).second)
      errors_.add(line_of_node(entry.first), path_of(entry.first.Scalar()), "given twice");
}

section::~section() {
  if (free_keys_ || !node_.IsDefined()) return;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "(not a text)";
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string near = nearest(key, known_);
    errors_.add(line_of_node(entry.first), path_of(key),
                near.empty() ? "unknown key" : fmt::format("unknown key; did you mean '{}'?", near));
  }
}

std::string section::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

YAML::Node section::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  if (!node_.IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
  for (const auto& entry : node_)
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  return YAML::Node(YAML::NodeType::Undefined);
}

bool section::has(std::string_view key) {
  const YAML::Node node = find(key);
  return node.IsDefined() && !node.IsNull();
}

std::uint32_t section::line_of(std::string_view key) {
  if (node_.IsDefined())
    for (const auto& entry : node_)
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return line_of_node(entry.first);
  return line_;
}

section section::child(std::string_view key) {
  return section(find(key), path_of(key), errors_, line_of(key));
}

std::vector<std::pair<std::string, YAML::Node>> section::children() {
  free_keys_ = true;
  std::vector<std::pair<std::string, YAML::Node>> all;
  if (node_.IsDefined())
    for (const auto& entry : node_)
      if (entry.first.IsScalar()) all.emplace_back(entry.first.Scalar(), entry.second);
  return all;
}

std::vector<YAML::Node> section::items(std::string_view key) {
  std::vector<YAML::Node> all;
  const YAML::Node node = find(key);
  if (!node.IsDefined() || node.IsNull()) return all;
  if (!node.IsSequence()) {
    error(key, fmt::format("expected a list, found {}", kind_of(node)));
    return all;
  }
  for (const auto& item : node) all.push_back(item);
  return all;
}

bool section::text(std::string_view key, std::string& out) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return false;
  if (!node.IsScalar()) {
    error(key, fmt::format("expected a text, found {}", kind_of(node)));
    return false;
  }
  out = node.Scalar();
  return true;
}

std::string section::required_text(std::string_view key) {
  std::string value;
  const bool present = has(key);
  if (text(key, value) && !value.empty()) return value;
  if (!present)
    errors_.add(line_, path_of(key), "missing");
  else if (value.empty())
    error(key, "must not be empty");
  return {};
}

bool section::flag(std::string_view key, bool& out) {
  std::string word;
  if (!text(key, word)) return false;
  if (word == "true" || word == "yes" || word == "on")
    out = true;
  else if (word == "false" || word == "no" || word == "off")
    out = false;
  else {
    error(key, fmt::format("'{}' is neither true nor false", word));
    return false;
  }
  return true;
}

bool section::number(std::string_view key, std::uint64_t& out, std::uint64_t low, std::uint64_t high) {
  std::string word;
  if (!text(key, word)) return false;
  std::string digits;
  std::copy_if(word.begin(), word.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc{} || end != digits.data() + digits.size() || digits.empty()) {
    error(key, fmt::format("'{}' is not a whole number", word));
    return false;
  }
  if (value < low || value > high) {
    error(key, fmt::format("{} is outside {} to {}", value, low, high));
    return false;
  }
  out = value;
  return true;
}

bool section::real(std::string_view key, double& out, double low, double high) {
  std::string word;
  if (!text(key, word)) return false;
  double value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) {
    error(key, fmt::format("'{}' is not a number", word));
    return false;
  }
  if (!(value >= low && value <= high)) {
    error(key, fmt::format("{} is outside {} to {}", word, low, high));
    return false;
  }
  out = value;
  return true;
}

bool section::milliseconds(std::string_view key, std::chrono::milliseconds& out, std::chrono::milliseconds low,
                           std::chrono::milliseconds high) {
  std::string word;
  if (!text(key, word)) return false;
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  const std::string_view unit(end, word.data() + word.size() - end);
  std::uint64_t factor = 0;
  if (unit.empty() || unit == "s")
    factor = 1000;
  else if (unit == "ms")
    factor = 1;
  else if (unit == "m")
    factor = 60'000;
  else if (unit == "h")
    factor = 3'600'000;
  if (failed != std::errc{} || factor == 0 || value > 1'000'000'000) {
    error(key, fmt::format("'{}' is not a duration such as 30s, 500ms or 2m", word));
    return false;
  }
  const std::chrono::milliseconds duration(value * factor);
  if (duration < low || duration > high) {
    error(key, fmt::format("{} is outside {} to {} ms", word, low.count(), high.count()));
    return false;
  }
  out = duration;
  return true;
}

bool section::path(std::string_view key, std::filesystem::path& out, const std::filesystem::path& base) {
  std::string word;
  if (!text(key, word)) return false;
  if (word.empty()) {
    error(key, "must not be empty");
    return false;
  }
  const std::filesystem::path given(word);
  out = (given.is_absolute() ? given : base / given).lexically_normal();
  return true;
}

std::vector<named_at_line> section::names(std::string_view key) {
  std::vector<named_at_line> all;
  const YAML::Node node = find(key);
  if (!node.IsDefined() || node.IsNull()) return all;
  if (node.IsScalar()) {
    all.push_back({node.Scalar(), line_of_node(node)});
    return all;
  }
  if (!node.IsSequence()) {
    error(key, fmt::format("expected a list of names, found {}", kind_of(node)));
    return all;
  }
  for (const auto& item : node) {
    if (!item.IsScalar() || item.Scalar().empty())
      errors_.add(line_of_node(item), path_of(key), fmt::format("expected a name, found {}", kind_of(item)));
    else
      all.push_back({item.Scalar(), line_of_node(item)});
  }
  return all;
}

void section::not_one_of(std::string_view key, std::string_view word, const std::vector<std::string_view>& allowed) {
  error(key, fmt::format("'{}' is not one of {}", word, fmt::join(allowed, ", ")));
}

void section::error(std::string_view key, std::string message) {
  errors_.add(line_of(key), path_of(key), std::move(message));
}

}  // namespace dragoman::proxy
