// Next questions after an answer. Each has been understood before it is suggested: none leads to a refusal.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/understanding.h"

namespace dragoman::nlq {

inline constexpr std::size_t suggestions_max = 3;

// Variations of one question: by another dimension, over time, the leaders only; the same measure and period, in the
// same language. `understand` is that of the source for this principal. Nothing for questions with filters of their
// own, comparisons or several measures: a variation that dropped a part would be another question.
std::vector<std::string> suggestions_for(const query_intent&, const semantic_layer&,
                                         const std::function<understanding(std::string_view)>& understand);

}  // namespace dragoman::nlq
