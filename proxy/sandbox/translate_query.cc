// SELECT: items, grouping, ORDER BY, TOP and OFFSET.
#include <fmt/format.h>

#include <algorithm>

#include "guard/catalog/names.h"
#include "guard/tsql/walk.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/text_collation.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

using catalog::same_name;

struct aggregate_finder {
  bool found = false;
  bool enter(const tsql::query_expression&) { return false; }
  bool enter(const tsql::function_call& f) {
    if (!f.over && f.name.one_part() && is_aggregate_name(upper_case(f.name.name.value))) found = true;
    return !found;
  }
};

std::string alias_of(std::size_t column) {
  return "_c" + std::to_string(column + 1);
}

}  // namespace

translator::translator(const storage& tables, const session_facts& facts, const parameters& values)
    : tables_(tables), facts_(facts), values_(values) {}

result<relation> translator::translate(const tsql::select_statement& statement) {
  if (!statement.xml_namespaces.empty()) refused("WITH XMLNAMESPACES");
  for (const auto& hint : statement.hints) {
    if (hint.name == "MAXRECURSION" && hint.value) {
      scope none;
      const typed n = value(*hint.value, none);
      if (n.constant && std::holds_alternative<std::int64_t>(*n.constant))
        max_recursion_ = std::get<std::int64_t>(*n.constant);
    }
  }
  const std::string with = with_clause(statement.ctes);
  relation r;
  if (!failed()) r = query(statement.query, nullptr);
  if (failed()) return *failure_;
  r.sql = with + r.sql;
  for (auto& column : r.columns) {
    if (column.type.id == sql_type_id::unknown) column.type = make_type(sql_type_id::int_);
  }
  return r;
}

result<relation> translator::translate(const tsql::expression& e) {
  scope none;
  relation r;
  if (tsql::is_predicate(e)) {
    const std::string c = condition(e, none);
    r.sql = fmt::format("SELECT CASE WHEN {0} THEN 1 WHEN NOT ({0}) THEN 0 END AS _c1", c);
    r.columns.push_back({"", make_type(sql_type_id::bit)});
  } else {
    const typed v = value(e, none);
    r.sql = "SELECT " + v.sql + " AS _c1";
    r.columns.push_back({"", v.type.id == sql_type_id::unknown ? make_type(sql_type_id::int_) : v.type});
  }
  if (failed()) return *failure_;
  return r;
}

bool translator::has_aggregate(const tsql::query_expression& q, const tsql::query_specification& s) const {
  aggregate_finder finder;
  for (const auto& item : s.items) {
    if (const auto* e = item.as<tsql::select_expression>()) tsql::walk(e->value, finder);
    if (const auto* a = item.as<tsql::select_assignment>()) tsql::walk(a->value, finder);
  }
  if (s.having) tsql::walk(*s.having, finder);
  for (const auto& o : q.order_by) tsql::walk(*o.value, finder);
  return finder.found;
}

relation translator::query(const tsql::query_expression& q, scope* outer) {
  if (failed()) return {};
  if (q.for_) {
    refused(std::holds_alternative<tsql::for_json>(*q.for_)  ? "FOR JSON"
            : std::holds_alternative<tsql::for_xml>(*q.for_) ? "FOR XML"
                                                             : "FOR BROWSE",
            q.pos);
    return {};
  }
  if (const auto* set = q.set()) return set_operation(q, *set, outer);
  const auto& s = *q.specification();
  bool sets = false;
  if (s.group_by) {
    sets = s.group_by->legacy != tsql::legacy_grouping::none;
    for (const auto& g : s.group_by->elements) {
      sets |= g.kind != tsql::grouping_kind::expression && g.kind != tsql::grouping_kind::composite;
    }
  }
  return sets ? grouping_sets(q, s, outer) : specification(q, s, outer);
}

