// Digests of login passwords: scrypt with a salt of its own for each, so that a configuration file gives no password
// away. Text form: "scrypt$<log2 N>$<r>$<p>$<salt hex>$<hash hex>".
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/secret.h"

namespace dragoman::proxy {

// A fresh digest of the password. Fails only when the machine has no randomness.
result<std::string> make_password_digest(const secret& password);

bool is_password_digest(std::string_view digest) noexcept;
// In constant time for a given digest; false for a text that is no digest.
bool verify_password(const secret& password, std::string_view digest);

// A random text for keys that a person does not choose: `bytes` of randomness in base32 without look-alikes.
result<secret> make_random_key(std::size_t bytes);

// Remembers which (digest, password) pairs were right, as keyed hashes in memory, because scrypt is slow on purpose and
// a tool may open dozens of connections a second. Wrong passwords always pay the full price. Thread-safe.
class password_checker {
 public:
  password_checker();
  bool check(const secret& password, std::string_view digest);
  // Whether it was right lately; costs microseconds. False says nothing.
  bool known(const secret& password, std::string_view digest);

 private:
  std::string fingerprint(const secret& password, std::string_view digest) const;
  std::string process_key_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> known_;
};

}  // namespace dragoman::proxy
