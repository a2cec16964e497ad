#include "proxy/row_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

constexpr std::size_t permutations_max = 20'000;

std::string number_key(double value) {
  const double rounded = std::round(value * 1e5) / 1e5;
  return fmt::format("{:.9g}", rounded == 0 ? 0.0 : rounded);
}

std::string key_of(const sql_value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    // Beyond nine digits a whole number must still equal the same number that came as a decimal.
    return std::abs(*whole) < 1'000'000'000 ? number_key(static_cast<double>(*whole)) : fmt::format("{}", *whole);
  }
  if (const auto* exact = std::get_if<decimal>(&value)) {
    std::string text = exact->to_string();
    if (text.find('.') != std::string::npos) {
      while (text.back() == '0') text.pop_back();
      if (text.back() == '.') text.pop_back();
    }
    return text.find('.') == std::string::npos && text.size() > 9 ? text : number_key(exact->to_double());
  }
  if (const auto* real = std::get_if<double>(&value)) return number_key(*real);
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto end = text->find_last_not_of(' ');
    return "'" + (end == std::string::npos ? std::string() : text->substr(0, end + 1));
  }
  if (const auto* time = std::get_if<civil_time>(&value))
    return fmt::format("t{}.{}.{}", time->day, time->ticks, time->offset);
  return value_text(value, sql_type{});
}

using key_rows = std::vector<std::vector<std::string>>;

key_rows keys_of(const value_rows& rows) {
  key_rows out;
  out.reserve(rows.size());
  for (const auto& row : rows) {
    std::vector<std::string> keys;
    keys.reserve(row.size());
    for (const auto& value : row) keys.push_back(key_of(value));
    out.push_back(std::move(keys));
  }
  return out;
}

std::vector<std::string> sorted_column(const key_rows& rows, std::size_t column) {
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.push_back(row[column]);
  std::sort(out.begin(), out.end());
  return out;
}

class matcher {
 public:
  matcher(const key_rows& a, const key_rows& b, bool ordered) : a_(a), b_(b), ordered_(ordered) {
    const std::size_t columns = a.front().size();
    std::vector<std::vector<std::string>> of_a;
    std::vector<std::vector<std::string>> of_b;
    for (std::size_t i = 0; i < columns; ++i) {
      of_a.push_back(sorted_column(a, i));
      of_b.push_back(sorted_column(b, i));
    }
    candidates_.resize(columns);
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        if (of_a[i] == of_b[j]) candidates_[i].push_back(j);
    sorted_a_ = a;
    std::sort(sorted_a_.begin(), sorted_a_.end());
  }
  bool match() {
    std::vector<std::size_t> chosen;
    return place(chosen);
  }

 private:
  bool place(std::vector<std::size_t>& chosen) {
    if (chosen.size() == candidates_.size()) return tries_++ < permutations_max && fits(chosen);
    for (const std::size_t j : candidates_[chosen.size()]) {
      if (std::find(chosen.begin(), chosen.end(), j) != chosen.end()) continue;
      chosen.push_back(j);
      if (place(chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }
  bool fits(const std::vector<std::size_t>& chosen) const {
    key_rows arranged;
    arranged.reserve(b_.size());
    for (const auto& row : b_) {
      std::vector<std::string> line;
      line.reserve(row.size());
      for (const std::size_t j : chosen) line.push_back(row[j]);
      arranged.push_back(std::move(line));
    }
    if (ordered_) return arranged == a_;
    std::sort(arranged.begin(), arranged.end());
    return arranged == sorted_a_;
  }

  const key_rows& a_;
  const key_rows& b_;
  bool ordered_;
  key_rows sorted_a_;
  std::vector<std::vector<std::size_t>> candidates_;
  std::size_t tries_ = 0;
};

}  // namespace

bool same_rows(const value_rows& a, const value_rows& b, bool order_matters) {
  if (a.size() != b.size()) return false;
  if (a.empty()) return true;
  const std::size_t columns = a.front().size();
  const auto of_width = [&](const auto& row) { return row.size() == columns; };
  if (!std::all_of(a.begin(), a.end(), of_width) || !std::all_of(b.begin(), b.end(), of_width)) return false;
  return matcher(keys_of(a), keys_of(b), order_matters).match();
}

}  // namespace dragoman::proxy
