// From a model's answer to the statement in it.
//
// Cleaning mends habits (fences, prose, another dialect's LIMIT), never meaning: what it leaves is checked by the
// guard in any case, and it takes nothing away that would make a forbidden statement look allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::nlq {

// The word that a model answers with when the schema cannot answer the question.
inline constexpr std::string_view out_of_scope_sentinel = "OUT_OF_SCOPE";

enum class reply_kind : std::uint8_t { sql, out_of_scope, none };

struct cleaned_reply {
  reply_kind kind = reply_kind::none;
  std::string sql;
};

cleaned_reply clean_reply(std::string_view text);

// Without what a model thought aloud (<think>…</think> and the like).
std::string without_thinking(std::string_view text);

// The dialect repairs alone, on one statement: LIMIT n [OFFSET m] and FETCH FIRST to TOP or OFFSET … FETCH, TOP before
// DISTINCT put right, `names` in backticks to [names], a few functions of other dialects by their T-SQL names.
std::string repair_dialect(std::string_view sql);

}  // namespace dragoman::nlq
