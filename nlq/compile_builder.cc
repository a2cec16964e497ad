#include "nlq/compile_builder.h"

#include <algorithm>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"
#include "guard/tsql/walk.h"

namespace dragoman::nlq {

using namespace tsql;  // NOLINT: this file builds trees

namespace {

struct role_renamer {
  select_builder& builder;
  const semantic_layer& layer;
  std::string suffix;
  bool enter(column_ref& ref) {
    if (ref.table.empty() || !ref.table.one_part()) return false;
    const role* r = layer.find_role(ref.table.name.value);
    if (r == nullptr) return false;
    if (!builder.reach(r->id)) throw cannot_compile{r->id};
    ref.table.name.value = r->alias + suffix;
    return false;
  }
};

struct column_qualifier {
  std::string alias;
  bool enter(column_ref& ref) {
    static const std::set<std::string> parts{"day", "month", "year", "quarter", "week", "weekday"};
    if (ref.table.empty() && !parts.contains(ref.name.value)) ref.table.name.value = alias;
    return false;
  }
};

struct aggregate_narrower {
  const expression& when;
  bool zero;
  bool enter(function_call& call) {
    static const std::set<std::string> aggregates{"SUM", "COUNT", "AVG", "MIN", "MAX", "COUNT_BIG"};
    std::string name = call.name.name.value;
    for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    if (!aggregates.contains(name)) return true;
    if (call.star) {
      call.star = false;
      call.name.name.value = "SUM";
      call.arguments.push_back(make_case({{when, make_int(1)}}, make_int(0)));
    } else if (!call.arguments.empty()) {
      box<expression> otherwise;
      if (zero && name == "SUM") otherwise = make_int(0);
      call.arguments[0] = make_case({{when, call.arguments[0]}}, otherwise);
    }
    return false;
  }
};

}  // namespace

std::string select_builder::alias_of(const role& r) const {
  return r.alias + suffix_;
}

bool select_builder::reach(const std::string& role_id) {
  auto steps = layer_.path(base_, role_id);
  if (!steps) return false;
  for (const role_join* j : *steps) {
    if (std::find(joins_.begin(), joins_.end(), j) == joins_.end()) joins_.push_back(j);
  }
  return true;
}

expression select_builder::resolve(expression e) {
  role_renamer renamer{*this, layer_, suffix_};
  walk(e, renamer);
  return e;
}

expression select_builder::column(const std::string& role_id, const std::string& name) {
  const role* r = layer_.find_role(role_id);
  if (r == nullptr || !reach(role_id)) throw cannot_compile{role_id};
  return make_column(alias_of(*r), name);
}

expression select_builder::over_date(const std::string& text, const std::string& role_id) {
  const role* r = layer_.find_role(role_id);
  if (r == nullptr || !reach(role_id)) throw cannot_compile{role_id};
  result<expression> parsed = parse_expression(text);
  if (!parsed) {
    // A bare reserved word ("Year" is none, but a site's column may be): take it as a name.
    return make_column(alias_of(*r), text);
  }
  column_qualifier q{alias_of(*r)};
  walk(*parsed, q);
  return std::move(*parsed);
}

std::string select_builder::role_of(const dimension& d, const std::string& wanted) const {
  if (!wanted.empty() && reachable(wanted)) return wanted;
  for (const std::string& r : d.roles) {
    if (reachable(r)) return r;
  }
  // From an entity of its own, a place is that entity's ("provinces of suppliers").
  for (const auto& [owner, r] : d.owned_roles) {
    if (reachable(r)) return r;
  }
  throw cannot_compile{d.label.en};
}

std::string select_builder::time_role() const {
  const role* r = layer_.find_role(base_);
  if (r == nullptr || r->time.empty()) throw cannot_compile{base_ + " by time"};
  return r->time;
}

expression select_builder::where_value(const value_filter& f) {
  const dimension* d = layer_.find_dimension(f.dimension);
  if (d == nullptr) throw cannot_compile{f.dimension};
  if (!d->cases.empty()) {
    std::vector<expression> any;
    for (const std::string& id : f.values) {
      for (const dimension_case& c : d->cases) {
        if (c.id == id) any.push_back(resolve(c.condition));
      }
    }
    box<expression> e = make_or(std::move(any));
    if (!e) throw cannot_compile{f.dimension};
    return f.negated ? make_not(*e) : *e;
  }
  expression c = column(role_of(*d, f.role), f.column.empty() ? d->value_column : f.column);
  if (f.values.size() == 1) {
    return make_comparison(f.negated ? comparison_operator::not_equal : comparison_operator::equal, std::move(c),
                           make_string(f.values[0]));
  }
  std::vector<expression> list;
  for (const std::string& v : f.values) list.push_back(make_string(v));
  expression in = make_in(std::move(c), std::move(list));
  return f.negated ? make_not(std::move(in)) : in;
}

expression date_literal(day_number day) {
  return make(literal{literal_kind::string, date_text(day)});
}

expression select_builder::where_period(const period& p, const std::string& role_id) {
  const calendar_columns* cal = layer_.find_calendar(p.calendar);
  auto year = [&] { return over_date(cal->year, role_id); };
  auto month = [&] { return over_date(cal->month, role_id); };
  if (cal != nullptr && p.month_of_any_year) {
    const int m = *p.month_of_any_year;
    if (p.month_count == 1) return make_equal(month(), make_int(m));
    return make_between(month(), make_int(m), make_int(m + p.month_count - 1));
  }
  if (cal != nullptr && p.calendar_aligned && p.first && p.last) {
    const civil_date a = date_in(p.calendar, *p.first), b = date_in(p.calendar, *p.last);
    const bool whole_years = a.month == 1 && b.month == 12;
    if (whole_years) {
      if (a.year == b.year) return make_equal(year(), make_int(a.year));
      return make_between(year(), make_int(a.year), make_int(b.year));
    }
    if (a.year == b.year) {
      expression in_year = make_equal(year(), make_int(a.year));
      expression in_months = a.month == b.month ? make_equal(month(), make_int(a.month))
                                                : make_between(month(), make_int(a.month), make_int(b.month));
      return *make_and({std::move(in_year), std::move(in_months)});
    }
  }
  if (cal != nullptr && p.calendar_aligned && p.first && !p.last && p.unit == grain::year) {
    return make_comparison(comparison_operator::greater_or_equal, year(), make_int(date_in(p.calendar, *p.first).year));
  }
  expression date = column(role_id, layer_.date_column);
  if (p.first && p.last) {
    if (*p.first == *p.last) return make_equal(std::move(date), date_literal(*p.first));
    return make_between(std::move(date), date_literal(*p.first), date_literal(*p.last));
  }
  if (p.first) return make_comparison(comparison_operator::greater_or_equal, std::move(date), date_literal(*p.first));
  if (p.last) return make_comparison(comparison_operator::less_or_equal, std::move(date), date_literal(*p.last));
  throw cannot_compile{"an empty period"};
}

expression select_builder::where_any(const std::vector<period>& periods, const std::string& role_id) {
  std::vector<expression> any;
  for (const period& p : periods) any.push_back(where_period(p, role_id));
  return *make_or(std::move(any));
}

condition select_builder::keyed(expression e) const {
  std::string key = print(e);
  return {std::move(key), std::move(e)};
}

std::vector<table_source> select_builder::from() {
  const role* r = layer_.find_role(base_);
  if (r == nullptr) throw cannot_compile{base_};
  table_source source = make_table(make_name(r->schema, r->table), alias_of(*r));
  // Resolving a condition may not reach further tables, so the list is complete here.
  const std::vector<const role_join*> joins = joins_;
  for (const role_join* j : joins) {
    const role* to = layer_.find_role(j->to);
    join_kind kind = j->optional && outer_optional_ ? join_kind::left : join_kind::inner;
    source =
        make_join(kind, std::move(source), make_table(make_name(to->schema, to->table), alias_of(*to)), resolve(j->on));
  }
  std::vector<table_source> out;
  out.push_back(std::move(source));
  return out;
}

bool within_one_year(const std::vector<period>& periods, calendar_kind calendar) {
  if (periods.empty()) return false;
  std::optional<int> year;
  for (const period& p : periods) {
    if (!p.first || !p.last) return false;
    const int a = date_in(calendar, *p.first).year, b = date_in(calendar, *p.last).year;
    if (a != b || (year && *year != a)) return false;
    year = a;
  }
  return true;
}

group_columns columns_of(const group& g, const query_intent& q, const semantic_layer& layer, select_builder& b,
                         bool with_year) {
  group_columns out;
  if (g.time) {
    out.time = true;
    const calendar_columns* cal = layer.find_calendar(q.calendar);
    if (cal == nullptr || !cal->grains.contains(*g.time)) throw cannot_compile{"time"};
    const std::string date_role = b.time_role();
    if (g.fiscal && layer.fiscal && (*g.time == grain::year || *g.time == grain::quarter)) {
      const calendar_columns* own = layer.find_calendar(layer.fiscal->calendar);
      if (own == nullptr) throw cannot_compile{"time"};
      const std::string month = std::to_string(layer.fiscal->month);
      const bool shifted = layer.fiscal->month > 1, end = layer.fiscal->named_by_end;
      const std::string number =
          !shifted ? own->year
          : end ? "CASE WHEN " + own->month + " >= " + month + " THEN " + own->year + " + 1 ELSE " + own->year + " END"
                : "CASE WHEN " + own->month + " < " + month + " THEN " + own->year + " - 1 ELSE " + own->year + " END";
      auto show = [&](const std::string& text, const char* alias) {
        expression e = b.over_date(text, date_role);
        out.shown.push_back({e, alias});
        out.keys.push_back(e);
        out.order.push_back(e);
      };
      show(number, "fiscal_year");
      if (*g.time == grain::quarter)
        show("((" + own->month + " + " + std::to_string(12 - layer.fiscal->month) + ") % 12) / 3 + 1",
             "fiscal_quarter");
      return out;
    }
    if (with_year && (*g.time == grain::month || *g.time == grain::quarter)) {
      const grain_columns& y = cal->grains.at(grain::year);
      expression year = b.over_date(y.number, date_role);
      out.shown.push_back({year, y.number_alias});
      out.keys.push_back(year);
      out.order.push_back(year);
    }
    const grain_columns& c = cal->grains.at(*g.time);
    expression number = b.over_date(c.number, date_role);
    // "which month": its name is the answer, its number only tells where it stands.
    const bool only_name = q.top && !c.name.empty() && *g.time == grain::month;
    if (!only_name) out.shown.push_back({number, c.number_alias});
    out.keys.push_back(number);
    out.order.push_back(number);
    if (only_name) {
      expression name = b.over_date(c.name, date_role);
      out.shown.push_back({name, c.name_alias});
      out.keys.push_back(name);
    } else if (!c.name.empty() && !(with_year && *g.time == grain::month)) {
      expression name = b.over_date(c.name, date_role);
      out.shown.push_back({name, c.name_alias});
      out.keys.push_back(name);
    }
    return out;
  }
  const dimension* d = layer.find_dimension(g.dimension);
  if (d == nullptr) throw cannot_compile{g.dimension};
  if (!d->cases.empty()) {
    std::vector<std::pair<expression, expression>> branches;
    for (std::size_t i = 0; i + 1 < d->cases.size(); ++i) {
      branches.emplace_back(b.resolve(d->cases[i].condition), make_string(d->cases[i].label.in(q.lang)));
    }
    expression e = make_case(std::move(branches), make_string(d->cases.back().label.in(q.lang)));
    out.shown.push_back({e, d->name.en});
    out.keys.push_back(e);
    out.order.push_back(e);
    return out;
  }
  const std::string role_id = b.role_of(*d, g.role);
  if (!d->key.empty() && d->more.empty()) out.keys.push_back(b.column(role_id, d->key));
  std::string alias = d->alias;
  for (const auto& [owner, r] : d->owned_roles) {
    if (r == role_id && !d->roles.empty() && r != d->roles.front()) alias = owner + "_" + d->alias;
  }
  expression name = b.column(role_id, d->name.in(q.lang));
  out.shown.push_back({name, alias});
  out.keys.push_back(name);
  for (const auto& [column, column_alias] : d->more) {
    expression e = b.column(role_id, column);
    out.shown.push_back({e, column_alias});
    out.keys.push_back(e);
  }
  if (!d->sort.empty()) {
    expression e = b.column(role_id, d->sort);
    out.keys.push_back(e);
    out.order.push_back(e);
  } else {
    out.order.push_back(name);
  }
  return out;
}

expression under(expression formula, const expression& when, bool zero) {
  aggregate_narrower n{when, zero};
  walk(formula, n);
  return formula;
}

expression number_literal(const std::string& digits) {
  if (!digits.empty() && digits[0] == '-') {
    return make(unary{unary_operator::minus, number_literal(digits.substr(1))});
  }
  if (digits.find('.') != std::string::npos || digits.size() > 18) return make_decimal(digits);
  return make_int(std::strtoll(digits.c_str(), nullptr, 10));
}

comparison_operator operator_of(nlq::comparison op) {
  switch (op) {
    case nlq::comparison::equal: return comparison_operator::equal;
    case nlq::comparison::not_equal: return comparison_operator::not_equal;
    case nlq::comparison::less: return comparison_operator::less;
    case nlq::comparison::less_or_equal: return comparison_operator::less_or_equal;
    case nlq::comparison::greater_or_equal: return comparison_operator::greater_or_equal;
    case nlq::comparison::greater:
    case nlq::comparison::between: break;
  }
  return comparison_operator::greater;
}

expression compare_numbers(nlq::comparison op, expression left, const std::string& low, const std::string& high) {
  if (op == nlq::comparison::between) return make_between(std::move(left), number_literal(low), number_literal(high));
  return make_comparison(operator_of(op), std::move(left), number_literal(low));
}

}  // namespace dragoman::nlq
