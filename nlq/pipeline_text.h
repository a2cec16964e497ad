// The sentences that the pipeline itself says, in both languages. None names a rule, a host or a value of a row.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "nlq/semantics.h"

namespace dragoman::nlq::text {

// The one standard refusal.
std::string rejected(language);
std::string out_of_scope(language, const localized* covers);
// unknown: the words that the semantic layer could not account for; may be empty.
std::string no_model(language, const std::vector<std::string>& unknown);
std::string model_error(language, std::string_view why, const std::vector<std::string>& unknown);
std::string failed(language, std::string_view last_error);
std::string not_available(language);  // the guard refused what was compiled
std::string timed_out(language);
std::string question_timed_out(language);
std::string cancelled(language);
std::string rate_limited(language, std::chrono::milliseconds wait);
std::string confirm_cost(language, double cost, double rows);
std::string too_costly(language, double cost, double rows);  // where nothing can be confirmed
std::string costly_notice(language, double cost, double rows);
std::string model_interpretation(language);
std::string model_said(language, std::string_view about_rows);
std::string model_chose(language);  // behind the interpretation of a frame
std::string noted(language,
                  const std::vector<std::string>& assumptions);  // what the reading took for granted; may be empty
std::string assumed(language, std::string_view choice);          // in place of another clarification
std::string too_many_questions(language, std::chrono::milliseconds wait);
std::string question_too_long(language, std::size_t characters_max);

}  // namespace dragoman::nlq::text
