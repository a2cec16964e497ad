#include "nlq/compile_compose.h"

#include <algorithm>
#include <iterator>

#include "guard/tsql/printer.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

namespace {

constexpr const char* member = "member";

bool shows(const query_specification& s, const expression& e) {
  const std::string text = print(e);
  return std::any_of(s.items.begin(), s.items.end(), [&](const select_item& i) {
    const auto* shown = i.as<select_expression>();
    return shown != nullptr && print(shown->value) == text;
  });
}

bool grouped_on(const query_specification& s, const expression& e) {
  if (!s.group_by) return true;
  const std::string text = print(e);
  return std::any_of(s.group_by->elements.begin(), s.group_by->elements.end(), [&](const grouping_element& g) {
    return std::any_of(g.expressions.begin(), g.expressions.end(),
                       [&](const expression& x) { return print(x) == text; });
  });
}

void hoist(select_statement& from, std::vector<common_table_expression>& into) {
  into.insert(into.end(), std::make_move_iterator(from.ctes.begin()), std::make_move_iterator(from.ctes.end()));
  from.ctes.clear();
}

}  // namespace

earlier_members members_of(const query_intent& q, const semantic_layer& layer) {
  const dimension* d = layer.find_dimension(q.among_dimension);
  if (d == nullptr || q.among.empty()) throw cannot_compile{"an earlier answer"};
  const query_intent& asked = q.among.front();
  compiled earlier = compile_frame(asked, layer);
  query_specification* s = earlier.select.query.specification();
  std::vector<std::string> roles{q.among_role};
  roles.insert(roles.end(), d->roles.begin(), d->roles.end());
  for (const auto& [owner, role_id] : d->owned_roles) roles.push_back(role_id);
  for (const std::string& id : roles) {
    const role* r = layer.find_role(id);
    if (s == nullptr || r == nullptr) continue;
    const expression name = make_column(r->alias, d->name.in(asked.lang));
    if (!shows(*s, name)) continue;
    earlier_members out;
    const expression key = make_column(r->alias, d->key);
    const bool keyed = !d->key.empty() && grouped_on(*s, key);
    out.column = keyed ? d->key : d->name.in(asked.lang);
    s->items = {make_item(keyed ? key : name, member)};
    // An order only chooses rows where there is a TOP.
    if (!s->top) earlier.select.query.order_by.clear();
    out.select = std::move(earlier.select);
    return out;
  }
  throw cannot_compile{asked.lang == language::persian ? "پاسخ پیشین به این شکل" : "an earlier answer of this shape"};
}

std::string among_name(const query_intent& q) {
  int below = 0;
  for (const query_intent* at = &q.among.front(); !at->among.empty(); at = &at->among.front()) ++below;
  return below == 0 ? "earlier_answer" : "earlier_answer_" + std::to_string(below + 1);
}

expression among_condition(const query_intent& q, const semantic_layer& layer, select_builder& b) {
  const dimension* d = layer.find_dimension(q.among_dimension);
  if (d == nullptr) throw cannot_compile{q.among_dimension};
  const earlier_members members = members_of(q, layer);
  std::vector<table_source> from;
  from.push_back(make_table(make_name("", among_name(q)), ""));
  in_subquery in;
  in.operand = b.column(b.role_of(*d, q.among_role), members.column);
  in.query = make_select({make_item(make_column(member))}, std::move(from));
  return make(std::move(in));
}

void attach_earlier(const query_intent& q, const semantic_layer& layer, compiled& out) {
  if (q.among.empty()) return;
  earlier_members members = members_of(q, layer);
  std::vector<common_table_expression> ctes;
  hoist(members.select, ctes);
  ctes.push_back(make_cte(among_name(q), std::move(members.select.query)));
  hoist(out.select, ctes);
  out.select.ctes = std::move(ctes);
}

void count_answer(const query_intent& q, const semantic_layer& layer, compiled& out) {
  if (!q.count_rows) return;
  const query_specification* s = out.select.query.specification();
  if (s == nullptr || !s->top) out.select.query.order_by.clear();
  std::string alias = "row_count";
  for (const group& g : q.groups) {
    if (const dimension* d = layer.find_dimension(g.dimension)) alias = d->alias + "_count";
  }
  out.select.ctes.push_back(make_cte("answer", std::move(out.select.query)));
  std::vector<table_source> from;
  from.push_back(make_table(make_name("", "answer"), ""));
  out.select.query = make_select({make_item(make_count_star(), alias)}, std::move(from));
  out.output_names = {alias};
  out.order_matters = false;
}

}  // namespace dragoman::nlq
