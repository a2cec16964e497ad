// Which tables a question is about: alias match first, then TF-IDF over words and bigrams, then the tables that join
// what was found.
//
// One index per data source, built from its catalogue and shared by all principals; immutable. What a principal may
// not know is left out while ranking (`table_scope`), so that a hidden column can neither be shown nor pull its table
// up. Deterministic: equal scores are ordered by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "guard/catalog/catalog.h"
#include "retrieval/visibility.h"

namespace dragoman::retrieval {

struct column_name {
  std::string table;  // schema.name
  std::string column;
};

// A phrase of people for a table: names and synonyms of the semantic layer's entities, dimensions and metrics.
struct table_alias {
  std::string phrase;                   // any language
  std::string table;                    // schema.name
  std::vector<column_name> needs = {};  // what it speaks of: it counts for those who see all of them
  bool measure = false;                 // measured in the table's rows, which makes it a table of facts
};

// A word that counts as another: "revenue" as "sales". One way.
struct synonym {
  std::string word;
  std::string means;
  // Set: the word counts as a name of this column, for those who see it, and `means` is not read.
  column_name column = {};
};

struct index_sources {
  std::vector<table_alias> aliases;
  std::vector<synonym> synonyms;
};

// What one principal may see of the index's catalogue. Made once per principal; immutable.
class table_scope {
 public:
  bool sees(std::size_t table) const { return tables_[table]; }
  bool sees(std::size_t table, std::size_t column) const { return columns_[first_[table] + column]; }
  column_right right(std::size_t table, std::size_t column) const { return rights_[first_[table] + column]; }

 private:
  friend class table_index;
  std::vector<bool> tables_;
  std::vector<bool> columns_;  // visible or join-only
  std::vector<column_right> rights_;
  std::vector<std::uint32_t> first_;  // of a table's columns
  std::vector<bool> keys_;            // by the index's number of a foreign key: all its columns may be used
  std::vector<bool> gates_;           // by the index's number of a gate: all its columns are visible
};

struct ranked_table {
  std::size_t table = 0;  // index into database().tables
  double score = 0;
  bool by_alias = false;
  bool bridge = false;  // joins others, not named itself
};

struct select_options {
  unsigned top_k = limits::retrieved_tables;
  unsigned bridges_max = limits::bridge_tables_max;
  unsigned hops_max = limits::bridge_hops_max;  // foreign keys on one path
  // One vector per table from the embedding model, and that of the question; empty: words alone.
  const std::vector<float>* question_vector = nullptr;
};

class table_index {
 public:
  static std::shared_ptr<const table_index> build(catalog::database_ptr, const index_sources&);

  const catalog::database& database() const noexcept { return *database_; }
  table_scope scope(const visibility&) const;

  // All tables with a score, best first.
  std::vector<ranked_table> rank(std::string_view question, const table_scope&, const select_options& = {}) const;

  // The best top_k and the bridges between them, in the order in which they were taken. A question that names nothing
  // gets none.
  std::vector<ranked_table> select(std::string_view question, const table_scope&, const select_options& = {}) const;

  // Things and facts apart: what is referred to, and the events that refer to several things or are measured. The best
  // `limit` of either kind.
  bool is_fact(std::size_t table) const { return facts_[table]; }
  std::vector<ranked_table> entities(std::string_view question, const table_scope&, std::size_t limit) const;
  std::vector<ranked_table> facts(std::string_view question, const table_scope&, std::size_t limit) const;

  // How these tables join each other, one condition per foreign key that may be used, in the order of the tables:
  // "sales.Order.CustomerID = sales.Customer.CustomerID".
  std::vector<std::string> relationships(const std::vector<std::size_t>& tables, const table_scope&) const;

  // Those of the question's words that name something in scope, as terms_of() gives them; stop words are left out.
  std::set<std::string> known_terms(std::string_view question, const table_scope&) const;

  // For embeddings: what to embed for each table (names and descriptions of what everyone may see is the caller's
  // choice of scope), and the vectors that came back, one per table, empty where a table is out of scope.
  std::vector<std::string> embedding_texts(const table_scope&) const;
  static double similarity(const std::vector<float>&, const std::vector<float>&) noexcept;
  std::shared_ptr<const table_index> with_vectors(std::vector<std::vector<float>> per_table) const;
  bool has_vectors() const noexcept { return !vectors_.empty(); }

 private:
  struct posting {
    std::uint32_t table;
    std::uint32_t column;  // no_column: of the table itself; from first_gate: of a phrase with a gate
    float weight;
  };
  static constexpr std::uint32_t no_column = 0xFFFFFFFF;
  static constexpr std::uint32_t first_gate = 0x80000000;
  static bool counts(std::uint32_t table, std::uint32_t column, const table_scope&);

  void add(std::string_view text, std::uint32_t table, std::uint32_t column, float weight, bool bigrams);
  // In no order.
  std::vector<ranked_table> scored(std::string_view question, const table_scope&, const select_options&) const;
  std::function<bool(const ranked_table&, const ranked_table&)> better() const;
  void add_alias(std::string_view phrase, std::uint32_t table, std::uint32_t gate);
  void add_words(const index_sources&);
  void add_edges();
  std::vector<ranked_table> best(std::string_view question, const table_scope&, std::size_t limit, bool facts) const;
  void add_bridges(std::vector<ranked_table>& taken, const std::vector<double>& scores, const table_scope&,
                   const select_options&) const;

  catalog::database_ptr database_;
  std::unordered_map<std::string, std::vector<posting>> postings_;
  std::unordered_map<std::string, std::uint32_t> tables_with_;  // document frequency
  std::unordered_map<std::string, std::vector<std::string>> synonyms_;
  struct alias_entry {
    std::vector<std::string> terms;
    std::uint32_t table;
    std::uint32_t gate;  // as posting::column
  };
  std::unordered_map<std::string, std::vector<alias_entry>> aliases_;  // by first term
  struct key {
    std::uint32_t owner;
    std::uint32_t target;
    std::uint32_t position;  // in the owner's foreign_keys
  };
  struct edge {
    std::uint32_t to;
    std::uint32_t key;  // index into keys_
  };
  bool usable(const key&, const table_scope&) const;
  std::vector<key> keys_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> gates_;  // tables and columns
  std::vector<bool> facts_;
  std::vector<std::uint32_t> name_order_;  // of a table among all, by full name
  std::vector<std::vector<edge>> edges_;
  std::vector<std::vector<float>> vectors_;  // of length one, or empty
};

}  // namespace dragoman::retrieval
