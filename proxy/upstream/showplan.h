// The figures of an estimated plan, out of SHOWPLAN_XML.
#pragma once

#include <optional>
#include <string_view>

#include "proxy/upstream/pool.h"

namespace dragoman::upstream {

// Sums StatementSubTreeCost over the statements of the plan and takes the greatest StatementEstRows. nullopt when the
// text has no such attribute.
std::optional<pool::estimate> read_showplan(std::string_view xml);

// The statement's text for an estimate: its parameters as declared variables without values, because under SHOWPLAN
// nothing is executed and sp_executesql would be shown as a call.
std::string showplan_text(const statement&);

}  // namespace dragoman::upstream
