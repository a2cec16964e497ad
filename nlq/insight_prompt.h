// What a model is told when it is asked to say something about rows: the question and the rows that the client has got,
// fenced as data, and nothing else.
#pragma once

#include <string_view>
#include <vector>

#include "llm/chat_client.h"
#include "nlq/action.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

inline constexpr std::size_t insight_bytes_max = 8 * 1024;  // of all rows; more are not told of
inline constexpr std::size_t insight_cell_bytes_max = 200;  // a longer cell is cut, and is no name then

// Empty where nothing is to be asked: no row, no number, one number alone, rows beyond the head, more than
// insight_bytes_max.
std::vector<llm::message> insight_messages(std::string_view question, const result_head&, language);

}  // namespace dragoman::nlq
