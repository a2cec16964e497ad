// What the semantic layer adds to a prompt and to retrieval: its formulas and its words, without anything that the
// principal may not know.
#include <algorithm>
#include <optional>
#include <set>

#include "guard/catalog/names.h"
#include "guard/tsql/printer.h"
#include "guard/tsql/walk.h"
#include "nlq/plan.h"
#include "nlq/prompt.h"
#include "retrieval/hidden_names.h"
#include "retrieval/schema_text.h"

namespace dragoman::nlq {
namespace {

struct columns_of {
  std::vector<const tsql::column_ref*> found;
  bool enter(const tsql::column_ref& c) {
    found.push_back(&c);
    return true;
  }
};

// Looks at every column of an expression: all must be visible. Gathers the roles that it names.
class permission {
 public:
  permission(const semantic_layer& layer, const catalog::database& db, const retrieval::table_scope& scope)
      : layer_(layer), db_(db), scope_(scope) {}

  // Whether anything of the role's table may be known: COUNT(*) names no column.
  bool sees(const std::string& role_id) const {
    const role* r = layer_.find_role(role_id);
    const auto table = r == nullptr ? std::nullopt : db_.table_index(r->schema, r->table);
    return table && scope_.sees(*table);
  }

  bool sees(const role& r, const std::string& column) const {
    const auto table = db_.table_index(r.schema, r.table);
    if (!table || !scope_.sees(*table)) return false;
    const auto at = db_.tables[*table].column_index(column);
    return at && scope_.right(*table, *at) == retrieval::column_right::visible;
  }

  // joining: columns that may only join are allowed too.
  bool allows(const tsql::expression& e, std::set<std::string>& roles, bool joining = false) const {
    columns_of columns;
    tsql::walk(e, columns);
    for (const tsql::column_ref* c : columns.found) {
      const role* r = layer_.find_role(c->table.name.value);
      if (r == nullptr) return false;
      const auto table = db_.table_index(r->schema, r->table);
      if (!table) return false;
      const auto column = db_.tables[*table].column_index(c->name.value);
      if (!column || !scope_.sees(*table)) return false;
      const auto right = scope_.right(*table, *column);
      if (right == retrieval::column_right::hidden || (right == retrieval::column_right::join_only && !joining))
        return false;
      roles.insert(r->id);
    }
    return true;
  }

