#include "proxy/upstream/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "guard/catalog/names.h"
#include "proxy/upstream/errors.h"
#include "proxy/upstream/parameters.h"
#include "proxy/upstream/showplan.h"
#include "proxy/upstream/wire_reader.h"
#include "tds/client_request.h"

namespace dragoman::upstream {
namespace {

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

result<std::vector<std::uint8_t>> request_bytes(const statement& request, std::uint32_t packet_size) {
  packet_size = std::min<std::uint32_t>(packet_size, 4096);
  if (request.parameters.empty()) return tds::write_batch(request.sql, packet_size);
  std::vector<tds::sent_parameter> parameters;
  parameters.reserve(request.parameters.size());
  for (const parameter& p : request.parameters) {
    // A variable that the statement spells in two ways is one.
    const bool known = std::any_of(parameters.begin(), parameters.end(),
                                   [&](const tds::sent_parameter& s) { return catalog::same_name(s.name, p.name); });
    if (!known) parameters.push_back({p.name, p.type, &p.value});
  }
  return tds::write_executesql(request.sql, parameters, packet_size);
}

failure stopped_failure(errc why, std::chrono::milliseconds timeout) {
  if (why == errc::query_timeout)
    return {why, fmt::format("The query ran longer than its time limit of {} s and was stopped.",
                             (timeout.count() + 999) / 1000)};
  if (why == errc::upstream_unavailable) return {why, "The gateway is shutting down."};
  return {why, "The query was cancelled."};
}

outcome stopped_outcome(const job& j, errc why) {
  outcome end = j.so_far;
  end.stopped = true;
  end.error = stopped_failure(why, j.timeout);
  return end;
}

outcome outcome_of(read_outcome& read, const options& o) {
  outcome end;
  end.rows = read.rows;
  end.rows_cut = read.rows_cut;
  end.stopped = read.stopped;
  end.rows_begun = read.rows_begun;
  collect_messages(read.diagnostics, end.messages, o.own_texts);
  if (read.error) {
    end.error = read.error;
  } else if (read.lost) {
    end.error_id = new_error_id();
    log_trouble(o, "upstream connection lost {}: {}", end.error_id,
                read.diagnostics.empty() ? std::string("no reason given") : read.diagnostics.front().text);
    end.error = failure(errc::upstream_unavailable,
                        fmt::format("The connection to the data source was lost (error id {}).", end.error_id));
  } else if (read.acknowledged) {
    // Rows are missing, and nobody here has said so.
    end.error = failure(errc::upstream_unavailable, "The data source has stopped the statement.");
  } else if (read.server_failed) {
    classified c = classify(read.diagnostics, o.own_texts);
    end.error = std::move(c.error);
    end.error_id = std::move(c.error_id);
  }
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

// Makes the connection good, or says how the job ends (50131).
std::optional<outcome> worker::connect(job& j) {
  const auto now = steady::now();
  if (link.is_open() && (link.is_dead() || now - link.opened_at() > 2 * settings.age_max)) {
    counts.reconnects.fetch_add(1);
    link.close();
  }
  if (link.is_open()) return std::nullopt;
  if (auto opened = link.open(); !opened) {
    counts.connect_failures.fetch_add(1);
    outcome end;
    end.error_id = new_error_id();
    // An operator's probe may read the reason; a client gets the plain sentence.
    log_trouble(settings, "upstream unavailable {}: {}", end.error_id, opened.error().message);
    end.error =
        j.what == job::kind::probe
            ? opened.error()
            : failure(errc::upstream_unavailable,
                      fmt::format("The data source is not reachable at the moment (error id {}).", end.error_id));
    return end;
  }
  counts.connects.fetch_add(1);
  return std::nullopt;
}

std::optional<outcome> worker::run(job& j) {
  bool wanted = true;
  {
    const std::lock_guard lock(j.mutex);
    wanted = !j.finished;
    j.runner = this;
    j.began = steady::now();
  }
  counts.statements.fetch_add(1);
  std::optional<outcome> end;
  if (wanted) switch (j.what) {
      case job::kind::probe:
        end = connect(j);
        if (!end) end.emplace();
        break;
      case job::kind::estimate: end = run_estimate(j); break;
      case job::kind::run: end = run_statement(j); break;
    }
  // Whoever sees released leaves the connection alone: what it does next is for another job.
  const std::scoped_lock lock(j.attention, j.mutex);
  j.released = true;
  j.runner = nullptr;
  return end;
}

worker::executed worker::execute_text(std::u16string text) {
  executed out;
  out.rc = link.call([&] {
    return SQLExecDirectW(link.statement(), reinterpret_cast<SQLWCHAR*>(text.data()),
                          static_cast<SQLINTEGER>(text.size()));
  });
  if (out.rc != SQL_SUCCESS && out.rc != SQL_NO_DATA) {
    out.said = diagnostics_of(SQL_HANDLE_STMT, link.statement());
    out.lost = !SQL_SUCCEEDED(out.rc) && (link.is_dead() || is_connection_loss(out.said));
  }
  return out;
}

worker::executed worker::execute(job& j) {
  executed out;
  if (auto applied = link.apply(j.request.settings.over(base_settings)); !applied) {
    out.lost = true;
    return out;
  }
  link.set_time_limit(j.timeout);
  if (j.request.parameters.empty()) return execute_text(wide(j.request.sql));
  auto marked = mark_parameters(j.request.sql, j.request.parameters);
  if (!marked) {
    out.error = marked.error();
    return out;
  }
  bound_parameters values;
  if (auto bound = values.bind(link.statement(), *marked, j.request.parameters); !bound) {
    out.error = bound.error();
    return out;
  }
  out = execute_text(wide(marked->sql));
  SQLFreeStmt(link.statement(), SQL_RESET_PARAMS);
  return out;
}

outcome worker::end_of(job& j, read_outcome& read) {
  std::optional<errc> stop;
  {
    const std::lock_guard lock(j.mutex);
    stop = j.stop;
    j.so_far.rows = read.rows;
  }
  if (stop) return stopped_outcome(j, *stop);
  return outcome_of(read, settings);
}

std::optional<outcome> worker::run_statement(job& j) {
  for (bool retried = false;; retried = true) {
    if (auto end = connect(j)) return end;
    {
      const std::lock_guard lock(j.mutex);
      if (j.finished) return std::nullopt;
      j.so_far.lease_time = since(j.born);
      j.began = steady::now();
      j.deadline = j.began + j.timeout;
    }
    bool again = false;
    std::optional<outcome> end =
        link.has_socket() ? run_on_socket(j, !retried, again) : run_through_odbc(j, !retried, again);
    if (!again) return end;
    // Nothing of an answer was seen, and a SELECT may run twice.
    counts.reconnects.fetch_add(1);
    link.close();
  }
}

std::optional<outcome> worker::run_on_socket(job& j, bool may_retry, bool& again) {
  if (auto applied = link.apply(j.request.settings.over(base_settings)); !applied) {
    again = may_retry && !j.stopped();
    if (again) return std::nullopt;
    read_outcome lost;
    lost.lost = true;
    return end_of(j, lost);
  }
  auto request = request_bytes(j.request, link.packet_size());
  if (!request) {
    outcome end;
    end.error = request.error();
    return end;
  }
  job_gate gate(j);
  wire_reader reader(link.socket(), link.wire_buffer(), *j.receiver, gate, settings, j.request.row_cap,
                     j.timeout + 2 * settings.cancel_grace);
  read_outcome read;
  read.lost = !link.socket().begin(*request);
  if (!read.lost) read = reader.run();
  if (read.lost && may_retry && !read.rows_begun && read.diagnostics.empty() && !j.stopped()) {
    again = true;
    return std::nullopt;
  }
  outcome end = end_of(j, read);
  if (read.lost) {
    link.close();
    return end;
  }
  if (read.stopped || read.rows_cut || read.error || end.stopped) {
    // The client has its answer now; telling the upstream to drop the rest may take as long as it takes.
    finish(j, std::move(end));
    if (!reader.drain()) link.close();
    return std::nullopt;
  }
  return end;
}

std::optional<outcome> worker::run_through_odbc(job& j, bool may_retry, bool& again) {
  executed sent = execute(j);
  if (sent.lost && may_retry && !j.stopped()) {
    again = true;
    return std::nullopt;
  }
  if (sent.error) {
    link.finish_statement();
    outcome end;
    end.error = std::move(sent.error);
    return end;
  }
  job_gate gate(j);
  result_reader reader(link, *j.receiver, gate, settings, j.request.row_cap);
  read_outcome read = reader.run(sent.rc, std::move(sent.said));
  read.lost = sent.lost || (read.server_failed && (link.is_dead() || is_connection_loss(read.diagnostics)));
  outcome end = end_of(j, read);
  if (read.lost) {
    link.close();
    return end;
  }
  if (read.stopped || read.rows_cut || read.error || end.stopped) {
    // The client has its answer now; telling the upstream to drop the rest may take as long as it takes.
    finish(j, std::move(end));
    link.finish_statement();
    if (link.is_dead()) link.close();
    return std::nullopt;
  }
  link.finish_statement();
  return end;
}

std::optional<outcome> worker::run_estimate(job& j) {
  if (auto end = connect(j)) return end;
  {
    const std::lock_guard lock(j.mutex);
    j.deadline = steady::now() + j.timeout;
  }
  value_table plan;
  if (link.run_batch("SET SHOWPLAN_XML ON;")) {
    executed sent = execute_text(wide(showplan_text(j.request)));
    job_gate gate(j);
    result_reader reader(link, plan, gate, settings, 64);
    reader.run(sent.rc, std::move(sent.said));
    link.finish_statement();
    // A connection that stays in SHOWPLAN mode would answer the next statement with a plan.
    if (!link.run_batch("SET SHOWPLAN_XML OFF;")) link.close();
  }
  outcome end;
  for (const auto& row : plan.rows)
    if (!row.empty())
      if (const auto* xml = std::get_if<std::string>(&row[0])) end.messages.push_back({0, *xml});
  if (link.is_dead()) link.close();
  return end;
}

void worker::tidy(std::unique_ptr<wire_reader> rest_of_response, bool is_broken) {
  if (rest_of_response && !rest_of_response->drain()) {
    is_broken = true;
    if (rest_of_response->met_too_large()) return link.close();
    counts.abandoned.fetch_add(1);
    log_trouble(settings, "upstream {} ignored an attention for {} ms: its connection is dropped", address_of(settings),
                settings.cancel_grace.count());
  }
  if (is_broken) link.close();
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
