// One connection to the upstream with its own ODBC environment and one statement handle, used by one worker thread.
//
// What other threads may call is marked; everything else belongs to the worker.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "proxy/upstream/odbc.h"
#include "proxy/upstream/options.h"
#include "proxy/upstream/socket_finder.h"
#include "proxy/upstream/statement.h"

namespace dragoman::upstream {

class connection {
 public:
  // `failed_attempts` is shared by all connections of a pool; both must outlive this.
  connection(const options& o, std::atomic<std::uint64_t>& failed_attempts)
      : options_(&o), failed_attempts_(&failed_attempts) {}
  ~connection() { close(); }

  // Fails with upstream_unavailable; the message is for operators (it may name the server, never the password).
  result<void> open();
  void close();
  bool is_open() const noexcept { return open_; }
  // Cheap: looks at the socket, sends nothing.
  bool is_dead() const noexcept { return socket_.is_dead(); }
  bool has_input() const noexcept { return socket_.has_input(); }
  std::chrono::steady_clock::time_point opened_at() const noexcept { return opened_at_; }

  // Brings the session settings of the connection to `wanted`. A failure is the server's.
  result<void> apply(const session_settings& wanted);

  // Runs a batch whose results do not matter. False with its diagnostics on error.
  bool run_batch(std::string_view sql, std::vector<diagnostic>* why = nullptr);

  SQLHSTMT statement() const noexcept { return statement_.get(); }
  // An ODBC call that may block: while it runs, attention() reaches it.
  template <class F>
  SQLRETURN call(F&& f) {
    calls_.fetch_add(1, std::memory_order_acq_rel);
    const SQLRETURN rc = f();
    calls_.fetch_add(1, std::memory_order_acq_rel);
    return rc;
  }
  // Ends the current result, whatever is left of it; the upstream is told to stop (may block).
  void finish_statement();

  const collation& default_collation() const noexcept { return collation_; }

  // From any thread: what the call that runs now, if one does, has done so far. Two equal glances some milliseconds
  // apart show a call that waits for the upstream; nothing where no call runs or where there is something for it to
  // read.
  struct glance {
    std::uint64_t call = 0;
    std::int64_t cpu_ns = 0;
    bool operator==(const glance&) const = default;
  };
  std::optional<glance> look() const;
  // From any thread: SQLCancel for the call that runs now, if it is the one that was seen to wait. FreeTDS loses the
  // wake-up of a call that comes to the network while SQLCancel itself is sending there (it then sleeps until the
  // driver's own time limit); a call that already waits for the network sends the attention itself. So only such a call
  // is cancelled; one that is busy ends by itself soon. Both are only guesses, hence set_time_limit().
  void attention(const glance& seen);
  // The driver's own time limit of calls without a sign of the upstream, behind the pool's: it ends what slips through.
  void set_time_limit(std::chrono::milliseconds statement_limit);
  // From any thread: ends the socket under a call that does not come back.
  void break_off();

 private:
  void learn_collation();

  const options* options_;
  std::atomic<std::uint64_t>* failed_attempts_;
  odbc_environment environment_;
  odbc_connection handle_;
  odbc_statement statement_;
  std::mutex handles_;          // attention() against close()
  mutable std::mutex sockets_;  // break_off() and look() against close()
  socket_copy socket_;
  std::atomic<std::uint64_t> calls_{0};   // odd while a call runs
  std::atomic<clockid_t> cpu_clock_{-1};  // of the worker's thread
  SQLULEN time_limit_s_ = 0;
  std::atomic<bool> open_{false};
  session_settings current_;
  collation collation_{};
  std::chrono::steady_clock::time_point opened_at_{};
};

}  // namespace dragoman::upstream
