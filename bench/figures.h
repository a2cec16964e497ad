// What a run of the benchmarks found: printed as a table, written as build/bench.json and into docs/benchmarks.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dragoman::bench {

struct figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> baseline;  // the same without the gateway, or another program's
  std::string target;              // ">= 0.7", "< 300"; empty = no goal, measured to be known
  std::optional<bool> met;         // by value and target
};

class figures {
 public:
  // `target` is ">= number" or "<= number"; met is worked out here.
  void add(std::string name, double value, std::string unit, std::optional<double> baseline = {},
           std::string target = {});
  void note(std::string text);  // a line under the table: what was not run and why

  void print() const;
  void write_json(const std::string& file) const;
  // Replaces the part of the page between its markers; the rest of the page is kept.
  void write_page(const std::string& file, const std::string& heading) const;
  bool all_met() const;

 private:
  std::vector<figure> all_;
  std::vector<std::string> notes_;
};

double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);  // share 0.5 = p50

}  // namespace dragoman::bench
