#include "proxy/upstream/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <list>
#include <vector>

#include "proxy/upstream/errors.h"
#include "proxy/upstream/loan.h"
#include "proxy/upstream/pool_job.h"
#include "proxy/upstream/showplan.h"
#include "proxy/upstream/worker.h"

namespace dragoman::upstream {
namespace {

using std::chrono::milliseconds;

// How exact time limits are. The watchdog ticks so long as something runs and sleeps otherwise, so that a short
// statement never has to wake it.
constexpr milliseconds tick{20};
// Between two glances at a call that is to be stopped.
constexpr milliseconds glance_apart{3};

session_settings base_settings_of(const options& o) {
  session_settings s;
  // Values of one byte more than the greatest are asked for, so that a longer one is noticed and not silently cut.
  (void)s.set("TEXTSIZE", std::to_string(std::min<std::size_t>(o.value_bytes_max + 1, 2147483647)));
  (void)s.set("LOCK_TIMEOUT", std::to_string(o.lock_timeout.count()));
  return s;
}

}  // namespace

struct pool::impl {
  explicit impl(options o) : settings(std::move(o)), base(base_settings_of(settings)) {
    settings.connections_max = std::max<std::size_t>(settings.connections_max, 1);
    settings.connections_kept = std::min(settings.connections_kept, settings.connections_max);
    watchdog = std::thread([this] { watch(); });
    herald = std::thread([this] { send_attentions(); });
  }

  options settings;
  session_settings base;
  pool_counters counts;

  mutable std::mutex mutex;
  std::condition_variable watch_wake;
  std::list<worker> workers;
  std::size_t leaving = 0;    // workers that close their connection and are still in the list
  std::vector<worker*> idle;  // the last one used is used next: its connection is warm
  std::deque<std::shared_ptr<job>> queue;
  std::vector<std::shared_ptr<job>> running;
  std::size_t lent = 0;          // workers whose connection a session's thread uses, or has left used
  std::list<std::thread> ended;  // threads of workers that left, to be joined
  bool watching = false;         // the watchdog ticks
  bool closing = false;

  // Jobs whose upstream must be told to stop.
  struct stopping {
    std::shared_ptr<job> what;
    steady::time_point give_up;
    std::optional<connection::glance> seen{};
    steady::time_point seen_at{};
    bool broken_off = false;
  };
  std::mutex attention_mutex;
  std::condition_variable attention_wake;
  std::vector<stopping> attentions;
  bool attentions_closed = false;

  std::thread watchdog;
  std::thread herald;

