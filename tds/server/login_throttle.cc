#include "tds/server/login_throttle.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dragoman::tds::server {
namespace {
constexpr std::size_t name_bytes_max = 128;  // of a key; longer names share an entry with their beginning
}

void login_throttle::allowance::refill(unsigned per_minute, time_point now) {
  const double minutes = std::chrono::duration<double, std::ratio<60>>(now - since).count();
  if (minutes > 0) used = std::max(0.0, used - minutes * per_minute);
  since = now;
}

std::string login_throttle::address_key(std::string_view address) {
  if (address.find(':') == std::string_view::npos) return std::string(address);
  in6_addr raw{};
  const std::string text(address.substr(0, address.find('%')));  // without the scope
  if (::inet_pton(AF_INET6, text.c_str(), &raw) != 1) return text;
  return {reinterpret_cast<const char*>(raw.s6_addr), 8};
}

// Names are compared without regard to ASCII case where logins are looked up.
std::string login_throttle::name_key(std::string_view name) {
  std::string out(name.substr(0, name_bytes_max));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

std::string login_throttle::pair_key(const std::string& address, const std::string& name) {
  return address + '\0' + name;
}

bool login_throttle::enter(std::string_view address) {
  if (limits_.unfinished_per_address == 0) return true;
  const std::lock_guard lock(mutex_);
  unsigned& count = unfinished_[address_key(address)];
  if (count >= limits_.unfinished_per_address) return false;
  ++count;
  return true;
}

void login_throttle::leave(std::string_view address) {
  if (limits_.unfinished_per_address == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = unfinished_.find(address_key(address));
  if (found != unfinished_.end() && --found->second == 0) unfinished_.erase(found);
}

login_throttle::allowance& login_throttle::entry_of(table& in, const std::string& key, unsigned per_minute,
                                                    time_point now) {
  const auto found = in.find(key);
  if (found != in.end()) {
    found->second.refill(per_minute, now);
    return found->second;
  }
  if (in.size() >= limits_.entries_max) {
    allowance& shared = &in == &addresses_ ? other_addresses_ : other_names_;
    shared.refill(per_minute, now);
    // What has refilled is forgotten; not more than once a second, for it looks through the whole table.
    time_point& swept = &in == &addresses_ ? addresses_swept_ : names_swept_;
    if (now - swept >= std::chrono::seconds(1)) {
      swept = now;
      std::erase_if(in, [&](const auto& e) {
        allowance now_left = e.second;
        now_left.refill(per_minute, now);
        return now_left.used <= 0;
      });
    }
    if (in.size() >= limits_.entries_max) return shared;
  }
  allowance& made = in[key];
  made.since = now;
  return made;
}

login_throttle::known* login_throttle::known_pair(const std::string& key, time_point now) {
  const auto found = known_.find(key);
  if (found == known_.end()) return nullptr;
  if (now - found->second.last_success > limits_.known_for) {
    known_order_.erase(found->second.order);
    known_.erase(found);
    return nullptr;
  }
  found->second.used.refill(limits_.failures_per_name, now);
  return &found->second;
}

bool login_throttle::admit(std::string_view address_text, std::string_view name_text, time_point now) {
  const std::string address = address_key(address_text);
  const std::string name = name_key(name_text);
  const std::lock_guard lock(mutex_);
  const auto has = [](const allowance& a, unsigned limit) { return limit == 0 || a.used + 1 <= limit; };
  if (known* pair = known_pair(pair_key(address, name), now)) {
    if (!has(pair->used, limits_.failures_per_name)) return false;
    pair->used.used += 1;
    return true;
  }
  allowance& of_address = entry_of(addresses_, address, limits_.failures_per_address, now);
  if (!has(of_address, limits_.failures_per_address)) return false;
  // The name's allowance is only touched by attempts that the address may make, so that one address cannot use it up
  // faster than its own.
  allowance& of_name = entry_of(names_, name, limits_.failures_per_name, now);
  if (!has(of_name, limits_.failures_per_name)) return false;
  of_address.used += 1;
  of_name.used += 1;
  return true;
}

unsigned login_throttle::failed(std::string_view address_text, std::string_view name_text, time_point now) {
  const std::string address = address_key(address_text);
  const std::lock_guard lock(mutex_);
  const known* pair = known_pair(pair_key(address, name_key(name_text)), now);
  const double used =
      pair != nullptr ? pair->used.used : entry_of(addresses_, address, limits_.failures_per_address, now).used;
  return std::clamp(static_cast<unsigned>(std::lround(used)), 1u, login_limits::delay_steps);
}

void login_throttle::succeeded(std::string_view address_text, std::string_view name_text, time_point now) {
  const std::string address = address_key(address_text);
  const std::string name = name_key(name_text);
  const std::string key = pair_key(address, name);
  const std::lock_guard lock(mutex_);
  if (known* pair = known_pair(key, now)) {
    pair->used.used = 0;
    pair->last_success = now;
    known_order_.splice(known_order_.end(), known_order_, pair->order);
    return;
  }
  // Only what this login took is given back: the address may have failed with other names, the name elsewhere.
  for (const auto& [in, at, limit] : {std::tuple(&addresses_, &address, limits_.failures_per_address),
                                      std::tuple(&names_, &name, limits_.failures_per_name)}) {
    allowance& entry = entry_of(*in, *at, limit, now);
    entry.used = std::max(0.0, entry.used - 1);
    if (entry.used <= 0) in->erase(*at);
  }
  if (known_.size() >= limits_.known_max && !known_order_.empty()) {
    known_.erase(known_order_.front());
    known_order_.pop_front();
  }
  known_order_.push_back(key);
  known_.emplace(key, known{{0, now}, now, std::prev(known_order_.end())});
}

std::size_t login_throttle::entries() const {
  const std::lock_guard lock(mutex_);
  return addresses_.size() + names_.size() + known_.size() + unfinished_.size();
}

}  // namespace dragoman::tds::server
