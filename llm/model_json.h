// The JSON of the chat and embeddings calls, both ways, and the server-sent events of a streamed answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "llm/chat_client.h"

namespace dragoman::llm {

// Bodies of POST /chat/completions and POST /embeddings. json_schema that is no JSON is an error of the caller and is
// left out.
std::string chat_body(const client_config&, const chat_request&, const std::string& model);
std::string embedding_body(const std::string& model, const embedding_request&);

// A whole answer of status 200. status becomes ok, empty, truncated or malformed; text, finish_reason, usage, model
// are filled as far as the answer has them.
void read_chat_answer(std::string_view body, chat_result& out);
// The same from server-sent events ("data: {…}" … "data: [DONE]"). A stream that broke off before finish_reason and
// [DONE] is truncated.
void read_chat_stream(std::string_view body, chat_result& out);
void read_embedding_answer(std::string_view body, std::size_t expected, embedding_result& out);

// The server's own words from an error answer ({"error": {"message": …}} or {"error": "…"} or {"message": …}), at most
// 200 bytes on one line; empty when there are none.
std::string error_words(std::string_view body);
// Whether an error answer of status 400 or 404 says that the model is unknown.
bool says_unknown_model(long status, std::string_view body);

}  // namespace dragoman::llm
