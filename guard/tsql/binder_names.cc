#include <fmt/format.h>

#include <algorithm>

#include "guard/tsql/binder_impl.h"
#include "guard/tsql/printer.h"
#include "guard/tsql/walk.h"

namespace dragoman::tsql::detail {
namespace {

using outcome = found_column::outcome;

// Expressions in an expression, itself included; counting ends beyond `most`.
std::size_t nodes_of(const expression& e, std::size_t most) {
  struct counter {
    std::size_t most;
    std::size_t count = 0;
    bool enter(const expression&) { return ++count <= most; }
    bool enter(const query_expression&) { return false; }
  };
  counter v{most};
  walk(e, v);
  return v.count;
}

std::size_t form_of(const expression& e, std::size_t nodes) {
  return nodes * std::variant_size_v<decltype(e.node)> + e.node.index();
}

}  // namespace

bound_column binder::column_of(std::uint32_t source, std::uint32_t column) const {
  const bound_source& s = out_.sources[source];
  if (s.kind != source_kind::table) return s.columns[column];
  const catalog::column& c = s.binding.table->columns[column];
  return {c.name, c.type, c.nullable};
}

// `t`, `schema.t` or `database.schema.t` in front of a column. An alias hides the table's own name.
bool binder::names_source(const bound_source& source, const object_name& qualifier) const {
  if (!qualifier.server.empty() || !same_name(source.exposed, qualifier.name.value)) return false;
  if (qualifier.one_part()) return true;
  if (source.kind != source_kind::table || source.aliased) return false;
  if (!same_name(source.binding.table->schema, qualifier.schema.value)) return false;
  return qualifier.database.empty() || tables_.same_database(qualifier.database.value, *source.binding.database);
}

found_column binder::find_here(scope& sc, const column_ref& ref) const {
  found_column found;
  found.where = &sc;
  bool table_seen = false;
  for (std::uint32_t i = sc.low; i < sc.high; ++i) {
    const std::uint32_t index = sc.sources[i];
    const bound_source& source = out_.sources[index];
    if (source.consumed) continue;
    if (!ref.table.empty()) {
      if (!names_source(source, ref.table)) continue;
      table_seen = true;
    }
    const auto take = [&](std::uint32_t c) {
      if (found.what == outcome::one) found.what = outcome::many;
      if (found.what == outcome::none) {
        found.what = outcome::one;
        found.source = index;
        found.column = c;
      }
    };
    if (source.kind == source_kind::table) {
      const auto c = source.binding.table->column_index(ref.name.value);
      if (c && (options_.exists == nullptr || options_.exists(options_.context, source.binding, *c))) {
        take(static_cast<std::uint32_t>(*c));
      }
    } else {
      for (std::uint32_t c = 0; c < source.columns.size(); ++c) {
        if (same_name(source.columns[c].name, ref.name.value)) take(c);
      }
    }
  }
  if (found.what == outcome::none && table_seen) found.what = outcome::no_such_column;
  return found;
}

found_column binder::find(scope* sc, const column_ref& ref) const {
  found_column found;
  for (; sc != nullptr; sc = sc->parent) {
    found = find_here(*sc, ref);
    if (found.what != outcome::none) return found;
  }
  return found;
}

value_type binder::bind_column(column_ref& ref, source_position at, scope& sc) {
  if (ref.pseudo != pseudo_column::none) {
    fail(errc::unsupported_construct, "Pseudo columns such as $IDENTITY and $ROWGUID are not supported.", at);
    return {};
  }
  const found_column found = find(&sc, ref);
  switch (found.what) {
    case outcome::none:
      if (ref.table.empty()) {
        fail(errc::unknown_column, fmt::format("Invalid column name '{}'.", ref.name.value), at);
      } else {
        fail(errc::unknown_column, fmt::format("The multi-part identifier \"{}\" could not be bound.", as_written(ref)),
             at, 4104);
      }
      return {};
    case outcome::no_such_column:
      fail(errc::unknown_column, fmt::format("Invalid column name '{}'.", ref.name.value), at);
      return {};
    case outcome::many:
      fail(errc::ambiguous_column, fmt::format("Ambiguous column name '{}'.", ref.name.value), at);
      return {};
    case outcome::one: break;
  }
  bound_reference r;
  r.node = &ref;
  r.pos = at;
  r.source = found.source;
  r.column = found.column;
  r.specification = sc.specification;
  r.in = sc.in;
  r.outer = out_.sources[found.source].specification != sc.specification;
  out_.references.push_back(r);
  check_grouping(found, ref, at);
  const bound_column c = column_of(found.source, found.column);
  return {c.type, c.nullable};
}

// In a query of groups a column is either one of the keys or inside an aggregate.
void binder::check_grouping(const found_column& found, const column_ref& ref, source_position at) {
  scope& sc = *found.where;
  if (sc.in != clause::select && sc.in != clause::having && sc.in != clause::order_by) return;
  if (sc.aggregate_depth > 0 || sc.key_depth > 0) return;
  const auto complaint = [&] {
    const char* place = sc.in == clause::select   ? "select list"
                        : sc.in == clause::having ? "HAVING clause"
                                                  : "ORDER BY clause";
    failure f(
        errc::unknown_column,
        fmt::format("Column '{}' is invalid in the {} because it is not contained in either an aggregate function "
                    "or the GROUP BY clause.",
                    as_written(ref), place),
        at.line, at.column);
    f.code = errc::syntax;
    f.number = 8120;
    return f;
  };
  if (!sc.grouped) {
    if (!sc.bare) sc.bare = complaint();
    return;
  }
  for (const auto& [source, column] : sc.keys) {
    if (source == found.source && column == found.column) return;
  }
  if (!failure_) failure_ = complaint();
}

// The text of an expression with every column replaced by what it stands for, so that `r.Name` and `Name` compare
// equal.
std::string binder::normalised(const expression& e, scope& sc) {
  struct replace {
    binder& self;
    scope& sc;
    bool enter(column_ref& ref) {
      const found_column found = self.find(&sc, ref);
      if (found.what != outcome::one) return false;
      ref.table = {};
      ref.name.value = fmt::format("{}.{}", found.source, found.column);
      return false;
    }
    bool enter(function_call& call) {
      for (char& c : call.name.name.value) c = catalog::fold(c);
      return true;
    }
    bool enter(query_expression&) { return false; }
  };
  expression copy = e;
  replace visitor{*this, sc};
  walk(copy, visitor);
  return print(copy);
}

void binder::remember(expression_set& set, const expression& e, scope& sc) {
  const std::size_t size = nodes_of(e, SIZE_MAX);
  set.texts.insert(normalised(e, sc));
  set.forms.insert(form_of(e, size));
  set.largest = std::max(set.largest, size);
}

bool binder::contains(const expression_set& set, const expression& e, scope& sc) {
  const std::size_t size = nodes_of(e, set.largest);
  return size <= set.largest && set.forms.contains(form_of(e, size)) && set.texts.contains(normalised(e, sc));
}

}  // namespace dragoman::tsql::detail
