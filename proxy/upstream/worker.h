// A pool's worker: a thread and the connection that it owns. Internal to proxy/upstream.
#pragma once

#include <condition_variable>
#include <memory>
#include <thread>

#include "proxy/upstream/connection.h"
#include "proxy/upstream/pool_job.h"
#include "proxy/upstream/result_reader.h"
#include "proxy/upstream/wire_reader.h"

namespace dragoman::upstream {

struct pool_counters {
  std::atomic<std::uint64_t> statements{0};
  std::atomic<std::uint64_t> connects{0};
  std::atomic<std::uint64_t> connect_failures{0};
  std::atomic<std::uint64_t> reconnects{0};
  std::atomic<std::uint64_t> abandoned{0};
  std::atomic<std::uint64_t> cancelled{0};
  server_facts facts;
};

struct worker {
  worker(const options& o, const session_settings& base, pool_counters& counters)
      : settings(o), base_settings(base), counts(counters), link(o, counters.facts) {}

  const options& settings;
  const session_settings& base_settings;
  pool_counters& counts;
  connection link;

  // Guarded by the pool's mutex.
  std::condition_variable wake;
  std::shared_ptr<job> next;
  std::thread thread;
  std::chrono::steady_clock::time_point last_used{};
  bool lent = false;                    // a session's thread uses the connection
  bool came_back_used = false;          // and left something to do with it:
  std::unique_ptr<wire_reader> rest{};  // a response to be read to its end
  bool broken = false;

  // Runs one job on this worker's thread. What it returns is to be delivered by finish() once the worker counts as
  // idle, so that a client's next statement finds this connection free; nothing when the job has been finished already.
  std::optional<outcome> run(job& j);
  // After a lease: makes the connection fit for the next statement, or closes it.
  void tidy(std::unique_ptr<wire_reader> rest_of_response, bool is_broken);
  // Between jobs: renews a connection that is old or dead.
  void tend();

 private:
  struct executed {
    SQLRETURN rc = SQL_ERROR;
    std::vector<diagnostic> said;
    bool lost = false;             // the connection broke
    std::optional<failure> error;  // the statement cannot be sent at all
  };

  std::optional<outcome> connect(job& j);
  std::optional<outcome> run_statement(job& j);
  std::optional<outcome> run_estimate(job& j);
  std::optional<outcome> run_on_socket(job& j, bool may_retry, bool& again);
  std::optional<outcome> run_through_odbc(job& j, bool may_retry, bool& again);
  executed execute(job& j);
  executed execute_text(std::u16string text);
  outcome end_of(job& j, read_outcome& read);
};

// The request of a statement as it is sent on a connection's socket.
result<std::vector<std::uint8_t>> request_bytes(const statement& request, std::uint32_t packet_size);
// What was read, as the end of a statement that nobody stopped.
outcome outcome_of(read_outcome& read, const options& o);
failure stopped_failure(errc why, std::chrono::milliseconds timeout);

// Ends a job: calls its completion once. False when it was ended before.
bool finish(job& j, outcome end);
// The same for a job that never had a worker.
void finish_unstarted(job& j, outcome end);
// The end of a stopped job.
outcome stopped_outcome(const job& j, errc why);

}  // namespace dragoman::upstream
