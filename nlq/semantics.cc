#include "nlq/semantics.h"

#include <algorithm>

#include <deque>
#include <map>

#include "guard/tsql/walk.h"

namespace dragoman::nlq {
namespace {

template <class T>
const T* find_in(const std::vector<T>& all, std::string_view id) noexcept {
  for (const T& x : all) {
    if (x.id == id) return &x;
  }
  return nullptr;
}

struct column_collector {
  std::vector<const tsql::column_ref*> refs;
  bool enter(const tsql::column_ref& ref) {
    refs.push_back(&ref);
    return false;
  }
};

}  // namespace

const role* semantic_layer::find_role(std::string_view id) const noexcept {
  return find_in(roles, id);
}
const dimension* semantic_layer::find_dimension(std::string_view id) const noexcept {
  return find_in(dimensions, id);
}
const metric* semantic_layer::find_metric(std::string_view id) const noexcept {
  return find_in(metrics, id);
}
const attribute* semantic_layer::find_attribute(std::string_view id) const noexcept {
  return find_in(attributes, id);
}
const event* semantic_layer::find_event(std::string_view id) const noexcept {
  return find_in(events, id);
}
const named_filter* semantic_layer::find_filter(std::string_view id) const noexcept {
  return find_in(filters, id);
}
const unit_word* semantic_layer::find_unit(std::string_view id) const noexcept {
  return find_in(units, id);
}

const entity* semantic_layer::find_entity(std::string_view id) const noexcept {
  return find_in(entities, id);
}
const entity_field* entity::find_field(std::string_view column) const noexcept {
  for (const entity_field& f : fields) {
    if (catalog::same_name(f.column, column)) return &f;
  }
  return nullptr;
}

const calendar_columns* semantic_layer::find_calendar(calendar_kind kind) const noexcept {
  for (const calendar_columns& c : calendars) {
    if (c.kind == kind) return &c;
  }
  return nullptr;
}

std::optional<std::vector<const role_join*>> semantic_layer::path(std::string_view base,
                                                                  std::string_view target) const {
  if (base == target) return std::vector<const role_join*>{};
  // Breadth first, so the shortest path; joins are tried in the order of the file, which makes it deterministic.
  std::map<std::string_view, const role_join*> reached;
  std::deque<std::string_view> open{base};
  while (!open.empty()) {
    std::string_view at = open.front();
    open.pop_front();
    for (const role_join& j : joins) {
      if (j.from != at || j.to == base || reached.contains(j.to)) continue;
      reached.emplace(j.to, &j);
      if (j.to == target) {
        std::vector<const role_join*> steps;
        for (std::string_view back = target; back != base; back = reached.at(back)->from) {
          steps.insert(steps.begin(), reached.at(back));
        }
        return steps;
      }
      open.push_back(j.to);
    }
  }
  return std::nullopt;
}

const sensitive_column* semantic_layer::find_sensitive(std::string_view schema, std::string_view table,
                                                       std::string_view column) const noexcept {
  for (const sensitive_column& s : sensitive)
    if (catalog::same_name(s.schema, schema) && catalog::same_name(s.table, table) &&
        catalog::same_name(s.column, column))
      return &s;
  return nullptr;
}

std::vector<std::string> check_semantics(const semantic_layer& layer, const catalog::database& database) {
  std::vector<std::string> mistakes;
  auto table_of = [&](const role& r) { return database.find_table(r.schema, r.table); };
  for (const role& r : layer.roles) {
    const catalog::table* t = table_of(r);
    if (t == nullptr) {
      mistakes.push_back("roles." + r.id + ": there is no table " + r.schema + "." + r.table);
    } else if (!r.key.empty() && t->find_column(r.key) == nullptr) {
      mistakes.push_back("roles." + r.id + ": " + t->full_name() + " has no column " + r.key);
    }
  }
  auto check_column = [&](const std::string& where, const std::string& role_id, const std::string& column) {
    if (column.empty()) return;
    const role* r = layer.find_role(role_id);
    const catalog::table* t = r != nullptr ? table_of(*r) : nullptr;
    if (t != nullptr && t->find_column(column) == nullptr) {
      mistakes.push_back(where + ": " + t->full_name() + " has no column " + column);
    }
  };
  auto check_expression = [&](const std::string& where, const tsql::expression& e) {
    column_collector found;
    tsql::walk(e, found);
    for (const tsql::column_ref* ref : found.refs) {
      if (ref->table.empty()) continue;
      if (layer.find_role(ref->table.name.value) == nullptr) {
        mistakes.push_back(where + ": there is no role " + ref->table.name.value);
      } else {
        check_column(where, ref->table.name.value, ref->name.value);
      }
    }
  };
  for (const role_join& j : layer.joins) check_expression("joins." + j.from + "." + j.to, j.on);
  for (const named_filter& f : layer.filters) check_expression("filters." + f.id, f.condition);
  for (const dimension& d : layer.dimensions) {
    const std::string where = "dimensions." + d.id;
    for (const std::string& r : d.roles) {
      if (!d.cases.empty()) break;
      check_column(where, r, d.key);
      check_column(where, r, d.name.en);
      check_column(where, r, d.name.fa);
      check_column(where, r, d.value_column);
      check_column(where, r, d.sort);
      for (const auto& [column, alias] : d.more) check_column(where, r, column);
      for (const auto& [column, alias] : d.listed) check_column(where, r, column);
      for (const std::string& column : d.search) check_column(where, r, column);
    }
    for (const dimension_case& c : d.cases) check_expression(where + "." + c.id, c.condition);
  }
  for (const metric& m : layer.metrics) {
    check_expression("metrics." + m.id, m.formula);
    if (m.minimum) check_expression("metrics." + m.id + ".minimum", *m.minimum);
    if (m.maximum) check_expression("metrics." + m.id + ".maximum", *m.maximum);
  }
  for (const attribute& a : layer.attributes) check_expression("attributes." + a.id, a.value);
  for (const entity& e : layer.entities) {
    const std::string where = "entities." + e.id;
    const catalog::table* t = database.find_table(e.schema, e.table);
    if (t == nullptr) {
      mistakes.push_back(where + ": there is no table " + e.schema + "." + e.table);
      continue;
    }
    auto need = [&](const catalog::table* in, const std::string& column) {
      if (in != nullptr && in->find_column(column) == nullptr)
        mistakes.push_back(where + ": " + in->full_name() + " has no column " + column);
    };
    for (const std::string& column : e.key) need(t, column);
    for (const std::string& column : e.display) need(t, column);
    for (const entity_field& f : e.fields) need(t, f.column);
    for (const entity_reference& r : e.references) {
      need(t, r.column);
      if (const entity* to = layer.find_entity(r.to)) need(database.find_table(to->schema, to->table), r.on);
    }
  }
  const auto check_name = [&](const std::string& where, const std::string& schema, const std::string& table,
                              const std::string& column) {
    const catalog::table* t = database.find_table(schema, table);
    if (t == nullptr) {
      mistakes.push_back(where + ": there is no table " + schema + "." + table);
    } else if (!column.empty() && t->find_column(column) == nullptr) {
      mistakes.push_back(where + ": " + t->full_name() + " has no column " + column);
    }
  };
  for (const business_rule& r : layer.rules)
    for (const business_rule::name& n : r.about) check_name("rules." + r.id, n.schema, n.table, n.column);
  for (const sensitive_column& s : layer.sensitive) check_name("sensitive", s.schema, s.table, s.column);
  return mistakes;
}

const dimension* semantic_layer::level_beside(std::string_view dimension_id, int step) const noexcept {
  for (const auto& [name, levels] : hierarchies) {
    const auto at = std::find(levels.begin(), levels.end(), dimension_id);
    if (at == levels.end()) continue;
    const auto to = (at - levels.begin()) + step;
    if (to >= 0 && to < static_cast<std::ptrdiff_t>(levels.size()))
      return find_dimension(levels[static_cast<std::size_t>(to)]);
  }
  return nullptr;
}

}  // namespace dragoman::nlq
