#include "proxy/parameter_types.h"

#include <algorithm>
#include <unordered_map>

#include "guard/catalog/names.h"
#include "guard/tsql/binder.h"
#include "guard/tsql/walk.h"

namespace dragoman::proxy {
namespace {

constexpr std::int32_t guessed_characters = 4000;

// Visits every place where an expression stands beside another one that says its type.
class type_finder {
 public:
  type_finder(const tsql::bound_statement& facts, const std::vector<std::string>& declared) : declared_(declared) {
    for (const tsql::bound_reference& use : facts.references) {
      const tsql::bound_source& source = facts.sources[use.source];
      columns_[use.node] = source.kind == tsql::source_kind::table ? source.binding.table->columns[use.column].type
                                                                   : source.columns[use.column].type;
    }
  }

  bool enter(const tsql::comparison& n) { return both(*n.left, *n.right); }
  bool enter(const tsql::binary& n) { return both(*n.left, *n.right); }
  bool enter(const tsql::between& n) { return both(*n.operand, *n.low) && both(*n.operand, *n.high); }
  bool enter(const tsql::like& n) { return both(*n.operand, *n.pattern); }
  bool enter(const tsql::in_list& n) {
    for (const tsql::expression& item : n.list) both(*n.operand, item);
    return true;
  }
  bool enter(const tsql::top_clause& n) { return counts(n.count); }
  bool enter(const tsql::variable& n) {
    find(n.name);
    return true;
  }

  std::vector<suggested_parameter> take() {
    for (suggested_parameter& p : found_)
      if (p.type.id == sql_type_id::unknown) p.type = {sql_type_id::nvarchar, guessed_characters};
    return std::move(found_);
  }

 private:
  bool both(const tsql::expression& a, const tsql::expression& b) {
    learn(a, b);
    learn(b, a);
    return true;
  }
  bool counts(const tsql::expression& count) {
    if (const auto* v = std::get_if<tsql::variable>(&count.node)) set(v->name, {sql_type_id::bigint});
    return true;
  }
  void learn(const tsql::expression& unknown, const tsql::expression& known) {
    const auto* v = std::get_if<tsql::variable>(&unknown.node);
    const auto* column = std::get_if<tsql::column_ref>(&known.node);
    if (v == nullptr || column == nullptr) return;
    const auto type = columns_.find(column);
    if (type != columns_.end()) set(v->name, type->second);
  }
  void set(const std::string& name, const sql_type& type) {
    suggested_parameter* p = find(name);
    if (p != nullptr && p->type.id == sql_type_id::unknown) p->type = type;
  }
  // Null for a global variable and a declared one.
  suggested_parameter* find(const std::string& name) {
    const auto same = [&](const std::string& other) { return catalog::same_name(other, name); };
    if (name.starts_with("@@") || std::any_of(declared_.begin(), declared_.end(), same)) return nullptr;
    for (suggested_parameter& p : found_)
      if (same(p.name)) return &p;
    return &found_.emplace_back(suggested_parameter{name, {}});
  }

  const std::vector<std::string>& declared_;
  std::unordered_map<const tsql::column_ref*, sql_type> columns_;
  std::vector<suggested_parameter> found_;
};

}  // namespace

result<std::vector<suggested_parameter>> undeclared_parameters(tsql::select_statement& statement,
                                                               const catalog::database& visible,
                                                               const std::vector<std::string>& declared) {
  tsql::bind_options options;
  options.any_variable = true;
  const auto facts = tsql::bind(statement, tsql::whole_catalog(visible), options);
  if (!facts) return facts.error();
  type_finder finder(*facts, declared);
  tsql::walk(std::as_const(statement), finder);
  return finder.take();
}

}  // namespace dragoman::proxy
