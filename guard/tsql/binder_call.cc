#include <fmt/format.h>

#include "guard/tsql/binder_impl.h"

namespace dragoman::tsql::detail {

void binder::note_call(const function_info* info, std::string name, const expression& e, std::size_t arguments) {
  bound_call call;
  call.info = info;
  call.name = std::move(name);
  call.pos = e.pos;
  call.node = &e;
  call.arguments = static_cast<std::uint32_t>(arguments);
  out_.calls.push_back(std::move(call));
}

// ---- name(arguments) ----------------------------------------------------------------------------------------------

// `c.Doc.value('…')` reads like a function of a schema; it is a method when what stands in front is a column.
bool binder::is_column_method(function_call& call, scope& sc) const {
  if (call.name.one_part()) return false;
  column_ref target;
  target.name = call.name.schema;
  if (!call.name.database.empty()) {
    target.table.name = call.name.database;
    target.table.schema = call.name.server;
  }
  return find(&sc, target).what == found_column::outcome::one;
}

value_type binder::bind_call(expression& e, function_call& call, scope& sc) {
  if (!call.name.one_part()) {
    if (is_column_method(call, sc)) {
      method_call method;
      column_ref target;
      target.name = call.name.schema;
      if (!call.name.database.empty()) {
        target.table.name = call.name.database;
        target.table.schema = call.name.server;
      }
      method.target = expression{std::move(target), e.pos};
      method.name = call.name.name;
      method.arguments = std::move(call.arguments);
      e.node = std::move(method);
      out_.column_methods.push_back(&e);
      return bind_method(e, *e.as<method_call>(), sc);
    }
    note_call(nullptr, as_written(call.name), e, call.arguments.size());
    for (auto& a : call.arguments) bind_expression(a, sc);
    return {};
  }
  const function_info* info = find_function(call.name.name.value);
  if (info != nullptr && info->kind == function_kind::rowset) info = nullptr;
  if (info == nullptr) {
    note_call(nullptr, call.name.name.value, e, call.arguments.size());
    for (auto& a : call.arguments) bind_expression(a, sc);
    if (call.options) bind_options_of(*call.options, sc);
    if (call.over) bind_over(*call.over, sc, e.pos, call.name.name.value);
    return {};
  }
  return bind_built_in(e, call, *info, sc);
}

value_type binder::bind_built_in(expression& e, function_call& call, const function_info& info, scope& sc) {
  note_call(&info, call.name.name.value, e, call.star ? 1 : call.arguments.size());
  out_.calls.back().star = call.star;
  out_.calls.back().windowed = static_cast<bool>(call.over);

  const bool groups = info.kind == function_kind::aggregate || info.kind == function_kind::ordered;
  const bool aggregate = groups && !call.over;
  if (info.kind == function_kind::window && !call.over) {
    fail(errc::syntax, fmt::format("The function '{}' must have an OVER clause.", info.name), e.pos, 10753);
  }
  if (aggregate) {
    if (sc.in == clause::where || sc.in == clause::from || sc.in == clause::group_by) {
      fail(errc::syntax,
           sc.in == clause::group_by
               ? "Cannot use an aggregate or a subquery in an expression used for the group by list of a GROUP BY "
                 "clause."
               : "An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING "
                 "clause or a select list, and the column being aggregated is an outer reference.",
           e.pos, sc.in == clause::group_by ? 144 : 147);
    }
    if (sc.aggregate_depth > 0) {
      fail(errc::syntax, "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
           e.pos, 130);
    }
    sc.has_aggregate = true;
    ++sc.aggregate_depth;
  }
  std::vector<sql_type> types;
  types.reserve(call.arguments.size());
  bool nullable = false;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i == 0 && info.datepart_first) {
      const auto* part = call.arguments[0].as<column_ref>();
      if (part == nullptr || !part->table.empty() || !is_datepart(part->name.value)) {
        fail(errc::syntax,
             part != nullptr ? fmt::format("'{}' is not a recognized {} option.", as_written(*part), info.name)
                             : fmt::format("Invalid parameter 1 specified for {}.", info.name),
             e.pos, part != nullptr ? 155 : 1023);
      }
      types.push_back({});
      continue;
    }
    const value_type v = bind_expression(call.arguments[i], sc);
    types.push_back(v.type);
    nullable = nullable || v.nullable;
  }
  if (call.options) bind_options_of(*call.options, sc);
  if (aggregate) --sc.aggregate_depth;
  if (call.over) bind_over(*call.over, sc, e.pos, info.name);

  sql_type type = type_of_call(info, types.data(), types.size());
  if (info.name == "PERCENTILE_DISC" || info.name == "APPROX_PERCENTILE_DISC") type = {};
  const bool counts = info.name == "COUNT" || info.name == "COUNT_BIG" || info.kind == function_kind::window;
  if (info.name == "ISNULL" || info.name == "COALESCE") {
    // NULL only when the last resort may be.
    nullable = false;
  }
  return {type, counts ? info.name == "LAG" || info.name == "LEAD" : groups || nullable};
}

void binder::bind_options_of(call_options& options, scope& sc) {
  for (auto& item : options.within_group) bind_expression(*item.value, sc);
  for (auto& item : options.order_by) bind_expression(*item.value, sc);
  if (options.model_parameters) bind_expression(*options.model_parameters, sc);
}

