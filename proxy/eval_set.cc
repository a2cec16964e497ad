#include "proxy/eval_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <set>

#include "guard/tsql/parser.h"
#include "guard/tsql/walk.h"
#include "proxy/row_compare.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

std::string text_of(const boost::json::object& line, std::string_view key) {
  const auto* value = line.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

bool named(const client_answer& answer, std::initializer_list<std::string_view> names) {
  if (answer.columns.size() < names.size()) return false;
  std::size_t i = 0;
  for (const std::string_view name : names)
    if (answer.columns[i++].name != name) return false;
  return true;
}

// Expected rows as they stand in a set; nothing where they are no list of lists of plain values.
std::optional<value_rows> rows_of(const boost::json::value& json) {
  if (!json.is_array()) return std::nullopt;
  value_rows out;
  for (const auto& line : json.as_array()) {
    if (!line.is_array()) return std::nullopt;
    auto& row = out.emplace_back();
    for (const auto& cell : line.as_array()) {
      if (cell.is_null())
        row.emplace_back();
      else if (cell.is_string())
        row.emplace_back(std::string(cell.as_string()));
      else if (cell.is_int64())
        row.emplace_back(cell.as_int64());
      else if (cell.is_double())
        row.emplace_back(cell.as_double());
      else
        return std::nullopt;
    }
  }
  return out;
}

// A set holds texts where the source has dates.
value_rows with_dates_as_text(value_rows rows) {
  for (auto& row : rows)
    for (sql_value& v : row)
      if (const auto* time = std::get_if<civil_time>(&v)) {
        std::string text = value_text(v, sql_type{.id = sql_type_id::datetime2});
        // "2014-01-31 10:00:00.000" is "2014-01-31 10:00:00".
        if (const auto dot = text.find('.');
            dot != std::string::npos && text.find_first_not_of('0', dot + 1) == std::string::npos)
          text.resize(dot);
        (void)time;
        v = std::move(text);
      }
  return rows;
}

std::string_view name_of(eval_mark mark) {
  switch (mark) {
    case eval_mark::right: return "right";
    case eval_mark::wrong: return "wrong rows";
    case eval_mark::unanswered: return "unanswered";
    case eval_mark::missed: return "missed";
  }
  return "";
}

void count(eval_count& to, const eval_result& r) {
  const eval_mark mark = r.mark;
  ++to.asked;
  if (mark == eval_mark::unanswered || mark == eval_mark::missed) {
    if (r.outcome == "clarify") ++to.clarified;
    if (r.outcome == "no_model" || r.outcome == "out_of_scope" || r.outcome == "reject") ++to.refused;
  }
  if (mark == eval_mark::right)
    ++to.right;
  else if (mark == eval_mark::wrong)
    ++to.wrong;
  else
    ++to.unanswered;
}

double percent(unsigned part, unsigned whole) {
  return whole == 0 ? 0.0 : 100.0 * part / whole;
}

boost::json::object to_object(const eval_count& c) {
  return {{"asked", c.asked},           {"right", c.right},         {"wrong", c.wrong},
          {"unanswered", c.unanswered}, {"clarified", c.clarified}, {"refused", c.refused}};
}

}  // namespace

result<std::vector<eval_question>> read_eval_set(const std::string& file) {
  std::ifstream in(file);
  if (!in) return failure(errc::io, fmt::format("{}: cannot be read", file));
  std::vector<eval_question> out;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \r\t") == std::string::npos) continue;
    boost::system::error_code bad;
    const auto value = boost::json::parse(line, bad);
    if (bad || !value.is_object())
      return failure(errc::configuration, fmt::format("{}:{}: not a JSON object", file, number));
    const auto& object = value.as_object();
    eval_question q;
    q.id = text_of(object, "id");
    q.language = text_of(object, "lang");
    q.kind = text_of(object, "class");
    q.question = text_of(object, "question");
    q.expect = text_of(object, "expect");
    q.sql = text_of(object, "sql");
    q.session = text_of(object, "session");
    if (const auto* order = object.if_contains("order_matters")) q.order_matters = order->is_bool() && order->as_bool();
    if (const auto* tables = object.if_contains("tables"); tables != nullptr && tables->is_array())
      for (const auto& table : tables->as_array())
        if (table.is_string()) q.tables.emplace_back(table.as_string());
    std::sort(q.tables.begin(), q.tables.end());
    if (const auto* rows = object.if_contains("rows")) {
      q.rows = rows_of(*rows);
      if (!q.rows)
        return failure(errc::configuration, fmt::format("{}:{}: rows must be lists of plain values", file, number));
    }
    if (q.id.empty() || q.question.empty() || q.expect.empty())
      return failure(errc::configuration, fmt::format("{}:{}: id, question and expect are needed", file, number));
    out.push_back(std::move(q));
  }
  return out;
}

