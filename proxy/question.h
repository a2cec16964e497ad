// What a session keeps for questions, and question understanding bound to one principal.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "nlq/pipeline.h"
#include "nlq/understanding.h"
#include "proxy/service.h"

namespace dragoman::proxy {

// Set by EXEC nlq.set, put back by nlq.reset.
struct question_options {
  bool messages = true;
  bool cache = true;  // whether an answer of a moment ago will do
};

// nlq::understand for what this principal may see of the source with that number, in the conversation as it is now.
// `view` must outlive the result.
std::function<nlq::understanding(std::string_view)> understand_for(std::shared_ptr<const nlq::knowledge> known,
                                                                   const principal_view& view, std::size_t source,
                                                                   day_number today, const nlq::conversation& talk);

}  // namespace dragoman::proxy
