#include "llm/chat_client.h"

#include <fmt/core.h>

#include <atomic>
#include <future>
#include <random>
#include <thread>
#include <unordered_map>
#include <variant>

#include "llm/endpoint.h"
#include "llm/http_client.h"
#include "llm/model_json.h"
#include "llm/rate_limiter.h"
#include "llm/retry.h"

namespace dragoman::llm {
namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::chrono::seconds resolution_lifetime{60};

milliseconds between(clock_type::time_point a, clock_type::time_point b) {
  return std::chrono::duration_cast<milliseconds>(b - a);
}

// One call under way; lives on the event thread.
struct pending {
  std::uint64_t id = 0;
  std::variant<chat_request, embedding_request> request;
  client::chat_completion chat_done;
  client::embedding_completion embedding_done;
  std::vector<std::string> models;  // in the order in which they are tried
  std::size_t model = 0;
  unsigned tries_of_model = 0;
  clock_type::time_point started;
  clock_type::time_point deadline;
  std::uint64_t waiting_for = 0;  // a transfer or a timer of the http_client
  bool waiting_for_name = false;
  chat_result chat;  // both kinds keep status, error, tries and usage here
  embedding_result embedding;

  bool is_chat() const { return std::holds_alternative<chat_request>(request); }
};

}  // namespace

struct call::link {
  std::function<bool(http_client::task)> post;
  std::function<void()> cancel;  // runs on the event thread
};

void call::cancel() const {
  if (link_ != nullptr) link_->post([l = link_] { l->cancel(); });
}

struct client::impl {
  client_config config;
  endpoint where;
  host_resolver resolve;
  std::atomic<std::uint64_t> next_id{1};

  // The event thread only.
  std::unordered_map<std::uint64_t, std::unique_ptr<pending>> calls;
  rate_limiter limiter;
  std::vector<std::string> addresses;  // checked, of `where`
  clock_type::time_point addresses_until{};
  bool resolving = false;
  std::minstd_rand random{std::random_device{}()};

  http_client http;  // last: its thread ends before the rest dies

  impl(client_config c, endpoint e, host_resolver r)
      : config(std::move(c)),
        where(std::move(e)),
        resolve(std::move(r)),
        limiter(config.calls_per_minute, config.calls_burst) {
    if (where.literal_address) addresses = {where.host};
  }

  ~impl() {
    http.post([this] {
      while (!calls.empty()) finish(calls.begin()->second->id, call_status::cancelled, "The model call was cancelled.");
    });
    http.stop();
  }

  // ---- the life of a call -------------------------------------------------------------------------------------------

  call begin(std::unique_ptr<pending> p) {
    p->id = next_id++;
    p->started = clock_type::now();
    auto link = std::make_shared<call::link>();
    link->post = http.poster();
    link->cancel = [this, id = p->id] { finish(id, call_status::cancelled, "The model call was cancelled."); };
    std::shared_ptr<pending> shared = std::move(p);
    http.post([this, shared] { accept(std::make_unique<pending>(std::move(*shared))); });
    return call(std::move(link));
  }

  void accept(std::unique_ptr<pending> owned) {
    pending& p = *owned;
    const std::uint64_t id = p.id;
    calls.emplace(id, std::move(owned));
    if (p.models.empty() || p.models[0].empty())
      return finish(id, call_status::no_model, "No model is configured for this kind of call.");
    if (const milliseconds wait = limiter.take(clock_type::now()); wait.count() > 0) {
      p.chat.retry_after = wait;
      return finish(id, call_status::rate_limited,
                    fmt::format("Too many model calls; the next may be made in {} s.", (wait.count() + 999) / 1000));
    }
    with_addresses(p);
  }

  void with_addresses(pending& p) {
    if (!addresses.empty() && (where.literal_address || clock_type::now() < addresses_until)) return try_once(p.id);
    p.waiting_for_name = true;
    // The call's limit also bounds the wait for a name server that does not answer.
    p.waiting_for = http.after(std::max(between(clock_type::now(), p.deadline), milliseconds(0)), [this, id = p.id] {
      finish(id, call_status::timed_out, "The model server's name could not be resolved in time.");
    });
    if (resolving) return;
    resolving = true;
    // getaddrinfo cannot be cancelled: it gets a thread of its own, which outlives the client if it must.
    std::thread([post = http.poster(), resolve = resolve, host = where.host, this] {
      auto found = resolve(host);
      post([this, found = std::move(found)] { resolved(found); });
    }).detach();
  }

