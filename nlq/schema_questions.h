// Questions about the data rather than from them, answered by the semantic layer and the catalogue.
#pragma once

#include <optional>

#include "nlq/reading.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {

std::optional<schema_answer> answer_about_schema(const reading&, language, const question_context&);

}  // namespace dragoman::nlq
