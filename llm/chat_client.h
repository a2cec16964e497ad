// An OpenAI-compatible model server: POST {base_url}/chat/completions and {base_url}/embeddings.
//
// One `client` per configured endpoint, owned by the program, used from any thread. It has one event thread (curl's
// multi interface) that serves every call at once, and a second one only while host names are being resolved; a call
// that waits two seconds for its model costs memory, not a thread.
//
// Nothing leaves the machine for an address that is not private (loopback, RFC 1918, link-local, IPv6 ULA) unless the
// configuration says `allow_remote`. The check is made on the addresses that the connection then uses: every address
// of the name must pass, and the socket is opened to a checked one only, so that a name that answers differently the
// second time gains nothing. Proxies of the environment are not used and redirects are not followed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/secret.h"

namespace dragoman::llm {

using std::chrono::milliseconds;

// How a server is told the grammar of a request; no standard of the protocol.
enum class grammar_field : std::uint8_t {
  none,    // it is not sent
  gbnf,    // "grammar": llama.cpp's server
  guided,  // "structured_outputs": {"grammar": …}: vLLM since 0.11
};

struct client_config {
  std::string base_url;                      // "http://127.0.0.1:11434/v1"; http or https, no credentials, no query
  secret api_key;                            // sent as "Authorization: Bearer …"; empty: no header
  std::string ca_file;                       // PEM for https to a private server; empty: the system's
  std::string model;                         // what a request that names none asks for
  std::vector<std::string> fallback_models;  // tried in order after `model` is unknown to the server or kept failing
  std::string embedding_model;               // empty: embed() fails with no_model
  bool allow_remote = false;
  double temperature = 0;
  unsigned max_tokens = 1024;  // of an answer
  grammar_field grammar = grammar_field::none;
  bool stream = false;  // server-sent events: time to first token, and first_byte_timeout bites early
  unsigned tries = limits::model_tries_max;
  milliseconds connect_timeout = limits::model_connect_timeout;
  milliseconds first_byte_timeout = limits::model_first_byte_timeout;  // of one try, from its start
  milliseconds total_timeout = limits::model_timeout_default;          // of the call: all tries and pauses
  milliseconds backoff_first = limits::model_backoff_first;            // doubled per try, ± 25 % at random
  milliseconds backoff_max = limits::model_backoff_max;                // also the longest Retry-After that is waited
  std::size_t reply_bytes_max = limits::model_reply_bytes_max;
  double calls_per_minute = 0;  // 0: unlimited. A call over the limit is not made and not retried
  unsigned calls_burst = 10;
};

enum class role : std::uint8_t { system, user, assistant };
std::string_view name_of(role) noexcept;

struct message {
  llm::role role = llm::role::user;
  std::string content;
  bool operator==(const message&) const = default;
};

struct chat_request {
  std::vector<message> messages;
  std::string model;                       // empty: the configured one, then its fallbacks
  std::optional<unsigned> max_tokens;      // else as configured
  std::optional<milliseconds> time_limit;  // shorter than the configured total
  std::string json_schema;                 // JSON text; sent as response_format for servers that constrain decoding
  std::string grammar;                     // GBNF; sent as client_config::grammar says, not beside a json_schema
};

// How a call ended. ok, empty and truncated come with a reply; all others with `error`.
enum class call_status : std::uint8_t {
  ok,
  empty,            // an answer without text
  truncated,        // finish_reason "length": cut off at max_tokens
  rate_limited,     // by calls_per_minute here; `retry_after` says when; nothing was sent
  cancelled,        // by call::cancel or the client's end
  timed_out,        // no answer within the time limit, tries included
  unreachable,      // could not connect, or the connection broke
  remote_refused,   // the endpoint is not private and allow_remote is off; nothing was sent
  refused,          // 4xx other than 408, 425, 429: the key, the model's name or the request is wrong
  server_error,     // 429 or 5xx to the last try
  malformed,        // no JSON of the expected shape
  reply_too_large,  // more than reply_bytes_max
  no_model,         // nothing is configured for this kind of call
};
std::string_view name_of(call_status) noexcept;

struct token_usage {  // zero where the server does not say
  std::uint64_t prompt = 0;
  std::uint64_t completion = 0;
  std::uint64_t cached = 0;  // of the prompt, taken from the server's prefix cache
};

struct chat_result {
  call_status status = call_status::no_model;
  std::string text;           // UTF-8
  std::string error;          // one sentence for people; never the key, never a header
  std::string model;          // that answered, as the server names it
  std::string finish_reason;  // as sent
  token_usage usage;
  unsigned tries = 0;  // HTTP requests made
  milliseconds elapsed{0};
  milliseconds first_byte{0};   // of the last try
  milliseconds retry_after{0};  // rate_limited only
  bool has_text() const noexcept { return status == call_status::ok || status == call_status::truncated; }
};

struct embedding_request {
  std::vector<std::string> texts;
  std::optional<milliseconds> time_limit;
};

struct embedding_result {
  call_status status = call_status::no_model;
  std::vector<std::vector<float>> vectors;  // one per text, in their order, all of one length
  std::string error;
  token_usage usage;
  unsigned tries = 0;
  milliseconds elapsed{0};
};

// A call under way. Copyable; the call goes on when all handles are gone.
class call {
 public:
  call() = default;
  // From any thread, at any time, any number of times. The HTTP request is closed and the completion told
  // `cancelled` within milliseconds, unless it has been told something else already.
  void cancel() const;

 private:
  friend class client;
  struct link;
  explicit call(std::shared_ptr<link> l) : link_(std::move(l)) {}
  std::shared_ptr<link> link_;
};

// Addresses of a host name, as texts ("10.0.0.7", "fd00::1"). The default asks the system.
using host_resolver = std::function<result<std::vector<std::string>>(const std::string& host)>;

class client {
 public:
  using chat_completion = std::function<void(chat_result)>;
  using embedding_completion = std::function<void(embedding_result)>;

  // Fails (errc::configuration) on a malformed URL and on a literal address that is not allowed. A host name is looked
  // up at the first call, not here: a name server that is down must not keep the gateway from starting.
  static result<std::unique_ptr<client>> open(client_config, host_resolver = {});
  ~client();  // cancels what is under way and waits for its completions
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  // The completion runs exactly once, on the event thread: it must not block, and may submit and cancel.
  call submit(chat_request, chat_completion);
  call submit(embedding_request, embedding_completion);

  // The same, waiting for the end. Not from a completion.
  chat_result chat(chat_request);
  embedding_result embed(embedding_request);

  // Looks the host up now and says whether the endpoint may be used; asks the server nothing. For `dragoman check`.
  result<void> verify_endpoint() const;

  const client_config& config() const noexcept;

 private:
  struct impl;
  explicit client(std::unique_ptr<impl>);
  std::unique_ptr<impl> impl_;
};

}  // namespace dragoman::llm