  void resolved(const result<std::vector<std::string>>& found) {
    resolving = false;
    call_status bad = call_status::ok;
    std::string why;
    if (!found) {
      bad = call_status::unreachable;
      why = found.error().message;
    } else if (auto checked = check(*found); !checked) {
      bad = checked.error().code == errc::configuration ? call_status::remote_refused : call_status::unreachable;
      why = checked.error().message;
    } else {
      addresses.clear();
      for (const std::string& a : *found) addresses.push_back(canonical_address(a));
      addresses_until = clock_type::now() + resolution_lifetime;
    }
    std::vector<std::uint64_t> waiting;
    for (auto& [id, p] : calls)
      if (p->waiting_for_name) waiting.push_back(id);
    for (std::uint64_t id : waiting) {
      auto at = calls.find(id);  // a completion may have cancelled others
      if (at == calls.end()) continue;
      at->second->waiting_for_name = false;
      if (bad == call_status::ok) {
        try_once(id);
      } else {
        finish(id, bad, why);
      }
    }
  }

  result<void> check(const std::vector<std::string>& found) const {
    for (const std::string& a : found)
      if (canonical_address(a).empty())
        return failure(errc::model_error, fmt::format("The host '{}' has an address of no known kind.", where.host));
    if (found.empty()) return failure(errc::model_error, fmt::format("The host '{}' has no address.", where.host));
    if (config.allow_remote) return {};
    return require_private(where.host, found);
  }

  void try_once(std::uint64_t id) {
    pending& p = *calls.at(id);
    http.drop(p.waiting_for);
    p.waiting_for = 0;
    const milliseconds left = between(clock_type::now(), p.deadline);
    if (left.count() <= 0) return finish(id, call_status::timed_out, "The model server did not answer in time.");
    const std::string& model = p.models[p.model];
    http_request r;
    r.host = where.host;
    r.port = where.port;
    r.addresses = addresses;
    r.bearer = config.api_key;
    r.ca_file = config.ca_file;
    r.connect_timeout = std::min(config.connect_timeout, left);
    r.first_byte_timeout = std::min(config.first_byte_timeout, left);
    r.total_timeout = left;
    r.body_bytes_max = config.reply_bytes_max;
    if (p.is_chat()) {
      r.url = where.url("/chat/completions");
      r.body = chat_body(config, std::get<chat_request>(p.request), model);
      r.event_stream = config.stream;
    } else {
      r.url = where.url("/embeddings");
      r.body = embedding_body(model, std::get<embedding_request>(p.request));
    }
    ++p.chat.tries;
    ++p.tries_of_model;
    p.waiting_for = http.start(std::move(r), [this, id](http_reply reply) { tried(id, std::move(reply)); });
  }

  void tried(std::uint64_t id, http_reply reply) {
    pending& p = *calls.at(id);
    p.waiting_for = 0;
    p.chat.first_byte = reply.first_byte;
    const try_end end = judge(p, reply);
    if (end == try_end::final) return finish(id, p.chat.status, std::move(p.chat.error));

    if (end == try_end::retryable && p.tries_of_model < std::max(config.tries, 1u)) {
      const milliseconds pause = backoff(p.tries_of_model + 1, config.backoff_first, config.backoff_max,
                                         reply.retry_after, std::uniform_real_distribution<double>(0, 1)(random));
      if (reply.retry_after <= config.backoff_max && clock_type::now() + pause < p.deadline) {
        p.waiting_for = http.after(pause, [this, id] { again(id); });
        return;
      }
    }
    // A server that cannot be reached has no other model either.
    const bool reached = p.chat.status != call_status::unreachable;
    if (reached && p.model + 1 < p.models.size() && clock_type::now() < p.deadline) {
      ++p.model;
      p.tries_of_model = 0;
      p.waiting_for = http.after(milliseconds(0), [this, id] { again(id); });
      return;
    }
    finish(id, p.chat.status, std::move(p.chat.error));
  }

  void again(std::uint64_t id) {
    pending& p = *calls.at(id);
    p.waiting_for = 0;
    with_addresses(p);
  }

  // Fills status, error and the answer from one try.
  try_end judge(pending& p, const http_reply& reply) {
    chat_result& out = p.chat;
    switch (reply.end) {
      case http_end::unreachable:
        out.status = call_status::unreachable;
        out.error = fmt::format("The model server at {}:{} cannot be reached.", where.host, where.port);
        return try_end::retryable;
      case http_end::broken:
        out.status = call_status::unreachable;
        out.error = "The connection to the model server broke.";
        return try_end::retryable;
      case http_end::timed_out:
        out.status = call_status::timed_out;
        out.error = "The model server did not answer in time.";
        return try_end::retryable;
      case http_end::too_large:
        out.status = call_status::reply_too_large;
        out.error = fmt::format("The model server's answer is larger than {} bytes.", config.reply_bytes_max);
        return try_end::final;
      case http_end::address_refused:
        out.status = call_status::remote_refused;
        out.error = "The model server's address is not one of those that were checked.";
        return try_end::final;
      case http_end::done: break;
    }
    if (reply.status == 200) {
      out.status = call_status::ok;
      read(p, reply);
      return try_end::final;
    }
    std::string words =
        reply.status == 401 || reply.status == 403 ? std::string() : without_key(error_words(reply.body));
    out.error =
        fmt::format("The model server answered with status {}{}{}.", reply.status, words.empty() ? "" : ": ", words);
    if (retryable_status(reply.status)) {
      out.status = call_status::server_error;
      return try_end::retryable;
    }
    out.status = reply.status >= 500 ? call_status::server_error : call_status::refused;
    return says_unknown_model(reply.status, reply.body) ? try_end::wrong_model : try_end::final;
  }

