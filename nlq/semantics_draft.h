// A semantic layer drafted from a catalogue: entities, their columns, references and words, for a person to review.
//
// Pure: what is known about the data comes as `column_facts`, which `dragoman init` asks of the live source. The text
// that `write_draft` makes is read by load_semantics(); comments in it say what was guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guard/catalog/catalog.h"
#include "nlq/semantics.h"
#include "nlq/sensitive.h"

namespace dragoman::nlq {

// What the rows that were looked at say about one column.
struct column_facts {
  std::uint64_t rows = 0;     // looked at
  std::uint64_t present = 0;  // not NULL and not empty
  std::uint64_t distinct = 0;
  std::uint64_t numbers = 0;  // of text: those that are numbers; of numbers: all
  double smallest = 0, largest = 0;
  std::uint64_t longest = 0;            // characters of text
  std::vector<std::string> values;      // of a column of few values: all of them; none of one that looks sensitive
  std::optional<sensitive_kind> shape;  // of its values; they are looked at and not kept
};

struct catalog_facts {
  std::map<std::string, std::uint64_t> rows;                            // by schema.table
  std::map<std::pair<std::string, std::string>, column_facts> columns;  // by schema.table, column
};

// A reference that no constraint declares but name and type suggest. The caller may ask the data whether it holds.
struct probable_reference {
  std::string schema, table, column;
  std::string to_schema, to_table, to_column;
};
std::vector<probable_reference> probable_references(const catalog::database&);

// `confirmed` are the probable references that the data do not contradict.
semantic_layer draft_semantics(const catalog::database&, const catalog_facts&,
                               const std::vector<probable_reference>& confirmed);

// What a model wrote of a table or column (nlq/semantics_describe.h): one line, and words.
struct remark_text {
  std::string description;
  std::vector<std::string> synonyms;
};
using remarks = std::map<std::pair<std::string, std::string>, remark_text>;  // by schema.table, column; "": the table

// A text as YAML, double-quoted: nothing of a name of the catalogue is taken for structure.
std::string yaml_quoted(std::string_view text);
// `said` goes into comments only.
std::string write_draft(const semantic_layer&, const catalog_facts&, std::string_view datasource,
                        const remarks& said = {});

// ---- names (semantics_names.cc)
// --------------------------------------------------------------------------------------

// "CountryName", "country_name", "CTRY-NM" → words in lower case, abbreviations as written.
std::vector<std::string> name_words(std::string_view name);
// The same with abbreviations written out: "no" → "number", "desc" → "description".
std::vector<std::string> spelled_out(const std::vector<std::string>& words);
// What people call a column of this name in a table whose words are given: without the table's own words, turned round
// ("level of membership", "membership level"), with common other words ("zip code", "postal code").
std::vector<std::string> column_phrases(std::string_view column, const std::vector<std::string>& table_words);
std::vector<std::string> table_phrases(std::string_view table);

}  // namespace dragoman::nlq
