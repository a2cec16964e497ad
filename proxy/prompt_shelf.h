// What models are told, per principal, and how it is kept up to date: the description file laid over the catalogue is
// read again when it changes, and tables get their embeddings when the model server can make them.
//
// `of` may be called from any thread; `keep_up` belongs to one thread of the service's own, because building indices
// and asking for embeddings takes time that no session has.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/catalog/catalog.h"
#include "guard/policy.h"
#include "llm/chat_client.h"
#include "nlq/plan.h"
#include "nlq/prompt.h"
#include "nlq/semantics.h"
#include "proxy/vector_store.h"

namespace dragoman::proxy {

class prompt_shelf {
 public:
  struct entry {
    std::shared_ptr<const nlq::prompt_base> prompt;  // null: this principal sees nothing
    std::shared_ptr<const nlq::plan_base> plan;      // null without a semantic layer
  };
  using policies = std::map<std::string, guard::policy_ptr, std::less<>>;

  prompt_shelf(catalog::database_ptr database, std::shared_ptr<const nlq::semantic_layer> layer, policies principals,
               std::filesystem::path descriptions, std::size_t prefix_tokens_max, bool plans = false,
               bool grammars = false);

  entry of(std::string_view principal) const;
  // The catalogue as people and models are told it: with the descriptions of the file.
  catalog::database_ptr shown() const;

  // Reads the description file again where it has changed; true when something came out differently. A file that is
  // wrong is logged once and changes nothing.
  bool read_descriptions();
  // Asks for the embeddings that `known` does not have, of the model of that name, and adds them to it. False: there
  // are still some missing, the server could not make them.
  bool add_vectors(llm::client& model, const std::string& name, vector_store& known, const std::atomic<bool>& stop);
  // Whether a question's vector of this length can be compared with those of the prompts.
  bool comparable(std::size_t length) const;
  // Takes all vectors from the prompts: they are of another model than the one that now has its name.
  void drop_vectors();
  // Sends each system message once and wants no answer, so that a server with a prefix cache has read it, and a model
  // that is unloaded when nobody asks stays where it is.
  void warm_up(llm::client& model, const std::atomic<bool>& stop) const;

 private:
  void build();
  // The vectors of these texts, empty for empty ones; nothing where the server could not make them.
  std::optional<std::vector<std::vector<float>>> vectors_of(const std::vector<std::string>& texts, llm::client& model,
                                                            const std::string& name, vector_store& known,
                                                            const std::atomic<bool>& stop);

  const catalog::database_ptr database_;
  const std::shared_ptr<const nlq::semantic_layer> layer_;
  const policies principals_;
  const std::filesystem::path descriptions_;
  const std::size_t prefix_tokens_max_;
  const bool plans_;     // the model is asked for frames
  const bool grammars_;  // its SQL is constrained while it is written
  std::filesystem::file_time_type file_time_{};

  mutable std::mutex mutex_;
  catalog::database_ptr shown_;
  std::map<std::string, entry, std::less<>> entries_;
  std::size_t vector_length_ = 0;  // of the prompts' vectors; 0: there are none
};

}  // namespace dragoman::proxy
