// UNION, EXCEPT, INTERSECT, common table expressions, and GROUP BY of several grouping sets.
#include <fmt/format.h>

#include "guard/catalog/names.h"
#include "guard/tsql/walk.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

using catalog::same_name;

std::string alias_of(std::size_t column) {
  return "_c" + std::to_string(column + 1);
}

struct name_finder {
  const std::string& name;
  bool found = false;
  bool enter(const tsql::named_table& t) {
    if (t.name.one_part() && same_name(t.name.name.value, name)) found = true;
    return !found;
  }
};

}  // namespace

// Columns brought to the types given; the order of the rows is kept only where the text has none to lose.
relation translator::converted(relation r, const std::vector<sql_type>& types) {
  bool any = false;
  std::string list;
  for (std::size_t i = 0; i < types.size() && i < r.columns.size(); ++i) {
    typed v{alias_of(i), r.columns[i].type, {}, r.columns[i].nullable};
    v = coerce(std::move(v), types[i]);
    any |= v.sql != alias_of(i);
    list += (i > 0 ? "," : "") + v.sql + " AS " + alias_of(i);
    r.columns[i].type = types[i];
  }
  if (any) r.sql = fmt::format("SELECT {} FROM ({})", list, r.sql);
  return r;
}

// ORDER BY and OFFSET over a relation whose columns have their final names.
relation translator::limited(relation r, const tsql::query_expression& q, scope& names) {
  if (q.order_by.empty() && !q.offset) return r;
  std::string order;
  for (const auto& item : q.order_by) {
    std::size_t found = r.columns.size();
    if (const auto* l = item.value->as<tsql::literal>(); l != nullptr && l->kind == tsql::literal_kind::integer) {
      const std::size_t n = l->text.size() < 6 ? std::stoul(l->text) : 0;
      if (n >= 1) found = n - 1;
    } else if (const auto* c = item.value->as<tsql::column_ref>()) {
      for (std::size_t i = r.columns.size(); i-- > 0;) {
        if (same_name(r.columns[i].name, c->name.value)) found = i;
      }
    }
    std::string sql;
    sql_type type;
    if (found < r.columns.size()) {
      sql = alias_of(found);
      type = r.columns[found].type;
    } else {
      const typed v = value(*item.value, names);
      sql = v.sql;
      type = v.type;
    }
    if (failed()) return {};
    order += (order.empty() ? "" : ",") + order_terms(sql, type, item.descending);
  }
  r.sql = fmt::format("SELECT * FROM ({})", r.sql);
  if (!order.empty()) r.sql += " ORDER BY " + order;
  if (q.offset) {
    scope none;
    r.sql += " LIMIT " + (q.offset->fetch ? row_count(*q.offset->fetch, none, "FETCH") : std::string("-1"));
    r.sql += " OFFSET " + row_count(q.offset->offset, none, "OFFSET");
  }
  return r;
}

relation translator::set_operation(const tsql::query_expression& q, const tsql::set_operation& s, scope* outer) {
  relation left = query(*s.left, outer);
  relation right = query(*s.right, outer);
  if (failed()) return {};
  if (left.columns.size() != right.columns.size()) {
    fail(205, errc::syntax,
         "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of "
         "expressions in their target lists.",
         q.pos);
    return {};
  }
  std::vector<sql_type> types;
  std::vector<relation_column> columns;
  for (std::size_t i = 0; i < left.columns.size(); ++i) {
    types.push_back(unify({typed{"", left.columns[i].type, {}, true}, typed{"", right.columns[i].type, {}, true}}));
    columns.push_back({left.columns[i].name, types[i], left.columns[i].nullable || right.columns[i].nullable});
  }
  left = converted(std::move(left), types);
  right = converted(std::move(right), types);
  if (failed()) return {};
  const char* word = s.op == tsql::set_operator::union_all        ? "UNION ALL"
                     : s.op == tsql::set_operator::union_distinct ? "UNION"
                     : s.op == tsql::set_operator::except         ? "EXCEPT"
                                                                  : "INTERSECT";
  // The left operand's collations decide what is equal.
  std::string list;
  for (std::size_t i = 0; i < types.size(); ++i)
    list += (i > 0 ? "," : "") + collated({alias_of(i), types[i], {}, true}) + " AS " + alias_of(i);
  relation out;
  out.columns = std::move(columns);
  out.sql = fmt::format("SELECT {} FROM ({}) {} SELECT * FROM ({})", list, left.sql, word, right.sql);
  scope none;
  none.outer = outer;
  return limited(std::move(out), q, none);
}

// ---- WITH -----------------------------------------------------------------------------------------------------------

const translator::cte* translator::find_cte(const tsql::object_name& name) const {
  if (!name.one_part()) return nullptr;
  for (auto it = ctes_.rbegin(); it != ctes_.rend(); ++it) {
    if (same_name(it->name, name.name.value)) return &*it;
  }
  return nullptr;
}

