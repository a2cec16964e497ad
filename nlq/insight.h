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

// How the rows of a question may be spoken of.
struct insight_reading {
  bool silent = false;    // rows of several rankings or of more than one breakdown: no row stands for its label
  bool additive = false;  // the values may be added up
  bool lowest = false;    // the rows are the lowest ones: who is lowest is what was asked
};
insight_reading insight_reading_of(const query_intent&, const semantic_layer&);

// Who leads (or is lowest), and with what share of the rows shown where the values add up. Nothing for an empty or
// one-row result, for one without exactly one label and one measure, for ties, and where not all rows are in the head.
std::optional<std::string> insight_of(const result_head&, const insight_reading&, language);

}  // namespace dragoman::nlq
