// What a question about entities asks for, before any SQL. Internal to nlq/: entity_words.h reads the words,
// entity_frame.cc and entity_conditions.cc make the frame, entity_compile.h turns it into T-SQL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlq/entity_words.h"

namespace dragoman::nlq {

// Ends a reading inside these files only.
struct cannot_read {
  std::string message;
  std::vector<std::string> words;
};

struct entity_output {
  enum class what { column, aggregate, count, count_distinct } kind = what::column;
  field_ref field;        // column, aggregate, count_distinct
  std::string aggregate;  // AVG, SUM, MIN, MAX
  int entity = -1;        // count
  std::size_t mark = 0;
  bool operator==(const entity_output& o) const {
    return kind == o.kind && field == o.field && aggregate == o.aggregate && entity == o.entity;
  }
};

struct entity_condition {
  field_ref field;
  std::string op = "=";             // =, <>, <, <=, >, >=, BETWEEN, LIKE
  std::vector<std::string> values;  // several with = and <>: any of them
  std::string aggregate;            // compared with AVG, MIN or MAX over all rows instead
  std::size_t mark = 0, last = 0;   // the words it came from
  int alternative = 0;              // conditions of one number other than 0 are joined by OR
  int branch = 0;                   // of one number hold for one and the same related row
  int absence = 0;                  // number of the absence it narrows; 0: none
};

// "at least 3 models": so many rows of an entity belong to the subject.
struct entity_threshold {
  int entity = -1;
  std::string op;
  std::string number;
  std::size_t mark = 0;
  int absence = 0;
};

struct entity_order {
  entity_output by;
  bool descending = false;
};

struct entity_frame {
  int subject = -1;
  std::vector<entity_output> outputs;
  bool distinct = false;
  std::vector<field_ref> group_fields;
  std::vector<int> group_entities;
  std::vector<entity_condition> conditions;
  std::vector<entity_threshold> thresholds;
  std::vector<std::pair<int, std::size_t>> related;   // entities that must have a row, with the mark that says so
  std::vector<std::pair<int, std::size_t>> absences;  // those that must have none; 1-based in `absence`
  std::vector<entity_order> order;
  std::int64_t limit = 0;  // 0: all
  // Which references the words chose, and where they stand.
  std::vector<std::pair<reference_ref, std::size_t>> references;
  std::vector<int> mentioned;  // entities that words or verbs spoke of
};

// The comparison that holds where this one does not.
std::string inverted_comparison(const std::string& op);
// Four digits that may be a year.
bool may_be_year(const std::string& number);

class entity_reader {
 public:
  entity_reader(const semantic_layer& layer, const entity_lexicon& words, std::vector<word_mark> marks)
      : layer_(layer), words_(words), m_(std::move(marks)) {}
  entity_frame read();  // throws cannot_read
  // Verbs and directions whose meaning must be part of the query that was made; throws cannot_read when one is not.
  void check_hints(const std::vector<int>& tables, const std::vector<reference_ref>& references,
                   const entity_frame& frame) const;

 private:
  using index = std::size_t;
  static constexpr index nowhere = static_cast<index>(-1);

  const entity& thing(int e) const { return layer_.entities[static_cast<std::size_t>(e)]; }
  const entity_field& field(const field_ref& f) const {
    return thing(f.entity).fields[static_cast<std::size_t>(f.field)];
  }
  bool skip(index i) const;       // says nothing here
  index next(index i) const;      // the next mark that is no filler and not used
  index previous(index i) const;  // any mark but fillers, used or not
  index next_noun(index i) const;
  void use(index i) { m_[i].used = true; }
  [[noreturn]] void fail(const std::string& why, index at = nowhere) const;
  bool is_entity(index i) const { return i != nowhere && !m_[i].entities.empty(); }
  bool is_field(index i) const { return i != nowhere && !m_[i].fields.empty(); }
  bool has_field(int entity, index i) const;  // the mark names a field of the entity
  std::optional<field_ref> field_in(int entity, index i) const;
  std::optional<field_ref> field_reached(int entity, index i) const;  // of the entity or what it refers to
  field_ref resolve(index i, bool condition) const;
  std::optional<field_ref> by_heads(const std::vector<std::string>& heads, int entity) const;
  std::optional<field_ref> by_heads_reached(const std::vector<std::string>& heads,
                                            int entity) const;  // or one it refers to
  std::optional<field_ref> date_field(int entity, index at) const;
  field_ref dated(index at) const;
  bool refers_to(int from, int to) const;  // along references, or the same
  bool number_like(const field_ref& f) const;
  int entity_before(index i) const;  // the thing spoken of just before, by name or by a value of it

  void settle_nouns();
  void find_subject();
  bool excepted_again(index exception, index things) const;
  void take_absences();
  void take_order();
  bool ranks_so_many(index number) const;
  void take_superlatives();
  void take_comparisons();
  bool compare_at(index i);
  void take_flags();
  void take_contains();
  void take_values();
  void take_numbers();
  void take_alternatives();
  void take_by();
  void take_groups();
  void take_counts();
  void take_aggregates();
  void take_outputs();
  void take_relations();
  void settle_groups();
  void settle_owner();
  void check_sense() const;
  void add_output(entity_output o);
  void add_condition(entity_condition c);

  const semantic_layer& layer_;
  const entity_lexicon& words_;
  std::vector<word_mark> m_;
  entity_frame f_;
  std::vector<int> scope_;             // per mark: the absence it belongs to
  std::vector<entity_output> ranked_;  // superlatives without a clause of their own: an aggregate unless more is asked
  std::vector<bool> ranked_down_;
  bool counted_order_ = false;
  index common_ = nowhere;
};

}  // namespace dragoman::nlq
