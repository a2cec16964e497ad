// A model asked for a slot frame instead of SQL: JSON whose shape and names are fixed by a schema made of what this
// principal may know. The frame goes through the same compiler as a question of the semantic layer, so that the model
// chooses what is meant and never how it is written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "llm/chat_client.h"
#include "nlq/semantics.h"
#include "nlq/understanding.h"
#include "retrieval/table_index.h"

namespace dragoman::nlq {

// Metrics and dimensions all of whose columns are in scope; ids in the order of the layer.
struct names_in_scope {
  std::vector<std::string> metrics;
  std::vector<std::string> dimensions;
};
names_in_scope names_of(const semantic_layer&, const catalog::database&, const retrieval::table_scope&);

class plan_base {
 public:
  // Null where no metric is in scope.
  static std::shared_ptr<const plan_base> build(std::shared_ptr<const semantic_layer>, const catalog::database&,
                                                const retrieval::table_scope&);

  // The system message: the same bytes for every question of one principal.
  const std::string& prefix() const noexcept { return prefix_; }
  // JSON Schema of a frame, for servers that constrain decoding.
  const std::string& schema() const noexcept { return schema_; }
  const names_in_scope& names() const noexcept { return names_; }

  std::vector<llm::message> messages(std::string_view question, std::string_view conversation, day_number today) const;

 private:
  plan_base() = default;
  names_in_scope names_;
  std::string prefix_;
  std::string schema_;
};

// What became of a frame: exactly one of a query, `out_of_scope`, or an error for the model to correct.
struct planned {
  std::optional<understood_query> query;
  bool out_of_scope = false;
  std::string error;
};

// Never trusts that the server kept to the schema: every name is looked up in `plan` again, values in `known`.
planned query_of_frame(std::string_view json, const plan_base& plan, const knowledge& known, language lang,
                       day_number today);

}  // namespace dragoman::nlq
