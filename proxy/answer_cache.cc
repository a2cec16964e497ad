#include "proxy/answer_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "guard/catalog/names.h"
#include "guard/tsql/printer.h"

namespace dragoman::proxy {
namespace {

constexpr char part = '\x1f';  // between the parts of a key; in a question it is a blank

std::size_t bytes_of(const sql_value& value) noexcept {
  std::size_t out = sizeof(sql_value);
  if (const auto* text = std::get_if<std::string>(&value)) out += text->capacity();
  if (const auto* data = std::get_if<bytes>(&value)) out += data->capacity();
  return out;
}

std::size_t bytes_of(const std::vector<std::string>& texts) noexcept {
  std::size_t out = sizeof texts + texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) out += text.capacity();
  return out;
}

}  // namespace

std::size_t cached_answer::bytes() const noexcept {
  constexpr std::size_t fixed = 1024;  // list nodes, the intent's small parts
  std::size_t out = sizeof(cached_answer) + fixed + pretty_sql.capacity();
  for (const std::string* text : {&report.rule, &report.message, &report.source, &report.interpretation, &report.sql,
                                  &report.asked_sql, &report.insight, &report.model})
    out += text->capacity();
  for (const auto* texts : {&report.tables, &report.notices, &report.suggestions, &report.unknown_words,
                            &report.answer_columns, &report.assumptions})
    out += bytes_of(*texts);
  for (const auto& row : report.answer_rows) out += bytes_of(row);
  out += (report.answer_rows.capacity() - report.answer_rows.size()) * sizeof(std::vector<std::string>);
  out += report.visited.capacity() * sizeof(nlq::node);
  out += report.choices.capacity() * sizeof(nlq::clarify_option);
  for (const nlq::clarify_option& c : report.choices)
    out += c.label.capacity() + c.value.capacity() + c.description.capacity();
  out += columns.capacity() * sizeof(result_column);
  for (const result_column& c : columns) out += c.name.capacity();
  out += (values.capacity() - values.size()) * sizeof(sql_value);
  for (const sql_value& v : values) out += bytes_of(v);
  out += report.attempts.capacity() * sizeof(nlq::attempt);
  for (const nlq::attempt& a : report.attempts) out += a.sql.capacity() + a.error.capacity();
  if (report.intent) {
    for (const nlq::value_filter& f : report.intent->filters)
      out += sizeof f + f.dimension.capacity() + f.column.capacity() + f.label.capacity() + bytes_of(f.values);
  }
  return out;
}

void cached_answer::shrink_to_fit() {
  columns.shrink_to_fit();
  values.shrink_to_fit();
  pretty_sql.shrink_to_fit();
  report.attempts.shrink_to_fit();
}

std::string answer_key::text() const {
  // The question and the scope stand first: forget() looks for them.
  return fmt::format("{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}", question, part, scope, part, static_cast<int>(mode), part,
                     source, part, version, part, today, part, session_options, part, conversation);
}

bool depends_on_the_moment(std::string_view printed_sql) {
  static constexpr std::array names = {"getdate",        "getutcdate",        "sysdatetime",
                                       "sysutcdatetime", "sysdatetimeoffset", "newid",
                                       "rand",           "current_timestamp", "newsequentialid"};
  const std::string text = catalog::folded(printed_sql);
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return text.find(name) != std::string::npos; });
}

std::string text_of_rights(const guard::policy& policy) {
  std::string out = fmt::format("cap {} {}\n", policy.row_cap, policy.row_cap_generated);
  for (const guard::database_policy& d : policy.databases) {
    out += fmt::format("database {} {} {}\n", d.database->datasource, d.database->name, d.database->fingerprint());
    for (std::size_t t = 0; t < d.tables.size(); ++t) {
      const guard::table_rights& rights = d.tables[t];
      if (!rights.allowed) continue;
      out += d.database->tables[t].full_name() + " ";
      for (const guard::column_right right : rights.columns) out += static_cast<char>('0' + static_cast<int>(right));
      if (rights.filter) out += " filter " + tsql::print(*rights.filter);
      for (const guard::required_filter& f : rights.required_filters)
        out += fmt::format(" needs {} {}", f.column, f.predicate ? tsql::print(*f.predicate) : "");
      for (const guard::required_join& j : rights.required_joins)
        out += fmt::format(" joins {} {}", j.table, j.on ? tsql::print(*j.on) : "");
      out += '\n';
    }
  }
  return out;
}

std::size_t rights_registry::number_of(const guard::policy& policy) {
  return known_.emplace(text_of_rights(policy), known_.size() + 1).first->second;
}

cached_answer_ptr answer_cache::find(const std::vector<std::string>& keys, time_point now) {
  if (!enabled()) return nullptr;
  const std::scoped_lock lock(mutex_);
  for (const std::string& key : keys) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) continue;
    if (now - found->second->answer->made >= options_.lifetime) {
      drop(found->second);
      continue;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    ++hits_;
    return found->second->answer;
  }
  ++misses_;
  return nullptr;
}

void answer_cache::put(std::string key, cached_answer_ptr answer, time_point now) {
  if (!enabled()) return;
  const std::size_t bytes = answer->bytes() + 2 * key.size();
  if (bytes > options_.answer_bytes_max) return;
  const std::scoped_lock lock(mutex_);
  if (const auto old = by_key_.find(key); old != by_key_.end()) drop(old->second);
  entries_.push_front({key, std::move(answer), bytes});
  by_key_.emplace(std::move(key), entries_.begin());
  bytes_ += bytes;
  while (!entries_.empty() && (entries_.size() > options_.answers_max || bytes_ > options_.bytes_max ||
                               now - entries_.back().answer->made >= options_.lifetime))
    drop(std::prev(entries_.end()));
}

void answer_cache::forget(std::string_view question, std::size_t scope) {
  const std::string begin = fmt::format("{}{}{}{}", question, part, scope, part);
  const std::scoped_lock lock(mutex_);
  for (auto at = by_key_.lower_bound(begin); at != by_key_.end() && at->first.starts_with(begin);) {
    const auto next = std::next(at);
    drop(at->second);
    at = next;
  }
}

void answer_cache::clear() {
  const std::scoped_lock lock(mutex_);
  by_key_.clear();
  entries_.clear();
  bytes_ = 0;
}

// The caller holds the lock.
void answer_cache::drop(order::iterator at) {
  bytes_ -= at->bytes;
  by_key_.erase(at->key);
  entries_.erase(at);
}

answer_cache::counts answer_cache::status() const {
  const std::scoped_lock lock(mutex_);
  return {entries_.size(), bytes_, hits_, misses_};
}

}  // namespace dragoman::proxy
