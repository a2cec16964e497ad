// The demo's principals over the demo's catalogue snapshot, as conf/demo gives them.
#pragma once

#include <memory>
#include <string>

#include "guard/catalog/catalog.h"
#include "guard/guard.h"
#include "guard/policy.h"

namespace dragoman::test {

catalog::database_ptr demo_catalog();
guard::policy_definition demo_definition(const std::string& principal);
const guard::policy& demo_policy(const std::string& principal);  // analyst, broker7, manager
guard::policy compiled(const guard::policy_definition&);         // fails the test when it does not compile

}  // namespace dragoman::test
