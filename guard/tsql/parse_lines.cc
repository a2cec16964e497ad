#include "guard/tsql/parse_lines.h"

#include <istream>
#include <ostream>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::tsql {

std::string unescape_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    switch (text[++i]) {
      case 'n': out.push_back('\n'); break;
      case 'r': out.push_back('\r'); break;
      case 't': out.push_back('\t'); break;
      case '\\': out.push_back('\\'); break;
      default: out.append({'\\', text[i]});
    }
  }
  return out;
}

std::string escape_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '\n': out.append("\\n"); break;
      case '\r': out.append("\\r"); break;
      case '\t': out.append("\\t"); break;
      case '\\': out.append("\\\\"); break;
      default: out.push_back(c);
    }
  }
  return out;
}

std::string parse_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t tab = line.find('\t');
  std::string out(line.substr(0, tab));
  std::string_view statement = tab == std::string_view::npos ? std::string_view() : line.substr(tab + 1);
  statement = statement.substr(0, statement.find('\t'));
  const auto tree = parse_query(unescape_line(statement));
  if (tree) return out + "\tok\t" + escape_line(print(*tree));
  const failure& f = tree.error();
  return out + "\terror\t" + escape_line(f.message) + " (line " + std::to_string(f.line) + ", column " +
         std::to_string(f.column) + ")";
}

void parse_lines(std::istream& in, std::ostream& out) {
  std::string line;
  while (std::getline(in, line)) {
    if (!line.empty()) out << parse_line(line) << '\n';
  }
}

}  // namespace dragoman::tsql
