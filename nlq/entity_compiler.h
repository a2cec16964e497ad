// The compiler behind entity_compile.h: one FROM with the joins it takes, and what hangs on it. Internal to nlq/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "guard/tsql/printer.h"
#include "nlq/entity_compile.h"
#include "nlq/entity_paths.h"

namespace dragoman::nlq {

// The pattern of LIKE for what contains the text, as a literal.
std::string like_literal(const std::string& text);

class entity_compiler {
 public:
  entity_compiler(const entity_frame& frame, const semantic_layer& layer)
      : f_(frame), layer_(layer), map_(layer, frame) {}

  entity_compiled compile();

 private:
  // Aliases of one FROM: the first is its root, the others hang on it by forward references.
  struct scope {
    int root = -1;
    std::string root_alias;
    std::string from;
    std::string where;                         // how it hangs on the scope outside
    std::map<std::string, std::string> joins;  // way → alias
    std::vector<std::pair<int, std::string>> nodes;
    int branch = 0;
    std::vector<std::string> conditions;
    bool only_forward = true;
  };

  const entity& thing(int e) const { return layer_.entities[static_cast<std::size_t>(e)]; }
  const entity_field& field(const field_ref& r) const {
    return thing(r.entity).fields[static_cast<std::size_t>(r.field)];
  }
  std::string new_alias() { return "t" + std::to_string(++aliases_); }
  void note(int e) {
    if (std::find(out_.tables.begin(), out_.tables.end(), e) == out_.tables.end()) out_.tables.push_back(e);
  }
  std::string table_of(int e, const std::string& alias) const {
    return tsql::quote_identifier(thing(e).schema) + "." + tsql::quote_identifier(thing(e).table) + " AS " + alias;
  }
  std::string equals(const entity_step& s, const std::string& from, const std::string& to) const {
    const entity_reference& r = thing(s.by.entity).references[static_cast<std::size_t>(s.by.reference)];
    const std::string& holder = s.forward ? from : to;
    const std::string& target = s.forward ? to : from;
    return holder + "." + tsql::quote_identifier(r.column) + " = " + target + "." + tsql::quote_identifier(r.on);
  }

  scope make_root(int e) {
    scope s;
    s.root = e;
    s.root_alias = new_alias();
    s.from = table_of(e, s.root_alias);
    s.nodes.emplace_back(e, s.root_alias);
    note(e);
    return s;
  }
  // The alias under which the thing is seen in this scope, with the joins it takes; nothing where no reference leads to
  // it.
  std::optional<std::string> see(scope& s, int e, std::size_t mark);
  // A subquery's FROM that leads from an alias outside to the thing.
  scope lead(int from, const std::string& alias, int to, std::size_t mark);
  std::string value(const field_ref& f, const std::string& alias) const;
  std::string as_number(const field_ref& f, const std::string& alias) const;
  std::string predicate(const entity_condition& c, const std::string& alias);
  std::string said(const field_ref& f) const;
  std::string label(int e) const;
  void conditions();
  void thresholds();
  void absences();
  std::string figure(const entity_output& o);
  void say_condition(const entity_condition& c);

  const entity_frame& f_;
  const semantic_layer& layer_;
  entity_map map_;
  unsigned aliases_ = 0;
  scope base_;
  std::vector<scope> exists_;
  std::vector<std::string> where_;
  std::vector<bool> taken_;  // conditions that stand inside a count
  std::string having_;
  int measured_ = -1;
  entity_compiled out_;
  std::vector<std::string> words_;
};

}  // namespace dragoman::nlq
