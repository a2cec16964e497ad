// Everything that the sessions of one gateway share, made from one configuration: catalogue, rights, semantic layer,
// upstream pool, model client, audit, store, clock. Immutable once open() returned, except for what is thread-safe in
// itself; outlives the server and every session.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "guard/policy.h"
#include "llm/chat_client.h"
#include "nlq/pipeline.h"
#include "nlq/understanding.h"
#include "proxy/answer_cache.h"
#include "proxy/audit.h"
#include "proxy/config.h"
#include "proxy/data_source.h"
#include "proxy/key_store.h"
#include "proxy/load.h"
#include "proxy/password.h"
#include "proxy/principal_view.h"
#include "proxy/prompt_shelf.h"
#include "proxy/question_budget.h"
#include "proxy/reply_watch.h"
#include "proxy/statement_cache.h"
#include "proxy/store.h"
#include "proxy/upstream/pool.h"
#include "proxy/vector_store.h"

namespace dragoman::proxy {

class service {
 public:
  static result<std::unique_ptr<service>> open(loaded_config loaded, const clock& time);
  ~service();
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  const config& settings() const noexcept { return settings_; }
  const clock& time() const noexcept { return clock_; }
  // Never empty; the first is the default one.
  const std::vector<std::unique_ptr<data_source>>& sources() const noexcept { return sources_; }
  data_source& source(std::size_t number) const noexcept { return *sources_[number]; }
  // By its own name or its database's.
  std::optional<std::size_t> find_source(std::string_view name) const;
  // That of a verdict's tables; the first for a name that none has.
  data_source& source_of(std::string_view datasource);
  llm::client* model() noexcept { return model_.get(); }
  proxy::audit& records() noexcept { return *audit_; }
  proxy::store& notes() noexcept { return store_; }
  answer_cache& answers() noexcept { return *answers_; }
  question_budget& budget() noexcept { return *budget_; }
  reply_watch& replies() noexcept { return *replies_; }
  // Changes whenever an answer could come out differently though nothing was asked differently.
  std::uint64_t version() const noexcept { return version_.load(); }
  statement_cache& statements() noexcept { return statements_; }

  // Of all sources; see data_source.
  bool load_values();

  struct identity {
    std::string login;
    const principal_view* view = nullptr;
  };
  // errc::login_failed with the cause in words, for the log only. Slow on purpose: call it from run_aside.
  result<identity> authenticate(std::string_view user, const secret& password);
  // The same without the slow part: only whom authenticate() has found right lately. Nothing else is said.
  std::optional<identity> recognise(std::string_view user, const secret& password);
  const principal_view* principal(std::string_view name) const noexcept;

  // A login that lasts as long as the process, for the gateway's own client (ask, eval, demo). Returns its password.
  result<secret> add_own_login(std::string name, std::string principal);

  // Runs a blocking piece of work on one of a few threads kept for that.
  void run_aside(std::function<void()> work);
  // The same for a millisecond's work, on a thread that nothing longer may occupy.
  void run_soon(std::function<void()> work);

 private:
  service(config settings, const clock& time);
  result<void> start();
  void refresh_logins();
  struct login_found {
    std::string name;  // empty = there is none, and the digest fits nothing
    std::string digest;
    std::string principal;
  };
  login_found find_login(std::string_view user);

  struct threads;
  config settings_;
  const clock& clock_;
  std::map<std::string, principal_view, std::less<>> views_;
  std::unique_ptr<llm::client> model_;
  std::unique_ptr<proxy::audit> audit_;
  proxy::store store_;
  vector_store vectors_;
  std::unique_ptr<answer_cache> answers_;
  std::unique_ptr<question_budget> budget_;
  std::unique_ptr<reply_watch> replies_;
  std::atomic<std::uint64_t> version_{1};
  statement_cache statements_;
  password_checker passwords_;

  std::mutex logins_mutex_;
  std::vector<stored_login> own_logins_;
  std::vector<stored_login> file_logins_;
  std::filesystem::file_time_type file_time_{};

  std::unique_ptr<threads> threads_;
  std::vector<std::unique_ptr<data_source>> sources_;
};

}  // namespace dragoman::proxy
