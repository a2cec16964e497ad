#include "nlq/entity_compile.h"

#include <algorithm>
#include <set>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"
#include "nlq/entity_compiler.h"

namespace dragoman::nlq {

std::string like_literal(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '[') {
      escaped += '[';
      escaped += c;
      escaped += ']';
    } else {
      escaped += c;
    }
  }
  return tsql::quote_string("%" + escaped + "%");
}

std::string entity_compiler::label(int e) const {
  return thing(e).words.en.empty() ? thing(e).id : thing(e).words.en.front();
}

std::string entity_compiler::said(const field_ref& f) const {
  const entity_field& x = field(f);
  return (x.words.en.empty() ? x.column : x.words.en.front()) + " of " + label(f.entity);
}

std::optional<std::string> entity_compiler::see(scope& s, int e, std::size_t mark) {
  std::optional<entity_path> best;
  std::string start;
  std::string way;
  for (const auto& [node, alias] : s.nodes) {
    // Only what the FROM began with is a place to start from; joined tables are passed through again.
    if (s.joins.end() != std::find_if(s.joins.begin(), s.joins.end(), [&](const auto& j) { return j.second == alias; }))
      continue;
    auto path = map_.forward(node, e, mark);
    if (!path || (best && best->size() <= path->size())) continue;
    best = std::move(path);
    start = alias;
  }
  if (!best) return std::nullopt;
  std::string at = start;
  way = start;
  for (const entity_step& step : *best) {
    out_.references.push_back(step.by);
    way += "/" + std::to_string(step.by.entity) + "." + std::to_string(step.by.reference);
    auto [found, fresh] = s.joins.try_emplace(way);
    if (fresh) {
      found->second = new_alias();
      s.from += " JOIN " + table_of(step.to, found->second) + " ON " + equals(step, at, found->second);
      s.nodes.emplace_back(step.to, found->second);
      note(step.to);
    }
    at = found->second;
  }
  return at;
}

entity_compiler::scope entity_compiler::lead(int from, const std::string& alias, int to, std::size_t mark) {
  auto path = map_.any(from, to, mark);
  if (!path) throw cannot_read{label(from) + " and " + label(to) + " are not related", {}};
  if (path->empty()) throw cannot_read{"a thing is related to itself", {}};
  scope s;
  std::string at = alias;
  for (std::size_t k = 0; k < path->size(); ++k) {
    const entity_step& step = (*path)[k];
    const std::string next = new_alias();
    out_.references.push_back(step.by);
    note(step.to);
    if (k == 0) {
      s.root = step.to;
      s.root_alias = next;
      s.from = table_of(step.to, next);
      s.where = equals(step, at, next);
    } else {
      s.from += " JOIN " + table_of(step.to, next) + " ON " + equals(step, at, next);
    }
    s.only_forward = s.only_forward && !step.forward;
    s.nodes.emplace_back(step.to, next);
    at = next;
  }
  return s;
}

std::string entity_compiler::value(const field_ref& f, const std::string& alias) const {
  return alias + "." + tsql::quote_identifier(field(f).column);
}

std::string entity_compiler::as_number(const field_ref& f, const std::string& alias) const {
  const entity_field& x = field(f);
  if (x.number_as_text) return "TRY_CONVERT(float, " + value(f, alias) + ")";
  return value(f, alias);
}

std::string entity_compiler::predicate(const entity_condition& c, const std::string& alias) {
  const entity_field& x = field(c.field);
  const bool numeric = x.kind == field_kind::number || x.kind == field_kind::year;
  if (!c.aggregate.empty()) {
    const std::string inner = new_alias();
    std::string of = as_number(c.field, inner);
    if (c.aggregate == "AVG" && !x.number_as_text) of = "CONVERT(float, " + of + ")";
    return as_number(c.field, alias) + " " + c.op + " (SELECT " + c.aggregate + "(" + of + ") FROM " +
           table_of(c.field.entity, inner) + ")";
  }
  if (c.op == "LIKE") return value(c.field, alias) + " LIKE " + like_literal(c.values.front());
  std::string left = numeric ? as_number(c.field, alias) : value(c.field, alias);
  std::vector<std::string> values;
  for (const std::string& v : c.values) {
    const bool digits = !v.empty() && v.find_first_not_of("0123456789.") == std::string::npos;
    if (numeric || x.kind == field_kind::date) {
      if (!digits) throw cannot_read{"this is no number", {v}};
      values.push_back(v);
    } else {
      values.push_back(tsql::quote_string(v));
    }
  }
  if (x.kind == field_kind::date) left = "YEAR(" + left + ")";
  if (c.op == "BETWEEN") return left + " BETWEEN " + values[0] + " AND " + values[1];
  if (values.size() == 1) return left + " " + c.op + " " + values[0];
  std::string list;
  for (const std::string& v : values) list += (list.empty() ? "" : ", ") + v;
  return left + (c.op == "<>" ? " NOT IN (" : " IN (") + list + ")";
}

