// What a model may add to a drafted layer: one sentence and a few other words for each table and column.
//
// Nothing of it takes effect by itself: `write_draft` puts it into comments that say who wrote it, for a person to
// review and to move to `words`. A model is told names, types, keys and, only where asked for, values that were seen;
// all of it fenced as data.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/chat_client.h"
#include "nlq/semantics_draft.h"

namespace dragoman::nlq {

// One request per table; its answer is JSON of a fixed schema, which a server that cannot constrain decoding may miss.
llm::chat_request describing_request(const catalog::table&, const catalog_facts&, bool with_values);

// Reads an answer to that: texts are cut to one line of limits::described_bytes_max, words that are none (signs, too
// long, too many, the name itself) are left out, and so is a column that the table does not have. Fails (model_error)
// on what is no such JSON.
result<remarks> read_remarks(std::string_view json, const catalog::table&);

}  // namespace dragoman::nlq
