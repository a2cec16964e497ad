// FROM: tables, derived tables, joins, APPLY, VALUES, PIVOT, functions.
#include <fmt/format.h>

#include <algorithm>

#include "guard/catalog/names.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/text_collation.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

using catalog::same_name;

std::string alias_of(std::size_t column) {
  return "_c" + std::to_string(column + 1);
}

}  // namespace

void translator::rename(std::vector<source_column>& columns, const tsql::table_alias& alias) {
  if (alias.columns.empty()) return;
  if (alias.columns.size() != columns.size()) {
    fail(alias.columns.size() > columns.size() ? 8159 : 8158, errc::syntax,
         fmt::format("'{}' has {} columns than were specified in the column list.", alias.name.value,
                     alias.columns.size() > columns.size() ? "fewer" : "more"),
         here_);
    return;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = alias.columns[i].value;
}

std::string translator::from(const tsql::table_source& t, scope& s) {
  if (failed()) return {};
  if (t.pos.line != 0) here_ = t.pos;
  return std::visit(
      tsql::overloaded{[&](const tsql::named_table& n) { return named(n, t, s); },
                       [&](const tsql::variable_table& n) {
                         tsql::named_table as;
                         as.name.name.value = n.name;
                         as.alias = n.alias;
                         return named(as, t, s);
                       },
                       [&](const tsql::derived_table& n) { return derived(query(*n.query, s.outer), n.alias, s); },
                       [&](const tsql::values_table& n) { return values(n, s); },
                       [&](const tsql::function_table& n) { return function(n, s); },
                       [&](const tsql::joined_table& n) {
                         const bool apply =
                             n.kind == tsql::join_kind::cross_apply || n.kind == tsql::join_kind::outer_apply;
                         return apply ? applied(n, s) : joined(n, s);
                       },
                       [&](const tsql::pivoted_table& n) { return pivoted(n, s); },
                       [&](const tsql::unpivoted_table& n) { return unpivoted(n, s); },
                       [&](const tsql::rowset_function&) {
                         refused("a rowset function", t.pos);
                         return std::string();
                       },
                       [&](const tsql::fulltext_table&) {
                         refused("full-text search", t.pos);
                         return std::string();
                       }},
      t.node);
}

std::string translator::named(const tsql::named_table& t, const tsql::table_source& at, scope& s) {
  if (t.sample) refused("TABLESAMPLE", at.pos);
  if (t.system_time) refused("FOR SYSTEM_TIME", at.pos);
  const std::string alias = next_alias();
  source added;
  added.alias = t.alias.name.empty() ? t.name.name.value : t.alias.name.value;
  std::string sql;
  if (const cte* c = find_cte(t.name)) {
    for (std::size_t i = 0; i < c->columns.size(); ++i) {
      const auto& column = c->columns[i];
      added.columns.push_back(
          {column.name, alias + "." + alias_of(i), column.type, column.nullable, false, column.computed});
    }
    if (c->references != nullptr) c->references->push_back(alias);
    sql = c->sql_name + " AS " + alias;
  } else {
    const catalog::table* table = nullptr;
    const bool here =
        t.name.server.empty() && (t.name.database.empty() || same_name(t.name.database.value, tables_.catalog().name) ||
                                  same_name(t.name.database.value, facts_.database));
    if (here) table = tables_.find(t.name.schema.value, t.name.name.value);
    if (table == nullptr) {
      std::string shown = t.name.name.value;
      if (!t.name.schema.empty()) shown = t.name.schema.value + "." + shown;
      if (!t.name.database.empty()) shown = t.name.database.value + (t.name.schema.empty() ? ".." : ".") + shown;
      fail(208, errc::unknown_table, fmt::format("Invalid object name '{}'.", shown), at.pos);
      return {};
    }
    if (t.alias.name.empty()) added.schema = table->schema;
    const stored_table& where = tables_.stored(*table);
    for (const auto& column : table->columns) {
      std::string reference = alias + "." + quoted_name(column.name);
      if (!where.encoded) {
        switch (family_of(column.type.id)) {
          case family::integer:
          case family::real:
          case family::text:
          case family::binary: break;
          default: reference = fmt::format("t_foreign({},{})", reference, pack(column.type)); break;
        }
      }
      added.columns.push_back(
          {column.name, std::move(reference), column.type, column.nullable, column.identity, column.computed});
    }
    sql = quoted_name(where.physical) + " AS " + alias;
  }
  rename(added.columns, t.alias);
  for (const auto& other : s.sources) {
    if (same_name(other.alias, added.alias) && same_name(other.schema, added.schema)) {
      fail(1011, errc::syntax,
           fmt::format("The correlation name '{}' is specified multiple times in a FROM clause.", added.alias), at.pos);
    }
  }
  s.sources.push_back(std::move(added));
  return sql;
}

std::string translator::derived(const relation& r, const tsql::table_alias& alias, scope& s) {
  if (failed()) return {};
  const std::string sql_alias = next_alias();
  source added;
  added.alias = alias.name.value;
  for (std::size_t i = 0; i < r.columns.size(); ++i) {
    const auto& column = r.columns[i];
    if (alias.columns.empty() && column.name.empty()) {
      fail(8155, errc::syntax,
           fmt::format("No column name was specified for column {} of '{}'.", i + 1, alias.name.value), here_);
      return {};
    }
    const sql_type type = column.type.id == sql_type_id::unknown ? make_type(sql_type_id::int_) : column.type;
    added.columns.push_back(
        {column.name, sql_alias + "." + alias_of(i), type, column.nullable, column.identity, column.computed});
  }
  rename(added.columns, alias);
  if (alias.columns.empty()) {
    for (std::size_t i = 0; i < added.columns.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (same_name(added.columns[i].name, added.columns[k].name)) {
          fail(
              8156, errc::syntax,
              fmt::format("The column '{}' was specified multiple times for '{}'.", added.columns[i].name, added.alias),
              here_);
          return {};
        }
      }
    }
  }
  s.sources.push_back(std::move(added));
  return fmt::format("({}) AS {}", r.sql, sql_alias);
}

