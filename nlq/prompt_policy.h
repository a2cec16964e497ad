// Prompts that follow from a policy: what the guard would refuse is not told to a model in the first place.
#pragma once

#include <memory>

#include "guard/policy.h"
#include "nlq/plan.h"
#include "nlq/prompt.h"

namespace dragoman::nlq {

// Makes the prompts of all principals on one data source; the indices over the catalogue are shared between those who
// see the same samples. Layer may be null.
class prompt_factory {
 public:
  prompt_factory(catalog::database_ptr, std::shared_ptr<const semantic_layer>,
                 std::size_t prefix_tokens_max = limits::prompt_prefix_tokens_max);
  // `told` is a copy of the database with other descriptions: what people and models are told of it.
  prompt_factory(catalog::database_ptr, catalog::database_ptr told, std::shared_ptr<const semantic_layer>,
                 std::size_t prefix_tokens_max);

  // Whether prompts come with a grammar for their answers.
  void constrain(bool by_grammar) { grammar_ = by_grammar; }

  // Of the rights in this factory's database; nullptr where the policy knows nothing of it.
  std::shared_ptr<const prompt_base> prompt_of(const guard::policy&) const;
  // For slot frames; nullptr without a layer, or where no metric may be known.
  std::shared_ptr<const plan_base> plan_of(const guard::policy&) const;

 private:
  struct indices {
    catalog::database_ptr database;
    std::shared_ptr<const retrieval::table_index> tables;
    std::shared_ptr<const retrieval::value_index> values;
  };
  // `filters`: the rights of whoever does not see all rows of some tables; null: all rows.
  indices index(catalog::database_ptr, const guard::database_policy* filters = nullptr) const;

  const guard::database_policy* rights_in(const guard::policy&) const;

  catalog::database_ptr database_;
  std::shared_ptr<const semantic_layer> layer_;
  std::size_t prefix_tokens_max_;
  bool grammar_ = false;
  indices shared_;
};

}  // namespace dragoman::nlq
