// The audit: one JSON line per request, written by a thread of its own. Says who asked what, what became of it and
// what it cost; never a row, never a value of a row, never a secret.
//
// Every session holds a pointer to the one audit of the process; it outlives them all. push() waits for a short while
// when the disk is slow (limits::audit_wait) and then counts the record as lost, which is itself a line of the file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/config.h"

namespace dragoman::proxy {

struct audit_timing {
  std::string stage;  // "guard", "model", "upstream", "relay", "understand" …
  std::int64_t microseconds = 0;
};

struct audit_record {
  std::string id;  // of the request: session number "." request number
  std::string login;
  std::string principal;
  std::string client_application;
  std::string client_host;
  std::string client_address;
  std::string kind;              // login, batch, rpc, question, procedure, transaction
  std::string question;          // in its own words; empty where none, or where the site keeps none
  std::string turn;              // of a question that was understood: fresh, refine, drill_down
  std::string path;              // guard, sandbox, semantic, model, none
  std::vector<std::string> sql;  // the statements as printed by the guard
  std::string verdict;           // accept, refuse, local, clarify, confirm, cancelled, failed
  std::string reason;            // reason code; empty where accepted
  std::string rule;              // of the guard, that decided a refusal: "parse", "bind", "denied_columns" …
  std::int32_t error_number = 0;
  std::string source;  // of the data that was read, or asked about; of several in one request the last
  std::vector<std::string> tables;
  std::uint64_t rows = 0;
  std::vector<audit_timing> timings;
  std::int64_t total_microseconds = 0;
  std::string model;
  unsigned model_calls = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
  std::uint64_t cached_tokens = 0;  // of the prompt, as the model server counts them
  double cost = 0;                  // by the site's prices; 0: none are given
  bool suspected = false;           // the model server seems to have answered from a cache of its own
  bool cached = false;              // the answer was one of a moment ago
};

// The line without its newline; `time` is UTC.
std::string to_json(const audit_record& record, std::chrono::system_clock::time_point time);

class audit {
 public:
  explicit audit(const audit_config& settings);  // an empty file name: records go nowhere
  ~audit();                                      // writes what is queued
  audit(const audit&) = delete;
  audit& operator=(const audit&) = delete;

  void push(audit_record record);
  void flush();  // returns when all that was pushed before is written
  std::uint64_t lost() const;

 private:
  void run();
  void write(const std::string& line);
  void rotate();

  audit_config settings_;
  mutable std::mutex mutex_;
  std::condition_variable wake_writer_;
  std::condition_variable wake_callers_;
  std::deque<std::string> queue_;
  bool writing_ = false;
  bool stop_ = false;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_reported_ = 0;
  std::ofstream out_;
  std::size_t written_ = 0;
  bool failing_ = false;
  std::thread writer_;
};

}  // namespace dragoman::proxy
