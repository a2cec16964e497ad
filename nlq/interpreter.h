// From marks to a slot frame. Internal to nlq/.
//
// Works in passes over the marks (interpret_values.cc, interpret_times.cc, interpret_amounts.cc, interpret_frame.cc,
// interpret_follow.cc). Each pass takes what it understands and sets `used`; at the end every mark must have had an
// effect or be a filler, otherwise the words left over are named and nothing is guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nlq/reading.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {

struct interpreted {
  query_intent intent;
  std::vector<std::string> assumptions;
  double confidence = 1.0;
  turn kind = turn::fresh;
  std::optional<clarification> ask;
  std::vector<std::string> leftover;  // words without an effect
};

class interpreter {
 public:
  interpreter(const knowledge&, reading, language, const question_context&);
  interpreted run();

 private:
  struct filter_slot {
    value_filter filter;
    std::size_t mark = 0;
    bool taken = false;
  };
  struct period_slot {
    period when;
    std::optional<period> from, to;
    std::size_t mark = 0;
    bool relative_year = false;
    bool taken = false;
  };
  struct amount_slot {
    comparison op = comparison::greater;
    std::string low, high;
    int unit = -1;
    bool percent = false;
    bool days = false;
    std::string grain_word;
    std::size_t first = 0, last = 0;  // marks
    bool taken = false;
  };

  // ---- helpers
  using index = std::size_t;
  static constexpr index nowhere = static_cast<index>(-1);
  bool filler(index i) const { return m_[i].is_filler(); }
  index next(index i) const;      // next mark that is no filler
  index previous(index i) const;  // previous one
  bool any(gram g) const;         // an unused mark with this word
  index find(gram g, index from = 0) const;
  bool use(index i);
  void use_all(gram g);
  bool fa() const { return lang_ == language::persian; }
  std::string say(const char* english, const char* persian) const { return fa() ? persian : english; }
  void assume(std::string sentence, double cost = 0.05);
  void ask(std::string message, std::vector<clarify_option> options = {});
  std::string replaced(const mark&, const std::string& by) const;  // the question with a mark's words replaced
  const dimension& dim(int i) const { return layer_.dimensions[static_cast<std::size_t>(i)]; }
  const metric& met(int i) const { return layer_.metrics[static_cast<std::size_t>(i)]; }
  bool is_subject(index i) const;  // a dimension or grain noun that is free
  bool fact_noun(index i) const { return m_[i].detail >= 0 && !m_[i].used; }
  bool counting(index i) const;     // "how many" stands before it
  std::string event_named() const;  // the strictest event among the verbs; empty: only nouns

  // ---- passes
  void resolve_values();
  void resolve_value(index i);
  void resolve_owners();
  void negate_values();
  bool is_state(const value_filter&) const;
  bool describes(const value_filter&) const;
  void settle_words();
  bool has_antecedent(index i) const;
  std::string owner_of(index i) const;
  void resolve_times();
  void join_month_and_year();
  void settle_calendar();
  void ask_fiscal(const mark&);
  void find_amounts();
  void find_units();

  bool follow_up_cue() const;
  bool stands_alone() const;
  bool asks_how_it_is() const;
  bool vague_anyway(const query_intent& last);
  bool complete() const;
  void fresh_frame();
  void follow_frame(const query_intent& last);
  bool opens_filters(const query_intent& last) const;
  void open_filters();
  bool widens() const;
  bool change_level(const query_intent& last);
  bool composes(const query_intent& last);
  query_intent narrowed(const query_intent& last) const;
  void compose(const query_intent& answered);
  bool answers_within(index pronoun) const;
  bool forgets_members(const query_intent& last) const;

  bool existence_frame();
  void share_clauses(const std::vector<index>& starts);
  bool coverage_frame();
  bool average_frame();
  bool conditioned_members();
  void part_clauses();
  bool vague_frame();
  bool list_frame();
  bool detail_frame();
  bool asked_for(index i) const;
  bool described(index i) const;
  void aggregate_frame();

  void take_metrics();
  void take_groups();
  void take_ranking();
  static bool judges(std::string words);
  void take_share();
  void take_comparison();
  void take_windows();
  void take_conditions();
  void take_row_conditions();
  void require_currency(const std::vector<std::string>& defaults, const std::string& currency);
  void part_measures();
  void take_filters();
  void take_periods();
  void take_per_member();
  void take_ratio();
  void spread_values();
  void add_group(index i, bool front = false);
  std::size_t add_metric(const std::string& id);
  std::optional<std::size_t> group_index(index mark) const;
  void finish();
  std::optional<grain> free_grain(index i) const;
  bool fact_level(const value_filter&, const std::string& entity_role, bool strictly = false) const;

  const semantic_layer& layer_;
  const lexicon& lex_;
  reading read_;
  std::vector<mark>& m_;
  language lang_;
  const question_context& context_;
  time_context time_;

  query_intent q_;
  interpreted out_;
  std::vector<filter_slot> filters_;
  std::vector<period_slot> periods_;
  std::vector<amount_slot> amounts_;
  std::vector<std::pair<index, std::size_t>> group_marks_;   // mark → index in q_.groups
  std::vector<std::pair<index, std::size_t>> metric_marks_;  // mark → index in q_.metrics
  std::optional<grain> previous_step_;                       // "the year before"
  index previous_mark_ = nowhere;
  bool to_date_ = false;
  bool persian_cue_ = false, gregorian_cue_ = false;
  index top_entity_ = nowhere;
  index counted_behind_ = nowhere;    // "orders of …: how many?"
  std::optional<group> composed_on_;  // what the members of the last answer are of, where the question is about them
  bool count_composed_ = false;
  bool judged_ranking_ = false;  // "best", "worst" rather than "highest", "lowest"
};

// Decimal text × 10^places.
std::string shift_decimal(std::string digits, int places);

}  // namespace dragoman::nlq
