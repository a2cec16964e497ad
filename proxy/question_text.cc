#include "proxy/question_text.h"

#include <fmt/format.h>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::proxy {
namespace {

sql_value known_number(bool known, double value) {
  return known ? sql_value(value) : sql_value(null_value{});
}

std::string join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string pretty_sql(std::string_view sql) {
  const auto parsed = tsql::parse_query(sql);
  return parsed ? tsql::print_pretty(*parsed) : std::string(sql);
}

std::string source_line(const nlq::report& report, std::int64_t milliseconds) {
  const bool model = report.path == nlq::answer_path::model;
  const bool given = report.path == nlq::answer_path::given;
  if (report.lang == nlq::language::persian) {
    const std::string how = model   ? fmt::format("مدل زبانی {}", report.model)
                            : given ? std::string("پرس‌وجوی تأییدشده")
                                    : std::string("لایهٔ معنایی");
    const std::string kept =
        report.cached ? fmt::format("؛ از حافظهٔ نهان، {} ثانیه پیش", report.cached->count()) : std::string();
    return fmt::format("منبع: {}، {} ردیف، {} میلی‌ثانیه، از {}{}", report.source, report.rows,
                       milliseconds, how, kept);
  }
  const std::string how = model   ? fmt::format("the model {}", report.model)
                          : given ? std::string("the confirmed statement")
                                  : std::string("the semantic layer");
  const std::string kept =
      report.cached ? fmt::format("; from the cache, {} s old", report.cached->count()) : std::string();
  return fmt::format("Source: {}, {} {}, {} ms, from {}{}", report.source, report.rows,
                     report.rows == 1 ? "row" : "rows", milliseconds, how, kept);
}

std::string cut_line(const nlq::report& report) {
  constexpr const char* fa = "نتیجه پس از {} ردیف به سقف پاسخ رسید؛ شاید بیشتر باشد.";
  constexpr const char* en = "The result ends after {} rows, the most that an answer may have; there may be more.";
  return report.lang == nlq::language::persian ? fmt::format(fa, report.rows) : fmt::format(en, report.rows);
}

std::string suggestion_line(std::string_view suggestion, nlq::language lang) {
  return fmt::format("{}: {}", lang == nlq::language::persian ? "پیشنهاد" : "You could also ask", suggestion);
}

std::string confirm_line(std::string_view token, nlq::language lang) {
  return lang == nlq::language::persian ? fmt::format("برای اجرا: EXEC nlq.confirm '{}'", token)
                                        : fmt::format("To run it: EXEC nlq.confirm '{}'", token);
}

local_result sql_result(const nlq::report& report) {
  local_result out;
  out.add_text_column("sql");
  out.add_text_column("interpretation");
  out.add_text_column("source", 128);
  out.add_text_column("tables");
  out.add_float_column("estimated_cost");
  out.add_float_column("estimated_rows");
  out.rows.push_back({pretty_sql(report.sql), report.interpretation, report.source, join(report.tables),
                      known_number(report.cost_known, report.estimated_cost),
                      known_number(report.cost_known, report.estimated_rows)});
  return out;
}

local_result attempts_result(const std::vector<nlq::attempt>& attempts) {
  local_result out;
  out.add_int_column("attempt");
  out.add_text_column("outcome", 40);
  out.add_text_column("sql");
  out.add_text_column("error");
  out.columns.push_back({"will_retry", {sql_type_id::bit}});
  out.add_int_column("milliseconds");
  for (const nlq::attempt& a : attempts)
    out.rows.push_back({std::int64_t{a.number}, std::string(name_of(a.outcome)),
                        a.sql.empty() ? sql_value(null_value{}) : sql_value(a.sql),
                        a.error.empty() ? sql_value(null_value{}) : sql_value(a.error),
                        std::int64_t{a.will_retry ? 1 : 0}, a.milliseconds});
  return out;
}

local_result choices_result(const std::vector<nlq::clarify_option>& choices) {
  local_result out;
  out.add_int_column("choice");
  out.add_text_column("label", 400);
  out.add_text_column("value");
  out.add_text_column("description");
  for (const nlq::clarify_option& c : choices)
    out.rows.push_back({std::int64_t{c.choice}, c.label, c.value, c.description});
  return out;
}

local_result confirmation_result(const nlq::report& report, const std::string& token) {
  local_result out;
  out.add_text_column("token", 64);
  out.add_text_column("reason");
  out.add_float_column("estimated_cost");
  out.add_float_column("estimated_rows");
  out.add_text_column("sql");
  out.rows.push_back({token, report.message, known_number(report.cost_known, report.estimated_cost),
                      known_number(report.cost_known, report.estimated_rows), pretty_sql(report.sql)});
  return out;
}

namespace {

sql_type number_type(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  sql_type out;
  out.id = sql_type_id::decimal;
  out.precision = decimal::max_precision;
  for (const auto& row : rows)
    if (const auto number = decimal::parse(row[column])) out.scale = std::max(out.scale, number->scale);
  return out;
}

}  // namespace

local_result catalogue_result(const nlq::report& report) {
  local_result out;
  for (std::size_t c = 0; c < report.answer_columns.size(); ++c) {
    out.add_text_column(report.answer_columns[c]);
    if (c < report.answer_numeric.size() && report.answer_numeric[c])
      out.columns.back().type = number_type(report.answer_rows, c);
  }
  for (const auto& row : report.answer_rows) {
    std::vector<sql_value> cells(row.begin(), row.end());
    for (std::size_t c = 0; c < cells.size() && c < report.answer_numeric.size(); ++c) {
      if (!report.answer_numeric[c]) continue;
      const auto number = decimal::parse(row[c]);
      const auto typed = number ? number->rescale(decimal::max_precision, out.columns[c].type.scale) : std::nullopt;
      cells[c] = typed ? sql_value(*typed) : sql_value(null_value{});
    }
    cells.resize(out.columns.size(), null_value{});
    out.rows.push_back(std::move(cells));
  }
  return out;
}

}  // namespace dragoman::proxy
