#include "nlq/semantics_check.h"

#include "guard/guard.h"
#include "guard/tsql/walk.h"
#include "nlq/compile_builder.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {
namespace {

// One statement per formula of the layer, with the key it stands under: "metrics.sales.formula".
struct layer_probe {
  std::string where;
  tsql::select_statement select;
};
using probes = std::vector<layer_probe>;

tsql::select_statement statement_of(tsql::expression value, std::vector<tsql::table_source> from) {
  tsql::select_statement out;
  std::vector<tsql::select_item> items;
  items.push_back(tsql::make_item(std::move(value), "value"));
  out.query = tsql::make_select(std::move(items), std::move(from));
  return out;
}

void probe_value(probes& to, std::vector<std::string>& mistakes, const semantic_layer& layer, const std::string& where,
                 const std::string& role, const tsql::expression& value) {
  try {
    select_builder builder(layer, role);
    tsql::expression resolved = builder.resolve(value);
    to.push_back({where, statement_of(std::move(resolved), builder.from())});
  } catch (const cannot_compile& e) {
    mistakes.push_back(where + ": nothing joins " + role + " with " + e.message);
  }
}

void probe_condition(probes& to, std::vector<std::string>& mistakes, const semantic_layer& layer,
                     const std::string& where, const std::string& role, const tsql::expression& condition) {
  try {
    select_builder builder(layer, role);
    tsql::expression resolved = builder.resolve(condition);
    tsql::select_statement select = statement_of(tsql::make_int(1), builder.from());
    select.query.specification()->where = std::move(resolved);
    to.push_back({where, std::move(select)});
  } catch (const cannot_compile& e) {
    mistakes.push_back(where + ": nothing joins " + role + " with " + e.message);
  }
}

struct first_role {
  const semantic_layer& layer;
  std::string found;
  bool enter(const tsql::column_ref& ref) {
    if (found.empty() && !ref.table.empty() && layer.find_role(ref.table.name.value) != nullptr)
      found = ref.table.name.value;
    return false;
  }
};

std::string role_in(const semantic_layer& layer, const tsql::expression& e) {
  first_role r{layer, {}};
  tsql::walk(e, r);
  return r.found;
}

}  // namespace

std::vector<std::string> check_formulas(const semantic_layer& layer, const catalog::database_ptr& database,
                                        std::size_t* counted) {
  std::vector<std::string> mistakes;
  probes all;
  for (const metric& m : layer.metrics) {
    const std::string where = "metrics." + m.id;
    probe_value(all, mistakes, layer, where + ".formula", m.base, m.formula);
    if (m.minimum) probe_value(all, mistakes, layer, where + ".minimum", m.base, *m.minimum);
    if (m.maximum) probe_value(all, mistakes, layer, where + ".maximum", m.base, *m.maximum);
    for (const auto* filters : {&m.filters, &m.defaults}) {
      for (const std::string& id : *filters) {
        if (const named_filter* f = layer.find_filter(id))
          probe_condition(all, mistakes, layer, where + "." + id, m.base, f->condition);
      }
    }
  }
  for (const attribute& a : layer.attributes) probe_value(all, mistakes, layer, "attributes." + a.id, a.role, a.value);
  for (const named_filter& f : layer.filters) {
    if (const std::string role = role_in(layer, f.condition); !role.empty())
      probe_condition(all, mistakes, layer, "filters." + f.id, role, f.condition);
  }
  for (const dimension& d : layer.dimensions) {
    for (const dimension_case& c : d.cases) {
      if (const std::string role = role_in(layer, c.condition); !role.empty())
        probe_condition(all, mistakes, layer, "dimensions." + d.id + "." + c.id, role, c.condition);
    }
  }
  for (value_query& q : value_queries(layer)) all.push_back({q.dimension, std::move(q.select)});
  for (const verified_question& v : layer.verified) all.push_back({"verified." + v.id, v.select});
  if (counted != nullptr) *counted = all.size();

  // Every table and column: what a principal may see is another question.
  guard::policy_definition rights;
  rights.principal = "check";
  rights.allow.push_back({"*", {}, "check"});
  auto policy = guard::compile_policy(rights, database);
  if (!policy) {
    mistakes.push_back(policy.error().message);
    return mistakes;
  }
  guard::check_options options;
  options.profile = guard::profile::generated;
  for (layer_probe& p : all) {
    const guard::verdict v = guard::check(std::move(p.select), *policy, options);
    if (v.kind == guard::verdict_kind::refuse) mistakes.push_back(p.where + ": " + v.message);
  }
  return mistakes;
}

}  // namespace dragoman::nlq
