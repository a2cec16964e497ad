#include "proxy/upstream/lease.h"

#include <utility>

#include "proxy/upstream/loan.h"

namespace dragoman::upstream {
lease::lease(std::unique_ptr<loan> l) : loan_(std::move(l)) {}
lease::lease(lease&&) noexcept = default;
lease::~lease() = default;

result<void> lease::send(const statement& s, row_receiver& receiver) {
  connection& link = loan_->lent->link;
  const auto request = request_bytes(s, link.packet_size());
  if (!request) return request.error();
  if (request->size() > request_bytes_max)
    return failure(errc::upstream_unavailable, "The request is too long for a session's thread.");
  loan_->timeout = s.timeout.count() > 0 ? s.timeout : loan_->lent->settings.query_timeout;
  // Silence is the caller's to measure; what is left to a thread of the pool has the cancel grace.
  loan_->reader = std::make_unique<wire_reader>(link.socket(), link.wire_buffer(), receiver, loan_->gate,
                                                loan_->lent->settings, s.row_cap, loan_->lent->settings.cancel_grace);
  if (link.socket().begin(*request, false)) return {};
  loan_->end(true);
  return failure(errc::upstream_unavailable, "The connection to the data source was lost.");
}

lease::progress lease::advance() {
  using from = wire_reader::progress;
  const from p = loan_->reader->advance(pause_bytes);
  if (!loan_->begun && loan_->reader->rows_begun()) {
    loan_->begun = true;
    loan_->first_time = since(loan_->began);
  }
  return p == from::delivered ? progress::delivered : p == from::dry ? progress::dry : progress::ended;
}

int lease::descriptor() const noexcept {
  return loan_->lent->link.socket().descriptor();
}

void lease::stop(errc why) noexcept {
  if (loan_->stopped) return;
  loan_->stopped = why;
  if (why == errc::cancelled) loan_->lent->counts.cancelled.fetch_add(1);
  loan_->lent->link.socket().send_attention();
}

lease::ending lease::finish() {
  read_outcome read = loan_->reader->take();
  ending out;
  if (read.lost && !read.rows_begun && read.diagnostics.empty() && !loan_->stopped) {
    out.lost_early = true;
    loan_->end(true);
    return out;
  }
  out.end = outcome_of(read, loan_->lent->settings);
  if (loan_->stopped) {
    out.end.stopped = true;
    out.end.error = stopped_failure(*loan_->stopped, loan_->timeout);
  }
  out.end.first_time = loan_->first_time;
  out.end.total_time = since(loan_->began);
  loan_->end(read.lost);
  return out;
}

}  // namespace dragoman::upstream
