// The syntax tree of a T-SQL query and of a person's batch.
//
// Plain values: a node owns its children, copying it copies them, == compares structure and ignores positions.
// Nodes are closed std::variants, so a std::visit that misses a kind does not compile. `walk.h` goes over any tree,
// `build.h` makes one in code, `parser.h` from text, `printer.h` turns one into text.
#pragma once

#include "guard/tsql/ast_expression.h"
#include "guard/tsql/ast_names.h"
#include "guard/tsql/ast_query.h"
#include "guard/tsql/ast_statement.h"
#include "guard/tsql/ast_table.h"
