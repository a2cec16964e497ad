// The row cap: no statement returns more rows than the policy says. It is written into the statement wherever that can
// be done without changing which rows come first or what they mean; the relay cuts in any case (verdict::row_cap).
#include <cstdlib>
#include <string>

#include "guard/context.h"
#include "guard/tsql/build.h"

namespace dragoman::guard {
namespace {

using tsql::expression;

const tsql::literal* number(const expression& e) {
  const auto* n = e.as<tsql::literal>();
  if (n == nullptr) return nullptr;
  return n->kind == tsql::literal_kind::integer || n->kind == tsql::literal_kind::decimal ? n : nullptr;
}

// Lowers a count to the cap: a number at once, a parameter when it is known. NULL stays NULL, the error that it is.
void lower(expression& count, std::uint64_t cap) {
  const auto limit = static_cast<std::int64_t>(cap);
  if (const auto* n = number(count)) {
    if (std::strtod(n->text.c_str(), nullptr) > static_cast<double>(cap)) count = tsql::make_int(limit);
    return;
  }
  std::vector<std::pair<expression, expression>> branches;
  branches.emplace_back(tsql::make_comparison(tsql::comparison_operator::greater, count, tsql::make_int(limit)),
                        tsql::make_int(limit));
  expression otherwise = std::move(count);
  count = tsql::make_case(std::move(branches), tsql::box<expression>(std::move(otherwise)));
}

void cap_offset(tsql::offset_fetch& o, std::uint64_t cap) {
  if (o.fetch) {
    lower(*o.fetch, cap);
  } else {
    o.fetch = tsql::make_int(static_cast<std::int64_t>(cap));
  }
}

bool one_row(const check_context& c, const tsql::query_specification& spec) {
  if (spec.from.empty()) return true;
  if (spec.group_by) return false;
  for (const auto& s : c.bound.specifications) {
    if (s.node == &spec) return s.aggregated;
  }
  return false;
}

// The query becomes a derived table of a SELECT that has the TOP. Not where a column has no name: it would get one.
bool wrap(check_context& c, tsql::query_expression& q, std::uint64_t cap, std::vector<tsql::order_item> order) {
  const auto& columns = c.out.columns;
  bool unique = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name.empty()) return false;
    for (std::size_t j = 0; j < i; ++j) unique = unique && !catalog::same_name(columns[i].name, columns[j].name);
  }
  if (!unique && !order.empty()) return false;
  std::vector<tsql::select_item> items;
  tsql::derived_table inner;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (unique) {
      items.push_back(tsql::make_item(tsql::make_column(columns[i].name)));
      continue;
    }
    const std::string given = "c" + std::to_string(i + 1);
    inner.alias.columns.push_back({given});
    items.push_back(tsql::make_item(tsql::make_column(given), columns[i].name));
  }
  const tsql::source_position pos = q.pos;
  inner.alias.name.value = "capped";
  inner.query = std::move(q);
  std::vector<tsql::table_source> from;
  from.push_back(tsql::table_source{tsql::table_node(std::move(inner)), {}});
  q = tsql::make_select(std::move(items), std::move(from));
  q.pos = pos;
  q.order_by = std::move(order);
  q.specification()->top = tsql::make_top(static_cast<std::int64_t>(cap));
  return true;
}

// The ORDER BY of a query in terms of what it selects; nothing where it orders by something else.
std::optional<std::vector<tsql::order_item>> order_by_outputs(const check_context& c, const tsql::query_expression& q) {
  std::vector<tsql::order_item> out;
  for (const auto& item : q.order_by) {
    std::string name;
    if (const auto* n = item.value->as<tsql::literal>()) {
      const std::size_t ordinal = std::strtoul(n->text.c_str(), nullptr, 10);
      if (ordinal >= 1 && ordinal <= c.out.columns.size()) name = c.out.columns[ordinal - 1].name;
    } else if (const auto* ref = item.value->as<tsql::column_ref>(); ref != nullptr && ref->table.empty()) {
      for (const auto& column : c.out.columns) {
        if (catalog::same_name(column.name, ref->name.value)) name = column.name;
      }
    }
    if (name.empty()) return std::nullopt;
    out.push_back(tsql::make_order(tsql::make_column(name), item.descending));
  }
  return out;
}

void cap_top(check_context& c, tsql::query_expression& q, tsql::top_clause& top, std::uint64_t cap) {
  if (!top.percent) return lower(top.count, cap);
  // All of it is no limit at all.
  const auto* n = number(top.count);
  if (n != nullptr && std::strtod(n->text.c_str(), nullptr) == 100) {
    top.percent = false;
    top.with_ties = false;
    top.count = tsql::make_int(static_cast<std::int64_t>(cap));
    return;
  }
  if (q.for_) return;
  if (auto order = order_by_outputs(c, q)) (void)wrap(c, q, cap, std::move(*order));
}

// A union has no TOP. With an ORDER BY it takes FETCH; without, it is wrapped.
void cap_set_operation(check_context& c, tsql::query_expression& q, std::uint64_t cap) {
  if (q.offset) return cap_offset(*q.offset, cap);
  if (q.order_by.empty()) {
    if (!q.for_) (void)wrap(c, q, cap, {});
    return;
  }
  tsql::offset_fetch o;
  o.offset = tsql::make_int(0);
  o.fetch = tsql::make_int(static_cast<std::int64_t>(cap));
  q.offset = std::move(o);
}

}  // namespace

void apply_row_cap(check_context& c) {
  const std::uint64_t cap = c.options.row_cap ? *c.options.row_cap
                            : c.generated()   ? c.principal.row_cap_generated
                                              : c.principal.row_cap;
  c.out.row_cap = cap;
  if (cap == 0) return;
  tsql::query_expression& q = c.statement.query;
  auto* spec = q.specification();
  if (spec == nullptr) return cap_set_operation(c, q, cap);
  if (q.offset) return cap_offset(*q.offset, cap);
  if (spec->top) return cap_top(c, q, *spec->top, cap);
  if (one_row(c, *spec)) return;
  spec->top = tsql::make_top(static_cast<std::int64_t>(cap));
}

}  // namespace dragoman::guard
