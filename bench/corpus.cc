// The language and the guard over statements that others wrote: ../shared/corpus beside the project. Without it, and
// without a Python that has sqlglot, the figures are not run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measures.h"
#include "guard/guard.h"
#include "guard/guard_lines.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::bench {
namespace {

using table = std::vector<std::vector<std::string>>;

table rows_of(const std::string& file) {
  table rows;
  std::ifstream in(std::string(DRAGOMAN_SOURCE_DIR) + "/../shared/corpus/" + file, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> columns(1);
    for (char c : line) {
      if (c == '\t')
        columns.emplace_back();
      else
        columns.back() += c;
    }
    if (columns.size() > 2) columns[2] = guard::unescape_statement(columns[2]);
    rows.push_back(std::move(columns));
  }
  return rows;
}

std::vector<double> microseconds_of(const std::function<void()>& f, int times) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    all.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return all;
}

// The median of a few calls, so that one interrupt does not count.
double microseconds(const std::function<void()>& f) {
  return median(microseconds_of(f, 5));
}

void parse_and_print(const std::string& sql) {
  if (const auto tree = tsql::parse_query(sql)) {
    if (tsql::print(*tree).empty()) throw std::runtime_error("nothing printed");
  }
}

// ---- another parser over the same statements ----------------------------------------------------------------------

// Microseconds of sqlglot's parse and print by statement; those it cannot read are missing.
std::map<std::size_t, double> sqlglot_times(const settings& s, const std::vector<std::string>& statements) {
  const std::string in = s.scratch + "/statements", out = s.scratch + "/sqlglot.times";
  std::ofstream file(in, std::ios::binary);
  for (const std::string& sql : statements) file << sql << '\0';
  file.close();
  const std::string command = fmt::format("'{}' '{}/bench/sqlglot_times.py' '{}' {} > '{}'", s.peers_python,
                                          DRAGOMAN_SOURCE_DIR, in, s.quick ? 1 : 3, out);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("sqlglot did not run");
  std::map<std::size_t, double> times;
  std::ifstream lines(out);
  std::size_t index = 0;
  for (double time = 0; lines >> index >> time;) times[index] = time;
  return times;
}

void measure_sqlglot(const settings& s, figures& out, const std::vector<std::string>& statements) {
  if (s.peers_python.empty()) {
    out.note("not run: parse and print against sqlglot (make bench-peers installs it from PyPI)");
    return;
  }
  std::map<std::size_t, double> theirs;
  try {
    theirs = sqlglot_times(s, statements);
  } catch (const std::exception& e) {
    out.note(fmt::format("not run: parse and print against sqlglot: {}", e.what()));
    return;
  }
  std::vector<double> own, other, ratios;
  for (const auto& [index, time] : theirs) {
    const double ours = microseconds([&] { parse_and_print(statements[index]); });
    own.push_back(ours);
    other.push_back(time);
    ratios.push_back(time / ours);
  }
  out.add(fmt::format("parse + print, median of the {} statements that sqlglot reads too", own.size()), median(own),
          "us", median(other));
  out.add("parse + print, how many times as fast as sqlglot, median", median(ratios), "ratio", 1.0, ">= 100");
}

// ---- linear in length ---------------------------------------------------------------------------------------------

std::string repeated(const std::string& part, std::size_t times, const std::string& between) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += (i == 0 ? "" : between) + part;
  return out;
}

