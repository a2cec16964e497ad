// One sentence about a result, every number of which can be traced to it. Without a model.
#pragma once

#include <optional>
#include <string>

#include "nlq/action.h"
#include "nlq/intent.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

// Whether the values of this question's one measure may be added up: what a share of a total needs.
bool measure_is_additive(const query_intent&, const semantic_layer&);

// Who leads, and with what share of the rows shown where `additive`. Nothing for an empty or one-row result, for one
// without exactly one label-and-measure reading, for ties at the top, and where not all rows are in the head.
std::optional<std::string> insight_of(const result_head&, bool additive, language);

}  // namespace dragoman::nlq
