// One statement on its way through the pool. Internal to proxy/upstream.
//
// A job is shared by the caller's handle, the queue, its worker and the pool's service threads. Who may end it:
//   queued              cancel() or the watchdog, at once
//   running, in a call  cancel() or the watchdog, at once: the worker finds out when its call returns
//   running, delivering the worker, when it leaves the receiver (stop() has woken it)
// so that the receiver is never in use when the completion runs.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "proxy/upstream/pool.h"

namespace dragoman::upstream {

using steady = std::chrono::steady_clock;

inline std::chrono::microseconds since(steady::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(steady::now() - begin);
}

struct worker;

struct job {
  enum class kind : std::uint8_t { run, estimate, probe };

  kind what = kind::run;
  statement request;
  std::shared_ptr<row_receiver> receiver;
  completion done;

  steady::time_point born = steady::now();
  steady::time_point lease_deadline{};
  std::chrono::milliseconds timeout{0};

  std::mutex attention;  // held while its worker's connection is told to stop, and by the worker to leave it
  std::mutex mutex;      // guards what follows; never held over a driver call
  bool finished = false;
  bool delivering = false;
  bool released = false;  // its worker is done with it
  std::optional<errc> stop;
  worker* runner = nullptr;                                 // valid until released
  steady::time_point began{};                               // when the lease was given
  steady::time_point deadline = steady::time_point::max();  // of the upstream's work; moves while the receiver is slow
  steady::time_point delivery_began{};
  outcome so_far;

  bool stopped() {
    const std::lock_guard lock(mutex);
    return stop.has_value();
  }
};

}  // namespace dragoman::upstream
