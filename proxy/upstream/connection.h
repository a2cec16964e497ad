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
#include "proxy/upstream/borrowed_socket.h"
#include "proxy/upstream/odbc.h"
#include "proxy/upstream/options.h"
#include "proxy/upstream/socket_finder.h"
#include "proxy/upstream/statement.h"
#include "tds/packet_stream.h"

namespace dragoman::upstream {

// What the connections of a pool know together.
struct server_facts {
  std::atomic<std::uint64_t> failed_attempts{0};
  // The server encrypts beyond the login: until then (ticks of steady_clock) no connection's socket is borrowed.
  std::atomic<std::int64_t> sealed_until{0};
};

class connection {
 public:
  // Both must outlive this.
  connection(const options& o, server_facts& facts) : options_(&o), facts_(&facts) {}
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

  // The settings are `wanted` already.
  bool has_settings(const session_settings& wanted) const {
    return wanted == current_ || wanted.difference_from(current_).empty();
  }

  // Runs a batch whose results do not matter. False with its diagnostics on error.
  bool run_batch(std::string_view sql, std::vector<diagnostic>* why = nullptr);

  // Statements may be sent on socket() while no ODBC call runs.
  bool has_socket() const noexcept { return wire_usable_; }
  borrowed_socket& socket() noexcept { return wire_; }
  tds::packet_stream& wire_buffer() noexcept { return wire_buffer_; }
  std::uint32_t packet_size() const noexcept { return packet_size_; }

  SQLHSTMT statement() const noexcept { return statement_.get(); }
  // An ODBC call that may block: while it runs, attention() reaches it.
  template <class F>
  SQLRETURN call(F&& f) {
    wire_.driver_spoke();
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
  result<void> connect();
  void learn_collation();
  bool learn_collation_on_socket();
  bool may_borrow_socket() const;

  const options* options_;
  server_facts* facts_;
  odbc_environment environment_;
  odbc_connection handle_;
  odbc_statement statement_;
  std::mutex handles_;          // attention() against close()
  mutable std::mutex sockets_;  // break_off() and look() against close()
  socket_copy socket_;
  borrowed_socket wire_;
  tds::packet_stream wire_buffer_;
  bool wire_usable_ = false;
  bool borrows_ = false;  // is to be made usable
  std::uint32_t packet_size_ = 4096;
  std::atomic<std::uint64_t> calls_{0};   // odd while a call runs
  std::atomic<clockid_t> cpu_clock_{-1};  // of the worker's thread
  SQLULEN time_limit_s_ = 0;
  std::atomic<bool> open_{false};
  session_settings current_;
  collation collation_{};
  std::chrono::steady_clock::time_point opened_at_{};
};

}  // namespace dragoman::upstream
