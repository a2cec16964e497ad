// One connection to the upstream with its own ODBC environment and one statement handle, used by one worker thread.
//
// What other threads may call is marked; everything else belongs to the worker.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
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
    in_call_.store(true, std::memory_order_release);
    const SQLRETURN rc = f();
    in_call_.store(false, std::memory_order_release);
    return rc;
  }
  // Ends the current result, whatever is left of it; the upstream is told to stop (may block).
  void finish_statement();

  const collation& default_collation() const noexcept { return collation_; }

  // From any thread: SQLCancel for the call that runs now, if one does. May block in a rare race, never for longer than
  // the socket lives.
  void attention();
  // From any thread: ends the socket under a call that does not come back.
  void break_off();

 private:
  void learn_collation();

  const options* options_;
  std::atomic<std::uint64_t>* failed_attempts_;
  odbc_environment environment_;
  odbc_connection handle_;
  odbc_statement statement_;
  std::mutex handles_;  // attention() against close()
  std::mutex sockets_;  // break_off() against close()
  socket_copy socket_;
  std::atomic<bool> in_call_{false};
  std::atomic<bool> open_{false};
  session_settings current_;
  collation collation_{};
  std::chrono::steady_clock::time_point opened_at_{};
};

}  // namespace dragoman::upstream
