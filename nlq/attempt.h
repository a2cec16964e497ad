// The attempts of one question and the table that says what follows which failure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errc.h"

namespace dragoman::nlq {

enum class attempt_outcome : std::uint8_t {
  accepted,   // checked and, where asked for, run
  refused,    // by the guard
  no_sql,     // an answer without a statement in it
  bad_frame,  // a slot frame that is no frame, or names what there is not
  empty_answer,
  truncated_answer,
  out_of_scope,  // the model's own refusal
  model_failed,
  too_costly,
  execution_failed,
  interrupted,
};
std::string_view name_of(attempt_outcome) noexcept;

// One row of `nlq.attempts` and of @mode = 'full'.
struct attempt {
  unsigned number = 1;  // from 1
  attempt_outcome outcome = attempt_outcome::accepted;
  std::string sql;    // as printed by the guard, else as cleaned; empty when there was none
  std::string error;  // with its reason code in front: "unknown_column: Invalid column name 'Amount'."
  bool will_retry = false;
  std::int64_t milliseconds = 0;
};

// What may follow a failure. The first four never cost a second model call.
enum class next_step : std::uint8_t {
  reject,  // policy: one standard sentence that says nothing of the rule
  fail,    // safety, or nothing a rewrite could mend
  time_out,
  cancel,
  generate,  // the model is asked again with the error
  retrieve,  // names were missing: retrieval first, with the error's words and two more tables
};

// After the guard's refusal of generated SQL.
next_step after_refusal(errc reason) noexcept;
// After a failed run; number is the upstream's.
next_step after_failed_run(errc reason, std::int32_t number) noexcept;

// One line for the model about this kind of mistake, e.g. "Use only tables and columns of the schema above."
std::string_view hint_for(errc reason, std::int32_t number) noexcept;

}  // namespace dragoman::nlq
