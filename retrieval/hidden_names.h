// Whether a free text (a rule, a question of an example) mentions a table or column that a principal may not know.
//
// Only what is written as a name counts: "NationalID", "hr.Salary", "[Amount]". "amount" is a word of the language, and
// what a text speaks of is declared beside it; this catches what the declaration forgot.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "guard/catalog/catalog.h"
#include "retrieval/table_index.h"

namespace dragoman::retrieval {

class hidden_names {
 public:
  // Names that something visible bears too are no secret.
  hidden_names(const catalog::database&, const table_scope&);
  bool stand_in(std::string_view text) const;

 private:
  std::unordered_set<std::string> names_;  // in small letters
};

}  // namespace dragoman::retrieval