 private:
  const semantic_layer& layer_;
  const catalog::database& db_;
  const retrieval::table_scope& scope_;
};

constexpr std::size_t words_shown = 6;  // per language
constexpr std::size_t rule_bytes_max = 600;

std::string words_text(const phrases& words) {
  std::string out;
  for (const auto* list : {&words.en, &words.fa})
    for (std::size_t i = 0; i < std::min(list->size(), words_shown); ++i) out += (out.empty() ? "" : ", ") + (*list)[i];
  return out.empty() ? out : " (" + out + ")";
}

std::vector<std::string> every_phrase(const phrases& words) {
  std::vector<std::string> out = words.en;
  out.insert(out.end(), words.fa.begin(), words.fa.end());
  return out;
}

// The conditions of a metric's filters; nothing where one of them may not be known.
std::optional<std::string> filters_text(const semantic_layer& layer, const permission& may, const metric& m,
                                        std::set<std::string>& named) {
  std::string out;
  for (const auto* list : {&m.filters, &m.defaults})
    for (const std::string& id : *list) {
      const named_filter* f = layer.find_filter(id);
      if (f == nullptr || !may.allows(f->condition, named)) return std::nullopt;
      out += (out.empty() ? " where " : " and ") + tsql::print(f->condition);
      if (list == &m.defaults) out += " (unless the question says otherwise)";
    }
  return out;
}

}  // namespace

std::vector<definition> definitions_in(const semantic_layer& layer, const catalog::database& db,
                                       const retrieval::table_scope& scope) {
  const permission may(layer, db, scope);
  std::vector<definition> out;
  const auto add = [&](const std::string& id, const phrases& words, const std::string& means,
                       std::set<std::string> roles) {
    definition d;
    d.line = id + words_text(words) + means;
    d.phrases = every_phrase(words);
    for (const std::string& name : roles)
      if (const role* r = layer.find_role(name))
        if (const auto t = db.table_index(r->schema, r->table)) d.tables.insert(*t);
    d.roles = std::move(roles);
    out.push_back(std::move(d));
  };
  for (const metric& m : layer.metrics) {
    std::set<std::string> named;
    if (!may.sees(m.base) || !may.allows(m.formula, named)) continue;
    const auto filters = filters_text(layer, may, m, named);
    if (filters) add(m.id, m.words, " = " + tsql::print(m.formula) + *filters, std::move(named));
  }
  for (const attribute& a : layer.attributes) {
    std::set<std::string> named;
    if (may.allows(a.value, named)) add(a.id, a.words, " = " + tsql::print(a.value), std::move(named));
  }
  for (const dimension& d : layer.dimensions) {
    std::string means;
    std::set<std::string> named;
    bool seen = true;
    for (const dimension_case& c : d.cases) {
      seen = seen && may.allows(c.condition, named);
      means += (means.empty() ? " is " : "; ") + c.id + words_text(c.words) + " when " + tsql::print(c.condition);
    }
    if (!seen) continue;
    for (const std::string& id : d.roles) {
      const role* r = layer.find_role(id);
      if (!means.empty() || r == nullptr || !may.sees(*r, d.value_column)) continue;
      named.insert(id);
      means = " = " + id + "." + tsql::quote_identifier(d.value_column);
    }
    if (!means.empty()) add(d.id, d.words, means, std::move(named));
  }
  return out;
}

std::vector<std::string> roles_text(const semantic_layer& layer, const catalog::database& db,
                                    const retrieval::table_scope& scope, const std::set<std::string>& roles) {
  const permission may(layer, db, scope);
  std::vector<std::string> out;
  for (const role& r : layer.roles)
    if (roles.contains(r.id))
      out.push_back(r.id + " is " + tsql::quote_identifier(r.schema) + "." + tsql::quote_identifier(r.table));
  for (const role_join& j : layer.joins) {
    std::set<std::string> named;
    if (!roles.contains(j.from) || !roles.contains(j.to)) continue;
    if (may.allows(j.on, named, true)) out.push_back(j.from + " joins " + j.to + " on " + tsql::print(j.on));
  }
  return out;
}

std::vector<told_rule> rules_in(const semantic_layer& layer, const catalog::database& db,
                                const retrieval::table_scope& scope) {
  const permission may(layer, db, scope);
  const retrieval::hidden_names hidden(db, scope);
  std::vector<told_rule> out;
  const auto add = [&](const std::string& id, const localized& says, const phrases& words, bool always) {
    if (hidden.stand_in(id) || hidden.stand_in(says.en) || hidden.stand_in(says.fa)) return;
    told_rule r;
    r.text = id + ": " + retrieval::one_line(says.in(language::english).empty() ? says.fa : says.en, rule_bytes_max);
    r.found_by = {{id + " " + says.en + " " + says.fa}, every_phrase(words)};
    r.always = always;
    out.push_back(std::move(r));
  };
  for (const business_rule& r : layer.rules) {
    const bool seen = std::all_of(r.about.begin(), r.about.end(), [&](const business_rule::name& n) {
      const auto t = db.table_index(n.schema, n.table);
      if (!t || !scope.sees(*t)) return false;
      const auto c = db.tables[*t].column_index(n.column);
      return n.column.empty() || (c && scope.right(*t, *c) == retrieval::column_right::visible);
    });
    if (seen) add(r.id, r.says, r.words, r.always);
  }
  for (const metric& m : layer.metrics) {
    std::set<std::string> named;
    if (!m.caveat.empty() && may.sees(m.base) && may.allows(m.formula, named) && filters_text(layer, may, m, named))
      add(m.id, m.caveat, m.words, false);
  }
  return out;
}

names_in_scope names_of(const semantic_layer& layer, const catalog::database& db, const retrieval::table_scope& scope) {
  const permission may(layer, db, scope);
  std::set<std::string> roles;
  const auto column_seen = [&](const role& r, const std::string& name) {
    if (name.empty()) return true;
    const auto table = db.table_index(r.schema, r.table);
    if (!table || !scope.sees(*table)) return false;
    const auto column = db.tables[*table].column_index(name);
    return column && scope.right(*table, *column) == retrieval::column_right::visible;
  };
  names_in_scope out;
  for (const metric& m : layer.metrics) {
    bool all = may.sees(m.base) && may.allows(m.formula, roles);
    for (const auto* list : {&m.filters, &m.defaults})
      for (const std::string& id : *list)
        if (const named_filter* f = layer.find_filter(id); f == nullptr || !may.allows(f->condition, roles))
          all = false;
    if (all) out.metrics.push_back(m.id);
  }
  for (const dimension& d : layer.dimensions) {
    bool seen = !d.cases.empty();
    for (const dimension_case& c : d.cases) seen = seen && may.allows(c.condition, roles);
    for (const std::string& id : d.roles)
      if (const role* r = layer.find_role(id); r != nullptr && d.cases.empty())
        seen = seen || (column_seen(*r, d.name.en) && column_seen(*r, d.name.fa) && column_seen(*r, d.value_column));
    if (seen) out.dimensions.push_back(d.id);
  }
  return out;
}

namespace {

std::string table_of_role(const role& r) {
  return r.schema + "." + r.table;
}

// The columns of an expression, by their tables.
std::vector<retrieval::column_name> columns_in(const semantic_layer& layer, const tsql::expression& e) {
  columns_of columns;
  tsql::walk(e, columns);
  std::vector<retrieval::column_name> out;
  for (const tsql::column_ref* c : columns.found)
    if (const role* r = layer.find_role(c->table.name.value)) out.push_back({table_of_role(*r), c->name.value});
  return out;
}

class source_writer {
 public:
  explicit source_writer(const semantic_layer& layer) : layer_(layer) {}

