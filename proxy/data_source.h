// One warehouse behind the gateway: its catalogue, its semantic layer, the connections to it, and what is known and
// told of it: values of its dimensions, prompts, descriptions.
//
// Immutable once started, except for what is thread-safe in itself. A thread of its own keeps values, embeddings and
// descriptions up to date; the warehouse may be down meanwhile.
#pragma once

#include <atomic>
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

#include "guard/catalog/catalog.h"
#include "guard/policy.h"
#include "llm/chat_client.h"
#include "nlq/understanding.h"
#include "proxy/config.h"
#include "proxy/load.h"
#include "proxy/principal_view.h"
#include "proxy/prompt_shelf.h"
#include "proxy/upstream/pool.h"

namespace dragoman::proxy {

upstream::options upstream_options(const config& settings, const source_config& source);

class data_source {
 public:
  // `number` is its place among the sources of `settings`, which outlives it, and among the databases of each policy.
  data_source(const config& settings, std::size_t number, loaded_source loaded, const policies_by_name& policies);
  ~data_source();
  data_source(const data_source&) = delete;
  data_source& operator=(const data_source&) = delete;

  std::size_t number() const noexcept { return number_; }
  const std::string& name() const noexcept { return database_->datasource; }
  const source_config& settings() const noexcept { return settings_.sources[number_]; }
  const catalog::database& database() const noexcept { return *database_; }
  const std::shared_ptr<const nlq::semantic_layer>& semantics() const noexcept { return semantics_; }
  // At the start, with catalog.introspect; afterwards the catalogue is the warehouse's own of that moment.
  const std::optional<catalog_comparison>& compared() const noexcept { return compared_; }
  upstream::pool& warehouse() noexcept { return *pool_; }
  // Of `of`, which must be one of the policies that this was made with; `scope` is principal_view::scope.
  source_share share_of(const guard::policy& of, std::size_t scope) const;

  // Begins to keep up. `views` are those of all principals, `model` may be null, `changed` is called from another
  // thread whenever an answer could come out differently though nothing was asked differently.
  // `vectors` outlives it.
  void start(const std::vector<const principal_view*>& views, llm::client* model, vector_store& vectors,
             std::function<void()> changed);
  void stop();  // what start() began; idempotent

  // Null where no semantic layer is configured. Starts with the catalogue's samples; replaced once the warehouse has
  // told the values of the dimensions. Shared by the principals who may know the same values.
  std::shared_ptr<const nlq::knowledge> knowledge(const principal_view& view) const;
  // What a model is told for this principal; nothing without a model.
  prompt_shelf::entry told(const principal_view& view) const {
    return prompts_ ? prompts_->of(view.name) : prompt_shelf::entry{};
  }
  // The description of a table, or of one of its columns, as the site words it now.
  std::string description_of(const catalog::table& table, const catalog::column* column = nullptr) const;

  // Told of every question's vector: one of another length than the tables' means that the embedding model is another
  // one, and theirs are made anew.
  void note_question_vector(std::size_t length);

  // Reads the values again; returns whether the warehouse could be asked. Blocks.
  bool load_values();

 private:
  void keep_up();
  // Whoever may not know all values: they are read by statements that the guard has narrowed for its policy.
  struct narrowed_reader {
    guard::policy_ptr policy;
    std::set<std::string> own_values;
  };
  using values_by_reader = std::map<std::size_t, std::vector<nlq::value_rows>>;  // by source_share::values_of
  using knowledge_by_reader = std::map<std::size_t, std::shared_ptr<const nlq::knowledge>>;
  result<nlq::value_rows> read_values(const nlq::value_query& query, std::string sql);
  result<values_by_reader> read_all_values();
  knowledge_by_reader build_knowledge(const values_by_reader& values) const;

  const config& settings_;
  const std::size_t number_;
  const catalog::database_ptr database_;
  const std::shared_ptr<const nlq::semantic_layer> semantics_;
  const std::optional<catalog_comparison> compared_;
  std::unique_ptr<upstream::pool> pool_;
  std::unique_ptr<prompt_shelf> prompts_;  // null without a model and without descriptions
  std::map<std::size_t, narrowed_reader> readers_;
  llm::client* model_ = nullptr;
  vector_store* vectors_ = nullptr;
  std::atomic<bool> vectors_stale_{false};
  std::function<void()> changed_;

  mutable std::mutex mutex_;
  knowledge_by_reader knowledge_;
  std::optional<std::size_t> values_digest_;  // of what knowledge_ was made with

  std::atomic<bool> stop_{false};
  std::thread keeper_;
};

}  // namespace dragoman::proxy
