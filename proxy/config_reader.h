// Strict reading of YAML: a mapping is read key by key, what was not asked for is an error, and every error keeps its
// place. Knows nothing of the product; config.cc says what is expected.
#pragma once

#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/config.h"

namespace dragoman::proxy {

// Collects the errors of one file.
class config_errors {
 public:
  explicit config_errors(std::string file) : file_(std::move(file)) {}
  void add(std::uint32_t line, std::string key, std::string message) {
    errors_.push_back({file_, line, std::move(key), std::move(message)});
  }
  std::vector<config_error> take() { return std::move(errors_); }
  bool empty() const noexcept { return errors_.empty(); }

 private:
  std::string file_;
  std::vector<config_error> errors_;
};

// One mapping of the file. Each read names its key once; the destructor reports the keys that nothing read.
class section {
 public:
  section(YAML::Node node, std::string path, config_errors& errors, std::uint32_t line_if_absent = 0);
  section(const section&) = delete;
  section& operator=(const section&) = delete;
  ~section();

  bool has(std::string_view key);
  std::uint32_t line() const noexcept { return line_; }
  std::uint32_t line_of(std::string_view key);
  const std::string& path() const noexcept { return path_; }
  std::string path_of(std::string_view key) const;

  section child(std::string_view key);                         // a mapping; empty where absent
  std::vector<std::pair<std::string, YAML::Node>> children();  // of a mapping with free keys; all count as read
  std::vector<YAML::Node> items(std::string_view key);         // a sequence; empty where absent

  // Leave the destination as it is where the key is absent. `true` where it was read.
  bool text(std::string_view key, std::string& out);
  bool flag(std::string_view key, bool& out);
  bool number(std::string_view key, std::uint64_t& out, std::uint64_t low, std::uint64_t high);
  bool real(std::string_view key, double& out, double low, double high);
  bool path(std::string_view key, std::filesystem::path& out, const std::filesystem::path& base);
  std::vector<named_at_line> names(std::string_view key);  // a sequence of texts, or one text
  std::string required_text(std::string_view key);         // an error where absent or empty

  template <class T>
  bool integer(std::string_view key, T& out, std::uint64_t low, std::uint64_t high) {
    std::uint64_t value = 0;
    if (!number(key, value, low, high)) return false;
    out = static_cast<T>(value);
    return true;
  }
  // "30s", "500ms", "2m", "1h"; a bare number counts seconds.
  template <class Duration>
  bool duration(std::string_view key, Duration& out, std::chrono::milliseconds low, std::chrono::milliseconds high) {
    std::chrono::milliseconds value{};
    if (!milliseconds(key, value, low, high)) return false;
    out = std::chrono::duration_cast<Duration>(value);
    return true;
  }
  template <class Enum>
  bool choice(std::string_view key, Enum& out, std::initializer_list<std::pair<std::string_view, Enum>> values) {
    std::string word;
    if (!text(key, word)) return false;
    std::vector<std::string_view> allowed;
    for (const auto& [name, value] : values) {
      if (name == word) {
        out = value;
        return true;
      }
      allowed.push_back(name);
    }
    not_one_of(key, word, allowed);
    return false;
  }
  void error(std::string_view key, std::string message);

 private:
  YAML::Node find(std::string_view key);
  bool milliseconds(std::string_view key, std::chrono::milliseconds& out, std::chrono::milliseconds low,
                    std::chrono::milliseconds high);
  void not_one_of(std::string_view key, std::string_view word, const std::vector<std::string_view>& allowed);

  YAML::Node node_;
  std::string path_;
  config_errors& errors_;
  std::uint32_t line_ = 0;
  std::vector<std::string> known_;
  bool free_keys_ = false;
};

inline std::uint32_t line_of_node(const YAML::Node& node) {
  return node.Mark().is_null() ? 0 : static_cast<std::uint32_t>(node.Mark().line + 1);
}

// The name nearest to `word` among `names`, empty where none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace dragoman::proxy
