// What a login leaves behind: history, attempts of the last question, saved questions, feedback, open clarifications
// and confirmations. One for the process, shared by all sessions, thread-safe; nothing in it is visible to another
// login.
//
// With a file (config::store) history, saved questions, feedback and conversations outlive the process (store_file.h
// writes them); clarifications and confirmations never do.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "nlq/attempt.h"
#include "nlq/pipeline.h"

namespace dragoman::proxy {

struct history_entry {
  std::uint64_t number = 0;  // per login, from 1
  std::chrono::system_clock::time_point time{};
  std::string question;
  std::string outcome;  // name of the terminal state
  std::string sql;
  std::uint64_t rows = 0;
  std::int64_t milliseconds = 0;
};

struct saved_question {
  std::string name;
  std::string question;
  std::string sql;  // as the guard printed it when it was saved; empty: asked anew each time
  std::string interpretation;
  std::chrono::system_clock::time_point created{};
};

struct feedback_entry {
  std::chrono::system_clock::time_point time{};
  std::string question;
  std::int32_t score = 0;  // +1 or -1
  std::string comment;
};

// What EXEC nlq.confirm runs.
struct pending_confirmation {
  std::string token;
  std::string question;
  std::string sql;  // before narrowing: it is judged and narrowed when it runs
  std::string interpretation;
  std::string source;
  std::chrono::steady_clock::time_point expires{};
};

// One question of a conversation, and the day on which "last month" was said.
struct conversation_turn {
  std::string question;
  day_number day = 0;
};

// What follow-ups go on from: a question that stood alone and those that refined it.
struct conversation_record {
  std::chrono::system_clock::time_point time{};
  std::vector<conversation_turn> turns;
  std::string source;  // the data source that it is about; empty: the first
};

class store_file;

class store {
 public:
  store();
  ~store();

  // Reads what the file holds and keeps it up from now on.
  result<void> open(const std::filesystem::path& file);

  void add_history(std::string_view login, history_entry entry);
  std::vector<history_entry> history(std::string_view login, std::size_t newest) const;  // newest first
  std::optional<history_entry> last(std::string_view login) const;

  void set_attempts(std::string_view login, std::vector<nlq::attempt> attempts);
  std::vector<nlq::attempt> attempts(std::string_view login) const;

  void save(std::string_view login, saved_question question);  // replaces one of the same name
  std::vector<saved_question> saved(std::string_view login) const;
  std::optional<saved_question> find_saved(std::string_view login, std::string_view name) const;
  bool forget(std::string_view login, std::string_view name);

  // Of one login's client program; the newest limits::history_kept of a login are kept.
  void set_conversation(std::string_view login, std::string_view client, conversation_record record);
  std::optional<conversation_record> conversation(std::string_view login, std::string_view client) const;
  void forget_conversation(std::string_view login, std::string_view client);

  void add_feedback(std::string_view login, feedback_entry entry);

  // The token is random and belongs to the login; take() spends it.
  result<std::string> put_confirmation(std::string_view login, pending_confirmation pending);
  std::optional<pending_confirmation> take_confirmation(std::string_view login, std::string_view token);

 private:
  struct login_state {
    std::deque<history_entry> history;  // oldest first
    std::uint64_t questions = 0;
    std::vector<nlq::attempt> attempts;
    std::vector<saved_question> saved;  // by name
    std::deque<pending_confirmation> confirmations;
    std::map<std::string, conversation_record, std::less<>> conversations;  // by client
  };
  login_state& of(std::string_view login);

  mutable std::mutex mutex_;
  std::map<std::string, login_state, std::less<>> logins_;
  std::unique_ptr<store_file> file_;
};

}  // namespace dragoman::proxy
