// The shared corpora: statements that others wrote, with the verdict they must get. "not run" where they are absent.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "demo_policy.h"
#include "guard/guard_lines.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace {

using namespace dragoman;

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(std::string(DRAGOMAN_SOURCE_DIR) + "/../shared/corpus/" + file, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> columns(1);
    for (char c : line) {
      if (c == '\t') {
        columns.emplace_back();
      } else {
        columns.back() += c;
      }
    }
    rows.push_back(std::move(columns));
  }
  if (rows.empty()) std::cout << file << ": not run (no ../shared/corpus)\n";
  return rows;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const bool verbose = std::getenv("DRAGOMAN_VERBOSE") != nullptr;

}  // namespace

BOOST_AUTO_TEST_SUITE(guard_corpus)

BOOST_AUTO_TEST_CASE(bypass) {
  std::size_t wrong = 0, total = 0;
  for (const auto& row : rows_of("bypass.tsv")) {
    BOOST_REQUIRE(row.size() >= 4);
    ++total;
    const bool filtered = row[1] == "rowfilter_must_apply";
    const auto& principal = test::demo_policy(filtered ? "broker7" : "analyst");
    const std::string statement = guard::unescape_statement(row[2]);
    const auto v = guard::check(statement, principal);
    const bool accepted = v.kind == guard::verdict_kind::accept;
    bool ok = row[3] == "either" || (row[3] == "accept") == accepted;
    if (accepted) {
      // What may be read of a string is in the statement as it came; names must be gone.
      const auto rebound = guard::check(v.printed, test::demo_policy("manager"));
      if (rebound.kind == guard::verdict_kind::refuse) ok = false;
      if (contains(v.printed, "Phone,") || contains(v.printed, ".NationalID") || contains(v.printed, "Salary"))
        ok = false;
      if (filtered && contains(v.printed, "Order") && !contains(v.printed, "BrokerID = 7")) ok = false;
    }
    if (verbose && accepted) std::cout << row[0] << "\t" << v.printed << "\n";
    if (ok) continue;
    ++wrong;
    std::cout << row[0] << " " << row[1] << " expected " << row[3] << ": " << row[2].substr(0, 200) << "\n   -> "
              << (accepted ? "accept " + v.printed
                           : (v.kind == guard::verdict_kind::local ? "local " + v.action
                                                                   : std::string(name_of(v.code)) + " " + v.message))
              << "\n";
  }
  if (total != 0) std::cout << "bypass.tsv: " << total - wrong << " of " << total << " as expected\n";
  BOOST_TEST(wrong == 0u);
}

BOOST_AUTO_TEST_CASE(refuse_forwards_nothing) {
  std::size_t forwarded = 0, total = 0, local = 0;
  for (const auto& row : rows_of("refuse.tsv")) {
    BOOST_REQUIRE(row.size() >= 3);
    ++total;
    const auto v = guard::check(guard::unescape_statement(row[2]), test::demo_policy("analyst"));
    if (v.kind == guard::verdict_kind::local) {
      ++local;
      if (verbose) std::cout << row[0] << " local (" << v.action << "): " << row[2].substr(0, 160) << "\n";
    }
    if (v.kind != guard::verdict_kind::accept) continue;
    ++forwarded;
    std::cout << row[0] << " forwarded: " << row[2].substr(0, 200) << "\n   -> " << v.printed << "\n";
  }
  if (total != 0) std::cout << "refuse.tsv: " << forwarded << " of " << total << " forwarded, " << local << " local\n";
  BOOST_TEST(forwarded == 0u);
}

// Real statements, nearly all over tables of no allowlist: what passes, passes again as printed.
BOOST_AUTO_TEST_CASE(accepted_statements_pass_again_as_printed) {
  std::size_t total = 0;
  for (const auto& row : rows_of("accept.tsv")) {
    BOOST_REQUIRE(row.size() >= 3);
    ++total;
    const auto v = guard::check(guard::unescape_statement(row[2]), test::demo_policy("analyst"));
    if (v.kind != guard::verdict_kind::accept) continue;
    BOOST_TEST((guard::check(v.printed, test::demo_policy("analyst")).kind == guard::verdict_kind::accept),
               row[0] << ": " << v.printed);
  }
  BOOST_TEST(total >= 0u);
}

BOOST_AUTO_TEST_SUITE_END()
