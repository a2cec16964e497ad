#include "demo_policy.h"

#include <boost/test/unit_test.hpp>
#include <map>

namespace dragoman::test {

catalog::database_ptr demo_catalog() {
  static const catalog::database_ptr db = [] {
    auto loaded = catalog::load_snapshot(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/catalog.yaml");
    BOOST_REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
    return std::make_shared<const catalog::database>(std::move(*loaded));
  }();
  return db;
}

guard::policy_definition demo_definition(const std::string& principal) {
  guard::policy_definition d;
  d.principal = principal;
  d.key = "principals." + principal;
  d.allow = {{"sales.*", {}, "allow[0]"}, {"ref.*", {}, "allow[1]"}};
  if (principal != "manager") {
    d.deny = {{"sales.Customer.NationalID", "deny[0]"}, {"ref.Broker.Phone", "deny[1]"}};
    d.join_only = {{"sales.Customer.LocationID", "join_only[0]"}, {"ref.Location.LocationID", "join_only[1]"}};
  }
  if (principal == "broker7") {
    d.attributes["broker_id"] = {"7"};
    d.row_filters = {{"sales.[Order]", "BrokerID = @broker_id", "row_filters[0]"}};
  }
  return d;
}

guard::policy compiled(const guard::policy_definition& d) {
  auto p = guard::compile_policy(d, demo_catalog());
  BOOST_REQUIRE_MESSAGE(p.has_value(), (p ? "" : p.error().message));
  return std::move(*p);
}

const guard::policy& demo_policy(const std::string& principal) {
  static std::map<std::string, guard::policy> all;
  auto it = all.find(principal);
  if (it == all.end()) it = all.emplace(principal, compiled(demo_definition(principal))).first;
  return it->second;
}

}  // namespace dragoman::test
