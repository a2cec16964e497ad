#include "guard/guard_lines.h"

#include <fmt/format.h>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::guard {

std::string unescape_statement(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (text[i + 1]) {
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case '\\': out += '\\'; break;
      default: out += text[i]; continue;
    }
    ++i;
  }
  return out;
}

std::string escape_statement(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

std::string guard_line(std::string_view line, const policy& principal, const check_options& options) {
  const std::size_t tab = line.find('\t');
  const std::string_view id = line.substr(0, tab);
  std::string_view statement = tab == std::string_view::npos ? std::string_view() : line.substr(tab + 1);
  statement = statement.substr(0, statement.find('\t'));
  const verdict v = check(unescape_statement(statement), principal, options);
  switch (v.kind) {
    case verdict_kind::accept: return fmt::format("{}\taccept\t-\t{}", id, escape_statement(v.printed));
    case verdict_kind::refuse:
      return fmt::format("{}\trefuse\t{}\t{}", id, name_of(v.code), escape_statement(v.message));
    case verdict_kind::local: return fmt::format("{}\tlocal\t-\t{}", id, escape_statement(v.action));
  }
  return {};
}

explanation explain(std::string_view text, const policy& principal, const check_options& options) {
  const verdict v = check(text, principal, options);
  explanation out;
  out.rule = v.rule;
  out.line = v.line;
  out.column = v.column;
  out.reason = "-";
  switch (v.kind) {
    case verdict_kind::refuse:
      out.verdict = "refuse";
      out.reason = name_of(v.code);
      out.words = v.message;
      break;
    case verdict_kind::local:
      out.verdict = "local";
      out.words = "The gateway " + v.action + "; nothing is sent to the warehouse.";
      break;
    case verdict_kind::accept: {
      out.verdict = "accept";
      if (v.tables.empty()) {
        out.words = "Reads no table.";
      } else {
        out.words = fmt::format("Reads {}", fmt::join(v.tables, ", "));
        if (v.row_cap != 0) out.words += fmt::format(", at most {} rows", v.row_cap);
        out.words += v.has_row_filter ? ", of the rows that this login may see." : ".";
      }
      for (const auto& n : v.notices) out.words += " " + n;
      const auto laid_out = tsql::parse_query(v.printed);
      out.rewritten = laid_out ? tsql::print_pretty(*laid_out) : v.printed;
      break;
    }
  }
  return out;
}

}  // namespace dragoman::guard
