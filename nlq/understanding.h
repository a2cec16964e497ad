// The entry point of question understanding: words in, a query tree or an honest "no" out. No model, no I/O, no clock
// of its own.
//
// `knowledge` is built once per data source and shared by all sessions; `understand` is a pure function of its
// arguments and safe to call from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "guard/tsql/ast.h"
#include "nlq/intent.h"
#include "nlq/semantics.h"

namespace dragoman::nlq {

// ---- what is known ------------------------------------------------------------------------------------------------

// A query whose rows feed the value index: run it once at start (and again when the data changed), hand the rows to
// knowledge::build. Cells are text; NULL is an empty string.
struct value_query {
  std::string dimension;
  std::vector<std::string> columns;
  tsql::select_statement select;
};
std::vector<value_query> value_queries(const semantic_layer&);

struct value_rows {
  std::string dimension;
  std::vector<std::string> columns;  // as in the value_query
  std::vector<std::vector<std::string>> rows;
};

class lexicon;
class entity_lexicon;

class knowledge {
 public:
  // Dimensions without rows fall back to the samples of the catalogue's columns; not those whose ids stand in
  // `unsampled`, for samples are of everybody's rows.
  static std::shared_ptr<const knowledge> build(std::shared_ptr<const semantic_layer>, catalog::database_ptr,
                                                std::vector<value_rows> values,
                                                const std::set<std::string>& unsampled = {});
  ~knowledge();

  const semantic_layer& layer() const noexcept { return *layer_; }
  const catalog::database& database() const noexcept { return *database_; }
  const lexicon& words() const noexcept { return *words_; }
  const entity_lexicon& things() const noexcept { return *things_; }

 private:
  knowledge() = default;
  std::shared_ptr<const semantic_layer> layer_;
  catalog::database_ptr database_;
  std::unique_ptr<lexicon> words_;
  std::unique_ptr<entity_lexicon> things_;
};

// ---- what came before ---------------------------------------------------------------------------------------------

struct clarify_option {
  int choice = 0;  // 1-based, what nlq.choose takes
  std::string label;
  std::string value;  // the question put anew; asking it continues
  std::string description;
};

// Kept by the session, per login; a value that may be stored.
struct conversation {
  std::optional<query_intent> last;  // of the last answered question
  std::string last_question;
  std::vector<clarify_option> pending;  // options of an unanswered clarification
  int clarify_rounds = 0;
};

// ---- what comes out -----------------------------------------------------------------------------------------------

// turn type: how the question relates to the conversation.
enum class turn { fresh, refine, drill_down };

struct understood_query {
  query_intent intent;
  tsql::select_statement select;
  std::string interpretation;            // one line, in the question's language
  std::vector<std::string> assumptions;  // what was taken for granted, one sentence each
  double confidence = 1.0;               // 1 = every slot was named
  std::vector<std::string> output_names;
  bool order_matters = false;
  turn kind = turn::fresh;
};

struct clarification {
  std::string message;
  std::vector<clarify_option> options;
};

struct needs_confirmation {
  std::string reason;
  understood_query query;  // what runs when confirmed
};

struct rejection {
  std::string message;  // the one standard sentence of the language
  std::string rule;     // for the audit only, never shown
};

struct outside_scope {
  std::string message;  // names what the data do cover
};

struct needs_model {
  std::vector<std::string> words;  // what the semantic layer could not account for, as written
  std::string message;
};

// Answered from catalogue and semantic layer, without a query.
struct schema_answer {
  std::string message;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

using understanding = std::variant<understood_query, clarification, needs_confirmation, rejection, outside_scope,
                                   needs_model, schema_answer>;

struct question_context {
  const knowledge* known = nullptr;  // never null
  day_number today = 0;
  const conversation* session = nullptr;  // null: no conversation
  // What this principal may see; absent: everything in the catalogue.
  std::function<bool(std::string_view schema, std::string_view table, std::string_view column)> visible;
};

understanding understand(std::string_view question, const question_context&);

// The language a question is written in; answers use it.
language language_of(std::string_view question);

// The form under which two questions are one: single blanks, digits of one script, no closing marks, and ASCII letters
// of one case unless case matters. For keys of answers, and for questions that a person has approved.
std::string question_form(std::string_view question, bool case_matters);

}  // namespace dragoman::nlq