void entity_compiler::say_condition(const entity_condition& c) {
  std::string text = said(c.field) + " " + c.op + " ";
  if (!c.aggregate.empty()) {
    text += c.aggregate == "AVG" ? "the average" : c.aggregate == "MIN" ? "the smallest" : "the largest";
  }
  for (std::size_t k = 0; k < c.values.size(); ++k)
    text += (k > 0 ? (c.op == "BETWEEN" ? " and " : " or ") : "") + c.values[k];
  words_.push_back(std::move(text));
}

std::string entity_compiler::figure(const entity_output& o) {
  switch (o.kind) {
    case entity_output::what::column: {
      auto alias = see(base_, o.field.entity, o.mark);
      if (!alias) throw cannot_read{"no table relates what is asked for", {}};
      return value(o.field, *alias);
    }
    case entity_output::what::aggregate: {
      auto alias = see(base_, o.field.entity, o.mark);
      if (!alias || o.field.entity != base_.root) throw cannot_read{"a figure that joins would multiply", {}};
      std::string of = as_number(o.field, *alias);
      if (o.aggregate == "AVG" && !field(o.field).number_as_text) of = "CONVERT(float, " + of + ")";
      return o.aggregate + "(" + of + ")";
    }
    case entity_output::what::count: {
      if (o.entity == base_.root || thing(base_.root).link) return "COUNT(*)";
      auto alias = see(base_, o.entity, o.mark);
      if (!alias || thing(o.entity).key.size() != 1) throw cannot_read{"no table relates what is asked for", {}};
      return "COUNT(DISTINCT " + *alias + "." + tsql::quote_identifier(thing(o.entity).key.front()) + ")";
    }
    case entity_output::what::count_distinct: {
      auto alias = see(base_, o.field.entity, o.mark);
      if (!alias) throw cannot_read{"no table relates what is asked for", {}};
      return "COUNT(DISTINCT " + value(o.field, *alias) + ")";
    }
  }
  return {};
}

