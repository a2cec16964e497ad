#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "base/limits.h"
#include "guard/tsql/binder_impl.h"

namespace dragoman::tsql::detail {
namespace {

// What a table counts as when the catalogue does not say.
constexpr double rows_of_unknown_table = 1'000'000;
constexpr double rows_of_split = 100;

std::optional<double> number_of(const expression& e) {
  if (const auto* minus = e.as<unary>(); minus != nullptr && minus->op == unary_operator::minus) {
    const auto inner = number_of(*minus->operand);
    if (inner) return -*inner;
    return std::nullopt;
  }
  const auto* number = e.as<literal>();
  if (number == nullptr) return std::nullopt;
  if (number->kind != literal_kind::integer && number->kind != literal_kind::decimal) return std::nullopt;
  return std::strtod(number->text.c_str(), nullptr);
}

// Rows of GENERATE_SERIES; without numbers to go by, more than any limit.
double series_rows(const std::vector<expression>& arguments) {
  if (arguments.size() < 2) return HUGE_VAL;
  const auto start = number_of(arguments[0]), stop = number_of(arguments[1]);
  const auto step = arguments.size() > 2 ? number_of(arguments[2]) : std::optional<double>(1);
  if (!start || !stop || !step || *step == 0) return HUGE_VAL;
  return std::abs((*stop - *start) / *step) + 1;
}

}  // namespace

template <class F>
auto binder::beside(scope& sc, F f) {
  const auto low = sc.low, high = sc.high;
  scope* visible = sc.parent;
  if (sc.lateral) {
    sc.low = sc.lateral_low;
    sc.high = sc.lateral_high;
    visible = &sc;
  }
  auto out = f(visible);
  sc.low = low;
  sc.high = high;
  return out;
}

bound_source& binder::add_source(scope& sc, source_kind kind, table_source* node, const table_alias& alias,
                                 source_position at) {
  if (sc.sources.size() >= limits::joins_max || out_.sources.size() >= limits::joins_max * 4) {
    fail(errc::too_complex, fmt::format("The query names more than {} tables.", limits::joins_max), at);
  }
  bound_source source;
  source.kind = kind;
  source.node = node;
  source.exposed = alias.name.value;
  source.aliased = !alias.name.empty();
  source.specification = sc.specification;
  // Positions are bits of a mask; past the limit the statement has failed already.
  source.position = static_cast<std::uint32_t>(std::min<std::size_t>(sc.sources.size(), 63));
  if (!failed()) sc.sources.push_back(static_cast<std::uint32_t>(out_.sources.size()));
  out_.sources.push_back(std::move(source));
  sc.high = static_cast<std::uint32_t>(sc.sources.size());
  return out_.sources.back();
}

void binder::bind_source(table_source& source, scope& sc) {
  if (failed()) return;
  if (++nesting_ > limits::expression_depth_max) {
    return fail(errc::too_complex, "The query is nested too deeply.", source.pos);
  }
  std::visit(
      overloaded{
          [&](named_table& t) { bind_named(source, t, sc); },
          [&](variable_table& t) {
            fail(errc::unknown_table, fmt::format("Must declare the table variable \"{}\".", t.name), source.pos, 1087);
          },
          [&](derived_table& t) { bind_derived(source, t, sc); },
          [&](values_table& t) { bind_values(source, t, sc); },
          [&](function_table& t) { bind_function_table(source, t, sc); },
          [&](rowset_function& t) {
            fail(errc::function_not_allowed,
                 fmt::format("'{}' is not a recognized built-in function name.", function_of(t.kind)), source.pos);
          },
          [&](fulltext_table&) {
            fail(errc::unsupported_construct, "Full-text rowset functions are not supported.", source.pos);
          },
          [&](joined_table& t) { bind_join(t, sc); },
          [&](pivoted_table& t) { bind_pivot(source, t, sc); },
          [&](unpivoted_table& t) { bind_unpivot(source, t, sc); },
      },
      source.node);
  --nesting_;
}

void binder::bind_named(table_source& source, named_table& t, scope& sc) {
  if (!t.alias.columns.empty()) {
    return fail(errc::syntax, fmt::format("Incorrect syntax near '{}'.", t.alias.columns.front().value), source.pos);
  }
  if (t.system_time) out_.oddities.push_back({"FOR SYSTEM_TIME", source.pos});
  if (t.for_path) out_.oddities.push_back({"FOR PATH", source.pos});
  if (t.sample) {
    scope none;
    none.in = clause::top;
    if (t.sample->amount) bind_expression(*t.sample->amount, none);
    if (t.sample->repeatable) bind_expression(*t.sample->repeatable, none);
  }
  if (t.name.one_part()) {
    for (auto it = ctes_.rbegin(); it != ctes_.rend(); ++it) {
      if (!same_name(it->node->name.value, t.name.name.value)) continue;
      if (it->open) {
        ++it->recursive_references;
        if (!it->ready) {
          return fail(errc::syntax,
                      fmt::format("Recursive common table expression '{}' does not contain a top-level UNION ALL "
                                  "operator.",
                                  it->node->name.value),
                      source.pos, 252);
        }
      }
      if (t.sample || t.system_time) {
        return fail(errc::unsupported_construct, "TABLESAMPLE stands behind a table only.", source.pos);
      }
      bound_source& bound = add_source(sc, source_kind::cte, &source, t.alias, source.pos);
      if (!bound.aliased) bound.exposed = t.name.name.value;
      bound.columns = it->columns;
      bound.rows = it->rows;
      return;
    }
  }
  auto resolved = tables_.resolve(t.name);
  if (!resolved) {
    const failure& f = resolved.error();
    const source_position at = t.name.pos.line != 0 ? t.name.pos : source.pos;
    return fail(f.code, f.message, at, f.number);
  }
  bound_source& bound = add_source(sc, source_kind::table, &source, t.alias, source.pos);
  if (!bound.aliased) bound.exposed = t.name.name.value;
  bound.binding = *resolved;
  const auto& rows = resolved->table->row_count;
  bound.rows = rows ? static_cast<double>(*rows) : rows_of_unknown_table;
}

void binder::bind_derived(table_source& source, derived_table& t, scope& sc) {
  auto columns = beside(sc, [&](scope* outer) { return bind_query(*t.query, outer, query_role::derived); });
  if (failed()) return;
  name_columns(columns, t.alias.name.value, t.alias.columns, source.pos);
  const double rows = query_rows_;
  bound_source& bound = add_source(sc, source_kind::derived, &source, t.alias, source.pos);
  bound.columns = std::move(columns);
  bound.rows = rows;
}

void binder::bind_values(table_source& source, values_table& t, scope& sc) {
  std::vector<bound_column> columns;
  beside(sc, [&](scope* outer) {
    scope inside;
    inside.parent = outer;
    inside.in = clause::other;
    inside.specification = sc.specification;
    for (auto& row : t.rows) {
      if (&row != &t.rows.front() && row.values.size() != columns.size()) {
        fail(errc::syntax, "The number of columns for each row in a table value constructor must be the same.",
             source.pos, 10709);
        return 0;
      }
      columns.resize(row.values.size());
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const value_type v = bind_expression(row.values[i], inside);
        columns[i].type = &row == &t.rows.front() ? v.type : common_type(columns[i].type, v.type);
        columns[i].nullable = &row == &t.rows.front() ? v.nullable : columns[i].nullable || v.nullable;
      }
    }
    return 0;
  });
  if (failed()) return;
  name_columns(columns, t.alias.name.value, t.alias.columns, source.pos);
  bound_source& bound = add_source(sc, source_kind::values, &source, t.alias, source.pos);
  bound.columns = std::move(columns);
  bound.rows = static_cast<double>(t.rows.size());
}

