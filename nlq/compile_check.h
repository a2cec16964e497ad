// Which slots of a frame its shape can honour. Internal to nlq/.
#pragma once

#include <string>

#include "nlq/intent.h"

namespace dragoman::nlq {

// Empty when every slot that is filled has its place in the query; otherwise what would have been left out, in the
// language of the question. A slot that a shape does not know must never be dropped in silence.
std::string unplaced_slot(const query_intent&);

}  // namespace dragoman::nlq
