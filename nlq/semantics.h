// The semantic layer: what the words of people's questions mean in terms of one database.
//
// It is data (conf/…/semantics.yaml, documented in docs/semantics.md), never code: the folder nlq/ knows the grammar of
// questions, this model knows the business. Loaded once, immutable afterwards. Expressions are T-SQL whose column
// references are written role.Column; the compiler turns roles into aliases and adds the joins they need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "guard/catalog/catalog.h"
#include "guard/tsql/ast.h"

namespace dragoman::nlq {

enum class language { english, persian };

// One text per language. An empty Persian text falls back to the English one.
struct localized {
  std::string en;
  std::string fa;
  const std::string& in(language l) const noexcept { return l == language::persian && !fa.empty() ? fa : en; }
  bool empty() const noexcept { return en.empty() && fa.empty(); }
};

// Phrases as people write them. The loader has expanded the short notation: "(avg|average) price" is two phrases,
// "order count[s]" is two. Matching folds letters, digits, spaces and plural endings, so one form is enough.
struct phrases {
  std::vector<std::string> en;
  std::vector<std::string> fa;
};

// A table in one part it plays: ref.Location is a role as the customer's place and another as the broker's.
struct role {
  std::string id;
  std::string schema;
  std::string table;
  std::string alias;  // of the table in compiled SQL
  std::string key;    // its primary key column; empty when no question needs it
  std::string time;   // role of the date table by which its rows are dated; empty when they are not
};

// Many rows of `from` refer to at most one row of `to`; paths only follow this direction, so no join multiplies rows.
struct role_join {
  std::string from;
  std::string to;
  tsql::expression on;
  bool optional = false;  // the reference may be NULL: outer join unless the metric is about `to`
};

// A condition with a name, referred to by metrics. A filter the question itself puts on `dimension`, or a grouping by
// it when `yields_to_grouping`, takes its place.
struct named_filter {
  std::string id;
  tsql::expression condition;
  std::string dimension;
  bool yields_to_grouping = false;
  localized says;  // how the interpretation words it: "completed orders only"
};

// A column of a calendar for one grain. `number` orders and groups, `name` (may be empty) is shown beside it.
struct grain_columns {
  std::string number;  // expression text over columns of the date table, unqualified
  std::string number_alias;
  std::string name;
  std::string name_alias;
};

enum class calendar_kind { gregorian, persian };
enum class grain { day, week, month, quarter, year };

// A year that begins with another month than the calendar's. `named_by_end`: the one from July 2023 to June 2024 is
// 2024.
struct fiscal_year {
  calendar_kind calendar = calendar_kind::gregorian;
  int month = 1;
  bool named_by_end = true;
};

// How the date table speaks of one calendar.
struct calendar_columns {
  calendar_kind kind = calendar_kind::gregorian;
  std::string year;   // column holding the year number
  std::string month;  // column holding 1..12
  std::string day;    // column holding the day of the month
  std::map<grain, grain_columns> grains;
};

struct value_synonym {
  std::string value;  // as stored in the dimension's canonical column
  phrases words;
};

// A named condition that acts as a value ("export" is order.IsExport = 1).
struct dimension_case {
  std::string id;
  tsql::expression condition;
  localized label;
  phrases words;
};

// Something to group, filter or list by: a column of a role, or a set of cases.
struct dimension {
  std::string id;
  std::vector<std::string> roles;                         // the first that is reachable from the query's base is taken
  std::map<std::string, std::string> owned_roles;         // owner dimension → role ("broker" → broker_location)
  std::string key;                                        // grouped too when names may repeat
  localized name;                                         // the column shown, per language
  std::string value_column;                               // the column that filters use; name.en when not given
  std::vector<std::pair<std::string, std::string>> more;  // further columns shown beside the name: column, alias
  std::vector<std::pair<std::string, std::string>> listed;  // further columns only of plain lists
  std::string sort;                                         // column that orders it (weekday number); empty: by name
  std::string alias;                                        // of its column in results
  localized label;
  phrases words;
  phrases affixes;                       // words of its names that carry no identity ("Brokerage", "تالار")
  std::string owner;                     // the entity it describes ("segment" → "customer"); empty for entities
  bool entity = false;                   // rows of its role are things one counts and lists
  bool looked_up = true;                 // its values are read into the value index
  bool families = false;                 // one partial name may mean several values at once (sizes of one product)
  std::vector<std::string> search;       // further columns whose values name it (codes)
  std::vector<std::string> prefer_over;  // dimensions that yield when one word names values of both
  std::vector<value_synonym> values;
  std::vector<dimension_case> cases;  // non-empty: not a column but named conditions
};

// Where a value's unit comes from, for thresholds ("8 %", "500 billion rials") and for what is said beside it.
enum class measure_unit { none, count, money, money_per_quantity, quantity, percent, fraction, days };

struct metric {
  std::string id;
  localized label;
  std::string alias;
  std::string base;                         // role whose rows it aggregates
  tsql::expression formula;                 // aggregates over base and what is reachable from it
  std::optional<tsql::expression> minimum;  // formula for "lowest …" and "highest …" of it
  std::optional<tsql::expression> maximum;
  std::vector<std::string> filters;   // named filters that always belong to it
  std::vector<std::string> defaults;  // named filters that hold unless the question says otherwise
  measure_unit unit = measure_unit::none;
  bool averaged = false;         // is itself an average or rate: the word "average" adds nothing, shares make no sense
  bool lower_is_better = false;  // the best have the lowest
  std::string counts;            // dimension whose members it counts
  phrases words;
  phrases verbs;         // "bought", "sold": name it only where a quantity is asked for
  phrases most, least;   // superlatives of it: "longest", "cheapest"
  localized definition;  // one sentence for people
  localized caveat;      // said beside every answer that uses it
};

// A value of one row: for lists ("orders with a discount above 8 %"), for medians and for the largest single one.
struct attribute {
  std::string id;
  std::string role;
  tsql::expression value;
  measure_unit unit = measure_unit::none;
  std::vector<std::string> filters;  // hold when rows are ranked by it or it is aggregated
  std::vector<std::string> defaults;
  localized label;
  std::string alias;
  std::string total_metric;          // the measure that sums it: its average is that measure per fact
  std::string sum_metric;            // the measure that adds it up ("value of the cancelled orders")
  std::vector<std::string> beside;   // columns that a list shows beside it (the currency of an amount)
  std::vector<std::string> columns;  // of a list about it, in place of the list's own
  phrases words;
};

// A fact that happened or did not: "bought", "placed an order". Existence and absence are asked of events.
struct event {
  std::string id;
  std::string role;
  std::vector<std::string> filters;
  std::string metric;  // what measures it
  localized label;
  phrases words;
  phrases negated;  // Persian verbs that carry the negation in themselves
};

// The rows that a detail list shows.
struct detail_list {
  std::string role;
  std::string entity;                // word list of the thing, a metric's id that counts it
  std::vector<std::string> columns;  // "Column" of the role, dimension ids, attribute ids, or "@date"
  std::vector<std::string> unbounded_columns;
  std::vector<std::string> always;  // of `columns`: shown whatever columns the question names
  std::vector<std::string> whose;   // shown beside the member that is asked for ("whose is the largest order")
  std::string newest;               // expression list that orders "last N", newest first
  std::string first_metric;         // the date of the first and of the last fact
  std::string last_metric;
  std::string rank_attribute;  // "largest" without more words
  phrases words;
  localized label;
};

struct unit_word {
  std::string id;              // "toman", "rial"
  std::string factor;          // stored units in one of it, decimal digits
  std::string currency_value;  // the currency it implies; empty: none
  std::string alias;
  localized label;
  phrases words;
};

// What people ask that these data cannot answer, or must not.
struct concept_entry {
  std::string id;
  phrases words;
  localized says;  // for out-of-scope concepts: why not
};

// Its values are never read for words of questions, sampled or shown to a model.
struct sensitive_column {
  std::string schema, table, column;
  std::string kind;  // why: "email", "national_id", … (nlq/sensitive.h), or the site's own word
  phrases words;     // questions that hold one of them are refused; none: rights alone decide
};

// What whoever writes SQL for this database must know: "amounts are rials". Models are told those that fit the
// question; only to principals who may see all that it is about.
struct business_rule {
  struct name {
    std::string schema, table, column;  // without a column: the table
  };
  std::string id;
  localized says;
  phrases words;            // of questions that it belongs to, besides those in its text
  std::vector<name> about;  // never empty
  bool always = false;      // belongs to every question
};

// ---- entities: a database as a set of things that refer to each other
// ------------------------------------------------
//
// What `dragoman init` drafts from a catalogue. A layer may have roles and metrics, entities, or both; questions that
// the metrics do not account for are read against the entities (entity_reading.h).

enum class field_kind {
  name,      // tells one row from another, for people
  text,      // any other text
  category,  // text of few distinct values
  number,
  year,
  date,
  flag,  // yes or no
  key    // an identifier: shown when asked for, never added up
};

struct entity_field {
  std::string column;
  field_kind kind = field_kind::text;
  bool number_as_text = false;  // a number that the database keeps as text: it is converted before it is compared
  bool additive = false;        // sums of it over rows make sense
  bool looked_up = true;        // its values are read into the value index
  std::string yes;              // of a flag: the stored value that means yes
  phrases words;
};

// Every row refers to at most one row of `to`.
struct entity_reference {
  std::string column;
  std::string to;  // entity id
  std::string on;  // the column of `to` that it equals
  bool guessed = false;
  phrases words;  // tell it from other references to the same entity ("departing from")
};

struct entity {
  std::string id;
  std::string schema, table;
  std::vector<std::string> key;
  std::vector<std::string> display;  // columns shown for the thing itself; empty: the key
  bool link = false;                 // its rows only say which things belong together
  std::optional<std::uint64_t> rows;
  phrases words;
  std::vector<entity_field> fields;
  std::vector<entity_reference> references;

