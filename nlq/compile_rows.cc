// Rows rather than measures: lists of members, existence of events, single facts, the median.

#include <algorithm>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"
#include "nlq/compile_builder.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

namespace {

std::vector<expression> named_conditions(select_builder& b, const semantic_layer& layer,
                                         const std::vector<std::string>& ids, const std::vector<value_filter>& filters,
                                         std::vector<std::string>& applied) {
  std::vector<expression> out;
  for (const std::string& id : ids) {
    const named_filter* f = layer.find_filter(id);
    if (f == nullptr) continue;
    bool named = std::any_of(filters.begin(), filters.end(),
                             [&](const value_filter& x) { return x.dimension == f->dimension && !x.negated; });
    if (named) continue;
    out.push_back(b.resolve(f->condition));
    applied.push_back(id);
  }
  return out;
}

void add_attribute_filters(const query_intent& q, const semantic_layer& layer, select_builder& b,
                           std::vector<expression>& where) {
  for (const attribute_filter& f : q.attribute_filters) {
    const attribute* a = layer.find_attribute(f.attribute);
    if (a == nullptr) throw cannot_compile{f.attribute};
    where.push_back(compare_numbers(f.op, b.resolve(a->value), f.low, f.high));
  }
}

// EXISTS (SELECT 1 FROM facts WHERE they are the member's and the clause holds)
expression exists_clause(const event_clause& c, const semantic_layer& layer, const std::string& entity_role,
                         const std::string& entity_key, const expression& outer_key,
                         std::vector<std::string>& applied) {
  const event* e = layer.find_event(c.event);
  if (e == nullptr) throw cannot_compile{c.event};
  select_builder inner(layer, e->role);
  std::vector<expression> where;
  // The member's key as the fact holds it: the other side of the join that leads to it.
  auto steps = layer.path(e->role, entity_role);
  if (!steps || steps->empty()) throw cannot_compile{entity_role};
  bool linked = false;
  if (steps->size() == 1) {
    const role_join& j = *steps->front();
    if (const auto* equal = j.on.as<tsql::comparison>(); equal != nullptr && equal->op == comparison_operator::equal) {
      for (const auto* side : {&equal->left, &equal->right}) {
        const column_ref* ref = (*side)->as<column_ref>();
        if (ref != nullptr && ref->table.name.value == e->role) {
          where.push_back(make_equal(inner.resolve(**side), outer_key));
          linked = true;
        }
      }
    }
  }
  if (!linked) where.push_back(make_equal(inner.column(entity_role, entity_key), outer_key));
  for (expression& x : named_conditions(inner, layer, e->filters, c.filters, applied)) where.push_back(std::move(x));
  for (const value_filter& f : c.filters) where.push_back(inner.where_value(f));
  if (!c.periods.empty()) where.push_back(inner.where_any(c.periods, inner.time_role()));
  query_expression query = make_select({make_item(make_int(1))}, inner.from());
  query.specification()->where = make_and(std::move(where));
  expression out = make_exists(std::move(query));
  return c.negated ? make_not(std::move(out)) : out;
}

}  // namespace

