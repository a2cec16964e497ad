// Questions read against the entities of a semantic layer: the second reading, for what no metric accounts for.
#pragma once

#include <string_view>
#include <vector>

#include "nlq/understanding.h"

namespace dragoman::nlq {

// One query per column whose values may name it, at most a few thousand distinct values each.
std::vector<value_query> entity_value_queries(const semantic_layer& layer);

// An understood_query, or needs_model with the words that have no place.
understanding read_about_entities(std::string_view question, const question_context& context);

}  // namespace dragoman::nlq
