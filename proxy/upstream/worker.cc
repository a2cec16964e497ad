#include "proxy/upstream/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "proxy/upstream/errors.h"
#include "proxy/upstream/parameters.h"
#include "proxy/upstream/result_reader.h"
#include "proxy/upstream/showplan.h"

namespace dragoman::upstream {
namespace {

std::chrono::microseconds since(steady::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(steady::now() - begin);
}

// The job's receiver behind the rule that nobody uses it once the job was stopped. Time that the receiver takes does
// not count as the upstream's.
class job_gate final : public delivery_gate {
 public:
  explicit job_gate(job& j) : job_(j) {}

  bool begin_delivery() override {
    const std::lock_guard lock(job_.mutex);
    if (job_.stop || job_.finished) return false;
    job_.delivering = true;
    job_.delivery_began = steady::now();
    if (!job_.so_far.rows_begun) {
      job_.so_far.rows_begun = true;
      job_.so_far.first_time = std::chrono::duration_cast<std::chrono::microseconds>(job_.delivery_began - job_.began);
    }
    return true;
  }
  void end_delivery() override {
    const std::lock_guard lock(job_.mutex);
    job_.delivering = false;
    job_.deadline += steady::now() - job_.delivery_began;
  }

 private:
  job& job_;
};

}  // namespace

outcome stopped_outcome(const job& j, errc why) {
  outcome end = j.so_far;
  end.stopped = true;
  if (why == errc::query_timeout)
    end.error = failure(why, fmt::format("The query ran longer than its time limit of {} s and was stopped.",
                                         (j.timeout.count() + 999) / 1000));
  else if (why == errc::upstream_unavailable)
    end.error = failure(why, "The gateway is shutting down.");
  else
    end.error = failure(why, "The query was cancelled.");
  return end;
}

void finish_unstarted(job& j, outcome end) {
  {
    const std::lock_guard lock(j.mutex);
    j.released = true;
  }
  finish(j, std::move(end));
}

bool finish(job& j, outcome end) {
  completion done;
  {
    const std::lock_guard lock(j.mutex);
    if (j.finished) return false;
    j.finished = true;
    done = std::exchange(j.done, nullptr);
    end.lease_time = j.so_far.lease_time;
    end.first_time = j.so_far.first_time;
  }
  end.total_time = since(j.born);
  if (done) done(std::move(end));
  return true;
}

// Makes the connection good, or ends the job with 50131.
bool worker::connect(job& j) {
  const auto now = steady::now();
  if (link.is_open() && (link.is_dead() || now - link.opened_at() > 2 * settings.age_max)) {
    counts.reconnects.fetch_add(1);
    link.close();
  }
  if (link.is_open()) return true;
  if (auto opened = link.open(); !opened) {
    counts.connect_failures.fetch_add(1);
    outcome end;
    end.error_id = new_error_id();
    // An operator's probe may read the reason; a client gets the plain sentence.
    log::warn("upstream unavailable {}: {}", end.error_id, opened.error().message);
    end.error =
        j.what == job::kind::probe
            ? opened.error()
            : failure(errc::upstream_unavailable,
                      fmt::format("The data source is not reachable at the moment (error id {}).", end.error_id));
    finish(j, std::move(end));
    return false;
  }
  counts.connects.fetch_add(1);
  return true;
}

void worker::run(job& j) {
  bool wanted = true;
  {
    const std::lock_guard lock(j.mutex);
    wanted = !j.finished;
    j.runner = this;
    j.began = steady::now();
    // Connecting has its own limit; the statement's time begins when it is sent.
    j.deadline = steady::time_point::max();
  }
  counts.statements.fetch_add(1);
  if (wanted) switch (j.what) {
      case job::kind::probe:
        if (connect(j)) finish(j, {});
        break;
      case job::kind::estimate: run_estimate(j); break;
      case job::kind::run: run_statement(j); break;
    }
  // Whoever sees released leaves the connection alone: what it does next is for another job.
  const std::scoped_lock lock(j.attention, j.mutex);
  j.released = true;
  j.runner = nullptr;
}

// Binds and executes. `lost` = the connection broke; an `end.error` = the statement cannot be sent at all.
SQLRETURN worker::execute(job& j, bool& lost, outcome& end) {
  lost = false;
  if (auto applied = link.apply(j.request.settings.over(base_settings)); !applied) {
    lost = true;
    return SQL_ERROR;
  }
  std::u16string text;
  bound_parameters values;
  if (j.request.parameters.empty()) {
    text = wide(j.request.sql);
  } else {
    auto marked = mark_parameters(j.request.sql, j.request.parameters);
    if (!marked) {
      end.error = marked.error();
      return SQL_ERROR;
    }
    if (auto bound = values.bind(link.statement(), *marked, j.request.parameters); !bound) {
      end.error = bound.error();
      return SQL_ERROR;
    }
    text = wide(marked->sql);
  }
  const SQLRETURN rc = link.call([&] {
    return SQLExecDirectW(link.statement(), reinterpret_cast<SQLWCHAR*>(text.data()),
                          static_cast<SQLINTEGER>(text.size()));
  });
  SQLFreeStmt(link.statement(), SQL_RESET_PARAMS);
  lost = !SQL_SUCCEEDED(rc) && rc != SQL_NO_DATA &&
         (link.is_dead() || is_connection_loss(diagnostics_of(SQL_HANDLE_STMT, link.statement())));
  return rc;
}

void worker::run_statement(job& j) {
  for (bool retried = false;; retried = true) {
    if (!connect(j)) return;
    {
      const std::lock_guard lock(j.mutex);
      if (j.finished) return;
      j.so_far.lease_time = since(j.born);
      j.began = steady::now();
      j.deadline = j.began + j.timeout;
    }
    outcome end;
    bool lost = false;
    const SQLRETURN rc = execute(j, lost, end);
    if (lost && !retried && !j.stopped()) {
      // Nothing of an answer was seen, and a SELECT may run twice.
      counts.reconnects.fetch_add(1);
      link.close();
      continue;
    }
    if (end.error) {
      finish(j, std::move(end));
      link.finish_statement();
      return;
    }
    job_gate gate(j);
    result_reader reader(link, *j.receiver, gate, settings, j.request.row_cap);
    read_outcome read = reader.run(rc);

    std::optional<errc> stop;
    {
      const std::lock_guard lock(j.mutex);
      stop = j.stop;
      j.so_far.rows = read.rows;
    }
    end.rows = read.rows;
    end.rows_cut = read.rows_cut;
    end.stopped = read.stopped;
    end.rows_begun = read.rows_begun;
    collect_messages(read.diagnostics, end.messages);
    const bool broken = read.server_failed && (link.is_dead() || is_connection_loss(read.diagnostics));
    if (stop) {
      finish(j, stopped_outcome(j, *stop));
    } else {
      if (read.error) {
        end.error = read.error;
      } else if (broken) {
        end.error_id = new_error_id();
        log::warn("upstream connection lost {}: {}", end.error_id,
                  read.diagnostics.empty() ? std::string("no reason given") : read.diagnostics.front().text);
        end.error = failure(errc::upstream_unavailable,
                            fmt::format("The connection to the data source was lost (error id {}).", end.error_id));
      } else if (read.server_failed) {
        classified c = classify(read.diagnostics);
        end.error = std::move(c.error);
        end.error_id = std::move(c.error_id);
      }
      finish(j, std::move(end));
    }
    // The client has its answer; telling the upstream to drop the rest may take as long as it takes.
    if (broken) {
      link.close();
    } else {
      link.finish_statement();
      if (link.is_dead()) link.close();
    }
    return;
  }
}

void worker::run_estimate(job& j) {
  if (!connect(j)) return;
  {
    const std::lock_guard lock(j.mutex);
    j.deadline = steady::now() + j.timeout;
  }
  value_table plan;
  bool switched = link.run_batch("SET SHOWPLAN_XML ON;");
  if (switched) {
    std::u16string text = wide(showplan_text(j.request));
    const SQLRETURN rc = link.call([&] {
      return SQLExecDirectW(link.statement(), reinterpret_cast<SQLWCHAR*>(text.data()),
                            static_cast<SQLINTEGER>(text.size()));
    });
    job_gate gate(j);
    result_reader reader(link, plan, gate, settings, 64);
    reader.run(rc);
    link.finish_statement();
    // A connection that stays in SHOWPLAN mode would answer the next statement with a plan.
    if (!link.run_batch("SET SHOWPLAN_XML OFF;")) link.close();
  }
  outcome end;
  for (const auto& row : plan.rows)
    if (!row.empty())
      if (const auto* xml = std::get_if<std::string>(&row[0])) end.messages.push_back({0, *xml});
  finish(j, std::move(end));
  if (!link.is_dead()) return;
  link.close();
}

void worker::tend() {
  if (!link.is_open()) return;
  if (link.is_dead()) {
    link.close();
  } else if (steady::now() - link.opened_at() > settings.age_max) {
    link.close();
    if (link.open()) counts.connects.fetch_add(1);
  }
}

}  // namespace dragoman::upstream