compiled compile_list(const query_intent& q, const semantic_layer& layer) {
  if (q.groups.empty()) throw cannot_compile{"a list of nothing"};
  const dimension* head = layer.find_dimension(q.groups[0].dimension);
  if (head == nullptr) throw cannot_compile{q.groups[0].dimension};
  std::string base;
  const event* happened = layer.find_event(q.facts_event);
  if (q.distinct_facts) {
    base = happened != nullptr ? happened->role : layer.details.empty() ? std::string{} : layer.details.front().role;
  } else {
    base = !q.base.empty() ? q.base : q.groups[0].role.empty() ? head->roles.front() : q.groups[0].role;
    // The role from which everything listed can be reached.
    for (const group& g : q.groups) {
      const dimension* d = layer.find_dimension(g.dimension);
      if (d == nullptr || d->roles.empty()) continue;
      const std::string& r = g.role.empty() ? d->roles.front() : g.role;
      if (!layer.path(base, r) && layer.path(r, base)) base = r;
    }
    for (const std::string& id : q.extra_columns) {
      const attribute* a = layer.find_attribute(id);
      if (a != nullptr && !layer.path(base, a->role) && layer.path(a->role, base)) base = a->role;
    }
    // A filter on what only the described entity has ("categories of … ") widens the base, too.
    for (const value_filter& f : q.filters) {
      const dimension* d = layer.find_dimension(f.dimension);
      if (d == nullptr || d->roles.empty() || !d->cases.empty()) continue;
      const std::string& r = f.role.empty() ? d->roles.front() : f.role;
      if (!layer.path(base, r) && layer.path(r, base)) base = r;
    }
  }
  select_builder b(layer, base);
  compiled out;
  std::vector<select_item> items;
  std::vector<expression> where, order;
  bool key_shown = false;
  for (const group& g : q.groups) {
    const dimension* d = layer.find_dimension(g.dimension);
    group_columns c = columns_of(g, q, layer, b, true);
    for (const shown_column& s : c.shown) {
      items.push_back(make_item(s.value, s.alias));
      out.output_names.push_back(s.alias);
      order.push_back(s.value);
    }
    for (const auto& [column, alias] : d->listed) {
      if (!q.distinct_facts) continue;
      items.push_back(make_item(b.column(b.role_of(*d, g.role), column), alias));
      out.output_names.push_back(alias);
    }
    if (d->entity && !d->key.empty() && b.role_of(*d, g.role) == base) key_shown = true;
  }
  for (const std::string& id : q.extra_columns) {
    const attribute* a = layer.find_attribute(id);
    if (a == nullptr) continue;
    items.push_back(make_item(b.resolve(a->value), a->alias));
    out.output_names.push_back(a->alias);
  }
  for (const value_filter& f : q.filters) where.push_back(b.where_value(f));
  add_attribute_filters(q, layer, b, where);
  if (happened != nullptr) {
    for (expression& e : named_conditions(b, layer, happened->filters, q.filters, out.applied_filters))
      where.push_back(std::move(e));
  }
  if (!q.periods.empty()) where.push_back(b.where_any(q.periods, b.time_role()));
  query_expression e = make_select(std::move(items), b.from());
  e.specification()->distinct = !key_shown;
  e.specification()->where = make_and(std::move(where));
  for (expression& o : order) e.order_by.push_back(make_order(std::move(o)));
  out.select.query = std::move(e);
  return out;
}

