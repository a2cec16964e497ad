// Composition on an earlier question: its query becomes a common table expression of members, and the question is asked
// of those alone. Internal to the compiler.
#pragma once

#include "nlq/compile_builder.h"

namespace dragoman::nlq {

// `members` of the earlier question that `q.among` holds, and the column that tells them apart. Ends with
// cannot_compile where its answer does not show them row by row.
struct earlier_members {
  tsql::select_statement select;
  std::string column;
};
earlier_members members_of(const query_intent& q, const semantic_layer& layer);

// The CTE's name; it counts the questions below it, so that none hides another.
std::string among_name(const query_intent& q);

// key IN (SELECT member FROM …)
tsql::expression among_condition(const query_intent& q, const semantic_layer& layer, select_builder& b);

// The CTEs that the condition names stand before the query.
void attach_earlier(const query_intent& q, const semantic_layer& layer, compiled& out);

// SELECT COUNT(*) of the rows of `out`.
void count_answer(const query_intent& q, const semantic_layer& layer, compiled& out);

}  // namespace dragoman::nlq