  const entity_field* find_field(std::string_view column) const noexcept;
};

// A question whose SQL a person has approved; one that is equal in normal form is answered by it, through the guard.
struct verified_question {
  std::string id;
  std::vector<std::string> questions;
  std::string sql;
  tsql::select_statement select;
};

struct semantic_layer {
  std::string source;  // file it came from
  localized title;
  localized covers;         // what the data do cover, one or two sentences
  std::string date_table;   // schema.table of the calendar
  std::string date_column;  // its date column
  std::string date_key;
  std::string date_alias;                         // result name of a day
  std::optional<day_number> first_day, last_day;  // coverage of the data, for warnings
  std::vector<calendar_columns> calendars;
  std::string default_metric;  // "top X" without one
  std::vector<role> roles;
  std::vector<role_join> joins;
  std::vector<named_filter> filters;
  std::vector<dimension> dimensions;
  std::map<std::string, std::vector<std::string>> hierarchies;  // dimension ids by name, the widest first
  std::vector<metric> metrics;
  std::vector<attribute> attributes;
  std::vector<event> events;
  std::vector<detail_list> details;
  std::vector<unit_word> units;
  std::vector<concept_entry> out_of_scope;
  std::vector<concept_entry> off_topic;
  std::vector<sensitive_column> sensitive;
  std::vector<business_rule> rules;
  phrases neutral;     // words of this business that add nothing ("exchange", "market")
  phrases weak_names;  // words of names that name nothing when they stand alone ("white")
  std::vector<entity> entities;
  std::vector<verified_question> verified;
  std::map<std::string, localized> examples;  // example questions by id, in both languages
  std::optional<fiscal_year> fiscal;

