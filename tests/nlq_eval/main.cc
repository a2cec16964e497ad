// nlq_eval FILE [--demo DIR] [--class C] [--verbose] [--ask QUESTION]: what question understanding makes of a question
// file, run against the embedded demo engine itself.

#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

#include "guard/tsql/printer.h"
#include "nlq/reading.h"
#include "nlq/understanding.h"
#include "proxy/demo/generator.h"
#include "proxy/row_compare.h"
#include "proxy/sandbox/engine.h"

using namespace dragoman;

namespace {

struct table {
  std::vector<std::string> columns;
  proxy::value_rows rows;
  std::string error;
};

table run(sandbox::engine& engine, const auto& query) {
  table out;
  auto cursor = engine.prepare(query);
  if (!cursor) {
    out.error = cursor.error().message;
    return out;
  }
  std::vector<sql_value> row(cursor->columns().size());
  for (const auto& c : cursor->columns()) out.columns.push_back(c.name);
  for (;;) {
    auto more = cursor->next(row);
    if (!more) {
      out.error = more.error().message;
      return out;
    }
    if (!*more) break;
    out.rows.push_back(row);
  }
  return out;
}

// Lists of single orders show columns of free choice: they are compared by OrderID.
bool reduce_to_key(table& t) {
  for (std::size_t i = 0; i < t.columns.size(); ++i) {
    if (t.columns[i] != "OrderID") continue;
    for (auto& r : t.rows) r = {r[i]};
    return true;
  }
  return false;
}

std::string text(const sql_value& v) {
  return std::visit(
      [](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return x;
        } else if constexpr (std::is_arithmetic_v<T>) {
          return std::to_string(x);
        } else if constexpr (requires { to_string(x); }) {
          return to_string(x);
        } else {
          return "?";
        }
      },
      v);
}

void show(const table& t, const char* name) {
  std::printf("      %s: %zu rows %s\n", name, t.rows.size(), t.error.c_str());
  for (std::size_t i = 0; i < std::min<std::size_t>(t.rows.size(), 3); ++i) {
    std::printf("        ");
    for (const auto& v : t.rows[i]) std::printf("%s | ", text(v).c_str());
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string file, demo_dir = "/tmp/dragoman-nlq-eval", only_class;
  bool verbose = false;
  std::vector<std::string> asks;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--demo")
      demo_dir = argv[++i];
    else if (a == "--class")
      only_class = argv[++i];
    else if (a == "--verbose")
      verbose = true;
    else if (a == "--ask")
      asks.push_back(argv[++i]);
    else
      file = a;
  }
  demo::demo_options size;
  size.size = demo::demo_size::small;
  std::system(("mkdir -p " + demo_dir).c_str());
  auto path = demo::ensure_demo(demo_dir, size);
  if (!path) return std::fprintf(stderr, "%s\n", path.error().message.c_str()), 2;
  auto engine = sandbox::engine::open(*path);
  if (!engine) return std::fprintf(stderr, "%s\n", engine.error().message.c_str()), 2;
  auto layer = nlq::load_semantics(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/semantics.yaml");
  if (!layer) return std::fprintf(stderr, "%s\n", layer.error().message.c_str()), 2;
  auto catalogue = catalog::load_snapshot(std::string(DRAGOMAN_SOURCE_DIR) + "/conf/demo/catalog.yaml");
  if (!catalogue) return std::fprintf(stderr, "%s\n", catalogue.error().message.c_str()), 2;
  for (const std::string& m : nlq::check_semantics(*layer, *catalogue)) std::fprintf(stderr, "check: %s\n", m.c_str());
  std::vector<nlq::value_rows> values;
  for (const nlq::value_query& q : nlq::value_queries(*layer)) {
    table t = run(**engine, q.select);
    if (!t.error.empty()) std::fprintf(stderr, "values of %s: %s\n", q.dimension.c_str(), t.error.c_str());
    nlq::value_rows v{q.dimension, q.columns, {}};
    for (auto& r : t.rows) {
      std::vector<std::string> cells;
      for (auto& c : r) cells.push_back(text(c));
      v.rows.push_back(cells);
    }
    values.push_back(v);
  }
  auto known =
      nlq::knowledge::build(std::make_shared<const nlq::semantic_layer>(std::move(*layer)),
                            std::make_shared<const catalog::database>(std::move(*catalogue)), std::move(values));
  nlq::question_context context;
  context.known = known.get();
  context.today = to_day_number({2025, 3, 10});

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
        nlq::reading r = nlq::read_question(a, known->words(), nlq::time_context{nlq::language_of(a), context.today});
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
        show(run(**engine, q->select), "rows");
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
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    boost::json::object o = boost::json::parse(line).as_object();
    auto get = [&](const char* k) {
      return o.contains(k) && o[k].is_string() ? std::string(o[k].as_string()) : std::string();
    };
    const std::string id = get("id"), klass = get("class"), expect = get("expect"), question = get("question"),
                      session = get("session");
    if (!only_class.empty() && klass != only_class) continue;
    context.session = session.empty() ? nullptr : &sessions[session];
    auto start = std::chrono::steady_clock::now();
    nlq::understanding u = nlq::understand(question, context);
    micro += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    ++asked;
    std::string outcome;
    table mine, gold;
    const bool rows = expect == "rows" || expect == "followup";
    if (auto* q = std::get_if<nlq::understood_query>(&u)) {
      outcome = rows ? "wrong" : "answered";
      if (!session.empty()) sessions[session].last = q->intent;
      if (rows && !get("sql").empty()) {
        std::string printed = tsql::print(q->select);
        mine = run(**engine, std::string_view(printed));
        gold = run(**engine, std::string_view(get("sql")));
        bool order = o["order_matters"].as_bool();
        if (!gold.error.empty())
          outcome = "gold-error";
        else if (!mine.error.empty())
          outcome = "error";
        else if (proxy::same_rows(mine.rows, gold.rows, order))
          outcome = "right";
        else if (klass == "detail-rows" && reduce_to_key(mine) && reduce_to_key(gold) &&
                 proxy::same_rows(mine.rows, gold.rows, order))
          outcome = "right";
      }
    } else if (std::holds_alternative<nlq::clarification>(u)) {
      outcome = expect == "clarify" ? "right" : "clarified";
    } else if (std::holds_alternative<nlq::needs_confirmation>(u)) {
      outcome = expect == "confirm" ? "right" : "confirmed";
    } else if (std::holds_alternative<nlq::rejection>(u)) {
      outcome = expect == "reject" ? "right" : "rejected";
    } else if (std::holds_alternative<nlq::outside_scope>(u)) {
      outcome = expect == "out_of_scope" || (expect == "reject" && klass == "off-topic") ? "right" : "out-of-scope";
    } else if (std::holds_alternative<nlq::schema_answer>(u)) {
      outcome = klass == "schema-question" ? "right" : "schema";
    } else {
      outcome = "refused";
    }
    ++by_class[klass][outcome];
    ++totals[(rows ? "rows " : "other ") + outcome];
    if (outcome != "right" || verbose) {
      std::printf("%s %-20s %-10s [%s] %s\n      %s\n", id.c_str(), klass.c_str(), outcome.c_str(), expect.c_str(),
                  question.c_str(), describe(u).c_str());
      if (outcome == "wrong" || outcome == "error" || outcome == "gold-error") {
        std::printf("      gold: %s\n", get("sql").c_str());
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
}
