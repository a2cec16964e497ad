// One-row requests by many clients, and how long they take.
#pragma once

#include <string>

#include "bench/raw_client.h"

namespace dragoman::bench {

struct spread {
  double p50 = 0;  // microseconds
  double p99 = 0;
  double per_second = 0;
};

// `connections` clients, each on its thread, `requests` in all; microseconds. Without a pace each client sends its next
// request when it has its answer, so that together they take all the machine gives. With a pace, requests a second of
// all clients together, each is sent at its time, and the time counts from then.
// A # in the statement becomes a number that no other request of this process has: a text that nobody has seen before.
spread ask(const raw_client::login& who, std::size_t connections, std::size_t requests, const std::string& sql,
           double pace = 0);

}  // namespace dragoman::bench
