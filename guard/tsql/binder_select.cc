#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/limits.h"
#include "guard/tsql/binder_impl.h"

namespace dragoman::tsql::detail {
namespace {

constexpr const char* order_by_in_subquery =
    "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table "
    "expressions, unless TOP, OFFSET or FOR XML is also specified.";

// The count of a TOP that is a plain number, otherwise nothing.
std::optional<double> literal_count(const expression& e) {
  const auto* number = e.as<literal>();
  if (number == nullptr || number->kind != literal_kind::integer || number->text.size() > 18) return std::nullopt;
  return std::stod(number->text);
}

}  // namespace

std::vector<bound_column> binder::bind_specification(query_expression& q, query_specification& s, scope* outer,
                                                     query_role role) {
  scope sc;
  sc.parent = outer;
  sc.specification = static_cast<std::uint32_t>(out_.specifications.size());
  sc.windows = &s.windows;
  out_.specifications.push_back({&s, q.pos, {}, 1, 0, false, false});
  if (q.for_) {
    const auto* xml = std::get_if<for_xml>(q.for_.get());
    const auto* json = std::get_if<for_json>(q.for_.get());
    out_.specifications.back().for_auto =
        (xml != nullptr && xml->mode == for_xml_mode::auto_) || (json != nullptr && json->mode == for_json_mode::auto_);
  }

  if (!s.into.empty()) fail(errc::not_read_only, "SELECT INTO is not allowed: this gateway only reads.", s.into.pos);
  bind_from(s, sc);
  if (s.where && !failed()) {
    sc.in = clause::where;
    bind_condition(*s.where, sc);
  }
  if (s.group_by && !failed()) {
    sc.in = clause::group_by;
    bind_group_by(*s.group_by, sc);
    sc.grouped = true;
  }
  sc.in = clause::select;
  for (auto& w : s.windows) bind_window(w.definition, sc);
  std::vector<bound_column> outputs;
  if (!failed()) outputs = bind_items(s, sc, role);
  if (s.having && !failed()) {
    sc.in = clause::having;
    sc.has_aggregate = true;  // HAVING makes one group of all rows where GROUP BY is missing
    bind_expression(*s.having, sc);
  }
  if (!q.order_by.empty() && !failed()) {
    const bool nested = role != query_role::statement;
    if (nested && !s.top && !q.offset && !q.for_) fail(errc::syntax, order_by_in_subquery, q.pos, 1033);
    sc.in = clause::order_by;
    bind_order(q, s, sc, outputs);
  }
  if (s.top) {
    bind_top(*s.top);
    if (q.offset) {
      fail(errc::syntax, "A TOP can not be used in the same query or sub-query as a OFFSET.", q.pos, 10741);
    }
    if (s.top->with_ties && q.order_by.empty()) {
      fail(errc::syntax, "The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause.", q.pos,
           1062);
    }
  }
  bind_offset(q);
  if (!sc.grouped && sc.has_aggregate && sc.bare && !failed()) failure_ = std::move(sc.bare);
  // What failed may have left ties to a source that was never added.
  if (failed()) return outputs;
  auto& noted = out_.specifications[sc.specification];
  noted.aggregated = sc.grouped || sc.has_aggregate;
  estimate(sc, s);
  if (sc.has_aggregate && !sc.grouped) query_rows_ = 1;
  if (s.top && !s.top->percent) {
    if (const auto n = literal_count(s.top->count)) query_rows_ = std::min(query_rows_, *n);
  }
  if (q.offset && q.offset->fetch) {
    if (const auto n = literal_count(*q.offset->fetch)) query_rows_ = std::min(query_rows_, *n);
  }
  out_.specifications[sc.specification].rows = query_rows_;
  return outputs;
}

void binder::bind_from(query_specification& s, scope& sc) {
  sc.in = clause::from;
  for (auto& source : s.from) {
    if (failed()) return;
    sc.low = static_cast<std::uint32_t>(sc.sources.size());
    bind_source(source, sc);
  }
  sc.low = 0;
  sc.high = static_cast<std::uint32_t>(sc.sources.size());
  out_.specifications[sc.specification].sources = sc.sources;
  check_exposed_names(sc);
}

void binder::check_exposed_names(const scope& sc) {
  for (std::size_t i = 0; i < sc.sources.size(); ++i) {
    const bound_source& a = out_.sources[sc.sources[i]];
    if (a.consumed) continue;
    for (std::size_t j = 0; j < i; ++j) {
      const bound_source& b = out_.sources[sc.sources[j]];
      if (b.consumed || !same_name(a.exposed, b.exposed) || a.exposed.empty()) continue;
      // Two tables of different schemas may go without aliases; their columns are told apart by the schema.
      const bool both_bare = !a.aliased && !b.aliased && a.kind == source_kind::table && b.kind == source_kind::table;
      if (both_bare && a.binding.table != b.binding.table) continue;
      if (a.aliased && b.aliased) {
        return fail(errc::syntax,
                    fmt::format("The correlation name '{}' is specified multiple times in a FROM clause.", a.exposed),
                    a.node->pos, 1011);
      }
      return fail(errc::syntax,
                  fmt::format("The objects \"{}\" and \"{}\" in the FROM clause have the same exposed names. Use "
                              "correlation names to distinguish them.",
                              b.exposed, a.exposed),
                  a.node->pos, 1013);
    }
  }
}

// ---- GROUP BY -----------------------------------------------------------------------------------------------------

void binder::bind_group_by(group_by_clause& g, scope& sc) {
  if (g.all) out_.oddities.push_back({"GROUP BY ALL", {}});
  for (auto& element : g.elements) bind_grouping(element, sc);
}

void binder::bind_grouping(grouping_element& element, scope& sc) {
  for (auto& e : element.expressions) {
    const std::size_t first = out_.references.size();
    bind_expression(e, sc);
    if (failed()) return;
    if (e.as<column_ref>() != nullptr && out_.references.size() == first + 1) {
      sc.keys.emplace_back(out_.references[first].source, out_.references[first].column);
    } else {
      remember(sc.key_expressions, e, sc);
    }
  }
  for (auto& inner : element.elements) bind_grouping(inner, sc);
}

// ---- the select list ----------------------------------------------------------------------------------------------

std::vector<bound_column> binder::bind_items(query_specification& s, scope& sc, query_role role) {
  std::vector<bound_column> outputs;
  outputs.reserve(s.items.size());
  for (std::size_t i = 0; i < s.items.size() && !failed(); ++i) {
    select_item& item = s.items[i];
    if (auto* star = item.as<select_star>()) {
      bind_star(s, i, *star, sc, role, outputs, item.pos);
    } else if (auto* value = item.as<select_expression>()) {
      const value_type type = bind_expression(value->value, sc);
      bound_column out;
      out.type = type.type;
      out.nullable = type.nullable;
      out.name = value->alias.value;
      if (out.name.empty()) {
        if (const auto* ref = value->value.as<column_ref>()) out.name = ref->name.value;
      }
      outputs.push_back(out);
      if (too_many_columns(outputs.size(), item.pos)) break;
    } else {
      fail(errc::not_read_only,
           "A SELECT statement that assigns a value to a variable cannot be sent to the warehouse.", item.pos);
    }
  }
  return outputs;
}

// Stars multiply: what they stand for counts like what is written.
bool binder::too_many_columns(std::size_t of_one_select, source_position at) {
  if (of_one_select > limits::select_items_max) {
    fail(errc::too_complex, fmt::format("A SELECT may give at most {} columns.", limits::select_items_max), at);
  } else if (out_.expressions > limits::expressions_max) {
    fail(errc::too_complex, fmt::format("The statement has more than {} expressions.", limits::expressions_max), at);
  }
  return failed();
}

void binder::bind_star(query_specification& s, std::size_t index, select_star& star, scope& sc, query_role role,
                       std::vector<bound_column>& outputs, source_position at) {
  bound_star found;
  found.query = &s;
  found.item = index;
  found.specification = sc.specification;
  found.in_exists = role == query_role::exists;
  found.pos = at;
  // t.* may name a source of an enclosing query when this one has none of that name.
  scope* where = &sc;
  std::vector<std::uint32_t> sources;
  for (; where != nullptr && sources.empty(); where = star.table.empty() ? nullptr : where->parent) {
    for (std::uint32_t i = where->low; i < where->high; ++i) {
      const bound_source& source = out_.sources[where->sources[i]];
      if (source.consumed) continue;
      if (star.table.empty() || names_source(source, star.table)) sources.push_back(where->sources[i]);
    }
  }
  if (star.table.empty() && sc.sources.empty()) {
    return fail(errc::syntax, "Must specify table to select from.", at, 263);
  }
  if (sources.empty()) {
    return fail(errc::unknown_column,
                fmt::format("The column prefix '{}' does not match with a table name or alias name used in the query.",
                            as_written(star.table)),
                at, 107);
  }
  if (!star.table.empty() && sources.size() > 1) {
    return fail(errc::ambiguous_column,
                fmt::format("The multi-part identifier \"{}.*\" could not be bound.", as_written(star.table)), at,
                4104);
  }
  for (std::uint32_t source : sources) {
    const auto count = static_cast<std::uint32_t>(out_.sources[source].column_count());
    for (std::uint32_t c = 0; c < count; ++c) {
      const bound_source& from = out_.sources[source];
      if (from.kind == source_kind::table && options_.star_shows != nullptr &&
          !options_.star_shows(options_.context, from.binding, c)) {
        continue;
      }
      found.columns.emplace_back(source, c);
      outputs.push_back(column_of(source, c));
      ++out_.expressions;
      if (too_many_columns(outputs.size(), at)) return;
      if (sc.grouped || sc.has_aggregate) {
        found_column column{found_column::outcome::one, source, c, &sc};
        column_ref named;
        named.name.value = std::string(outputs.back().name);
        check_grouping(column, named, at);
      } else if (!sc.bare) {
        sc.bare.emplace(errc::unknown_column,
                        fmt::format("Column '{}' is invalid in the select list because it is not contained in either "
                                    "an aggregate function or the GROUP BY clause.",
                                    outputs.back().name),
                        at.line, at.column);
        sc.bare->number = 8120;
      }
    }
  }
  if (found.columns.empty()) {
    return fail(errc::unknown_column, "No column of the table may be shown.", at);
  }
  out_.stars.push_back(std::move(found));
}

// ---- ORDER BY -----------------------------------------------------------------------------------------------------

void binder::bind_order(query_expression& q, query_specification& s, scope& sc,
                        const std::vector<bound_column>& outputs) {
  std::unordered_set<std::string_view, catalog::name_hash, catalog::name_equal> known;  // names of outputs
  std::optional<expression_set> selected;
  bool any = false;  // may order a DISTINCT
  for (auto& item : q.order_by) {
    if (failed()) return;
    expression& e = *item.value;
    if (const auto* number = e.as<literal>(); number != nullptr && number->kind == literal_kind::integer) {
      if (number->text.size() > 9 || std::stoul(number->text) < 1 || std::stoul(number->text) > outputs.size()) {
        fail(errc::syntax,
             fmt::format("The ORDER BY position number {} is out of range of the number of items in the select list.",
                         number->text),
             e.pos, 108);
      }
      continue;
    }
    if (e.as<literal>() != nullptr) {
      fail(errc::syntax,
           fmt::format("A constant expression was encountered in the ORDER BY list, position {}.",
                       &item - q.order_by.data() + 1),
           e.pos, 408);
      continue;
    }
    // An output's name counts only where it stands alone (COLLATE aside); inside an expression it is a column.
    const expression* bare = &e;
    if (const auto* collated = e.as<collate>()) bare = collated->operand.get();
    if (const auto* ref = bare->as<column_ref>(); ref != nullptr && ref->table.empty()) {
      if (known.contains(ref->name.value)) continue;
      if (matches_output(*ref, s, outputs, bare->pos, sc)) {
        known.insert(ref->name.value);
        continue;
      }
    }
    bind_expression(e, sc);
    if (!s.distinct || failed()) continue;
    if (!selected) any = !distinct_items(s, sc, selected.emplace());
    if (!any && !contains(*selected, e, sc)) {
      fail(errc::syntax, "ORDER BY items must appear in the select list if SELECT DISTINCT is specified.", e.pos, 145);
    }
  }
}

bool binder::matches_output(const column_ref& ref, query_specification& s, const std::vector<bound_column>& outputs,
                            source_position at, scope& sc) {
  if (ref.pseudo != pseudo_column::none) return false;
  std::size_t matches = 0;
  bool alias = false;
  for (const auto& c : outputs) matches += same_name(c.name, ref.name.value) ? 1 : 0;
  if (matches == 0) return false;
  std::size_t plain = 0;
  for (const auto& item : s.items) {
    const auto* value = item.as<select_expression>();
    if (value == nullptr) continue;
    const auto* column = value->value.as<column_ref>();
    const bool same =
        same_name(value->alias.empty() && column != nullptr ? column->name.value : value->alias.value, ref.name.value);
    if (!same) continue;
    if (!value->alias.empty()) alias = true;
    if (column != nullptr) ++plain;
  }
  if (matches > 1) {
    // The same column twice is no ambiguity.
    bool one_column = plain == matches;
    std::optional<std::pair<std::uint32_t, std::uint32_t>> first;
    for (const auto& item : s.items) {
      const auto* value = item.as<select_expression>();
      const auto* column = value == nullptr ? nullptr : value->value.as<column_ref>();
      if (column == nullptr) continue;
      const auto& name = value->alias.empty() ? column->name.value : value->alias.value;
      if (!same_name(name, ref.name.value)) continue;
      const found_column found = find(&sc, *column);
      const std::pair<std::uint32_t, std::uint32_t> here{found.source, found.column};
      if (first && *first != here) one_column = false;
      first = here;
    }
    if (!one_column) {
      fail(errc::ambiguous_column, fmt::format("Ambiguous column name '{}'.", ref.name.value), at);
    }
    return true;
  }
  return alias || plain > 0 || matches == 1;
}

// With DISTINCT only what is selected can order the rows. False: a star may show anything.
bool binder::distinct_items(query_specification& s, scope& sc, expression_set& items) {
  for (const auto& item : s.items) {
    if (item.as<select_star>() != nullptr) return false;
    if (const auto* value = item.as<select_expression>()) remember(items, value->value, sc);
  }
  return true;
}

void binder::bind_top(top_clause& top) {
  scope none;
  none.in = clause::top;
  bind_expression(top.count, none);
  out_.counts.push_back({&top.count, top.percent});
}

// ---- how many rows ------------------------------------------------------------------------------------------------

// Sources that predicates tie together count as their largest; what nothing ties together multiplies.
void binder::estimate(scope& sc, const query_specification&) {
  const std::size_t n = sc.sources.size();
  query_rows_ = 1;
  if (n == 0) return;
  std::vector<std::uint64_t> groups;
  for (std::size_t i = 0; i < n; ++i) groups.push_back(std::uint64_t{1} << i);
  for (std::uint64_t mask : sc.connected) {
    std::uint64_t merged = mask;
    std::erase_if(groups, [&](std::uint64_t g) {
      if ((g & mask) == 0) return false;
      merged |= g;
      return true;
    });
    groups.push_back(merged);
  }
  std::size_t real_groups = 0;
  for (std::uint64_t g : groups) {
    double largest = 0;
    for (std::uint64_t rest = g; rest != 0; rest &= rest - 1) {
      const bound_source& source = out_.sources[sc.sources[static_cast<std::size_t>(std::countr_zero(rest))]];
      if (!source.consumed) largest = std::max(largest, source.rows);
    }
    query_rows_ *= std::max(largest, 1.0);
    ++real_groups;
  }
  if (real_groups > 1) out_.specifications[sc.specification].cross_rows = query_rows_;
}

}  // namespace dragoman::tsql::detail
