#include "guard/tsql/printer.h"

#include "guard/tsql/characters.h"
#include "guard/tsql/keywords.h"
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {
namespace {

// Bare only what every SQL Server reads as one identifier: ASCII letters, digits, _ @ $ #, no keyword.
bool is_bare(std::string_view name) {
  if (name.empty() || static_cast<unsigned char>(name[0]) >= 0x80) return false;
  if (!is_identifier_start(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name) {
    if (static_cast<unsigned char>(c) >= 0x80 || !is_identifier_part(static_cast<unsigned char>(c))) return false;
  }
  return !needs_quotes(find_keyword(name));
}

void append_doubled(std::string& out, std::string_view value, char delimiter) {
  for (char c : value) {
    out.push_back(c);
    if (c == delimiter) out.push_back(c);
  }
}

void append_name(std::string& out, std::string_view name) {
  if (is_bare(name)) {
    out.append(name);
    return;
  }
  out.push_back('[');
  append_doubled(out, name, ']');
  out.push_back(']');
}

void append_string(std::string& out, std::string_view value, bool unicode) {
  if (unicode) out.push_back('N');
  out.push_back('\'');
  append_doubled(out, value, '\'');
  out.push_back('\'');
}

template <class Tree>
std::string print_as(const Tree& tree, bool pretty) {
  printer p(pretty);
  p.print(tree);
  return p.take();
}

}  // namespace

void printer::string(std::string_view value, bool unicode) {
  append_string(out_, value, unicode);
}

void printer::quoted_name(std::string_view name) {
  out_.push_back('[');
  append_doubled(out_, name, ']');
  out_.push_back(']');
}

void printer::print(const identifier& name) {
  append_name(out_, name.value);
}

void printer::print(const object_name& name) {
  bool started = false;
  for (const identifier* part : {&name.server, &name.database, &name.schema}) {
    if (!part->empty()) {
      append_name(out_, part->value);
      started = true;
    }
    if (started) out_.push_back('.');
  }
  append_name(out_, name.name.value);
}

void printer::line() {
  if (!pretty_) {
    out_.push_back(' ');
    return;
  }
  out_.push_back('\n');
  out_.append(indent_ * 2, ' ');
}

std::string quote_identifier(std::string_view name) {
  std::string out;
  append_name(out, name);
  return out;
}

std::string quote_string(std::string_view text, bool unicode) {
  std::string out;
  append_string(out, text, unicode);
  return out;
}

std::string print(const expression& e) {
  return print_as(e, false);
}
std::string print(const data_type& type) {
  return print_as(type, false);
}
std::string print(const object_name& name) {
  return print_as(name, false);
}
std::string print(const table_source& source) {
  return print_as(source, false);
}
std::string print(const query_expression& query) {
  return print_as(query, false);
}
std::string print(const select_statement& statement) {
  return print_as(statement, false);
}
std::string print(const statement& s) {
  return print_as(s, false);
}
std::string print(const batch& b) {
  return print_as(b.statements, false);
}
std::string print_pretty(const query_expression& query) {
  return print_as(query, true);
}
std::string print_pretty(const select_statement& statement) {
  return print_as(statement, true);
}
std::string print_pretty(const statement& s) {
  return print_as(s, true);
}

}  // namespace dragoman::tsql