// ---- functions ----------------------------------------------------------------------------------------------------

void binder::bind_function_table(table_source& source, function_table& t, scope& sc) {
  std::vector<bound_column> columns;
  double rows = rows_of_split;
  const auto add = [&](std::string_view name, sql_type type) { columns.push_back({name, type, true}); };
  const auto nvarchar_max = make_sql_type(sql_type_id::nvarchar, sql_type::max_length);

  beside(sc, [&](scope* outer) {
    scope inside;
    inside.parent = outer;
    inside.in = clause::other;
    inside.specification = sc.specification;
    auto* call = t.call->as<function_call>();
    if (call != nullptr && call->name.one_part()) {
      const function_info* info = find_function(call->name.name.value);
      if (info != nullptr && info->kind != function_kind::rowset) info = nullptr;
      for (auto& a : call->arguments) bind_expression(a, inside);
      note_call(info, call->name.name.value, *t.call, call->arguments.size());
      out_.calls.back().in_from = true;
      if (info == nullptr) {
        // Its columns are unknown, so nothing behind it could be resolved: the verdict is settled here.
        fail(errc::function_not_allowed, fmt::format("Invalid object name '{}'.", call->name.name.value), t.call->pos);
      } else if (info->name == "STRING_SPLIT" || info->name == "REGEXP_SPLIT_TO_TABLE") {
        add("value", nvarchar_max);
        if (info->name != "STRING_SPLIT" || call->arguments.size() > 2) {
          add("ordinal", make_sql_type(sql_type_id::bigint));
        }
      } else if (info->name == "GENERATE_SERIES") {
        add("value", make_sql_type(sql_type_id::int_));
        rows = series_rows(call->arguments);
      } else if (info->name == "OPENJSON" && t.schema.empty()) {
        add("key", make_sql_type(sql_type_id::nvarchar, 4000));
        add("value", nvarchar_max);
        add("type", make_sql_type(sql_type_id::tinyint));
      } else if (info->name == "REGEXP_MATCHES") {
        add("match_id", make_sql_type(sql_type_id::bigint));
        add("start_position", make_sql_type(sql_type_id::int_));
        add("end_position", make_sql_type(sql_type_id::int_));
        add("match_value", nvarchar_max);
        add("substring_matches", nvarchar_max);
      } else if (info->name != "OPENJSON") {
        fail(errc::function_not_allowed, fmt::format("'{}' is not a recognized built-in function name.", info->name),
             t.call->pos);
      }
      return 0;
    }
    // x.nodes('/a'): a method of a column or of an expression.
    if (call != nullptr && same_name(call->name.name.value, "nodes") && is_column_method(*call, inside)) {
      bind_call(*t.call, *call, inside);
    } else if (auto* method = t.call->as<method_call>(); method != nullptr && same_name(method->name.value, "nodes")) {
      bind_expression(*method->target, inside);
      for (auto& a : method->arguments) bind_expression(a, inside);
    } else {
      fail(errc::function_not_allowed,
           fmt::format("Invalid object name '{}'.", call != nullptr ? as_written(call->name) : std::string("?")),
           t.call->pos);
      return 0;
    }
    add("", make_sql_type(sql_type_id::xml));
    return 0;
  });
  if (failed()) return;
  for (auto& c : t.schema) {
    scope none;
    if (c.path) bind_expression(*c.path, none);
    if (type_of(c.type).id == sql_type_id::unknown) note_call(nullptr, as_written(c.type.name), *t.call, 1);
    add(c.name.value, c.as_json ? nvarchar_max : type_of(c.type));
  }
  if (!t.alias.columns.empty() || columns.empty() || columns.front().name.empty()) {
    name_columns(columns, t.alias.name.value, t.alias.columns, source.pos);
  }
  bound_source& bound = add_source(sc, source_kind::function, &source, t.alias, source.pos);
  if (!bound.aliased) {
    if (const auto* call = t.call->as<function_call>()) bound.exposed = call->name.name.value;
  }
  bound.columns = std::move(columns);
  bound.rows = rows;
}

