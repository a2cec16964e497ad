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

std::string words_text(const phrases& words) {
  std::string out;
  for (const auto* list : {&words.en, &words.fa})
    for (std::size_t i = 0; i < std::min(list->size(), words_shown); ++i) out += (out.empty() ? "" : ", ") + (*list)[i];
  return out.empty() ? out : " (" + out + ")";
}

}  // namespace

std::vector<std::string> definitions_of(const semantic_layer& layer, const catalog::database& db,
                                        const retrieval::table_scope& scope) {
  const permission may(layer, db, scope);
  std::set<std::string> roles;
  std::vector<std::string> lines;
  auto filters_text = [&](const metric& m, std::set<std::string>& named) -> std::optional<std::string> {
    std::string out;
    for (const auto* list : {&m.filters, &m.defaults})
      for (const std::string& id : *list) {
        const named_filter* f = layer.find_filter(id);
        if (f == nullptr || !may.allows(f->condition, named)) return std::nullopt;
        out += (out.empty() ? " where " : " and ") + tsql::print(f->condition);
        if (list == &m.defaults) out += " (unless the question says otherwise)";
      }
    return out;
  };
  for (const metric& m : layer.metrics) {
    std::set<std::string> named;
    if (!may.sees(m.base) || !may.allows(m.formula, named)) continue;
    const auto filters = filters_text(m, named);
    if (!filters) continue;
    roles.merge(named);
    lines.push_back(m.id + words_text(m.words) + " = " + tsql::print(m.formula) + *filters);
  }
  for (const attribute& a : layer.attributes) {
    std::set<std::string> named;
    if (!may.allows(a.value, named)) continue;
    roles.merge(named);
    lines.push_back(a.id + words_text(a.words) + " = " + tsql::print(a.value));
  }
  std::vector<std::string> out;
  for (const role& r : layer.roles)
    if (roles.contains(r.id))
      out.push_back(r.id + " is " + tsql::quote_identifier(r.schema) + "." + tsql::quote_identifier(r.table));
  for (const role_join& j : layer.joins) {
    std::set<std::string> named;
    if (!roles.contains(j.from) || !roles.contains(j.to)) continue;
    if (may.allows(j.on, named, true)) out.push_back(j.from + " joins " + j.to + " on " + tsql::print(j.on));
  }
  out.insert(out.end(), lines.begin(), lines.end());
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

retrieval::index_sources index_sources_of(const semantic_layer& layer) {
  retrieval::index_sources out;
  auto add = [&](const phrases& words, const role* r) {
    if (r == nullptr) return;
    for (const auto* list : {&words.en, &words.fa})
      for (const std::string& phrase : *list) out.aliases.push_back({phrase, r->schema + "." + r->table});
  };
  for (const dimension& d : layer.dimensions)
    for (const std::string& id : d.roles) add(d.words, layer.find_role(id));
  for (const metric& m : layer.metrics) add(m.words, layer.find_role(m.base));
  for (const attribute& a : layer.attributes) add(a.words, layer.find_role(a.role));
  for (const detail_list& d : layer.details) add(d.words, layer.find_role(d.role));
  return out;
}

}  // namespace dragoman::nlq
