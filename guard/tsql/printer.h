// Tree to text: the only text that ever reaches a warehouse.
//
// print gives the canonical form: one line, keywords in upper case, no comments, identifiers in brackets only where
// they need them, strings escaped again. Its result means the same with QUOTED_IDENTIFIER on and off, and
// parse(print(tree)) == tree for every tree that the parser can make. print_pretty is the house layout for display:
// one clause a line, long lists one item a line; it parses to the same tree.
#pragma once

#include <string>
#include <string_view>

#include "guard/tsql/ast.h"

namespace dragoman::tsql {

std::string print(const expression&);
std::string print(const data_type&);
std::string print(const object_name&);
std::string print(const table_source&);
std::string print(const query_expression&);
std::string print(const select_statement&);
std::string print(const statement&);
std::string print(const batch&);  // statements joined by "; "

std::string print_pretty(const query_expression&);
std::string print_pretty(const select_statement&);
std::string print_pretty(const statement&);

// name, or [name] when it is no regular identifier or is a reserved word.
std::string quote_identifier(std::string_view name);
// 'text' or N'text' with quotes doubled.
std::string quote_string(std::string_view text, bool unicode = true);

}  // namespace dragoman::tsql
