// Rowset functions with a syntax of their own.
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {

void printer::option(const rowset_option& o) {
  text(o.name.value);
  if (!o.order.empty()) {
    text(" (");
    list(o.order, [this](const order_item& i) {
      print(*i.value);
      if (i.descending) text(" DESC");
    });
    return text(o.unique ? ") UNIQUE" : ")");
  }
  if (o.value) {
    if (!o.name.empty()) text(" = ");
    print(*o.value);
  } else if (!o.object.empty()) {
    text(" = ");
    print(o.object);
    if (!o.object_alias.empty()) {
      text(" AS ");
      print(o.object_alias);
    }
  }
}

void printer::rowset_arguments(const rowset_function& n) {
  const auto options = [&](bool more) {
    for (const rowset_option& o : n.options) {
      if (more) text(", ");
      more = true;
      option(o);
    }
  };
  switch (n.kind) {
    case rowset_kind::openrowset_bulk:
      text("BULK ");
      if (n.arguments.size() > 1) text("(");
      values(n.arguments);
      if (n.arguments.size() > 1) text(")");
      return options(true);
    case rowset_kind::openrowset_internal:
      print(n.object);
      for (const expression& e : n.arguments) {
        text(", ");
        print(e);
      }
      return;
    case rowset_kind::openrowset:
      if (n.arguments.empty() && !n.options.empty()) return options(false);
      for (std::size_t i = 0; i < n.arguments.size(); ++i) {
        if (i != 0) text(i == 1 ? ", " : ";");
        const auto* literal_argument = n.arguments[i].as<literal>();
        if (literal_argument == nullptr || literal_argument->kind != literal_kind::null) print(n.arguments[i]);
      }
      text(", ");
      return n.options.empty() ? print(n.object) : option(n.options.front());
    case rowset_kind::openquery:
      print(n.object);
      text(", ");
      return values(n.arguments);
    case rowset_kind::opendatasource:
    case rowset_kind::openxml: return values(n.arguments);
    case rowset_kind::changetable_changes:
    case rowset_kind::changetable_version:
      text(n.kind == rowset_kind::changetable_version ? "VERSION " : "CHANGES ");
      print(n.object);
      text(", ");
      if (n.kind == rowset_kind::changetable_version) {
        parenthesised_names(n.key_columns);
        text(", (");
        values(n.arguments);
        text(")");
      } else {
        values(n.arguments);
      }
      if (!n.hints.empty()) {
        text(", ");
        text(n.hints.front().name);
      }
      return;
    case rowset_kind::predict:
    case rowset_kind::vector_search: return options(false);
  }
}

std::string_view function_of(rowset_kind kind) noexcept {
  switch (kind) {
    case rowset_kind::openrowset:
    case rowset_kind::openrowset_internal:
    case rowset_kind::openrowset_bulk: return "OPENROWSET";
    case rowset_kind::openquery: return "OPENQUERY";
    case rowset_kind::opendatasource: return "OPENDATASOURCE";
    case rowset_kind::openxml: return "OPENXML";
    case rowset_kind::changetable_changes:
    case rowset_kind::changetable_version: return "CHANGETABLE";
    case rowset_kind::predict: return "PREDICT";
    case rowset_kind::vector_search: return "VECTOR_SEARCH";
  }
  return {};
}

void printer::node(const rowset_function& n) {
  text(function_of(n.kind));
  text("(");
  rowset_arguments(n);
  text(")");
  if (n.kind == rowset_kind::opendatasource) {
    text(".");
    print(n.object);
  }
  if (!n.schema_table.empty()) {
    text(" WITH ");
    print(n.schema_table);
  }
  schema(n.schema);
  if (n.kind == rowset_kind::vector_search) hints(n.hints);
  alias(n.alias);
}

}  // namespace dragoman::tsql