relation translator::values_relation(const tsql::values_table& t, scope* outer) {
  scope none;
  none.outer = outer;
  std::vector<std::vector<typed>> rows;
  for (const auto& row : t.rows) {
    std::vector<typed> cells;
    for (const auto& e : row.values) cells.push_back(value(e, none));
    if (!rows.empty() && rows.front().size() != cells.size()) {
      fail(10709, errc::syntax, "The number of columns for each row in a table value constructor must be the same.",
           here_);
      return {};
    }
    rows.push_back(std::move(cells));
  }
  relation r;
  if (failed() || rows.empty()) return r;
  std::vector<sql_type> types;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    std::vector<typed> column;
    for (const auto& row : rows) column.push_back(row[i]);
    types.push_back(unify(column));
    r.columns.push_back({i < t.alias.columns.size() ? t.alias.columns[i].value : std::string(), types[i]});
  }
  std::string list;
  for (std::size_t i = 0; i < types.size(); ++i)
    list += fmt::format("{}column{} AS {}", i > 0 ? "," : "", i + 1, alias_of(i));
  std::string body;
  for (const auto& row : rows) {
    body += body.empty() ? "(" : ",(";
    for (std::size_t i = 0; i < row.size(); ++i) body += (i > 0 ? "," : "") + coerce(row[i], types[i]).sql;
    body += ")";
  }
  r.sql = fmt::format("SELECT {} FROM (VALUES {})", list, body);
  return r;
}

std::string translator::values(const tsql::values_table& t, scope& s) {
  return derived(values_relation(t, s.outer), t.alias, s);
}

std::string translator::joined(const tsql::joined_table& t, scope& s) {
  const std::size_t before = s.sources.size();
  std::string left = from(*t.left, s);
  const std::size_t middle = s.sources.size();
  std::string right = from(*t.right, s);
  if (failed()) return {};
  if (t.right->as<tsql::joined_table>() != nullptr) right = "(" + right + ")";
  const char* word = " JOIN ";
  switch (t.kind) {
    case tsql::join_kind::left: word = " LEFT JOIN "; break;
    case tsql::join_kind::right: word = " RIGHT JOIN "; break;
    case tsql::join_kind::full: word = " FULL JOIN "; break;
    case tsql::join_kind::cross: word = " CROSS JOIN "; break;
    default: break;
  }
  std::string sql = left + word + right;
  if (t.on) sql += " ON " + condition(*t.on, s);
  const auto may_be_missing = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (auto& c : s.sources[i].columns) c.nullable = true;
    }
  };
  if (t.kind == tsql::join_kind::left || t.kind == tsql::join_kind::full) may_be_missing(middle, s.sources.size());
  if (t.kind == tsql::join_kind::right || t.kind == tsql::join_kind::full) may_be_missing(before, middle);
  return sql;
}

