// A connection lent to the thread of a session, which sends the statement and reads the response itself: no other
// thread has to wake up for it. Nothing here blocks.
//
//   if (auto l = pool.try_lease(statement)) {
//     l->send(statement, receiver)
//     while (true) switch (l->advance()) {
//       case progress::delivered: let the client take some;
//       case progress::dry:       wait until l->descriptor() can be read
//       case progress::ended:     outcome = l->finish();
//     }
//   }
//
// The receiver's reserve() must have room for what is delivered between two calls of advance(): pause_bytes and one
// row. Belongs to one thread, that of the pool's caller; the pool must outlive it. A lease that is destroyed before its
// response has ended hands the rest to a thread of the pool, which tells the upstream to stop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "proxy/upstream/row_receiver.h"
#include "proxy/upstream/statement.h"

namespace dragoman::upstream {

class lease {
 public:
  struct loan;  // the pool's side
  explicit lease(std::unique_ptr<loan>);
  lease(lease&&) noexcept;
  ~lease();

  // Errors: conversion (a parameter), upstream_unavailable (nothing was sent, or is known to have arrived, or the
  // request is too long to be sent without waiting: the statement may be given to pool::execute).
  result<void> send(const statement&, row_receiver&);

  enum class progress : std::uint8_t {
    delivered,  // pause_bytes have gone to the receiver since the last call; there may be more at hand
    dry,        // the upstream has nothing more at the moment
    ended       // the response, or what is wanted of it, or the connection
  };
  progress advance();
  // Readable when advance() is worth another call after `dry`. Stays the pool's: never closed, valid as long as this.
  int descriptor() const noexcept;

  // Tells the upstream to stop. finish() is due at once; `why` becomes its error.
  void stop(errc why) noexcept;

  // The end of the statement; the connection goes back. `lost_early`: it broke before anything of an answer was seen,
  // so that the statement may be given to pool::execute.
  struct ending {
    outcome end;
    bool lost_early = false;
  };
  ending finish();

  static constexpr std::size_t request_bytes_max = 16 * 1024;
  static constexpr std::size_t pause_bytes = 128 * 1024;

 private:
  std::unique_ptr<loan> loan_;
};

}  // namespace dragoman::upstream
