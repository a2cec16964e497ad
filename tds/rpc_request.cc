#include "tds/rpc_request.h"

#include <array>

#include "base/limits.h"
#include "base/utf16.h"
#include "tds/all_headers.h"
#include "tds/type_reader.h"

namespace dragoman::tds {
namespace {

constexpr std::array<std::string_view, 16> names{"",
                                                 "sp_cursor",
                                                 "sp_cursoropen",
                                                 "sp_cursorprepare",
                                                 "sp_cursorexecute",
                                                 "sp_cursorprepexec",
                                                 "sp_cursorunprepare",
                                                 "sp_cursorfetch",
                                                 "sp_cursoroption",
                                                 "sp_cursorclose",
                                                 "sp_executesql",
                                                 "sp_prepare",
                                                 "sp_execute",
                                                 "sp_prepexec",
                                                 "sp_prepexecrpc",
                                                 "sp_unprepare"};

constexpr std::uint8_t separator_72 = 0xFF;
constexpr std::uint8_t separator_71 = 0x80;
constexpr std::uint8_t no_execute = 0xFE;

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

std::string read_text(byte_reader& in, std::size_t units) {
  auto text = utf8_from_utf16le(in.take(units * 2));
  return text ? std::move(*text) : std::string{};
}

// The next byte ends the call instead of beginning a parameter's name. 0x80 is a name of 128 units for newer clients.
bool ends_call(std::uint8_t next, const wire_profile& profile) {
  return next == separator_72 || next == no_execute || (next == separator_71 && !profile.wide());
}

result<rpc_parameter> read_parameter(byte_reader& in, const wire_profile& profile) {
  rpc_parameter parameter;
  parameter.name = read_text(in, in.u8());
  const std::uint8_t status = in.u8();
  parameter.output = (status & 0x01) != 0;
  parameter.use_default = (status & 0x02) != 0;
  parameter.encrypted = (status & 0x08) != 0;
  if (in.peek() == static_cast<std::uint8_t>(type_token::tvp)) {
    parameter.table_valued = true;
    in.u8();
    skip_table_value(in, profile);
    return parameter;
  }
  const auto type = read_type_info(in, profile);
  if (!type) return failure(errc::protocol, "a parameter of an RPC has an unknown type");
  parameter.type = type->type;
  parameter.value = read_value(in, *type);
  if (in.failed()) return failure(errc::protocol, "the value of an RPC parameter does not fit its type");
  return parameter;
}

}  // namespace

std::string_view name_of(proc_id id) noexcept {
  const auto index = static_cast<std::size_t>(id);
  return index < names.size() ? names[index] : std::string_view{};
}

procedure_name split_procedure_name(std::string_view typed) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < typed.size();) {
    const char c = typed[i];
    if (c == '[' || c == '"') {
      const char close = c == '[' ? ']' : '"';
      ++i;
      while (i < typed.size()) {
        if (typed[i] == close) {
          if (i + 1 >= typed.size() || typed[i + 1] != close) break;
          ++i;
        }
        parts.back().push_back(typed[i++]);
      }
      if (i < typed.size()) ++i;
    } else if (c == '.') {
      parts.emplace_back();
      ++i;
    } else {
      if (c != ' ' && c != '\t') parts.back().push_back(c);
      ++i;
    }
  }
  procedure_name out;
  out.name = std::move(parts.back());
  // "proc;1" is the first of a numbered group, which is the procedure itself.
  if (const auto semicolon = out.name.find(';'); semicolon != std::string::npos) out.name.resize(semicolon);
  if (parts.size() > 1) out.schema = std::move(parts[parts.size() - 2]);
  if (parts.size() > 2) out.database = std::move(parts[parts.size() - 3]);
  return out;
}

proc_id proc_id_of(std::string_view typed) noexcept {
  const std::string name = split_procedure_name(typed).name;
  for (std::size_t i = 1; i < names.size(); ++i)
    if (equal_ignoring_case(name, names[i])) return static_cast<proc_id>(i);
  return proc_id::none;
}

result<rpc_request> parse_rpc_request(byte_span message, const wire_profile& profile) {
  byte_reader in(message);
  const auto headers = read_all_headers(in, profile);
  if (!headers) return headers.error();
  rpc_request request;
  request.transaction_descriptor = headers->transaction_descriptor;
  do {
    if (request.calls.size() == limits::rpc_calls_max)
      return failure(errc::too_complex, "The request holds too many calls.");
    rpc_call call;
    const std::uint16_t units = in.u16();
    if (units == 0xFFFF) {
      const std::uint16_t number = in.u16();
      if (number < names.size()) call.id = static_cast<proc_id>(number);
      call.name = number < names.size() ? std::string(names[number]) : "#" + std::to_string(number);
    } else {
      call.name = read_text(in, units);
      call.by_name = true;
      call.id = proc_id_of(call.name);
    }
    call.options = in.u16();
    if (in.failed()) return failure(errc::protocol, "an RPC is cut short");
    bool unreadable = false;
    while (!in.at_end() && !ends_call(in.peek(), profile)) {
      if (call.parameters.size() == limits::rpc_parameters_max)
        return failure(errc::too_complex, "The request has too many parameters; the most is 2100.");
      auto parameter = read_parameter(in, profile);
      if (!parameter) return parameter.error();
      // A table-valued parameter that cannot be skipped makes the rest unreadable; the call is refused anyway.
      unreadable = parameter->table_valued && in.failed();
      // An encrypted one carries cipher metadata behind its value; it too is refused.
      unreadable = unreadable || parameter->encrypted;
      call.parameters.push_back(std::move(*parameter));
      if (unreadable) break;
    }
    if (!unreadable && !in.at_end()) call.no_execute = in.u8() == no_execute;
    request.calls.push_back(std::move(call));
    if (unreadable) break;
  } while (!in.at_end());
  if (in.failed() && !request.calls.back().parameters.empty() && request.calls.back().parameters.back().table_valued)
    return request;
  if (in.failed()) return failure(errc::protocol, "an RPC is cut short");
  return request;
}

}  // namespace dragoman::tds