entity_compiled entity_compiler::compile() {
  taken_.assign(f_.conditions.size(), false);
  std::vector<int> needed;
  auto need = [&](int e) {
    if (e >= 0 && std::find(needed.begin(), needed.end(), e) == needed.end()) needed.push_back(e);
  };
  bool figures = false;
  for (const entity_output& o : f_.outputs) {
    need(o.kind == entity_output::what::count ? o.entity : o.field.entity);
    if (o.kind != entity_output::what::column) {
      figures = true;
      measured_ = o.kind == entity_output::what::count ? o.entity : o.field.entity;
    }
  }
  for (const entity_order& o : f_.order) {
    if (o.by.kind == entity_output::what::count) {
      measured_ = o.by.entity;
      need(o.by.entity);
    } else if (o.by.mark != static_cast<std::size_t>(-1)) {
      need(o.by.field.entity);
    }
  }
  for (const int e : f_.group_entities) need(e);
  for (const field_ref& f : f_.group_fields) need(f.entity);
  // The subject is seen beside what is shown of others, and where conditions hang on it.
  if (!figures && measured_ < 0) need(f_.subject);
  for (const entity_threshold& t : f_.thresholds) {
    if (f_.subject >= 0 && f_.subject != t.entity) need(f_.subject);
    if (needed.empty()) need(t.entity);
  }
  if (!f_.absences.empty() && f_.subject >= 0 && (figures || measured_ >= 0)) need(f_.subject);
  if (needed.empty()) throw cannot_read{"nothing is asked for", {}};
  base_ = make_root(map_.base_of(needed, measured_ >= 0 ? measured_ : f_.subject));

  std::string list, groups;
  std::set<std::string> grouped;
  const bool grouping = !f_.group_fields.empty() || !f_.group_entities.empty();
  auto group_by = [&](const std::string& e) {
    if (grouped.insert(e).second) groups += (groups.empty() ? "" : ", ") + e;
  };
  // Columns are only asked of the base and what it refers to, so the joins exist before the conditions are made.
  std::vector<std::string> expressions;
  for (const entity_output& o : f_.outputs) expressions.push_back(figure(o));
  thresholds();
  conditions();
  absences();
  const bool groups_rows = !having_.empty() && !figures;
  std::set<std::string> names;
  for (std::size_t k = 0; k < f_.outputs.size(); ++k) {
    const entity_output& o = f_.outputs[k];
    std::string name;
    if (o.kind == entity_output::what::count)
      name = "number of " + label(o.entity);
    else if (o.kind == entity_output::what::count_distinct)
      name = "number of " + field(o.field).column;
    else if (o.kind == entity_output::what::aggregate)
      name = (o.aggregate == "AVG"   ? "average "
              : o.aggregate == "SUM" ? "total "
              : o.aggregate == "MIN" ? "smallest "
                                     : "largest ") +
             field(o.field).column;
    else
      name = field(o.field).column;
    for (int n = 2; !names.insert(name).second; ++n) name = field(o.field).column + " " + std::to_string(n);
    out_.output_names.push_back(name);
    list += (list.empty() ? "" : ", ") + expressions[k] + " AS " + tsql::quote_identifier(name);
    if (o.kind == entity_output::what::column && (grouping || groups_rows)) group_by(expressions[k]);
  }
  if (grouping) {
    for (const int e : f_.group_entities) {
      auto alias = see(base_, e, 0);
      if (!alias) throw cannot_read{"no table relates what is asked for", {}};
      for (const std::string& k : thing(e).key) group_by(*alias + "." + tsql::quote_identifier(k));
    }
  }
  if (groups_rows) {
    // Rows of one name or key each are no groups.
    for (const entity_output& o : f_.outputs) {
      if (o.field.entity == base_.root &&
          (field(o.field).kind == field_kind::name || field(o.field).kind == field_kind::key))
        throw cannot_read{"it is not clear who has them", {}};
    }
  }
  bool first_only = false;
  if (figures && groups.empty() && f_.order.size() == 1 && f_.limit == 1 &&
      f_.order.front().by.kind == entity_output::what::column &&
      f_.order.front().by.mark != static_cast<std::size_t>(-1) && f_.order.front().by.field.entity != measured_) {
    // "the number of concerts in the stadium with the highest capacity"
    const field_ref by = f_.order.front().by.field;
    auto alias = see(base_, by.entity, f_.order.front().by.mark);
    const entity& e = thing(by.entity);
    const bool narrowed = std::any_of(f_.conditions.begin(), f_.conditions.end(),
                                      [&](const entity_condition& c) { return c.field.entity == by.entity; });
    if (alias && e.key.size() == 1 && !narrowed) {
      const std::string inner = new_alias();
      where_.push_back(*alias + "." + tsql::quote_identifier(e.key.front()) + " = (SELECT TOP (1) " + inner + "." +
                       tsql::quote_identifier(e.key.front()) + " FROM " + table_of(by.entity, inner) + " WHERE " +
                       value(by, inner) + " IS NOT NULL ORDER BY " + as_number(by, inner) +
                       (f_.order.front().descending ? " DESC" : " ASC") + ")");
      words_.push_back(std::string(f_.order.front().descending ? "largest " : "smallest ") + said(by));
      out_.assumptions.push_back("Of several equal ones at the limit, one is taken.");
      first_only = true;
    }
  }
  if (figures && groups.empty() && !f_.order.empty() && !first_only)
    throw cannot_read{"a figure of the first rows only", {}};
  if (!having_.empty() && figures && groups.empty()) throw cannot_read{"a count of what has so many", {}};
  if (grouping && !having_.empty() && measured_ < 0)
    throw cannot_read{"a threshold on something that is not counted", {}};
  std::string order;
  for (const entity_order& o : f_.order) {
    if (first_only) break;
    std::string by;
    if (o.by.kind == entity_output::what::count) {
      entity_output counted = o.by;
      if (counted.entity < 0) counted.entity = base_.root;
      by = figure(counted);
      if (groups.empty()) throw cannot_read{"it is not clear who has them", {}};
      words_.push_back(std::string(o.descending ? "most " : "fewest ") + label(counted.entity));
      if (!o.descending) out_.assumptions.push_back("Only those that have any are compared.");
    } else if (o.by.mark == static_cast<std::size_t>(-1)) {
      if (expressions.empty()) throw cannot_read{"it is not clear what to order by", {}};
      by = expressions.front();
    } else {
      auto alias = see(base_, o.by.field.entity, o.by.mark);
      if (!alias) throw cannot_read{"no table relates what is asked for", {}};
      by = as_number(o.by.field, *alias);
      if (!groups.empty() && !grouped.contains(value(o.by.field, *alias)))
        throw cannot_read{"an order that groups do not have", {}};
      if (f_.limit > 0) where_.push_back(value(o.by.field, *alias) + " IS NOT NULL");
      words_.push_back("by " + said(o.by.field) + (o.descending ? ", largest first" : ", smallest first"));
    }
    order += (order.empty() ? "" : ", ") + by + (o.descending ? " DESC" : " ASC");
  }
  // Equal ones stand in an order that is the same every time: by what is shown of
  // groups, else by key.
  if (!order.empty() && !f_.distinct) {
    if (!groups.empty()) {
      for (std::size_t k = 0; k < f_.outputs.size(); ++k) {
        if (f_.outputs[k].kind == entity_output::what::column && order.find(expressions[k] + " ") == std::string::npos)
          order += ", " + expressions[k] + " ASC";
      }
    } else if (!figures) {
      for (const std::string& k : thing(base_.root).key) {
        const std::string key = base_.root_alias + "." + tsql::quote_identifier(k);
        if (order.find(key + " ") == std::string::npos) order += ", " + key + " ASC";
      }
    }
  }
  bool distinct = f_.distinct && !figures && groups.empty();
  if (distinct && !order.empty()) {
    // T-SQL orders distinct rows by what they show.
    bool shown = false;
    for (const std::string& e : expressions) shown = shown || order.starts_with(e + " ");
    if (!shown) throw cannot_read{"an order by what is not shown", {}};
  }
  std::string sql = "SELECT ";
  if (distinct) sql += "DISTINCT ";
  if (f_.limit > 0 && !first_only) sql += "TOP (" + std::to_string(f_.limit) + ") ";
  sql += list + " FROM " + base_.from;
  for (std::size_t k = 0; k < where_.size(); ++k) sql += (k == 0 ? " WHERE " : " AND ") + where_[k];
  if (!groups.empty()) sql += " GROUP BY " + groups;
  if (!having_.empty()) sql += " HAVING " + having_;
  if (!order.empty()) sql += " ORDER BY " + order;
  auto parsed = tsql::parse_query(sql);
  if (!parsed) throw cannot_read{parsed.error().message, {}};
  out_.select = std::move(*parsed);
  out_.order_matters = !order.empty();
  std::string shown;
  for (std::size_t k = 0; k < f_.outputs.size(); ++k) shown += (k > 0 ? ", " : "") + out_.output_names[k];
  out_.interpretation = shown + " from " + label(base_.root);
  if (grouping) out_.interpretation += ", for each";
  for (std::size_t k = 0; k < words_.size(); ++k) out_.interpretation += (k == 0 ? " where " : "; ") + words_[k];
  if (f_.limit > 0 && !first_only) {
    out_.interpretation += "; the first " + std::to_string(f_.limit);
    out_.assumptions.push_back("Of several equal ones at the limit, one is shown.");
  }
  return std::move(out_);
}

entity_compiled compile_entities(const entity_frame& frame, const semantic_layer& layer) {
  return entity_compiler(frame, layer).compile();
}

}  // namespace dragoman::nlq