void translator::add_items(const tsql::query_specification& s, scope& inner, std::vector<typed>& values,
                           std::vector<relation_column>& columns) {
  for (const auto& item : s.items) {
    if (failed()) return;
    if (const auto* star = item.as<tsql::select_star>()) {
      bool any = false;
      for (const auto& from : inner.sources) {
        if (!star->table.empty() && !same_name(from.alias, star->table.name.value)) continue;
        any = true;
        for (const auto& c : from.columns) {
          if (inner.grouped && !inner.groups.contains(c.sql)) {
            fail(8120, errc::syntax,
                 fmt::format("Column '{}.{}' is invalid in the select list because it is not contained in either an "
                             "aggregate function or the GROUP BY clause.",
                             from.alias, c.name),
                 item.pos);
          }
          values.push_back({c.sql, c.type, {}, c.nullable});
          columns.push_back({c.name, c.type, c.nullable, c.identity, c.computed});
        }
      }
      if (!any && !star->table.empty())
        fail(107, errc::syntax,
             fmt::format("The column prefix '{}' does not match with a table name or alias name used in the "
                         "query.",
                         star->table.name.value),
             item.pos);
      if (!any && star->table.empty()) fail(263, errc::syntax, "Must specify table to select from.", item.pos);
      continue;
    }
    const tsql::expression* e = nullptr;
    std::string name;
    if (const auto* plain = item.as<tsql::select_expression>()) {
      e = &plain->value;
      name = plain->alias.value;
    } else if (const auto* assignment = item.as<tsql::select_assignment>()) {
      e = &assignment->value;
    }
    typed v = value(*e, inner);
    bool computed = true;
    bool identity = false;
    if (const auto* c = e->as<tsql::column_ref>()) {
      computed = false;
      for (const auto& from : inner.sources) {
        for (const auto& column : from.columns) {
          if (column.sql != v.sql) continue;
          if (name.empty()) name = column.name;
          computed = column.computed;
          identity = column.identity;
        }
      }
      if (name.empty()) name = c->name.value;
    }
    columns.push_back({name, v.type, v.nullable, identity, computed});
    values.push_back(std::move(v));
  }
}

std::string translator::order_terms(const std::string& sql, const sql_type& type, bool descending) const {
  const char* way = descending ? " DESC" : "";
  switch (family_of(type.id)) {
    case family::text:
      if (type.id == sql_type_id::unknown) break;
      return fmt::format("{} COLLATE T{}", sql, way);
    case family::decimal:
      if (decimal_type_of(type).precision > 18) return fmt::format("t_dsort({0}){1},{0}{1}", sql, way);
      break;
    default: break;
  }
  return sql + way;
}

std::string translator::order_list(const std::vector<tsql::order_item>& items, scope& s) {
  std::string sql;
  for (const auto& item : items) {
    const typed v = value(*item.value, s);
    if (!sql.empty()) sql += ",";
    // A constant orders nothing (ORDER BY (SELECT NULL) in windows), and SQLite would read 1 as a column.
    sql += v.constant ? "NULL" : order_terms(v.sql, v.type, item.descending);
  }
  return sql;
}

void translator::group_by(const tsql::query_specification& s, scope& inner, std::string& sql) {
  if (!s.group_by) return;
  std::string list;
  for (const auto& g : s.group_by->elements) {
    for (const auto& e : g.expressions) {
      const typed v = value(e, inner);
      if (v.constant) {
        fail(164, errc::syntax,
             "Each GROUP BY expression must contain at least one column that is not an outer reference.", e.pos);
        return;
      }
      if (e.as<tsql::column_ref>() == nullptr) inner.group_expressions = true;
      inner.groups.insert(v.sql);
      list += (list.empty() ? "" : ",") + collated(v);
    }
  }
  if (!list.empty()) sql += " GROUP BY " + list;
}

std::string translator::row_count(const tsql::expression& count, scope& s, const char* clause) {
  typed n = value(count, s);
  if (failed()) return "0";
  const family f = family_of(n.type.id);
  if (f != family::integer && f != family::decimal && f != family::real) {
    fail(1060, errc::syntax, fmt::format("The number of rows provided for a {} clause must be an integer.", clause),
         count.pos);
    return "0";
  }
  n = coerce(std::move(n), make_type(sql_type_id::bigint));
  if (n.constant && std::holds_alternative<std::int64_t>(*n.constant) && std::get<std::int64_t>(*n.constant) < 0) {
    fail(127, errc::syntax, fmt::format("A {} N value may not be negative.", clause), count.pos);
    return "0";
  }
  return n.constant ? n.sql : fmt::format("max(0,{})", n.sql);
}