std::string outcome_of(const client_answer& answer) {
  if (answer.error) {
    switch (answer.error->error_number()) {
      case 50140: return "reject";
      case 50144: return "out_of_scope";
      case 50143:
      case 50145: return "no_model";
      default: return fmt::format("error {}", answer.error->error_number());
    }
  }
  if (named(answer, {"choice", "label", "value", "description"})) return "clarify";
  if (named(answer, {"token", "reason"})) return "confirm";
  return "rows";
}

eval_result judge(const eval_question& question, const client_answer& answer, const client_answer* gold) {
  eval_result out;
  out.question = question;
  out.outcome = outcome_of(answer);
  out.microseconds = answer.time.count();
  if (answer.error) out.note = answer.error->message;
  if ((question.sql.empty() && !question.rows) || question.expect == "confirm") {
    out.mark = out.outcome == question.expect ? eval_mark::right : eval_mark::missed;
    return out;
  }
  if (out.outcome != "rows") return out;
  if (question.rows) {
    const bool same = same_rows(with_dates_as_text(answer.rows), *question.rows, question.order_matters);
    out.mark = same ? eval_mark::right : eval_mark::wrong;
    if (!same)
      out.note = fmt::format("{} rows of {} columns, expected {} of {}", answer.rows.size(), answer.columns.size(),
                             question.rows->size(), question.rows->empty() ? 0 : question.rows->front().size());
    return out;
  }
  if (gold == nullptr || gold->error) {
    out.note = gold != nullptr ? "gold SQL failed: " + gold->error->message : "no gold rows";
    return out;
  }
  if (same_rows(answer.rows, gold->rows, question.order_matters)) {
    out.mark = eval_mark::right;
  } else {
    out.mark = eval_mark::wrong;
    out.note = fmt::format("{} rows of {} columns, expected {} of {}", answer.rows.size(), answer.columns.size(),
                           gold->rows.size(), gold->columns.size());
  }
  return out;
}

eval_summary summarize(const std::vector<eval_result>& results) {
  eval_summary out;
  std::vector<std::int64_t> times;
  for (const eval_result& r : results) {
    count(out.by_class[r.question.kind][r.question.language], r);
    const bool wants_rows = (!r.question.sql.empty() || r.question.rows) && r.question.expect != "confirm";
    count(!wants_rows                                                 ? out.others
          : r.question.expect == "rows" && r.question.session.empty() ? out.rows
                                                                      : out.followups,
          r);
    if (r.question.expect == "reject" && r.outcome == "rows") ++out.unsafe_answered;
    if (!r.tables_right) ++out.other_tables;
    out.model_calls += r.model_calls;
    times.push_back(r.microseconds);
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) { return times.empty() ? 0 : times[(times.size() - 1) * percent / 100]; };
  out.p50 = at(50);
  out.p95 = at(95);
  return out;
}

bool good_enough(const eval_summary& summary, const eval_thresholds& thresholds) {
  return percent(summary.rows.right, summary.rows.asked) >= thresholds.right_min &&
         percent(summary.rows.wrong, summary.rows.asked) <= thresholds.wrong_max && summary.unsafe_answered == 0;
}