compiled compile_existence(const query_intent& q, const semantic_layer& layer) {
  compiled out;
  std::vector<select_item> items;
  std::vector<expression> where;
  if (q.groups[0].time) {
    // Days come from the calendar itself.
    const event* e = layer.find_event(q.clauses.front().event);
    if (e == nullptr) throw cannot_compile{q.clauses.front().event};
    const role* fact = layer.find_role(e->role);
    const std::string date_role = fact->time;
    select_builder b(layer, date_role);
    const calendar_columns* cal = layer.find_calendar(q.calendar);
    const grain_columns& day = cal->grains.at(grain::day);
    expression date = b.over_date(day.number, date_role);
    items.push_back(make_item(date, day.number_alias));
    out.output_names.push_back(day.number_alias);
    if (!day.name.empty()) {
      items.push_back(make_item(b.over_date(day.name, date_role), day.name_alias));
      out.output_names.push_back(day.name_alias);
    }
    if (q.count_members) {
      items = {make_item(make_count_star(), "day_count")};
      out.output_names = {"day_count"};
    }
    for (const period& p : q.periods) where.push_back(b.where_period(p, date_role));
    if (q.periods.empty() && layer.first_day && layer.last_day) {
      where.push_back(make_between(b.column(date_role, layer.date_column), date_literal(*layer.first_day),
                                   date_literal(*layer.last_day)));
    }
    for (const event_clause& c : q.clauses) {
      // The calendar row is outside; the facts of the day are inside under another alias of nothing but the fact.
      where.push_back(
          exists_clause(c, layer, date_role, layer.date_key, b.column(date_role, layer.date_key), out.applied_filters));
    }
    query_expression query = make_select(std::move(items), b.from());
    query.specification()->where = make_and(std::move(where));
    if (!q.count_members) query.order_by.push_back(make_order(date));
    out.select.query = std::move(query);
    return out;
  }
  const dimension* d = layer.find_dimension(q.groups[0].dimension);
  if (d == nullptr || d->key.empty()) throw cannot_compile{q.groups[0].dimension};
  const std::string entity_role = d->roles.front();
  // "no order in the last 6 months": those who ordered before and stopped.
  const bool lapsed = !q.count_members && q.clauses.size() == 1 && q.clauses[0].negated &&
                      q.clauses[0].periods.size() == 1 && q.clauses[0].periods[0].rolling;
  if (lapsed) {
    const event* e = layer.find_event(q.clauses[0].event);
    if (e == nullptr) throw cannot_compile{q.clauses[0].event};
    select_builder b(layer, e->role);
    expression last = make_call("MAX", {b.column(b.time_role(), layer.date_column)});
    group_columns c = columns_of(q.groups[0], q, layer, b, true);
    for (const shown_column& s : c.shown) items.push_back(make_item(s.value, s.alias));
    items.push_back(make_item(last, "last_order"));
    for (expression& x : named_conditions(b, layer, e->filters, q.filters, out.applied_filters))
      where.push_back(std::move(x));
    for (const value_filter& f : q.filters) where.push_back(b.where_value(f));
    for (const value_filter& f : q.clauses[0].filters) where.push_back(b.where_value(f));
    query_expression query = make_select(std::move(items), b.from());
    query_specification& s = *query.specification();
    s.where = make_and(std::move(where));
    group_by_clause by;
    for (const expression& k : c.keys) by.elements.push_back(make_grouping(k));
    s.group_by = by;
    s.having = make_comparison(comparison_operator::less, last, date_literal(*q.clauses[0].periods[0].first));
    query.order_by.push_back(make_order(last));
    for (const expression& o : c.order) query.order_by.push_back(make_order(o));
    out.output_names = {d->alias, "last_order"};
    out.select.query = std::move(query);
    return out;
  }
  select_builder b(layer, entity_role);
  group_columns c = columns_of(q.groups[0], q, layer, b, true);
  for (const shown_column& s : c.shown) {
    items.push_back(make_item(s.value, s.alias));
    out.output_names.push_back(s.alias);
  }
  for (const auto& [column, alias] : d->listed) {
    items.push_back(make_item(b.column(entity_role, column), alias));
    out.output_names.push_back(alias);
  }
  if (q.count_members) {
    items = {make_item(make_count_star(), d->alias + "_count")};
    out.output_names = {d->alias + "_count"};
  }
  for (const value_filter& f : q.filters) where.push_back(b.where_value(f));
  expression key = b.column(entity_role, d->key);
  for (const event_clause& clause : q.clauses) {
    where.push_back(exists_clause(clause, layer, entity_role, d->key, key, out.applied_filters));
  }
  query_expression query = make_select(std::move(items), b.from());
  query.specification()->where = make_and(std::move(where));
  if (!q.count_members) {
    for (const expression& o : c.order) query.order_by.push_back(make_order(o));
  }
  out.select.query = std::move(query);
  return out;
}

