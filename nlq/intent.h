// The slot frame: what a question asks for, in the terms of the semantic layer and before any SQL.
//
// A value type that the conversation keeps: a follow-up is a copy of the last frame with some slots replaced. The
// compiler (compile.h) turns a frame into a T-SQL tree, explain.h turns it into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlq/semantics.h"
#include "nlq/time_period.h"

namespace dragoman::nlq {

enum class comparison { equal, not_equal, less, less_or_equal, greater, greater_or_equal, between };

// dimension IN values (or a case of it). For dimensions made of cases `values` are case ids.
struct value_filter {
  std::string dimension;
  std::string role;                 // empty: the dimension's own choice
  std::vector<std::string> values;  // as stored in `column`
  std::string column;               // column that `values` stand in; empty: the dimension's value column
  bool negated = false;
  std::string label;  // as the interpretation names it
  bool operator==(const value_filter&) const = default;
};

// attribute <op> number, on single rows.
struct attribute_filter {
  std::string attribute;
  comparison op = comparison::greater;
  std::string low, high;  // decimal digits in the attribute's own unit
  std::string currency;   // currency that the threshold's unit implies
  std::string label;
  bool operator==(const attribute_filter&) const = default;
};

// A named filter that a measure has by itself, opened by the person: without values it does not hold at all ("include
// all statuses"), else rows of these values count too ("including cancelled orders").
struct opened_filter {
  std::string filter;  // named_filter id
  std::optional<value_filter> also;
  bool operator==(const opened_filter&) const = default;
};

enum class metric_variant { plain, minimum, maximum };

struct metric_use {
  std::string metric;  // metric id; empty for a count of an entity's members
  metric_variant variant = metric_variant::plain;
  std::vector<value_filter> filters;  // that belong to this metric only ("cancelled orders")
  std::string per_metric;             // ratio: divided by this metric ("orders per customer")
  std::vector<value_filter> per_filters;
  bool as_percent = false;             // the ratio is shown times 100
  bool per_shares_filters = true;      // the denominator counts what the numerator's filters let through
  std::string counted;                 // dimension id when members of an entity are counted
  bool counted_from_fact = false;      // count distinct among facts rather than rows of the entity
  std::string counted_event;           // …only facts that are this event ("sold", "traded")
  std::optional<grain> averaged_over;  // "average monthly sales": mean of the metric over these periods
  std::string unit;                    // unit_word id of the output; empty: as stored
  std::string scale;                   // further divisor, e.g. "1000000000"; empty: none
  std::string scale_name;
  bool operator==(const metric_use&) const = default;
};

struct group {
  std::string dimension;  // or
  std::optional<grain> time;
  std::string role;     // as in value_filter
  bool fiscal = false;  // years and quarters of the fiscal year
  bool operator==(const group&) const = default;
};

// A threshold on a metric of each group.
struct group_condition {
  std::size_t metric = 0;  // index into query_intent::metrics
  comparison op = comparison::greater;
  std::string low, high;
  std::string label;
  bool operator==(const group_condition&) const = default;
};

struct ranking {
  std::int64_t rows = 10;
  bool descending = true;
  bool assumed_rows = false;          // the question gave no number
  std::optional<std::size_t> within;  // index into groups: so many in each of it
  std::size_t metric = 0;
  bool operator==(const ranking&) const = default;
};

enum class query_shape {
  aggregate,  // metrics, perhaps by groups
  list,       // members of dimensions, no metric
  detail,     // single facts
  existence,  // members for which events happened or did not
};

enum class window_kind { none, running_total, moving_average, rank, growth };
enum class share_kind { none, of_total, part_of_whole, top_of_total, top_sum };
enum class compare_kind { none, side_by_side, change_percent, change_and_amounts, second_greater, second_less };

// One "happened" or "did not happen" of an existence question.
struct event_clause {
  std::string event;
  bool negated = false;
  std::vector<value_filter> filters;
  std::vector<period> periods;
  bool operator==(const event_clause&) const = default;
};

struct query_intent {
  language lang = language::english;
  query_shape shape = query_shape::aggregate;
  calendar_kind calendar = calendar_kind::gregorian;
  std::vector<metric_use> metrics;
  std::vector<group> groups;
  std::vector<value_filter> filters;
  std::vector<opened_filter> opened;
  std::vector<attribute_filter> attribute_filters;
  std::vector<period> periods;  // rows of any of them; exactly two when compare != none
  std::vector<group_condition> conditions;
  std::optional<ranking> top;
  compare_kind compare = compare_kind::none;
  std::optional<comparison> change_op;  // growth above …
  std::string change_threshold;
  window_kind window = window_kind::none;
  int window_rows = 0;
  share_kind share = share_kind::none;
  std::vector<value_filter> part;  // numerator of part_of_whole
  std::string base;                // role of a list or of detail rows
  std::string rank_attribute;      // detail: ordered by it, largest or smallest first as `top` says
  std::string median_attribute;
  std::vector<std::string> extra_columns;  // detail: dimension or attribute ids asked for by name
  std::vector<std::string> asked;          // detail: dimension ids that are the answer ("which customer placed …")
  bool newest_first = false;               // detail: "last N"
  bool oldest_first = false;
  bool distinct_facts = false;        // list: only members that occur in facts
  std::string facts_event;            // …of this event
  std::vector<event_clause> clauses;  // existence
  bool count_members = false;         // existence: how many they are rather than who
  bool pivot_values = false;          // values of the last group become columns
  // Composition: the one earlier question of whose answer only the members count here ("of those", "their orders"),
  // and the dimension that they are of. Empty: everybody.
  std::vector<query_intent> among;
  std::string among_dimension, among_role;
  bool count_rows = false;  // how many rows the answer has, rather than the rows
  bool operator==(const query_intent&) const = default;
};

}  // namespace dragoman::nlq
