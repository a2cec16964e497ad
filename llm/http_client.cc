#include "llm/http_client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

namespace dragoman::llm {
namespace {

using clock_type = std::chrono::steady_clock;

struct slist_free {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using slist = std::unique_ptr<curl_slist, slist_free>;

void append(slist& list, const std::string& line) {
  if (curl_slist* longer = curl_slist_append(list.get(), line.c_str())) {
    (void)list.release();
    list.reset(longer);
  }
}

struct transfer {
  std::uint64_t id = 0;
  CURL* easy = nullptr;
  http_request request;
  http_reply reply;
  http_client::completion done;
  slist headers;
  slist resolve;
  clock_type::time_point started;
  std::uint64_t first_byte_timer = 0;
  bool got_byte = false;
  bool too_large = false;
  bool address_refused = false;
  bool first_byte_late = false;
  char error[CURL_ERROR_SIZE] = {};

  ~transfer() {
    if (easy != nullptr) curl_easy_cleanup(easy);
    // The header list holds the key in clear: leave no copy of it in freed memory.
    for (curl_slist* h = headers.get(); h != nullptr; h = h->next) std::memset(h->data, 0, std::strlen(h->data));
  }
};

milliseconds since(clock_type::time_point start) {
  return std::chrono::duration_cast<milliseconds>(clock_type::now() - start);
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& t = *static_cast<transfer*>(user);
  const std::size_t bytes = size * count;
  if (!t.got_byte) {
    t.got_byte = true;
    t.reply.first_byte = since(t.started);
  }
  if (t.reply.body.size() + bytes > t.request.body_bytes_max) {
    t.too_large = true;
    return 0;  // ends the transfer with CURLE_WRITE_ERROR
  }
  t.reply.body.append(data, bytes);
  return bytes;
}

// The address that curl is about to connect to, as text; empty for a family that is none of ours.
std::string text_of(const curl_sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address.addr)->sin_addr, text, sizeof text);
  } else if (address.family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&address.addr)->sin6_addr, text, sizeof text);
  }
  return text;
}

// The last door: whatever curl made of the URL, a socket is opened to a checked address only.
curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& t = *static_cast<transfer*>(user);
  const auto& allowed = t.request.addresses;
  if (std::find(allowed.begin(), allowed.end(), text_of(*address)) == allowed.end()) {
    t.address_refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

http_end end_of(const transfer& t, CURLcode code) {
  if (t.too_large) return http_end::too_large;
  if (t.address_refused) return http_end::address_refused;
  if (t.first_byte_late) return http_end::timed_out;
  switch (code) {
    case CURLE_OK: return http_end::done;
    case CURLE_OPERATION_TIMEDOUT: return http_end::timed_out;
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return http_end::unreachable;
    default: return http_end::broken;
  }
}

void global_init() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw std::runtime_error("curl could not be initialised");
}

}  // namespace

struct http_client::loop : std::enable_shared_from_this<loop> {
  CURLM* multi = nullptr;
  std::thread thread;

  std::mutex lock;  // guards the next two
  std::deque<task> posted;
  bool stopping = false;

  // The loop's thread only.
  std::uint64_t next_id = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<transfer>> transfers;
  std::map<std::pair<clock_type::time_point, std::uint64_t>, task> timers;
  std::unordered_map<std::uint64_t, clock_type::time_point> timer_at;

