// Whether everything in a semantic layer can run: each formula and each verified question as the guard would see it.
//
// check_semantics() (semantics.h) compares names; this binds whole statements, so that a type, an aggregate inside of
// an aggregate or a function that is not allowed is found before anybody asks.
#pragma once

#include <string>
#include <vector>

#include "guard/catalog/catalog.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

// One message per mistake, "where: what"; empty where all of them pass. `counted` (may be null) receives how many
// statements were tried.
std::vector<std::string> check_formulas(const semantic_layer& layer, const catalog::database_ptr& database,
                                        std::size_t* counted = nullptr);

}  // namespace dragoman::nlq
