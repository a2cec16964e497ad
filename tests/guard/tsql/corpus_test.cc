// The parser against statements that others wrote (../shared/corpus, see its README). Rates are printed; rows listed in
// tests/corpus_exceptions.tsv are no T-SQL of SQL Server and count as failed above half a percent.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "guard/tsql/parse_lines.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace {

using namespace dragoman::tsql;

const std::string corpus = std::string(DRAGOMAN_SOURCE_DIR) + "/../shared/corpus/";

std::vector<std::vector<std::string>> read_rows(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    for (std::size_t start = 0; start <= line.size();) {
      const std::size_t tab = std::min(line.find('\t', start), line.size());
      fields.push_back(line.substr(start, tab - start));
      start = tab + 1;
    }
    rows.push_back(std::move(fields));
  }
  return rows;
}

bool not_run(const char* name, const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) std::cout << name << ": not run, " << corpus << " is absent\n";
  return rows.empty();
}

BOOST_AUTO_TEST_SUITE(tsql_corpus)

BOOST_AUTO_TEST_CASE(accepted_statements) {
  const auto rows = read_rows(corpus + "accept.tsv");
  if (not_run("accept.tsv", rows)) return;
  std::set<std::string> exceptions;
  for (const auto& row : read_rows(std::string(DRAGOMAN_SOURCE_DIR) + "/tests/corpus_exceptions.tsv"))
    exceptions.insert(row[0]);
  std::size_t parsed = 0;
  std::size_t same = 0;
  std::size_t excused = 0;
  std::vector<double> microseconds;
  for (const auto& row : rows) {
    const std::string text = unescape_line(row[2]);
    const auto start = std::chrono::steady_clock::now();
    const auto tree = parse_query(text);
    const std::string printed = tree ? print(*tree) : std::string();
    microseconds.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    if (!tree) {
      excused += exceptions.count(row[0]);
      BOOST_TEST(exceptions.count(row[0]) == 1u, row[0] << ": " << tree.error().message);
      continue;
    }
    ++parsed;
    const auto again = parse_query(printed, {.quoted_identifier = false});
    const auto pretty = parse_query(print_pretty(*tree));
    const bool equal = again && *again == *tree && print(*again) == printed && pretty && *pretty == *tree;
    BOOST_TEST(equal, row[0] << ": " << printed);
    same += equal ? 1 : 0;
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + microseconds.size() / 2, microseconds.end());
  const double rate = 100.0 * static_cast<double>(parsed) / static_cast<double>(rows.size());
  std::cout << "accept.tsv: " << parsed << " of " << rows.size() << " parsed (" << rate << " %), " << same
            << " printed to an equal tree, " << excused << " excepted, median " << microseconds[microseconds.size() / 2]
            << " us\n";
  BOOST_TEST(rate >= 99.5);
  BOOST_TEST(same == parsed);
  BOOST_TEST(static_cast<double>(exceptions.size()) <= 0.005 * static_cast<double>(rows.size()));
}

BOOST_AUTO_TEST_CASE(refused_statements) {
  const auto rows = read_rows(corpus + "refuse.tsv");
  if (not_run("refuse.tsv", rows)) return;
  std::size_t marked = 0;
  std::size_t failed = 0;
  for (const auto& row : rows) {
    const std::string& verdict = row.back();
    const std::string text = unescape_line(row[2]);
    const bool refused = !parse_query(text).has_value();
    (void)parse_batch(text);
    if (verdict != "single_non_select" && verdict != "multi_statement" && verdict != "syntax_error") continue;
    ++marked;
    failed += refused ? 1 : 0;
    if (!refused) std::cout << "refuse.tsv: " << row[0] << " was parsed\n";
  }
  std::cout << "refuse.tsv: " << failed << " of " << marked << " refused\n";
  BOOST_TEST(static_cast<double>(failed) >= 0.99 * static_cast<double>(marked));
}

BOOST_AUTO_TEST_CASE(bypass_statements_print_to_themselves) {
  const auto rows = read_rows(corpus + "bypass.tsv");
  if (not_run("bypass.tsv", rows)) return;
  std::size_t parsed = 0;
  for (const auto& row : rows) {
    const auto tree = parse_query(unescape_line(row[2]));
    BOOST_TEST((tree.has_value() || row[3] != "accept"), row[0] << ": " << (tree ? "" : tree.error().message));
    if (!tree) continue;
    ++parsed;
    const auto again = parse_query(print(*tree));
    BOOST_TEST((again && *again == *tree), row[0]);
  }
  std::cout << "bypass.tsv: " << parsed << " of " << rows.size() << " parsed\n";
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
