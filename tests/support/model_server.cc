#include "tests/support/model_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

namespace dragoman::test {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

bool send_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::send(fd, data.data(), data.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string chat_json(const model_rule& r) {
  json::object answer{
      {"id", "chatcmpl-1"},
      {"object", "chat.completion"},
      {"model", "scripted"},
      {"choices", json::array{json::object{{"index", 0},
                                           {"message", json::object{{"role", "assistant"}, {"content", r.content}}},
                                           {"finish_reason", r.finish_reason}}}},
      {"usage", json::object{{"prompt_tokens", 100},
                             {"completion_tokens", 20},
                             {"prompt_tokens_details", json::object{{"cached_tokens", 64}}}}}};
  return json::serialize(answer);
}

// The events of a streamed answer; the last two are usage and [DONE].
std::vector<std::string> chat_events(const model_rule& r) {
  std::vector<std::string> out;
  auto event = [&](json::object delta, json::value reason) {
    out.push_back(
        "data: " +
        json::serialize(json::object{
            {"model", "scripted"},
            {"choices", json::array{json::object{
                            {"index", 0}, {"delta", std::move(delta)}, {"finish_reason", std::move(reason)}}}}}) +
        "\n\n");
  };
  event({{"role", "assistant"}, {"content", ""}}, nullptr);
  for (std::size_t at = 0; at < r.content.size();) {
    std::size_t end = r.content.find(' ', at);
    end = end == std::string::npos ? r.content.size() : end + 1;
    event({{"content", r.content.substr(at, end - at)}}, nullptr);
    at = end;
  }
  event({}, json::string(r.finish_reason));
  out.push_back(
      "data: {\"model\":\"scripted\",\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}\n\n");
  out.push_back("data: [DONE]\n\n");
  return out;
}

std::string embeddings_json(const std::string& body, std::size_t length) {
  json::array data;
  boost::system::error_code error;
  json::value request = json::parse(body, error);
  if (!error && request.is_object() && request.as_object().contains("input") &&
      request.as_object().at("input").is_array()) {
    int index = 0;
    for (const json::value& text : request.as_object().at("input").as_array()) {
      std::vector<double> letters(length, 0);
      letters[0] = 1;
      if (text.is_string())
        for (char c : text.as_string()) letters[static_cast<unsigned char>(c) % length] += 1;
      data.push_back(json::object{{"index", index++}, {"embedding", json::value_from(letters)}});
    }
  }
  return json::serialize(
      json::object{{"object", "list"}, {"data", std::move(data)}, {"usage", json::object{{"prompt_tokens", 8}}}});
}

}  // namespace

struct model_server::impl {
  int listener = -1;
  unsigned short port = 0;
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> vector_length{4};
  std::thread acceptor;

  mutable std::mutex lock;
  mutable std::condition_variable changed;
  std::vector<model_rule> rules;
  std::vector<model_request> seen;
  std::size_t open = 0;
  std::list<std::thread> threads;

  void accept_loop() {
    while (!stopping) {
      pollfd p{listener, POLLIN, 0};
      if (poll(&p, 1, 50) <= 0) continue;
      const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      std::lock_guard hold(lock);
      ++open;
      threads.emplace_back([this, fd] {
        serve(fd);
        ::close(fd);
        std::lock_guard done(lock);
        --open;
        changed.notify_all();
      });
    }
  }

  // Waits for that long, or until the client closes or the server stops: false then.
  bool pause(int fd, milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    for (;;) {
      const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return true;
      pollfd p{fd, POLLIN | POLLRDHUP, 0};
      poll(&p, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 20)));
      if (stopping || (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return false;
    }
  }

  bool receive(int fd, std::string& buffer) const {
    for (;;) {
      pollfd p{fd, POLLIN, 0};
      if (poll(&p, 1, 20) > 0) break;
      if (stopping) return false;
    }
    char chunk[16384];
    const ssize_t n = ::recv(fd, chunk, sizeof chunk, 0);
    if (n <= 0) return false;
    buffer.append(chunk, static_cast<std::size_t>(n));
    return true;
  }

  std::optional<model_request> read_request(int fd, std::string& buffer) const {
    std::size_t head_end;
    while ((head_end = buffer.find("\r\n\r\n")) == std::string::npos)
      if (!receive(fd, buffer)) return std::nullopt;
    model_request r;
    std::string_view head = std::string_view(buffer).substr(0, head_end);
    std::size_t line_end = head.find("\r\n");
    std::string_view first = head.substr(0, line_end);
    r.method = std::string(first.substr(0, first.find(' ')));
    first.remove_prefix(std::min(first.size(), r.method.size() + 1));
    r.path = std::string(first.substr(0, first.find(' ')));
    while (line_end != std::string_view::npos) {
      head.remove_prefix(line_end + 2);
      line_end = head.find("\r\n");
      const std::string_view line = head.substr(0, line_end);
      const std::size_t colon = line.find(':');
      if (colon != std::string_view::npos)
        r.headers[lower(std::string(line.substr(0, colon)))] = trim(line.substr(colon + 1));
    }
    const std::size_t length = r.headers.contains("content-length") ? std::stoul(r.headers["content-length"]) : 0;
    buffer.erase(0, head_end + 4);
    while (buffer.size() < length)
      if (!receive(fd, buffer)) return std::nullopt;
    r.body = buffer.substr(0, length);
    buffer.erase(0, length);
    return r;
  }

