#include "proxy/answer_print.h"

#include <boost/json.hpp>
#include <ostream>

#include "proxy/text_table.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

std::string indented(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

boost::json::value json_cell(const sql_value& value, const sql_type& type) {
  if (is_null(value)) return nullptr;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (type.id == sql_type_id::bit) return *whole != 0;
    return *whole;
  }
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return boost::json::value(value_text(value, type));  // decimals as text: their digits are exact
}

}  // namespace

void print_answer(std::ostream& out, const client_answer& answer, std::size_t rows_max) {
  for (const std::string& message : answer.messages) out << indented(message) << '\n';
  if (!answer.columns.empty()) {
    text_table table;
    for (const result_column& column : answer.columns) {
      table.names.push_back(column.name.empty() ? "(no name)" : column.name);
      table.right.push_back(aligns_right(column.type));
    }
    for (std::size_t r = 0; r < answer.rows.size() && r < rows_max; ++r) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < answer.rows[r].size(); ++i)
        cells.push_back(value_text(answer.rows[r][i], answer.columns[i].type));
      table.rows.push_back(std::move(cells));
    }
    out << format_table(table, rows_max, answer.rows.size());
  }
  if (answer.error) out << "  Error " << answer.error->error_number() << ": " << answer.error->message << '\n';
}

void print_csv(std::ostream& out, const client_answer& answer) {
  for (std::size_t i = 0; i < answer.columns.size(); ++i) out << (i > 0 ? "," : "") << csv_cell(answer.columns[i].name);
  out << "\r\n";
  for (const auto& row : answer.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out << ',';
      if (!is_null(row[i])) out << csv_cell(value_text(row[i], answer.columns[i].type));
    }
    out << "\r\n";
  }
}

void print_json(std::ostream& out, const client_answer& answer) {
  for (const auto& row : answer.rows) {
    boost::json::object line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line[answer.columns[i].name] = json_cell(row[i], answer.columns[i].type);
    out << boost::json::serialize(line) << '\n';
  }
}

}  // namespace dragoman::proxy
