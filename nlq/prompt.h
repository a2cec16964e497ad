// What a model is told: rules, calendar, schema, definitions, the question; and, after a mistake, what was wrong.
//
// Two parts, so that a model server can reuse its work on the first: the system message, which is the same bytes for
// every question of one principal on one source, and the user message, which is made per question. While the whole
// schema with its definitions and rules fits the budget it stands in the first; otherwise retrieval chooses tables,
// definitions and rules per question for the second. Approved questions like this one always stand in the second.
// Everything that comes from people or from the database is fenced as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/errc.h"
#include "base/limits.h"
#include "llm/chat_client.h"
#include "nlq/semantics.h"
#include "nlq/sql_grammar.h"
#include "retrieval/table_index.h"
#include "retrieval/text_index.h"
#include "retrieval/value_index.h"
#include "retrieval/visibility.h"

namespace dragoman::nlq {

// A verified question whose SQL the principal may run, and which reads no rows that are filtered for it: a literal in
// it could be the value of a row that is hidden.
struct approved_example {
  std::vector<std::string> questions;
  std::string sql;
};

struct prompt_material {
  std::string source;                                    // name of the data source
  std::shared_ptr<const retrieval::table_index> tables;  // never null
  std::shared_ptr<const retrieval::value_index> values;  // may be null
  retrieval::visibility visible;                         // of the principal
  std::shared_ptr<const semantic_layer> layer;           // may be null: no definitions
  std::vector<approved_example> examples;
  std::uint64_t row_cap = limits::row_cap_generated;
  std::size_t prefix_tokens_max = limits::prompt_prefix_tokens_max;
  unsigned top_k = limits::retrieved_tables;
  bool grammar = false;  // the model server constrains decoding: nlq/sql_grammar.h
};

// Words for retrieval from the semantic layer: what dimensions, metrics, attributes, lists and entities are called, as
// names of their tables and columns.
retrieval::index_sources index_sources_of(const semantic_layer&);
// The layer's words for stored values.
std::vector<retrieval::value_alias> value_aliases_of(const semantic_layer&);

// One line of DEFINITIONS, whose formula uses only columns in scope:
//   sales (revenue, turnover; فروش) = SUM([order].TotalPrice) -- where completed orders only
struct definition {
  std::string line;
  std::vector<std::string> phrases;  // that name it
  std::set<std::string> roles;       // that the line names
  std::set<std::size_t> tables;      // of those roles
};
// Of metrics, attributes and dimensions.
std::vector<definition> definitions_in(const semantic_layer&, const catalog::database&, const retrieval::table_scope&);
// What those roles are and how they join: "order is [sales].[Order]".
std::vector<std::string> roles_text(const semantic_layer&, const catalog::database&, const retrieval::table_scope&,
                                    const std::set<std::string>& roles);

// Business rules, and caveats of metrics, that this principal may know.
struct told_rule {
  std::string text;                // as the prompt has it
  retrieval::text_entry found_by;  // in both languages
  bool always = false;
};
std::vector<told_rule> rules_in(const semantic_layer&, const catalog::database&, const retrieval::table_scope&);

struct question_prompt {
  std::string_view question;
  std::string_view conversation;  // the question before and its SQL; empty: none
  day_number today = 0;
  std::string_view missing;  // error text of an attempt whose names were missing: widens the search
  unsigned more_tables = 0;  // on top of top_k
  const std::vector<float>* question_vector = nullptr;
};

class prompt_base {
 public:
  static std::shared_ptr<const prompt_base> build(prompt_material);

  const std::string& source() const noexcept { return material_.source; }
  // The system message.
  const std::string& prefix() const noexcept { return prefix_; }
  bool whole_schema() const noexcept { return whole_schema_; }
  bool wants_embedding() const noexcept { return embedded_; }
  // What to embed: tables, of visible names only, definitions, rules and examples. A text is empty where nothing is
  // searched: of a schema that stands whole in the prefix, of tables out of scope.
  std::vector<std::string> embedding_texts() const;
  // The same prompt, whose parts are also found by the likeness of these vectors, one per text.
  std::shared_ptr<const prompt_base> with_vectors(std::vector<std::vector<float>> per_text) const;

  // How much of a question this source knows, from 0 to 1: the share of its words that stand in names, descriptions,
  // phrases or sampled values of what this principal sees. For choosing between sources.
  double fit(std::string_view question) const;

  // System and user message of a first attempt.
  std::vector<llm::message> messages(const question_prompt&) const;
  // What the answer is constrained to: the same bytes for every question while the whole schema stands in the prefix,
  // else over the tables chosen for this one. Empty: not wanted, or too large.
  std::string grammar(const question_prompt&) const;

 private:
  prompt_base() = default;
  void index_parts(const prompt_material&);
  std::string user_text(const question_prompt&) const;
  std::vector<std::size_t> tables_for(const question_prompt&) const;
  std::string definitions_for(const question_prompt&, const std::vector<std::size_t>& tables) const;
  std::string rules_for(const question_prompt&) const;
  std::string examples_for(const question_prompt&) const;

  prompt_material material_;
  retrieval::table_scope scope_;
  std::string prefix_;
  bool whole_schema_ = false;
  bool embedded_ = false;
  // What is chosen per question: nothing but examples while the whole schema stands in the prefix.
  std::vector<definition> definitions_;
  std::shared_ptr<const retrieval::text_index> definition_index_;
  std::vector<told_rule> rules_;
  std::shared_ptr<const retrieval::text_index> rule_index_;
  std::shared_ptr<const retrieval::text_index> example_index_;
  std::optional<made_up_names> made_up_;  // set where a grammar is wanted and can be made
  std::string grammar_;                   // of the whole schema
};

// The turns that follow a failed attempt: the model's statement and what was wrong with it.
// for_frame: the task was a slot frame, nlq/plan.h.
std::vector<llm::message> correction(std::string_view failed_sql, std::string_view error, std::string_view hint,
                                     bool for_frame = false);

// Text as data: between two marks that the text itself cannot hold.
std::string fenced(std::string_view text);

}  // namespace dragoman::nlq