relation translator::specification(const tsql::query_expression& q, const tsql::query_specification& s, scope* outer) {
  scope inner;
  inner.outer = outer;
  inner.windows = &s.windows;
  std::string from_sql;
  for (const auto& t : s.from) {
    std::string one = from(t, inner);
    from_sql += (from_sql.empty() ? " FROM " : ",") + one;
    if (failed()) return {};
  }
  std::string where;
  if (s.where) where = " WHERE " + condition(*s.where, inner);
  std::string tail;
  group_by(s, inner, tail);
  inner.grouped = (s.group_by && !s.group_by->elements.empty()) || s.having || has_aggregate(q, s);
  relation out;
  std::vector<typed> values;
  add_items(s, inner, values, out.columns);
  if (s.having) tail += " HAVING " + condition(*s.having, inner);
  if (failed()) return {};

  // ORDER BY: positions, aliases, or expressions of the tables.
  struct key {
    std::string sql;
    sql_type type;
    bool descending;
    std::string expression;  // what it is, where `sql` is only a name for it
  };
  std::vector<key> keys;
  for (const auto& item : q.order_by) {
    const auto by_column = [&](std::size_t i) {
      keys.push_back({alias_of(i), values[i].type, item.descending, values[i].sql});
    };
    if (const auto* l = item.value->as<tsql::literal>()) {
      if (l->kind == tsql::literal_kind::integer) {
        const std::size_t n = l->text.size() < 6 ? std::stoul(l->text) : 0;
        if (n == 0 || n > values.size()) {
          fail(108, errc::syntax,
               fmt::format("The ORDER BY position number {} is out of range of the number of items in the "
                           "select list.",
                           l->text),
               item.value->pos);
          return {};
        }
        by_column(n - 1);
        continue;
      }
    }
    const auto* c = item.value->as<tsql::column_ref>();
    if (c != nullptr && c->table.empty()) {
      bool found = false;
      for (std::size_t i = 0; i < out.columns.size() && !found; ++i) {
        if (!out.columns[i].name.empty() && same_name(out.columns[i].name, c->name.value)) {
          by_column(i);
          found = true;
        }
      }
      if (found) continue;
    }
    const typed v = value(*item.value, inner);
    if (failed()) return {};
    if (v.constant) continue;
    std::size_t same = 0;
    while (same < values.size() && values[same].sql != v.sql) ++same;
    if (same < values.size()) {
      by_column(same);
    } else if (s.distinct) {
      fail(145, errc::syntax, "ORDER BY items must appear in the select list if SELECT DISTINCT is specified.",
           item.value->pos);
      return {};
    } else {
      keys.push_back({v.sql, v.type, item.descending, v.sql});
    }
  }
  if (q.offset && q.order_by.empty()) {
    fail(102, errc::syntax, "Incorrect syntax near 'OFFSET'.", q.pos);
    return {};
  }

  std::string list;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) list += ",";
    // DISTINCT compares by the collation of its columns.
    list += (s.distinct ? collated(values[i]) : values[i].sql) + " AS " + alias_of(i);
  }
  const bool ranked = s.top && (s.top->percent || s.top->with_ties);
  if (ranked && s.top->with_ties && keys.empty()) {
    fail(1062, errc::syntax, "The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause.",
         q.pos);
    return {};
  }
  std::string order;
  for (const auto& k : keys) {
    // Inside of an expression SQLite takes a name for a column of FROM before it takes it for one of the result, and
    // the columns of a derived table have the same names. Only a bare name, with or without COLLATE, means the result.
    const bool bare = family_of(k.type.id) != family::decimal || decimal_type_of(k.type).precision <= 18;
    order += (order.empty() ? "" : ",") + order_terms(bare ? k.sql : k.expression, k.type, k.descending);
  }

  if (!ranked) {
    out.sql = fmt::format("SELECT {}{}{}{}{}", s.distinct ? "DISTINCT " : "", list, from_sql, where, tail);
    if (!order.empty()) out.sql += " ORDER BY " + order;
    if (s.top) {
      out.sql += " LIMIT " + row_count(s.top->count, inner, "TOP");
    } else if (q.offset) {
      out.sql += " LIMIT " + (q.offset->fetch ? row_count(*q.offset->fetch, inner, "FETCH") : std::string("-1"));
      out.sql += " OFFSET " + row_count(q.offset->offset, inner, "OFFSET");
    }
    return out;
  }

  // TOP … PERCENT and WITH TIES: rows are numbered first. Keys that are no columns come along as _k1 ….
  std::string rank_order;
  std::string outer_order;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::string name = keys[i].sql;
    if (!name.starts_with("_c")) {
      name = "_k" + std::to_string(i + 1);
      list += "," + keys[i].sql + " AS " + name;
    }
    rank_order += (rank_order.empty() ? "" : ",") + order_terms(name, keys[i].type, keys[i].descending);
  }
  std::string columns;
  for (std::size_t i = 0; i < values.size(); ++i) columns += (i > 0 ? "," : "") + alias_of(i);
  std::string limit;
  if (s.top->percent) {
    typed percent = as_real(value(s.top->count, inner));
    limit = fmt::format("CAST(t_ceiling(_n*{}/100.0) AS INTEGER)", percent.sql);
  } else {
    limit = row_count(s.top->count, inner, "TOP");
  }
  const char* number = s.top->with_ties ? "rank()" : "row_number()";
  out.sql = fmt::format(
      "SELECT {0} FROM (SELECT *,{1} OVER ({2}) AS _r,count(*) OVER () AS _n FROM (SELECT {3}{4}{5}{6}{7})) WHERE "
      "_r<={8} "
      "ORDER BY _r",
      columns, number, rank_order.empty() ? "" : "ORDER BY " + rank_order, s.distinct ? "DISTINCT " : "", list,
      from_sql, where, tail, limit);
  return out;
}

}  // namespace dragoman::sandbox
