// Calls, methods, windows.
#include "guard/tsql/keywords.h"
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {
namespace {

// Names that begin a syntax of their own when they stand bare before a parenthesis; as plain functions they are
// delimited.
bool is_special(const function_call& call) {
  for (const expression& e : call.arguments) {
    const auto* argument = e.as<literal>();
    if (argument != nullptr && argument->kind == literal_kind::default_value) return true;
  }
  switch (find_keyword(call.name.name.value)) {
    case keyword::cast_:
    case keyword::try_cast_:
    case keyword::parse_:
    case keyword::try_parse_:
    case keyword::match_:
    case keyword::rollup_:
    case keyword::cube_:
    case keyword::changetable_:
    case keyword::predict_:
    case keyword::property_:
    case keyword::vector_search_: return true;
    case keyword::iif_: return call.arguments.size() != 3 || !is_predicate(call.arguments.front());
    case keyword::trim_: return call.arguments.size() != 1 && !(call.options && call.options->trim_from);
    case keyword::json_object_:
    case keyword::json_objectagg_:
      for (const expression& e : call.arguments) {
        if (!e.as<json_key_value>()) return true;
      }
      return call.star || call.quantifier != set_quantifier::none;
    case keyword::json_arrayagg_: return call.arguments.size() > 1;
    default: return false;
  }
}

// Reserved words that are functions all the same.
bool is_reserved_function(keyword word) {
  return word == keyword::coalesce_ || word == keyword::nullif_ || word == keyword::left_ || word == keyword::right_;
}

}  // namespace

void printer::call_name(const function_call& call) {
  if (!call.name.one_part()) return print(call.name);
  if (is_special(call)) return quoted_name(call.name.name.value);
  if (is_reserved_function(find_keyword(call.name.name.value))) return text(call.name.name.value);
  print(call.name.name);
}

void printer::json_tail(const call_options& options) {
  const auto gap = [this] {
    if (out_.back() != '(') text(" ");
  };
  if (options.json_nulls != json_null_clause::none) gap();
  if (options.json_nulls == json_null_clause::null_on_null) text("NULL ON NULL");
  if (options.json_nulls == json_null_clause::absent_on_null) text("ABSENT ON NULL");
  if (options.returning) {
    gap();
    text("RETURNING ");
    print(*options.returning);
  }
  switch (options.wrapper) {
    case json_wrapper::none: break;
    case json_wrapper::array_wrapper: text(" WITH ARRAY WRAPPER"); break;
    case json_wrapper::conditional_array_wrapper: text(" WITH CONDITIONAL ARRAY WRAPPER"); break;
    case json_wrapper::without_array_wrapper: text(" WITHOUT ARRAY WRAPPER"); break;
  }
}

void printer::call_arguments(const function_call& call) {
  if (call.quantifier == set_quantifier::distinct) text("DISTINCT ");
  if (call.quantifier == set_quantifier::all) text("ALL ");
  if (call.star) text("*");
  const call_options* options = call.options.get();
  if (options == nullptr) return values(call.arguments);
  switch (options->trim) {
    case trim_side::none: break;
    case trim_side::leading: text("LEADING "); break;
    case trim_side::trailing: text("TRAILING "); break;
    case trim_side::both: text("BOTH "); break;
  }
  if (options->trim_from && call.arguments.size() == 2) {
    print(call.arguments[0]);
    text(" FROM ");
    print(call.arguments[1]);
  } else {
    values(call.arguments);
  }
  if (!options->order_by.empty()) {
    text(" ");
    order_by(options->order_by);
  }
  json_tail(*options);
  if (!options->model.empty()) {
    text(" USE MODEL ");
    print(options->model);
    if (options->model_parameters) {
      text(" PARAMETERS ");
      print(*options->model_parameters);
    }
  }
}

void printer::node(const function_call& n) {
  call_name(n);
  text("(");
  call_arguments(n);
  text(")");
  if (n.options) {
    if (n.options->nulls == null_treatment::ignore_nulls) text(" IGNORE NULLS");
    if (n.options->nulls == null_treatment::respect_nulls) text(" RESPECT NULLS");
    if (n.options->within_graph_path) text(" WITHIN GROUP (GRAPH PATH)");
    if (!n.options->within_group.empty()) {
      text(" WITHIN GROUP (");
      order_by(n.options->within_group);
      text(")");
    }
  }
  if (n.over) over(*n.over);
}

void printer::node(const json_key_value& n) {
  print(*n.key);
  text(": ");
  print(*n.value);
}

void printer::node(const named_argument& n) {
  print(n.name);
  text(" = ");
  print(*n.value);
}

void printer::node(const method_call& n) {
  // A column before a method or a property would read as one longer name; parentheses keep it the target.
  const bool parentheses =
      level_of(*n.target) < precedence::primary || n.target->as<literal>() || n.target->as<collate>() ||
      n.target->as<at_time_zone>() ||
      (n.target->as<column_ref>() && (n.is_property || n.target->as<column_ref>()->table.server.empty()));
  if (parentheses) text("(");
  print(*n.target);
  text(parentheses ? ")." : ".");
  print(n.name);
  if (n.is_property) return;
  text("(");
  values(n.arguments);
  text(")");
}

void printer::node(const static_call& n) {
  print(*n.type);
  text("::");
  print(n.name);
  if (n.is_property) return;
  text("(");
  values(n.arguments);
  text(")");
}

void printer::node(const partition_function& n) {
  if (!n.database.empty()) {
    print(n.database);
    text(".");
  }
  text("$PARTITION.");
  print(n.name);
  text("(");
  values(n.arguments);
  text(")");
}

void printer::node(const odbc_function& n) {
  const keyword word = find_keyword(n.name.value);
  text("{fn ");
  text(n.name.value);
  const bool bare = n.arguments.empty() && (word == keyword::current_time_ || word == keyword::current_timestamp_ ||
                                            word == keyword::current_date_);
  if (!bare) {
    text("(");
    if (word == keyword::extract_ && n.arguments.size() == 2) {
      print(n.arguments[0]);
      text(" FROM ");
      print(n.arguments[1]);
    } else {
      values(n.arguments);
    }
    text(")");
  }
  text("}");
}

void printer::node(const next_value_for& n) {
  text("NEXT VALUE FOR ");
  print(n.sequence);
  if (n.over) over(*n.over);
}

void printer::over(const over_clause& clause) {
  text(" OVER ");
  if (!clause.window.empty()) return print(clause.window);
  text("(");
  window(clause.definition);
  text(")");
}

void printer::order_by(const std::vector<order_item>& items) {
  text("ORDER BY ");
  list(items, [this](const order_item& i) {
    print(*i.value);
    if (i.descending) text(" DESC");
  });
}

void printer::bound(const frame_bound& b) {
  if (b.offset) {
    print(*b.offset);
    text(" ");
  }
  switch (b.kind) {
    case frame_bound_kind::unbounded_preceding: return text("UNBOUNDED PRECEDING");
    case frame_bound_kind::preceding: return text("PRECEDING");
    case frame_bound_kind::current_row: return text("CURRENT ROW");
    case frame_bound_kind::following: return text("FOLLOWING");
    case frame_bound_kind::unbounded_following: return text("UNBOUNDED FOLLOWING");
  }
}

void printer::window(const window_definition& w) {
  std::string_view gap;
  const auto part = [&] {
    text(gap);
    gap = " ";
  };
  if (!w.base.empty()) {
    part();
    const keyword word = find_keyword(w.base.value);
    const bool special = word == keyword::partition_ || word == keyword::rows_ || word == keyword::range_;
    special ? quoted_name(w.base.value) : print(w.base);
  }
  if (!w.partition_by.empty()) {
    part();
    text("PARTITION BY ");
    values(w.partition_by);
  }
  if (!w.order_by.empty()) {
    part();
    order_by(w.order_by);
  }
  if (!w.frame) return;
  part();
  text(w.frame->unit == frame_unit::rows ? "ROWS " : "RANGE ");
  if (w.frame->end) text("BETWEEN ");
  bound(w.frame->start);
  if (w.frame->end) {
    text(" AND ");
    bound(*w.frame->end);
  }
}

}  // namespace dragoman::tsql
