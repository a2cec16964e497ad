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
#include "proxy/key_store.h"
#include "proxy/password.h"
#include "proxy/prompt_shelf.h"
#include "proxy/question_budget.h"
#include "proxy/reply_watch.h"
#include "proxy/statement_cache.h"
#include "proxy/store.h"
#include "proxy/upstream/pool.h"

namespace dragoman::proxy {

// One principal's share of the catalogue.
struct principal_view {
  std::string name;
  guard::policy_ptr policy;
  std::shared_ptr<const catalog::database> visible;
  std::size_t scope = 0;  // equal for principals with the same rights
  // Dimensions of tables whose rows are not all this principal's: their values are not matched, for completing a name
  // that was half written would tell that there is one.
  std::set<std::string> without_values;
};

// What of a configuration does not depend on a running upstream: catalogue, rights, semantics. `guard`, `check` and
// the service itself start from here.
struct loaded_config {
  config settings;
  catalog::database_ptr database;
  std::shared_ptr<const nlq::semantic_layer> semantics;  // null where none is configured
  std::map<std::string, guard::policy_ptr, std::less<>> policies;
  std::vector<config_error> errors;  // not empty = the rest must not be used
};
// Without a snapshot the catalogue must be given (introspected by the caller).
loaded_config load_everything(const std::filesystem::path& file, catalog::database_ptr introspected = nullptr);

upstream::options upstream_options(const config& settings);

class service {
 public:
  static result<std::unique_ptr<service>> open(loaded_config loaded, const clock& time);
  ~service();
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  const config& settings() const noexcept { return settings_; }
  const catalog::database& database() const noexcept { return *database_; }
  const clock& time() const noexcept { return clock_; }
  upstream::pool& warehouse() noexcept { return *pool_; }
  llm::client* model() noexcept { return model_.get(); }
  proxy::audit& records() noexcept { return *audit_; }
  proxy::store& notes() noexcept { return store_; }
  answer_cache& answers() noexcept { return *answers_; }
  question_budget& budget() noexcept { return *budget_; }
  reply_watch& replies() noexcept { return *replies_; }
  // Changes whenever an answer could come out differently though nothing was asked differently.
  std::uint64_t version() const noexcept { return version_.load(); }
  // What a model is told for this principal; nothing without a model.
  prompt_shelf::entry told(const principal_view& view) const {
    return prompts_ ? prompts_->of(view.name) : prompt_shelf::entry{};
  }
  // The description of a table, or of one of its columns, as the site words it now.
  std::string description_of(const catalog::table& table, const catalog::column* column = nullptr) const;
  statement_cache& statements() noexcept { return statements_; }

  // Null where no semantic layer is configured. Starts with the catalogue's samples; replaced once the warehouse has
  // told the values of the dimensions. Shared by the principals from whom the same values are kept.
  std::shared_ptr<const nlq::knowledge> knowledge(const principal_view& view) const;
  const std::shared_ptr<const nlq::semantic_layer>& semantics() const noexcept { return semantics_; }
  // Reads the values again; returns whether the warehouse could be asked. Blocks.
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
  service(loaded_config loaded, const clock& time);
  result<void> start();
  void refresh_logins();
  struct login_found {
    std::string name;  // empty = there is none, and the digest fits nothing
    std::string digest;
    std::string principal;
  };
  login_found find_login(std::string_view user);
  void keep_up();  // values, embeddings, descriptions; the work of one thread of its own

  struct threads;
  config settings_;
  const clock& clock_;
  catalog::database_ptr database_;
  std::shared_ptr<const nlq::semantic_layer> semantics_;
  std::map<std::string, principal_view, std::less<>> views_;
  std::unique_ptr<prompt_shelf> prompts_;  // null without a model and without descriptions
  std::unique_ptr<upstream::pool> pool_;
  std::unique_ptr<llm::client> model_;
  std::unique_ptr<proxy::audit> audit_;
  proxy::store store_;
  std::unique_ptr<answer_cache> answers_;
  std::unique_ptr<question_budget> budget_;
  std::unique_ptr<reply_watch> replies_;
  std::atomic<std::uint64_t> version_{1};
  statement_cache statements_;
  password_checker passwords_;

  mutable std::mutex knowledge_mutex_;
  using knowledge_by_rights = std::map<std::set<std::string>, std::shared_ptr<const nlq::knowledge>>;
  knowledge_by_rights build_knowledge(const std::vector<nlq::value_rows>& values) const;
  knowledge_by_rights knowledge_;             // by principal_view::without_values
  std::optional<std::size_t> values_digest_;  // of what knowledge_ was made with

  std::mutex logins_mutex_;
  std::vector<stored_login> own_logins_;
  std::vector<stored_login> file_logins_;
  std::filesystem::file_time_type file_time_{};

  std::unique_ptr<threads> threads_;
  std::atomic<bool> stop_{false};
  std::thread keeper_;
};

}  // namespace dragoman::proxy