  // `needs`: what somebody must see for the words to mean anything. Where that is one column they are its names, too.
  void add(const phrases& words, const std::string& table, const std::vector<retrieval::column_name>& needs,
           bool measure = false) {
    for (const std::string& phrase : every_phrase(words)) {
      out_.aliases.push_back({phrase, table, needs, measure});
      if (needs.size() == 1) name(phrase, needs[0]);
    }
  }
  void name(const std::string& phrase, const retrieval::column_name& column) {
    out_.synonyms.push_back({phrase, {}, column});
  }

  void add_dimension(const dimension& d) {
    for (const std::string& id : d.roles) {
      const role* r = layer_.find_role(id);
      if (r == nullptr) continue;
      std::vector<retrieval::column_name> needs;
      for (const std::string* column : {&d.value_column, &d.name.en})
        if (!column->empty() && needs.empty()) needs.push_back({table_of_role(*r), *column});
      add(d.words, table_of_role(*r), needs);
      for (const value_synonym& v : d.values)
        for (const std::string& phrase : every_phrase(v.words)) name(phrase, {table_of_role(*r), d.value_column});
    }
    for (const dimension_case& c : d.cases) {
      const auto needs = columns_in(layer_, c.condition);
      if (needs.empty()) continue;
      add(d.words, needs.front().table, needs);
      add(c.words, needs.front().table, needs);
    }
  }

  void add_entity(const entity& e) {
    const std::string table = e.schema + "." + e.table;
    add(e.words, table, {});
    for (const entity_field& f : e.fields)
      for (const std::string& phrase : every_phrase(f.words)) name(phrase, {table, f.column});
    for (const entity_reference& to : e.references)
      for (const std::string& phrase : every_phrase(to.words)) name(phrase, {table, to.column});
  }

  retrieval::index_sources take() { return std::move(out_); }

 private:
  const semantic_layer& layer_;
  retrieval::index_sources out_;
};

}  // namespace

retrieval::index_sources index_sources_of(const semantic_layer& layer) {
  source_writer to(layer);
  for (const dimension& d : layer.dimensions) to.add_dimension(d);
  for (const metric& m : layer.metrics)
    if (const role* r = layer.find_role(m.base)) {
      auto needs = columns_in(layer, m.formula);
      for (const auto* list : {&m.filters, &m.defaults})
        for (const std::string& id : *list)
          if (const named_filter* f = layer.find_filter(id))
            for (auto& c : columns_in(layer, f->condition)) needs.push_back(std::move(c));
      to.add(m.words, table_of_role(*r), needs, true);
    }
  for (const attribute& a : layer.attributes)
    if (const role* r = layer.find_role(a.role)) to.add(a.words, table_of_role(*r), columns_in(layer, a.value));
  for (const detail_list& d : layer.details)
    if (const role* r = layer.find_role(d.role)) to.add(d.words, table_of_role(*r), {});
  for (const entity& e : layer.entities) to.add_entity(e);
  return to.take();
}

std::vector<retrieval::value_alias> value_aliases_of(const semantic_layer& layer) {
  std::vector<retrieval::value_alias> out;
  for (const dimension& d : layer.dimensions)
    for (const std::string& id : d.roles) {
      const role* r = layer.find_role(id);
      if (r == nullptr || layer.find_sensitive(r->schema, r->table, d.value_column) != nullptr) continue;
      for (const value_synonym& v : d.values)
        for (const std::string& phrase : every_phrase(v.words))
          out.push_back({phrase, {table_of_role(*r), d.value_column}, v.value});
    }
  return out;
}

}  // namespace dragoman::nlq
