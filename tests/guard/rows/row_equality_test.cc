// What a principal reads through the guard is what it would read if the forbidden rows and columns did not exist: a
// generated statement, guarded and run over all data, gives the rows that the same statement as it was written gives on
// a copy that physically lacks them.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <random>

#include "guard/guard.h"
#include "proxy/sandbox/convert.h"
#include "random_data.h"

namespace {

using namespace dragoman;
using namespace dragoman::test;

struct table_of_text {
  std::string heading;
  std::vector<std::string> rows;
  std::optional<failure> why;
  bool while_running = false;  // prepared, but then failed: a conversion, a subquery of two rows
};

table_of_text run(sandbox::engine& e, const std::string& sql) {
  table_of_text out;
  auto c = e.prepare(sql);
  if (!c) {
    out.why = c.error();
    return out;
  }
  for (const auto& column : c->columns()) out.heading += column.name + "|";
  std::vector<sql_value> row(c->columns().size());
  for (;;) {
    const auto more = c->next(row);
    if (!more) {
      out.why = more.error();
      out.while_running = true;
      return out;
    }
    if (!*more) return out;
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (is_null(row[i]) ? std::string("~") : sandbox::text_of(row[i], c->columns()[i].type)) + "|";
    out.rows.push_back(std::move(text));
  }
}

std::string shown(const table_of_text& t) {
  if (t.why) return "error: " + t.why->message;
  std::string out = t.heading + " " + std::to_string(t.rows.size()) + " rows";
  for (std::size_t i = 0; i < std::min<std::size_t>(t.rows.size(), 12); ++i) out += "\n      " + t.rows[i];
  return out;
}

// The rows that only one of the two has.
std::string difference(const table_of_text& expected, const table_of_text& found) {
  if (expected.why || found.why || expected.heading != found.heading)
    return "\n   copy: " + shown(expected) + "\n   guarded gives: " + shown(found);
  std::string out;
  const auto only = [&](const table_of_text& here, const table_of_text& there, const char* whose) {
    auto left = here.rows, right = there.rows;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::vector<std::string> more;
    std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(more));
    for (std::size_t i = 0; i < std::min<std::size_t>(more.size(), 5); ++i) out += whose + more[i];
  };
  only(expected, found, "\n   only the copy: ");
  only(found, expected, "\n   only the guarded: ");
  return out.empty() ? "\n   copy: " + shown(expected) + "\n   guarded gives: " + shown(found) : out;
}

struct counts {
  std::size_t statements = 0, refused = 0, unsupported = 0, failed = 0, compared = 0, with_rows = 0, different = 0;
};

BOOST_AUTO_TEST_SUITE(guard_rows)

BOOST_AUTO_TEST_CASE(a_guarded_statement_reads_what_a_stripped_copy_holds) {
  auto loaded = catalog::load_snapshot(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/catalog.yaml");
  BOOST_REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  // The tables are tiny here, whatever the demo's are: no product of theirs is too large.
  for (auto& t : loaded->tables) t.row_count = 14;
  const auto schema = std::make_shared<const catalog::database>(std::move(*loaded));
  std::size_t rounds = 12;
  if (const char* more = std::getenv("DRAGOMAN_ROW_ROUNDS")) rounds = std::strtoull(more, nullptr, 10);
  std::uint32_t seed = 1403;
  if (const char* other = std::getenv("DRAGOMAN_ROW_SEED"))
    seed = static_cast<std::uint32_t>(std::strtoul(other, nullptr, 10));
  std::mt19937 random(seed);
  counts n;
  std::map<std::string, std::size_t> reasons;
  for (const auto& view : narrow_views()) {
    const auto principal = guard::compile_policy(view.definition, schema);
    BOOST_REQUIRE_MESSAGE(principal.has_value(), (principal ? "" : principal.error().message));
    const auto tables = tables_of(*schema, view);
    for (std::size_t round = 0; round < rounds; ++round) {
      const two_databases data = random_databases(*schema, view, random);
      for (int i = 0; i < 60; ++i) {
        std::uint8_t bytes[400];
        for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
        query_generator generator(bytes, sizeof bytes, tables);
        const std::string text = generator.statement();
        ++n.statements;
        const auto v = guard::check(text, *principal);
        if (v.kind != guard::verdict_kind::accept) {
          ++n.refused;
          ++reasons["guard: " + v.rule + ": " + v.message.substr(0, 60)];
          if (std::getenv("DRAGOMAN_ROW_REFUSED") != nullptr)
            std::cout << v.rule << ": " << v.message << ": " << text << '\n';
          continue;
        }
        auto expected = run(*data.copy, text);
        auto found = run(*data.whole, v.printed);
        if (expected.why || found.why) {
          const auto& why = expected.why ? *expected.why : *found.why;
          ++reasons[why.message.substr(0, 70)];
          if (std::getenv("DRAGOMAN_ROW_REFUSED") != nullptr) std::cout << why.message << ": " << v.printed << '\n';
          ++(why.code == errc::not_available ? n.unsupported : n.failed);
          // A name that only one of the two has is no matter of what the engine can run.
          const bool same = expected.why && found.why && expected.why->message == found.why->message;
          const int number = why.error_number();
          BOOST_TEST((same || (number != 207 && number != 208 && number != 4104 && number != 209)),
                     view.name << ": " << text << "\n   guarded: " << v.printed << difference(expected, found));
          continue;
        }
        ++n.compared;
        n.with_rows += expected.rows.empty() ? 0 : 1;
        if (!generator.ordered()) {
          std::sort(expected.rows.begin(), expected.rows.end());
          std::sort(found.rows.begin(), found.rows.end());
        }
        const bool same = expected.heading == found.heading && expected.rows == found.rows;
        n.different += same ? 0 : 1;
        BOOST_TEST(same, view.name << ": " << text << "\n   guarded: " << v.printed << difference(expected, found));
        if (n.different > 20) BOOST_REQUIRE_MESSAGE(false, "too many differences");
      }
    }
  }
  std::cout << "row equality: " << n.statements << " statements, " << n.compared << " compared (" << n.with_rows
            << " with rows), " << n.refused << " refused, " << n.unsupported << " beyond the sandbox, " << n.failed
            << " failed to run\n";
  if (std::getenv("DRAGOMAN_ROW_REASONS") != nullptr)
    for (const auto& [why, times] : reasons) std::cout << times << '\t' << why << '\n';
  // A test that compares nothing proves nothing.
  BOOST_TEST(n.compared * 4 > n.statements);
  BOOST_TEST(n.compared >= 60 * rounds);  // half of what is generated
  BOOST_TEST(n.with_rows * 8 > n.statements);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