  void serve(int fd) {
    std::string buffer;
    while (auto request = read_request(fd, buffer)) {
      model_rule rule;
      rule.status = 500;
      rule.body = R"({"error":{"message":"the script has no rule for this request"}})";
      {
        std::lock_guard hold(lock);
        seen.push_back(*request);
        for (model_rule& r : rules) {
          if (r.times == 0 || (!r.match.empty() && request->body.find(r.match) == std::string::npos)) continue;
          if (r.times > 0) --r.times;
          rule = r;
          break;
        }
        changed.notify_all();
      }
      if (!answer(fd, *request, rule)) return;
    }
  }

  bool answer(int fd, const model_request& request, const model_rule& rule) const {
    if (rule.hang) {
      pause(fd, std::chrono::hours(1));
      return false;
    }
    if (rule.delay.count() > 0 && !pause(fd, rule.delay)) return false;
    if (rule.drop) return false;
    std::string head = "HTTP/1.1 " + std::to_string(rule.status) + " Scripted\r\n";
    for (const std::string& h : rule.headers) head += h + "\r\n";
    if (rule.stream && rule.status == 200) {
      head += "Content-Type: text/event-stream\r\nConnection: close\r\n\r\n";
      if (!send_all(fd, head)) return false;
      for (const std::string& event : chat_events(rule)) {
        if (!send_all(fd, event) || (rule.gap.count() > 0 && !pause(fd, rule.gap))) return false;
      }
      return false;
    }
    std::string body = rule.body;
    if (request.path == "/v1/models") {
      body = R"({"object":"list","data":[{"id":"scripted","object":"model"}]})";
    } else if (body.empty()) {
      body = request.path == "/v1/embeddings" ? embeddings_json(request.body, vector_length) : chat_json(rule);
    }
    body.insert(0, rule.padding, ' ');
    head += "Content-Type: " + rule.content_type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    if (!send_all(fd, head)) return false;
    if (rule.hang_in_body) {
      send_all(fd, std::string_view(body).substr(0, body.size() / 2));
      pause(fd, std::chrono::hours(1));
      return false;
    }
    return send_all(fd, body);
  }
};

model_server::model_server(std::vector<model_rule> script, unsigned short port) : impl_(std::make_unique<impl>()) {
  impl_->rules = std::move(script);
  impl_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  setsockopt(impl_->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  if (::bind(impl_->listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(impl_->listener, 512) != 0 ||
      ::getsockname(impl_->listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("the model server cannot listen on its port");
  impl_->port = ntohs(address.sin_port);
  impl_->acceptor = std::thread([this] { impl_->accept_loop(); });
}

model_server::~model_server() {
  impl_->stopping = true;
  impl_->acceptor.join();
  ::close(impl_->listener);
  for (std::thread& t : impl_->threads) t.join();
}

unsigned short model_server::port() const {
  return impl_->port;
}

std::string model_server::base_url() const {
  return "http://127.0.0.1:" + std::to_string(impl_->port) + "/v1";
}

void model_server::embedding_length(std::size_t length) {
  impl_->vector_length = length;
}

void model_server::script(std::vector<model_rule> rules) {
  std::lock_guard hold(impl_->lock);
  impl_->rules = std::move(rules);
}

std::vector<model_request> model_server::requests() const {
  std::lock_guard hold(impl_->lock);
  return impl_->seen;
}

std::size_t model_server::count() const {
  std::lock_guard hold(impl_->lock);
  return impl_->seen.size();
}

std::size_t model_server::open_connections() const {
  std::lock_guard hold(impl_->lock);
  return impl_->open;
}

bool model_server::wait_connections(std::size_t at_most, milliseconds limit) const {
  std::unique_lock hold(impl_->lock);
  return impl_->changed.wait_for(hold, limit, [&] { return impl_->open <= at_most; });
}

bool model_server::wait_requests(std::size_t at_least, milliseconds limit) const {
  std::unique_lock hold(impl_->lock);
  return impl_->changed.wait_for(hold, limit, [&] { return impl_->seen.size() >= at_least; });
}

std::vector<model_rule> parse_script(std::string_view text) {
  boost::system::error_code error;
  const json::value list = json::parse(text, error);
  if (error || !list.is_array()) throw std::runtime_error("a script is a JSON list of rules");
  std::vector<model_rule> out;
  for (const json::value& entry : list.as_array()) {
    if (!entry.is_object()) throw std::runtime_error("a rule is a JSON object");
    model_rule r;
    for (const auto& [key, value] : entry.as_object()) {
      auto text_of = [&] { return std::string(value.as_string()); };
      auto number = [&] { return value.to_number<std::int64_t>(); };
      if (key == "match")
        r.match = text_of();
      else if (key == "times")
        r.times = static_cast<int>(number());
      else if (key == "status")
        r.status = static_cast<int>(number());
      else if (key == "content")
        r.content = text_of();
      else if (key == "finish_reason")
        r.finish_reason = text_of();
      else if (key == "body")
        r.body = text_of();
      else if (key == "content_type")
        r.content_type = text_of();
      else if (key == "headers")
        for (const json::value& h : value.as_array()) r.headers.emplace_back(h.as_string());
      else if (key == "delay_ms")
        r.delay = milliseconds(number());
      else if (key == "gap_ms")
        r.gap = milliseconds(number());
      else if (key == "hang")
        r.hang = value.as_bool();
      else if (key == "hang_in_body")
        r.hang_in_body = value.as_bool();
      else if (key == "drop")
        r.drop = value.as_bool();
      else if (key == "stream")
        r.stream = value.as_bool();
      else if (key == "padding")
        r.padding = static_cast<std::size_t>(number());
      else
        throw std::runtime_error("unknown key in a rule: " + std::string(key));
    }
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace dragoman::test
