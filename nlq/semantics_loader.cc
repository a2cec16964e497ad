// conf/…/semantics.yaml to semantic_layer. Every key is read by name; one that was not asked for is an error.

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "guard/tsql/parser.h"
#include "guard/tsql/walk.h"
#include "nlq/semantics.h"
#include "nlq/semantics_mapping.h"
#include "nlq/semantics_references.h"

namespace dragoman::nlq {
namespace {

measure_unit unit_of(mapping& m) {
  static const std::map<std::string, measure_unit> names{
      {"none", measure_unit::none},         {"count", measure_unit::count},
      {"money", measure_unit::money},       {"money_per_quantity", measure_unit::money_per_quantity},
      {"quantity", measure_unit::quantity}, {"percent", measure_unit::percent},
      {"fraction", measure_unit::fraction}, {"days", measure_unit::days}};
  auto found = names.find(m.text("unit", "none"));
  if (found == names.end()) m.fail("unit", "unknown unit");
  return found->second;
}

std::optional<day_number> day_of(mapping& m, const std::string& key) {
  std::string text = m.text(key);
  if (text.empty()) return std::nullopt;
  civil_date d;
  if (std::sscanf(text.c_str(), "%d-%d-%d", &d.year, &d.month, &d.day) != 3 || !exists(d))
    m.fail(key, "expected a date as 2024-01-31");
  return to_day_number(d);
}

void read_calendars(mapping& root, semantic_layer& layer) {
  root.each("calendars", [&](const std::string& id, mapping& m) {
    calendar_columns c;
    if (id == "gregorian") {
      c.kind = calendar_kind::gregorian;
    } else if (id == "persian") {
      c.kind = calendar_kind::persian;
    } else {
      m.fail("", "calendars are gregorian and persian");
    }
    c.year = m.required("year");
    c.month = m.required("month");
    c.day = m.text("day");
    static const std::map<std::string, grain> names{{"day", grain::day},
                                                    {"week", grain::week},
                                                    {"month", grain::month},
                                                    {"quarter", grain::quarter},
                                                    {"year", grain::year}};
    m.each("grains", [&](const std::string& name, mapping& g) {
      auto found = names.find(name);
      if (found == names.end()) g.fail("", "grains are day, week, month, quarter and year");
      grain_columns columns;
      columns.number = g.required("number");
      columns.number_alias = g.required("alias");
      columns.name = g.text("name");
      columns.name_alias = g.text("name_alias");
      c.grains.emplace(found->second, std::move(columns));
    });
    layer.calendars.push_back(std::move(c));
  });
}

void read_fiscal_year(mapping& root, semantic_layer& layer, const place& at) {
  YAML::Node node = root.get("fiscal_year");
  if (!node) return;
  mapping m(node, "fiscal_year", at);
  fiscal_year out;
  const std::string calendar = m.text("calendar", "gregorian");
  if (calendar == "persian") {
    out.calendar = calendar_kind::persian;
  } else if (calendar != "gregorian") {
    m.fail("calendar", "calendars are gregorian and persian");
  }
  const std::string starts = m.required("starts");
  int day = 0, used = 0;
  if (std::sscanf(starts.c_str(), "%2d-%2d%n", &out.month, &day, &used) != 2 ||
      used != static_cast<int>(starts.size()) || out.month < 1 || out.month > 12)
    m.fail("starts", "expected a month and day as \"07-01\"");
  if (day != 1) m.fail("starts", "a fiscal year starts on the first day of a month");
  // One that begins with the calendar's own year has one name.
  const std::string named = out.month == 1 ? m.text("named_by", "end") : m.required("named_by");
  if (named != "start" && named != "end") m.fail("named_by", "expected start or end");
  out.named_by_end = named == "end";
  if (layer.find_calendar(out.calendar) == nullptr)
    m.fail("calendar", "refers to " + calendar + ", which is not defined");
  m.finish();
  layer.fiscal = out;
}

void read_dimensions(mapping& root, semantic_layer& layer) {
  root.each("dimensions", [&](const std::string& id, mapping& m) {
    dimension d;
    d.id = id;
    d.roles = m.list("roles");
    for (auto& [owner, role_id] : m.pairs("owned_by")) d.owned_roles.emplace(owner, role_id);
    d.key = m.text("key");
    d.name = m.texts("name");
    d.value_column = m.text("value_column", d.name.en);
    d.more = m.pairs("more");
    d.listed = m.pairs("listed");
    d.sort = m.text("sort");
    d.alias = m.text("alias", id);
    d.label = m.texts("label");
    d.words = m.words("words");
    d.affixes = m.words("affixes");
    d.owner = m.text("owner");
    d.entity = m.flag("entity", false);
    d.looked_up = m.flag("looked_up", true);
    d.families = m.flag("families", false);
    d.search = m.list("search");
    d.prefer_over = m.list("prefer_over");
    m.each("values", [&](const std::string& value, mapping& v) {
      value_synonym s;
      s.value = value;
      s.words = v.words("words");
      d.values.push_back(std::move(s));
    });
    m.each("cases", [&](const std::string& case_id, mapping& c) {
      dimension_case x;
      x.id = case_id;
      x.condition = c.expression("condition");
      x.label = c.texts("label");
      x.words = c.words("words");
      d.cases.push_back(std::move(x));
    });
    if (d.cases.empty() && (d.name.empty() || d.roles.empty()))
      m.fail("", "a dimension has roles and a name, or cases");
    layer.dimensions.push_back(std::move(d));
  });
}

void read_measures(mapping& root, semantic_layer& layer) {
  root.each("metrics", [&](const std::string& id, mapping& m) {
    metric x;
    x.id = id;
    x.label = m.texts("label");
    x.alias = m.text("alias", id);
    x.base = m.required("base");
    x.formula = m.expression("formula");
    x.minimum = m.optional_expression("minimum");
    x.maximum = m.optional_expression("maximum");
    x.filters = m.list("filters");
    x.defaults = m.list("defaults");
    x.unit = unit_of(m);
    x.averaged = m.flag("averaged", false);
    x.lower_is_better = m.flag("lower_is_better", false);
    x.counts = m.text("counts");
    x.words = m.words("words");
    x.verbs = m.words("verbs");
    x.most = m.words("most");
    x.least = m.words("least");
    x.definition = m.texts("definition");
    x.caveat = m.texts("caveat");
    layer.metrics.push_back(std::move(x));
  });
  root.each("attributes", [&](const std::string& id, mapping& m) {
    attribute x;
    x.id = id;
    x.role = m.required("role");
    x.value = m.expression("value");
    x.unit = unit_of(m);
    x.filters = m.list("filters");
    x.defaults = m.list("defaults");
    x.label = m.texts("label");
    x.alias = m.text("alias", id);
    x.total_metric = m.text("total");
    x.sum_metric = m.text("sum");
    x.beside = m.list("beside");
    x.columns = m.list("columns");
    x.words = m.words("words");
    layer.attributes.push_back(std::move(x));
  });
  root.each("events", [&](const std::string& id, mapping& m) {
    event x;
    x.id = id;
    x.role = m.required("role");
    x.filters = m.list("filters");
    x.metric = m.required("metric");
    x.label = m.texts("label");
    x.words = m.words("words");
    x.negated = m.words("negated");
    layer.events.push_back(std::move(x));
  });
  root.each("details", [&](const std::string& id, mapping& m) {
    detail_list x;
    x.role = id;
    x.entity = m.required("counted_by");
    x.columns = m.list("columns");
    x.unbounded_columns = m.list("unbounded_columns");
    x.always = m.list("always");
    x.whose = m.list("whose");
    x.newest = m.required("newest");
    x.rank_attribute = m.required("rank_by");
    x.first_metric = m.text("first");
    x.last_metric = m.text("last");
    x.words = m.words("words");
    x.label = m.texts("label");
    layer.details.push_back(std::move(x));
  });
  root.each("units", [&](const std::string& id, mapping& m) {
    unit_word x;
    x.id = id;
    x.factor = m.text("factor", "1");
    x.currency_value = m.text("currency");
    x.alias = m.text("alias", id);
    x.label = m.texts("label");
    x.words = m.words("words");
    layer.units.push_back(std::move(x));
  });
}

void read_concepts(mapping& root, const std::string& key, std::vector<concept_entry>& into) {
  root.each(key, [&](const std::string& id, mapping& m) {
    concept_entry x;
    x.id = id;
    x.words = m.words("words");
    x.says = m.texts("says");
    into.push_back(std::move(x));
  });
}

semantic_layer read(const YAML::Node& node, const place& at) {
  semantic_layer layer;
  layer.source = at.file;
  mapping root(node, "", at);
  if (root.required("version") != "1") root.fail("version", "this version reads 1");
  layer.title = root.texts("title");
  layer.covers = root.texts("covers");
  layer.default_metric = root.text("default_metric");
  layer.neutral = root.words("neutral");
  layer.weak_names = root.words("weak_names");
  if (YAML::Node dates = root.get("dates")) {
    mapping m(dates, "dates", at);
    auto [schema, table] = m.table("table");
    layer.date_table = schema + "." + table;
    layer.date_column = m.required("column");
    layer.date_key = m.required("key");
    layer.date_alias = m.text("alias", "date");
    layer.first_day = day_of(m, "first");
    layer.last_day = day_of(m, "last");
    m.finish();
  }
  root.each("roles", [&](const std::string& id, mapping& m) {
    role r;
    r.id = id;
    std::tie(r.schema, r.table) = m.table("table");
    r.alias = m.required("alias");
    r.key = m.text("key");
    r.time = m.text("time");
    layer.roles.push_back(std::move(r));
  });
  root.each_item("joins", [&](mapping& m) {
    role_join j;
    j.from = m.required("from");
    j.to = m.required("to");
    j.on = m.expression("on");
    j.optional = m.flag("optional", false);
    layer.joins.push_back(std::move(j));
  });
  root.each("filters", [&](const std::string& id, mapping& m) {
    named_filter f;
    f.id = id;
    f.condition = m.expression("condition");
    f.dimension = m.text("dimension");
    f.yields_to_grouping = m.flag("yields_to_grouping", false);
    f.says = m.texts("says");
    layer.filters.push_back(std::move(f));
  });
  read_calendars(root, layer);
  read_fiscal_year(root, layer, at);
  read_dimensions(root, layer);
  if (YAML::Node named = root.get("hierarchies")) {
    mapping levels(named, "hierarchies", at);
    for (const auto& pair : named) {
      const std::string name = pair.first.as<std::string>();
      std::vector<std::string> ids = levels.list(name);
      if (ids.size() < 2) levels.fail(name, "a hierarchy has two levels at least");
      layer.hierarchies.emplace(name, std::move(ids));
    }
    levels.finish();
  }
  read_measures(root, layer);
  read_entities(root, layer);
  read_verified_questions(root, layer);
  read_rules(root, layer);
  read_concepts(root, "out_of_scope", layer.out_of_scope);
  read_concepts(root, "off_topic", layer.off_topic);
  root.each_item("sensitive", [&](mapping& m) {
    sensitive_column s;
    std::tie(s.schema, s.table) = m.table("table");
    s.column = m.required("column");
    s.kind = m.text("kind");
    s.words = m.words("words");
    layer.sensitive.push_back(std::move(s));
  });
  root.each("examples", [&](const std::string& id, mapping& m) {
    localized text;
    text.en = m.text("en");
    text.fa = m.text("fa");
    layer.examples.emplace(id, std::move(text));
  });
  root.finish();
  if (std::optional<dangling_reference> missing = first_dangling_reference(layer)) {
    root.fail(missing->where, "refers to " + missing->what + ", which is not defined");
  }
  return layer;
}

}  // namespace

result<semantic_layer> parse_semantics(std::string_view text, const std::string& name_for_errors) {
  place at{name_for_errors};
  try {
    return read(YAML::Load(std::string(text)), at);
  } catch (const mistake& m) {
    return failure(errc::configuration, m.message);
  } catch (const YAML::Exception& e) {
    return failure(errc::configuration, name_for_errors + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg);
  }
}

result<semantic_layer> load_semantics(const std::string& path) {
  std::ifstream in(path);
  if (!in) return failure(errc::configuration, path + ":0: cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return parse_semantics(text.str(), path);
}

}  // namespace dragoman::nlq
