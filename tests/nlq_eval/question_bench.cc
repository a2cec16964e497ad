#include "tests/nlq_eval/question_bench.h"

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <type_traits>

#include "guard/tsql/printer.h"
#include "proxy/demo/generator.h"

namespace dragoman::nlq_eval {
namespace {

template <class T>
auto taken(result<T> r) {
  if (!r) throw std::runtime_error(r.error().message);
  return std::move(*r);
}

template <class Query>
table run_on(sandbox::engine& engine, const Query& query) {
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

}  // namespace

std::string text_of(const sql_value& v) {
  return std::visit(
      [](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return x;
        } else if constexpr (std::is_arithmetic_v<T>) {
          return std::to_string(x);
        } else if constexpr (requires { x.to_string(); }) {
          return x.to_string();
        } else if constexpr (requires { to_string(x); }) {
          return to_string(x);
        } else {
          return "?";
        }
      },
      v);
}

std::string_view end_of(const nlq::understanding& u) {
  if (std::holds_alternative<nlq::understood_query>(u)) return "rows";
  if (std::holds_alternative<nlq::clarification>(u)) return "clarify";
  if (std::holds_alternative<nlq::needs_confirmation>(u)) return "confirm";
  if (std::holds_alternative<nlq::rejection>(u)) return "reject";
  if (std::holds_alternative<nlq::outside_scope>(u)) return "out_of_scope";
  if (std::holds_alternative<nlq::schema_answer>(u)) return "schema";
  return "no_model";
}

std::vector<question> read_questions(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be read");
  std::vector<question> out;
  for (std::string line; std::getline(in, line);) {
    const boost::json::object o = boost::json::parse(line).as_object();
    auto get = [&](std::string_view k) {
      const auto* v = o.if_contains(k);
      return v != nullptr && v->is_string() ? std::string(v->as_string()) : std::string();
    };
    question q{get("id"),      get("lang"), get("class"), get("question"), get("expect"), get("sql"),
               get("session"), {},          false};
    if (const auto* also = o.if_contains("also")) {
      for (const auto& x : also->as_array()) q.also.emplace_back(x.as_string());
    }
    if (const auto* order = o.if_contains("order_matters")) q.order_matters = order->as_bool();
    out.push_back(std::move(q));
  }
  return out;
}

bench::bench(const std::string& directory) {
  demo::demo_options size;
  size.size = demo::demo_size::small;
  std::filesystem::create_directories(directory);
  engine_ = taken(sandbox::engine::open(taken(demo::ensure_demo(directory, size))));
  const std::string source = DRAGOMAN_SOURCE_DIR;
  auto layer = taken(nlq::load_semantics(source + "/conf/demo/semantics.yaml"));
  auto catalogue = taken(catalog::load_snapshot(source + "/conf/demo/catalog.yaml"));
  for (const std::string& m : nlq::check_semantics(layer, catalogue)) throw std::runtime_error(m);
  std::vector<nlq::value_rows> values;
  for (const nlq::value_query& q : nlq::value_queries(layer)) {
    table t = run_on(*engine_, q.select);
    if (!t.error.empty()) throw std::runtime_error("values of " + q.dimension + ": " + t.error);
    nlq::value_rows v{q.dimension, q.columns, {}};
    for (const auto& r : t.rows) {
      std::vector<std::string> cells;
      for (const auto& c : r) cells.push_back(text_of(c));
      v.rows.push_back(std::move(cells));
    }
    values.push_back(std::move(v));
  }
  known_ = nlq::knowledge::build(std::make_shared<const nlq::semantic_layer>(std::move(layer)),
                                 std::make_shared<const catalog::database>(std::move(catalogue)), std::move(values));
}

nlq::question_context bench::context() const {
  nlq::question_context out;
  out.known = known_.get();
  out.today = to_day_number({2025, 3, 10});
  return out;
}

table bench::run(std::string_view sql) {
  return run_on(*engine_, sql);
}

std::string bench::judge(const question& q, const nlq::understanding& u, table& mine, table& gold) {
  const std::string_view end = end_of(u);
  const bool wants_rows = !q.sql.empty() && q.expect != "confirm";
  if (!wants_rows) {
    const bool as_wished = end == q.expect || std::find(q.also.begin(), q.also.end(), end) != q.also.end() ||
                           (end == "schema" && q.kind == "schema-question") ||
                           (end == "out_of_scope" && q.kind == "off-topic");
    if (as_wished) return "right";
  }
  if (end == "rows") {
    if (!wants_rows) return "answered";
    mine = run(tsql::print(std::get<nlq::understood_query>(u).select));
    gold = run(q.sql);
    return !gold.error.empty()                                       ? "gold-error"
           : !mine.error.empty()                                     ? "error"
           : proxy::same_rows(mine.rows, gold.rows, q.order_matters) ? "right"
                                                                     : "wrong";
  }
  return end == "clarify"        ? "clarified"
         : end == "confirm"      ? "confirmed"
         : end == "reject"       ? "rejected"
         : end == "out_of_scope" ? "out-of-scope"
         : end == "schema"       ? "schema"
                                 : "refused";
}

}  // namespace dragoman::nlq_eval
