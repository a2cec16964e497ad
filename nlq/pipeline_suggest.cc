#include "nlq/pipeline_suggest.h"

#include <fmt/core.h>

#include <algorithm>

namespace dragoman::nlq {
namespace {

constexpr std::size_t tries_max = 12;  // candidates looked at: each costs an understanding

bool simple(const query_intent& q) {
  if (q.shape != query_shape::aggregate || !q.among.empty() || q.count_rows || q.metrics.size() != 1 ||
      q.metrics[0].metric.empty())
    return false;
  const metric_use& use = q.metrics[0];
  return use.variant == metric_variant::plain && use.filters.empty() && use.per_metric.empty() && !use.averaged_over &&
         use.counted.empty() && q.filters.empty() && q.attribute_filters.empty() && q.conditions.empty() &&
         q.periods.size() <= 1 && q.compare == compare_kind::none && q.window == window_kind::none &&
         q.share == share_kind::none && q.groups.size() <= 1;
}

struct candidate {
  std::string text;
  std::string dimension;  // grouped by it; empty: by time
};

// A follow-up may keep the period of a question in the other language: half of a suggestion would be in it.
bool of_other_language(std::string_view words, language l) {
  return std::any_of(words.begin(), words.end(), [l](char c) {
    const auto byte = static_cast<unsigned char>(c);
    // The letters of Persian begin with D8 to DB in UTF-8; its digits (DB B0 to B9) belong to both.
    return l == language::persian ? (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z' : byte >= 0xD8 && byte <= 0xDA;
  });
}

std::vector<candidate> candidates_of(const query_intent& q, const semantic_layer& layer, const metric& m) {
  const bool fa = q.lang == language::persian;
  const std::string& measure = m.label.in(q.lang);
  const std::string period = q.periods.empty() || q.periods[0].words.empty() ? "" : " " + q.periods[0].words;
  std::vector<candidate> out;
  const std::string grouped = q.groups.empty() ? "" : q.groups[0].dimension;
  if (const dimension* d = layer.find_dimension(grouped); d != nullptr && !q.top) {
    const std::string& name = d->label.in(q.lang);
    out.push_back({fa ? fmt::format("۵ {} برتر از نظر {}{}", name, measure, period)
                      : fmt::format("top 5 {} by {}{}", name, measure, period),
                   d->id});
  }
  if (q.groups.empty() || !q.groups[0].time)
    out.push_back(
        {fa ? fmt::format("{} ماهانه{}", measure, period) : fmt::format("monthly {}{}", measure, period), ""});
  for (const dimension& d : layer.dimensions) {
    if (d.id == grouped || d.label.empty() || !d.cases.empty()) continue;
    const std::string& name = d.label.in(q.lang);
    out.push_back(
        {fa ? fmt::format("{} به تفکیک {}{}", measure, name, period) : fmt::format("{} by {}{}", measure, name, period),
         d.id});
  }
  return out;
}

// Understood as it is meant: the same measure and period, grouped as the candidate says, nothing else.
bool means(const understanding& said, const query_intent& q, const candidate& c) {
  const auto* query = std::get_if<understood_query>(&said);
  if (query == nullptr || query->kind != turn::fresh) return false;
  const query_intent& got = query->intent;
  if (!simple(got) || got.groups.size() != 1 || got.metrics[0].metric != q.metrics[0].metric ||
      got.periods != q.periods)
    return false;
  return c.dimension.empty() ? got.groups[0].time.has_value() : got.groups[0].dimension == c.dimension;
}

}  // namespace

std::vector<std::string> suggestions_for(const query_intent& q, const semantic_layer& layer,
                                         const std::function<understanding(std::string_view)>& understand) {
  std::vector<std::string> out;
  if (!simple(q)) return out;
  const metric* m = layer.find_metric(q.metrics[0].metric);
  if (m == nullptr || m->label.empty()) return out;
  if (!q.periods.empty() && of_other_language(q.periods[0].words, q.lang)) return out;
  std::size_t tried = 0;
  for (candidate& c : candidates_of(q, layer, *m)) {
    if (out.size() == suggestions_max || tried++ == tries_max) break;
    if (means(understand(c.text), q, c)) out.push_back(std::move(c.text));
  }
  return out;
}

}  // namespace dragoman::nlq