std::string translator::with_clause(const std::vector<tsql::common_table_expression>& list) {
  if (list.empty()) return {};
  std::string sql;
  for (const auto& c : list) {
    if (failed()) return {};
    cte entry;
    entry.name = c.name.value;
    entry.sql_name = "w" + std::to_string(ctes_.size() + 1);
    name_finder self{c.name.value};
    tsql::walk(*c.query, self);
    std::string body;
    if (self.found) {
      body = recursive_cte(c, entry);
    } else {
      relation r = query(*c.query, nullptr);
      entry.columns = r.columns;
      body = fmt::format("{} AS ({})", entry.sql_name, r.sql);
    }
    if (!c.columns.empty()) {
      if (c.columns.size() != entry.columns.size() && !failed()) {
        fail(8158, errc::syntax,
             fmt::format("'{}' has {} columns than were specified in the column list.", c.name.value,
                         entry.columns.size() > c.columns.size() ? "more" : "fewer"),
             c.pos);
        return {};
      }
      for (std::size_t i = 0; i < entry.columns.size() && i < c.columns.size(); ++i)
        entry.columns[i].name = c.columns[i].value;
    }
    ctes_.push_back(std::move(entry));
    sql += (sql.empty() ? "WITH RECURSIVE " : ",") + body;
  }
  return sql + " ";
}

// anchor UNION ALL recursive part, with a column _l that counts the depth so that the recursion ends as T-SQL ends it.
std::string translator::recursive_cte(const tsql::common_table_expression& c, cte& entry) {
  const auto* set = c.query->set();
  if (set == nullptr || set->op != tsql::set_operator::union_all) {
    fail(252, errc::syntax,
         fmt::format("Recursive common table expression '{}' does not contain a top-level UNION ALL operator.",
                     c.name.value),
         c.pos);
    return {};
  }
  relation anchor = query(*set->left, nullptr);
  if (failed()) return {};
  entry.columns = anchor.columns;
  std::vector<sql_type> types;
  for (std::size_t i = 0; i < entry.columns.size(); ++i) {
    if (entry.columns[i].type.id == sql_type_id::unknown) entry.columns[i].type = make_type(sql_type_id::int_);
    types.push_back(entry.columns[i].type);
  }
  cte inside = entry;
  for (std::size_t i = 0; i < c.columns.size() && i < inside.columns.size(); ++i)
    inside.columns[i].name = c.columns[i].value;
  inside.recursive = true;
  for (auto& column : inside.columns) column.nullable = true;
  std::vector<std::string> references;
  inside.references = &references;
  ctes_.push_back(inside);
  const auto* s = set->right->specification();
  if (s == nullptr || s->group_by || s->distinct || s->top) {
    refused("this form of a recursive common table expression", c.pos);
    return {};
  }
  relation step = specification(*set->right, *s, nullptr);
  ctes_.pop_back();
  if (failed()) return {};
  if (references.size() != 1) {
    refused("a recursive common table expression that refers to itself more than once", c.pos);
    return {};
  }
  if (step.columns.size() != types.size()) {
    fail(205, errc::syntax,
         "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of "
         "expressions in their target lists.",
         c.pos);
    return {};
  }
  // The recursive SELECT must stand bare behind UNION ALL: conversions go into its own list.
  std::string list;
  std::string names;
  for (std::size_t i = 0; i < types.size(); ++i) {
    names += alias_of(i) + ",";
    list += alias_of(i) + ",";
  }
  const std::string limit =
      max_recursion_ > 0 ? fmt::format("t_level({}._l,{})", references[0], max_recursion_) : references[0] + "._l+1";
  std::string sql = step.sql;
  const std::string start = "SELECT ";
  sql = start + limit + " AS _l," + sql.substr(start.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (step.columns[i].type == types[i] || step.columns[i].type.id == sql_type_id::unknown) continue;
    const auto common = common_type(step.columns[i].type, types[i]);
    const bool text = family_of(types[i].id) == family::text && family_of(step.columns[i].type.id) == family::text;
    if (!text && (!common || family_of(common->id) != family_of(types[i].id) ||
                  decimal_type_of(step.columns[i].type).scale != decimal_type_of(types[i]).scale)) {
      fail(240, errc::syntax,
           fmt::format("Types don't match between the anchor and the recursive part in column \"{}\" of "
                       "recursive query \"{}\".",
                       entry.columns[i].name, c.name.value),
           c.pos);
      return {};
    }
  }
  return fmt::format("{0}(_l,{1}) AS (SELECT 0,{2} FROM ({3}) UNION ALL {4})", entry.sql_name,
                     names.substr(0, names.size() - 1), list.substr(0, list.size() - 1), anchor.sql, sql);
}

// ---- GROUPING SETS, ROLLUP, CUBE
// --------------------------------------------------------------------------------------

