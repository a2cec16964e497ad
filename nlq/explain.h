// A frame in words: what is measured, for when, for what, by what, and what is taken for granted.
#pragma once

#include <string>
#include <vector>

#include "nlq/compile.h"
#include "nlq/intent.h"

namespace dragoman::nlq {

std::string interpretation_of(const query_intent&, const semantic_layer&, const compiled&);

// Caveats of the measures used, of partial years and of currencies left out.
std::vector<std::string> caveats_of(const query_intent&, const semantic_layer&, const compiled&);

}  // namespace dragoman::nlq