  void read(pending& p, const http_reply& reply) {
    if (!p.is_chat()) {
      read_embedding_answer(reply.body, std::get<embedding_request>(p.request).texts.size(), p.embedding);
      p.chat.status = p.embedding.status;
      p.chat.error = p.embedding.error;
      p.chat.usage = p.embedding.usage;
      return;
    }
    // A server that does not stream answers a request for a stream with plain JSON.
    if (reply.content_type.starts_with("text/event-stream")) {
      read_chat_stream(reply.body, p.chat);
    } else {
      read_chat_answer(reply.body, p.chat);
    }
    if (p.chat.model.empty()) p.chat.model = p.models[p.model];
  }

  // Some servers repeat the key in their errors.
  std::string without_key(std::string words) const {
    const std::string_view key = config.api_key.reveal();
    for (std::size_t at; !key.empty() && (at = words.find(key)) != std::string::npos;)
      words.replace(at, key.size(), "***");
    return words;
  }

  // The end of a call, whatever it waits for. Does nothing for a call that has ended.
  void finish(std::uint64_t id, call_status status, std::string error) {
    auto at = calls.find(id);
    if (at == calls.end()) return;
    std::unique_ptr<pending> p = std::move(at->second);
    calls.erase(at);
    if (p->waiting_for != 0) http.drop(p->waiting_for);
    p->chat.status = status;
    p->chat.error = std::move(error);
    if (!p->chat.has_text()) p->chat.text.clear();
    p->chat.elapsed = between(p->started, clock_type::now());
    if (p->is_chat()) return p->chat_done(std::move(p->chat));
    embedding_result out;
    out.status = p->chat.status;
    out.error = std::move(p->chat.error);
    out.usage = p->chat.usage;
    out.tries = p->chat.tries;
    out.elapsed = p->chat.elapsed;
    if (status == call_status::ok) out.vectors = std::move(p->embedding.vectors);
    p->embedding_done(std::move(out));
  }
};

client::client(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
client::~client() = default;

result<std::unique_ptr<client>> client::open(client_config config, host_resolver resolve) {
  auto where = parse_endpoint(config.base_url);
  if (!where) return where.error();
  if (where->literal_address && !config.allow_remote) {
    if (auto allowed = require_private(where->host, {where->host}); !allowed) return allowed.error();
  }
  if (!resolve) resolve = resolve_by_system;
  return std::unique_ptr<client>(
      new client(std::make_unique<impl>(std::move(config), std::move(*where), std::move(resolve))));
}

call client::submit(chat_request request, chat_completion done) {
  auto p = std::make_unique<pending>();
  const client_config& c = impl_->config;
  if (request.model.empty()) {
    p->models.push_back(c.model);
    p->models.insert(p->models.end(), c.fallback_models.begin(), c.fallback_models.end());
  } else {
    p->models.push_back(request.model);
  }
  p->deadline = clock_type::now() + std::min(request.time_limit.value_or(c.total_timeout), c.total_timeout);
  p->request = std::move(request);
  p->chat_done = std::move(done);
  return impl_->begin(std::move(p));
}

call client::submit(embedding_request request, embedding_completion done) {
  auto p = std::make_unique<pending>();
  const client_config& c = impl_->config;
  p->models.push_back(c.embedding_model);
  p->deadline = clock_type::now() + std::min(request.time_limit.value_or(c.total_timeout), c.total_timeout);
  p->request = std::move(request);
  p->embedding_done = std::move(done);
  return impl_->begin(std::move(p));
}

chat_result client::chat(chat_request request) {
  std::promise<chat_result> promise;
  auto future = promise.get_future();
  submit(std::move(request), [&promise](chat_result r) { promise.set_value(std::move(r)); });
  return future.get();
}

embedding_result client::embed(embedding_request request) {
  std::promise<embedding_result> promise;
  auto future = promise.get_future();
  submit(std::move(request), [&promise](embedding_result r) { promise.set_value(std::move(r)); });
  return future.get();
}

result<void> client::verify_endpoint() const {
  if (impl_->where.literal_address) return {};
  auto found = impl_->resolve(impl_->where.host);
  if (!found) return found.error();
  return impl_->check(*found);
}

const client_config& client::config() const noexcept {
  return impl_->config;
}

}  // namespace dragoman::llm
