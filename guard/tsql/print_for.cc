// FOR BROWSE, FOR XML, FOR JSON.
#include "guard/tsql/printer_core.h"

namespace dragoman::tsql {

void printer::for_(const for_clause& c) {
  std::visit([this](const auto& n) { clause(n); }, c);
}

void printer::clause(const for_browse&) {
  text("FOR BROWSE");
}

void printer::clause(const for_xml& c) {
  static constexpr std::string_view modes[] = {"RAW", "AUTO", "EXPLICIT", "PATH"};
  const auto parenthesised = [this](const std::optional<std::string>& value) {
    if (!value) return;
    text("(");
    string(*value, true);
    text(")");
  };
  text("FOR XML ");
  text(modes[static_cast<std::size_t>(c.mode)]);
  parenthesised(c.element);
  if (c.binary_base64) text(", BINARY BASE64");
  if (c.type) text(", TYPE");
  if (c.xmldata) text(", XMLDATA");
  if (c.xmlschema) {
    text(", XMLSCHEMA");
    parenthesised(c.xmlschema_uri);
  }
  if (c.root) {
    text(", ROOT");
    parenthesised(c.root_name);
  }
  switch (c.elements) {
    case xml_elements::none: break;
    case xml_elements::plain: text(", ELEMENTS"); break;
    case xml_elements::xsinil: text(", ELEMENTS XSINIL"); break;
    case xml_elements::absent: text(", ELEMENTS ABSENT"); break;
  }
}

void printer::clause(const for_json& c) {
  text(c.mode == for_json_mode::auto_ ? "FOR JSON AUTO" : "FOR JSON PATH");
  if (c.root) {
    text(", ROOT");
    if (c.root_name) {
      text("(");
      string(*c.root_name, true);
      text(")");
    }
  }
  if (c.include_null_values) text(", INCLUDE_NULL_VALUES");
  if (c.without_array_wrapper) text(", WITHOUT_ARRAY_WRAPPER");
}

}  // namespace dragoman::tsql
