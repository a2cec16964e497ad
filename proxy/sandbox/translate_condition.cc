// Search conditions, in SQLite's own three-valued logic.
#include <fmt/format.h>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {
namespace {

const char* sign_of(tsql::comparison_operator op) {
  using tsql::comparison_operator;
  switch (op) {
    case comparison_operator::equal: return "=";
    case comparison_operator::not_equal: return "<>";
    case comparison_operator::less: return "<";
    case comparison_operator::greater: return ">";
    case comparison_operator::less_or_equal: return "<=";
    case comparison_operator::greater_or_equal: return ">=";
  }
  return "=";
}

}  // namespace

std::string translator::comparison(tsql::comparison_operator op, typed left, typed right) {
  if (failed()) return "0";
  const auto type = common_type(left.type, right.type);
  if (!type) {
    fail(206, errc::conversion,
         fmt::format("Operand type clash: {} is incompatible with {}", type_name(left.type.id),
                     type_name(right.type.id)),
         here_);
    return "0";
  }
  sql_type common = *type;
  if (family_of(common.id) == family::text && common.id != sql_type_id::unknown) {
    // Lengths do not matter for a comparison, and trailing blanks neither.
    common.length = sql_type::max_length;
    common.id = is_unicode(common.id) ? sql_type_id::nvarchar : sql_type_id::varchar;
    if (family_of(left.type.id) != family::text) left = coerce(std::move(left), common);
    if (family_of(right.type.id) != family::text) right = coerce(std::move(right), common);
    return fmt::format("({}{}{} COLLATE T)", left.sql, sign_of(op), right.sql);
  }
  left = coerce(std::move(left), common);
  right = coerce(std::move(right), common);
  const bool equality = op == tsql::comparison_operator::equal || op == tsql::comparison_operator::not_equal;
  if (!equality && family_of(common.id) == family::decimal && decimal_type_of(common).precision > 18)
    return fmt::format("(t_dcmp({},{}){}0)", left.sql, right.sql, sign_of(op));
  if (family_of(common.id) == family::offset)
    return fmt::format("(t_offsetutc({}){}t_offsetutc({}))", left.sql, sign_of(op), right.sql);
  return fmt::format("({}{}{})", left.sql, sign_of(op), right.sql);
}

std::string translator::condition(const tsql::expression& e, scope& s) {
  if (failed()) return "0";
  if (e.pos.line != 0) here_ = e.pos;
  using tsql::comparison_operator;
  return std::visit(
      tsql::overloaded{
          [&](const tsql::comparison& n) { return comparison(n.op, value(*n.left, s), value(*n.right, s)); },
          [&](const tsql::logical& n) {
            std::string sql = "(";
            for (std::size_t i = 0; i < n.operands.size(); ++i) {
              if (i > 0) sql += n.op == tsql::logical_operator::and_ ? " AND " : " OR ";
              sql += condition(n.operands[i], s);
            }
            return sql + ")";
          },
          [&](const tsql::negation& n) { return "(NOT " + condition(*n.operand, s) + ")"; },
          [&](const tsql::is_null& n) {
            return fmt::format("({} IS {}NULL)", value(*n.operand, s).sql, n.negated ? "NOT " : "");
          },
          [&](const tsql::is_distinct_from& n) {
            typed left = value(*n.left, s);
            typed right = value(*n.right, s);
            const std::string equal = comparison(comparison_operator::equal, left, right);
            const std::string same =
                fmt::format("coalesce({},({} IS NULL AND {} IS NULL))", equal, left.sql, right.sql);
            return n.negated ? same : "(NOT " + same + ")";
          },
          [&](const tsql::between& n) {
            typed operand = value(*n.operand, s);
            const std::string low = comparison(comparison_operator::greater_or_equal, operand, value(*n.low, s));
            const std::string high = comparison(comparison_operator::less_or_equal, operand, value(*n.high, s));
            return n.negated ? fmt::format("(NOT ({} AND {}))", low, high) : fmt::format("({} AND {})", low, high);
          },
          [&](const tsql::in_list& n) { return in_list(n, s); },
          [&](const tsql::in_subquery& n) { return in_subquery(n, s); },
          [&](const tsql::like& n) { return like(n, s); },
          [&](const tsql::exists& n) {
            const relation r = query(*n.query, &s);
            return fmt::format("EXISTS({})", r.sql);
          },
          [&](const tsql::quantified_comparison& n) { return quantified(n, s); },
          [&](const tsql::fulltext_predicate&) {
            refused("full-text search", e.pos);
            return std::string("0");
          },
          [&](const tsql::match_predicate&) {
            refused("MATCH", e.pos);
            return std::string("0");
          },
          [&](const auto&) {
            // A value where a condition stands: bit parameters of tools; true is not 0.
            return fmt::format("({}<>0)", value(e, s).sql);
          }},
      e.node);
}

