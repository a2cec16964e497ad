#include "llm/model_json.h"

#include <boost/json.hpp>

#include <algorithm>

namespace dragoman::llm {
namespace {

namespace json = boost::json;

// Deep nesting from a model server must not cost the stack: Boost.JSON's own limit holds (32).
std::optional<json::value> parse(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error) return std::nullopt;
  return value;
}

const json::value* at(const json::value* value, std::string_view key) {
  if (value == nullptr || !value->is_object()) return nullptr;
  return value->as_object().if_contains(key);
}

std::string text_at(const json::value* value, std::string_view key) {
  const json::value* found = at(value, key);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::uint64_t number_at(const json::value* value, std::string_view key) {
  const json::value* found = at(value, key);
  if (found == nullptr) return 0;
  boost::system::error_code error;
  const auto number = found->to_number<std::uint64_t>(error);
  return error ? 0 : number;
}

token_usage usage_of(const json::value* usage) {
  token_usage out;
  out.prompt = number_at(usage, "prompt_tokens");
  out.completion = number_at(usage, "completion_tokens");
  out.cached = number_at(at(usage, "prompt_tokens_details"), "cached_tokens");
  return out;
}

const json::value* first_choice(const json::value& answer) {
  const json::value* choices = at(&answer, "choices");
  if (choices == nullptr || !choices->is_array() || choices->as_array().empty()) return nullptr;
  return &choices->as_array()[0];
}

// content is a text, or, from some servers, a list of parts of type "text".
std::optional<std::string> content_of(const json::value* message) {
  const json::value* content = at(message, "content");
  if (content == nullptr || content->is_null()) return std::string();
  if (content->is_string()) return std::string(content->as_string());
  if (!content->is_array()) return std::nullopt;
  std::string out;
  for (const json::value& part : content->as_array()) out += text_at(&part, "text");
  return out;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void judge(chat_result& out) {
  if (out.finish_reason == "length") {
    out.status = call_status::truncated;
    out.error = "The model's answer was cut off at its token limit.";
  } else if (blank(out.text)) {
    out.status = call_status::empty;
    out.error = "The model's answer was empty.";
  } else {
    out.status = call_status::ok;
    out.error.clear();
  }
}

void malformed(chat_result& out) {
  out.status = call_status::malformed;
  out.text.clear();
  out.error = "The model server's answer is not that of an OpenAI-compatible server.";
}

}  // namespace

std::string_view name_of(role r) noexcept {
  switch (r) {
    case role::system: return "system";
    case role::user: return "user";
    case role::assistant: return "assistant";
  }
  return "user";
}

std::string_view name_of(call_status s) noexcept {
  switch (s) {
    case call_status::ok: return "ok";
    case call_status::empty: return "empty";
    case call_status::truncated: return "truncated";
    case call_status::rate_limited: return "rate_limited";
    case call_status::cancelled: return "cancelled";
    case call_status::timed_out: return "timed_out";
    case call_status::unreachable: return "unreachable";
    case call_status::remote_refused: return "remote_refused";
    case call_status::refused: return "refused";
    case call_status::server_error: return "server_error";
    case call_status::malformed: return "malformed";
    case call_status::reply_too_large: return "reply_too_large";
    case call_status::no_model: return "no_model";
  }
  return "no_model";
}

std::string chat_body(const client_config& config, const chat_request& request, const std::string& model) {
  json::array messages;
  for (const message& m : request.messages)
    messages.push_back(json::object{{"role", json::string(name_of(m.role))}, {"content", m.content}});
  json::object body{{"model", model},
                    {"messages", std::move(messages)},
                    {"temperature", config.temperature},
                    {"max_tokens", request.max_tokens.value_or(config.max_tokens)},
                    {"stream", config.stream}};
  if (config.stream) body["stream_options"] = json::object{{"include_usage", true}};
  if (!request.json_schema.empty()) {
    if (auto schema = parse(request.json_schema))
      body["response_format"] = json::object{
          {"type", "json_schema"},
          {"json_schema", json::object{{"name", "answer"}, {"strict", true}, {"schema", std::move(*schema)}}}};
  } else if (!request.grammar.empty()) {
    switch (config.grammar) {
      case grammar_field::none: break;
      case grammar_field::gbnf: body["grammar"] = request.grammar; break;
      case grammar_field::guided: body["structured_outputs"] = json::object{{"grammar", request.grammar}}; break;
    }
  }
  return json::serialize(body);
}

std::string embedding_body(const std::string& model, const embedding_request& request) {
  return json::serialize(
      json::object{{"model", model}, {"input", json::array(request.texts.begin(), request.texts.end())}});
}

void read_chat_answer(std::string_view body, chat_result& out) {
  const auto answer = parse(body);
  const json::value* choice = answer ? first_choice(*answer) : nullptr;
  const json::value* message = at(choice, "message");
  const auto content = message != nullptr && message->is_object() ? content_of(message) : std::nullopt;
  if (!content) return malformed(out);
  out.text = *content;
  out.model = text_at(&*answer, "model");
  out.finish_reason = text_at(choice, "finish_reason");
  out.usage = usage_of(at(&*answer, "usage"));
  judge(out);
}

void read_chat_stream(std::string_view body, chat_result& out) {
  out.text.clear();
  bool any = false;
  bool whole = false;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body = end == std::string_view::npos ? std::string_view() : body.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with("data:")) continue;  // comments, event names and blank lines carry no text
    line.remove_prefix(5);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line == "[DONE]") {
      whole = true;
      continue;
    }
    const auto chunk = parse(line);
    if (!chunk || !chunk->is_object()) return malformed(out);
    any = true;
    if (out.model.empty()) out.model = text_at(&*chunk, "model");
    if (const json::value* usage = at(&*chunk, "usage"); usage != nullptr && usage->is_object())
      out.usage = usage_of(usage);
    if (const json::value* choice = first_choice(*chunk)) {
      const auto piece = content_of(at(choice, "delta"));
      if (!piece) return malformed(out);
      out.text += *piece;
      if (std::string reason = text_at(choice, "finish_reason"); !reason.empty()) {
        out.finish_reason = std::move(reason);
        whole = true;
      }
    }
  }
  if (!any) return malformed(out);
  judge(out);
  if (!whole) {
    out.status = call_status::truncated;
    out.error = "The model's answer broke off.";
  }
}

