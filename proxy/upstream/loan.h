// A lease from the pool's side. Internal to proxy/upstream.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "proxy/upstream/lease.h"
#include "proxy/upstream/wire_reader.h"
#include "proxy/upstream/worker.h"

namespace dragoman::upstream {

struct lease::loan {
  // What is left of a response must be read to its end before the connection serves again; a broken one is closed.
  using return_to_pool = std::function<void(std::unique_ptr<wire_reader> rest, bool broken)>;

  loan(worker& w, return_to_pool back) : lent(&w), give_back(std::move(back)) {}
  ~loan() { end(false); }

  void end(bool broken) {
    if (!give_back) return;
    broken = broken || (reader && reader->lost());
    const bool unfinished = !broken && lent->link.socket().running();
    std::exchange(give_back, nullptr)(unfinished ? std::move(reader) : nullptr, broken);
  }

  worker* lent;
  return_to_pool give_back;
  open_gate gate;
  std::unique_ptr<wire_reader> reader;
  std::chrono::milliseconds timeout{0};
  std::optional<errc> stopped;
  bool begun = false;  // columns were seen
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::chrono::microseconds first_time{0};
};

}  // namespace dragoman::upstream