std::string translator::in_list(const tsql::in_list& i, scope& s) {
  typed operand = value(*i.operand, s);
  std::vector<typed> all{operand};
  for (const auto& item : i.list) all.push_back(value(item, s));
  if (failed()) return "0";
  sql_type type = unify(all);
  if (family_of(type.id) == family::text) {
    type.length = sql_type::max_length;
    if (type.id == sql_type_id::char_) type.id = sql_type_id::varchar;
    if (type.id == sql_type_id::nchar) type.id = sql_type_id::nvarchar;
  }
  const auto as = [&](typed v) {
    // Text meets text as it is: blanks at the end do not count.
    if (family_of(type.id) == family::text && family_of(v.type.id) == family::text) return v.sql;
    return coerce(std::move(v), type).sql;
  };
  typed left{as(operand), type, {}, true};
  std::string sql = fmt::format("({}{} IN (", collated(left), i.negated ? " NOT" : "");
  for (std::size_t k = 1; k < all.size(); ++k) sql += (k > 1 ? "," : "") + as(all[k]);
  return sql + "))";
}

std::string translator::in_subquery(const tsql::in_subquery& i, scope& s) {
  typed operand = value(*i.operand, s);
  relation r = query(*i.query, &s);
  if (failed()) return "0";
  if (r.columns.size() != 1) {
    fail(116, errc::syntax,
         "Only one expression can be specified in the select list when the subquery is not introduced "
         "with EXISTS.",
         here_);
    return "0";
  }
  const sql_type type = unify({operand, typed{"", r.columns[0].type, {}, true}});
  const bool text = family_of(type.id) == family::text;
  if (!text) r = converted(std::move(r), {type});
  typed left = text ? operand : coerce(std::move(operand), type);
  left.type = type;
  return fmt::format("({}{} IN ({}))", collated(left), i.negated ? " NOT" : "", r.sql);
}

std::string translator::quantified(const tsql::quantified_comparison& q, scope& s) {
  typed operand = value(*q.operand, s);
  relation r = query(*q.query, &s);
  if (failed()) return "0";
  if (r.columns.size() != 1) {
    fail(116, errc::syntax,
         "Only one expression can be specified in the select list when the subquery is not introduced "
         "with EXISTS.",
         here_);
    return "0";
  }
  const std::string alias = next_alias();
  typed column{alias + "._c1", r.columns[0].type, {}, true};
  const std::string test = comparison(q.op, std::move(operand), std::move(column));
  if (q.quantity == tsql::quantifier::any)
    return fmt::format("EXISTS(SELECT 1 FROM ({}) AS {} WHERE {})", r.sql, alias, test);
  return fmt::format("(NOT EXISTS(SELECT 1 FROM ({}) AS {} WHERE {} IS NOT 1))", r.sql, alias, test);
}

std::string translator::like(const tsql::like& l, scope& s) {
  typed operand = as_text(value(*l.operand, s));
  typed pattern = as_text(value(*l.pattern, s));
  std::string sql;
  if (l.escape) {
    sql = fmt::format("t_like({},{},{})", operand.sql, pattern.sql, as_text(value(*l.escape, s)).sql);
  } else {
    sql = fmt::format("t_like({},{})", operand.sql, pattern.sql);
  }
  return l.negated ? "(NOT " + sql + ")" : sql;
}

}  // namespace dragoman::sandbox