// The columns of a list of single facts. What it names by itself is what it shows, of each kind: things (customer,
// broker) replace the usual things, figures (amount, quantity) the usual figures. Key, date and what is `always` shown
// stay, and what belongs beside a figure stays with it.
static std::vector<std::string> detail_columns(const query_intent& q, const detail_list& list,
                                               const semantic_layer& layer) {
  auto has = [](const std::vector<std::string>& all, const std::string& x) {
    return std::find(all.begin(), all.end(), x) != all.end();
  };
  auto attribute_of = [&](const std::string& column) -> const attribute* {
    for (const attribute& a : layer.attributes) {
      if (a.id == column || (a.role == list.role && a.alias == column)) return &a;
    }
    return nullptr;
  };
  const std::string key = layer.find_role(list.role)->key;
  std::vector<std::string> out;
  if (!q.asked.empty()) {
    // "Whose is the largest order?": who it is, and what tells the order.
    out = q.asked;
    for (const auto* more : {&q.extra_columns, &list.whose}) {
      for (const std::string& c : *more) {
        const attribute* a = attribute_of(c);
        if (!has(out, c) && !(a != nullptr && has(out, a->alias))) out.push_back(c);
      }
    }
    return out;
  }
  std::vector<std::string> things, figures;
  for (const std::string& c : q.extra_columns) (attribute_of(c) != nullptr ? figures : things).push_back(c);
  const bool unbounded = !q.top && q.periods.empty() && q.filters.empty() && q.attribute_filters.empty();
  std::vector<std::string> usual = unbounded ? list.unbounded_columns : list.columns;
  if (unbounded) things.clear(), figures.clear();  // everything: to be cut down once it is confirmed
  for (const attribute_filter& f : q.attribute_filters) {
    // A list about one figure may have columns of its own.
    const attribute* a = layer.find_attribute(f.attribute);
    if (a != nullptr && !a->columns.empty()) usual = a->columns;
  }
  auto named = [&](const std::string& column) {
    const attribute* a = attribute_of(column);
    return has(q.extra_columns, column) || (a != nullptr && (has(q.extra_columns, a->id) || has(figures, a->alias)));
  };
  auto belongs_beside = [&](const std::string& column, bool of_usual) {
    return std::any_of(layer.attributes.begin(), layer.attributes.end(), [&](const attribute& a) {
      if (!has(a.beside, column)) return false;
      return of_usual ? has(usual, a.alias) || has(usual, a.id) : has(figures, a.id);
    });
  };
  for (const std::string& c : usual) {
    bool stays = c == key || c == "@date" || named(c) || has(list.always, c);
    if (!stays && belongs_beside(c, true)) {
      stays = figures.empty() || belongs_beside(c, false);
    } else if (!stays) {
      stays = attribute_of(c) != nullptr ? figures.empty() : things.empty();
    }
    if (stays) out.push_back(c);
  }
  auto add = [&](const std::string& c) {
    const attribute* a = attribute_of(c);
    if (!has(out, c) && !(a != nullptr && (has(out, a->alias) || has(out, a->id)))) out.push_back(c);
  };
  for (const std::string& c : q.extra_columns) add(c);
  for (const attribute_filter& f : q.attribute_filters) add(f.attribute);
  for (const std::string& c : figures) {
    for (const std::string& b : attribute_of(c)->beside) add(b);
  }
  return out;
}

compiled compile_detail(const query_intent& q, const semantic_layer& layer) {
  const detail_list* list = nullptr;
  for (const detail_list& d : layer.details) {
    if (d.role == q.base) list = &d;
  }
  if (list == nullptr) throw cannot_compile{q.base};
  select_builder b(layer, q.base);
  b.outer_optional();
  compiled out;
  std::vector<expression> where;
  const std::vector<std::string> columns = detail_columns(q, *list, layer);
  std::vector<select_item> items;
  for (const std::string& name : columns) {
    if (name == "@date") {
      items.push_back(make_item(b.column(b.time_role(), layer.date_column), layer.date_alias));
      out.output_names.push_back(layer.date_alias);
    } else if (layer.find_dimension(name) != nullptr) {
      group g;
      g.dimension = name;
      for (const shown_column& s : columns_of(g, q, layer, b, true).shown) {
        items.push_back(make_item(s.value, s.alias));
        out.output_names.push_back(s.alias);
      }
    } else if (const attribute* a = layer.find_attribute(name)) {
      items.push_back(make_item(b.resolve(a->value), a->alias));
      out.output_names.push_back(a->alias);
    } else {
      items.push_back(make_item(b.column(q.base, name)));
      out.output_names.push_back(name);
    }
  }
  for (const value_filter& f : q.filters) where.push_back(b.where_value(f));
  add_attribute_filters(q, layer, b, where);
  for (const attribute_filter& f : q.attribute_filters) {
    // A threshold in a currency compares amounts of that currency only.
    const attribute* a = layer.find_attribute(f.attribute);
    if (a == nullptr || a->unit != measure_unit::money || a->defaults.empty()) continue;
    for (expression& e : named_conditions(b, layer, a->defaults, q.filters, out.applied_filters))
      where.push_back(std::move(e));
  }
  const attribute* rank = layer.find_attribute(q.rank_attribute);
  if (rank != nullptr) {
    for (expression& e : named_conditions(b, layer, rank->filters, q.filters, out.applied_filters))
      where.push_back(std::move(e));
    for (expression& e : named_conditions(b, layer, rank->defaults, q.filters, out.applied_filters))
      where.push_back(std::move(e));
  }
  if (!q.periods.empty()) where.push_back(b.where_any(q.periods, b.time_role()));
  std::vector<order_item> order;
  expression key = b.column(q.base, layer.find_role(q.base)->key);
  if (rank != nullptr) {
    order.push_back(make_order(b.resolve(rank->value), q.top->descending));
    order.push_back(make_order(key));
  } else if (q.newest_first || q.oldest_first) {
    result<select_statement> parsed = parse_query("SELECT 1 FROM t ORDER BY " + list->newest);
    if (!parsed) throw cannot_compile{list->newest};
    for (order_item& o : parsed->query.order_by) {
      order.push_back(make_order(b.resolve(*o.value), q.newest_first ? o.descending : !o.descending));
    }
  } else {
    order.push_back(make_order(b.column(b.time_role(), layer.date_column)));
    order.push_back(make_order(key));
  }
  query_expression query = make_select(std::move(items), b.from());
  query_specification& s = *query.specification();
  s.where = make_and(std::move(where));
  if (q.top) s.top = make_top(q.top->rows);
  query.order_by = std::move(order);
  out.order_matters = q.top.has_value();
  out.select.query = std::move(query);
  return out;
}

