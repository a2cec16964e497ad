// Answers to questions that were asked a moment ago: served without the warehouse and without a model.
//
// An answer is kept as values, not as packets, so that one entry serves clients of every TDS version. What an answer
// depends on is in its key, and all of it: the words, the mode, the rights of whoever asked, the data source, the day,
// the session's SET options, the conversation, and the version of prompts, layer and values. Least recently used
// entries go first; nothing outlives its time. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/question_limits.h"
#include "base/sql_value.h"
#include "guard/policy.h"
#include "nlq/pipeline.h"

namespace dragoman::proxy {

struct cached_answer {
  nlq::report report;      // as the pipeline ended; no model call is counted on a hit
  std::string pretty_sql;  // in the house layout
  std::vector<result_column> columns;
  std::vector<sql_value> values;  // row after row
  std::chrono::steady_clock::time_point made{};

  std::size_t bytes() const noexcept;  // as allocated, not as filled
  void shrink_to_fit();                // before it is kept
  std::size_t rows() const noexcept { return columns.empty() ? 0 : values.size() / columns.size(); }
};
using cached_answer_ptr = std::shared_ptr<const cached_answer>;

// What an answer depends on.
struct answer_key {
  std::string question;  // nlq::question_form()
  nlq::ask_mode mode = nlq::ask_mode::result;
  std::size_t scope = 0;        // the number of the principal's rights (rights_registry)
  std::string source;           // of the data
  std::uint64_t version = 0;    // of prompts, layer and values
  day_number today = 0;         // "last month"
  std::string session_options;  // SET LANGUAGE, DATEFIRST …
  std::string conversation;     // empty: there was none

  std::string text() const;
};

// Whether a statement's rows change by themselves between two runs, so that they must not be kept.
bool depends_on_the_moment(std::string_view printed_sql);

// Principals with the same effective rights share a number; the name plays no part in it.
class rights_registry {
 public:
  std::size_t number_of(const guard::policy&);

 private:
  std::map<std::string, std::size_t> known_;
};
// Everything in a policy that decides what rows come back.
std::string text_of_rights(const guard::policy&);

class answer_cache {
 public:
  struct options {
    std::chrono::milliseconds lifetime = limits::answer_cache_lifetime;  // 0: nothing is kept
    std::size_t answers_max = limits::answer_cache_answers;
    std::size_t bytes_max = limits::answer_cache_bytes;
    std::size_t answer_bytes_max = limits::cached_answer_bytes;
  };
  struct counts {
    std::size_t answers = 0;
    std::size_t bytes = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  using time_point = std::chrono::steady_clock::time_point;

  explicit answer_cache(options o) : options_(o) {}
  bool enabled() const noexcept { return options_.lifetime.count() > 0 && options_.answers_max > 0; }
  const options& settings() const noexcept { return options_; }

  // The first of the keys that is there and not too old; null where there is none.
  cached_answer_ptr find(const std::vector<std::string>& keys, time_point now);
  void put(std::string key, cached_answer_ptr answer, time_point now);
  // Forgets the answers to a question in this scope, whatever else they depended on.
  void forget(std::string_view question, std::size_t scope);
  void clear();
  counts status() const;

 private:
  struct entry {
    std::string key;
    cached_answer_ptr answer;
    std::size_t bytes = 0;
  };
  using order = std::list<entry>;  // most recently used first
  void drop(order::iterator at);

  const options options_;
  mutable std::mutex mutex_;
  order entries_;
  std::map<std::string, order::iterator, std::less<>> by_key_;
  std::size_t bytes_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace dragoman::proxy