  loop() {
    global_init();
    multi = curl_multi_init();
    if (multi == nullptr) throw std::runtime_error("curl gave no multi handle");
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 32L);
  }

  ~loop() {
    for (auto& [id, t] : transfers) curl_multi_remove_handle(multi, t->easy);
    transfers.clear();
    curl_multi_cleanup(multi);
  }

  bool post(task what) {
    std::lock_guard hold(lock);
    if (stopping) return false;
    posted.push_back(std::move(what));
    curl_multi_wakeup(multi);
    return true;
  }

  void run() {
    for (;;) {
      std::deque<task> now;
      bool last = false;
      {
        std::lock_guard hold(lock);
        now.swap(posted);
        last = stopping;
      }
      for (task& t : now) t();
      now.clear();
      if (last) break;
      run_timers();
      int running = 0;
      curl_multi_perform(multi, &running);
      collect();
      curl_multi_poll(multi, nullptr, 0, wait_time(), nullptr);
    }
  }

  int wait_time() const {
    if (timers.empty()) return 1000;
    const auto left =
        std::chrono::duration_cast<milliseconds>(timers.begin()->first.first - clock_type::now()).count() + 1;
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
  }

  void run_timers() {
    while (!timers.empty() && timers.begin()->first.first <= clock_type::now()) {
      auto node = timers.extract(timers.begin());
      timer_at.erase(node.key().second);
      node.mapped()();
    }
  }

  std::uint64_t after(milliseconds delay, task what) {
    const std::uint64_t id = next_id++;
    const auto at = clock_type::now() + delay;
    timers.emplace(std::pair(at, id), std::move(what));
    timer_at.emplace(id, at);
    return id;
  }

  void drop(std::uint64_t id) {
    if (auto at = timer_at.find(id); at != timer_at.end()) {
      timers.erase({at->second, id});
      timer_at.erase(at);
      return;
    }
    if (auto t = transfers.find(id); t != transfers.end()) release(t);
  }

  std::unique_ptr<transfer> release(std::unordered_map<std::uint64_t, std::unique_ptr<transfer>>::iterator at) {
    std::unique_ptr<transfer> t = std::move(at->second);
    transfers.erase(at);
    curl_multi_remove_handle(multi, t->easy);
    if (t->first_byte_timer != 0) drop(t->first_byte_timer);
    return t;
  }

  void complete(std::unique_ptr<transfer> t, CURLcode code) {
    http_reply& reply = t->reply;
    reply.end = end_of(*t, code);
    reply.elapsed = since(t->started);
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &reply.status);
    const char* type = nullptr;
    if (curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK && type != nullptr)
      reply.content_type = type;
    curl_off_t wait = 0;
    if (curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
      reply.retry_after = milliseconds(std::min<curl_off_t>(wait, 86'400) * 1000);
    if (reply.end != http_end::done) reply.error = t->error[0] != '\0' ? t->error : curl_easy_strerror(code);
    auto done = std::move(t->done);
    http_reply out = std::move(reply);
    t.reset();
    done(std::move(out));
  }

  void collect() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      char* user = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
      auto at = transfers.find(reinterpret_cast<transfer*>(user)->id);
      if (at != transfers.end()) complete(release(at), code);
    }
  }

  std::uint64_t start(http_request request, completion done) {
    auto owned = std::make_unique<transfer>();
    transfer& t = *owned;
    t.id = next_id++;
    t.request = std::move(request);
    t.done = std::move(done);
    t.started = clock_type::now();
    t.easy = curl_easy_init();
    if (t.easy == nullptr) throw std::bad_alloc();
    configure(t);
    const std::uint64_t id = t.id;
    transfers.emplace(id, std::move(owned));
    curl_multi_add_handle(multi, t.easy);
    t.first_byte_timer = after(t.request.first_byte_timeout, [this, id] {
      auto at = transfers.find(id);
      if (at == transfers.end()) return;
      at->second->first_byte_timer = 0;
      if (at->second->got_byte) return;
      at->second->first_byte_late = true;
      complete(release(at), CURLE_OPERATION_TIMEDOUT);
    });
    return id;
  }

  void configure(transfer& t) {
    CURL* e = t.easy;
    const http_request& r = t.request;
    append(t.headers, "Content-Type: application/json");
    append(t.headers, r.event_stream ? "Accept: text/event-stream" : "Accept: application/json");
    append(t.headers, "Expect:");
    if (!r.bearer.empty()) append(t.headers, "Authorization: Bearer " + std::string(r.bearer.reveal()));
    std::string pin = r.host + ":" + std::to_string(r.port) + ":";
    for (std::size_t i = 0; i < r.addresses.size(); ++i) {
      const bool six = r.addresses[i].find(':') != std::string::npos;
      pin += (i == 0 ? "" : ",") + (six ? "[" + r.addresses[i] + "]" : r.addresses[i]);
    }
    append(t.resolve, pin);
    curl_easy_setopt(e, CURLOPT_PRIVATE, &t);
    curl_easy_setopt(e, CURLOPT_URL, r.url.c_str());
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(e, CURLOPT_RESOLVE, t.resolve.get());
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, &t);
    curl_easy_setopt(e, CURLOPT_PROXY, "");
    curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, t.headers.get());
    curl_easy_setopt(e, CURLOPT_POST, 1L);
    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(r.body.size()));
    curl_easy_setopt(e, CURLOPT_POSTFIELDS, r.body.data());
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(r.connect_timeout.count()));
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(r.total_timeout.count(), 1)));
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t.error);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, &t);
    curl_easy_setopt(e, CURLOPT_USERAGENT, "dragoman/" DRAGOMAN_VERSION);
    if (!r.ca_file.empty()) curl_easy_setopt(e, CURLOPT_CAINFO, r.ca_file.c_str());
  }
};

http_client::http_client() : loop_(std::make_shared<loop>()) {
  loop_->thread = std::thread([raw = loop_.get()] { raw->run(); });
}

http_client::~http_client() {
  stop();
}

bool http_client::post(task what) {
  return loop_->post(std::move(what));
}

std::function<bool(http_client::task)> http_client::poster() const {
  return [weak = std::weak_ptr(loop_)](task what) {
    auto strong = weak.lock();
    return strong != nullptr && strong->post(std::move(what));
  };
}

void http_client::stop() {
  {
    std::lock_guard hold(loop_->lock);
    loop_->stopping = true;
    curl_multi_wakeup(loop_->multi);
  }
  if (loop_->thread.joinable()) loop_->thread.join();
}

std::uint64_t http_client::start(http_request request, completion done) {
  return loop_->start(std::move(request), std::move(done));
}

std::uint64_t http_client::after(milliseconds delay, task what) {
  return loop_->after(delay, std::move(what));
}

void http_client::drop(std::uint64_t id) {
  loop_->drop(id);
}

}  // namespace dragoman::llm