// The middle value, or the mean of the two middle ones; no warehouse needs PERCENTILE_CONT for it.
compiled compile_median(const query_intent& q, const semantic_layer& layer) {
  const attribute* a = layer.find_attribute(q.median_attribute);
  if (a == nullptr) throw cannot_compile{q.median_attribute};
  select_builder b(layer, a->role);
  compiled out;
  std::vector<expression> where;
  for (const value_filter& f : q.filters) where.push_back(b.where_value(f));
  for (const auto* ids : {&a->filters, &a->defaults}) {
    for (expression& e : named_conditions(b, layer, *ids, q.filters, out.applied_filters))
      where.push_back(std::move(e));
  }
  if (!q.periods.empty()) where.push_back(b.where_any(q.periods, b.time_role()));
  expression value = b.resolve(a->value);
  where.push_back(make_is_null(value, true));
  std::vector<select_item> inner_items, items;
  std::vector<expression> partition, keys;
  for (const group& g : q.groups) {
    group_columns c = columns_of(g, q, layer, b, !within_one_year(q.periods, q.calendar));
    for (const shown_column& s : c.shown) {
      inner_items.push_back(make_item(s.value, s.alias));
      items.push_back(make_item(make_column("x", s.alias), s.alias));
      keys.push_back(make_column("x", s.alias));
      out.output_names.push_back(s.alias);
    }
    partition.insert(partition.end(), c.keys.begin(), c.keys.end());
  }
  auto windowed = [&](expression call, bool ordered) {
    function_call* f = call.as<function_call>();
    over_clause over;
    over.definition.partition_by = partition;
    if (ordered)
      over.definition.order_by = {make_order(value), make_order(b.column(a->role, layer.find_role(a->role)->key))};
    f->over = over;
    return call;
  };
  inner_items.push_back(make_item(value, "v"));
  inner_items.push_back(make_item(windowed(make_call("ROW_NUMBER"), true), "rn"));
  inner_items.push_back(make_item(windowed(make_count_star(), false), "n"));
  query_expression inner = make_select(std::move(inner_items), b.from());
  inner.specification()->where = make_and(std::move(where));
  auto middle = [&](std::int64_t add) {
    return make_binary(binary_operator::divide, make_binary(binary_operator::add, make_column("x", "n"), make_int(add)),
                       make_int(2));
  };
  const std::string alias = "median_" + a->id;
  expression v = make_column("x", "v");
  if (a->unit == measure_unit::days || a->unit == measure_unit::count)
    v = make_binary(binary_operator::multiply, make_decimal("1.0"), std::move(v));
  items.push_back(make_item(make_call("AVG", {std::move(v)}), alias));
  out.output_names.push_back(alias);
  std::vector<table_source> from;
  from.push_back(make_derived(std::move(inner), "x"));
  query_expression e = make_select(std::move(items), std::move(from));
  e.specification()->where = make_in(make_column("x", "rn"), {middle(1), middle(2)});
  if (!keys.empty()) {
    group_by_clause by;
    for (const expression& k : keys) by.elements.push_back(make_grouping(k));
    e.specification()->group_by = by;
    for (const expression& k : keys) e.order_by.push_back(make_order(k));
  }
  out.select.query = std::move(e);
  return out;
}

}  // namespace dragoman::nlq
