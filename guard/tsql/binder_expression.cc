#include <fmt/format.h>

#include <bit>

#include "base/limits.h"
#include "guard/tsql/binder_impl.h"

namespace dragoman::tsql::detail {
namespace {

const sql_type truth = make_sql_type(sql_type_id::bit);

}  // namespace

value_type binder::bind_expression(expression& e, scope& sc) {
  if (failed()) return {};
  if (++nesting_ > limits::expression_depth_max * 4) {
    fail(errc::too_complex, "The expression is nested too deeply.", e.pos);
    return {};
  }
  ++out_.expressions;
  const bool key = !sc.key_expressions.empty() && sc.aggregate_depth == 0 && sc.key_depth == 0 &&
                   sc.in != clause::group_by && contains(sc.key_expressions, e, sc);
  if (key) ++sc.key_depth;
  const value_type type = bind_node(e, sc);
  if (key) --sc.key_depth;
  --nesting_;
  return type;
}

value_type binder::bind_node(expression& e, scope& sc) {
  const source_position at = e.pos;
  const auto both = [&](box<expression>& left, box<expression>& right) {
    const value_type a = bind_expression(*left, sc);
    const value_type b = bind_expression(*right, sc);
    return value_type{truth, a.nullable || b.nullable};
  };
  return std::visit(
      overloaded{
          [&](literal& n) -> value_type {
            if (n.kind == literal_kind::default_value)
              fail(errc::syntax, "Incorrect syntax near the keyword 'DEFAULT'.", at, 156);
            return {type_of_literal(n), n.kind == literal_kind::null};
          },
          [&](variable& n) -> value_type { return bind_variable(n, at, sc); },
          [&](column_ref& n) -> value_type { return bind_column(n, at, sc); },
          [&](niladic_function& n) -> value_type {
            static constexpr function_info login{"USER", function_kind::scalar,    function_access::session, 0,
                                                 0,      return_rule::nvarchar_128};
            static constexpr function_info now{
                "CURRENT_TIMESTAMP", function_kind::scalar, function_access::clock, 0, 0, return_rule::datetime};
            static constexpr std::string_view names[] = {"CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER",
                                                         "SYSTEM_USER",       "USER",         "CURRENT_DATE",
                                                         "CURRENT_TIME"};
            const bool clock = n.kind == niladic_kind::current_timestamp || n.kind == niladic_kind::current_date ||
                               n.kind == niladic_kind::current_time;
            note_call(clock ? &now : &login, std::string(names[static_cast<std::size_t>(n.kind)]), e, 0);
            return {type_of_niladic(n.kind), !clock};
          },
          [&](odbc_literal& n) -> value_type {
            return {type_of_odbc_literal(n.kind), false};
          },
          [&](unary& n) -> value_type { return bind_expression(*n.operand, sc); },
          [&](binary& n) -> value_type {
            const value_type a = bind_expression(*n.left, sc);
            const value_type b = bind_expression(*n.right, sc);
            return {type_of_binary(n.op, a.type, b.type), a.nullable || b.nullable};
          },
          [&](comparison& n) -> value_type { return both(n.left, n.right); },
          [&](logical& n) -> value_type {
            out_.longest_condition = std::max(out_.longest_condition, n.operands.size());
            for (auto& o : n.operands) bind_expression(o, sc);
            return {truth, true};
          },
          [&](negation& n) -> value_type {
            bind_expression(*n.operand, sc);
            return {truth, true};
          },
          [&](is_null& n) -> value_type {
            bind_expression(*n.operand, sc);
            return {truth, false};
          },
          [&](is_distinct_from& n) -> value_type { return both(n.left, n.right); },
          [&](between& n) -> value_type {
            bind_expression(*n.operand, sc);
            return both(n.low, n.high);
          },
          [&](in_list& n) -> value_type {
            out_.longest_list = std::max(out_.longest_list, n.list.size());
            bind_expression(*n.operand, sc);
            for (auto& v : n.list) bind_expression(v, sc);
            return {truth, true};
          },
          [&](in_subquery& n) -> value_type {
            bind_expression(*n.operand, sc);
            bind_subquery(*n.query, sc, query_role::subquery, at);
            return {truth, true};
          },
          [&](like& n) -> value_type {
            bind_expression(*n.operand, sc);
            if (n.escape) bind_expression(*n.escape, sc);
            bind_expression(*n.pattern, sc);
            return {truth, true};
          },
          [&](exists& n) -> value_type {
            bind_subquery(*n.query, sc, query_role::exists, at);
            return {truth, false};
          },
          [&](quantified_comparison& n) -> value_type {
            bind_expression(*n.operand, sc);
            bind_subquery(*n.query, sc, query_role::subquery, at);
            return {truth, true};
          },
          [&](collate& n) -> value_type { return bind_expression(*n.operand, sc); },
          [&](at_time_zone& n) -> value_type {
            const value_type v = bind_expression(*n.operand, sc);
            bind_expression(*n.zone, sc);
            return {make_sql_type(sql_type_id::datetimeoffset, 0, 0, 7), v.nullable};
          },
          [&](case_expression& n) -> value_type { return bind_case(n, sc); },
          [&](conversion& n) -> value_type { return bind_conversion(n, sc); },
          [&](function_call& n) -> value_type { return bind_call(e, n, sc); },
          [&](json_key_value& n) -> value_type { return both(n.key, n.value); },
          [&](named_argument& n) -> value_type { return bind_expression(*n.value, sc); },
          [&](method_call& n) -> value_type { return bind_method(e, n, sc); },
          [&](static_call& n) -> value_type {
            note_call(nullptr, as_written(*n.type) + "::" + n.name.value, e, n.arguments.size());
            for (auto& a : n.arguments) bind_expression(a, sc);
            return {};
          },
          [&](partition_function& n) -> value_type {
            note_call(nullptr, "$PARTITION." + n.name.value, e, n.arguments.size());
            for (auto& a : n.arguments) bind_expression(a, sc);
            return {};
          },
          [&](odbc_function& n) -> value_type { return bind_odbc(e, n, sc); },
          [&](next_value_for& n) -> value_type {
            note_call(nullptr, "NEXT VALUE FOR", e, 0);
            if (n.over) bind_over(*n.over, sc, at, "NEXT VALUE FOR");
            return {};
          },
          [&](scalar_subquery& n) -> value_type {
            const auto columns = bind_subquery(*n.query, sc, query_role::subquery, at);
            return columns.empty() ? value_type{} : value_type{columns.front().type, true};
          },
          [&](fulltext_predicate& n) -> value_type {
            out_.oddities.push_back({n.kind == fulltext_kind::contains ? "CONTAINS" : "FREETEXT", at});
            for (auto& c : n.columns) bind_expression(c, sc);
            if (n.search) bind_expression(*n.search, sc);
            return {truth, true};
          },
          [&](match_predicate&) -> value_type {
            out_.oddities.push_back({"MATCH", at});
            return {truth, true};
          },
      },
      e.node);
}

value_type binder::bind_case(case_expression& c, scope& sc) {
  value_type out{{}, !c.otherwise};
  if (c.operand) bind_expression(*c.operand, sc);
  for (auto& branch : c.branches) {
    bind_expression(*branch.when, sc);
    const value_type v = bind_expression(*branch.then, sc);
    out.type = common_type(out.type, v.type);
    out.nullable = out.nullable || v.nullable;
  }
  if (c.otherwise) {
    const value_type v = bind_expression(*c.otherwise, sc);
    out.type = common_type(out.type, v.type);
    out.nullable = out.nullable || v.nullable;
  }
  return out;
}

value_type binder::bind_conversion(conversion& c, scope& sc) {
  const value_type v = bind_expression(*c.value, sc);
  if (c.style) bind_expression(*c.style, sc);
  const bool may_fail = c.kind == conversion_kind::try_cast || c.kind == conversion_kind::try_convert ||
                        c.kind == conversion_kind::try_parse;
  const sql_type type = type_of(*c.type);
  if (type.id == sql_type_id::unknown || !c.type->xml_schema.empty()) {
    // A type of the user's own may be CLR code; an XML schema collection is an object that no policy names.
    note_call(nullptr, as_written(c.type->name), *c.value, 1);
  }
  return {type, may_fail || v.nullable};
}

value_type binder::bind_variable(variable& v, source_position at, scope&) {
  if (v.is_global()) {
    const function_info* info = find_global_variable(v.name);
    expression self;
    note_call(info, v.name, self, 0);
    out_.calls.back().pos = at;
    out_.calls.back().node = nullptr;
    return {info != nullptr ? type_of_call(*info, nullptr, 0) : sql_type{}, true};
  }
  for (const auto& known : options_.variables) {
    if (same_name(known.name, v.name)) {
      out_.variables.push_back({v.name, at});
      return {known.type, true};
    }
  }
  if (options_.any_variable) {
    out_.variables.push_back({v.name, at});
    return {};
  }
  fail(errc::syntax, fmt::format("Must declare the scalar variable \"{}\".", v.name), at, 137);
  return {};
}

// ---- conditions of WHERE and ON -----------------------------------------------------------------------------------

std::uint64_t binder::touched(std::size_t first_reference, const scope& sc) const {
  std::uint64_t mask = 0;
  for (std::size_t i = first_reference; i < out_.references.size(); ++i) {
    const bound_source& source = out_.sources[out_.references[i].source];
    if (source.specification == sc.specification) mask |= std::uint64_t{1} << source.position;
  }
  return mask;
}

void binder::bind_condition(expression& e, scope& sc) {
  if (auto* both = e.as<logical>(); both != nullptr && both->op == logical_operator::and_) {
    if (++nesting_ > limits::expression_depth_max * 4) {
      return fail(errc::too_complex, "The expression is nested too deeply.", e.pos);
    }
    out_.longest_condition = std::max(out_.longest_condition, both->operands.size());
    for (auto& operand : both->operands) bind_condition(operand, sc);
    --nesting_;
    return;
  }
  const std::size_t first = out_.references.size();
  const std::uint64_t mask = bind_conjunct(e, sc);
  if (std::popcount(mask) > 1) sc.connected.push_back(mask);
  if (!failed()) mark_compared(e, first, sc.in == clause::from);
}

// The sources that must be looked at together to decide the condition: of OR only what every branch looks at.
std::uint64_t binder::bind_conjunct(expression& e, scope& sc) {
  if (auto* either = e.as<logical>(); either != nullptr && either->op == logical_operator::or_) {
    ++out_.expressions;
    out_.longest_condition = std::max(out_.longest_condition, either->operands.size());
    std::uint64_t common = ~std::uint64_t{0};
    for (auto& operand : either->operands) common &= bind_conjunct(operand, sc);
    return common;
  }
  const std::size_t first = out_.references.size();
  bind_expression(e, sc);
  return touched(first, sc);
}

void binder::mark_compared(const expression& e, std::size_t first, bool in_on) {
  // Compared with a value counts, not with the same row (c = c) nor from inside of a subquery, whose answer may be
  // turned round.
  const auto mark = [&](const expression& side) -> bound_reference* {
    const auto* ref = side.as<column_ref>();
    if (ref == nullptr) return nullptr;
    bound_reference* own = nullptr;
    for (std::size_t i = first; i < out_.references.size() && own == nullptr; ++i) {
      if (out_.references[i].node == ref) own = &out_.references[i];
    }
    if (own == nullptr) return nullptr;
    std::size_t same = 0;
    for (std::size_t i = first; i < out_.references.size(); ++i) {
      same += out_.references[i].source == own->source ? 1 : 0;
    }
    own->compared = same == 1 && !own->outer;
    return own;
  };
  const auto* unequal = e.as<comparison>();
  if (unequal != nullptr && unequal->op == comparison_operator::not_equal) return;
  if (const auto* c = e.as<comparison>()) {
    bound_reference* a = mark(*c->left);
    bound_reference* b = mark(*c->right);
    if (in_on && a != nullptr && b != nullptr && c->op == comparison_operator::equal) {
      a->partner = static_cast<std::uint32_t>(b - out_.references.data());
      b->partner = static_cast<std::uint32_t>(a - out_.references.data());
    }
  } else if (const auto* b = e.as<between>(); b != nullptr && !b->negated) {
    mark(*b->operand);
  } else if (const auto* i = e.as<in_list>(); i != nullptr && !i->negated) {
    mark(*i->operand);
  } else if (const auto* s = e.as<in_subquery>(); s != nullptr && !s->negated) {
    mark(*s->operand);
  } else if (const auto* l = e.as<like>(); l != nullptr && !l->negated) {
    mark(*l->operand);
  }
}

}  // namespace dragoman::tsql::detail
