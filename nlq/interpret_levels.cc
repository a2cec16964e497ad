// "drill down", "drill into Tehran", "roll up": along the layer's hierarchies, and along the calendar.

#include <algorithm>
#include <array>

#include "nlq/interpreter.h"

namespace dragoman::nlq {
namespace {

// Weeks lie across months and have no level beside them.
std::optional<grain> grain_beside(grain from, int step) {
  static constexpr std::array levels{grain::year, grain::quarter, grain::month, grain::day};
  const auto at = std::find(levels.begin(), levels.end(), from);
  if (at == levels.end()) return std::nullopt;
  const auto to = (at - levels.begin()) + step;
  if (to < 0 || to >= static_cast<std::ptrdiff_t>(levels.size())) return std::nullopt;
  return levels[static_cast<std::size_t>(to)];
}

// The same place seen from the same side: the customer's city under the customer's province.
std::string role_beside(const group& from, const dimension& to) {
  const bool has = std::find(to.roles.begin(), to.roles.end(), from.role) != to.roles.end();
  return has ? from.role : std::string();
}

}  // namespace

// False: there is no such level, and the question ends there.
bool interpreter::change_level(const query_intent& last) {
  index at = find(gram::drill);
  const int step = at == nowhere ? -1 : 1;
  if (at == nowhere) at = find(gram::roll_up);
  if (at == nowhere) return true;
  out_.kind = turn::drill_down;
  const std::string words = m_[at].words;
  m_[at].used = true;
  const auto none = [&] {
    out_.leftover.push_back(words);
    return false;
  };
  if (last.shape != query_shape::aggregate) return none();

  // "drill into Tehran": its rows alone, by the level below the one that it is of.
  if (step > 0 && !filters_.empty()) {
    const value_filter& value = filters_.front().filter;
    const dimension* below = layer_.level_beside(value.dimension, 1);
    if (below == nullptr || value.negated || filters_.size() > 1) return none();
    const auto same = std::find_if(q_.groups.begin(), q_.groups.end(),
                                   [&](const group& g) { return g.dimension == value.dimension; });
    group next;
    next.dimension = below->id;
    if (same != q_.groups.end()) {
      next.role = role_beside(*same, *below);
      *same = next;
    } else {
      q_.groups.push_back(next);
    }
    if (q_.top) q_.top->within.reset();
    return true;
  }
  // "drill down to city" names its level; the groups are read like any.
  if (std::any_of(m_.begin(), m_.end(), [](const mark& m) { return m.dimension >= 0 || m.is_grain(); })) return true;

  for (std::size_t i = q_.groups.size(); i-- > 0;) {
    group& g = q_.groups[i];
    if (g.time) {
      const auto next = grain_beside(*g.time, step);
      if (!next) continue;
      g.time = *next;
      return true;
    }
    const dimension* next = layer_.level_beside(g.dimension, step);
    if (next == nullptr) continue;
    const auto there =
        std::find_if(q_.groups.begin(), q_.groups.end(), [&](const group& x) { return x.dimension == next->id; });
    if (step > 0) {
      if (there != q_.groups.end()) continue;
      group child;
      child.dimension = next->id;
      child.role = role_beside(g, *next);
      q_.groups.insert(q_.groups.begin() + static_cast<std::ptrdiff_t>(i) + 1, child);
      if (q_.top) q_.top->within = i;
      return true;
    }
    if (there != q_.groups.end()) {
      q_.groups.erase(q_.groups.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      g.role = role_beside(g, *next);
      g.dimension = next->id;
    }
    if (q_.top && q_.top->within) q_.top->within.reset();
    return true;
  }
  return none();
}

}  // namespace dragoman::nlq