  const role* find_role(std::string_view id) const noexcept;
  const dimension* find_dimension(std::string_view id) const noexcept;
  const metric* find_metric(std::string_view id) const noexcept;
  const attribute* find_attribute(std::string_view id) const noexcept;
  const event* find_event(std::string_view id) const noexcept;
  const named_filter* find_filter(std::string_view id) const noexcept;
  const unit_word* find_unit(std::string_view id) const noexcept;
  const calendar_columns* find_calendar(calendar_kind) const noexcept;
  const entity* find_entity(std::string_view id) const noexcept;
  const sensitive_column* find_sensitive(std::string_view schema, std::string_view table,
                                         std::string_view column) const noexcept;

  // The next level of a dimension's hierarchy, towards the single (step 1) or the whole (step -1); nullptr where there
  // is none.
  const dimension* level_beside(std::string_view dimension_id, int step) const noexcept;

  // The joins from `base` to `target`, nearest first; nothing when there is no path, empty when they are the same.
  std::optional<std::vector<const role_join*>> path(std::string_view base, std::string_view target) const;
};

// Reads a YAML file. Unknown or missing keys, wrong types, dangling references and formulas that do not parse are
// errors of code `configuration` whose message begins "file:line: key: ".
result<semantic_layer> load_semantics(const std::string& path);
result<semantic_layer> parse_semantics(std::string_view text, const std::string& name_for_errors);

// Checks tables, columns and keys that the layer names against a catalogue; one message per mistake.
std::vector<std::string> check_semantics(const semantic_layer&, const catalog::database&);

}  // namespace dragoman::nlq