  void submit(const std::shared_ptr<job>& j);
  void work(worker& w);
  bool take_queued(worker& w);                    // the mutex is held
  void start_worker(std::shared_ptr<job> first);  // the mutex is held
  worker* lend(const statement& s);
  void take_back(worker& w, std::unique_ptr<wire_reader> rest, bool broken);
  void stop_job(const std::shared_ptr<job>& j, errc why);
  void watch();
  void send_attentions();
  void end_stopped(const std::shared_ptr<job>& j);
  void shut_down();
};

// ---- taking jobs --------------------------------------------------------------------------------------------------

void pool::impl::submit(const std::shared_ptr<job>& j) {
  bool refused = false;
  bool shut = false;
  {
    const std::lock_guard lock(mutex);
    shut = closing;
    if (!shut && !idle.empty()) {
      worker* w = idle.back();
      idle.pop_back();
      w->next = j;
      running.push_back(j);
      w->wake.notify_one();
    } else if (!shut && workers.size() < settings.connections_max) {
      running.push_back(j);
      start_worker(j);
    } else if (!shut && queue.size() < settings.waiting_max) {
      queue.push_back(j);
    } else {
      refused = true;
    }
    if (!refused && !watching) {
      watching = true;
      watch_wake.notify_one();
    }
  }
  if (!refused) return;
  outcome end;
  end.error =
      shut ? failure(errc::upstream_unavailable, "The gateway is shutting down.")
           : failure(errc::lease_timeout, "Too many statements wait for the data source. Try again in a moment.");
  finish_unstarted(*j, std::move(end));
}

bool pool::impl::take_queued(worker& w) {
  if (queue.empty() || closing) return false;
  w.next = std::move(queue.front());
  queue.pop_front();
  running.push_back(w.next);
  return true;
}

void pool::impl::start_worker(std::shared_ptr<job> first) {
  worker& w = workers.emplace_back(settings, base, counts);
  w.next = std::move(first);
  w.thread = std::thread([this, &w] { work(w); });
}

void pool::impl::work(worker& w) {
  std::unique_lock lock(mutex);
  while (true) {
    if (std::exchange(w.came_back_used, false)) {
      std::unique_ptr<wire_reader> rest = std::move(w.rest);
      const bool broken = std::exchange(w.broken, false);
      lock.unlock();
      w.tidy(std::move(rest), broken);
      lock.lock();
      --lent;
      if (!take_queued(w) && !closing) idle.push_back(&w);
    }
    if (const std::shared_ptr<job> j = std::exchange(w.next, nullptr)) {
      lock.unlock();
      std::optional<outcome> end = w.run(*j);
      lock.lock();
      std::erase(running, j);
      const bool took = take_queued(w);
      if (!took && !closing) idle.push_back(&w);
      lock.unlock();
      if (end) finish(*j, std::move(*end));
      lock.lock();
      if (took || closing) continue;
    }
    if (closing && !w.lent) break;
    if (w.wake.wait_for(lock, settings.idle_max,
                        [&] { return w.next != nullptr || w.came_back_used || (closing && !w.lent); }))
      continue;
    if (w.lent || steady::now() - w.last_used < settings.idle_max) continue;
    std::erase(idle, &w);
    if (workers.size() - leaving > settings.connections_kept) break;
    lock.unlock();
    w.tend();
    lock.lock();
    // While it tended its connection, jobs may have queued without seeing it.
    if (!take_queued(w) && !closing) idle.push_back(&w);
  }
  std::erase(idle, &w);
  ++leaving;
  lock.unlock();
  w.link.close();
  lock.lock();
  --leaving;
  const auto self = std::find_if(workers.begin(), workers.end(), [&](const worker& x) { return &x == &w; });
  ended.push_back(std::move(self->thread));
  workers.erase(self);
  watch_wake.notify_one();
}

// ---- lending connections ------------------------------------------------------------------------------------------

worker* pool::impl::lend(const statement& s) {
  const session_settings wanted = s.settings.values().empty() ? base : s.settings.over(base);
  const auto too_old = steady::now() - 2 * settings.age_max;
  const std::lock_guard lock(mutex);
  if (closing || !queue.empty()) return nullptr;
  const auto fit = std::find_if(idle.rbegin(), idle.rend(), [&](const worker* w) {
    return w->link.is_open() && w->link.has_socket() && w->link.opened_at() > too_old && w->link.has_settings(wanted);
  });
  if (fit == idle.rend()) return nullptr;
  worker* w = *fit;
  idle.erase(std::next(fit).base());
  w->lent = true;
  ++lent;
  return w;
}

void pool::impl::take_back(worker& w, std::unique_ptr<wire_reader> rest, bool broken) {
  const std::lock_guard lock(mutex);
  w.lent = false;
  w.last_used = steady::now();
  if (rest || broken) {
    w.rest = std::move(rest);
    w.broken = broken;
    w.came_back_used = true;
  } else {
    --lent;
    if (!take_queued(w) && !closing) {
      idle.push_back(&w);
      return;
    }
  }
  w.wake.notify_one();
}

// ---- stopping jobs ------------------------------------------------------------------------------------------------

void pool::impl::stop_job(const std::shared_ptr<job>& j, errc why) {
  std::shared_ptr<row_receiver> receiver;
  {
    const std::lock_guard lock(j->mutex);
    if (j->finished || j->stop) return;
    j->stop = why;
    receiver = j->receiver;
  }
  if (why == errc::cancelled) counts.cancelled.fetch_add(1);
  if (receiver) receiver->stop();
  {
    const std::lock_guard lock(attention_mutex);
    const auto now = steady::now();
    attentions.push_back({j, now + settings.cancel_grace});
  }
  attention_wake.notify_one();
}

// Completions of stopped jobs run here and not on the canceller's thread, which may hold its own locks.
void pool::impl::send_attentions() {
  std::unique_lock lock(attention_mutex);
  while (true) {
    if (attentions.empty()) {
      if (attentions_closed) return;
      attention_wake.wait(lock);
      continue;
    }
    // Others only add to the list, so that what is looked at keeps its place in it.
    std::vector<stopping> due = attentions;
    lock.unlock();
    for (stopping& s : due) {
      end_stopped(s.what);
      const auto now = steady::now();
      if (now - s.seen_at < glance_apart) continue;
      // Held over the call: the worker may not pass on to another job meanwhile and be cancelled in it.
      const std::lock_guard attention_lock(s.what->attention);
      worker* runner = nullptr;
      {
        const std::lock_guard job_lock(s.what->mutex);
        if (!s.what->released) runner = s.what->runner;
      }
      if (runner == nullptr) continue;
      if (runner->link.socket().send_attention()) continue;
      const auto seen = runner->link.look();
      if (seen && seen == s.seen) runner->link.attention(*seen);
      s.seen = seen;
      s.seen_at = now;
    }
    lock.lock();
    for (std::size_t i = 0; i < due.size(); ++i) {
      attentions[i].seen = due[i].seen;
      attentions[i].seen_at = due[i].seen_at;
    }
    std::erase_if(attentions, [](const stopping& s) {
      const std::lock_guard job_lock(s.what->mutex);
      return s.what->released;
    });
    if (!attentions.empty()) attention_wake.wait_for(lock, glance_apart);
  }
}

// A stopped job's end, if it is not its worker that must give it.
void pool::impl::end_stopped(const std::shared_ptr<job>& j) {
  bool queued = false;
  {
    const std::lock_guard pool_lock(mutex);
    const auto place = std::find(queue.begin(), queue.end(), j);
    if (place != queue.end()) {
      queue.erase(place);
      queued = true;
    }
  }
  outcome end;
  bool delivering = false;
  {
    const std::lock_guard job_lock(j->mutex);
    delivering = j->delivering;
    end = stopped_outcome(*j, j->stop.value_or(errc::cancelled));
  }
  if (queued)
    finish_unstarted(*j, std::move(end));
  else if (!delivering)
    finish(*j, std::move(end));
}

void pool::impl::watch() {
  std::unique_lock lock(mutex);
  while (true) {
    if (closing && workers.empty()) return;
    const auto now = steady::now();
    // Waited too long for a lease.
    std::vector<std::shared_ptr<job>> late;
    std::erase_if(queue, [&](const std::shared_ptr<job>& j) {
      if (j->lease_deadline > now) return false;
      late.push_back(j);
      return true;
    });
    // Ran too long.
    std::vector<std::shared_ptr<job>> over;
    for (const auto& j : running) {
      const std::lock_guard job_lock(j->mutex);
      if (!j->finished && !j->stop && !j->delivering && j->deadline <= now) over.push_back(j);
    }
    std::list<std::thread> gone = std::move(ended);
    ended.clear();
    lock.unlock();

    for (std::thread& t : gone) t.join();
    for (const auto& j : late) {
      outcome end;
      end.error = failure(errc::lease_timeout,
                          fmt::format("All connections to the data source stayed busy for {} s. Try again in a moment.",
                                      std::chrono::round<std::chrono::seconds>(now - j->born).count()));
      finish_unstarted(*j, std::move(end));
    }
    for (const auto& j : over) stop_job(j, errc::query_timeout);
    {
      // Upstreams that ignore their attention lose the connection.
      const std::lock_guard attention_lock(attention_mutex);
      for (stopping& s : attentions) {
        if (s.broken_off || s.give_up > now) continue;
        s.broken_off = true;
        counts.abandoned.fetch_add(1);
        log_trouble(settings, "upstream {} ignored an attention for {} ms: its connection is dropped",
                    address_of(settings), settings.cancel_grace.count());
        const std::lock_guard job_lock(s.what->mutex);
        if (!s.what->released && s.what->runner != nullptr) s.what->runner->link.break_off();
      }
    }

    lock.lock();
    if (!ended.empty()) continue;
    watching = !running.empty() || !queue.empty() || closing;
    if (watching)
      watch_wake.wait_for(lock, tick);
    else
      watch_wake.wait(lock, [this] { return watching || closing || !ended.empty(); });
  }
}

void pool::impl::shut_down() {
  std::vector<std::shared_ptr<job>> all;
  {
    const std::lock_guard lock(mutex);
    closing = true;
    all.assign(queue.begin(), queue.end());
    all.insert(all.end(), running.begin(), running.end());
    for (worker& w : workers) {
      // A session's thread is told by the end of its response.
      if (w.lent) w.link.socket().send_attention();
      w.wake.notify_one();
    }
    watch_wake.notify_one();
  }
  for (const auto& j : all) stop_job(j, errc::upstream_unavailable);
  watchdog.join();  // ends when the last worker has
  {
    const std::lock_guard lock(attention_mutex);
    attentions_closed = true;
  }
  attention_wake.notify_one();
  herald.join();
  for (std::thread& t : ended) t.join();
}

// ---- the interface ------------------------------------------------------------------------------------------------

pool::pool(options o) : impl_(std::make_unique<impl>(std::move(o))) {}

pool::~pool() {
  impl_->shut_down();
}

handle pool::execute(statement s, std::shared_ptr<row_receiver> receiver, completion done) {
  auto j = std::make_shared<job>();
  j->timeout = s.timeout.count() > 0 ? s.timeout : impl_->settings.query_timeout;
  j->lease_deadline = j->born + (s.lease_timeout.count() > 0 ? s.lease_timeout : impl_->settings.lease_timeout);
  j->request = std::move(s);
  j->receiver = std::move(receiver);
  j->done = std::move(done);
  impl_->submit(j);
  return handle(j);
}

std::optional<lease> pool::try_lease(const statement& s) {
  worker* w = impl_->lend(s);
  if (w == nullptr) return std::nullopt;
  impl_->counts.statements.fetch_add(1);
  return lease(
      std::make_unique<lease::loan>(*w, [pool = impl_.get(), w](std::unique_ptr<wire_reader> rest, bool broken) {
        pool->take_back(*w, std::move(rest), broken);
      }));
}

void pool::cancel(const handle& h, errc why) {
  if (const std::shared_ptr<job> j = h.lock()) impl_->stop_job(j, why);
}

result<value_table> pool::query(statement s) {
  auto table = std::make_shared<value_table>();
  std::promise<outcome> ended;
  execute(std::move(s), table, [&](outcome end) { ended.set_value(std::move(end)); });
  outcome end = ended.get_future().get();
  if (end.error) return *end.error;
  return std::move(*table);
}

void pool::estimate_cost(statement s, std::function<void(std::optional<estimate>)> done) {
  auto j = std::make_shared<job>();
  j->what = job::kind::estimate;
  j->timeout = s.timeout.count() > 0 ? s.timeout : impl_->settings.query_timeout;
  j->lease_deadline = j->born + (s.lease_timeout.count() > 0 ? s.lease_timeout : impl_->settings.lease_timeout);
  j->request = std::move(s);
  j->done = [done = std::move(done)](const outcome& end) {
    std::optional<estimate> sum;
    for (const message& m : end.messages)
      if (const auto e = read_showplan(m.text)) sum = e;
    done(end.error ? std::nullopt : sum);
  };
  impl_->submit(j);
}

result<void> pool::probe() {
  auto j = std::make_shared<job>();
  j->what = job::kind::probe;
  j->timeout = impl_->settings.query_timeout;
  j->lease_deadline = j->born + impl_->settings.lease_timeout;
  std::promise<outcome> ended;
  j->done = [&](outcome end) { ended.set_value(std::move(end)); };
  impl_->submit(j);
  outcome end = ended.get_future().get();
  if (end.error) return *end.error;
  return {};
}

pool_status pool::status() const {
  const std::lock_guard lock(impl_->mutex);
  pool_status s;
  s.connections = static_cast<std::size_t>(
      std::count_if(impl_->workers.begin(), impl_->workers.end(), [](const worker& w) { return w.link.is_open(); }));
  s.busy = impl_->running.size() + impl_->lent;
  s.waiting = impl_->queue.size();
  s.statements = impl_->counts.statements;
  s.connects = impl_->counts.connects;
  s.connect_failures = impl_->counts.connect_failures;
  s.reconnects = impl_->counts.reconnects;
  s.abandoned = impl_->counts.abandoned;
  s.cancelled = impl_->counts.cancelled;
  return s;
}

const options& pool::settings() const noexcept {
  return impl_->settings;
}

}  // namespace dragoman::upstream
