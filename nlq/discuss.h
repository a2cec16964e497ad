// Questions about the answer before: "what was the total?", "کدام بیشترین بود؟". Answered from its rows alone, without
// the warehouse and without a model.
//
// A question is only read this way when every word of it is accounted for by a small vocabulary of its own, by names
// that stand in the rows, or by the titles of their label columns. Anything else, and whatever the rows cannot say
// exactly, is left to understanding as before. Pure functions; numbers are exact decimals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/action.h"
#include "nlq/intent.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

struct last_result {
  result_head rows;                    // `complete` only when these are all that the client got, and none was cut off
  std::optional<query_intent> intent;  // absent: a model's SQL
  bool additive = false;               // its measures may be added up (measures_add_up)
  std::string question;
  std::string interpretation;
  std::vector<std::string> assumptions;
  std::string sql;  // as the client was shown it
};

struct discussed {
  std::string interpretation;
  std::vector<std::string> columns;
  std::vector<bool> numeric;  // by column; the cells are then decimal digits, or empty for NULL
  std::vector<std::vector<std::string>> rows;
};

// Whether the values of all measures of this question may be added up over its rows.
bool measures_add_up(const query_intent&, const semantic_layer&);

// A cheap look at the words: false where `discuss` would say nothing whatever the rows are.
bool may_discuss(std::string_view question);

std::optional<discussed> discuss(std::string_view question, const last_result&);

}  // namespace dragoman::nlq
