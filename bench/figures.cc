#include "bench/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <iostream>
#include <sstream>

namespace dragoman::bench {
namespace {

std::string shown(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.3f}", value);
}

std::string verdict(const figure& f) {
  return !f.met ? "" : *f.met ? "met" : "MISSED";
}

}  // namespace

void figures::add(std::string name, double value, std::string unit, std::optional<double> baseline,
                  std::string target) {
  figure f{std::move(name), value, std::move(unit), baseline, std::move(target), {}};
  if (f.target.size() > 3) {
    const double goal = std::stod(f.target.substr(3));
    f.met = f.target.starts_with(">=") ? value >= goal : value <= goal;
  }
  std::cerr << "  " << f.name << ": " << shown(value) << ' ' << f.unit << '\n';
  all_.push_back(std::move(f));
}

void figures::note(std::string text) {
  std::cerr << "  " << text << '\n';
  notes_.push_back(std::move(text));
}

void figures::print() const {
  std::size_t width = 10;
  for (const figure& f : all_) width = std::max(width, f.name.size());
  std::cout << fmt::format("{:<{}}  {:>12}  {:<9} {:>12}  {:<9} {}\n", "name", width, "value", "unit", "baseline",
                           "target", "");
  for (const figure& f : all_)
    std::cout << fmt::format("{:<{}}  {:>12}  {:<9} {:>12}  {:<9} {}\n", f.name, width, shown(f.value), f.unit,
                             f.baseline ? shown(*f.baseline) : "", f.target, verdict(f));
  for (const std::string& n : notes_) std::cout << n << '\n';
}

void figures::write_json(const std::string& file) const {
  boost::json::array list;
  for (const figure& f : all_) {
    boost::json::object o;
    o["name"] = f.name;
    o["value"] = f.value;
    o["unit"] = f.unit;
    o["baseline"] = f.baseline ? boost::json::value(*f.baseline) : boost::json::value(nullptr);
    o["target"] = f.target.empty() ? boost::json::value(nullptr) : boost::json::value(f.target);
    o["met"] = f.met ? boost::json::value(*f.met) : boost::json::value(nullptr);
    list.push_back(std::move(o));
  }
  std::ofstream out(file);
  // One figure a line, so that two runs can be compared with diff.
  out << "[\n";
  for (std::size_t i = 0; i < list.size(); ++i)
    out << "  " << boost::json::serialize(list[i]) << (i + 1 < list.size() ? ",\n" : "\n");
  out << "]\n";
}

void figures::write_page(const std::string& file, const std::string& heading) const {
  constexpr std::string_view begin_mark = "<!-- figures: written by make bench -->";
  constexpr std::string_view end_mark = "<!-- end of figures -->";
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string page = text.str();
  std::string part =
      fmt::format("{}\n\n{}\n\n| figure | value | unit | without / against | goal | |\n|---|---|---|---|---|---|\n",
                  begin_mark, heading);
  for (const figure& f : all_)
    part += fmt::format("| {} | {} | {} | {} | {} | {} |\n", f.name, shown(f.value), f.unit,
                        f.baseline ? shown(*f.baseline) : "", f.target, verdict(f));
  for (const std::string& n : notes_) part += "\n" + n + "\n";
  part += "\n";
  const auto from = page.find(begin_mark);
  const auto to = page.find(end_mark);
  if (from == std::string::npos || to == std::string::npos)
    page += "\n" + part + std::string(end_mark) + "\n";
  else
    page.replace(from, to - from, part);
  std::ofstream(file) << page;
}

bool figures::all_met() const {
  return std::all_of(all_.begin(), all_.end(), [](const figure& f) { return f.met.value_or(true); });
}

double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return values[std::min(at, values.size() - 1)];
}

}  // namespace dragoman::bench
