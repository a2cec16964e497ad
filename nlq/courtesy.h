// Greetings, thanks and farewells: answered in kind, whatever the source, and never a query or a model's business.
#pragma once

#include <optional>
#include <string_view>

#include "nlq/understanding.h"

namespace dragoman::nlq {

// Nothing where the words say anything beside courtesy. With a layer the answer lists its example questions; `layer`
// may be null.
std::optional<schema_answer> courtesy_answer(std::string_view question, language, const semantic_layer* layer);

}  // namespace dragoman::nlq
