#include "nlq/compile_check.h"

#include <algorithm>

namespace dragoman::nlq {

std::string unplaced_slot(const query_intent& q) {
  const bool fa = q.lang == language::persian;
  auto say = [&](const char* english, const char* persian) { return std::string(fa ? persian : english); };
  const bool conditions = !q.conditions.empty();
  const bool windowed = q.window != window_kind::none;
  const bool shared = q.share != share_kind::none;
  const bool compared = q.compare != compare_kind::none;
  const bool averaged =
      std::any_of(q.metrics.begin(), q.metrics.end(), [](const metric_use& u) { return u.averaged_over.has_value(); });
  const std::string threshold = say("a threshold", "آستانه");
  const std::string ranking = say("a ranking", "رتبه‌بندی");
  const std::string measures = say("several measures", "چند شاخص");
  const std::string rows_only = say("conditions on single orders", "شرط روی تک‌تک سفارش‌ها");
  const std::string figures = say("shares, running figures or comparisons", "سهم، ارقام تجمعی یا مقایسه");

  // A share would be one of those members' total, not of all.
  if (!q.among.empty() && (q.shape != query_shape::aggregate || !q.median_attribute.empty() || shared))
    return say("an earlier answer", "پاسخ پیشین");
  if (q.shape != query_shape::aggregate) {
    if (conditions) return threshold;
    if (windowed || shared || compared || q.change_op) return figures;
    if (!q.median_attribute.empty()) return say("a median", "میانه");
    if (q.shape == query_shape::detail) return q.metrics.empty() && q.groups.empty() ? "" : measures;
    if (!q.metrics.empty()) return measures;
    if (q.top) return ranking;
    if (q.shape == query_shape::existence && (!q.attribute_filters.empty() || !q.extra_columns.empty()))
      return rows_only;
    if (q.shape == query_shape::existence && q.groups.size() != 1) return say("several things", "چند چیز");
    return {};
  }
  if (!q.median_attribute.empty()) {
    if (conditions) return threshold;
    if (q.top) return ranking;
    if (windowed || shared || compared) return figures;
    if (!q.attribute_filters.empty()) return rows_only;
    return q.metrics.empty() ? "" : measures;
  }
  // Shares, running figures and comparisons each take the whole query for themselves.
  if (windowed + shared + compared + averaged > 1) return figures;
  if (conditions && (windowed || shared || compared || averaged || (q.top && q.top->within))) return threshold;
  if ((windowed || averaged || q.share == share_kind::part_of_whole || q.share == share_kind::top_of_total ||
       q.share == share_kind::top_sum) &&
      q.metrics.size() > 1) {
    return measures;
  }
  if (q.top && (windowed || averaged)) return ranking;
  if (q.top && q.top->within && (shared || compared)) return ranking;
  if (q.window == window_kind::rank && q.groups.empty()) return ranking;
  // A ranking among those that a filter leaves says nothing when it leaves one.
  if (q.top || q.window == window_kind::rank) {
    for (const value_filter& f : q.filters) {
      const bool ranked = std::any_of(q.groups.begin(), q.groups.end(),
                                      [&](const group& g) { return g.dimension == f.dimension && g.role == f.role; });
      if (ranked && !f.negated && f.values.size() == 1 && q.groups.size() == 1) return ranking;
    }
  }
  if (q.change_op && !compared) return threshold;
  // "How many halls sold more": who has more is known only member by member.
  if ((q.compare == compare_kind::second_greater || q.compare == compare_kind::second_less) && q.groups.empty())
    return say("a count of those that have more or less",
               "شمارش آن‌ها که بیشتر یا کمتر دارند");
  if (q.share == share_kind::of_total && q.groups.empty()) return say("a share of nothing", "سهمی از هیچ");
  return {};
}

}  // namespace dragoman::nlq
