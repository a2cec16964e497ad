// From names to things: which table, which column, of which type.
//
// bind() goes over one SELECT and resolves every table and column reference as SQL Server would, through aliases, CTEs,
// derived tables, APPLY, correlated subqueries, set operations, PIVOT and ORDER BY aliases. It changes nothing in the
// tree; it returns a list of facts that point into it. Rules and rewrites work on those facts and need no scopes of
// their own. The pointers hold as long as the nodes stay where they are. (One thing it does change: see
// join_column_method.)
//
// What it cannot resolve it refuses, as SQL Server words it: unknown_table, unknown_column, ambiguous_column, and
// `syntax` with SQL Server's own number for what its binder calls an error (an aggregate in WHERE, a column neither
// grouped nor aggregated …). Tables come from a table_resolver, so that the binder knows nothing of policies.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sql_type.h"
#include "guard/catalog/catalog.h"
#include "guard/tsql/ast.h"
#include "guard/tsql/function_table.h"

namespace dragoman::tsql {

struct table_binding {
  const catalog::database* database = nullptr;
  const catalog::table* table = nullptr;
};

// Says what a table name means. A failure carries code and message; the binder adds the place.
class table_resolver {
 public:
  virtual ~table_resolver() = default;
  virtual result<table_binding> resolve(const object_name&) const = 0;
  // Whether a database of that name exists for this user (column references may name it).
  virtual bool same_database(std::string_view name, const catalog::database&) const = 0;
};

// Every table of one catalogue; one-part names mean the default schema.
class whole_catalog final : public table_resolver {
 public:
  explicit whole_catalog(const catalog::database& db) : db_(db) {}
  result<table_binding> resolve(const object_name&) const override;
  bool same_database(std::string_view name, const catalog::database&) const override;

 private:
  const catalog::database& db_;
};

inline constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

struct bound_column {
  std::string_view name;  // into the tree or the catalogue; empty: no name
  sql_type type;
  bool nullable = true;
};

enum class source_kind : std::uint8_t { table, derived, cte, values, function, pivot, unpivot };

// One entry of a FROM clause that columns can come from.
struct bound_source {
  source_kind kind = source_kind::table;
  table_source* node = nullptr;  // the entry itself
  table_binding binding;         // of kind table
  std::string_view exposed;      // alias, or the table's name as written
  bool aliased = false;
  bool consumed = false;                  // hidden behind a PIVOT or UNPIVOT
  std::uint32_t position = 0;             // in that FROM
  std::uint32_t specification = nothing;  // in whose FROM it stands
  std::vector<bound_column> columns;      // of every kind but table
  double rows = 0;                        // estimate

  std::size_t column_count() const noexcept {
    return kind == source_kind::table ? binding.table->columns.size() : columns.size();
  }
};

enum class clause : std::uint8_t { from, where, select, group_by, having, order_by, top, other };

// One use of a column.
struct bound_reference {
  column_ref* node = nullptr;
  source_position pos;
  std::uint32_t source = nothing;
  std::uint32_t column = nothing;
  std::uint32_t specification = nothing;  // where it is written
  clause in = clause::other;
  bool outer = false;               // found in an enclosing query
  std::uint32_t partner = nothing;  // the other side of `a.x = b.y` when that is a conjunct of an ON; an index here
  bool compared = false;            // one side of a comparison, IN, BETWEEN or LIKE that is a conjunct of WHERE or ON
};

// One call of a function, scalar or in FROM; niladic functions and global variables too.
struct bound_call {
  const function_info* info = nullptr;  // nullptr: no built-in function (user-defined, unknown)
  std::string name;                     // as written, for messages
  source_position pos;
  const expression* node = nullptr;
  std::uint32_t arguments = 0;
  bool star = false;
  bool in_from = false;
  bool windowed = false;
};

// `*` or `t.*` in a select list, and the columns that it stands for.
struct bound_star {
  query_specification* query = nullptr;
  std::size_t item = 0;                                          // index in query->items
  std::vector<std::pair<std::uint32_t, std::uint32_t>> columns;  // (source, column), in order
  std::uint32_t specification = nothing;
  bool in_exists = false;  // SELECT list of EXISTS: no value is read
  source_position pos;
};

struct bound_specification {
  query_specification* node = nullptr;
  source_position pos;
  std::vector<std::uint32_t> sources;  // in FROM order
  double rows = 1;                     // estimate of what it gives
  double cross_rows = 0;  // rows of a product of sources that no predicate connects; 0 when all are connected
  bool aggregated = false;
  bool for_auto = false;  // FOR XML AUTO, FOR JSON AUTO: names of tables become names of elements
};

struct bound_cte {
  const common_table_expression* node = nullptr;
  bool recursive = false;
  bool bounded = true;  // recursive and its recursive member has a predicate
};

struct bound_variable {
  std::string_view name;
  source_position pos;
};

// A construct that is part of the language but that no part of Dragoman vouches for; named for the message.
struct bound_oddity {
  std::string name;
  source_position pos;
};

// The count of a TOP, an OFFSET or a FETCH.
struct bound_count {
  const expression* value = nullptr;
  bool percent = false;
};

struct bound_statement {
  std::vector<bound_source> sources;
  std::vector<bound_reference> references;
  std::vector<bound_call> calls;
  std::vector<bound_star> stars;
  std::vector<bound_specification> specifications;
  std::vector<bound_cte> ctes;
  std::vector<bound_variable> variables;
  std::vector<bound_oddity> oddities;
  std::vector<bound_count> counts;
  std::vector<expression*> column_methods;  // function calls that turned out to be methods of a column
  std::vector<bound_column> columns;        // of the result
  std::size_t expressions = 0;              // nodes seen
  std::size_t query_depth = 0;              // deepest nesting of queries
  std::size_t longest_list = 0;             // of IN
  std::size_t longest_condition = 0;        // operands of one AND or OR
};

struct variable_type {
  std::string name;  // with its @
  sql_type type;
};

struct bind_options {
  // Known variables and parameters; others fail with 137 ("Must declare the scalar variable").
  std::vector<variable_type> variables;
  bool any_variable = false;  // take every variable as declared, of unknown type
  // Columns that are as good as absent: false for a column that no name finds. nullptr: all are there.
  bool (*exists)(const void* context, const table_binding&, std::size_t column) = nullptr;
  // A star hides these columns: returns false for a column that `*` must not show.
  bool (*star_shows)(const void* context, const table_binding&, std::size_t column) = nullptr;
  const void* context = nullptr;
};

// c.Doc.value('…') as it is written in T-SQL: a method call whose target is a column goes back to one dotted name.
// bind() takes such names apart (bound_statement::column_methods); this is its inverse, for after the rewrites.
void join_column_method(expression&);

result<bound_statement> bind(select_statement&, const table_resolver&, const bind_options& = {});

// One predicate or expression over the columns of one table, e.g. a row filter. Subqueries may read what the resolver
// knows. Column references of the table itself have source 0.
result<bound_statement> bind_over_table(expression&, const table_binding&, const table_resolver&,
                                        const bind_options& = {});

}  // namespace dragoman::tsql
