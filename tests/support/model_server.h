// A scripted OpenAI-compatible server for tests: real HTTP on a free loopback port, one thread per connection.
//
// POST /v1/chat/completions takes the first rule of the script that still has uses left and whose `match` occurs in
// the request's body; POST /v1/embeddings answers with small vectors made of the texts; GET /v1/models lists one
// model. Every request is recorded. Also a program of its own (model_server_main.cc) for tests through real clients.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

struct model_rule {
  std::string match;  // substring of the body; empty: any request
  int times = 1;      // uses left; negative: without end

  int status = 200;
  std::string content;  // the assistant's text
  std::string finish_reason = "stop";
  std::string body;  // sent as it is in place of the JSON around `content`, when not empty
  std::string content_type = "application/json";
  std::vector<std::string> headers;    // "Retry-After: 1"
  std::chrono::milliseconds delay{0};  // before the first byte
  bool hang = false;                   // never answers
  bool hang_in_body = false;           // headers and half the body, then nothing
  bool drop = false;                   // closes without an answer
  bool stream = false;                 // server-sent events, one per word, `gap` apart
  std::chrono::milliseconds gap{0};
  std::size_t padding = 0;  // bytes of white space in front of the JSON
};

struct model_request {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class model_server {
 public:
  model_server() : model_server(std::vector<model_rule>{}) {}
  explicit model_server(std::vector<model_rule> script, unsigned short port = 0);
  ~model_server();
  model_server(const model_server&) = delete;
  model_server& operator=(const model_server&) = delete;

  unsigned short port() const;
  std::string base_url() const;  // "http://127.0.0.1:<port>/v1"
  void script(std::vector<model_rule>);
  void embedding_length(std::size_t);  // of the vectors that it makes; 4 at first
  std::vector<model_request> requests() const;
  std::size_t count() const;  // of requests so far
  std::size_t open_connections() const;
  // Waits until the number of connections is at most that; false after the limit.
  bool wait_connections(std::size_t at_most, std::chrono::milliseconds limit) const;
  bool wait_requests(std::size_t at_least, std::chrono::milliseconds limit) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

// Reads a script: a JSON list of objects whose keys are the fields of model_rule (delay and gap as delay_ms, gap_ms).
// Throws std::runtime_error with the reason.
std::vector<model_rule> parse_script(std::string_view json_text);

}  // namespace dragoman::test
