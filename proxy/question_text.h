// The words and result sets in which a question's end is told: documented columns, the question's language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nlq/pipeline.h"
#include "proxy/session.h"

namespace dragoman::proxy {

std::string pretty_sql(std::string_view sql);  // the house layout; the text itself where it does not parse

std::string source_line(const nlq::report& report, std::int64_t milliseconds);
std::string cut_line(const nlq::report& report);
std::string suggestion_line(std::string_view suggestion, nlq::language lang);
std::string confirm_line(std::string_view token, nlq::language lang);

local_result sql_result(const nlq::report& report);  // sql, interpretation, source, tables, estimated_…
local_result attempts_result(
    const std::vector<nlq::attempt>&);  // attempt, outcome, sql, error, will_retry, milliseconds
local_result choices_result(const std::vector<nlq::clarify_option>&);  // choice, label, value, description
local_result confirmation_result(const nlq::report& report, const std::string& token);
local_result catalogue_result(const nlq::report& report);

}  // namespace dragoman::proxy