// ---- joins --------------------------------------------------------------------------------------------------------

void binder::bind_join(joined_table& join, scope& sc) {
  const auto low = sc.low;
  const auto first = static_cast<std::uint32_t>(sc.sources.size());
  bind_source(*join.left, sc);
  const auto middle = static_cast<std::uint32_t>(sc.sources.size());
  const std::size_t first_reference = out_.references.size();
  const bool apply = join.kind == join_kind::cross_apply || join.kind == join_kind::outer_apply;
  if (apply) {
    const bool lateral = sc.lateral;
    const auto lateral_low = sc.lateral_low, lateral_high = sc.lateral_high;
    sc.lateral_low = lateral ? lateral_low : first;
    sc.lateral_high = middle;
    sc.lateral = true;
    bind_source(*join.right, sc);
    sc.lateral = lateral;
    sc.lateral_low = lateral_low;
    sc.lateral_high = lateral_high;
  } else {
    bind_source(*join.right, sc);
  }
  if (failed()) return;
  const auto end = static_cast<std::uint32_t>(sc.sources.size());
  if (apply) {
    std::uint64_t left = 0, right = 0;
    for (auto i = first; i < middle; ++i) left |= std::uint64_t{1} << i;
    for (auto i = middle; i < end; ++i) right |= std::uint64_t{1} << i;
    if (const auto used = touched(first_reference, sc) & left; used != 0) sc.connected.push_back(used | right);
  }
  if (join.on) {
    sc.low = sc.lateral ? std::min(sc.lateral_low, first) : first;
    sc.high = end;
    sc.in = clause::from;
    const std::size_t first_of_on = out_.references.size();
    bind_condition(*join.on, sc);
    // The ON of an outer join filters only the side that it may fill with NULL.
    const bool left = join.kind == join_kind::left || join.kind == join_kind::full;
    const bool right = join.kind == join_kind::right || join.kind == join_kind::full;
    for (std::size_t i = first_of_on; (left || right) && i < out_.references.size(); ++i) {
      bound_reference& r = out_.references[i];
      const bound_source& source = out_.sources[r.source];
      if (r.outer || source.specification != sc.specification) continue;
      if (source.position < middle ? left : right) r.compared = false;
    }
  }
  sc.low = low;
  sc.high = end;
}