std::vector<std::string> tables_of(const std::string& sql) {
  struct finder {
    std::set<std::string> found;
    bool enter(tsql::table_source& source) {
      if (const auto* table = source.as<tsql::named_table>())
        if (!table->name.schema.empty()) found.insert(table->name.schema.value + "." + table->name.name.value);
      return true;
    }
  };
  auto parsed = tsql::parse_query(sql);
  if (!parsed) return {};
  finder names;
  tsql::walk(*parsed, names);
  return {names.found.begin(), names.found.end()};
}

std::string eval_table(const eval_summary& summary, const std::vector<eval_result>& results) {
  std::string out = fmt::format("{:<22} {:<4} {:>6} {:>6} {:>6} {:>11} {:>10} {:>8}\n", "class", "lang", "asked",
                                "right", "wrong", "unanswered", "clarified", "refused");
  for (const auto& [kind, languages] : summary.by_class)
    for (const auto& [language, c] : languages)
      out += fmt::format("{:<22} {:<4} {:>6} {:>6} {:>6} {:>11} {:>10} {:>8}\n", kind, language, c.asked, c.right,
                         c.wrong, c.unanswered, c.clarified, c.refused);
  out += "\nNot as expected:\n";
  for (const eval_result& r : results) {
    if (r.mark == eval_mark::right) continue;
    out += fmt::format("  {} {:<10} expected {}, got {}: {}\n", r.question.id, name_of(r.mark), r.question.expect,
                       r.outcome, r.question.question);
    if (!r.note.empty()) out += fmt::format("       {}\n", r.note);
  }
  const auto line = [](const char* what, const eval_count& c) {
    return fmt::format("{}: {} asked, {} right ({:.1f} %), {} wrong rows ({:.1f} %), {} unanswered\n", what, c.asked,
                       c.right, percent(c.right, c.asked), c.wrong, percent(c.wrong, c.asked), c.unanswered);
  };
  out += "\n" + line("rows expected", summary.rows) + line("follow-ups", summary.followups);
  out += fmt::format("other ends: {} asked, {} as expected ({:.1f} %); unsafe ones answered with rows: {}\n",
                     summary.others.asked, summary.others.right, percent(summary.others.right, summary.others.asked),
                     summary.unsafe_answered);
  out += fmt::format(
      "{} model calls; answers read other tables than expected: {}; time to the whole answer: p50 {:.1f} "
      "ms, p95 {:.1f} ms\n",
      summary.model_calls, summary.other_tables, static_cast<double>(summary.p50) / 1000,
      static_cast<double>(summary.p95) / 1000);
  return out;
}

std::string eval_json(const eval_summary& summary, const std::vector<eval_result>& results) {
  boost::json::object out;
  out["rows"] = to_object(summary.rows);
  out["followups"] = to_object(summary.followups);
  out["others"] = to_object(summary.others);
  out["unsafe_answered"] = summary.unsafe_answered;
  out["other_tables"] = summary.other_tables;
  out["model_calls"] = summary.model_calls;
  out["p50_ms"] = static_cast<double>(summary.p50) / 1000;
  out["p95_ms"] = static_cast<double>(summary.p95) / 1000;
  boost::json::object classes;
  for (const auto& [kind, languages] : summary.by_class) {
    boost::json::object by_language;
    for (const auto& [language, c] : languages) by_language[language] = to_object(c);
    classes[kind] = std::move(by_language);
  }
  out["classes"] = std::move(classes);
  boost::json::array questions;
  for (const eval_result& r : results) {
    boost::json::array tables;
    for (const std::string& table : r.tables) tables.emplace_back(table);
    questions.push_back(boost::json::object{{"id", r.question.id},
                                            {"class", r.question.kind},
                                            {"lang", r.question.language},
                                            {"question", r.question.question},
                                            {"expect", r.question.expect},
                                            {"outcome", r.outcome},
                                            {"mark", std::string(name_of(r.mark))},
                                            {"note", r.note},
                                            {"tables", std::move(tables)},
                                            {"tables_right", r.tables_right},
                                            {"model_calls", r.model_calls},
                                            {"milliseconds", r.microseconds / 1000}});
  }
  out["questions"] = std::move(questions);
  return boost::json::serialize(out);
}

}  // namespace dragoman::proxy
