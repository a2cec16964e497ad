#include "nlq/entity_paths.h"

#include <algorithm>
#include <deque>

namespace dragoman::nlq {
namespace {

// More than this many ways of one length are not compared.
constexpr std::size_t ways_max = 16;

}  // namespace

entity_map::entity_map(const semantic_layer& layer, const entity_frame& frame) : layer_(layer), frame_(frame) {
  targets_.resize(layer.entities.size());
  for (std::size_t e = 0; e < layer.entities.size(); ++e) {
    for (const entity_reference& r : layer.entities[e].references) {
      for (std::size_t t = 0; t < layer.entities.size(); ++t) {
        if (t != e && layer.entities[t].id == r.to) targets_[e].push_back(static_cast<int>(t));
      }
    }
  }
}

bool entity_map::refers(int holder, int target) const {
  const auto& t = targets_[static_cast<std::size_t>(holder)];
  return std::find(t.begin(), t.end(), target) != t.end();
}

bool entity_map::spoken(int e) const {
  return std::find(frame_.mentioned.begin(), frame_.mentioned.end(), e) != frame_.mentioned.end();
}

reference_ref entity_map::choose(int holder, int target, std::size_t mark) const {
  const entity& from = layer_.entities[static_cast<std::size_t>(holder)];
  const std::string& id = layer_.entities[static_cast<std::size_t>(target)].id;
  std::vector<reference_ref> all;
  for (std::size_t r = 0; r < from.references.size(); ++r) {
    if (from.references[r].to == id) all.push_back({holder, static_cast<int>(r)});
  }
  if (all.size() == 1) return all.front();
  std::optional<std::pair<reference_ref, std::size_t>> best;
  for (const auto& [reference, at] : frame_.references) {
    if (std::find(all.begin(), all.end(), reference) == all.end()) continue;
    // The nearest one before the word, else the nearest behind it.
    const auto rank = [&](std::size_t p) { return p <= mark ? mark - p : (p - mark) + 100'000; };
    if (!best || rank(at) < rank(best->second)) best = {reference, at};
  }
  if (!best) throw cannot_read{"several references lead from " + from.id + " to " + id, {}};
  return best->first;
}

std::vector<std::vector<int>> entity_map::shortest(int from, int to, bool both_ways) const {
  const std::size_t n = layer_.entities.size();
  std::vector<int> distance(n, -1);
  std::deque<int> open{from};
  distance[static_cast<std::size_t>(from)] = 0;
  auto neighbours = [&](int e) {
    std::vector<int> out = targets_[static_cast<std::size_t>(e)];
    if (both_ways) {
      for (std::size_t h = 0; h < n; ++h) {
        if (refers(static_cast<int>(h), e)) out.push_back(static_cast<int>(h));
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  };
  while (!open.empty()) {
    const int at = open.front();
    open.pop_front();
    for (const int next : neighbours(at)) {
      if (distance[static_cast<std::size_t>(next)] >= 0) continue;
      distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(at)] + 1;
      open.push_back(next);
    }
  }
  std::vector<std::vector<int>> out;
  if (distance[static_cast<std::size_t>(to)] < 0) return out;
  std::vector<std::vector<int>> partial{{from}};
  while (!partial.empty() && out.size() < ways_max) {
    std::vector<int> way = std::move(partial.back());
    partial.pop_back();
    if (way.back() == to) {
      out.push_back(std::move(way));
      continue;
    }
    if (static_cast<int>(way.size()) > distance[static_cast<std::size_t>(to)]) continue;
    for (const int next : neighbours(way.back())) {
      if (distance[static_cast<std::size_t>(next)] != static_cast<int>(way.size())) continue;
      partial.push_back(way);
      partial.back().push_back(next);
    }
  }
  return out;
}

std::optional<entity_path> entity_map::find(int from, int to, std::size_t mark, bool both_ways) const {
  if (from == to) return entity_path{};
  const std::vector<std::vector<int>> ways = shortest(from, to, both_ways);
  if (ways.empty()) return std::nullopt;
  const std::vector<int>* best = nullptr;
  int best_score = -1;
  bool tie = false;
  for (const std::vector<int>& way : ways) {
    int score = 0;
    bool siblings = false;
    for (std::size_t k = 1; k + 1 < way.size(); ++k) {
      if (spoken(way[k])) ++score;
      // Two things that refer to a third have little to do with each other, unless it is spoken of.
      if (refers(way[k - 1], way[k]) && refers(way[k + 1], way[k]) && !refers(way[k], way[k + 1]) && !spoken(way[k]))
        siblings = true;
    }
    if (siblings) continue;
    if (score > best_score) {
      best = &way;
      best_score = score;
      tie = false;
    } else if (score == best_score) {
      tie = true;
    }
  }
  const std::string &a = layer_.entities[static_cast<std::size_t>(from)].id,
                    &b = layer_.entities[static_cast<std::size_t>(to)].id;
  if (best == nullptr) throw cannot_read{a + " and " + b + " are not related", {}};
  if (tie) throw cannot_read{"there are several ways from " + a + " to " + b, {}};
  entity_path out;
  for (std::size_t k = 0; k + 1 < best->size(); ++k) {
    entity_step s;
    s.from = (*best)[k];
    s.to = (*best)[k + 1];
    s.forward = refers(s.from, s.to);
    s.by = s.forward ? choose(s.from, s.to, mark) : choose(s.to, s.from, mark);
    out.push_back(s);
  }
  return out;
}

std::optional<entity_path> entity_map::forward(int from, int to, std::size_t mark) const {
  return find(from, to, mark, false);
}

std::optional<entity_path> entity_map::any(int from, int to, std::size_t mark) const {
  return find(from, to, mark, true);
}

int entity_map::base_of(const std::vector<int>& needed, int preferred) const {
  int best = -1;
  std::size_t best_cost = 0;
  bool tie = false;
  for (std::size_t b = 0; b < layer_.entities.size(); ++b) {
    const int base = static_cast<int>(b);
    std::size_t cost = 0;
    bool all = true;
    for (const int n : needed) {
      if (n == base) continue;
      const auto ways = shortest(base, n, false);
      if (ways.empty()) {
        all = false;
        break;
      }
      cost += 10 * (ways.front().size() - 1);
    }
    if (!all) continue;
    if (spoken(base)) cost -= std::min<std::size_t>(cost, 5);
    if (base == preferred) cost -= std::min<std::size_t>(cost, 2);
    if (best < 0 || cost < best_cost) {
      best = base;
      best_cost = cost;
      tie = false;
    } else if (cost == best_cost) {
      tie = true;
    }
  }
  if (best < 0) throw cannot_read{"no table relates what is asked for", {}};
  if (tie) throw cannot_read{"several tables relate what is asked for", {}};
  return best;
}

}  // namespace dragoman::nlq
