#include "guard/tsql/binder.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/limits.h"
#include "guard/tsql/binder_impl.h"

namespace dragoman::tsql {

namespace detail {

std::string as_written(const object_name& n) {
  std::string out;
  const auto part = [&](const identifier& id, bool needed) {
    if (needed || !id.empty()) out += id.value + ".";
  };
  part(n.server, false);
  part(n.database, !n.server.empty());
  part(n.schema, !n.server.empty() || !n.database.empty());
  return out + n.name.value;
}

std::string as_written(const column_ref& c) {
  return c.table.empty() ? c.name.value : as_written(c.table) + "." + c.name.value;
}

void binder::fail(errc code, std::string message, source_position at, std::int32_t number) {
  if (failure_) return;
  failure_.emplace(code, std::move(message), at.line, at.column);
  failure_->number = number;
}

result<bound_statement> binder::run(select_statement& s) {
  out_.sources.reserve(8);
  out_.references.reserve(32);
  out_.specifications.reserve(4);
  for (auto& cte : s.ctes) {
    if (!failed()) bind_cte(cte);
  }
  if (!failed()) out_.columns = bind_query(s.query, nullptr, query_role::statement);
  for (auto& hint : s.hints) {
    scope none;
    if (hint.value) bind_expression(*hint.value, none);
    for (auto& item : hint.list) bind_expression(item, none);
    for (auto& item : hint.optimize_for) {
      if (item.value) bind_expression(*item.value, none);
    }
  }
  if (failed()) return std::move(*failure_);
  return std::move(out_);
}

result<bound_statement> binder::run_over_table(expression& e, const table_binding& table) {
  scope sc;
  sc.in = clause::where;
  sc.specification = 0;
  out_.specifications.emplace_back();
  bound_source source;
  source.binding = table;
  source.exposed = table.table->name;
  source.specification = 0;
  out_.sources.push_back(std::move(source));
  sc.sources.push_back(0);
  sc.high = 1;
  bind_condition(e, sc);
  if (failed()) return std::move(*failure_);
  return std::move(out_);
}

// ---- CTEs ---------------------------------------------------------------------------------------------------------

void binder::bind_cte(common_table_expression& cte) {
  for (const auto& other : ctes_) {
    if (same_name(other.node->name.value, cte.name.value)) {
      return fail(errc::syntax,
                  fmt::format("Duplicate common table expression name '{}' was specified.", cte.name.value), cte.pos,
                  239);
    }
  }
  const std::size_t index = ctes_.size();
  ctes_.push_back({&cte, {}, true, false, 0, 1000});
  out_.ctes.push_back({&cte, false, true});

  std::vector<bound_column> columns;
  set_operation* set = cte.query->set();
  if (set != nullptr && set->op == set_operator::union_all && !cte.query->for_) {
    columns = bind_cte_members(cte, *set, index);
  } else {
    columns = bind_query(*cte.query, nullptr, query_role::cte);
    ctes_[index].rows = query_rows_;
  }
  if (failed()) return;
  name_columns(columns, cte.name.value, cte.columns, cte.pos);
  ctes_[index].columns = std::move(columns);
  ctes_[index].open = false;
  ctes_[index].ready = true;
}

// A UNION ALL at the top of a CTE may be recursive: the members that do not name the CTE come first and give the
// columns that the later ones may use.
std::vector<bound_column> binder::bind_cte_members(common_table_expression& cte, set_operation& set,
                                                   std::size_t index) {
  std::vector<query_expression*> members{set.right.get()};
  for (query_expression* left = set.left.get();;) {
    set_operation* inner = left->set();
    if (inner == nullptr || inner->op != set_operator::union_all || !left->order_by.empty() || left->offset ||
        left->for_) {
      members.push_back(left);
      break;
    }
    members.push_back(inner->right.get());
    left = inner->left.get();
  }
  std::vector<bound_column> columns;
  double rows = 0;
  bool recursive = false;
  for (auto member = members.rbegin(); member != members.rend() && !failed(); ++member) {
    const std::size_t first_specification = out_.specifications.size();
    ctes_[index].recursive_references = 0;
    const auto outputs = bind_query(**member, nullptr, query_role::cte);
    if (failed()) break;
    if (member == members.rbegin()) {
      columns = outputs;
      ctes_[index].columns = columns;
      name_columns(ctes_[index].columns, cte.name.value, cte.columns, cte.pos);
      ctes_[index].ready = true;
    } else if (outputs.size() != columns.size()) {
      fail(errc::syntax,
           "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions "
           "in their target lists.",
           cte.pos, 205);
    }
    const int references = ctes_[index].recursive_references;
    if (references > 1) {
      fail(errc::syntax,
           fmt::format("Recursive member of a common table expression '{}' has multiple recursive references.",
                       cte.name.value),
           cte.pos, 253);
    }
    if (references == 1) {
      recursive = true;
      bool bounded = false;
      for (std::size_t i = first_specification; i < out_.specifications.size(); ++i) {
        const auto& spec = out_.specifications[i];
        bounded = bounded || spec.node->where || spec.sources.size() > 1;
      }
      bound_cte& note = out_.ctes[index];
      note.bounded = (!note.recursive || note.bounded) && bounded;
      note.recursive = true;
    }
    rows += query_rows_;
    for (std::size_t i = 0; i < columns.size() && i < outputs.size(); ++i) {
      // The anchor's type stays where the CTE is recursive, as SQL Server has it.
      if (references == 0) columns[i].type = common_type(columns[i].type, outputs[i].type);
      columns[i].nullable = columns[i].nullable || outputs[i].nullable;
    }
  }
  if (failed()) return columns;
  ctes_[index].rows = recursive ? std::max(1000.0, rows * 100) : rows;
  if (!cte.query->order_by.empty() && !cte.query->offset) {
    fail(errc::syntax,
         "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table "
         "expressions, unless TOP, OFFSET or FOR XML is also specified.",
         cte.pos, 1033);
  }
  bind_set_order(*cte.query, columns);
  bind_offset(*cte.query);
  return columns;
}

// ---- queries ------------------------------------------------------------------------------------------------------

std::vector<bound_column> binder::bind_query(query_expression& q, scope* outer, query_role role) {
  std::vector<bound_column> columns;
  if (failed()) return columns;
  if (++depth_ > limits::subquery_depth_max * 4) {
    fail(errc::too_complex, "The query is nested too deeply.", q.pos);
    return columns;
  }
  out_.query_depth = std::max(out_.query_depth, depth_);
  if (auto* spec = q.specification()) {
    columns = bind_specification(q, *spec, outer, role);
  } else {
    columns = bind_set(q, *q.set(), outer, role);
  }
  if (q.for_ && !failed()) {
    const auto* xml = std::get_if<for_xml>(q.for_.get());
    const bool browse = std::holds_alternative<for_browse>(*q.for_);
    if (browse) out_.oddities.push_back({"FOR BROWSE", q.pos});
    if (!browse) {
      columns.assign(1, bound_column{});
      columns[0].type = xml != nullptr && xml->type ? make_sql_type(sql_type_id::xml)
                                                    : make_sql_type(sql_type_id::nvarchar, sql_type::max_length);
      query_rows_ = 1;
    }
  }
  --depth_;
  return columns;
}

// A branch may be a set operation itself: long chains are left-deep and walked without recursion.
std::vector<bound_column> binder::bind_set(query_expression& q, set_operation& set, scope* outer, query_role role) {
  std::vector<set_operation*> chain{&set};
  query_expression* left = set.left.get();
  while (left->set() != nullptr && left->order_by.empty() && !left->offset && !left->for_) {
    chain.push_back(left->set());
    left = chain.back()->left.get();
  }
  std::vector<bound_column> columns = bind_query(*left, outer, query_role::branch);
  double rows = query_rows_;
  for (auto it = chain.rbegin(); it != chain.rend() && !failed(); ++it) {
    const auto right = bind_query(*(*it)->right, outer, query_role::branch);
    if (failed()) break;
    if (right.size() != columns.size()) {
      fail(errc::syntax,
           "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions "
           "in their target lists.",
           q.pos, 205);
      break;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].type = common_type(columns[i].type, right[i].type);
      columns[i].nullable = columns[i].nullable || right[i].nullable;
    }
    rows += query_rows_;
  }
  query_rows_ = rows;
  if (failed()) return columns;
  bind_set_order(q, columns);
  bind_offset(q);
  const bool nested = role != query_role::statement;
  if (nested && !q.order_by.empty() && !q.offset && !q.for_) {
    fail(errc::syntax,
         "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table "
         "expressions, unless TOP, OFFSET or FOR XML is also specified.",
         q.pos, 1033);
  }
  return columns;
}

void binder::bind_set_order(query_expression& q, const std::vector<bound_column>& outputs) {
  for (const auto& item : q.order_by) {
    const expression* e = item.value.get();
    if (const auto* collated = e->as<collate>()) e = collated->operand.get();
    if (const auto* number = e->as<literal>(); number != nullptr && number->kind == literal_kind::integer) {
      if (number->text.size() > 9 || std::stoul(number->text) < 1 || std::stoul(number->text) > outputs.size()) {
        return fail(errc::syntax,
                    fmt::format("The ORDER BY position number {} is out of range of the number of items in the select "
                                "list.",
                                number->text),
                    e->pos, 108);
      }
      continue;
    }
    const auto* ref = e->as<column_ref>();
    bool found = false;
    if (ref != nullptr && ref->table.empty()) {
      for (const auto& c : outputs) found = found || same_name(c.name, ref->name.value);
      if (!found) {
        return fail(errc::unknown_column, fmt::format("Invalid column name '{}'.", ref->name.value), e->pos);
      }
    }
    if (!found) {
      return fail(errc::syntax,
                  "ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or "
                  "EXCEPT operator.",
                  e->pos, 104);
    }
  }
}

// OFFSET and FETCH take constants, variables and subqueries, but no columns.
void binder::bind_offset(query_expression& q) {
  if (!q.offset) return;
  scope none;
  none.in = clause::top;
  bind_expression(q.offset->offset, none);
  out_.counts.push_back({&q.offset->offset, false});
  if (q.offset->fetch) out_.counts.push_back({q.offset->fetch.get(), false});
  if (q.offset->fetch) bind_expression(*q.offset->fetch, none);
}

std::vector<bound_column> binder::bind_subquery(query_expression& q, scope& sc, query_role role, source_position at) {
  if (sc.aggregate_depth > 0) {
    fail(errc::syntax, "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
         at, 130);
  }
  const double rows = query_rows_;
  auto columns = bind_query(q, &sc, role);
  query_rows_ = rows;
  if (!failed() && role == query_role::subquery && columns.size() != 1) {
    fail(errc::syntax,
         "Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.", at,
         116);
  }
  return columns;
}

// Every column of a derived table or CTE needs a name of its own, from the list behind the alias or from the query.
void binder::name_columns(std::vector<bound_column>& columns, std::string_view table,
                          const std::vector<identifier>& names, source_position at) {
  if (failed()) return;
  if (!names.empty()) {
    if (names.size() != columns.size()) {
      const bool more = names.size() > columns.size();
      return fail(
          errc::syntax,
          fmt::format("'{}' has {} columns than were specified in the column list.", table, more ? "fewer" : "more"),
          at, more ? 8158 : 8159);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = names[i].value;
  }
  std::unordered_set<std::string_view, catalog::name_hash, catalog::name_equal> taken(columns.size() * 2);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name.empty()) {
      return fail(errc::syntax, fmt::format("No column name was specified for column {} of '{}'.", i + 1, table), at,
                  8155);
    }
    if (!taken.insert(columns[i].name).second) {
      return fail(errc::syntax,
                  fmt::format("The column '{}' was specified multiple times for '{}'.", columns[i].name, table), at,
                  8156);
    }
  }
}

}  // namespace detail

result<bound_statement> bind(select_statement& s, const table_resolver& tables, const bind_options& options) {
  return detail::binder(tables, options).run(s);
}

result<bound_statement> bind_over_table(expression& e, const table_binding& table, const table_resolver& tables,
                                        const bind_options& options) {
  return detail::binder(tables, options).run_over_table(e, table);
}

result<table_binding> whole_catalog::resolve(const object_name& name) const {
  const auto unknown = [&] {
    return failure(errc::unknown_table, fmt::format("Invalid object name '{}'.", detail::as_written(name)));
  };
  if (!name.server.empty()) return unknown();
  if (!name.database.empty() && !catalog::same_name(name.database.value, db_.name)) return unknown();
  const std::string& schema = name.schema.empty() ? db_.default_schema : name.schema.value;
  const catalog::table* t = db_.find_table(schema, name.name.value);
  if (t == nullptr) return unknown();
  return table_binding{&db_, t};
}

bool whole_catalog::same_database(std::string_view name, const catalog::database& db) const {
  return catalog::same_name(name, db.name);
}

}  // namespace dragoman::tsql
