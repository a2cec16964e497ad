// The guard under arbitrary input: the first byte chooses between raw text and the grammar-based generators, and the
// principal; an invariant that breaks ends the program.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/guard/invariants.h"
#include "tests/guard/query_generator.h"
#include "tests/guard/statement_generator.h"

namespace {

using namespace dragoman;

struct fixture {
  catalog::database_ptr database;
  guard::policy analyst;
  guard::policy broker;
  std::vector<test::generated_table> tables;
};

const fixture& demo() {
  static const fixture all = [] {
    // Beside the binary's source tree, as every test program finds it.
    auto loaded = catalog::load_snapshot("conf/demo/catalog.yaml");
    if (!loaded) {
      std::fprintf(stderr, "run from the top of the source tree: %s\n", loaded.error().message.c_str());
      std::exit(2);
    }
    fixture f;
    f.database = std::make_shared<const catalog::database>(std::move(*loaded));
    f.tables = test::tables_of(*f.database);
    guard::policy_definition d;
    d.allow = {{"sales.*", {}, ""}, {"ref.*", {}, ""}};
    d.deny = {{"sales.Customer.NationalID", ""}, {"ref.Broker.Phone", ""}};
    d.join_only = {{"sales.Customer.LocationID", ""}, {"ref.Location.LocationID", ""}};
    f.analyst = *guard::compile_policy(d, f.database);
    d.row_filters = {{"sales.[Order]", "BrokerID = 7", ""}};
    f.broker = *guard::compile_policy(d, f.database);
    return f;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fixture& f = demo();
  const std::uint8_t mode = data[0];
  const std::string text = (mode & 1) == 0    ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                           : (mode & 16) != 0 ? test::query_generator(data + 1, size - 1, f.tables).statement()
                                              : test::statement_generator(data + 1, size - 1).statement();
  guard::check_options options;
  options.quoted_identifier = (mode & 2) == 0;
  options.profile = (mode & 4) != 0 ? guard::profile::generated : guard::profile::sql;
  const guard::policy& principal = (mode & 8) != 0 ? f.broker : f.analyst;
  if (const auto broken = test::broken_invariant(text, principal, *f.database, options)) {
    std::fprintf(stderr, "%s\n  from: %s\n", broken->c_str(), text.c_str());
    std::abort();
  }
  return 0;
}
