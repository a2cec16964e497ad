// Ways between things along their references. Internal to nlq/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "nlq/entity_frame.h"

namespace dragoman::nlq {

// One reference followed from the thing that holds it (forward: many to one) or to it (back: one to many).
struct entity_step {
  int from = -1;
  int to = -1;
  reference_ref by;
  bool forward = true;
};
using entity_path = std::vector<entity_step>;

class entity_map {
 public:
  entity_map(const semantic_layer& layer, const entity_frame& frame);

  // The shortest way, empty where both are the same thing. `mark` is the word that asks: of several references between
  // two things the words nearest to it choose. Nothing where there is no way; throws cannot_read where there are
  // several.
  std::optional<entity_path> forward(int from, int to, std::size_t mark) const;
  std::optional<entity_path> any(int from, int to, std::size_t mark) const;
  // The thing whose rows see all of these: each is itself or lies forward of it. Throws where none or several do.
  int base_of(const std::vector<int>& needed, int preferred) const;

 private:
  struct edge {
    int to;
    bool forward;
  };
  std::optional<entity_path> find(int from, int to, std::size_t mark, bool both_ways) const;
  reference_ref choose(int holder, int target, std::size_t mark) const;
  std::vector<std::vector<int>> shortest(int from, int to, bool both_ways) const;
  bool refers(int holder, int target) const;
  bool spoken(int e) const;

  const semantic_layer& layer_;
  const entity_frame& frame_;
  std::vector<std::vector<int>> targets_;  // per entity, those it refers to
};

}  // namespace dragoman::nlq
