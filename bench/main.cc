// dragoman_bench: measures side by side in one run. Started by `make bench` through bench/run.sh.
//
// usage: dragoman_bench --build DIR [--out FILE] [--page FILE] [--runs N] [--quick] [--peers PYTHON]
//                       [language|corpus|fetch|relay|latency|idle|connects|retrieval|questions|peers|flood]…
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "bench/measures.h"

namespace {

using namespace dragoman::bench;

struct measure {
  const char* name;
  void (*run)(const settings&, figures&);
  bool by_hand = false;  // only where it is named
};

constexpr measure measures[] = {
    {"language", measure_language}, {"corpus", measure_corpus},       {"fetch", measure_fetch},
    {"relay", measure_relay},       {"latency", measure_latency},     {"idle", measure_idle},
    {"connects", measure_connects}, {"retrieval", measure_retrieval}, {"questions", measure_questions},
    {"peers", measure_peers},       {"flood", measure_flood, true}};

std::string machine() {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  utsname system{};
  uname(&system);
  return fmt::format("{} core{} of {}, Linux {}", std::thread::hardware_concurrency(),
                     std::thread::hardware_concurrency() == 1 ? "" : "s", model, system.release);
}

std::string load_before() {
  std::ifstream file("/proc/loadavg");
  std::string one;
  file >> one;
  return one;
}

}  // namespace

int main(int argc, char** argv) {
  settings s;
  std::string out_file, page;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(a + " needs a value");
      return argv[++i];
    };
    if (a == "--build")
      s.build = std::filesystem::absolute(value());
    else if (a == "--out")
      out_file = value();
    else if (a == "--page")
      page = value();
    else if (a == "--runs")
      s.runs = std::stoi(value());
    else if (a == "--peers")
      s.peers_python = value();
    else if (a == "--quick")
      s.quick = true;
    else
      wanted.push_back(a);
  }
  if (s.build.empty()) {
    std::cerr << "usage: dragoman_bench --build DIR [--out FILE] [--page FILE] [--runs N] [--quick] [--peers PYTHON] "
                 "[measure]...\n";
    return 2;
  }
  s.scratch = s.build + "/bench-scratch";
  std::filesystem::create_directories(s.scratch);

  figures found;
  const std::string load = load_before();
  bool whole = true;
  for (const measure& m : measures) {
    const bool named = std::find(wanted.begin(), wanted.end(), m.name) != wanted.end();
    // Other programs are compared with on request only.
    const bool on_request = m.by_hand || (m.run == measure_peers && s.peers_python.empty());
    if (!named && (!wanted.empty() || on_request)) continue;
    std::cerr << m.name << '\n';
    try {
      m.run(s, found);
    } catch (const std::exception& e) {
      found.note(fmt::format("not run: {}: {}", m.name, e.what()));
      whole = false;
    }
  }
  found.print();
  if (!out_file.empty()) found.write_json(out_file);
  if (!page.empty()) {
    char date[32] = {};
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
    found.write_page(page, fmt::format("Measured {} on {}; medians of {} interleaved runs; load before the run {}.",
                                       date, machine(), s.runs, load));
  }
  return whole ? 0 : 1;
}
