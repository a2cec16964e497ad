#include "nlq/semantics_references.h"

#include <algorithm>

namespace dragoman::nlq {

// Names that other parts refer to must exist.
std::optional<dangling_reference> first_dangling_reference(const semantic_layer& layer) {
  std::optional<dangling_reference> first;
  auto need = [&](bool found, const std::string& where, const std::string& what) {
    if (!found && !first) first = dangling_reference{where, what};
  };
  for (const role& r : layer.roles) need(r.time.empty() || layer.find_role(r.time), "roles." + r.id, r.time);
  for (const role_join& j : layer.joins) {
    need(layer.find_role(j.from), "joins", j.from);
    need(layer.find_role(j.to), "joins", j.to);
  }
  for (const named_filter& f : layer.filters) {
    need(f.dimension.empty() || layer.find_dimension(f.dimension), "filters." + f.id, f.dimension);
  }
  for (const dimension& d : layer.dimensions) {
    for (const std::string& r : d.roles) need(layer.find_role(r), "dimensions." + d.id, r);
    for (const auto& [owner, r] : d.owned_roles) {
      need(layer.find_role(r), "dimensions." + d.id, r);
      need(layer.find_dimension(owner), "dimensions." + d.id, owner);
    }
    for (const std::string& o : d.prefer_over) need(layer.find_dimension(o), "dimensions." + d.id, o);
    need(d.owner.empty() || layer.find_dimension(d.owner), "dimensions." + d.id, d.owner);
  }
  for (const auto& [name, levels] : layer.hierarchies)
    for (const std::string& id : levels) need(layer.find_dimension(id), "hierarchies." + name, id);
  auto need_filters = [&](const std::string& where, const std::vector<std::string>& ids) {
    for (const std::string& id : ids) need(layer.find_filter(id), where, id);
  };
  for (const metric& m : layer.metrics) {
    need(layer.find_role(m.base), "metrics." + m.id, m.base);
    need_filters("metrics." + m.id, m.filters);
    need_filters("metrics." + m.id, m.defaults);
    need(m.counts.empty() || layer.find_dimension(m.counts), "metrics." + m.id, m.counts);
  }
  for (const attribute& a : layer.attributes) {
    need(layer.find_role(a.role), "attributes." + a.id, a.role);
    need(a.total_metric.empty() || layer.find_metric(a.total_metric), "attributes." + a.id, a.total_metric);
    need(a.sum_metric.empty() || layer.find_metric(a.sum_metric), "attributes." + a.id, a.sum_metric);
    need_filters("attributes." + a.id, a.filters);
    need_filters("attributes." + a.id, a.defaults);
    for (const std::string& c : a.beside) need(layer.find_dimension(c), "attributes." + a.id, c);
  }
  for (const event& e : layer.events) {
    need(layer.find_role(e.role), "events." + e.id, e.role);
    need(layer.find_metric(e.metric), "events." + e.id, e.metric);
    need_filters("events." + e.id, e.filters);
  }
  for (const detail_list& d : layer.details) {
    need(layer.find_role(d.role), "details", d.role);
    need(layer.find_metric(d.entity), "details." + d.role, d.entity);
    need(d.first_metric.empty() || layer.find_metric(d.first_metric), "details." + d.role, d.first_metric);
    need(d.last_metric.empty() || layer.find_metric(d.last_metric), "details." + d.role, d.last_metric);
    need(layer.find_attribute(d.rank_attribute), "details." + d.role, d.rank_attribute);
  }
  for (const detail_list& d : layer.details) {
    for (const std::string& c : d.always)
      need(std::find(d.columns.begin(), d.columns.end(), c) != d.columns.end(), "details." + d.role + ".always", c);
  }
  for (const entity& e : layer.entities) {
    for (const entity_reference& to : e.references)
      need(layer.find_entity(to.to), "entities." + e.id + ".references", to.to);
  }
  need(layer.default_metric.empty() || layer.find_metric(layer.default_metric), "default_metric", layer.default_metric);
  return first;
}

}  // namespace dragoman::nlq
