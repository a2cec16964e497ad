#include "tds/server/call_arguments.h"

#include <utility>

namespace dragoman::tds::server {

failure numbered(errc code, std::int32_t number, std::string text) {
  failure f(code, std::move(text));
  f.number = number;
  return f;
}

failure no_such_handle(std::int32_t handle) {
  return numbered(errc::bad_argument, 8179,
                  "Could not find prepared statement with handle " + std::to_string(handle) + ".");
}

failure missing_argument(std::string_view procedure, std::string_view name) {
  return numbered(errc::bad_argument, 201,
                  "Procedure or function '" + std::string(procedure) + "' expects parameter '" + std::string(name) +
                      "', which was not supplied.");
}

result<std::string> text_of(rpc_call& call, std::size_t index, std::string_view name) {
  if (index >= call.parameters.size()) return missing_argument(call.name, name);
  rpc_parameter& p = call.parameters[index];
  if (is_null(p.value)) return std::string{};
  if (auto* text = std::get_if<std::string>(&p.value)) return std::move(*text);
  return numbered(
      errc::bad_argument, 214,
      "Procedure expects parameter '" + std::string(name) + "' of type 'ntext/nchar/nvarchar'. (" + call.name + ")");
}

std::optional<std::int32_t> integer_of(const rpc_call& call, std::size_t index) {
  if (index >= call.parameters.size()) return std::nullopt;
  if (const auto* i = std::get_if<std::int64_t>(&call.parameters[index].value)) return static_cast<std::int32_t>(*i);
  return std::nullopt;
}

const sql_type& handle_type() {
  static const sql_type type{.id = sql_type_id::int_};
  return type;
}

void fail_call(response& out, const failure& f) {
  out.error(f);
  out.return_status(f.error_number());
}

void return_integer(response& out, const rpc_call& call, std::size_t index, std::int64_t value) {
  if (index < call.parameters.size() && call.parameters[index].output)
    out.return_value(static_cast<std::uint16_t>(index), call.parameters[index].name, handle_type(), value);
}

}  // namespace dragoman::tds::server
