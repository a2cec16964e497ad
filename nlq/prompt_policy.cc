#include "nlq/prompt_policy.h"

#include <algorithm>

#include "base/question_limits.h"
#include "guard/guard.h"
#include "guard/tsql/printer.h"
#include "retrieval/hidden_names.h"

namespace dragoman::nlq {
namespace {

// Samples and counts of all rows would tell of the rows that a filter hides.
catalog::database_ptr without_filtered_samples(const catalog::database& told, const guard::database_policy& rights) {
  auto out = std::make_shared<catalog::database>(told);
  for (std::size_t t = 0; t < out->tables.size(); ++t) {
    if (!rights.tables[t].filter) continue;
    for (catalog::column& c : out->tables[t].columns) c.samples.clear();
    out->tables[t].row_count.reset();
  }
  (void)out->index();  // a copy of an indexed catalogue
  return out;
}

// By position: the catalogue that is indexed is the policy's, or a copy with the same tables.
retrieval::visibility visibility_of(catalog::database_ptr indexed, std::vector<guard::table_rights> rights) {
  auto shared = std::make_shared<const std::vector<guard::table_rights>>(std::move(rights));
  return [indexed = std::move(indexed), shared](const catalog::table& table, const catalog::column& column) {
    const auto t = static_cast<std::size_t>(&table - indexed->tables.data());
    const auto c = static_cast<std::size_t>(&column - table.columns.data());
    if (t >= shared->size() || !(*shared)[t].allowed || c >= (*shared)[t].columns.size())
      return retrieval::column_right::hidden;
    switch ((*shared)[t].columns[c]) {
      case guard::column_right::allowed: return retrieval::column_right::visible;
      case guard::column_right::join_only: return retrieval::column_right::join_only;
      case guard::column_right::hidden:
      case guard::column_right::denied: break;
    }
    return retrieval::column_right::hidden;
  };
}

std::vector<approved_example> examples_of(const semantic_layer& layer, const guard::policy& policy,
                                          const catalog::database& database, const retrieval::table_scope& scope) {
  const retrieval::hidden_names hidden(database, scope);
  std::vector<approved_example> out;
  for (const verified_question& v : layer.verified) {
    guard::check_options options;
    options.profile = guard::profile::generated;
    options.database = database.name;
    options.row_cap = 0;
    const guard::verdict verdict = guard::check(v.select, policy, options);
    if (verdict.kind != guard::verdict_kind::accept || verdict.has_row_filter) continue;
    approved_example e{v.questions, tsql::print(v.select)};
    std::erase_if(e.questions, [&](const std::string& q) { return hidden.stand_in(q); });
    if (!e.questions.empty() && e.sql.size() <= limits::example_bytes_max) out.push_back(std::move(e));
  }
  return out;
}

}  // namespace

prompt_factory::prompt_factory(catalog::database_ptr database, std::shared_ptr<const semantic_layer> layer,
                               std::size_t prefix_tokens_max)
    : prompt_factory(database, database, std::move(layer), prefix_tokens_max) {}

prompt_factory::prompt_factory(catalog::database_ptr database, catalog::database_ptr told,
                               std::shared_ptr<const semantic_layer> layer, std::size_t prefix_tokens_max)
    : database_(std::move(database)),
      layer_(std::move(layer)),
      prefix_tokens_max_(prefix_tokens_max),
      shared_(index(std::move(told))) {}

prompt_factory::indices prompt_factory::index(catalog::database_ptr database,
                                              const guard::database_policy* filters) const {
  indices out;
  retrieval::index_sources words;
  std::vector<retrieval::value_alias> values;
  if (layer_ != nullptr) {
    words = index_sources_of(*layer_);
    values = value_aliases_of(*layer_);
  }
  // Which values there are may be what a filter hides.
  if (filters != nullptr)
    std::erase_if(values, [&](const retrieval::value_alias& v) {
      const std::size_t dot = v.column.table.find('.');
      const auto t = database->table_index(v.column.table.substr(0, dot), v.column.table.substr(dot + 1));
      return !t || filters->tables[*t].filter;
    });
  out.tables = retrieval::table_index::build(database, words);
  out.values = retrieval::value_index::build(database, values);
  out.database = std::move(database);
  return out;
}

const guard::database_policy* prompt_factory::rights_in(const guard::policy& policy) const {
  const auto rights = std::find_if(policy.databases.begin(), policy.databases.end(),
                                   [&](const guard::database_policy& d) { return d.database == database_; });
  return rights == policy.databases.end() ? nullptr : &*rights;
}

std::shared_ptr<const plan_base> prompt_factory::plan_of(const guard::policy& policy) const {
  const guard::database_policy* rights = rights_in(policy);
  if (rights == nullptr || layer_ == nullptr) return nullptr;
  return plan_base::build(layer_, *shared_.database,
                          shared_.tables->scope(visibility_of(shared_.database, rights->tables)));
}

std::shared_ptr<const prompt_base> prompt_factory::prompt_of(const guard::policy& policy) const {
  const guard::database_policy* rights = rights_in(policy);
  if (rights == nullptr) return nullptr;
  const bool filtered = std::any_of(rights->tables.begin(), rights->tables.end(),
                                    [](const guard::table_rights& t) { return static_cast<bool>(t.filter); });
  const indices own = filtered ? index(without_filtered_samples(*shared_.database, *rights), rights) : shared_;
  prompt_material material;
  material.source = own.database->datasource;
  material.tables = own.tables;
  material.values = own.values;
  material.visible = visibility_of(own.database, rights->tables);
  material.layer = layer_;
  if (layer_ != nullptr)
    material.examples = examples_of(*layer_, policy, *own.database, own.tables->scope(material.visible));
  material.row_cap = policy.row_cap_generated;
  material.prefix_tokens_max = prefix_tokens_max_;
  material.grammar = grammar_;
  return prompt_base::build(std::move(material));
}

}  // namespace dragoman::nlq
