// identifier, multi-part names (T-SQL reference: "Database identifiers", "Multipart names").
#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

identifier parser::parse_identifier() {
  if (!at_name()) {
    fail_here();
    return {};
  }
  identifier name{value_of(cur())};
  advance();
  return name;
}

object_name parser::name_of(const std::vector<const token*>& parts, std::size_t count, const token& start) {
  object_name name;
  name.pos = pos(start);
  identifier* const targets[] = {&name.name, &name.schema, &name.database, &name.server};
  for (std::size_t i = 0; i < count && i < 4; ++i) {
    if (const token* t = parts[count - 1 - i]) targets[i]->value = value_of(*t);
  }
  return name;
}

// The prefix of a column or of a star names a table, whatever stands before it: s..c names none.
void parser::require_table(const object_name& prefix, const token& start) {
  if (prefix.empty() && !prefix.one_part()) fail_at(start);
}

// name, schema.name, database..name, ..name; leading dots mean empty parts.
object_name parser::parse_object_name(std::size_t parts_max, bool reserved_after_dot) {
  count_node();
  const token& start = cur();
  std::vector<const token*> parts;
  bool want_name = true;  // after a dot, or at the start
  while (ok()) {
    // Schema nlq is Dragoman's own: its procedures are called set and save, which nobody should have to quote.
    const bool of_nlq = reserved_after_dot && at(token_kind::word) && !parts.empty() && parts.back() != nullptr &&
                        upper(*parts.back()) == "NLQ";
    if ((at_name() || of_nlq) && want_name) {
      parts.push_back(at_);
      advance();
      want_name = false;
    } else if (at(symbol::dot)) {
      if (want_name) parts.push_back(nullptr);
      advance();
      want_name = true;
    } else {
      break;
    }
  }
  if (want_name) {
    fail_here();
    return {};
  }
  if (parts.size() > parts_max) {
    fail_at(start, errc::syntax,
            "The object name '" +
                std::string(text_.substr(start.offset, at_[-1].offset + at_[-1].length - start.offset)) +
                "' contains more than the maximum number of prefixes. The maximum is " + std::to_string(parts_max - 1) +
                ".",
            117);
    return {};
  }
  return name_of(parts, parts.size(), start);
}

std::vector<identifier> parser::parse_identifier_list() {
  std::vector<identifier> names;
  expect(symbol::left_paren);
  do {
    names.push_back(parse_identifier());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  return names;
}

}  // namespace dragoman::tsql
