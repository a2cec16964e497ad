// What one part of a semantic layer says about another must be there. Internal to nlq/.
#pragma once

#include <optional>
#include <string>

#include "nlq/semantics.h"

namespace dragoman::nlq {

struct dangling_reference {
  std::string where;  // key of the file, dotted
  std::string what;   // the name that nothing defines
};

// The first in the order of the file; nothing when all are defined.
std::optional<dangling_reference> first_dangling_reference(const semantic_layer&);

}  // namespace dragoman::nlq