// Time per byte of a text eight times as long against that of the short one, the fastest of some calls each, since
// whatever disturbs them only adds; the worst of some ways in which a statement grows.
void measure_growth(figures& out) {
  struct growth {
    const char* name;
    std::function<std::string(std::size_t)> text;
  };
  const growth ways[] = {
      {"select list",
       [](auto n) { return "SELECT " + repeated("o.TotalPrice * 2 AS [twice]", n, ", ") + " FROM t AS o"; }},
      {"conditions",
       [](auto n) { return "SELECT a FROM t WHERE " + repeated("(a = 1 AND b IN (1, 2, 3))", n, " OR "); }},
      {"joins", [](auto n) { return "SELECT a FROM t" + repeated(" JOIN sales.[Order] AS o ON o.a = t.a", n, ""); }},
      {"UNION ALL", [](auto n) { return repeated("SELECT a, SUM(b) FROM t GROUP BY a", n, " UNION ALL "); }},
      {"subqueries",
       [](auto n) { return "SELECT " + repeated("(SELECT MAX(x.b) FROM x WHERE x.a = t.a)", n, ", ") + " FROM t"; }},
      {"comments", [](auto n) { return "SELECT a " + repeated("/* nothing to read */", n, " ") + " FROM t"; }},
      {"long text", [](auto n) { return "SELECT N'" + repeated("it''s a text ", n, "") + "' AS a"; }},
  };
  double worst = 0;
  std::string name;
  for (const growth& way : ways) {
    std::vector<double> each;
    for (const std::size_t n : {100, 800}) {
      const std::string text = way.text(n);
      if (!tsql::parse_query(text)) throw std::runtime_error(std::string("does not parse: ") + way.name);
      const auto all = microseconds_of([&] { parse_and_print(text); }, 25);
      each.push_back(*std::min_element(all.begin(), all.end()) / static_cast<double>(text.size()));
    }
    const double ratio = each.back() / each.front();
    if (ratio > worst) {
      worst = ratio;
      name = way.name;
    }
  }
  out.add(fmt::format("parse + print, time per byte at eight times the length (worst: {})", name), worst, "ratio", 1.0,
          "<= 2");
}

// ---- the guard ----------------------------------------------------------------------------------------------------

guard::policy demo_policy(bool broker) {
  auto loaded = catalog::load_snapshot(DRAGOMAN_SOURCE_DIR "/conf/demo/catalog.yaml");
  if (!loaded) throw std::runtime_error(loaded.error().message);
  guard::policy_definition rights;
  rights.principal = rights.key = "bench";
  for (const char* t : {"sales.*", "ref.*"}) rights.allow.push_back({t, {}, "bench.allow"});
  rights.deny = {{"sales.Customer.NationalID", "bench.deny"}, {"ref.Broker.Phone", "bench.deny"}};
  rights.join_only = {{"sales.Customer.LocationID", "bench.join_only"}, {"ref.Location.LocationID", "bench.join_only"}};
  if (broker) rights.row_filters.push_back({"sales.Order", "BrokerID = 7", "bench.row_filters"});
  auto policy = guard::compile_policy(rights, std::make_shared<const catalog::database>(std::move(*loaded)));
  if (!policy) throw std::runtime_error(policy.error().message);
  return std::move(*policy);
}

void measure_guard(figures& out, const table& rows) {
  const guard::policy analyst = demo_policy(false), broker = demo_policy(true);
  std::vector<double> all;
  for (const auto& row : rows) {
    if (row.size() < 4 || row[3] == "refuse") continue;
    const guard::policy& principal = row[1] == "rowfilter_must_apply" ? broker : analyst;
    if (guard::check(row[2], principal).kind != guard::verdict_kind::accept) continue;
    all.push_back(microseconds([&] { (void)guard::check(row[2], principal).printed.size(); }));
  }
  out.add(fmt::format("guard (parse to print), median of {} accepted statements", all.size()), median(all), "us", {},
          "<= 25");
  out.add("guard (parse to print), p99 of them", percentile(all, 0.99), "us");
}

}  // namespace

void measure_corpus(const settings& s, figures& out) {
  measure_growth(out);
  const table accepted = rows_of("accept.tsv"), tried = rows_of("bypass.tsv");
  if (accepted.empty() || tried.empty()) {
    out.note("not run: parse, print and guard over the shared statements (no ../shared/corpus)");
    return;
  }
  std::vector<std::string> statements;
  for (const auto& row : accepted)
    if (row.size() > 2 && tsql::parse_query(row[2])) statements.push_back(row[2]);
  if (s.quick) statements.resize(std::min<std::size_t>(statements.size(), 300));
  std::vector<double> all;
  for (const std::string& sql : statements) all.push_back(microseconds([&] { parse_and_print(sql); }));
  out.add(fmt::format("parse + print, median of {} statements", all.size()), median(all), "us", {}, "<= 15");
  out.add("parse + print, p99 of them", percentile(all, 0.99), "us");
  measure_guard(out, tried);
  measure_sqlglot(s, out, statements);
}

}  // namespace dragoman::bench
