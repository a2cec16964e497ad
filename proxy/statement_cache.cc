#include "proxy/statement_cache.h"

#include <charconv>
#include <functional>
#include <utility>

namespace dragoman::proxy {
namespace {

// Lengths stand before texts, so that no two lists of parts make the same key.
void add(std::string& key, std::string_view part) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), part.size()).ptr;
  key.append(digits.data(), end);
  key += ':';
  key += part;
}

void add(std::string& key, std::int64_t number) {
  std::array<char, 20> digits;
  key.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  key += ';';
}

std::size_t size_of(const approved_statement& s) {
  std::size_t bytes = sizeof(approved_statement) + s.verdict.printed.size() + s.computed.size() / 8;
  for (const auto& c : s.verdict.columns) bytes += sizeof c + c.name.size();
  for (const auto* list : {&s.verdict.tables, &s.verdict.notices, &s.verdict.parameters})
    for (const std::string& text : *list) bytes += sizeof text + text.size();
  return bytes;
}

constexpr std::size_t entry_overhead = 256;  // of the list, the map and the shared pointer

}  // namespace

statement_cache::statement_cache(std::size_t bytes_max) : shard_bytes_max_(bytes_max / shard_count) {}

std::string statement_cache::key_of(std::string_view principal, std::string_view text,
                                    const guard::check_options& options) const {
  // What a caller sets beyond these makes another verdict, and is not for this cache.
  if (shard_bytes_max_ == 0 || text.size() > limits::statement_cache_text_max ||
      options.profile != guard::profile::sql || options.row_cap || options.nolock || !options.table_variables.empty())
    return {};
  std::string key;
  key.reserve(text.size() + principal.size() + options.database.size() + 32 + 48 * options.parameters.size());
  key += options.quoted_identifier ? 'q' : 'n';
  add(key, principal);
  add(key, options.database);
  add(key, options.default_schema);
  for (const guard::parameter& p : options.parameters) {
    add(key, p.name);
    add(key, static_cast<std::int64_t>(p.type.id));
    add(key, p.type.length);
    add(key, p.type.precision);
    add(key, p.type.scale);
    add(key, p.type.coll.info);
    add(key, p.type.coll.sort_id);
  }
  key += '|';
  key += text;
  return key;
}

statement_cache::shard& statement_cache::shard_of(std::string_view key) {
  return shards_[std::hash<std::string_view>{}(key) % shard_count];
}

std::shared_ptr<const approved_statement> statement_cache::find(const std::string& key) {
  if (key.empty()) return nullptr;
  shard& s = shard_of(key);
  {
    const std::lock_guard lock(s.mutex);
    if (const auto found = s.places.find(key); found != s.places.end()) {
      s.order.splice(s.order.begin(), s.order, found->second);
      hits_.fetch_add(1, std::memory_order_relaxed);
      return found->second->statement;
    }
  }
  misses_.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void statement_cache::put(std::string key, std::shared_ptr<const approved_statement> statement) {
  if (key.empty()) return;
  const std::size_t bytes = key.size() + size_of(*statement) + entry_overhead;
  if (bytes > shard_bytes_max_) return;
  shard& s = shard_of(key);
  const std::lock_guard lock(s.mutex);
  if (s.places.contains(key)) return;  // another session was faster; its verdict is the same
  s.order.push_front({std::move(key), std::move(statement), bytes});
  s.places.emplace(s.order.front().key, s.order.begin());
  s.bytes += bytes;
  while (s.bytes > shard_bytes_max_) {
    s.bytes -= s.order.back().bytes;
    s.places.erase(s.order.back().key);
    s.order.pop_back();
  }
}

statement_cache::state statement_cache::status() const {
  state out;
  for (const shard& s : shards_) {
    const std::lock_guard lock(s.mutex);
    out.entries += s.order.size();
    out.bytes += s.bytes;
  }
  out.hits = hits_.load(std::memory_order_relaxed);
  out.misses = misses_.load(std::memory_order_relaxed);
  return out;
}

}  // namespace dragoman::proxy
