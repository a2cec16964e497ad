// A clarification is a choice: at least two options, each of which is understood when it is asked next.
#pragma once

#include <functional>
#include <string_view>

#include "nlq/understanding.h"

namespace dragoman::nlq {

// Drops options that lead nowhere or twice to the same question. Where none were found, what can be asked instead
// stands in their place: variations of the last question, or the layer's examples. With fewer than two left it is an
// error that says what is unclear. `again` understands a question in the same conversation.
understanding with_real_options(clarification, std::string_view question, const question_context&,
                                const std::function<understanding(std::string_view)>& again);

}  // namespace dragoman::nlq
