#include "nlq/insight.h"

#include <fmt/core.h>

#include <compare>
#include <vector>

#include "base/decimal.h"

namespace dragoman::nlq {
namespace {

bool less(const decimal& a, const decimal& b) {
  const auto difference = subtract(a, b);
  return difference && difference->negative;
}

// The values of the measure; nothing when one is missing or no plain number.
std::optional<std::vector<decimal>> numbers_of(const result_head& head, std::size_t column) {
  std::vector<decimal> out;
  for (const auto& row : head.rows) {
    if (column >= row.size() || row[column].is_null) return std::nullopt;
    const auto number = decimal::parse(row[column].text);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

// In per cent with one digit behind the point, from exact decimals.
std::optional<std::string> share_of(const decimal& part, const std::vector<decimal>& all) {
  decimal sum = decimal::from_int(0);
  for (const decimal& n : all) {
    if (n.negative) return std::nullopt;  // shares of a total with losses in it mislead
    const auto more = accumulate(sum, n);
    if (!more) return std::nullopt;
    sum = *more;
  }
  if (sum.magnitude == 0) return std::nullopt;
  const auto hundred = multiply(part, decimal::from_int(100));
  const auto ratio = hundred ? divide_to(*hundred, sum, {38, 3}) : std::nullopt;
  const auto rounded = ratio ? ratio->rescale(38, 1) : std::nullopt;
  if (!rounded) return std::nullopt;
  return rounded->to_string();
}

}  // namespace

bool measure_is_additive(const query_intent& intent, const semantic_layer& layer) {
  if (intent.shape != query_shape::aggregate || intent.metrics.size() != 1 || intent.groups.size() != 1) return false;
  if (intent.compare != compare_kind::none || intent.window != window_kind::none || intent.share != share_kind::none)
    return false;
  const metric_use& use = intent.metrics[0];
  if (use.variant != metric_variant::plain || !use.per_metric.empty() || use.as_percent || use.averaged_over ||
      !use.counted.empty())
    return false;
  const metric* m = layer.find_metric(use.metric);
  return m != nullptr && !m->averaged && m->counts.empty();
}

insight_reading insight_reading_of(const query_intent& intent, const semantic_layer& layer) {
  insight_reading out;
  out.additive = measure_is_additive(intent, layer);
  out.silent = intent.groups.size() > 1 || (intent.top && intent.top->within);
  // The lowest of all are not a whole that shares could be taken of.
  out.lowest = intent.top && !intent.top->descending;
  if (out.lowest) out.additive = false;
  return out;
}

std::optional<std::string> insight_of(const result_head& head, const insight_reading& how, language lang) {
  if (how.silent || !head.complete || head.rows.size() < 2) return std::nullopt;
  std::optional<std::size_t> label, measure;
  for (std::size_t c = 0; c < head.columns.size(); ++c) {
    if (!head.columns[c].numeric) {
      if (label) return std::nullopt;  // two labels: the figure is of both together
      label = c;
    } else if (measure) {
      return std::nullopt;  // two measures: which one leads is not ours to say
    } else {
      measure = c;
    }
  }
  if (!label || !measure) return std::nullopt;
  const auto numbers = numbers_of(head, *measure);
  if (!numbers) return std::nullopt;
  const auto beats = [&](std::size_t a, std::size_t b) {
    return how.lowest ? less((*numbers)[a], (*numbers)[b]) : less((*numbers)[b], (*numbers)[a]);
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < numbers->size(); ++i)
    if (beats(i, best)) best = i;
  for (std::size_t i = 0; i < numbers->size(); ++i)
    if (i != best && !beats(best, i)) return std::nullopt;
  if (head.rows[best][*label].is_null) return std::nullopt;
  const std::string& name = head.rows[best][*label].text;
  const std::string& value = head.rows[best][*measure].text;
  const auto share = how.additive ? share_of((*numbers)[best], *numbers) : std::nullopt;
  if (how.lowest)
    return lang == language::persian ? fmt::format("کمترین: {} با {}.", name, value)
                                     : fmt::format("{} is lowest with {}.", name, value);
  if (lang == language::persian) {
    return share ? fmt::format("بیشترین: {} با {}، یعنی {} درصد از جمع {} ردیف.", name, value, *share, head.rows.size())
                 : fmt::format("بیشترین: {} با {}.", name, value);
  }
  return share ? fmt::format("{} leads with {}, {} % of the total of these {} rows.", name, value, *share,
                             head.rows.size())
               : fmt::format("{} leads with {}.", name, value);
}

}  // namespace dragoman::nlq
