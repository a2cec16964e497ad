// What of a catalogue a principal may know, as retrieval and prompts see it. The guard makes one from its policy; a
// column that is `hidden` here never appears in a text for a model, not even as the target of a foreign key.
#pragma once

#include <cstdint>
#include <functional>

#include "guard/catalog/catalog.h"

namespace dragoman::retrieval {

enum class column_right : std::uint8_t { hidden, join_only, visible };

// Must be deterministic. A table all of whose columns are hidden is hidden itself.
using visibility = std::function<column_right(const catalog::table&, const catalog::column&)>;

inline visibility everything_visible() {
  return [](const catalog::table&, const catalog::column&) { return column_right::visible; };
}

}  // namespace dragoman::retrieval
