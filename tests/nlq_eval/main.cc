// nlq_eval FILE [--demo DIR] [--class C] [--verbose] [--ask QUESTION]: what question understanding makes of a question
// file, run against the embedded demo engine itself.

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>

#include "guard/tsql/printer.h"
#include "nlq/reading.h"
#include "tests/nlq_eval/question_bench.h"

using namespace dragoman;
using nlq_eval::table;

namespace {

void show(const table& t, const char* name) {
  std::printf("      %s: %zu rows %s\n", name, t.rows.size(), t.error.c_str());
  for (std::size_t i = 0; i < std::min<std::size_t>(t.rows.size(), 3); ++i) {
    std::printf("        ");
    for (const auto& v : t.rows[i]) std::printf("%s | ", nlq_eval::text_of(v).c_str());
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::string file, demo_dir = "/tmp/dragoman-nlq-eval", only_class;
  bool verbose = false;
  std::vector<std::string> asks;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--demo" && i + 1 < argc)
      demo_dir = argv[++i];
    else if (a == "--class" && i + 1 < argc)
      only_class = argv[++i];
    else if (a == "--verbose")
      verbose = true;
    else if (a == "--ask" && i + 1 < argc)
      asks.push_back(argv[++i]);
    else
      file = a;
  }
  nlq_eval::bench demo(demo_dir);
  const nlq::knowledge& known = demo.known();
  nlq::question_context context = demo.context();

  auto describe = [&](const nlq::understanding& u) -> std::string {
    if (auto* q = std::get_if<nlq::understood_query>(&u)) {
      std::string s = "query: " + tsql::print(q->select) + "\n      " + q->interpretation;
      for (auto& a : q->assumptions) s += "\n      * " + a;
      return s;
    }
    if (auto* c = std::get_if<nlq::clarification>(&u)) {
      std::string s = "clarify: " + c->message;
      for (auto& o : c->options) s += "\n        " + std::to_string(o.choice) + ". " + o.label + " -> " + o.value;
      return s;
    }
    if (auto* c = std::get_if<nlq::needs_confirmation>(&u)) return "confirm: " + tsql::print(c->query.select);
    if (auto* r = std::get_if<nlq::rejection>(&u)) return "reject: " + r->rule;
    if (auto* o = std::get_if<nlq::outside_scope>(&u)) return "out_of_scope: " + o->message;
    if (auto* m = std::get_if<nlq::needs_model>(&u)) return "needs_model: " + m->message;
    auto& s = std::get<nlq::schema_answer>(u);
    return "schema: " + s.message + " (" + std::to_string(s.rows.size()) + " rows)";
  };
  if (!asks.empty()) {
    nlq::conversation talk;
    for (auto& a : asks) {
      context.session = &talk;
      if (verbose) {
        nlq::reading r = nlq::read_question(a, known.words(), nlq::time_context{nlq::language_of(a), context.today});
        for (const nlq::mark& m : r.marks) {
          std::printf("   [%s]", m.words.c_str());
          for (nlq::gram g : m.grams) std::printf(" g%d", static_cast<int>(g));
          auto put = [&](const char* n, int i) {
            if (i >= 0) std::printf(" %s%d", n, i);
          };
          put("metric", m.metric), put("verb", m.verb), put("dim", m.dimension), put("attr", m.attribute),
              put("event", m.event);
          put("negev", m.negated_event), put("detail", m.detail), put("unit", m.unit);
          if (!m.values.empty()) std::printf(" values%zu", m.values.size());
          if (m.time) std::printf(" time%d", static_cast<int>(m.time->kind));
          if (!m.number.empty()) std::printf(" #%s", m.number.c_str());
          std::printf("%s\n", m.plural ? " plural" : "");
        }
      }
      auto u = nlq::understand(a, context);
      std::printf("%s\n   %s\n", a.c_str(), describe(u).c_str());
      if (auto* q = std::get_if<nlq::understood_query>(&u)) {
        show(demo.run(tsql::print(q->select)), "rows");
        talk.last = q->intent;
      }
    }
    return 0;
  }

  std::map<std::string, std::map<std::string, int>> by_class;
  std::map<std::string, nlq::conversation> sessions;
  std::map<std::string, int> totals;
  double micro = 0;
  int asked = 0;
  for (const nlq_eval::question& q : nlq_eval::read_questions(file)) {
    if (!only_class.empty() && q.kind != only_class) continue;
    context.session = q.session.empty() ? nullptr : &sessions[q.session];
    auto start = std::chrono::steady_clock::now();
    nlq::understanding u = nlq::understand(q.text, context);
    micro += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    ++asked;
    if (auto* answer = std::get_if<nlq::understood_query>(&u); answer != nullptr && !q.session.empty())
      sessions[q.session].last = answer->intent;
    table mine, gold;
    const std::string outcome = demo.judge(q, u, mine, gold);
    ++by_class[q.kind][outcome];
    ++totals[(q.sql.empty() || q.expect == "confirm" ? "other " : "rows ") + outcome];
    if (outcome != "right" || verbose) {
      std::printf("%s %-20s %-10s [%s] %s\n      %s\n", q.id.c_str(), q.kind.c_str(), outcome.c_str(), q.expect.c_str(),
                  q.text.c_str(), describe(u).c_str());
      if (outcome == "wrong" || outcome == "error" || outcome == "gold-error") {
        std::printf("      gold: %s\n", q.sql.c_str());
        show(mine, "mine");
        show(gold, "gold");
      }
    }
  }
  for (auto& [k, m] : by_class) {
    std::printf("%-22s", k.c_str());
    for (auto& [o, n] : m) std::printf(" %s=%d", o.c_str(), n);
    std::printf("\n");
  }
  for (auto& [k, n] : totals) std::printf("%-20s %d\n", k.c_str(), n);
  std::printf("mean %.0f us per question\n", micro / std::max(1, asked));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
