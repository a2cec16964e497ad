// What a model may write at all, as a grammar for servers that constrain decoding: the refusal sentinel, or one SELECT
// over the tables and columns that a principal may see.
//
// The notation is GBNF (llama.cpp; vLLM's grammar back ends read it too): rule names of small letters, digits and
// hyphens, no left recursion, no comments. The grammar keeps a model from wandering, it is no guard: what comes back is
// parsed, judged and printed anew like any other statement. What it cannot say by its nature (a column that belongs to
// another table of the statement, the number of a function's arguments) is left to the guard.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "retrieval/table_index.h"

namespace dragoman::nlq {

// How names look that the statement makes up itself: columns that it computes, common table expressions. They may be
// used like columns and tables, so no name that the principal may not know may look like one. The commonest form that
// no such name has: small letters with an underscore ("total_sales"), else a prefix of its own ("x_total").
struct made_up_names {
  std::string prefix;  // empty: any small letters, digits and underscores, with one underscore at least

  // For the rules of the prompt: "- Names that you make up …".
  std::string rule() const;
};
// By the whole catalogue; nothing where every form is taken.
std::optional<made_up_names> made_up_names_of(const catalog::database&, const retrieval::table_scope&);

// Over these tables, as far as they are in scope; deterministic. Columns for joins only may stand in ON as
// alias.column = alias.column. Empty where nothing may be seen, or where the grammar would be larger than
// limits::grammar_names_max and grammar_bytes_max let it.
std::string sql_grammar(const catalog::database&, const retrieval::table_scope&, const std::vector<std::size_t>& tables,
                        const made_up_names&);

}  // namespace dragoman::nlq