// The right side runs once for each row of the left, as a nested statement whose parameters are the outer columns.
std::string translator::applied(const tsql::joined_table& t, scope& s) {
  std::string left = from(*t.left, s);
  if (failed()) return {};
  const bool outer = t.kind == tsql::join_kind::outer_apply;
  const char* word = outer ? " LEFT JOIN " : " JOIN ";
  const char* on = outer ? " ON 1" : "";
  if (t.right->as<tsql::function_table>() != nullptr) {
    std::string right = from(*t.right, s);
    if (outer && !s.sources.empty()) {
      for (auto& c : s.sources.back().columns) c.nullable = true;
    }
    return left + word + right + on;
  }
  const auto* derived_right = t.right->as<tsql::derived_table>();
  const auto* values_right = t.right->as<tsql::values_table>();
  if (derived_right == nullptr && values_right == nullptr) {
    // Nothing on the right can refer to the left: a cross join.
    std::string right = from(*t.right, s);
    if (t.right->as<tsql::joined_table>() != nullptr) right = "(" + right + ")";
    return left + (outer ? " LEFT JOIN " : " CROSS JOIN ") + right + on;
  }
  std::vector<std::string> captured;
  scope border;
  border.outer = &s;
  border.captured = &captured;
  relation r =
      derived_right != nullptr ? query(*derived_right->query, &border) : values_relation(*values_right, &border);
  if (failed()) return {};
  const tsql::table_alias& alias = derived_right != nullptr ? derived_right->alias : values_right->alias;
  if (captured.empty()) return left + word + derived(r, alias, s) + (outer ? " ON 1" : "");
  for (std::size_t i = 0; i < r.columns.size(); ++i) {
    if (r.columns[i].type.id == sql_type_id::unknown) r.columns[i].type = make_type(sql_type_id::int_);
  }
  if (captured.size() > 30 || r.columns.size() > 64) {
    refused("APPLY with so many columns", here_);
    return {};
  }
  if (!ctes_.empty() && r.sql.find(" w") != std::string::npos) {
    for (const auto& c : ctes_) {
      if (r.sql.find(" " + c.sql_name + " AS ") != std::string::npos) {
        refused("APPLY over a common table expression", here_);
        return {};
      }
    }
  }
  const std::string sql_alias = next_alias();
  source added;
  added.alias = alias.name.value;
  for (std::size_t i = 0; i < r.columns.size(); ++i) {
    const auto& column = r.columns[i];
    added.columns.push_back({column.name, fmt::format("{}.c{}", sql_alias, i + 1), column.type, true, false, true});
  }
  rename(added.columns, alias);
  s.sources.push_back(std::move(added));
  std::string arguments;
  for (const auto& a : captured) arguments += "," + a;
  return fmt::format("{}{}t_apply({}{}) AS {}{}", left, word, quoted(r.sql), arguments, sql_alias, on);
}

// PIVOT: the columns that are neither aggregated nor pivoted are groups.
std::string translator::pivoted(const tsql::pivoted_table& t, scope& s) {
  scope inner;
  inner.outer = s.outer;
  const std::string source_sql = from(*t.source, inner);
  if (failed()) return {};
  inner.in_aggregate = true;
  const typed pivot = value(t.pivot_column, inner);
  std::vector<typed> arguments;
  for (const auto& a : t.arguments) arguments.push_back(value(a, inner));
  if (failed()) return {};
  std::string groups;
  relation r;
  std::string list;
  for (const auto& from : inner.sources) {
    for (const auto& c : from.columns) {
      bool used = c.sql == pivot.sql;
      for (const auto& a : arguments) used |= c.sql == a.sql;
      if (used) continue;
      const typed v{c.sql, c.type, {}, c.nullable};
      groups += (groups.empty() ? " GROUP BY " : ",") + collated(v);
      list += (list.empty() ? "" : ",") + c.sql + " AS " + alias_of(r.columns.size());
      r.columns.push_back({c.name, c.type, c.nullable});
    }
  }
  // Each column is the aggregate of a CASE over its value.
  const std::string hidden = "\x01pivot";
  for (const auto& name : t.values) {
    tsql::function_call f;
    f.name = t.aggregate;
    typed key{quoted(name.value), make_type(sql_type_id::nvarchar, 128), name.value, false};
    const std::string test = comparison(tsql::comparison_operator::equal, pivot, key);
    scope cell;
    source one;
    one.alias = hidden;
    const typed argument = arguments.empty() ? typed{"1", make_type(sql_type_id::int_), {}, false} : arguments.front();
    one.columns.push_back(
        {"x", fmt::format("CASE WHEN {} THEN {} END", test, argument.sql), argument.type, true, false, true});
    cell.sources.push_back(std::move(one));
    cell.grouped = true;
    tsql::column_ref x;
    x.name.value = "x";
    f.arguments.push_back({x, {}});
    const typed v = call(f, cell);
    if (failed()) return {};
    list += (list.empty() ? "" : ",") + v.sql + " AS " + alias_of(r.columns.size());
    r.columns.push_back({name.value, v.type});
  }
  r.sql = fmt::format("SELECT {} FROM {}{}", list, source_sql, groups);
  return derived(r, t.alias, s);
}

