#include "proxy/answer_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "guard/catalog/names.h"
#include "guard/tsql/printer.h"

namespace dragoman::proxy {
namespace {

constexpr char part = '\x1f';  // between the parts of a key; no question holds it after folding

bool is_letter_or_space(unsigned char c) noexcept {
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c <= ' ';
}

// ASCII marks, Persian ones beside them: a comma parts phrases, "<" is not ">", and folding drops both.
std::string marks_of(std::string_view question) {
  std::string out;
  const auto closing = [](char c) { return c == '.' || c == '?' || c == '!'; };
  for (std::size_t i = 0; i < question.size(); ++i) {
    const auto c = static_cast<unsigned char>(question[i]);
    if (!is_letter_or_space(c)) {
      out += static_cast<char>(c);
    } else if (c == 0xD8 && i + 1 < question.size() && static_cast<unsigned char>(question[i + 1]) == 0x8C) {
      out += ',';  // U+060C
    }
  }
  while (!out.empty() && closing(out.back())) out.pop_back();
  return out;
}

std::size_t bytes_of(const sql_value& value) noexcept {
  std::size_t out = sizeof(sql_value);
  if (const auto* text = std::get_if<std::string>(&value)) out += text->capacity();
  if (const auto* data = std::get_if<bytes>(&value)) out += data->capacity();
  return out;
}

}  // namespace

std::size_t cached_answer::bytes() const noexcept {
  std::size_t out = sizeof(cached_answer) + pretty_sql.size() + report.sql.size() + report.interpretation.size() + 1024;
  for (const result_column& c : columns) out += sizeof c + c.name.size();
  for (const sql_value& v : values) out += bytes_of(v);
  for (const nlq::attempt& a : report.attempts) out += sizeof a + a.sql.size() + a.error.size();
  return out;
}

std::string answer_key::text() const {
  // The question and the scope stand first: forget() looks for them.
  return fmt::format("{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}", question, part, scope, part, static_cast<int>(mode), part,
                     source, part, version, part, today, part, session_options, part, conversation);
}

std::string question_key(std::string_view question, bool case_matters) {
  std::string out = case_matters ? std::string(question) : nlq::normal_form(question) + ' ' + marks_of(question);
  std::replace(out.begin(), out.end(), part, ' ');
  return out;
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