// ---- PIVOT, UNPIVOT -----------------------------------------------------------------------------------------------

// The columns of everything bound since `from`, which the PIVOT hides from the rest of the query.
std::vector<bound_column> binder::take_columns(scope& sc, std::uint32_t from, source_position at) {
  std::vector<bound_column> columns;
  std::uint64_t mask = std::uint64_t{1} << std::min<std::size_t>(sc.sources.size(), 63);
  for (std::size_t i = from; i < sc.sources.size(); ++i) {
    bound_source& source = out_.sources[sc.sources[i]];
    mask |= std::uint64_t{1} << i;
    if (source.consumed) continue;
    source.consumed = true;
    for (std::uint32_t c = 0; c < source.column_count(); ++c) {
      if (source.kind == source_kind::table && options_.star_shows != nullptr &&
          !options_.star_shows(options_.context, source.binding, c)) {
        continue;
      }
      columns.push_back(column_of(sc.sources[i], c));
    }
  }
  if (columns.empty()) fail(errc::unknown_column, "No column of the table may be shown.", at);
  sc.connected.push_back(mask);
  return columns;
}

void binder::bind_pivot(table_source& source, pivoted_table& t, scope& sc) {
  const auto first = static_cast<std::uint32_t>(sc.sources.size());
  const auto low = sc.low;
  bind_source(*t.source, sc);
  if (failed()) return;
  sc.low = first;
  sc.high = static_cast<std::uint32_t>(sc.sources.size());
  double rows = 0;
  for (std::size_t i = first; i < sc.sources.size(); ++i) rows = std::max(rows, out_.sources[sc.sources[i]].rows);

  const function_info* info = t.aggregate.one_part() ? find_function(t.aggregate.name.value) : nullptr;
  if (info == nullptr || info->kind != function_kind::aggregate) {
    return fail(errc::function_not_allowed,
                fmt::format("'{}' is not a recognized aggregate function.", as_written(t.aggregate)), source.pos);
  }
  std::vector<sql_type> types;
  for (auto& a : t.arguments) types.push_back(bind_expression(a, sc).type);
  bind_expression(t.pivot_column, sc);
  note_call(info, t.aggregate.name.value, t.pivot_column, t.arguments.size());
  if (failed()) return;

  auto columns = take_columns(sc, first, source.pos);
  const auto drop = [&](const expression& e) {
    const auto* ref = e.as<column_ref>();
    if (ref != nullptr) std::erase_if(columns, [&](const auto& c) { return same_name(c.name, ref->name.value); });
  };
  for (const auto& a : t.arguments) drop(a);
  drop(t.pivot_column);
  const sql_type value = type_of_call(*info, types.data(), types.size());
  for (const auto& v : t.values) columns.push_back({v.value, value, true});
  name_columns(columns, t.alias.name.value, t.alias.columns, source.pos);
  if (failed()) return;
  bound_source& bound = add_source(sc, source_kind::pivot, &source, t.alias, source.pos);
  bound.columns = std::move(columns);
  bound.rows = rows;
  sc.low = low;
}

void binder::bind_unpivot(table_source& source, unpivoted_table& t, scope& sc) {
  const auto first = static_cast<std::uint32_t>(sc.sources.size());
  const auto low = sc.low;
  bind_source(*t.source, sc);
  if (failed()) return;
  sc.low = first;
  sc.high = static_cast<std::uint32_t>(sc.sources.size());
  double rows = 0;
  for (std::size_t i = first; i < sc.sources.size(); ++i) rows = std::max(rows, out_.sources[sc.sources[i]].rows);
  sql_type value;
  for (auto& c : t.columns) value = common_type(value, bind_expression(c, sc).type);
  if (failed()) return;
  auto columns = take_columns(sc, first, source.pos);
  for (const auto& c : t.columns) {
    const auto* ref = c.as<column_ref>();
    if (ref != nullptr) std::erase_if(columns, [&](const auto& k) { return same_name(k.name, ref->name.value); });
  }
  columns.push_back({t.value_column.value, value, true});
  columns.push_back({t.name_column.value, make_sql_type(sql_type_id::nvarchar, 128), false});
  name_columns(columns, t.alias.name.value, t.alias.columns, source.pos);
  if (failed()) return;
  bound_source& bound = add_source(sc, source_kind::unpivot, &source, t.alias, source.pos);
  bound.columns = std::move(columns);
  bound.rows = rows * static_cast<double>(std::max<std::size_t>(t.columns.size(), 1));
  sc.low = low;
}

}  // namespace dragoman::tsql::detail