namespace {

using group_list = std::vector<const tsql::expression*>;

std::vector<group_list> product(const std::vector<group_list>& a, const std::vector<group_list>& b) {
  std::vector<group_list> out;
  for (const auto& x : a) {
    for (const auto& y : b) {
      group_list both = x;
      both.insert(both.end(), y.begin(), y.end());
      out.push_back(std::move(both));
    }
  }
  return out;
}

std::vector<group_list> expand(const tsql::grouping_element& g) {
  using tsql::grouping_kind;
  group_list own;
  for (const auto& e : g.expressions) own.push_back(&e);
  switch (g.kind) {
    case grouping_kind::expression:
    case grouping_kind::composite: return {own};
    case grouping_kind::grand_total: return {{}};
    case grouping_kind::grouping_sets: {
      std::vector<group_list> out;
      for (const auto& e : g.elements) {
        for (auto& one : expand(e)) out.push_back(std::move(one));
      }
      return out;
    }
    case grouping_kind::rollup: {
      std::vector<group_list> out{{}};
      group_list so_far;
      for (const auto& e : g.elements) {
        const group_list one = expand(e).front();
        so_far.insert(so_far.end(), one.begin(), one.end());
        out.insert(out.begin(), so_far);
      }
      return out;
    }
    case grouping_kind::cube: {
      std::vector<group_list> out{{}};
      for (const auto& e : g.elements) {
        std::vector<group_list> next;
        const group_list one = expand(e).front();
        for (const auto& x : out) {
          group_list with = x;
          with.insert(with.end(), one.begin(), one.end());
          next.push_back(std::move(with));
        }
        next.insert(next.end(), out.begin(), out.end());
        out = std::move(next);
      }
      return out;
    }
  }
  return {};
}

}  // namespace

// One SELECT for each set, joined by UNION ALL; groups that a set leaves out are NULL in it.
relation translator::grouping_sets(const tsql::query_expression& q, const tsql::query_specification& s, scope* outer) {
  std::vector<group_list> sets{{}};
  if (s.group_by->legacy != tsql::legacy_grouping::none) {
    tsql::grouping_element all;
    all.kind = s.group_by->legacy == tsql::legacy_grouping::with_rollup ? tsql::grouping_kind::rollup
                                                                        : tsql::grouping_kind::cube;
    all.elements = s.group_by->elements;
    static thread_local std::vector<tsql::grouping_element> kept;
    kept.clear();
    kept.push_back(std::move(all));
    sets = expand(kept.front());
  } else {
    for (const auto& g : s.group_by->elements) sets = product(sets, expand(g));
  }
  if (sets.size() > 64) {
    refused("so many grouping sets", q.pos);
    return {};
  }
  group_list every;
  for (const auto& set : sets) {
    for (const auto* e : set) {
      bool known = false;
      for (const auto* k : every) known |= *k == *e;
      if (!known) every.push_back(e);
    }
  }
  relation out;
  for (const auto& set : sets) {
    scope inner;
    inner.outer = outer;
    inner.windows = &s.windows;
    std::string from_sql;
    for (const auto& t : s.from) from_sql += (from_sql.empty() ? " FROM " : ",") + from(t, inner);
    std::string where;
    if (s.where) where = " WHERE " + condition(*s.where, inner);
    std::string groups;
    std::set<std::string> kept;
    for (const auto* e : set) {
      const typed v = value(*e, inner);
      kept.insert(v.sql);
      groups += (groups.empty() ? " GROUP BY " : ",") + collated(v);
    }
    for (const auto* e : every) {
      const typed v = value(*e, inner);
      inner.groups.insert(v.sql);
      if (!kept.contains(v.sql)) inner.nulled.insert(v.sql);
      inner.group_expressions |= e->as<tsql::column_ref>() == nullptr;
    }
    inner.grouped = true;
    std::vector<typed> values;
    relation one;
    add_items(s, inner, values, one.columns);
    std::string having;
    if (s.having) having = " HAVING " + condition(*s.having, inner);
    if (groups.empty()) {
      // A grand total is one row even of nothing, but HAVING needs a group to filter.
      if (!having.empty()) groups = " GROUP BY NULL";
      bool aggregate = false;
      for (const auto& v : values)
        aggregate |= v.sql.find("t_") != std::string::npos || v.sql.find("count(") != std::string::npos;
      if (!aggregate) groups = " GROUP BY NULL";
    }
    if (failed()) return {};
    std::string list;
    for (std::size_t i = 0; i < values.size(); ++i) {
      typed v = values[i];
      if (!out.columns.empty() && v.type.id == sql_type_id::unknown) v.type = out.columns[i].type;
      list += (i > 0 ? "," : "") + v.sql + " AS " + alias_of(i);
    }
    one.sql = fmt::format("SELECT {}{}{}{}{}", list, from_sql, where, groups, having);
    if (out.sql.empty()) {
      out = std::move(one);
    } else {
      out.sql += " UNION ALL " + one.sql;
    }
  }
  for (auto& c : out.columns) c.nullable = true;
  if (s.distinct) out.sql = fmt::format("SELECT DISTINCT * FROM ({})", out.sql);
  scope none;
  none.outer = outer;
  out = limited(std::move(out), q, none);
  if (s.top) {
    if (s.top->percent || s.top->with_ties) refused("TOP PERCENT or WITH TIES over grouping sets", q.pos);
    if (q.order_by.empty()) out.sql = fmt::format("SELECT * FROM ({})", out.sql);
    out.sql += " LIMIT " + row_count(s.top->count, none, "TOP");
  }
  return out;
}

}  // namespace dragoman::sandbox
