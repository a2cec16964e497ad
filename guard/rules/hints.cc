// Hints. NOLOCK and READUNCOMMITTED stay; every other locking hint is refused, for it changes what others can do or
// which rows are seen; hints that only steer the plan are dropped with a notice; what names an index, a plan or a trace
// flag is refused, since nobody vouches for those names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/limits.h"
#include "guard/context.h"
#include "guard/rules/rules.h"
#include "guard/tsql/walk.h"

namespace dragoman::guard {
namespace {

using namespace std::string_view_literals;

constexpr std::array kept_table_hints = {"NOLOCK"sv, "READUNCOMMITTED"sv};
constexpr std::array dropped_table_hints = {"FORCESCAN"sv, "FORCESEEK"sv, "NOEXPAND"sv, "SPATIAL_WINDOW_MAX_CELLS"sv};
constexpr std::array kept_query_hints = {"RECOMPILE"sv, "MAXRECURSION"sv};
constexpr std::array dropped_query_hints = {"MAXDOP"sv,
                                            "HASH GROUP"sv,
                                            "ORDER GROUP"sv,
                                            "CONCAT UNION"sv,
                                            "HASH UNION"sv,
                                            "MERGE UNION"sv,
                                            "LOOP JOIN"sv,
                                            "MERGE JOIN"sv,
                                            "HASH JOIN"sv,
                                            "FAST"sv,
                                            "FORCE ORDER"sv,
                                            "KEEP PLAN"sv,
                                            "KEEPFIXED PLAN"sv,
                                            "ROBUST PLAN"sv,
                                            "EXPAND VIEWS"sv,
                                            "OPTIMIZE FOR"sv,
                                            "OPTIMIZE FOR UNKNOWN"sv,
                                            "MIN_GRANT_PERCENT"sv,
                                            "MAX_GRANT_PERCENT"sv,
                                            "NO_PERFORMANCE_SPOOL"sv,
                                            "LABEL"sv,
                                            "PARAMETERIZATION SIMPLE"sv,
                                            "PARAMETERIZATION FORCED"sv,
                                            "USE HINT"sv,
                                            "IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX"sv,
                                            "DISABLE_OPTIMIZED_PLAN_FORCING"sv};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::optional<failure> check_table_hints(check_context& c, std::vector<tsql::table_hint>& hints) {
  for (const auto& h : hints) {
    if (among(kept_table_hints, h.name)) continue;
    if (among(dropped_table_hints, h.name) && h.indexes.empty()) {
      c.notice(fmt::format("The table hint {} was dropped.", h.name));
      continue;
    }
    return refuse_at(errc::unsupported_construct, fmt::format("The table hint {} is not allowed.", h.name), h.pos);
  }
  std::erase_if(hints, [](const auto& h) { return !among(kept_table_hints, h.name); });
  return std::nullopt;
}

std::optional<failure> check_query_hint(check_context& c, const tsql::query_hint& h) {
  if (h.name == "MAXRECURSION") {
    const auto* n = h.value ? h.value->as<tsql::literal>() : nullptr;
    const double levels = n != nullptr ? std::strtod(n->text.c_str(), nullptr) : 0;
    if (levels < 1 || levels > limits::recursion_max) {
      return refuse_at(errc::too_complex, fmt::format("MAXRECURSION must be between 1 and {}.", limits::recursion_max),
                       h.pos);
    }
    return std::nullopt;
  }
  if (among(kept_query_hints, h.name)) return std::nullopt;
  if (among(dropped_query_hints, h.name)) {
    c.notice(fmt::format("The query hint {} was dropped.", h.name));
    return std::nullopt;
  }
  return refuse_at(errc::unsupported_construct, fmt::format("The query hint {} is not allowed.", h.name), h.pos);
}

struct join_hints {
  bool dropped = false;
  bool enter(tsql::joined_table& j) {
    if (j.hint != tsql::join_hint::none) {
      dropped = true;
      j.hint = tsql::join_hint::none;
    }
    return true;
  }
};

}  // namespace

std::optional<failure> check_hints(check_context& c) {
  for (auto& s : c.bound.sources) {
    auto* named = s.node != nullptr ? s.node->as<tsql::named_table>() : nullptr;
    if (named == nullptr || named->hints.empty()) continue;
    if (auto refused = check_table_hints(c, named->hints)) return refused;
  }
  for (const auto& h : c.statement.hints) {
    if (auto refused = check_query_hint(c, h)) return refused;
  }
  std::erase_if(c.statement.hints, [](const auto& h) { return !among(kept_query_hints, h.name); });
  // A join hint is written where a join is; nothing to look for where there is none.
  bool joins = false;
  for (const auto& spec : c.bound.specifications) joins = joins || spec.sources.size() > 1;
  if (joins) {
    join_hints visitor;
    tsql::walk(c.statement, visitor);
    if (visitor.dropped) c.notice("A join hint was dropped.");
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