void read_embedding_answer(std::string_view body, std::size_t expected, embedding_result& out) {
  out.status = call_status::malformed;
  out.error = "The model server's answer holds no embeddings of one length.";
  out.vectors.clear();
  const auto answer = parse(body);
  const json::value* data = answer ? at(&*answer, "data") : nullptr;
  if (data == nullptr || !data->is_array() || data->as_array().size() != expected) return;
  std::vector<std::vector<float>> vectors(expected);
  std::size_t position = 0;
  for (const json::value& entry : data->as_array()) {
    const json::value* given = at(&entry, "index");
    const std::size_t index = given != nullptr ? number_at(&entry, "index") : position;
    ++position;
    const json::value* numbers = at(&entry, "embedding");
    if (index >= expected || !vectors[index].empty() || numbers == nullptr || !numbers->is_array()) return;
    for (const json::value& n : numbers->as_array()) {
      boost::system::error_code error;
      const double value = n.to_number<double>(error);
      if (error) return;
      vectors[index].push_back(static_cast<float>(value));
    }
    if (vectors[index].empty()) return;
  }
  for (const auto& v : vectors)
    if (v.size() != vectors[0].size()) return;
  out.vectors = std::move(vectors);
  out.usage = usage_of(at(&*answer, "usage"));
  out.status = call_status::ok;
  out.error.clear();
}

std::string error_words(std::string_view body) {
  const auto answer = parse(body);
  if (!answer) return {};
  const json::value* error = at(&*answer, "error");
  std::string words = text_at(error, "message");
  if (words.empty() && error != nullptr && error->is_string()) words = std::string(error->as_string());
  if (words.empty()) words = text_at(&*answer, "message");
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (words.size() > 200) {
    std::size_t end = 200;
    while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) --end;
    words.resize(end);
  }
  return words;
}

bool says_unknown_model(long status, std::string_view body) {
  if (status != 400 && status != 404) return false;
  const auto answer = parse(body);
  if (!answer) return false;
  const std::string code = text_at(at(&*answer, "error"), "code");
  if (code == "model_not_found") return true;
  const std::string words = error_words(body);
  return words.find("model") != std::string::npos || words.find("Model") != std::string::npos;
}

}  // namespace dragoman::llm
