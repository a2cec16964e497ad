// HTTP POST over one thread: an event loop around curl's multi interface, with timers and posted functions.
//
// Everything that is posted, timed or completed runs on the loop's thread, so that whoever lives on it needs no lock.
// Only `post` may be called from other threads. This is the only file pair that knows curl.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"

namespace dragoman::llm {

using std::chrono::milliseconds;

struct http_request {
  std::string url;
  std::string host;                    // of the url
  std::uint16_t port = 80;             // of the url
  std::vector<std::string> addresses;  // the only ones that may be connected to; never empty
  std::string body;                    // application/json
  secret bearer;                       // empty: no Authorization header
  std::string ca_file;
  bool event_stream = false;  // accept text/event-stream
  milliseconds connect_timeout{5000};
  milliseconds first_byte_timeout{45000};
  milliseconds total_timeout{60000};
  std::size_t body_bytes_max = 1024 * 1024;
};

enum class http_end : std::uint8_t { done, unreachable, broken, timed_out, too_large, address_refused };

struct http_reply {
  http_end end = http_end::unreachable;
  long status = 0;
  std::string content_type;
  std::string body;
  std::string error;            // of curl, without addresses' secrets: it knows none
  milliseconds retry_after{0};  // 0: not given
  milliseconds first_byte{0};
  milliseconds elapsed{0};
};

class http_client {
 public:
  using completion = std::function<void(http_reply)>;
  using task = std::function<void()>;

  http_client();
  ~http_client();  // not from the loop's thread; drops transfers and timers without telling them
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  // From any thread. False when the loop has ended: the task will not run.
  bool post(task);
  // Something that outlives the client and posts to it as long as it is there.
  std::function<bool(task)> poster() const;
  // Ends the loop after what was posted before; waits for it.
  void stop();

  // On the loop's thread only.
  std::uint64_t start(http_request, completion);  // the completion does not run inside start
  std::uint64_t after(milliseconds, task);
  void drop(std::uint64_t id);  // of a transfer (its connection is closed) or a timer: it never completes

 private:
  struct loop;
  std::shared_ptr<loop> loop_;
};

}  // namespace dragoman::llm