// ---- windows ------------------------------------------------------------------------------------------------------

void binder::bind_over(over_clause& over, scope& sc, source_position at, std::string_view function) {
  if (sc.in != clause::select && sc.in != clause::order_by) {
    fail(errc::syntax, "Windowed functions can only appear in the SELECT or ORDER BY clauses.", at, 4108);
  }
  const identifier& base = over.window.empty() ? over.definition.base : over.window;
  if (!base.empty()) {
    bool known = false;
    if (sc.windows != nullptr) {
      for (const auto& w : *sc.windows) known = known || same_name(w.name.value, base.value);
    }
    if (!known) {
      fail(errc::syntax, fmt::format("Window '{}' is undefined for function '{}'.", base.value, function), at, 5362);
    }
  }
  bind_window(over.definition, sc);
}

void binder::bind_window(window_definition& w, scope& sc) {
  for (auto& e : w.partition_by) bind_expression(e, sc);
  for (auto& item : w.order_by) bind_expression(*item.value, sc);
  if (w.frame) {
    if (w.frame->start.offset) bind_expression(*w.frame->start.offset, sc);
    if (w.frame->end && w.frame->end->offset) bind_expression(*w.frame->end->offset, sc);
  }
}

// ---- methods and ODBC ---------------------------------------------------------------------------------------------

namespace {

// An XQuery may reach out of its value: sql:column("t.c") and sql:variable("@v") name what the binder does not see. The
// prefix may be declared anew, the local name may not, and no blank may stand in a qualified name.
bool leaves_its_value(std::string_view xquery) {
  const std::string text = catalog::folded(xquery);
  for (const std::string_view name : {":column", ":variable"}) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      if (at == 0 || text[at - 1] != ':') return true;  // child::column is a step to an element
    }
  }
  return false;
}

}  // namespace

// Methods that read the xml value in front of them. modify() writes; methods of CLR types run code.
value_type binder::bind_method(expression& e, method_call& call, scope& sc) {
  const value_type target = bind_expression(*call.target, sc);
  for (auto& a : call.arguments) bind_expression(a, sc);
  const bool xml = target.type.id == sql_type_id::xml;
  const auto is = [&](std::string_view name) { return !call.is_property && same_name(call.name.value, name); };
  for (const auto& a : call.arguments) {
    const auto* text = a.as<literal>();
    if (!xml) break;
    if (text == nullptr || (text->kind != literal_kind::string && text->kind != literal_kind::unicode_string)) {
      out_.oddities.push_back({"An XQuery that is no plain text", e.pos});
    } else if (leaves_its_value(text->text)) {
      out_.oddities.push_back({"An XQuery that names columns or variables", e.pos});
    }
  }
  if (xml && is("value") && call.arguments.size() == 2) {
    const auto* type = call.arguments[1].as<literal>();
    if (type == nullptr) return {};
    if (const auto parsed = parse_sql_type(type->text)) return {*parsed, true};
    out_.oddities.push_back({"value() with a type that is no built-in one", e.pos});
    return {};
  }
  if (xml && is("query") && call.arguments.size() == 1) return {make_sql_type(sql_type_id::xml), true};
  if (xml && is("exist") && call.arguments.size() == 1) return {make_sql_type(sql_type_id::bit), true};
  if (xml && is("nodes") && call.arguments.size() == 1) return {make_sql_type(sql_type_id::xml), true};
  note_call(nullptr, call.name.value, e, call.arguments.size());
  return {};
}

value_type binder::bind_odbc(expression& e, odbc_function& call, scope& sc) {
  const function_info* info = find_odbc_function(call.name.value);
  note_call(info, call.name.value, e, call.arguments.size());
  std::vector<sql_type> types;
  bool nullable = false;
  const bool convert = same_name(call.name.value, "CONVERT");
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* word = call.arguments[i].as<column_ref>();
    if (i == 0 && info != nullptr && info->datepart_first && word != nullptr && is_datepart(word->name.value)) {
      types.push_back({});
      continue;
    }
    // {fn CONVERT(x, SQL_INTEGER)}: a type by its ODBC name.
    if (i == 1 && convert && word != nullptr && word->table.empty() && word->name.value.starts_with("SQL_")) continue;
    const value_type v = bind_expression(call.arguments[i], sc);
    types.push_back(v.type);
    nullable = nullable || v.nullable;
  }
  if (convert && info == nullptr) {
    static constexpr function_info odbc_convert{"CONVERT", function_kind::scalar, function_access::none, 2,
                                                2,         return_rule::unknown};
    for (auto& c : out_.calls) {
      if (c.node == &e) c.info = &odbc_convert;
    }
  }
  return {info != nullptr ? type_of_call(*info, types.data(), types.size()) : sql_type{}, nullable};
}

}  // namespace dragoman::tsql::detail

namespace dragoman::tsql {

void join_column_method(expression& e) {
  auto* method = e.as<method_call>();
  auto* target = method != nullptr ? method->target->as<column_ref>() : nullptr;
  if (target == nullptr || method->is_property || !target->table.database.empty()) return;
  function_call call;
  call.name.name = std::move(method->name);
  call.name.schema = std::move(target->name);
  call.name.database = std::move(target->table.name);
  call.name.server = std::move(target->table.schema);
  call.arguments = std::move(method->arguments);
  e.node = std::move(call);
}

}  // namespace dragoman::tsql
