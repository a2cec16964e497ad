// Strict reading of a YAML mapping: every key is asked for by name, one that was not is an error. Shared by the readers
// of the semantic layer; internal to nlq/.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guard/tsql/parser.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

// The first mistake ends the load; it travels as an exception inside this file only.
struct mistake {
  std::string message;
};

struct place {
  std::string file;
  [[noreturn]] void fail(const YAML::Node& node, const std::string& key, const std::string& what) const {
    int line = node.IsDefined() && !node.Mark().is_null() ? node.Mark().line + 1 : 0;
    throw mistake{file + ":" + std::to_string(line) + ": " + key + ": " + what};
  }
};

inline constexpr std::size_t spellings_max = 256;  // of one phrase

// "(avg|average) order value[s]" → its four spellings. Nothing where brackets do not match, or spellings are too many.
std::vector<std::string> expand_phrase(const std::string& pattern);

class mapping {
 public:
  mapping(YAML::Node node, std::string path, const place& at)
      : node_(std::move(node)), path_(std::move(path)), at_(at) {
    if (!node_.IsMap()) at_.fail(node_, path_, "expected a mapping");
  }

  // Call when everything has been asked for.
  void finish() const {
    for (const auto& pair : node_) {
      std::string key = pair.first.as<std::string>();
      if (!asked_.contains(key)) at_.fail(pair.first, path_ + "." + key, "unknown key");
    }
  }

  YAML::Node get(const std::string& key) {
    asked_.insert(key);
    return node_[key];
  }
  std::string where(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const { at_.fail(node_, where(key), what); }

  std::string text(const std::string& key, const std::string& otherwise = {}) {
    YAML::Node n = get(key);
    if (!n) return otherwise;
    if (!n.IsScalar()) at_.fail(n, where(key), "expected a text");
    return n.as<std::string>();
  }
  std::string required(const std::string& key) {
    std::string value = text(key);
    if (value.empty()) fail(key, "is missing");
    return value;
  }
  bool flag(const std::string& key, bool otherwise) {
    YAML::Node n = get(key);
    if (!n) return otherwise;
    try {
      return n.as<bool>();
    } catch (const YAML::Exception&) {
      at_.fail(n, where(key), "expected true or false");
    }
  }
  std::vector<std::string> list(const std::string& key) {
    std::vector<std::string> out;
    YAML::Node n = get(key);
    if (!n) return out;
    if (n.IsScalar()) return {n.as<std::string>()};
    if (!n.IsSequence()) at_.fail(n, where(key), "expected a list of texts");
    for (const YAML::Node& item : n) {
      if (!item.IsScalar()) at_.fail(item, where(key), "expected a list of texts");
      out.push_back(item.as<std::string>());
    }
    return out;
  }
  localized texts(const std::string& key) {
    localized out;
    YAML::Node n = get(key);
    if (!n) return out;
    if (n.IsScalar()) {
      out.en = n.as<std::string>();
      return out;
    }
    mapping m(n, where(key), at_);
    out.en = m.text("en");
    out.fa = m.text("fa");
    m.finish();
    return out;
  }
  phrases words(const std::string& key) {
    phrases out;
    YAML::Node n = get(key);
    if (!n) return out;
    mapping m(n, where(key), at_);
    for (auto [lang, into] : {std::pair{"en", &out.en}, std::pair{"fa", &out.fa}}) {
      for (const std::string& pattern : m.list(lang)) {
        std::vector<std::string> spellings = expand_phrase(pattern);
        if (spellings.empty())
          at_.fail(n, where(key), "brackets do not match, or make too many spellings, in \"" + pattern + "\"");
        into->insert(into->end(), spellings.begin(), spellings.end());
      }
    }
    m.finish();
    return out;
  }
  std::vector<std::pair<std::string, std::string>> pairs(const std::string& key) {
    std::vector<std::pair<std::string, std::string>> out;
    YAML::Node n = get(key);
    if (!n) return out;
    if (!n.IsMap()) at_.fail(n, where(key), "expected a mapping of texts");
    for (const auto& p : n) out.emplace_back(p.first.as<std::string>(), p.second.as<std::string>());
    return out;
  }
  tsql::expression expression(const std::string& key) {
    std::string source = required(key);
    auto parsed = tsql::parse_expression(source);
    if (!parsed) at_.fail(get(key), where(key), parsed.error().message);
    return std::move(*parsed);
  }
  std::optional<tsql::expression> optional_expression(const std::string& key) {
    if (!get(key)) return std::nullopt;
    return expression(key);
  }
  std::pair<std::string, std::string> table(const std::string& key) {
    std::string name = required(key);
    std::size_t dot = name.find('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) fail(key, "expected schema.table");
    return {name.substr(0, dot), name.substr(dot + 1)};
  }
  void each(const std::string& key, const std::function<void(const std::string& id, mapping&)>& f) {
    YAML::Node n = get(key);
    if (!n) return;
    if (!n.IsMap()) at_.fail(n, where(key), "expected a mapping");
    std::set<std::string> seen;
    for (const auto& pair : n) {
      std::string id = pair.first.as<std::string>();
      if (!seen.insert(id).second) at_.fail(pair.first, where(key) + "." + id, "appears twice");
      mapping m(pair.second, where(key) + "." + id, at_);
      f(id, m);
      m.finish();
    }
  }
  void each_item(const std::string& key, const std::function<void(mapping&)>& f) {
    YAML::Node n = get(key);
    if (!n) return;
    if (!n.IsSequence()) at_.fail(n, where(key), "expected a list");
    for (const YAML::Node& item : n) {
      mapping m(item, where(key), at_);
      f(m);
      m.finish();
    }
  }

 private:
  YAML::Node node_;
  std::string path_;
  const place& at_;
  std::set<std::string> asked_;
};

// The second part of the file's reader (semantics_entities.cc).
void read_entities(mapping& root, semantic_layer& layer);
void read_rules(mapping& root, semantic_layer& layer);
void read_verified_questions(mapping& root, semantic_layer& layer);

}  // namespace dragoman::nlq
