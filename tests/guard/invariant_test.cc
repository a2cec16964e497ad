// Invariants over generated statements: printing is a fixed point, and what is accepted names nothing outside the
// policy when it is bound again against the full catalogue.
#include "invariants.h"

#include <boost/test/unit_test.hpp>
#include <iostream>
#include <random>

#include "demo_policy.h"
#include "query_generator.h"
#include "statement_generator.h"

BOOST_AUTO_TEST_SUITE(guard_invariants)

BOOST_AUTO_TEST_CASE(hold_for_generated_statements) {
  using namespace dragoman;
  std::mt19937 random(20250310);
  std::size_t accepted = 0, total = 0;
  for (int i = 0; i < 20000; ++i) {
    std::uint8_t bytes[96];
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    const std::string text = test::statement_generator(bytes, sizeof bytes).statement();
    for (const char* name : {"analyst", "broker7"}) {
      const auto& principal = test::demo_policy(name);
      guard::check_options options;
      options.nolock = i % 3 == 0;
      if (i % 2 == 0) options.row_cap = 100;
      const auto broken = test::broken_invariant(text, principal, *test::demo_catalog(), options);
      BOOST_TEST(!broken.has_value(), text << "\n   " << broken.value_or(""));
      ++total;
      accepted += guard::check(text, principal, options).kind == guard::verdict_kind::accept ? 1 : 0;
    }
  }
  std::cout << "generated statements: " << accepted << " of " << total << " accepted\n";
  // A generator whose statements are all refused tests nothing.
  BOOST_TEST(accepted * 10 > total);
}

// The same for the richer grammar, which knows types; the names of forbidden tables and columns are among the others.
BOOST_AUTO_TEST_CASE(hold_for_generated_queries) {
  using namespace dragoman;
  std::mt19937 random(14031229);
  const auto tables = test::tables_of(*test::demo_catalog());
  std::size_t accepted = 0, total = 0;
  for (int i = 0; i < 8000; ++i) {
    std::uint8_t bytes[300];
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    const std::string text = test::query_generator(bytes, sizeof bytes, tables).statement();
    for (const char* name : {"analyst", "broker7"}) {
      const auto& principal = test::demo_policy(name);
      guard::check_options options;
      options.nolock = i % 3 == 0;
      options.row_cap = i % 2 == 0 ? 100 : 0;
      const auto broken = test::broken_invariant(text, principal, *test::demo_catalog(), options);
      BOOST_TEST(!broken.has_value(), text << "\n   " << broken.value_or(""));
      ++total;
      accepted += guard::check(text, principal, options).kind == guard::verdict_kind::accept ? 1 : 0;
    }
  }
  std::cout << "generated queries: " << accepted << " of " << total << " accepted\n";
  BOOST_TEST(accepted * 10 > total);
}

BOOST_AUTO_TEST_SUITE_END()
