// Conditions of a frame about entities: in WHERE, in EXISTS, in counts of related rows.

#include <algorithm>
#include <map>

#include "nlq/entity_compiler.h"

namespace dragoman::nlq {

void entity_compiler::conditions() {
  std::map<int, std::vector<std::string>> alternatives;
  for (std::size_t k = 0; k < f_.conditions.size(); ++k) {
    const entity_condition& c = f_.conditions[k];
    if (c.absence != 0) continue;
    say_condition(c);
    if (taken_[k]) continue;
    if (auto alias = see(base_, c.field.entity, c.mark); alias && c.branch == 0) {
      const std::string p = predicate(c, *alias);
      if (c.alternative != 0)
        alternatives[c.alternative].push_back(p);
      else
        where_.push_back(p);
      continue;
    }
    if (c.branch != 0 && see(base_, c.field.entity, c.mark)) throw cannot_read{"one row cannot be both", {}};
    if (c.op == "<>" && c.alternative == 0) {
      // "do not own cats": no related row has it, not one that has another.
      scope s = lead(base_.root, base_.root_alias, c.field.entity, c.mark);
      auto none = see(s, c.field.entity, c.mark);
      if (!none) throw cannot_read{"this is not related", {}};
      entity_condition turned = c;
      turned.op = "=";
      where_.push_back("NOT EXISTS (SELECT 1 FROM " + s.from + " WHERE " + s.where + " AND " +
                       predicate(turned, *none) + ")");
      continue;
    }
    scope* inside = nullptr;
    std::optional<std::string> alias;
    for (scope& s : exists_) {
      if (s.branch != c.branch || c.alternative != 0) continue;
      alias = see(s, c.field.entity, c.mark);
      if (alias) {
        inside = &s;
        break;
      }
    }
    if (inside == nullptr) {
      scope s = lead(base_.root, base_.root_alias, c.field.entity, c.mark);
      s.branch = c.branch;
      alias = see(s, c.field.entity, c.mark);
      if (!alias) throw cannot_read{"this is not related", {}};
      if (c.alternative != 0) {
        alternatives[c.alternative].push_back("EXISTS (SELECT 1 FROM " + s.from + " WHERE " + s.where + " AND " +
                                              predicate(c, *alias) + ")");
        continue;
      }
      exists_.push_back(std::move(s));
      inside = &exists_.back();
    }
    inside->conditions.push_back(predicate(c, *alias));
  }
  for (const auto& [e, mark] : f_.related) {
    if (e == measured_ || e == base_.root) continue;
    if (std::any_of(base_.nodes.begin(), base_.nodes.end(), [&](const auto& n) { return n.first == e; })) continue;
    if (std::any_of(exists_.begin(), exists_.end(), [&](const scope& s) {
          return std::any_of(s.nodes.begin(), s.nodes.end(), [&](const auto& n) { return n.first == e; });
        }))
      continue;
    if (std::find(out_.tables.begin(), out_.tables.end(), e) != out_.tables.end()) continue;
    if (see(base_, e, mark)) continue;
    bool inside = false;
    for (scope& s : exists_) inside = inside || see(s, e, mark);
    if (inside) continue;
    exists_.push_back(lead(base_.root, base_.root_alias, e, mark));
    words_.push_back("with a " + label(e));
  }
  for (const scope& s : exists_) {
    std::string p = "EXISTS (SELECT 1 FROM " + s.from + " WHERE " + s.where;
    for (const std::string& c : s.conditions) p += " AND " + c;
    where_.push_back(p + ")");
  }
  for (const auto& [id, parts] : alternatives) {
    std::string p;
    for (const std::string& c : parts) p += (p.empty() ? "(" : " OR ") + c;
    where_.push_back(p + ")");
  }
}

void entity_compiler::thresholds() {
  for (const entity_threshold& t : f_.thresholds) {
    if (t.absence != 0) throw cannot_read{"a count inside of what does not exist", {}};
    words_.push_back("number of " + label(t.entity) + " " + t.op + " " + t.number);
    if (t.entity == base_.root || (measured_ >= 0 && t.entity == measured_)) {
      // "cities with more than one employee": groups of the counted rows themselves.
      if (!having_.empty()) throw cannot_read{"two thresholds on one count", {}};
      having_ = "COUNT(*) " + t.op + " " + t.number;
      continue;
    }
    const int owner = f_.subject >= 0 && f_.subject != t.entity ? f_.subject : base_.root;
    auto alias = see(base_, owner, t.mark);
    if (!alias) throw cannot_read{"it is not clear who has them", {}};
    scope s = lead(owner, *alias, t.entity, t.mark);
    std::string inner;
    for (std::size_t k = 0; k < f_.conditions.size(); ++k) {
      const entity_condition& c = f_.conditions[k];
      if (c.absence != 0 || taken_[k] || c.alternative != 0) continue;
      if (map_.forward(base_.root, c.field.entity, c.mark)) continue;
      if (auto at = see(s, c.field.entity, c.mark)) {
        inner += " AND " + predicate(c, *at);
        taken_[k] = true;
      }
    }
    // Several ways to one row of the thing: it counts once.
    std::string what = "COUNT(*)";
    const auto counted =
        std::find_if(s.nodes.begin(), s.nodes.end(), [&](const auto& n) { return n.first == t.entity; });
    if (!s.only_forward && !thing(s.root).link && thing(t.entity).key.size() == 1)
      what = "COUNT(DISTINCT " + counted->second + "." + tsql::quote_identifier(thing(t.entity).key.front()) + ")";
    where_.push_back("(SELECT " + what + " FROM " + s.from + " WHERE " + s.where + inner + ") " + t.op + " " +
                     t.number);
  }
}

void entity_compiler::absences() {
  for (std::size_t a = 0; a < f_.absences.size(); ++a) {
    const auto& [e, mark] = f_.absences[a];
    const int owner = f_.subject >= 0 ? f_.subject : base_.root;
    if (owner == e) throw cannot_read{"a thing without itself", {}};
    auto alias = see(base_, owner, mark);
    if (!alias) throw cannot_read{"it is not clear who has none", {}};
    scope s = lead(owner, *alias, e, mark);
    std::string inner;
    std::string text = "without " + label(e);
    for (const entity_condition& c : f_.conditions) {
      if (c.absence != static_cast<int>(a) + 1) continue;
      if (c.alternative != 0 || c.branch != 0) throw cannot_read{"alternatives inside of what does not exist", {}};
      auto at = see(s, c.field.entity, c.mark);
      if (!at) throw cannot_read{"a condition that does not belong to what does not exist", {}};
      inner += " AND " + predicate(c, *at);
      say_condition(c);
      text += " (" + words_.back() + ")";
      words_.pop_back();
    }
    words_.push_back(std::move(text));
    where_.push_back("NOT EXISTS (SELECT 1 FROM " + s.from + " WHERE " + s.where + inner + ")");
  }
}

}  // namespace dragoman::nlq