std::string translator::unpivoted(const tsql::unpivoted_table& t, scope& s) {
  scope inner;
  inner.outer = s.outer;
  const std::string source_sql = from(*t.source, inner);
  std::vector<typed> all;
  for (const auto& c : t.columns) all.push_back(value(c, inner));
  if (failed()) return {};
  const sql_type type = unify(all);
  relation r;
  std::string fixed;
  for (const auto& from : inner.sources) {
    for (const auto& c : from.columns) {
      const bool used = std::any_of(all.begin(), all.end(), [&](const typed& v) { return v.sql == c.sql; });
      if (used) continue;
      fixed += c.sql + " AS " + alias_of(r.columns.size()) + ",";
      r.columns.push_back({c.name, c.type, c.nullable});
    }
  }
  const std::size_t fixed_count = r.columns.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* c = t.columns[i].as<tsql::column_ref>();
    const std::string name = c == nullptr ? std::string() : c->name.value;
    r.sql += fmt::format("{}SELECT {}{} AS {},{} AS {} FROM {} WHERE {} IS NOT NULL", i > 0 ? " UNION ALL " : "", fixed,
                         coerce(all[i], type).sql, alias_of(fixed_count), quoted(name), alias_of(fixed_count + 1),
                         source_sql, all[i].sql);
  }
  r.columns.push_back({t.value_column.value, type, false});
  r.columns.push_back({t.name_column.value, make_type(sql_type_id::nvarchar, 128), false});
  return derived(r, t.alias, s);
}

std::string translator::function(const tsql::function_table& t, scope& s) {
  const auto* f = t.call->as<tsql::function_call>();
  if (f == nullptr) {
    refused("a method in FROM", here_);
    return {};
  }
  const std::string name = upper_case(f->name.name.value);
  const std::string alias = next_alias();
  source added;
  added.alias = t.alias.name.empty() ? f->name.name.value : t.alias.name.value;
  std::string sql;
  std::vector<typed> arguments;
  for (const auto& a : f->arguments) arguments.push_back(value(a, s));
  if (failed()) return {};
  if (name == "STRING_SPLIT" && (arguments.size() == 2 || arguments.size() == 3)) {
    const typed text = as_text(arguments[0]);
    sql = fmt::format("t_split({},{}) AS {}", text.sql, as_text(arguments[1]).sql, alias);
    added.columns.push_back({"value", alias + ".c1", text.type, false, false, true});
    if (arguments.size() == 3)
      added.columns.push_back({"ordinal", alias + ".c2", make_type(sql_type_id::bigint), false, false, true});
  } else if (name == "GENERATE_SERIES" && (arguments.size() == 2 || arguments.size() == 3)) {
    const sql_type type = unify({arguments[0], arguments[1]});
    if (family_of(type.id) != family::integer) {
      refused("GENERATE_SERIES of a type that is no integer", here_);
      return {};
    }
    sql = fmt::format("t_series({},{},{}) AS {}", arguments[0].sql, arguments[1].sql,
                      arguments.size() == 3
                          ? arguments[2].sql
                          : fmt::format("CASE WHEN {}<={} THEN 1 ELSE -1 END", arguments[0].sql, arguments[1].sql),
                      alias);
    added.columns.push_back({"value", alias + ".c1", type, false, false, true});
  } else {
    if (!f->name.schema.empty()) {
      fail(208, errc::unknown_table,
           fmt::format("Invalid object name '{}.{}'.", f->name.schema.value, f->name.name.value), here_);
    } else {
      refused(name + " in FROM", here_);
    }
    return {};
  }
  rename(added.columns, t.alias);
  s.sources.push_back(std::move(added));
  return sql;
}

}  // namespace dragoman::sandbox
