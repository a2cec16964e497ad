#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "proxy/upstream/statement.h"

namespace dragoman::upstream {
namespace {

enum class kind { on_off, number, word, language };

struct setting {
  std::string_view name;
  kind type;
  std::string_view standard;  // what a fresh connection has
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// LANGUAGE first: it resets DATEFORMAT and DATEFIRST, which therefore follow it.
constexpr std::array<setting, 14> known{{
    {"LANGUAGE", kind::language, "us_english"},
    {"DATEFORMAT", kind::word, "mdy"},
    {"DATEFIRST", kind::number, "7", 1, 7},
    {"ANSI_NULLS", kind::on_off, "ON"},
    {"ANSI_PADDING", kind::on_off, "ON"},
    {"ANSI_WARNINGS", kind::on_off, "ON"},
    {"ARITHABORT", kind::on_off, "OFF"},
    {"ARITHIGNORE", kind::on_off, "OFF"},
    {"CONCAT_NULL_YIELDS_NULL", kind::on_off, "ON"},
    {"NUMERIC_ROUNDABORT", kind::on_off, "OFF"},
    {"QUOTED_IDENTIFIER", kind::on_off, "ON"},
    {"ROWCOUNT", kind::number, "0", 0, 2147483647},
    {"TEXTSIZE", kind::number, "", 0, 2147483647},
    {"LOCK_TIMEOUT", kind::number, "", 0, 2147483647},
}};

std::string folded(std::string_view text, bool upper) {
  std::string out(text);
  for (char& c : out) {
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

bool is_language(std::string_view text) {
  // Names of sys.syslanguages: letters of any script, blanks, an underscore, parentheses.
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '_' || c == '(' ||
           c == ')';
  });
}

}  // namespace

result<void> session_settings::set(std::string_view name, std::string_view value) {
  const std::string key = folded(name, true);
  const auto found = std::find_if(known.begin(), known.end(), [&](const setting& s) { return s.name == key; });
  if (found == known.end())
    return failure(errc::unsupported_construct, fmt::format("SET {} is not supported by the data source.", key));
  const failure bad(errc::bad_argument, fmt::format("The value given for SET {} is not valid.", key));
  std::string text;
  switch (found->type) {
    case kind::on_off:
      text = folded(value, true);
      if (text != "ON" && text != "OFF") return bad;
      break;
    case kind::number: {
      std::int64_t number = 0;
      const auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (ec != std::errc{} || end != value.data() + value.size() || number < found->low || number > found->high)
        return bad;
      text = std::to_string(number);
      break;
    }
    case kind::word: {
      text = folded(value, false);
      constexpr std::array<std::string_view, 6> orders{"mdy", "dmy", "ymd", "ydm", "myd", "dym"};
      if (std::find(orders.begin(), orders.end(), text) == orders.end()) return bad;
      break;
    }
    case kind::language:
      if (!is_language(value)) return bad;
      text = std::string(value);
      break;
  }
  values_[key] = std::move(text);
  return {};
}

session_settings session_settings::over(const session_settings& base) const {
  session_settings out = base;
  for (const auto& [name, value] : values_) out.values_[name] = value;
  return out;
}

std::string session_settings::difference_from(const session_settings& current) const {
  const auto explicit_in = [](const session_settings& s, std::string_view name) {
    const auto it = s.values_.find(name);
    return it == s.values_.end() ? std::string_view() : std::string_view(it->second);
  };
  const std::string_view standard_language = known[0].standard;
  const auto language_of = [&](const session_settings& s) {
    const std::string_view named = explicit_in(s, "LANGUAGE");
    return named.empty() ? standard_language : named;
  };
  const auto follows_language = [](const setting& s) { return s.name == "DATEFORMAT" || s.name == "DATEFIRST"; };
  // Empty = whatever the language brings.
  const auto value_in = [&](const session_settings& s, const setting& what) {
    const std::string_view named = explicit_in(s, what.name);
    if (!named.empty()) return named;
    return follows_language(what) && language_of(s) != standard_language ? std::string_view() : what.standard;
  };

  const bool same_language = language_of(*this) == language_of(current);
  // Only SET LANGUAGE itself brings back a language's own orders of dates once they were overridden.
  const bool reset_language = !same_language || std::any_of(known.begin(), known.end(), [&](const setting& what) {
    return follows_language(what) && value_in(*this, what).empty() && !value_in(current, what).empty();
  });
  std::string out;
  if (reset_language) out += fmt::format("SET LANGUAGE N'{}';", language_of(*this));
  for (const setting& what : known) {
    if (what.type == kind::language) continue;
    const std::string_view wanted = value_in(*this, what);
    const bool unknown_now = reset_language && follows_language(what) && !explicit_in(*this, what.name).empty();
    const bool known_now = reset_language && follows_language(what) && !unknown_now;
    if (wanted.empty() || known_now || (!unknown_now && wanted == value_in(current, what))) continue;
    out += fmt::format("SET {} {};", what.name, wanted);
  }
  return out;
}

}  // namespace dragoman::upstream
