// conf/…/semantics.yaml to semantic_layer. Every key is read by name; one that was not asked for is an error.

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "guard/tsql/parser.h"
#include "guard/tsql/walk.h"
#include "nlq/semantics.h"
#include "nlq/semantics_references.h"

namespace dragoman::nlq {
namespace {

// The first mistake ends the load; it travels as an exception inside this file only.
struct mistake {
  std::string message;
};

struct place {
  std::string file;
  [[noreturn]] void fail(const YAML::Node& node, const std::string& key, const std::string& what) const {
    int line = node.IsDefined() && !node.Mark().is_null() ? node.Mark().line + 1 : 0;
    throw mistake{file + ":" + std::to_string(line) + ": " + key + ": " + what};
  }
};

// "(avg|average) order value[s]" → its four spellings.
std::vector<std::string> expand(const std::string& pattern) {
  std::size_t open = pattern.find_first_of("([");
  if (open == std::string::npos) return {pattern};
  const char close_char = pattern[open] == '(' ? ')' : ']';
  std::size_t depth = 0, close = open;
  std::vector<std::size_t> bars;
  for (; close < pattern.size(); ++close) {
    if (pattern[close] == '(' || pattern[close] == '[') ++depth;
    if (pattern[close] == ')' || pattern[close] == ']') {
      if (--depth == 0) break;
    }
    if (pattern[close] == '|' && depth == 1) bars.push_back(close);
  }
  if (close >= pattern.size() || pattern[close] != close_char) return {};
  std::vector<std::string> choices;
  std::size_t from = open + 1;
  bars.push_back(close);
  for (std::size_t bar : bars) {
    choices.push_back(pattern.substr(from, bar - from));
    from = bar + 1;
  }
  if (close_char == ']') choices.push_back("");
  std::vector<std::string> out;
  for (const std::string& choice : choices) {
    std::vector<std::string> rest = expand(pattern.substr(0, open) + choice + pattern.substr(close + 1));
    if (rest.empty()) return {};
    out.insert(out.end(), rest.begin(), rest.end());
  }
  return out;
}

class mapping {
 public:
  mapping(YAML::Node node, std::string path, const place& at)
      : node_(std::move(node)), path_(std::move(path)), at_(at) {
    if (!node_.IsMap()) at_.fail(node_, path_, "expected a mapping");
  }

  // Call when everything has been asked for.
  void finish() const {
    for (const auto& pair : node_) {
      std::string key = pair.first.as<std::string>();
      if (!asked_.contains(key)) at_.fail(pair.first, path_ + "." + key, "unknown key");
    }
  }

  YAML::Node get(const std::string& key) {
    asked_.insert(key);
    return node_[key];
  }
  std::string where(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const { at_.fail(node_, where(key), what); }

  std::string text(const std::string& key, const std::string& otherwise = {}) {
    YAML::Node n = get(key);
    if (!n) return otherwise;
    if (!n.IsScalar()) at_.fail(n, where(key), "expected a text");
    return n.as<std::string>();
  }
  std::string required(const std::string& key) {
    std::string value = text(key);
    if (value.empty()) fail(key, "is missing");
    return value;
  }
  bool flag(const std::string& key, bool otherwise) {
    YAML::Node n = get(key);
    if (!n) return otherwise;
    try {
      return n.as<bool>();
    } catch (const YAML::Exception&) {
      at_.fail(n, where(key), "expected true or false");
    }
  }
  std::vector<std::string> list(const std::string& key) {
    std::vector<std::string> out;
    YAML::Node n = get(key);
    if (!n) return out;
    if (n.IsScalar()) return {n.as<std::string>()};
    if (!n.IsSequence()) at_.fail(n, where(key), "expected a list of texts");
    for (const YAML::Node& item : n) {
      if (!item.IsScalar()) at_.fail(item, where(key), "expected a list of texts");
      out.push_back(item.as<std::string>());
    }
    return out;
  }
  localized texts(const std::string& key) {
    localized out;
    YAML::Node n = get(key);
    if (!n) return out;
    if (n.IsScalar()) {
      out.en = n.as<std::string>();
      return out;
    }
    mapping m(n, where(key), at_);
    out.en = m.text("en");
    out.fa = m.text("fa");
    m.finish();
    return out;
  }
  phrases words(const std::string& key) {
    phrases out;
    YAML::Node n = get(key);
    if (!n) return out;
    mapping m(n, where(key), at_);
    for (auto [lang, into] : {std::pair{"en", &out.en}, std::pair{"fa", &out.fa}}) {
      for (const std::string& pattern : m.list(lang)) {
        std::vector<std::string> spellings = expand(pattern);
        if (spellings.empty()) at_.fail(n, where(key), "brackets do not match in \"" + pattern + "\"");
        into->insert(into->end(), spellings.begin(), spellings.end());
      }
    }
    m.finish();
    return out;
  }
  std::vector<std::pair<std::string, std::string>> pairs(const std::string& key) {
    std::vector<std::pair<std::string, std::string>> out;
    YAML::Node n = get(key);
    if (!n) return out;
    if (!n.IsMap()) at_.fail(n, where(key), "expected a mapping of texts");
    for (const auto& p : n) out.emplace_back(p.first.as<std::string>(), p.second.as<std::string>());
    return out;
  }
  tsql::expression expression(const std::string& key) {
    std::string source = required(key);
    auto parsed = tsql::parse_expression(source);
    if (!parsed) at_.fail(get(key), where(key), parsed.error().message);
    return std::move(*parsed);
  }
  std::optional<tsql::expression> optional_expression(const std::string& key) {
    if (!get(key)) return std::nullopt;
    return expression(key);
  }
  std::pair<std::string, std::string> table(const std::string& key) {
    std::string name = required(key);
    std::size_t dot = name.find('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) fail(key, "expected schema.table");
    return {name.substr(0, dot), name.substr(dot + 1)};
  }
  void each(const std::string& key, const std::function<void(const std::string& id, mapping&)>& f) {
    YAML::Node n = get(key);
    if (!n) return;
    if (!n.IsMap()) at_.fail(n, where(key), "expected a mapping");
    std::set<std::string> seen;
    for (const auto& pair : n) {
      std::string id = pair.first.as<std::string>();
      if (!seen.insert(id).second) at_.fail(pair.first, where(key) + "." + id, "appears twice");
      mapping m(pair.second, where(key) + "." + id, at_);
      f(id, m);
      m.finish();
    }
  }
  void each_item(const std::string& key, const std::function<void(mapping&)>& f) {
    YAML::Node n = get(key);
    if (!n) return;
    if (!n.IsSequence()) at_.fail(n, where(key), "expected a list");
    for (const YAML::Node& item : n) {
      mapping m(item, where(key), at_);
      f(m);
      m.finish();
    }
  }

 private:
  YAML::Node node_;
  std::string path_;
  const place& at_;
  std::set<std::string> asked_;
};

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
  read_dimensions(root, layer);
  read_measures(root, layer);
  read_concepts(root, "out_of_scope", layer.out_of_scope);
  read_concepts(root, "off_topic", layer.off_topic);
  root.each_item("sensitive", [&](mapping& m) {
    sensitive_column s;
    std::tie(s.schema, s.table) = m.table("table");
    s.column = m.required("column");
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
