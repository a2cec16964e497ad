// The parts `entities`, `rules` and `verified` of a semantics file.

#include <algorithm>
#include <map>

#include "nlq/semantics_mapping.h"

namespace dragoman::nlq {

// "(avg|average) order value[s]" → its four spellings.
std::vector<std::string> expand_phrase(const std::string& pattern) {
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
    std::vector<std::string> rest = expand_phrase(pattern.substr(0, open) + choice + pattern.substr(close + 1));
    if (rest.empty()) return {};
    out.insert(out.end(), rest.begin(), rest.end());
    if (out.size() > spellings_max) return {};
  }
  return out;
}

void read_entities(mapping& root, semantic_layer& layer) {
  static const std::map<std::string, field_kind> kinds{
      {"name", field_kind::name},     {"text", field_kind::text}, {"category", field_kind::category},
      {"number", field_kind::number}, {"year", field_kind::year}, {"date", field_kind::date},
      {"flag", field_kind::flag},     {"key", field_kind::key}};
  root.each("entities", [&](const std::string& id, mapping& m) {
    entity e;
    e.id = id;
    std::tie(e.schema, e.table) = m.table("table");
    e.key = m.list("key");
    e.display = m.list("display");
    e.link = m.flag("link", false);
    if (const std::string rows = m.text("rows"); !rows.empty()) {
      if (rows.find_first_not_of("0123456789") != std::string::npos || rows.size() > 18)
        m.fail("rows", "expected a number");
      e.rows = std::stoull(rows);
    }
    e.words = m.words("words");
    m.each("columns", [&](const std::string& column, mapping& f) {
      entity_field field;
      field.column = column;
      const auto kind = kinds.find(f.required("kind"));
      if (kind == kinds.end()) f.fail("kind", "kinds are name, text, category, number, year, date, flag and key");
      field.kind = kind->second;
      field.number_as_text = f.flag("number_as_text", false);
      field.additive = f.flag("additive", false);
      field.looked_up = f.flag("looked_up", field.kind == field_kind::name || field.kind == field_kind::category ||
                                                field.kind == field_kind::text);
      field.yes = f.text("yes");
      if (field.kind == field_kind::flag && field.yes.empty()) f.fail("yes", "is missing");
      field.words = f.words("words");
      e.fields.push_back(std::move(field));
    });
    m.each("references", [&](const std::string& column, mapping& r) {
      entity_reference to;
      to.column = column;
      to.to = r.required("to");
      to.on = r.required("on");
      to.guessed = r.flag("guessed", false);
      to.words = r.words("words");
      e.references.push_back(std::move(to));
    });
    if (e.fields.empty() && e.references.empty()) m.fail("columns", "is missing");
    layer.entities.push_back(std::move(e));
  });
}

void read_rules(mapping& root, semantic_layer& layer) {
  root.each("rules", [&](const std::string& id, mapping& m) {
    business_rule r;
    r.id = id;
    r.says = m.texts("says");
    if (r.says.empty()) m.fail("says", "is missing");
    r.words = m.words("words");
    r.always = m.flag("always", false);
    for (const std::string& name : m.list("about")) {
      // A name with a dot of its own cannot be written here; none of the parts may be empty.
      business_rule::name n;
      std::vector<std::string> parts;
      for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t dot = name.find('.', at);
        parts.push_back(name.substr(at, dot == std::string::npos ? dot : dot - at));
        at = dot == std::string::npos ? dot : dot + 1;
      }
      if (parts.size() < 2 || parts.size() > 3 ||
          std::any_of(parts.begin(), parts.end(), [](const std::string& p) { return p.empty(); }))
        m.fail("about", "expected schema.table or schema.table.column");
      n.schema = parts[0];
      n.table = parts[1];
      if (parts.size() == 3) n.column = parts[2];
      r.about.push_back(std::move(n));
    }
    // Without it nobody could tell who may know the rule.
    if (r.about.empty()) m.fail("about", "is missing");
    layer.rules.push_back(std::move(r));
  });
}

void read_verified_questions(mapping& root, semantic_layer& layer) {
  root.each("verified", [&](const std::string& id, mapping& m) {
    verified_question q;
    q.id = id;
    q.questions = m.list("questions");
    if (q.questions.empty()) m.fail("questions", "is missing");
    q.sql = m.required("sql");
    auto parsed = tsql::parse_query(q.sql);
    if (!parsed) m.fail("sql", parsed.error().message);
    q.select = std::move(*parsed);
    layer.verified.push_back(std::move(q));
  });
}

}  // namespace dragoman::nlq
