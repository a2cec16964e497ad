// Upstream connections, leased per statement.
//
// One worker thread owns one connection (and its own ODBC environment), so that no driver lock of one statement can
// delay another. Workers are made on demand up to options::connections_max; those beyond options::connections_kept end
// after options::idle_max. Callers never block: statements queue, results come through the receiver and the completion.
//
// Failures (outcome::error):
//   upstream_unavailable 50131  no connection could be made, or it broke after rows had begun
//   lease_timeout        50132  all connections stayed busy for the lease timeout, or too many were waiting
//   query_timeout        50130  the statement's time limit
//   cancelled            3617   cancel() was called
//   value_too_large      50134  a (max) value beyond options::value_bytes_max
//   upstream_error       50135  the server refused the statement: its own number and text where they speak of the
//                               statement, else a plain sentence with outcome::error_id
// A connection that turns out dead before the first row is replaced once without anyone noticing. There is no "down"
// state: every statement tries anew, so service resumes with the first one after the server is back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "proxy/upstream/lease.h"
#include "proxy/upstream/options.h"
#include "proxy/upstream/row_receiver.h"
#include "proxy/upstream/statement.h"

namespace dragoman::upstream {

struct job;  // pool_job.h

// Names a running statement; cheap to copy, harmless when the statement has ended or the pool is gone.
class handle {
 public:
  handle() = default;
  explicit handle(std::weak_ptr<job> j) : job_(std::move(j)) {}
  std::shared_ptr<job> lock() const { return job_.lock(); }

 private:
  std::weak_ptr<job> job_;
};

struct pool_status {
  std::size_t connections = 0;  // workers alive
  std::size_t busy = 0;
  std::size_t waiting = 0;
  std::uint64_t statements = 0;  // ever taken
  std::uint64_t connects = 0;    // successful
  std::uint64_t connect_failures = 0;
  std::uint64_t reconnects = 0;  // dead connections replaced before the first row
  std::uint64_t abandoned = 0;   // connections dropped because the upstream ignored an attention
  std::uint64_t cancelled = 0;
};

// Called exactly once per statement, after the last call of the receiver; from a thread of the pool, so it should only
// post. Must not throw.
using completion = std::function<void(outcome)>;

class pool {
 public:
  explicit pool(options);
  ~pool();  // cancels what runs, waits for the workers (at most the cancel grace), completes everything
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Returns at once. The receiver is kept alive until the completion was called, and not touched afterwards.
  handle execute(statement, std::shared_ptr<row_receiver>, completion);

  // An idle connection that could serve this statement as it is, for the calling thread to use; nothing where there is
  // none, or where rows come through ODBC: execute() is for then. Statements that wait in the queue go first.
  std::optional<lease> try_lease(const statement&);

  // Returns at once, from any thread. The completion follows without waiting for the upstream; the attention is sent
  // by a thread of the pool, and a connection whose server does not obey within options::cancel_grace is dropped.
  void cancel(const handle&, errc why = errc::cancelled);

  // Runs the statement and waits: for start-up, introspection, tests. Never on an Asio thread.
  result<value_table> query(statement);

  // The estimated plan (SHOWPLAN_XML) of a statement, without running it. nullopt where the upstream has none, or on
  // any error: an estimate never stops a question.
  struct estimate {
    double cost = 0;  // StatementSubTreeCost
    double rows = 0;  // StatementEstRows
  };
  void estimate_cost(statement, std::function<void(std::optional<estimate>)>);

  // Connects once if need be and says why not; for `check` and readiness. Texts are for operators: they may name the
  // server, never the password.
  result<void> probe();

  pool_status status() const;
  const options& settings() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace dragoman::upstream
